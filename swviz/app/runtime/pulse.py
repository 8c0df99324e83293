"""Learning when the browser has drawn what it was sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar
from weakref import WeakKeyDictionary, ref

import panel as pn
from bokeh.document import Document
from bokeh.model import Model
from bokeh.models import CustomJS

_ANSWER_WHEN_DRAWN = """
const answer = () => { cb_obj.value_input = cb_obj.value }
if (window.requestIdleCallback) {
  requestIdleCallback(answer, {timeout: 2000})
} else {
  setTimeout(answer, 300)
}
"""


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
