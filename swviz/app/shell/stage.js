// Presenter mode: type a third larger, thicker lines; and one figure alone on the screen,
// by the key F, in this mode or not. Figures are painted with sizes of their own, which
// are changed here, in this browser only, and changed back.
const LARGER = 4 / 3
const THICKER = 1.6
const ALONE = 1.35
// Figures of a tab come when it is opened, and new sizes with a new theme.
const LOOK_MILLISECONDS = 700
const LOW = 900
const TEXTS = [
  "text_font_size", "major_label_text_font_size", "axis_label_text_font_size",
  "label_text_font_size", "title_text_font_size",
]

let leave_page = () => {}

function* figure_views() {
  for (const view of Bokeh.index.query((one) => one.model.type === "Figure")) yield view
}

const is_seen = (view) => view.el.checkVisibility({contentVisibilityAuto: true})

function scaled(value, factor) {
  if (typeof value === "number") return value * factor
  if (typeof value?.value === "number") return {...value, value: value.value * factor}
  const parts = /^([\d.]+)(\D+)$/.exec(value?.value ?? value)
  if (parts === null) return null
  const text = `${(Number(parts[1]) * factor).toFixed(2)}${parts[2]}`
  return value.value === undefined ? text : {...value, value: text}
}

export function render({model}) {
  leave_page()
  // What sizes were before, and what they have been changed to.
  const changed = new Map()
  let alone = null
  let timer = null
  let pointer = [-1, -1]

  function change(one, name, factor) {
    if (one == null || !(name in one.properties)) return
    if (!changed.has(one)) changed.set(one, {})
    const known = changed.get(one)
    const now = one[name]
    // Somebody else has set it: that is its size from now on.
    if (known[name] === undefined || JSON.stringify(known[name].to) !== JSON.stringify(now))
      known[name] = {from: now, to: now}
    const to = factor === 1 ? known[name].from : scaled(known[name].from, factor)
    if (to === null || JSON.stringify(to) === JSON.stringify(now)) return
    known[name].to = to
    one.setv({[name]: to}, {sync: false})
  }

  function dress(view) {
    const {model: plot} = view
    const text = (model.is_on ? LARGER : 1) * (view === alone?.view ? ALONE : 1)
    const pen = text > 1 ? THICKER : 1
    for (const one of [plot.title, ...plot.above, ...plot.below, ...plot.left, ...plot.right,
                       ...plot.center]) {
      // Legends are HTML: in this mode their type grows with the page's.
      const own = one?.type === "Legend" && model.is_on ? text / LARGER : text
      for (const name of TEXTS) change(one, name, own)
    }
    for (const {glyph} of plot.renderers) {
      change(glyph, "line_width", pen)
      change(glyph, "size", text)
      change(glyph, "text_font_size", text)
    }
  }

  function dress_all() {
    clearTimeout(timer)
    const is_needed = model.is_on || alone !== null
    for (const view of figure_views())
      if (changed.has(view.model.title) || (is_needed && is_seen(view))) dress(view)
    if (is_needed) timer = setTimeout(dress_all, LOOK_MILLISECONDS)
  }

  function follow() {
    const root = document.documentElement
    // In a low window there is no room for the sentence that a tab begins with.
    const is_low = model.is_on && window.innerHeight < LOW
    root.style.setProperty("--lead", is_low ? "none" : "flex")
    root.style.setProperty("--lead-height", is_low ? "0rem" : "3.7rem")
    root.style.fontSize = model.is_on ? `${100 * LARGER}%` : ""
    const said = {"--presenter": "block", "--bokeh-font-size": "1rem"}
    for (const [name, value] of Object.entries(said))
      if (model.is_on) root.style.setProperty(name, value)
      else root.style.removeProperty(name)
    dress_all()
  }

  // -- one figure alone ---------------------------------------------------------------

  function find_figure() {
    const size = ({width, height}) => width * height
    const places = Array.from(figure_views()).filter(is_seen)
      .map((view) => [view, view.el.getBoundingClientRect()])
      .filter(([_, box]) => size(box) > 0 && box.bottom > 0 && box.top < window.innerHeight)
    const [x, y] = pointer
    const under = places.find(([_, box]) =>
      x >= box.left && x <= box.right && y >= box.top && y <= box.bottom)
    places.sort(([_, one], [__, other]) => size(other) - size(one))
    return (under ?? places[0])?.[0] ?? null
  }

  function show_alone() {
    const view = find_figure()
    if (view === null) return
    const {el} = view
    alone = {view, style: el.getAttribute("style")}
    const ratio = view.model.aspect_ratio
    const is_square = typeof ratio === "number"
    const width = is_square ? `min(100vw - 40px, (100vh - 40px) * ${ratio})` : "100vw - 60px"
    const height = is_square ? `min(100vh - 40px, (100vw - 40px) / ${ratio})` : "100vh - 60px"
    const paper = getComputedStyle(el).getPropertyValue("--panel-surface-color") || "#FFFFFF"
    // The paper reaches beyond all edges of the screen.
    el.style.cssText += `;position:fixed;inset:0;margin:auto;border:0;padding:0;`
      + `width:calc(${width});height:calc(${height});max-width:none;max-height:none;`
      + `background:${paper};box-shadow:0 0 0 100vmax ${paper};overflow:visible;color:inherit`
    el.popover = "manual"
    el.showPopover()
    document.documentElement.dataset.alone = "yes"
    dress_all()
  }

  function end_alone() {
    const {view: {el}, style} = alone
    alone = null
    if (el.isConnected) el.hidePopover()
    el.removeAttribute("popover")
    if (style === null) el.removeAttribute("style")
    else el.setAttribute("style", style)
    delete document.documentElement.dataset.alone
    dress_all()
  }

  const on_key = (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return
    const path = event.composedPath()
    if (path[0].matches?.("textarea, select, [contenteditable], input:not([type=range])")
        || path.some((one) => one.getAttribute?.("role") === "dialog")) return
    const key = event.key.toLowerCase()
    if (key === "f") {
      if (alone === null) show_alone()
      else end_alone()
    } else if (key === "p") {
      model.is_on = !model.is_on
    } else if (key === "escape" && alone !== null) {
      end_alone()
    } else {
      return
    }
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  const on_move = (event) => { pointer = [event.clientX, event.clientY] }

  window.addEventListener("keydown", on_key, {capture: true})
  window.addEventListener("pointermove", on_move, {capture: true, passive: true})
  window.addEventListener("resize", follow)
  model.on("is_on", follow)
  follow()
  leave_page = () => {
    clearTimeout(timer)
    window.removeEventListener("keydown", on_key, {capture: true})
    window.removeEventListener("pointermove", on_move, {capture: true})
    window.removeEventListener("resize", follow)
  }
  model.on("remove", leave_page)
}
