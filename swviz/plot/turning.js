// Steps through frames that are all in the page. A column that changes holds the values
// of all frames one after the other; `ends` says where each frame's are.
export default ({sources, columns, ends, values, labels, start}) => {
  const slider = document.querySelector("#turn input")
  const [button, output] = document.querySelectorAll("#turn button, #turn output")
  const show = () => {
    const frame = Number(slider.value)
    sources.forEach((source, k) => {
      const from = frame > 0 ? ends[k][frame - 1] : 0
      const now = columns[k].map((name, i) =>
        [name, values[k][i].slice(from, ends[k][frame])])
      source.data = {...source.data, ...Object.fromEntries(now)}
    })
    output.textContent = labels[frame]
  }
  let timer = null
  slider.max = labels.length - 1
  slider.value = start
  slider.addEventListener("input", show)
  button.addEventListener("click", () => {
    clearInterval(timer)
    timer = timer !== null ? null : setInterval(() => {
      slider.value = (Number(slider.value) + 1) % labels.length
      show()
    }, 150)
    button.textContent = timer === null ? "▶" : "⏸"
  })
  // As high as what is in it; a frame of another origin stays as it is.
  const frame = window.frameElement
  if (frame) {
    new ResizeObserver(() => {
      frame.style.height = `${document.documentElement.offsetHeight + 8}px`
    }).observe(document.documentElement)
  }
  show()
}
