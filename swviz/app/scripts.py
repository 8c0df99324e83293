"""Parts of the page that run a script in the browser: its address, and copying.

Scripts are given to the models, not with Panel's `jscallback`: for a single one of
those Panel walks through all models of the page several times at each change of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar
from weakref import WeakKeyDictionary, ref

import panel as pn
import panel_material_ui as pmui
from bokeh.document import Document
from bokeh.model import Model
from bokeh.models import CustomJS
from panel.viewable import Viewable, Viewer

from swviz.app.session import tell
from swviz.app.theme import dialog

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

_ANSWER_WHEN_DRAWN = """
const answer = () => { cb_obj.value_input = cb_obj.value }
if (window.requestIdleCallback) {
  requestIdleCallback(answer, {timeout: 2000})
} else {
  setTimeout(answer, 300)
}
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

_COPY = """
if (navigator.clipboard) {
  navigator.clipboard.writeText(text)
} else {  // pages that are not served over https have no clipboard
  const area = document.createElement("textarea")
  area.value = text
  document.body.appendChild(area)
  area.select()
  document.execCommand("copy")
  area.remove()
}
"""


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


class Pulse(pn.widgets.TextInput):
    """Asks the browser when it has drawn everything; to be put on the page."""

    # Weak, too: a pulse knows its document, which would never be freed.
    _of_documents: ClassVar[WeakKeyDictionary[Document, ref[Pulse]]] = (
        WeakKeyDictionary()
    )

    def __init__(self) -> None:
        super().__init__(visible=False, label="pulse")
        self._asked: list[Callable[[], None]] = []
        self.param.watch(self._answer, "value_input")
        if pn.state.curdoc is not None:
            self._of_documents[pn.state.curdoc] = ref(self)

    @classmethod
    def of(cls, document: Document) -> Pulse | None:
        """Return the pulse on a document's page, if there is one.

        Parameters
        ----------
        document : bokeh.document.Document

        Returns
        -------
        Pulse or None
        """
        return cls._of_documents.get(document, lambda: None)()

    def ask(self, function: Callable[[], None]) -> None:
        """Call a function when what was sent before has been drawn.

        Parameters
        ----------
        function : callable
        """
        self._asked.append(function)
        self.value = str(int(self.value or 0) + 1)

    def _answer(self, event: Any) -> None:
        if event.new == self.value:
            asked, self._asked = self._asked, []
            for function in asked:
                function()

    def _get_model(self, *where: Any, **more: Any) -> Model:
        model = super()._get_model(*where, **more)
        model.js_on_change("value", CustomJS(code=_ANSWER_WHEN_DRAWN))
        return model


class CopyButton(pmui.Button):
    """Copies a text in the browser.

    Parameters
    ----------
    text : str
        Its JavaScript expression.
    sources : dict of str to widget, optional
        Widgets that the expression names; on the page before this button.
    warning : callable, optional
        Returns what to say about the text that was copied, if anything.
    **options
        Further parameters of the button.
    """

    def __init__(
        self,
        text: str,
        sources: dict[str, Viewable] | None = None,
        warning: Callable[[], str] | None = None,
        **options: Any,
    ) -> None:
        self._code, self._sources = f"const text = {text}{_COPY}", sources or {}
        self._warning = warning
        super().__init__(**options)
        self.on_click(self._tell)

    def _tell(self, _event: object) -> None:
        warning = "" if self._warning is None else self._warning()
        if warning:
            tell(f"Copied. {warning}", "warning")
        else:
            tell("Copied.", "success", 3)

    def _get_model(self, doc: Document, root: Model | None = None, *more: Any) -> Model:
        model = super()._get_model(doc, root, *more)
        reference = (root or model).ref["id"]
        arguments = {
            name: part._models[reference][0] for name, part in self._sources.items()
        }
        model.js_on_event("dom_event", CustomJS(args=arguments, code=self._code))
        return model


class PythonDialog(Viewer):
    """The lines that reproduce what is on show, to be copied; open from the start."""

    def __init__(self, lines: str) -> None:
        super().__init__()
        self._code = pmui.TextAreaInput(
            label="Python",
            value=lines,
            rows=16,
            sizing_mode="stretch_width",
            sx={"& textarea": {"fontFamily": "monospace", "fontSize": "0.85rem"}},
        )
        copy = CopyButton(
            "area.data.value", {"area": self._code}, label="Copy", icon="content_copy"
        )
        self._dialog = dialog(
            self._code, copy, title="What is on screen, with the library"
        )

    @property
    def lines(self) -> str:
        """What the dialog shows."""
        return str(self._code.value)

    @property
    def open(self) -> bool:
        """Whether it is on screen."""
        return bool(self._dialog.open)

    def show(self, lines: str) -> None:
        """Open with these lines."""
        self._code.value = lines
        self._dialog.open = True

    def __panel__(self) -> pmui.Dialog:
        return self._dialog
