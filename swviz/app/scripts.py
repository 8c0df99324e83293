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
// A change of tab is a step of the browser's history, all else is not. While the server
// has not followed a step back or forward, what it writes belongs to older steps.
const tab = new URLSearchParams(cb_obj.value).get("tab")
const {tab: before, wanted, since} = window.history.state ?? {}
const follows = wanted != null && wanted !== tab && Date.now() - since < 5000
const is_step = before != null && before !== tab && !follows
const state = follows ? {tab, wanted, since} : {tab}
window.history[is_step ? "pushState" : "replaceState"](state, "", cb_obj.value)
"""

_HEAR_HISTORY = """
window.addEventListener("popstate", () => {
  const {tab} = window.history.state ?? {}
  if (tab == null) return
  window.history.replaceState({tab, wanted: tab, since: Date.now()}, "")
  address.value_input = `${tab} ${Date.now()}`
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
        self.param.watch(lambda event: go_back(event.new.split(" ")[0]), "value_input")

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
