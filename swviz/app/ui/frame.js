// In a cell of a notebook: puts the live view into the place of its picture, if the
// browser reaches the kernel, and if that still has the view; or else a page that does
// without, where there is one. Has: place, the element of the picture, and port, key and
// title of the view.

// Pages from elsewhere have a kernel elsewhere, or none: browsers ask their users before
// such a page may look for servers on this machine.
const here = ["localhost", "127.0.0.1", "[::1]", ""].includes(location.hostname)
  || location.protocol === "vscode-webview:"
const roots = here ? [`http://127.0.0.1:${port}/`] : []
const config = document.getElementById("jupyter-config-data")?.textContent
const base = config ? JSON.parse(config).baseUrl : document.body.dataset.baseUrl
if (base) {
  // Where jupyter-server-proxy leads to ports of the kernel's machine.
  roots.push(new URL(`${base}proxy/${port}/`, location.href).href)
}

async function find() {
  for (const root of roots) {
    try {
      const answer = await fetch(`${root}alive/${key}`, {cache: "no-store"})
      if (answer.status === 204) return root
    } catch {
      // Nobody is there.
    }
  }
  return null
}

function show(root) {
  const frame = document.createElement("iframe")
  frame.title = title
  frame.src = `${root}view?bokeh-session-id=${key}`
  frame.allow = "fullscreen; clipboard-write"
  // As wide as it will be, or figures would be laid out twice.
  frame.style.cssText = "display:block;width:100%;height:1px;border:0;opacity:0"
  const reveal = (height) => {
    place.querySelector(".swviz-still")?.remove()
    frame.style.opacity = 1
    frame.style.height = `${height}px`
  }
  const late = setTimeout(() => reveal(600), 60000)
  window.addEventListener("message", (event) => {
    const height = event.data?.swviz_height
    if (event.source !== frame.contentWindow || !(height > 0)) return
    clearTimeout(late)
    // No higher than the window, and what is longer scrolls: dialogs and messages are in
    // the middle and at the edge of the frame, and have to be seen.
    const most = Math.min(Math.max(600, 0.9 * window.innerHeight), 1100)
    reveal(Math.ceil(Math.min(height, most)))
  })
  place.append(frame)
}

const root = await find()
const spare = place.querySelector("template")
if (root !== null && place.isConnected) show(root)
else if (root === null && spare !== null) {
  place.querySelector(".swviz-still")?.remove()
  spare.replaceWith(spare.content)
}
