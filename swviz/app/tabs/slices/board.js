// Figures of Slices in a document of their own: the server has made them once for all
// pages, and knows nothing of them. Tables go in and out by the component's properties.
const INTO = ["pair", "setting", "asked_angle", "answer", "way", "shown", "motion"]
const OUT_OF = ["edited", "rest", "undone", "reminder", "wish"]

// Panel may render a component again: the figures stay what they are.
const boards = new WeakMap()

async function make(model, element) {
  const item = JSON.parse(model.figures)
  await Bokeh.embed.embed_item(item, element)
  const inner = Bokeh.documents.find((one) => one.get_model_by_id(item.root_id) != null)
  for (const name of INTO) {
    const table = inner.get_model_by_name(name)
    const take = () => { table.data = {...model[name]} }
    model.on(name, take)
    take()
  }
  const said = new Map(OUT_OF.map((name) => [inner.get_model_by_name(name), name]))
  inner.on_change(({model: changed, attr}) => {
    const name = said.get(changed)
    if (name !== undefined && attr === "data") model[name] = {...changed.data}
  })
  const figures = [...inner.all_models].filter(({type}) => type === "Figure")
  const stop = follow_mode((mode) => paint(figures, model.modes[mode]))
  model.on("remove", () => {
    stop()
    for (const root of inner.roots()) inner.remove_root(root)
  })
  document.dispatchEvent(new Event("swviz-drawn"))
}

export function render({model, view}) {
  let element = boards.get(view.model)
  if (element === undefined) {
    element = document.createElement("div")
    element.style.cssText = "width: 100%"
    boards.set(view.model, element)
    // A figure has no size before it is on the page.
    requestAnimationFrame(() => make(model, element))
  }
  return element
}
