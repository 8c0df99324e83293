// Writes a figure as PNG or SVG, or the data of its layers as CSV, without the server.
export default ({plot, kind, filename}, _action, _data, {index}) => {
  const give = (blob) => {
    const link = document.createElement("a")
    link.href = URL.createObjectURL(blob)
    link.download = `${filename}.${kind}`
    link.click()
    URL.revokeObjectURL(link.href)
  }
  const view = index.find_one(plot)
  // A figure without a ground of its own stands on that of the page; a file has none.
  const page = getComputedStyle(view.el).getPropertyValue("--panel-surface-color")
  const paper = plot.border_fill_color == null ? page || "#FFFFFF" : "transparent"
  if (kind === "svg") {
    view.export("svg").to_blob().then(async (blob) => {
      const ground = `<rect width="100%" height="100%" fill="${paper}"/>`
      const text = (await blob.text()).replace(/<svg[^>]*>/, (start) => start + ground)
      give(new Blob([text], {type: blob.type}))
    })
    return
  }
  if (kind === "png") {
    view.export("png").to_blob().then(createImageBitmap).then((drawn) => {
      const canvas = document.createElement("canvas")
      canvas.width = drawn.width
      canvas.height = drawn.height
      const pen = canvas.getContext("2d")
      pen.fillStyle = paper
      pen.fillRect(0, 0, canvas.width, canvas.height)
      pen.drawImage(drawn, 0, 0)
      canvas.toBlob(give)
    })
    return
  }
  const cell = (value) => {
    const text = value == null ? "" : String(value)
    // A leading sign of a formula would be run by a spreadsheet; numbers may keep it.
    const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  }
  // A source that several layers draw is written once, by the name of its first layer.
  const sources = new Map()
  for (const layer of plot.renderers) {
    const source = layer.data_source
    if (source == null || !layer.visible || sources.has(source)) continue
    sources.set(source, layer.name ?? layer.glyph.type)
  }
  const columns = [...new Set([...sources.keys()].flatMap((source) => source.columns()))]
  const rows = [["layer", ...columns]]
  for (const [source, name] of sources) {
    const length = source.get_length() ?? 0
    for (let row = 0; row < length; row++) {
      rows.push([name, ...columns.map((column) => source.get_column(column)?.[row])])
    }
  }
  const text = rows.map((row) => row.map(cell).join(",")).join("\r\n")
  give(new Blob([text + "\r\n"], {type: "text/csv"}))
}
