// Figures are painted, so that CSS has no hold on their colours.
export function paint(figures, {text, quiet, grid, frame}) {
  for (const plot of figures) {
    plot.setv({outline_line_color: frame})
    plot.title.setv({text_color: text})
    for (const axis of [...plot.below, ...plot.left])
      if ("major_label_text_color" in axis.properties)
        axis.setv({axis_label_text_color: text, major_label_text_color: quiet})
    for (const lines of plot.center)
      if (lines.grid_line_color != null) lines.setv({grid_line_color: grid})
  }
}

// Calls a function with "light" or "dark" now, and whenever the page has become the other.
// The page says which by the colour of its words; that it changes, by a transition.
export function follow_mode(paint_all) {
  const probe = document.createElement("i")
  probe.style.cssText = "position: fixed; visibility: hidden; pointer-events: none; "
    + "color: var(--panel-on-surface-color, #000000); transition: color 1ms"
  document.body.append(probe)
  let shown = null
  const look = () => {
    const [red, green, blue] = getComputedStyle(probe).color.match(/[\d.]+/g).map(Number)
    const mode = red + green + blue > 382 ? "dark" : "light"
    if (mode !== shown) paint_all(mode)
    shown = mode
  }
  probe.addEventListener("transitionend", look)
  look()
  return () => probe.remove()
}
