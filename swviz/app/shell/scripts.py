"""Parts of the page that run a script in the browser: its address, and copying.

Scripts are given to the models, not with Panel's `jscallback`: for a single one of
those Panel walks through all models of the page several times at each change of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
from bokeh.document import Document
from bokeh.model import Model
from bokeh.models import CustomJS

_SHOW_ADDRESS = """
// A change of tab is a step of the browser's history, all else is not. What the server
// wrote before it heard of the last step back or forward belongs to another entry.
const [query, heard = "0"] = cb_obj.value.split(" ")
const [sent] = (cb_obj.value_input || "0").split(" ")
if (heard !== sent) return
const tab = new URLSearchParams(query).get("tab")
const before = window.history.state?.tab
const way = before == null || before === tab ? "replaceState" : "pushState"
window.history[way]({tab}, "", query)
"""

_HEAR_HISTORY = """
let steps = 0
window.addEventListener("popstate", () => {
  const tab = window.history.state?.tab
  if (tab == null) return
  steps += 1
  address.value_input = `${steps} ${tab}`
})
"""


HEAR_ALL_CHANGES = """
// Panel's React components read the values of their model when they are rendered, and
// begin to follow it a moment later, on a busy page a second. They would show for good
// what has changed in between: let each look once more when it begins to follow.
for (const model of Bokeh.documents[0]._all_models.values()) {
  let owner = model
  while (owner != null && !Object.hasOwn(owner, "watch")) {
    owner = Object.getPrototypeOf(owner)
  }
  if (owner == null || !("_esm_watchers" in model)) continue
  if (!owner.watch.hears_all) {
    const watch = owner.watch
    owner.watch = function(view, property, callback, of_react = false) {
      watch.call(this, view, property, callback, of_react)
      if (of_react) callback()
    }
    owner.watch.hears_all = true
  }
  break
}
"""
"""For the page, when it is ready."""

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


class Address(pn.widgets.TextInput):
    """What the browser shows as the page's address; tabs are steps of its history.

    Parameters
    ----------
    go_back : callable
        Takes the tab to which the browser's Back or Forward leads.
    """

    def __init__(self, go_back: Callable[[str], None]) -> None:
        super().__init__(visible=False, label="address")
        self._go_back = go_back
        self._heard = ""
        self.param.watch(self._hear, "value_input")

    def show(self, query: str) -> None:
        """Let the browser show the state.

        Parameters
        ----------
        query : str
            Without spaces, as URLs are.
        """
        self.value = f"{query}{self._heard}"

    def _hear(self, event: Any) -> None:
        step, _, tab = str(event.new).partition(" ")
        self._heard = f" {step}"
        self._go_back(tab)

    def _get_model(self, doc: Document, *where: Any, **more: Any) -> Model:
        model = super()._get_model(doc, *where, **more)
        model.js_on_change("value", CustomJS(code=_SHOW_ADDRESS))
        doc.js_on_event(
            "document_ready", CustomJS(args={"address": model}, code=_HEAR_HISTORY)
        )
        return model
