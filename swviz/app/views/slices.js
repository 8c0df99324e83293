// The moving part of the Slices view. Bokeh calls the exported function whenever a
// source, the slider or the play button changes; everything that follows from the
// points and the angle is computed here, so that turning and dragging need no server
// (and a saved page needs none at all). The library computes the same in swviz.slices;
// the browser tests compare the two.
const RIGHT = Math.PI / 2
const SWEEP_SECONDS = 12
const SYNC_MILLISECONDS = 60
// A slider takes long to follow: not in every frame.
const SLIDE_MILLISECONDS = 150
const LOOK_MILLISECONDS = 500

let frame_request = null
let last_time = null
let last_slide = 0
let last_look = 0
let degrees = null
let sync_timer = null
let listening = false
let lifting = false
let started = false
let steps_height = 1
let approximate = 0
let exact = 0

// Without sync, frames stay in the browser instead of flooding the server.
const show = (source, data) => source.setv({data}, {sync: false, check_eq: false})

function projections(points, u) {
  const {birth, death} = points.data
  const n = birth.length
  const own = new Float64Array(n), middle = new Float64Array(n)
  for (let k = 0; k < n; k++) {
    own[k] = birth[k] * u[0] + death[k] * u[1]
    middle[k] = (birth[k] + death[k]) / 2 * (u[0] + u[1])
  }
  return {own, middle}
}

function joined(first, second) {
  const all = new Float64Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}

const direction = (theta) => [Math.cos(theta), Math.sin(theta)]

function cost(a, b, theta) {
  const u = direction(theta)
  const pa = projections(a, u), pb = projections(b, u)
  const source = joined(pa.own, pb.middle).sort()
  const target = joined(pb.own, pa.middle).sort()
  let total = 0
  for (let k = 0; k < source.length; k++) total += Math.abs(source[k] - target[k])
  return total
}

// The part of a segment inside of a box, or null (Liang and Barsky).
function clip([x0, y0, x1, y1], {x_range, y_range}) {
  let first = 0, last = 1
  for (const [from, to, range] of [[x0, x1, x_range], [y0, y1, y_range]]) {
    const run = to - from
    const ends = [(range.start - from) / run, (range.end - from) / run]
    if (run === 0) {
      if (from < range.start || from > range.end) return null
    } else {
      first = Math.max(first, Math.min(...ends))
      last = Math.min(last, Math.max(...ends))
    }
  }
  if (first > last) return null
  const [dx, dy] = [x1 - x0, y1 - y0]
  return [x0 + first * dx, y0 + first * dy, x0 + last * dx, y0 + last * dy]
}

// G_A - G_B as the corners of a staircase.
function staircase(pa, pb, shift) {
  const jumps = []
  for (const [values, sign] of [[pa.own, 1], [pa.middle, -1], [pb.own, -1], [pb.middle, 1]])
    for (const t of values) jumps.push([t, sign])
  jumps.sort((p, q) => p[0] - q[0])
  const t = [], g = []
  let level = 0, highest = 0
  for (const [position, sign] of jumps) {
    t.push(position - shift, position - shift)
    g.push(level, level + sign)
    level += sign
    highest = Math.max(highest, Math.abs(level))
  }
  return {t, g, highest}
}

