// The moving part of the Slices view. Bokeh calls the exported function whenever a
// source, the slider or the play button changes; everything that follows from the
// points and the angle is computed here, so that turning and dragging need no server
// (and a saved page needs none at all). The library computes the same in swviz.slices;
// the browser tests compare the two.
const RIGHT = Math.PI / 2
const SWEEP_SECONDS = 12
const SYNC_MILLISECONDS = 60
// Texts and the slider are laid out anew with each change: not in every frame.
const TEXT_MILLISECONDS = 150

let frame_request = null
let last_time = null
let last_text = 0
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

function sorted_order(values) {
  return Array.from(values.keys()).sort((i, j) => values[i] - values[j])
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

  function draw_slice(with_text = true) {
    if (degrees === null || !play.active) degrees = slider.value
    const theta = degrees * Math.PI / 180
    const u = direction(theta)
    const pa = projections(a, u), pb = projections(b, u)
    const shift = anchor() * (u[0] + u[1])
    const at = (t) => [anchor() + (t - shift) * u[0], anchor() + (t - shift) * u[1]]

    const [end0, end1] = [at(shift - radius()), at(shift + radius())]
    show(args.line, {x: [end0[0], end1[0]], y: [end0[1], end1[1]]})
    const rays = {x0: [], y0: [], x1: [], y1: [], color: []}
    for (const [points, p, color] of [[a, pa, colors[0]], [b, pb, colors[1]]])
      for (let k = 0; k < p.own.length; k++) {
        const foot = at(p.own[k])
        rays.x0.push(points.data.birth[k]); rays.y0.push(points.data.death[k])
        rays.x1.push(foot[0]); rays.y1.push(foot[1]); rays.color.push(color)
      }
    show(args.rays, rays)

    const source = joined(pa.own, pb.middle), target = joined(pb.own, pa.middle)
    const i = sorted_order(source), j = sorted_order(target)
    const top = {t: [], y: [], color: [], fill: []}, bottom = {t: [], y: [], color: [], fill: []}
    const links = {x0: [], y0: [], x1: [], y1: []}
    const [n, m] = [pa.own.length, pb.own.length]
    let total = 0
    for (let k = 0; k < i.length; k++) {
      const s = source[i[k]] - shift, t = target[j[k]] - shift
      total += Math.abs(s - t)
      const own_s = i[k] < n, own_t = j[k] < m
      top.t.push(s); top.y.push(1)
      top.color.push(colors[own_s ? 0 : 1]); top.fill.push(own_s ? 1 : 0)
      bottom.t.push(t); bottom.y.push(0)
      bottom.color.push(colors[own_t ? 1 : 0]); bottom.fill.push(own_t ? 1 : 0)
      links.x0.push(s); links.y0.push(1); links.x1.push(t); links.y1.push(0)
    }
    show(args.top, top); show(args.bottom, bottom); show(args.links, links)
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
    if (with_text) write("slice", number(total))
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
  function write(name, text) {
    const box = args.stats[name]
    const html = box.tags[0].replace("{value}", text)
    if (box.text !== html) box.setv({text: html}, {sync: false})
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

  function turn(time) {
    if (!play.active) { frame_request = null; last_time = null; return }
    if (last_time !== null) {
      degrees += (time - last_time) / 1000 * 180 / SWEEP_SECONDS
      if (degrees > slider.end) degrees -= 180
      const with_text = time - last_text > TEXT_MILLISECONDS
      if (with_text) {
        last_text = time
        slider.setv({value: degrees}, {sync: false})
      }
      draw_slice(with_text)
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
    }
  } else if (changed === slider) {
    // While the line turns, the slider follows it.
    if (!play.active) draw_slice()
  } else if (changed === args.truth) {
    exact = args.truth.data.exact[0]
    write("exact", number(exact))
    write("d1", number(args.truth.data.d1[0]))
    write_ratio()
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
