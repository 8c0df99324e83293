// A place to drop files and folders on, or to choose them. Every file is told of by its
// name, also one that is empty, too large or cannot be read.
const PART = 8_000_000

export function render({model, el}) {
  const zone = document.createElement("div")
  zone.className = "zone"
  const choose = (text, folder) => {
    const button = document.createElement("label")
    const input = document.createElement("input")
    input.type = "file"
    input.multiple = true
    input.webkitdirectory = folder
    if (!folder) input.accept = model.accept
    input.addEventListener("change", () => {
      const chosen = [...input.files]
        .map((file) => ({file, name: file.webkitRelativePath || file.name}))
      // So that the same file can be chosen again.
      input.value = ""
      send(chosen)
    })
    button.append(input, text)
    return button
  }
  const invitation = document.createElement("span")
  invitation.textContent = model.label
  const state = document.createElement("span")
  state.className = "state"
  state.setAttribute("role", "status")
  zone.append(invitation, choose("Choose files", false))
  if (model.folders) zone.append(choose("Choose a folder", true))
  zone.append(state)
  el.append(zone)

  let batch = 0
  async function send(found) {
    const own = ++batch
    // First a change of a property: an event that is the first word about a new model
    // would carry all of it, and the server warns that it knows the model already.
    model.batches = own
    // Folders hold files of the system that nobody means to upload.
    const meant = found.filter(({name}) => !name.includes("/."))
    meant.sort((a, b) => a.name.localeCompare(b.name, undefined, {numeric: true}))
    const files = meant.slice(0, model.max_files)
    model.send_msg({kind: "begin", batch: own, left_out: meant.length - files.length})
    for (const [place, {file, name}] of files.entries()) {
      if (own !== batch) return
      state.textContent = `Sending ${place + 1} of ${files.length}`
      const about = {kind: "part", batch: own, place, name, size: file?.size ?? null}
      if (file === null || file.size > model.max_bytes) {
        model.send_msg({...about, data: null})
        continue
      }
      // An empty file has one part, too.
      for (let start = 0; start === 0 || start < file.size; start += PART) {
        try {
          const data = await file.slice(start, start + PART).arrayBuffer()
          model.send_msg({...about, data})
        } catch {
          model.send_msg({...about, data: null})
          break
        }
      }
    }
    if (own !== batch) return
    state.textContent = ""
    model.send_msg({kind: "end", batch: own})
  }

  async function walk(entry, path, found) {
    // One more than are taken, so that it can be told that there are more.
    if (found.length > model.max_files) return
    // Or hidden files of a folder, which are not sent, take the place of others.
    if (path !== "" && entry.name.startsWith(".")) return
    const name = path + entry.name
    try {
      if (entry.isFile) {
        found.push({file: await new Promise((yes, no) => entry.file(yes, no)), name})
        return
      }
      const reader = entry.createReader()
      for (;;) {
        const some = await new Promise((yes, no) => reader.readEntries(yes, no))
        if (some.length === 0) return
        for (const part of some) await walk(part, `${name}/`, found)
      }
    } catch {
      // The server tells of it, as of a file that turns out to be unreadable later.
      found.push({file: null, name})
    }
  }

  zone.addEventListener("dragover", (event) => {
    event.preventDefault()
    zone.classList.add("over")
  })
  zone.addEventListener("dragleave", () => zone.classList.remove("over"))
  zone.addEventListener("drop", async (event) => {
    event.preventDefault()
    zone.classList.remove("over")
    // Before anything is waited for: the list is emptied when the event has ended.
    const entries = [...event.dataTransfer.items]
      .map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry != null)
    const plain = [...event.dataTransfer.files].map((file) => ({file, name: file.name}))
    const found = []
    for (const entry of entries) await walk(entry, "", found)
    send(entries.length > 0 ? found : plain)
  })
}