export default (args, changed) => {
  const {a, b, slider, play, sampled, frame, colors} = args
  const anchor = () => frame.data.anchor[0]
  const radius = () => frame.data.radius[0]

  // Segments as one line with gaps: one stroke of the pen instead of hundreds. What
  // moves is painted above the frame, which does not clip it.
  function polyline(segments) {
    const x = [], y = []
    for (const segment of segments) {
      const inside = clip(segment, args.plane)
      if (inside === null) continue
      x.push(inside[0], inside[2], NaN)
      y.push(inside[1], inside[3], NaN)
    }
    return {x, y}
  }

  function draw_slice(with_text = true) {
    if (degrees === null || !play.active) degrees = slider.value
    const theta = degrees * Math.PI / 180
    const u = direction(theta)
    const pa = projections(a, u), pb = projections(b, u)
    const shift = anchor() * (u[0] + u[1])
    const at = (t) => [anchor() + (t - shift) * u[0], anchor() + (t - shift) * u[1]]

    show(args.line, polyline([[...at(shift - radius()), ...at(shift + radius())]]))
    for (const [points, p, target] of [[a, pa, args.rays[0]], [b, pb, args.rays[1]]]) {
      const {birth, death} = points.data
      if (args.ray_glyphs[0].visible)
        show(target, polyline(Array.from(p.own, (t, k) => [birth[k], death[k], ...at(t)])))
    }

    const source = joined(pa.own, pb.middle).sort(), target = joined(pb.own, pa.middle).sort()
    const count = source.length
    const links = {x: new Float64Array(3 * count), y: new Float64Array(3 * count)}
    let total = 0
    for (let k = 0; k < count; k++) {
      total += Math.abs(source[k] - target[k])
      links.x.set([source[k] - shift, target[k] - shift, NaN], 3 * k)
      links.y.set([1, 0, NaN], 3 * k)
    }
    show(args.links, links)
    for (const [name, p, own_level] of [["A", pa, 1], ["B", pb, 0]]) {
      const count = p.own.length
      const at_level = (values, level) =>
        ({t: values.map((t) => t - shift), y: new Float64Array(count).fill(level)})
      show(args.own[name], at_level(p.own, own_level))
      show(args.middle[name], at_level(p.middle, 1 - own_level))
    }
    const steps = staircase(pa, pb, shift)
    if (steps.highest > steps_height) {
      // The axis only grows while the line turns: it must not jump about.
      steps_height = steps.highest
      args.step_range.setv({start: -steps_height - 0.5, end: steps_height + 0.5}, {sync: false})
    }
    show(args.steps, {t: steps.t, g: steps.g})
    show(args.cursor, {theta: [theta], w: [total], low: [0]})
    // Once round the half circle is once round the full one, twice as fast.
    if (args.polar_figure.visible)
      show(args.polar_cursor, {x: [0, total * u[0]], y: [0, total * u[1]]})
    write("slice", number(total), with_text)
  }

  function draw_curve() {
    const thetas = args.curve.data.theta
    const w = Float64Array.from(thetas, (theta) => cost(a, b, theta))
    show(args.curve, {theta: thetas, w})
    const x = [], y = []
    for (const sign of [1, -1])
      for (let k = 0; k < w.length; k++) {
        x.push(sign * w[k] * Math.cos(thetas[k])); y.push(sign * w[k] * Math.sin(thetas[k]))
      }
    show(args.polar, {x, y})
    const angles = Array.from(sampled.data.theta)
    const heights = angles.map((theta) => cost(a, b, theta))
    show(args.bars, {...args.bars.data, top: heights})
    const highest = Math.max(...w, ...heights, 1e-300)
    args.cost_range.setv({start: 0, end: 1.08 * highest}, {sync: false})
    for (const range of args.polar_ranges)
      range.setv({start: -1.08 * highest, end: 1.08 * highest}, {sync: false})
    const mean = (values) => values.reduce((sum, x) => sum + x, 0) / Math.max(1, values.length)
    write("approximate", number(mean(heights)))
    approximate = mean(heights)
    // The curve's mean stands in for the exact distance until the server has said it.
    exact = mean(Array.from(w).slice(0, -1))
    write("exact", "≈ " + number(exact))
    write_ratio()
  }

  function write_ratio() {
    write("ratio", exact > 0 ? (approximate / exact).toFixed(4) : "undefined")
    const sigma = frame.data.sigma[0]
    write("kernel", Math.exp(-exact / (2 * sigma * sigma)).toPrecision(4))
  }

  const number = (value) => value === 0 ? "0" : value.toPrecision(4)
  // Bokeh lays a page out anew when a text changes: while the line turns, the number
  // is written past it.
  function write(name, text, for_good = true) {
    const box = args.stats[name]
    const shown = Bokeh.index.find_one(box)?.shadow_el?.querySelector(".value")
    if (shown != null) shown.textContent = text
    const html = box.tags[0].replace("{value}", text)
    if (for_good && box.text !== html) box.setv({text: html}, {sync: false})
  }

  function draw_projections() {
    for (const [points, target] of [[a, args.diagonal_a], [b, args.diagonal_b]]) {
      const {birth, death} = points.data
      const x = Float64Array.from(birth, (value, k) => (value + death[k]) / 2)
      show(target, {x, y: x})
    }
  }

  // A point below the diagonal is moved up onto it.
  function keep_above(points) {
    const {birth, death} = points.data
    let moved = false
    const up = Array.from(death, (d, k) => {
      if (!(d >= birth[k])) { moved = true; return birth[k] }
      return d
    })
    if (moved) show(points, {...points.data, death: up})
  }

  // Dragging changes a source many times a second; the server hears of it at times.
  function tell_server() {
    if (sync_timer !== null) return
    sync_timer = setTimeout(() => {
      sync_timer = null
      args.mirror.data = {
        birth: [...a.data.birth, ...b.data.birth],
        death: [...a.data.death, ...b.data.death],
        which: [...Array.from(a.data.birth, () => 0), ...Array.from(b.data.birth, () => 1)],
      }
    }, SYNC_MILLISECONDS)
  }

  // Nobody sees the line turn while another tab is open.
  function is_seen() {
    return Bokeh.index.find_one(args.plane)?.el.checkVisibility?.() ?? true
  }

  function turn(time) {
    if (!play.active) { frame_request = null; last_time = null; return }
    if (time - last_look > LOOK_MILLISECONDS) {
      last_look = time
      if (!is_seen()) {
        last_time = null
        setTimeout(() => { frame_request = requestAnimationFrame(turn) }, LOOK_MILLISECONDS)
        return
      }
    }
    if (last_time !== null) {
      degrees += (time - last_time) / 1000 * 180 / SWEEP_SECONDS
      if (degrees > slider.end) degrees -= 180
      if (time - last_slide > SLIDE_MILLISECONDS) {
        last_slide = time
        slider.setv({value: degrees}, {sync: false})
      }
      draw_slice(false)
    }
    last_time = time
    frame_request = requestAnimationFrame(turn)
  }

  // Bokeh's widgets fail when they change before they are drawn.
  function start_when_drawn() {
    const drawn = [slider, play].every((model) =>
      (Bokeh.index.find_one(model)?.shadow_el?.childElementCount ?? 0) > 0)
    if (drawn) play.active = true
    else setTimeout(start_when_drawn, 100)
  }

  function set_angle(angle) {
    play.active = false
    slider.value = Math.max(slider.start, Math.min(slider.end, angle))
  }

  function on_key(event) {
    const target = event.composedPath()[0]
    const tag = target.tagName ?? ""
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (/INPUT|TEXTAREA|SELECT|BUTTON/.test(tag) || target.isContentEditable) return
    if (target.getAttribute?.("role")?.match(/slider|tab|option|button|combobox/)) return
    if (args.plane.inner_width === 0 || !document.body.contains(document.activeElement)) return
    if (event.key === " ") { play.active = !play.active; event.preventDefault() }
    else if (event.key === "ArrowRight") set_angle(slider.value + 1)
    else if (event.key === "ArrowLeft") set_angle(slider.value - 1)
    else return
  }

  // Bokeh gives the handle no name for screen readers.
  Bokeh.index.find_one(slider)?.shadow_el?.querySelector("[role=slider]")
    ?.setAttribute("aria-label", "Angle θ in degrees")

  if (!listening) {
    listening = true
    document.addEventListener("keydown", on_key)
  }

  if (changed === play) {
    play.label = play.active ? "❚❚ Pause" : "▶ Play"
    if (play.active && frame_request === null) {
      degrees = slider.value
      frame_request = requestAnimationFrame(turn)
    } else if (!play.active) {
      slider.value = degrees
      // Once more for good, even if the slider is there already.
      draw_slice()
    }
  } else if (changed === slider) {
    // While the line turns, the slider follows it.
    if (!play.active) draw_slice()
  } else if (changed === args.truth) {
    exact = args.truth.data.exact[0]
    write("exact", number(exact))
    write("d1", number(args.truth.data.d1[0]))
    write_ratio()
  } else if (changed === args.plane.x_range || changed === args.plane.y_range) {
    if (!play.active) draw_slice()
  } else if (changed === args.plane) {
    // The figure has got its size: the page is on screen.
    draw_slice()
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches
    if (args.autoplay && !started && !calm) start_when_drawn()
    started = true
  } else if (changed === frame) {
    draw_slice()
    write_ratio()
  } else {
    if (changed === a || changed === b) {
      if (lifting) return
      lifting = true
      keep_above(changed)
      lifting = false
      tell_server()
    }
    steps_height = 1
    draw_projections()
    draw_curve()
    draw_slice()
  }
}
