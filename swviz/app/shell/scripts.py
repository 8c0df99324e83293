"""A script that runs in the browser when the server does not answer."""

WAIT_FOR_SERVER = """
// The bar stands in the page's template. Sessions end with their server: the way back
// is a reload, at the address that has the state. A small file tells whether one
// answers; a session that ends as soon as it begins must not reload without a pause.
const bar = document.getElementById("gone")
if (bar.matches(":popover-open")) return
bar.showPopover()
const file = document.querySelector("link[rel=icon]").href
const button = bar.querySelector("button")
let timer = null
const look = async () => {
  clearTimeout(timer)
  button.disabled = true
  const is_there = await fetch(file, {cache: "no-store"}).then(
    (answer) => answer.ok, () => false
  )
  button.disabled = false
  if (is_there) window.location.reload()
  else timer = setTimeout(look, 1500)
}
button.addEventListener("click", look)
timer = setTimeout(look, performance.now() < 10000 ? 5000 : 1000)
"""
"""For the page, when the server does not answer any more."""
