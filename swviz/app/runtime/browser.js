// What a page's server says to the browser itself, and hears of it: the address and its
// history, whether all has been drawn, and jobs that a page left behind.
let leave_page = () => {}

export function render({model, view}) {
  // Of an earlier rendering, which Panel may repeat.
  leave_page()
  // A change of tab is a step of the browser's history, all else is not. What the
  // server wrote before it heard of the last step back or forward is of another entry.
  let steps = Number(model.step.split(" ")[0])
  const show_address = () => {
    if (model.address === "") return
    const [query, heard = "0"] = model.address.split(" ")
    if (heard !== String(steps)) return
    const tab = new URLSearchParams(query).get("tab")
    const before = window.history.state?.tab
    const way = before == null || before === tab ? "replaceState" : "pushState"
    window.history[way]({tab}, "", query)
  }
  const step = () => {
    const tab = window.history.state?.tab
    if (tab == null) return
    steps += 1
    model.step = `${steps} ${tab}`
  }
  window.addEventListener("popstate", step)
  model.on("address", show_address)
  show_address()

  const answer = () => { model.drawn = model.asked }
  const answer_when_drawn = () => {
    if (window.requestIdleCallback) requestIdleCallback(answer, {timeout: 2000})
    else setTimeout(answer, 300)
  }
  model.on("asked", answer_when_drawn)
  if (model.drawn !== model.asked) answer_when_drawn()

  const lost = window.sessionStorage.getItem("swviz-jobs")
  window.sessionStorage.removeItem("swviz-jobs")
  if (lost) model.lost = lost
  // What a link does not carry outlives a reload, and a server that goes away.
  const kept = window.sessionStorage.getItem("swviz-workspace")
  if (kept && model.kept === "" && model.to_keep === "") model.kept = kept
  model.on("to_keep", () => {
    try {
      window.sessionStorage.setItem("swviz-workspace", model.to_keep)
    } catch {
      window.sessionStorage.removeItem("swviz-workspace")
    }
  })
  // Not before the page is left: another window may begin with a copy of this storage.
  const leave = () => {
    if (model.at_work) window.sessionStorage.setItem("swviz-jobs", model.at_work)
  }
  window.addEventListener("pagehide", leave)

  // Bokeh takes a model that came from the server for one that the server does not know,
  // until the next message. A message about it would send it whole, which fails for
  // Panel's components: the first click on a new button was lost. So that there is a
  // next message, the browser says something when there are new models.
  const shown = view.model.document
  let known = shown.all_models
  let timer = null
  const greet = () => {
    timer = null
    const present = shown.all_models
    let has_new = false
    for (const one of present) {
      if (!known.has(one)) { has_new = true; break }
    }
    known = present
    if (has_new) model.greetings += 1
  }
  const look = ({model: changed}) => {
    // Rows of a table bring no models, and change at every frame of an animation.
    if (changed?.type !== "ColumnDataSource") timer ??= setTimeout(greet, 30)
  }
  shown.on_change(look)

  leave_page = () => {
    window.removeEventListener("popstate", step)
    window.removeEventListener("pagehide", leave)
    shown.remove_on_change(look)
    clearTimeout(timer)
  }
  model.on("remove", leave_page)
}
