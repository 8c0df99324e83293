// The moving part of the Slices view, and the owner of every number on it. Bokeh calls
// the exported function whenever a source, the slider or the play button changes. All
// that follows from points, angles and bandwidth is computed here, so that turning and
// dragging need no server (and a saved page needs none at all); the server sends what
// only it knows, the exact distance, d1 and the layers, stamped with the pair they
// belong to. The library computes the same in swviz.slices; the browser tests compare.
//
// A flow is such an answer, too: the server sends where the points of A are on their way
// to B, and they are played here. Meanwhile `first()`, of which every number is, are the
// moved points; the pair itself stays as it is, and comes back when the flow ends.
const SWEEP_SECONDS = 12
const SYNC_MILLISECONDS = 60
// The line has come to rest when nothing has moved it for so long.
const REST_MILLISECONDS = 150
// A slider takes long to follow: not in every frame.
const SLIDE_MILLISECONDS = 150
const LOOK_MILLISECONDS = 500
// While A flows, all numbers are written at times only.
const READ_MILLISECONDS = 100
// An answer that takes longer is asked for again: on a busy line one may get stuck
// until the browser speaks.
const PATIENCE_MILLISECONDS = 3000
const LABELS = {true: "❚❚ Pause", false: "▶ Play"}
const FLOW_SECONDS = 7
// How long a trail is, in parts of a flow, and of how many pieces.
const TRAIL = 0.25
const TRAIL_PIECES = 12
// Many points have shorter trails: each piece is a stroke of the pen.
const MOST_STROKES = 4000
// Angles closer to each other than this are one, in radians.
const SAME_ANGLE = 1e-6
// Of many points, how many links and rays are drawn, and into how many bins they are
// counted along the line.
const DRAWN = 150
const BINS = 120
// Points in one place that are told by their number, and how many places at most.
const MOST_COUNTED = 100
// Points that are lower than this part of the plane fade into the diagonal.
const FADING = 0.03

let frame_request = null
let last_time = null
let last_slide = 0
let last_look = 0
let last_read = 0
let sync_timer = null
let rest_timer = null
let listening = false
let has_size = false
let started = false
let halts = 0
let steps_height = 1

// The angle of the line. The slider shows it; both move it through `turn_to`.
let degrees = 0
let told_degrees = null
let heard_count = 0
let slid = null
// Two points that fall together on the line, where it was asked to stop; the bar that
// it stands on; the direction that costs most.
let met = null
let bar = -1
let dearest = null
// Points of greatest persistence, by their table.
const far = new WeakMap()

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

// The flow: what was wished for, the way that came of it, and the step on show, which
// while it plays is between two.
let wish = ""
let wishes = 0
let way = null
let step = 0
let scrubbed = 0
let turn = 0
let directions = ""
let start_alpha = 1
// What was found on the page: to find a view is to walk through all of them.
const drawn_numbers = {}
const named = {}

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

// Where between two places of a rising list a value is: the first of them, and how far.
function between(values, value) {
  let low = 0, high = values.length - 1
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (values[middle] <= value) low = middle
    else high = middle
  }
  if (value >= values[high]) return [high, 0]
  return [low, Math.max(0, (value - values[low]) / (values[high] - values[low]))]
}

function read_between(values, [k, part]) {
  return part === 0 ? values[k] : values[k] + part * (values[k + 1] - values[k])
}

const is_calm = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches

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

// G_A - G_B as the corners of a staircase: up at each of the sorted places of A + π(B),
// down at those of B + π(A).
function staircase(source, target, shift, dust) {
  const t = [], g = []
  let level = 0, highest = 0
  for (let i = 0, j = 0; i < source.length || j < target.length;) {
    const position = Math.min(source[i] ?? Infinity, target[j] ?? Infinity)
    let jump = 0
    // Jumps at one place, but for rounding, are one: those that cancel leave no trace.
    for (; source[i] <= position + dust; i++) jump += 1
    for (; target[j] <= position + dust; j++) jump -= 1
    if (jump === 0) continue
    t.push(position - shift, position - shift)
    g.push(level, level + jump)
    level += jump
    highest = Math.max(highest, Math.abs(level))
  }
  return {t, g, highest}
}

// The places of the greatest values, of all or of so many.
function greatest(values, count) {
  if (values.length <= count) return Array.from(values.keys())
  const least = Float64Array.from(values).sort()[values.length - count]
  const found = []
  for (let k = 0; k < values.length && found.length < count; k++)
    if (values[k] >= least) found.push(k)
  return found
}

// Bokeh loads this script anew for each change that comes before it is there: the one
// that is first is the engine of its plane.
const engines = (globalThis.swviz_engines ??= new WeakMap())

export default (args, changed) => {
  if (!engines.has(args.plane)) engines.set(args.plane, run)
  engines.get(args.plane)(args, changed)
}

