// The moving part of the Slices view, and the owner of every number on it. Bokeh calls
// the exported function whenever a source, the slider or the play button changes. All
// that follows from points, angles and bandwidth is computed here, so that turning and
// dragging need no server (and a saved page needs none at all); the server sends what
// only it knows, the exact distance, d1 and the layers, stamped with the pair they
// belong to. The library computes the same in swviz.slices; the browser tests compare.
const SWEEP_SECONDS = 12
const SYNC_MILLISECONDS = 60
// The line has come to rest when nothing has moved it for so long.
const REST_MILLISECONDS = 150
// A slider takes long to follow: not in every frame.
const SLIDE_MILLISECONDS = 150
const LOOK_MILLISECONDS = 500
// An answer that takes longer is asked for again: on a busy line one may get stuck
// until the browser speaks.
const PATIENCE_MILLISECONDS = 3000
const LABELS = {true: "❚❚ Pause", false: "▶ Play"}

let frame_request = null
let last_time = null
let last_slide = 0
let last_look = 0
let sync_timer = null
let rest_timer = null
let listening = false
let started = false
let steps_height = 1

// The angle of the line. The slider shows it; both move it through `turn_to`.
let degrees = 0
let told_degrees = null
let heard_count = 0
let slid = null

// Which pair is on show: the server's stamp, and how often it was edited here since.
let base = null
let edits = 0
let gesture = 0
let undos = 0
let reminder = null
let reminders = 0
// Bokeh calls a moment after a change, for those of this script, too: what it has
// written itself it knows by its content.
const written = new Map()
const stamp = () => edits === 0 ? base : `${base}+${edits}`
let layers_of = -1

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
const mean = (values) => values.reduce((sum, x) => sum + x, 0) / Math.max(1, values.length)

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
  for (let k = 0; k < jumps.length;) {
    const position = jumps[k][0]
    let jump = 0
    // Jumps at one place are one: those that cancel leave no trace.
    for (; k < jumps.length && jumps[k][0] === position; k++) jump += jumps[k][1]
    if (jump === 0) continue
    t.push(position - shift, position - shift)
    g.push(level, level + jump)
    level += jump
    highest = Math.max(highest, Math.abs(level))
  }
  return {t, g, highest}
}

