// What a page's server says to the browser itself, and hears of it: the address and its
// history, whether all has been drawn, and jobs that a page left behind.
export function render({model}) {
  // A change of tab is a step of the browser's history, all else is not. What the
  // server wrote before it heard of the last step back or forward is of another entry.
  let steps = 0
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
  // Not before the page is left: another window may begin with a copy of this storage.
  const leave = () => {
    if (model.at_work) window.sessionStorage.setItem("swviz-jobs", model.at_work)
  }
  window.addEventListener("pagehide", leave)

  model.on("remove", () => {
    window.removeEventListener("popstate", step)
    window.removeEventListener("pagehide", leave)
  })
}
