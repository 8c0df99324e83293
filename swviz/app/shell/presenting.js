// The card of a tour: what to say at a station, and the way from one to the next. Which
// station it is, and what the page shows there, is the server's to know.
const NEXT = new Set(["ArrowRight", "PageDown"])
const BACK = new Set(["ArrowLeft", "PageUp"])
// What Enter means something to.
const HAS_ENTER = "button, a, select, textarea, summary, input:not([type=range]), "
  + "[contenteditable], [role=button], [role=tab], [role=combobox], [role=listbox], "
  + "[role=option], [role=menu], [role=menuitem], [role=dialog]"
const SCROLLS = new Set(["ArrowUp", "ArrowDown", "Home", "End"])
const MOST_BYTES = 100000
const SEEK_MS = 20000
const HOLD_MS = 15000

let leave_page = () => {}

function make(kind, parent, name, text = "") {
  const made = document.createElement(kind)
  made.className = name
  made.textContent = text
  parent.append(made)
  return made
}

function* all_elements(root) {
  for (const one of root.querySelectorAll("*")) {
    yield one
    if (one.shadowRoot) yield* all_elements(one.shadowRoot)
  }
}

function find_title(title) {
  for (const one of all_elements(document.body)) {
    if (one.childElementCount === 0 && one.textContent.trim().startsWith(title)
        && one.checkVisibility({contentVisibilityAuto: true})) return one
  }
  return null
}

// Cards come when their tab is made: look for a while. Others that come later move it
// away, or make the room to scroll to it: hold it in place until the reader takes over.
function bring_into_sight(title, block, margin, is_wanted) {
  const end = performance.now() + SEEK_MS
  let until = end
  let found = null
  const reader = new AbortController()
  const stop = () => { until = 0 }
  for (const kind of ["wheel", "touchmove", "pointerdown"]) {
    const how = {capture: true, once: true, passive: true, signal: reader.signal}
    window.addEventListener(kind, stop, how)
  }
  window.addEventListener("keydown", ({key}) => { if (SCROLLS.has(key)) stop() },
    {capture: true, signal: reader.signal})
  const look = () => {
    if (!is_wanted() || performance.now() > until) {
      reader.abort()
      return
    }
    if (!found?.isConnected) {
      found = find_title(title)
      // Between the bar of the page and the card.
      if (found) {
        found.style.scrollMargin = `72px 0 ${margin}px`
        until = Math.min(end, performance.now() + HOLD_MS)
      }
    }
    found?.scrollIntoView({block, behavior: "smooth"})
    setTimeout(look, found ? 500 : 150)
  }
  look()
}

