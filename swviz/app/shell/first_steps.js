// A row of examples above the tabs. What each of them shows is the server's to know.
let leave_page = () => {}

function make(kind, parent, text, name = "") {
  const made = document.createElement(kind)
  made.className = name
  made.textContent = text
  parent.append(made)
  return made
}

export function render({model, el}) {
  leave_page()
  let count = 0
  const wish = (what) => {
    count += 1
    model.wish = `${count} ${what}`
  }
  const row = make("section", el, "", "first")
  row.setAttribute("aria-label", "First steps")
  make("strong", row, "New here?")
  make("button", row, "Start the lecture", "lecture")
    .addEventListener("click", () => wish("lecture"))
  let chosen = null
  for (const [number, title] of model.titles.entries()) {
    const button = make("button", row, title)
    button.addEventListener("click", () => {
      chosen?.removeAttribute("aria-pressed")
      chosen = button
      chosen.setAttribute("aria-pressed", "true")
      wish(number)
    })
  }
  const paper = make("a", row, "The paper")
  Object.assign(paper, {href: model.paper, target: "_blank", rel: "noopener"})
  const close = make("button", row, "✕", "close")
  close.setAttribute("aria-label", "Close the examples")
  close.addEventListener("click", () => { model.is_open = false })
  const point = make("p", row, model.point)
  point.setAttribute("aria-live", "polite")

  const follow = () => {
    row.hidden = !model.is_open
    point.textContent = model.point
  }
  // Figures that fill the window leave as much room as this takes.
  const measured = new ResizeObserver(() => {
    const height = row.hidden ? 0 : row.offsetHeight + 12
    document.documentElement.style.setProperty("--above", `${height}px`)
  })
  measured.observe(row)
  model.on("is_open", follow)
  model.on("point", follow)
  follow()
  leave_page = () => measured.disconnect()
  model.on("remove", leave_page)
}