export default (args, changed) => {
  const {a, b, slider, play, setting} = args
  // Read anew each time: a turning line outlives the call that has started it.
  const anchor = () => args.pair.data.anchor[0]
  const radius = () => args.pair.data.radius[0]
  // Sums of differences that cancel leave dust behind: it is no cost.
  const dust = () => 1e-13 * radius()

  // -- the pair ---------------------------------------------------------------------

  function fill(points, rows) {
    show(points, {birth: rows.map((row) => row[0]), death: rows.map((row) => row[1])})
    if (points.selected.indices.length > 0) points.selected.indices = []
    written.set(points, numbers_of(points))
  }

  const numbers_of = ({data}) => [...data.birth, ...data.death]

  function is_edit(points) {
    const before = written.get(points) ?? [], now = numbers_of(points)
    return now.length !== before.length || now.some((value, k) => value !== before[k])
  }

  function take_pair() {
    const {data} = args.pair
    if (base === data.stamp[0]) return
    base = data.stamp[0]
    edits = 0
    fill(a, data.a[0])
    fill(b, data.b[0])
    draw_layers([[], [], [], []], [[], [], [], [], []])
    layers_of = -1
    draw_all()
  }

  // A point below the diagonal is moved up onto it.
  function keep_above(points) {
    const {birth, death} = points.data
    if (!death.every((d, k) => d >= birth[k])) {
      const lifted = Array.from(death, (d, k) => d >= birth[k] ? d : birth[k])
      show(points, {...points.data, death: lifted})
    }
    written.set(points, numbers_of(points))
  }

  // Dragging changes a source many times a second; the server hears of it at times.
  function tell_edit() {
    if (sync_timer !== null) return
    sync_timer = setTimeout(() => {
      sync_timer = null
      // A pair that the server has sent meanwhile is no edit.
      if (edits === 0) return
      const rows = ({data}) => Array.from(data.birth, (birth, k) => [birth, data.death[k]])
      args.edited.data = {stamp: [stamp()], a: [rows(a)], b: [rows(b)], gesture: [gesture]}
    }, SYNC_MILLISECONDS)
  }

  function undo() {
    undos += 1
    args.undone.data = {count: [undos]}
  }

  // -- the angle --------------------------------------------------------------------

  function turn_to(angle) {
    degrees = Math.max(slider.start, Math.min(slider.end, angle))
    slide()
    draw_slice()
    rest_soon()
  }

  function slide() {
    slid = degrees
    if (slider.value === degrees) return
    // Bokeh's widgets fail when they change before they are drawn.
    if (is_drawn(slider)) slider.setv({value: degrees}, {sync: false})
    else setTimeout(slide, 100)
  }

  function is_drawn(model) {
    return (Bokeh.index.find_one(model)?.shadow_el?.childElementCount ?? 0) > 0
  }

  // The server, with the link and the Python lines, hears where the line rests.
  function rest_soon() {
    clearTimeout(rest_timer)
    rest_timer = setTimeout(() => {
      if (degrees === told_degrees || (play.active && is_seen())) return
      told_degrees = degrees
      args.rest.data = {theta: [degrees * Math.PI / 180], heard: [heard_count]}
    }, REST_MILLISECONDS)
  }

  function take_asked_angle() {
    const {theta, count} = args.asked_angle.data
    if (count[0] === heard_count) return
    heard_count = count[0]
    told_degrees = theta[0] * 180 / Math.PI
    turn_to(told_degrees)
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
        rest_soon()
        setTimeout(() => { frame_request = requestAnimationFrame(turn) }, LOOK_MILLISECONDS)
        return
      }
    }
    if (last_time !== null) {
      degrees += (time - last_time) / 1000 * 180 / SWEEP_SECONDS
      if (degrees > slider.end) degrees -= 180
      if (time - last_slide > SLIDE_MILLISECONDS) {
        last_slide = time
        slide()
      }
      draw_slice(false)
    }
    last_time = time
    frame_request = requestAnimationFrame(turn)
  }

  function start_when_drawn() {
    if (is_drawn(slider) && is_drawn(play)) play.active = true
    else setTimeout(start_when_drawn, 100)
  }

  function on_key(event) {
    gesture += 1
    const target = event.composedPath()[0]
    const tag = target.tagName ?? ""
    if (/INPUT|TEXTAREA|SELECT/.test(tag) || target.isContentEditable || !is_seen()) return
    if ((event.ctrlKey || event.metaKey) && event.key === "z") undo()
    if (event.ctrlKey || event.metaKey || event.altKey || tag === "BUTTON") return
    if (target.getAttribute?.("role")?.match(/slider|tab|option|button|combobox/)) return
    if (event.key === " ") {
      play.active = !play.active
      event.preventDefault()
    } else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      play.active = false
      turn_to(degrees + (event.key === "ArrowRight" ? 1 : -1))
    }
  }

  // -- pictures ---------------------------------------------------------------------

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
    write("slice", number(total), {for_good: with_text})
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
    const angles = setting.data.thetas[0]
    const top = angles.map((theta) => cost(a, b, theta))
    const step = Math.PI / angles.length
    // The paper's sum has each angle at the left of its cell.
    const before = setting.data.rule[0] === "paper" ? 0 : step / 2
    const left = angles.map((theta) => theta - before)
    show(args.bars, {left, right: left.map((theta) => theta + step), theta: angles, top})
    const highest = Math.max(...w, ...top)
    const end = highest > dust() ? 1.08 * highest : 1
    args.cost_range.setv({start: 0, end}, {sync: false})
    for (const range of args.polar_ranges) range.setv({start: -end, end}, {sync: false})
    write_distances()
  }

  function draw_layers(matching, segments) {
    const ends = ([x0, y0, x1, y1]) => ({x0, y0, x1, y1})
    show(args.matching, ends(matching))
    const weight = segments[4]
    const color = weight.map((w) => w > 0 ? "#009E73" : "#B2182B")
    show(args.segments, {...ends(segments), color, weight})
  }

  function take_answer() {
    const {data} = args.answer
    // Of this pair, as it is or as it was a moment ago in a drag that goes on: layers
    // may trail behind a moving point, numbers may not.
    const [of_base, of_edit] = (data.stamp[0] ?? "").split("+")
    const edit = Number(of_edit ?? 0)
    if (of_base === base && edit <= edits && edit >= layers_of) {
      layers_of = edit
      draw_layers(data.matching[0], data.segments[0])
    }
    write_distances()
  }

  function draw_projections() {
    for (const [points, target] of [[a, args.diagonal_a], [b, args.diagonal_b]]) {
      const {birth, death} = points.data
      const x = Float64Array.from(birth, (value, k) => (value + death[k]) / 2)
      show(target, {x, y: x})
    }
  }

  function draw_all() {
    steps_height = 1
    draw_projections()
    draw_curve()
    draw_slice()
  }

  // -- numbers ----------------------------------------------------------------------

  const number = (value) => value <= dust() ? "0" : value.toPrecision(4)

  function remind_server() {
    reminder = null
    if (args.answer.data.stamp[0] === stamp()) return
    reminders += 1
    args.reminder.data = {stamp: [stamp()], count: [reminders]}
    reminder = setTimeout(remind_server, PATIENCE_MILLISECONDS)
  }

  function write_distances() {
    const {data} = args.answer
    const is_answered = data.stamp[0] === stamp()
    const is_known = is_answered && data.exact[0] !== null
    // A page without a server gets no further answer.
    const is_final = is_answered || args.is_alone
    if (!is_final && reminder === null)
      reminder = setTimeout(remind_server, PATIENCE_MILLISECONDS)
    // Until the server has said it, the curve's mean stands in for the exact distance.
    const exact = is_known ? data.exact[0] : mean(Array.from(args.curve.data.w).slice(0, -1))
    const approximate = mean(args.bars.data.top)
    const sigma = setting.data.sigma[0]
    const about = is_known ? "" : "≈ "
    const ratio = exact > dust() ? about + (approximate / exact).toFixed(4) : "undefined"
    const kernel = Math.exp(-exact / (2 * sigma * sigma))
    write("approximate", number(approximate))
    write("exact", about + number(exact), {
      note: is_known ? null : is_final ? "not computed" : "being computed",
    })
    write("ratio", ratio)
    write("d1", is_known ? number(data.d1[0]) : is_final ? "–" : "…")
    write("kernel", about + (kernel === 0 ? "0" : kernel.toPrecision(4)))
  }

  // Bokeh lays a page out anew when a text changes: while the line turns, the number
  // is written past it.
  function write(name, text, {note = null, for_good = true} = {}) {
    const box = args.stats[name]
    const shown = Bokeh.index.find_one(box)?.shadow_el?.querySelector(".value")
    if (shown != null) shown.textContent = text
    const [template, usual] = box.tags
    const html = template.replace("{value}", text).replace("{note}", note ?? usual)
    if (for_good && box.text !== html) box.setv({text: html}, {sync: false})
  }

  // -- what has happened ------------------------------------------------------------

  // Bokeh gives the handle no name for screen readers.
  Bokeh.index.find_one(slider)?.shadow_el?.querySelector("[role=slider]")
    ?.setAttribute("aria-label", "Angle θ in degrees")

  if (!listening) {
    listening = true
    document.addEventListener("keydown", on_key)
    // A drag is one edit, however many steps it has.
    document.addEventListener("pointerdown", () => { gesture += 1 }, {capture: true})
  }

  if (changed === play) {
    play.label = LABELS[play.active]
    if (!play.active) turn_to(degrees)
    else if (frame_request === null) frame_request = requestAnimationFrame(turn)
  } else if (changed === slider) {
    if (slider.value === slid) return
    // A hand on the slider stops the line.
    degrees = slider.value
    play.active = false
    turn_to(degrees)
  } else if (changed === args.answer) {
    take_answer()
  } else if (changed === args.pair) {
    take_pair()
  } else if (changed === setting) {
    draw_curve()
  } else if (changed === args.asked_angle) {
    take_asked_angle()
  } else if (changed === a || changed === b) {
    if (!is_edit(changed)) return
    edits += 1
    keep_above(changed)
    draw_all()
    tell_edit()
  } else if (changed === args.plane) {
    // The figure has got its size: the page is on screen.
    take_pair()
    take_asked_angle()
    draw_all()
    take_answer()
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches
    if (args.autoplay && !started && !calm) start_when_drawn()
    started = true
  } else if (!play.active) {
    // A layer was switched on, or the plane was moved.
    draw_slice()
  }
}