export function render({model, el}) {
  leave_page()
  const card = make("section", el, "tour")
  card.setAttribute("aria-label", "Tour")
  card.tabIndex = -1
  card.style.outline = "none"
  const head = make("div", card, "head")
  const number = make("span", head, "number")
  const headline = make("h2", head, "headline")
  headline.setAttribute("aria-live", "polite")
  const said = make("div", card, "said")
  const told = make("div", said, "told")
  const words = make("p", told, "words")
  const keys = make("p", told, "keys", "Keys: → goes on, ← back, Enter shows the answer, "
    + "Esc ends the tour.")
  const tools = make("div", told, "tools")
  const asked = make("div", said, "asked")
  const question = make("p", asked, "question")
  const reveal = make("button", asked, "reveal", "Answer")
  const answer = make("p", asked, "answer")
  answer.setAttribute("aria-live", "polite")
  const way = make("nav", head, "way")
  way.setAttribute("aria-label", "Stations")
  const back = make("button", way, "step", "‹ Back")
  const dots = make("div", way, "dots")
  const next = make("button", way, "step next", "Next ›")
  const own = make("button", tools, "tool", "Open a tour")
  own.title = "Present a tour of your own: a JSON file, as “Save” writes it"
  const keep = make("button", tools, "tool", "Save")
  keep.title = "Save this tour as a file, to change it"
  const link = make("button", tools, "tool", "Link")
  link.title = "Copy a link to this tour"
  const end = make("button", head, "tool end", "✕")
  end.setAttribute("aria-label", "End the tour")
  end.title = "End the tour (Esc)"
  for (const one of card.querySelectorAll("button")) one.type = "button"

  const is_open = () => model.at >= 0 && model.at < model.stations.length
  const go = (station) => {
    if (station >= 0 && station < model.stations.length) model.at = station
  }
  // It has its room from the start: figures that fill the window are not to jump.
  const hide_answer = (is_hidden) => {
    answer.style.visibility = is_hidden ? "hidden" : "visible"
    reveal.style.visibility = is_hidden ? "visible" : "hidden"
  }
  const show_answer = () => hide_answer(false)

  // Figures fill the window above the card.
  const take_room = () => {
    const height = is_open() ? card.offsetHeight + 12 : 0
    document.documentElement.style.setProperty("--tour-height", `${height}px`)
  }
  const watcher = new ResizeObserver(take_room)
  watcher.observe(card)
  card.hidden = true

  const show = () => {
    const begins = card.hidden && is_open()
    card.hidden = !is_open()
    take_room()
    if (card.hidden) return
    // Away from the button that has begun it: Enter is for the answer from now on.
    if (begins) card.focus({preventScroll: true})
    const station = model.stations[model.at]
    number.textContent = `${model.at + 1} / ${model.stations.length}`
    headline.textContent = station.headline
    words.textContent = station.words
    question.textContent = station.question
    answer.textContent = station.answer
    hide_answer(true)
    asked.hidden = station.question === ""
    keys.hidden = model.at > 0
    back.disabled = model.at === 0
    next.disabled = model.at === model.stations.length - 1
    dots.replaceChildren(...model.stations.map((one, k) => {
      const dot = document.createElement("button")
      dot.type = "button"
      dot.className = "dot"
      dot.title = `${k + 1}. ${one.headline}`
      dot.setAttribute("aria-label", dot.title)
      if (k === model.at) dot.setAttribute("aria-current", "step")
      dot.addEventListener("click", () => go(k))
      return dot
    }))
    const here = model.at
    const is_here = () => model.at === here
    const margin = card.offsetHeight + 24
    if (station.show) bring_into_sight(station.show, "start", margin, is_here)
    if (station.above) bring_into_sight(station.above, "end", margin, is_here)
    // With the control below its heading.
    if (station.controls) bring_into_sight(station.controls, "nearest", margin + 130, is_here)
  }

  back.addEventListener("click", () => go(model.at - 1))
  next.addEventListener("click", () => go(model.at + 1))
  reveal.addEventListener("click", show_answer)
  end.addEventListener("click", () => { model.at = -1 })
  own.addEventListener("click", () => {
    const file = document.createElement("input")
    file.type = "file"
    file.accept = ".json,application/json"
    file.addEventListener("change", async () => {
      // The server says what is wrong with it; it need not have all of a large file.
      const text = await file.files[0].slice(0, MOST_BYTES + 1).text()
      model.given = {text, count: (model.given.count ?? 0) + 1}
    })
    file.click()
  })
  keep.addEventListener("click", () => {
    const address = URL.createObjectURL(new Blob([model.text], {type: "application/json"}))
    const anchor = document.createElement("a")
    anchor.href = address
    anchor.download = "tour.json"
    anchor.click()
    setTimeout(() => URL.revokeObjectURL(address), 1000)
  })
  link.addEventListener("click", () => { model.links += 1 })
  model.on("copied", () => {
    navigator.clipboard?.writeText(new URL(model.copied, window.location.href).href)
  })

  // Before others hear of it: the arrows turn the line in Slices.
  const on_key = (event) => {
    if (!is_open() || event.ctrlKey || event.altKey || event.metaKey) return
    const place = event.composedPath()[0]
    if (place.matches?.("textarea, select, [contenteditable], input:not([type=range])")) {
      return
    }
    // A slider that has the focus keeps its arrows; the keys of a remote control go on.
    const is_slider = place.matches?.("input[type=range], [role=slider]") ?? false
    const is_arrow = event.key.startsWith("Arrow")
    if (is_arrow && is_slider) return
    if (NEXT.has(event.key)) go(model.at + 1)
    else if (BACK.has(event.key)) go(model.at - 1)
    else if (event.key === "Escape" && !document.fullscreenElement
             && !document.documentElement.dataset.alone) model.at = -1
    else if (event.key === "Enter" && !place.closest?.(HAS_ENTER)) show_answer()
    else return
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  // What was moved by hand gives the keys back; who has come to it by keys keeps them.
  const on_release = () => setTimeout(() => {
    if (!is_open()) return
    let place = document.activeElement
    while (place?.shadowRoot?.activeElement) place = place.shadowRoot.activeElement
    const is_slider = place?.matches("input[type=range], [role=slider]")
    if (is_slider || !place?.closest(HAS_ENTER)) card.focus({preventScroll: true})
  })
  window.addEventListener("keydown", on_key, {capture: true})
  window.addEventListener("pointerup", on_release, {capture: true})
  model.on("at", show)
  model.on("stations", show)
  model.on("sight", () => {
    const {text, count} = model.sight
    if (text) bring_into_sight(text, "start", 24, () => model.sight.count === count)
  })
  show()
  leave_page = () => {
    watcher.disconnect()
    window.removeEventListener("keydown", on_key, {capture: true})
    window.removeEventListener("pointerup", on_release, {capture: true})
  }
  model.on("remove", leave_page)
}