function run(args, changed) {
  const {a, b, slider, play, setting} = args
  // Read anew each time: a turning line outlives the call that has started it.
  const anchor = () => args.pair.data.anchor[0]
  const radius = () => args.pair.data.radius[0]
  // Sums of differences that cancel leave dust behind: it is no cost.
  const dust = () => 1e-13 * radius()
  // The first diagram of the pair: A, or A on its way.
  const first = () => way === null ? a : way.points

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
    end_flow()
    const [start, end] = [data.low[0], data.high[0]]
    for (const range of [args.plane.x_range, args.plane.y_range])
      range.setv({start, end, reset_start: start, reset_end: end})
    args.line_range.setv({start: -radius(), end: radius()})
    fill(a, data.a[0])
    fill(b, data.b[0])
    thin_out()
    draw_layers([[], [], [], []], [[], [], [], [], []])
    layers_of = -1
    draw_all()
  }

  // Many points are drawn smaller and paler, and the line with hills of them.
  function thin_out() {
    const counts = [a, b].map(({data}) => data.birth.length)
    counts.forEach((count, k) => {
      const part = Math.min(1, Math.sqrt(args.many / 2 / Math.max(count, 1)))
      const alpha = {value: Math.max(0.25, part)}
      args.points[k].glyph.setv({
        size: {value: Math.max(3, part * args.sizes[k])},
        fill_alpha: alpha,
        line_alpha: alpha,
        line_width: {value: part === 1 ? 1 : 0.3},
      })
      const size = {value: Math.max(2, 5 * part)}
      args.projection_glyphs[k].glyph.setv({size, line_alpha: alpha})
    })
    const room = is_many() ? 0.5 : 0.25
    args.flat_range.setv({start: -room, end: 1 + room})
    const total = (counts[0] + counts[1]).toLocaleString("en")
    // No longer: a phone has room for forty letters.
    args.flat.title.text = is_many()
      ? `The costliest of ${total} links; hills: points`
      : "k-th joins k-th; ○ π: put on the diagonal"
  }

  // Which layers are on show, and where new points go.
  function take_shown() {
    const {data} = args.shown
    const set = (models, is_shown) => models.forEach((one) => { one.visible = is_shown })
    set(args.ray_glyphs, data.rays[0])
    set(args.projection_glyphs, data.projections[0])
    set([args.matching_glyphs, ...args.legends.matching], data.matching[0])
    set([args.segment_glyphs, ...args.legends.segments], data.segments[0])
    set([args.polar_figure], data.polar[0])
    const [first_points, second_points] = args.points
    args.draw_tool.renderers = data.edit[0] === "A"
      ? [first_points, second_points] : [second_points, first_points]
  }

  // The server may ask the line to stay where it is put.
  function take_motion() {
    const asked = args.motion.data.halts[0]
    if (asked !== halts) play.active = false
    halts = asked
  }

  // When the plane has its size and all has been said, whichever is later.
  function begin() {
    const is_said = [args.pair.data.stamp, setting.data.thetas, args.shown.data.edit]
    if (!has_size || is_said.some((column) => column.length === 0)) return
    take_shown()
    take_motion()
    take_pair()
    take_asked_angle()
    draw_all()
    take_answer()
    directions = setting.data.thetas[0].join()
    label_flow()
    if (args.motion.data.autoplay[0] && !started && !is_calm()) start_when_drawn()
    started = true
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
    sync_timer ??= setTimeout(tell_edit_now, SYNC_MILLISECONDS)
  }

  function tell_edit_now() {
    if (sync_timer === null) return
    clearTimeout(sync_timer)
    sync_timer = null
    // A pair that the server has sent meanwhile is no edit.
    if (edits === 0) return
    const rows = ({data}) => Array.from(data.birth, (birth, k) => [birth, data.death[k]])
    args.edited.data = {stamp: [stamp()], a: [rows(a)], b: [rows(b)], gesture: [gesture]}
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

  // Where the line stops next, or before. Partners change when two points of one list,
  // A + π(B) or B + π(A), fall together; the first two that do are neighbours now.
  function turn_to_change(sign) {
    const theta = degrees * Math.PI / 180 + sign * SAME_ANGLE
    const u = direction(theta)
    const corner = ({data}, k) => [data.birth[k], data.death[k]]
    const foot = ({data}, k) => Array(2).fill((data.birth[k] + data.death[k]) / 2)
    const all = (points, place) => Array.from(points.data.birth, (_, k) => place(points, k))
    let next = null
    for (const [own, other, level] of [[first(), b, 1], [b, first(), 0]]) {
      const at = (point) => point[0] * u[0] + point[1] * u[1]
      const list = [...all(own, corner), ...all(other, foot)].sort((p, q) => at(p) - at(q))
      for (let k = 1; k < list.length; k++) {
        const [p, q] = [list[k - 1], list[k]]
        const [dx, dy] = [q[0] - p[0], q[1] - p[1]]
        if (Math.hypot(dx, dy) <= dust()) continue
        // They fall together where the line is at right angles to what joins them.
        const turn = sign * (Math.atan2(dy, dx) + Math.PI / 2 - theta) % Math.PI
        const ahead = (turn + Math.PI) % Math.PI
        if (next === null || ahead < next.ahead) next = {ahead, p, q, level}
      }
    }
    if (next === null) return
    stop_at((theta + sign * next.ahead) * 180 / Math.PI, next)
  }

  function turn_to_direction(sign) {
    const angles = setting.data.thetas[0].map((theta) => theta * 180 / Math.PI)
    const nearest = SAME_ANGLE * 180 / Math.PI
    const ahead = (angle) => {
      const turn = (sign * (angle - degrees) % 180 + 180) % 180
      return turn > nearest && 180 - turn > nearest ? turn : 180
    }
    stop_at(angles.reduce((best, angle) => ahead(angle) < ahead(best) ? angle : best))
  }

  function stop_at(angle, meeting = null) {
    play.active = false
    degrees = angle > slider.end ? angle - 180 : angle < slider.start ? angle + 180 : angle
    met = meeting === null ? null : {...meeting, degrees}
    turn_to(degrees)
  }

  function change_speed(steps) {
    const speeds = args.speed.options.map(([speed]) => speed)
    const wanted = speeds.indexOf(args.speed.value) + steps
    args.speed.value = speeds[Math.max(0, Math.min(speeds.length - 1, wanted))]
  }

  function slide() {
    slid = degrees
    if (slider.value === degrees) return
    // Bokeh's widgets fail when they change before they are drawn.
    if (is_drawn(slider)) slider.setv({value: degrees}, {sync: false})
    else setTimeout(slide, 100)
  }

  const handle_of = (widget) =>
    Bokeh.index.find_one(widget)?.shadow_el?.querySelector("[role=slider]")

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

  // -- what moves by itself ---------------------------------------------------------

  const flows = () => way !== null && args.flow_play.active

  function move() {
    frame_request ??= requestAnimationFrame(next_frame)
  }

  function next_frame(time) {
    frame_request = null
    if (!play.active && !flows()) { last_time = null; return }
    if (time - last_look > LOOK_MILLISECONDS) {
      last_look = time
      if (!is_seen()) {
        last_time = null
        rest_soon()
        setTimeout(move, LOOK_MILLISECONDS)
        return
      }
    }
    if (last_time !== null) {
      const seconds = (time - last_time) / 1000
      const sliding = time - last_slide > SLIDE_MILLISECONDS
      if (sliding) last_slide = time
      if (play.active) {
        degrees += seconds * 180 / SWEEP_SECONDS * Number(args.speed.value)
        if (degrees > slider.end) degrees -= 180
        if (sliding) slide()
      }
      if (flows()) {
        // The plane follows in every frame; the figures beside it and below, which take
        // longer, in turns.
        turn = 1 - turn
        flow_on(seconds, sliding)
        draw_slice(false, turn === 1)
      } else draw_slice(false)
    }
    last_time = time
    move()
  }

  function start_when_drawn() {
    if (is_drawn(slider) && is_drawn(play)) play.active = true
    else setTimeout(start_when_drawn, 100)
  }

  function on_key(event) {
    gesture += 1
    const target = event.composedPath()[0]
    const tag = target.tagName ?? ""
    // Bokeh's slider has the End that it was made with, and does not tell of a Home where
    // it shows the beginning already, while the flow goes on.
    if (way !== null && target === handle_of(args.scrubber)) {
      if (event.key === "End") hold_at(way.last)
      if (event.key === "Home") hold_at(0)
    }
    if (event.key === "Escape" && wish !== "" && is_seen() && !is_in_dialog(event)) end_flow()
    if (/INPUT|TEXTAREA|SELECT/.test(tag) || target.isContentEditable || !is_seen()) return
    if ((event.ctrlKey || event.metaKey) && event.key === "z") undo()
    if (event.ctrlKey || event.metaKey || event.altKey || is_in_dialog(event)) return
    const sign = event.shiftKey ? -1 : 1
    const key = event.key.toLowerCase()
    if (key === "e") turn_to_change(sign)
    else if (key === "m") turn_to_direction(sign)
    else if (key === "x" && dearest !== null) stop_at(dearest.degrees)
    else if (key === "+" || key === "-") change_speed(key === "+" ? 1 : -1)
    if (tag === "BUTTON") return
    if (target.getAttribute?.("role")?.match(/slider|tab|option|button|combobox/)) return
    if (event.key === " ") {
      play.active = !play.active
      event.preventDefault()
    } else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      play.active = false
      turn_to(degrees + (event.key === "ArrowRight" ? 1 : -1))
    }
  }

  // Escape closes menus and dialogs first.
  function is_in_dialog(event) {
    return event.composedPath().some((element) =>
      /dialog|listbox|menu|presentation/.test(element.getAttribute?.("role") ?? ""))
  }

  // -- the flow ---------------------------------------------------------------------

  function ask_flow() {
    // The server has to know the pair whose flow it is asked for.
    tell_edit_now()
    wishes += 1
    wish = args.is_alone ? stamp() : `${stamp()} wish ${wishes}`
    if (args.is_alone) take_way()
    else args.wish.data = {stamp: [stamp()], wish: [wish]}
    label_flow()
  }

  function take_way() {
    const {data} = args.way
    // One that was wished for before, of another pair perhaps.
    if (wish === "" || data.wish[0] !== wish) return
    const steps = data.steps[0], path = data.path[0]
    if (path === null) { end_flow(); return }
    way = {
      steps,
      moments: data.moments[0],
      path,
      count: path.length / steps.length / 2,
      last: steps[steps.length - 1],
      points: null,
    }
    // What belongs to A itself, and not to the points that leave it.
    start_alpha = args.start_glyph.fill_alpha
    args.start_glyph.setv({fill_alpha: 0.2, line_alpha: 0.2}, {sync: false})
    show(args.diagonal_a, {x: [], y: []})
    draw_layers([[], [], [], []], [[], [], [], [], []])
    args.scrubber.setv({title: `Step of ${way.last}`, end: way.last}, {sync: false})
    set_seen("visible")
    go_to_step(is_calm() ? way.last : 0)
    if (!is_calm()) args.flow_play.active = true
    label_flow()
  }

  function end_flow() {
    if (wish === "") return
    const had_way = way !== null
    wish = ""
    way = null
    args.flow_button.active = false
    args.flow_play.active = false
    if (!args.is_alone) args.wish.data = {stamp: [stamp()], wish: [""]}
    label_flow()
    if (!had_way) return
    set_seen("hidden")
    args.start_glyph.setv({fill_alpha: start_alpha, line_alpha: start_alpha}, {sync: false})
    show(args.moved, {birth: [], death: [], size: [], fill: [], line: [], edge: []})
    show(args.trails, {xs: [], ys: [], alpha: []})
    draw_all()
    layers_of = -1
    take_answer()
  }

  function set_seen(visibility) {
    for (const widget of [args.flow_play, args.scrubber])
      widget.setv({styles: {visibility}}, {sync: false})
  }

  function label_flow() {
    const {flow_button, flow_play} = args
    flow_button.label = way !== null ? "Back to A" : wish !== "" ? "Finding …" : "Let A flow to B"
    // Without a server there is one way, of the pair as it was saved.
    if (args.is_alone) flow_button.disabled = args.way.data.wish[0] !== stamp()
    flow_play.label = flow_play.active ? "❚❚ Hold" : way?.last === step ? "↺ Again" : "▶ Flow"
  }

  // Where all points are at a place of the way, by `between`.
  function positions([k, part]) {
    const {path, count} = way
    const size = 2 * count, start = k * size
    const found = new Float64Array(size)
    for (let i = 0; i < size; i++) {
      const from = path[start + i]
      found[i] = part === 0 ? from : from + part * (path[start + size + i] - from)
    }
    return found
  }

  // Points on the diagonal are none of a diagram: unborn, or dead.
  function place_points() {
    const now = positions(between(way.steps, step))
    const birth = [], death = []
    for (let i = 0; i < now.length; i += 2)
      if (now[i + 1] > now[i]) { birth.push(now[i]); death.push(now[i + 1]) }
    way.now = now
    met = null
    way.points = {data: {birth, death}}
  }

  function go_to_step(wanted) {
    step = Math.max(0, Math.min(way.last, wanted))
    place_points()
    scrub()
    draw_moved()
    draw_curve()
    draw_slice()
  }

  // A hand on the slider stops the flow.
  function hold_at(wanted) {
    args.flow_play.active = false
    go_to_step(wanted)
    label_flow()
  }

  function scrub() {
    scrubbed = Math.round(step)
    if (args.scrubber.value !== scrubbed)
      args.scrubber.setv({value: scrubbed}, {sync: false})
  }

  function flow_on(seconds, sliding) {
    const moment = read_between(way.moments, between(way.steps, step)) + seconds / FLOW_SECONDS
    step = moment >= 1 ? way.last : read_between(way.steps, between(way.moments, moment))
    if (step === way.last) {
      go_to_step(step)
      args.flow_play.active = false
      return
    }
    place_points()
    // A hand that has moved the slider has not been heard yet: it is not to be undone.
    if (sliding && args.scrubber.value === scrubbed) scrub()
    draw_moved()
    // Nobody reads numbers that change in every frame.
    if (turn === 0) draw_curve(false, sliding)
  }

  function play_flow() {
    const {flow_play} = args
    if (way === null) { flow_play.active = false; return }
    if (flow_play.active) {
      if (step === way.last) step = 0
      move()
    } else {
      // At rest it is at a step of the library's.
      go_to_step(Math.round(step))
    }
    label_flow()
  }

  // The points above the diagonal, then their marks on it: the rows of the library's
  // path, with gaps for what is not to be seen. What moves is not clipped by Bokeh.
  function draw_moved() {
    const {now, count} = way
    const {x_range, y_range} = args.plane
    const is_inside = (x, y) =>
      x >= x_range.start && x <= x_range.end && y >= y_range.start && y <= y_range.end
    const with_feet = args.projection_glyphs[0].visible
    const rows = with_feet ? 2 * count : count
    const data = {birth: [], death: [], size: [], fill: [], line: [], edge: []}
    for (let row = 0; row < rows; row++) {
      const i = 2 * (row % count), is_foot = row >= count
      const middle = (now[i] + now[i + 1]) / 2
      const [x, y] = is_foot ? [middle, middle] : [now[i], now[i + 1]]
      const lift = Math.min(1, (now[i + 1] - now[i]) / (FADING * radius()))
      const is_shown = lift > 0 && is_inside(x, y)
      data.birth.push(is_shown ? x : NaN)
      data.death.push(is_shown ? y : NaN)
      data.size.push(is_foot ? 5 : 4 + 5 * lift)
      data.fill.push(is_foot ? 0 : 0.3 + 0.7 * lift)
      data.line.push(is_foot ? lift : 0.3 + 0.7 * lift)
      data.edge.push(is_foot ? args.start_glyph.fill_color.value : "white")
    }
    show(args.moved, data)
    draw_trails()
  }

  // Each piece of all trails is one line with gaps: a stroke of the pen.
  function draw_trails() {
    const pieces = Math.max(1, Math.min(TRAIL_PIECES, Math.floor(MOST_STROKES / way.count)))
    const moment = read_between(way.moments, between(way.steps, step))
    const shortest = 1e-4 * radius()
    const data = {xs: [], ys: [], alpha: []}
    let later = way.now
    for (let piece = 0; piece < pieces; piece++) {
      const before = moment - (piece + 1) * TRAIL / pieces
      const earlier = positions(between(way.moments, Math.max(0, before)))
      const segments = []
      for (let i = 0; i < later.length; i += 2) {
        const segment = [earlier[i], earlier[i + 1], later[i], later[i + 1]]
        if (Math.hypot(segment[2] - segment[0], segment[3] - segment[1]) >= shortest)
          segments.push(segment)
      }
      const {x, y} = polyline(segments)
      data.xs.push(x)
      data.ys.push(y)
      data.alpha.push(0.6 * (1 - piece / pieces))
      if (before <= 0) break
      later = earlier
    }
    show(args.trails, data)
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

  function draw_slice(with_text = true, beside_plane = true) {
    const theta = degrees * Math.PI / 180
    const u = direction(theta)
    const pa = projections(first(), u), pb = projections(b, u)
    const shift = anchor() * (u[0] + u[1])
    const at = (t) => [anchor() + (t - shift) * u[0], anchor() + (t - shift) * u[1]]

    show(args.line, polyline([[...at(shift - radius()), ...at(shift + radius())]]))
    for (const [points, p, target] of [[first(), pa, args.rays[0]], [b, pb, args.rays[1]]]) {
      const {birth, death} = points.data
      if (args.ray_glyphs[0].visible)
        show(target, polyline(far_points(points).map((k) => [birth[k], death[k], ...at(p.own[k])])))
    }
    if (!beside_plane) return

    const source = joined(pa.own, pb.middle).sort(), target = joined(pb.own, pa.middle).sort()
    const costs = source.map((t, k) => Math.abs(t - target[k]))
    const total = costs.reduce((sum, x) => sum + x, 0)
    // Of many links, those that carry most of the cost.
    const drawn = greatest(costs, is_many() ? DRAWN : costs.length)
    const links = {x: new Float64Array(3 * drawn.length), y: new Float64Array(3 * drawn.length)}
    drawn.forEach((k, place) => {
      links.x.set([source[k] - shift, target[k] - shift, NaN], 3 * place)
      links.y.set([1, 0, NaN], 3 * place)
    })
    show(args.links, links)
    for (const [name, p, own_level] of [["A", pa, 1], ["B", pb, 0]]) {
      draw_on_line(args.own[name], args.own_density[name], p.own, own_level, shift)
      draw_on_line(args.middle[name], args.middle_density[name], p.middle, 1 - own_level, shift)
    }
    const steps = staircase(source, target, shift, dust())
    if (steps.highest > steps_height) {
      // The axis only grows while the line turns: it must not jump about.
      steps_height = steps.highest
      args.step_range.setv({start: -steps_height - 0.5, end: steps_height + 0.5}, {sync: false})
    }
    show(args.steps, {t: steps.t, g: steps.g})
    show(args.cursor, {theta: [theta], w: [total], low: [0]})
    mark_bar(theta)
    mark_meeting(shift, u)
    // Once round the half circle is once round the full one, twice as fast.
    if (args.polar_figure.visible)
      show(args.polar_cursor, {x: [0, total * u[0]], y: [0, total * u[1]]})
    const time = performance.now()
    if (with_text || !flows() || time - last_read > READ_MILLISECONDS) {
      last_read = time
      write("slice", number(total), {for_good: with_text})
    }
  }

  const is_many = () => first().data.birth.length + b.data.birth.length > args.many

  // The points whose rays are drawn: all, or those of greatest persistence.
  function far_points(points) {
    if (!is_many()) return Array.from(points.data.birth.keys())
    if (!far.has(points.data)) {
      const {birth, death} = points.data
      far.set(points.data, greatest(Array.from(death, (d, k) => d - birth[k]), DRAWN))
    }
    return far.get(points.data)
  }

  // Marks on one of the two levels of the laid-flat line; many of them as a hill, the
  // higher the more they are, away from the links.
  function draw_on_line(marks, density, values, level, shift) {
    const many = is_many()
    const shown = many ? [] : Array.from(values, (t) => t - shift)
    if (!many || marks.data.t.length > 0)
      show(marks, {t: shown, y: new Float64Array(shown.length).fill(level)})
    if (!many && density.data.t.length === 0) return
    if (!many) { show(density, {t: [], y: []}); return }
    const bins = new Float64Array(BINS), width = 2 * radius() / BINS
    for (const value of values) {
      const bin = Math.floor((value - shift + radius()) / width)
      bins[Math.max(0, Math.min(BINS - 1, bin))] += 1
    }
    const t = [-radius()], y = [level], up = level === 1 ? 1 : -1
    const usual = 4 * values.length / BINS
    bins.forEach((count, bin) => {
      const height = level + up * 0.4 * (1 - Math.exp(-count / usual))
      t.push(-radius() + bin * width, -radius() + (bin + 1) * width)
      y.push(height, height)
    })
    t.push(radius())
    y.push(level)
    show(density, {t, y})
  }

  // The bar of the direction that the line stands at, if it is one of the M.
  function mark_bar(theta) {
    const {left, right, theta: angles, top} = args.bars.data
    const now = angles.findIndex((angle) => Math.abs(angle - theta) < SAME_ANGLE)
    if (now === bar) return
    bar = now
    const only = (values) => now < 0 ? [] : [values[now]]
    show(args.bar_now, {left: only(left), right: only(right), top: only(top)})
  }

  function mark_meeting(shift, u) {
    if (met !== null && Math.abs(met.degrees - degrees) > 1e-9) met = null
    if (met === null && args.meeting.data.t.length === 0) return
    if (met === null) {
      show(args.meeting, {t: [], y: []})
      show(args.meeting_points, {x: [], y: []})
      return
    }
    const {p, q, level} = met
    show(args.meeting, {t: [p[0] * u[0] + p[1] * u[1] - shift], y: [level]})
    show(args.meeting_points, polyline([[...p, ...q]]))
  }

  // The curve has a value a degree: between them one looks closer.
  function find_dearest(thetas, w) {
    let best = 0
    for (let k = 1; k < w.length; k++) if (w[k] > w[best]) best = k
    if (!(w[best] > dust())) return null
    let low = thetas[Math.max(0, best - 1)], high = thetas[Math.min(w.length - 1, best + 1)]
    for (let look = 0; look < 24; look++) {
      const [p, q] = [low + (high - low) / 3, high - (high - low) / 3]
      if (cost(first(), b, p) < cost(first(), b, q)) low = p
      else high = q
    }
    const theta = (low + high) / 2, found = cost(first(), b, theta)
    const [angle, most] = found > w[best] ? [theta, found] : [thetas[best], w[best]]
    return {theta: angle, w: most, degrees: angle * 180 / Math.PI}
  }

  function mark_dearest(thetas, w) {
    dearest = find_dearest(thetas, w)
    if (dearest === null) {
      show(args.highest, {theta: [], w: [], text: [], align: [], shift: []})
      return
    }
    // Beside the mark, on the side where there is room.
    const is_left = dearest.theta < 0
    show(args.highest, {
      theta: [dearest.theta],
      w: [dearest.w],
      text: [`costliest: ${dearest.degrees.toFixed(1)}°`],
      align: [is_left ? "left" : "right"],
      shift: [is_left ? 11 : -11],
    })
  }

  function draw_curve(for_good = true, with_numbers = true) {
    const thetas = args.curve.data.theta
    const w = Float64Array.from(thetas, (theta) => cost(first(), b, theta))
    show(args.curve, {theta: thetas, w})
    if (args.polar_figure.visible || for_good) {
      const x = [], y = []
      for (const sign of [1, -1])
        for (let k = 0; k < w.length; k++) {
          x.push(sign * w[k] * Math.cos(thetas[k])); y.push(sign * w[k] * Math.sin(thetas[k]))
        }
      show(args.polar, {x, y})
    }
    const angles = setting.data.thetas[0]
    const top = angles.map((theta) => cost(first(), b, theta))
    const width = Math.PI / angles.length
    // The paper's sum has each angle at the left of its cell.
    const before = setting.data.rule[0] === "paper" ? 0 : width / 2
    // What moves is not clipped by Bokeh.
    const inside = (theta) => Math.max(-Math.PI / 2, Math.min(Math.PI / 2, theta))
    const left = angles.map((theta) => inside(theta - before))
    const right = angles.map((theta) => inside(theta - before + width))
    show(args.bars, {left, right, theta: angles, top})
    bar = -2
    mark_bar(degrees * Math.PI / 180)
    if (for_good) mark_dearest(thetas, w)
    else if (dearest !== null) show(args.highest, {...args.highest.data, w: [NaN]})
    const highest = Math.max(...w, ...top)
    // With room for a word above it.
    const end = highest > dust() ? 1.3 * highest : 1
    // While A flows the axes stay, for the curve to be seen sinking.
    if (way === null || end > args.cost_range.end) {
      args.cost_range.setv({start: 0, end}, {sync: false})
      for (const range of args.polar_ranges) range.setv({start: -end, end}, {sync: false})
    }
    if (with_numbers) write_distances(for_good)
  }

  function draw_layers(matching, segments) {
    const ends = ([x0, y0, x1, y1]) => ({x0, y0, x1, y1})
    show(args.matching, ends(matching))
    const weight = segments[4]
    const color = weight.map((w) => w > 0 ? args.segment_colors[0] : args.segment_colors[1])
    show(args.segments, {...ends(segments), color, weight})
  }

  function take_answer() {
    const {data} = args.answer
    // Of this pair, as it is or as it was a moment ago in a drag that goes on: layers
    // may trail behind a moving point, numbers may not.
    const [of_base, of_edit] = (data.stamp[0] ?? "").split("+")
    const edit = Number(of_edit ?? 0)
    if (way === null && of_base === base && edit <= edits && edit >= layers_of) {
      layers_of = edit
      draw_layers(data.matching[0], data.segments[0])
    }
    write_distances()
  }

  function draw_projections() {
    for (const [points, target] of [[a, args.diagonal_a], [b, args.diagonal_b]]) {
      // Those of moved points move with them.
      if (points === a && way !== null) continue
      const {birth, death} = points.data
      const x = Float64Array.from(birth, (value, k) => (value + death[k]) / 2)
      show(target, {x, y: x})
    }
    count_points()
  }

  // Points in one place look like one: a number says how many they are.
  function count_points() {
    const data = {x: [], y: [], text: [], color: [], shift: []}
    for (const [points, color, shift] of [[a, args.start_glyph, 7], [b, args.end_glyph, -7]]) {
      const places = new Map()
      const {birth, death} = points.data
      for (let k = 0; k < birth.length; k++) {
        const place = `${birth[k]} ${death[k]}`
        const known = places.get(place)
        if (known === undefined) places.set(place, [birth[k], death[k], 1])
        else known[2] += 1
      }
      const several = Array.from(places.values()).filter(([_, __, count]) => count > 1)
      several.sort((p, q) => q[2] - p[2])
      for (const [x, y, count] of several.slice(0, MOST_COUNTED)) {
        data.x.push(x)
        data.y.push(y)
        data.text.push(`×${count}`)
        data.color.push(color.fill_color.value)
        data.shift.push(shift)
      }
    }
    if (data.x.length > 0 || args.counts.data.x.length > 0) show(args.counts, data)
  }

  function draw_all() {
    steps_height = 1
    met = null
    draw_projections()
    if (way !== null) draw_moved()
    draw_curve()
    draw_slice()
  }

  // -- numbers ----------------------------------------------------------------------

  function number(value, digits = 4) {
    if (value <= dust()) return "0"
    return value < 1e-3 ? value.toExponential(digits - 1) : value.toPrecision(digits)
  }

  function remind_server() {
    reminder = null
    if (args.answer.data.stamp[0] === stamp()) return
    reminders += 1
    args.reminder.data = {stamp: [stamp()], count: [reminders]}
    reminder = setTimeout(remind_server, PATIENCE_MILLISECONDS)
  }

  function write_distances(for_good = true) {
    const {data} = args.answer
    const is_answered = data.stamp[0] === stamp()
    // Of A and B: the server knows nothing of points on their way.
    const is_known = way === null && is_answered && data.exact[0] !== null
    // A page without a server gets no further answer.
    const is_final = is_answered || args.is_alone
    if (!is_final && reminder === null)
      reminder = setTimeout(remind_server, PATIENCE_MILLISECONDS)
    // Until the server has said it, the curve's mean stands in for the exact distance.
    const exact = is_known ? data.exact[0] : mean(Array.from(args.curve.data.w).slice(0, -1))
    const approximate = mean(args.bars.data.top)
    const sigma = setting.data.sigma[0]
    const about = is_known ? "" : "≈ ", digits = is_known ? 4 : 3
    const ratio = exact > dust() ? about + (approximate / exact).toFixed(digits) : "undefined"
    const kernel = Math.exp(-exact / (2 * sigma * sigma))
    const why = way !== null ? "the curve's mean" : is_final ? "not computed" : "being computed"
    write("approximate", number(approximate), {for_good})
    write("exact", about + number(exact, digits), {note: is_known ? null : why, for_good})
    write("ratio", ratio, {for_good})
    write("d1", is_known ? number(data.d1[0]) : is_final || way !== null ? "–" : "…", {
      note: way === null ? null : "not while A moves", for_good,
    })
    write("kernel", about + (kernel === 0 ? "0" : kernel.toPrecision(digits)), {for_good})
  }

  // Bokeh lays a page out anew when a text changes: once it is drawn, numbers are written
  // past it, and it is told without a sign what it would draw.
  function write(name, text, {note = null, for_good = true} = {}) {
    const box = args.stats[name]
    if (!drawn_numbers[name]?.value.isConnected) {
      const root = Bokeh.index.find_one(box)?.shadow_el
      const [value, words] = [".value", ".note"].map((part) => root?.querySelector(part))
      drawn_numbers[name] = value == null ? null : {value, words}
    }
    const drawn = drawn_numbers[name]
    const [template, usual] = box.tags
    if (drawn !== null) drawn.value.textContent = text
    if (!for_good) return
    if (drawn !== null) drawn.words.textContent = note ?? usual
    const html = template.replace("{value}", text).replace("{note}", note ?? usual)
    if (box.text !== html) box.setv({text: html}, {sync: false, silent: drawn !== null})
  }

  // -- what has happened ------------------------------------------------------------

  // Bokeh gives the handle no name for screen readers.
  for (const [widget, name] of [[slider, "Angle θ in degrees"], [args.scrubber, "Step of the flow"]]) {
    if (named[name]?.isConnected) continue
    named[name] = handle_of(widget)
    named[name]?.setAttribute("aria-label", name)
  }

  if (!listening) {
    listening = true
    document.addEventListener("keydown", on_key)
    // A drag is one edit, however many steps it has.
    document.addEventListener("pointerdown", () => { gesture += 1 }, {capture: true})
  }

  // A layer was switched on, or the plane was moved.
  function draw_anew() {
    if (way !== null) draw_moved()
    if (!play.active) draw_slice()
  }

  // Tables come in any order, and before the figures are on screen.
  if (!started) {
    if (changed === args.plane) has_size = true
    begin()
    return
  }
  if (changed.origin === args.next_change) {
    turn_to_change(1)
  } else if (changed.origin === args.next_direction) {
    turn_to_direction(1)
  } else if (changed.origin === args.dearest) {
    if (dearest !== null) stop_at(dearest.degrees)
  } else if (changed === play) {
    play.label = LABELS[play.active]
    if (!play.active) turn_to(degrees)
    else move()
  } else if (changed === slider) {
    if (slider.value === slid) return
    // A hand on the slider stops the line.
    degrees = slider.value
    play.active = false
    turn_to(degrees)
  } else if (changed === args.flow_button) {
    if (args.flow_button.active === (wish !== "")) return
    if (args.flow_button.active) ask_flow()
    else end_flow()
  } else if (changed === args.flow_play) {
    play_flow()
  } else if (changed === args.scrubber) {
    if (way === null || args.scrubber.value === scrubbed) return
    hold_at(args.scrubber.value)
  } else if (changed === args.way) {
    take_way()
  } else if (changed === args.answer) {
    take_answer()
  } else if (changed === args.pair) {
    take_pair()
  } else if (changed === setting) {
    // A flow is along the directions of its time.
    const angles = setting.data.thetas[0].join()
    if (angles !== directions) end_flow()
    directions = angles
    draw_curve()
  } else if (changed === args.asked_angle) {
    take_asked_angle()
  } else if (changed === a || changed === b) {
    if (!is_edit(changed)) return
    end_flow()
    edits += 1
    keep_above(changed)
    draw_all()
    tell_edit()
    if (args.is_alone) label_flow()
  } else if (changed === args.plane) {
    draw_all()
    take_answer()
  } else if (changed === args.shown) {
    take_shown()
    draw_anew()
  } else if (changed === args.motion) {
    take_motion()
  } else if (changed === args.plane.x_range || changed === args.plane.y_range) {
    draw_anew()
  }
}
