// Switches, choices and buttons. What they are set to is the server's to know: a hand on
// one of them says so, and shows it at once.
function make(kind, parent, name = "", text = "") {
  const made = document.createElement(kind)
  made.className = name
  made.textContent = text
  parent.append(made)
  return made
}

function copy(text) {
  if (navigator.clipboard) {
    navigator.clipboard.writeText(text)
    return
  }
  // Pages that are not served over https have no clipboard.
  const area = make("textarea", document.body)
  area.value = text
  area.select()
  document.execCommand("copy")
  area.remove()
}

export function render({model, el}) {
  let count = 0
  const say = (name, value = null) => {
    count += 1
    model.said = JSON.stringify([count, name, value])
  }
  const followers = []
  const box = make("div", el, `controls ${model.look}`)
  const makers = {
    heading: ({text}) => make("p", box, "heading", text),
    note: ({text}) => make("p", box, "note", text),
    switch: ({name, text}) => {
      const line = make("label", box, "switch")
      const input = make("input", line)
      input.type = "checkbox"
      input.setAttribute("role", "switch")
      make("span", line, "track")
      make("span", line, "", text)
      input.addEventListener("change", () => say(name, input.checked))
      followers.push(() => { input.checked = model.values[name] })
    },
    choice: ({name, text, options}) => {
      make("p", box, "label", text)
      const group = make("div", box, "choice")
      group.setAttribute("role", "radiogroup")
      group.setAttribute("aria-label", text)
      const show = (chosen) => {
        for (const button of group.children)
          button.setAttribute("aria-checked", String(button.textContent === chosen))
      }
      for (const option of options) {
        const button = make("button", group, "", option)
        button.setAttribute("role", "radio")
        button.addEventListener("click", () => {
          show(option)
          say(name, option)
        })
      }
      followers.push(() => show(model.values[name]))
    },
    buttons: ({buttons}) => {
      const line = make("div", box, "buttons")
      for (const {name, text, icon, title = ""} of buttons) {
        const button = make("button", line)
        const sign = make("span", button, "icon", icon)
        sign.setAttribute("aria-hidden", "true")
        make("span", button, "words", text)
        button.setAttribute("aria-label", text)
        button.title = title || text
        button.addEventListener("click", () => {
          // What it copies may have changed since.
          const {copies} = model.rows.flatMap(({buttons = []}) => buttons)
            .find((one) => one.name === name)
          if (copies != null)
            copy(copies === "address:" ? window.location.href : copies)
          say(name)
        })
        followers.push(() => { button.disabled = model.disabled.includes(name) })
      }
    },
  }
  for (const row of model.rows) makers[row.kind](row)
  const follow = () => { for (const one of followers) one() }
  model.on("values", follow)
  model.on("disabled", follow)
  follow()
}
