"""What was found in files, before it is used: its classes and its dimension."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import panel as pn
import panel_material_ui as pmui
import param

from swviz.app.runtime.session import tell
from swviz.app.ui.tables import table
from swviz.app.ui.theme import caption, flow, heading_line, plain_text, stack
from swviz.app.workspace.reading import (
    NONE,
    TYPED,
    Part,
    guess_dimension,
    in_dimension,
    is_undecided,
    label_choices,
    sample_names,
)

Use = Callable[[Sequence[Part], list[str] | None], None]
DIMENSIONS = (0, 1, 2, 3)
_SHOWN_CLASSES = 6


class Preview(pn.viewable.Viewer):
    """Samples with their classes, to be changed before they are used.

    Parameters
    ----------
    parts : sequence of (str, DiagramSet)
        At least one.
    use, add : callables
        Called with the parts, in the dimension that was chosen, and the labels: to show
        them alone, or with what is on show.
    discard : callable
        Called if they are not wanted.
    """

    labels = param.List(default=None, allow_None=True, doc="The class of each sample.")
    summary = param.String(default="")
    note = param.String(default="", doc="What was taken for granted.")

    def __init__(
        self,
        parts: Sequence[Part],
        use: Use,
        add: Use,
        discard: Callable[[], None],
        **params: Any,
    ) -> None:
        super().__init__(**params)
        self.parts = list(parts)
        self._use, self._add, self._discard = use, add, discard
        self.choices = label_choices(parts)
        self.classes = pmui.Select(
            label="Classes from",
            options=[*self.choices, TYPED],
            value=next(iter(self.choices)),
            width=220,
            size="small",
            margin=(8, 8),
        )
        undecided = [part for part in parts if is_undecided(part[1])]
        self.dimension: pmui.Select | None = None
        if undecided:
            guess, self._reason = guess_dimension(undecided)
            self.dimension = pmui.Select(
                label="Dimension if not stated",
                options={f"H{k}": k for k in DIMENSIONS},
                value=guess,
                width=180,
                size="small",
                margin=(8, 8),
            )
            self.dimension.param.watch(self._dimension_chosen, "value")
        self._undecided = [name for name, _ in undecided]
        self.table = table(
            self._frame(),
            page_size=8,
            layout="fit_columns",
            sortable=False,
            editors={"sample": None, "points": None, "class": {"type": "input"}},
            disabled=False,
        )
        self._take_choice()
        self._write_note()
        self.classes.param.watch(self._take_choice, "value")
        self.table.on_edit(self._typed)

    def __panel__(self) -> pn.Column:
        fields = [self.classes]
        if self.dimension is not None:
            fields.append(self.dimension)
        return stack(
            heading_line("Found, and not in use yet"),
            plain_text(self.param.summary),
            flow(
                *fields,
                pmui.Button(
                    label="Use this set",
                    icon="check",
                    margin=(10, 8),
                    on_click=lambda _event: self.use(),
                ),
                pmui.Button(
                    label="Add to the set on show",
                    icon="playlist_add",
                    variant="outlined",
                    margin=(10, 8),
                    on_click=lambda _event: self.add(),
                ),
                pmui.Button(
                    label="Discard",
                    variant="text",
                    margin=(10, 0),
                    on_click=lambda _event: self._discard(),
                ),
                gap=0,
            ),
            plain_text(self.param.note, font_size="0.875rem"),
            self.table,
            caption("Click a class to type another one."),
            margin=(6, 8),
        )

    @property
    def settled(self) -> list[Part]:
        """The files, those that do not say a dimension in the one that was chosen."""
        if self.dimension is None:
            return self.parts
        return [
            (name, in_dimension(part, self.dimension.value))
            if is_undecided(part)
            else (name, part)
            for name, part in self.parts
        ]

    def use(self) -> None:
        """Hand the samples over, with their classes, to be shown alone."""
        self._hand_to(self._use)

    def add(self) -> None:
        """Hand the samples over, with their classes, to be added to what is on show."""
        self._hand_to(self._add)

    def _hand_to(self, take: Use) -> None:
        labels = None if self.labels is None else [text.strip() for text in self.labels]
        if labels is not None and not any(labels):
            labels = None
        if labels is not None and (missing := labels.count("")):
            tell(
                f"{missing} of {len(labels)} diagrams have no class: type one for each "
                f'in the table, or choose "{NONE}" under "{self.classes.label}".',
                "warning",
            )
            return
        take(self.settled, labels)

    def _take_choice(self, *_events: object) -> None:
        if self.classes.value == TYPED:
            # What is in the table stays, to be changed there.
            return
        self.labels = self.choices[self.classes.value]
        self._show_labels()

    def _typed(self, event: Any) -> None:
        if event.column != "class":
            return
        labels = [""] * len(self.table.value) if self.labels is None else [*self.labels]
        labels[event.row] = str(event.value or "")
        self.labels = labels
        self.classes.value = TYPED
        self._describe()

    def _dimension_chosen(self, _event: object) -> None:
        self._reason = "as chosen"
        self._write_note()
        self._show_labels()

    def _show_labels(self) -> None:
        self.table.value = self._frame()
        self._describe()

    def _frame(self) -> pd.DataFrame:
        counts = [
            ", ".join(
                f"{len(part.in_dimension(k)[row])} in H{k}" for k in part.dimensions
            )
            for _, part in self.settled
            for row in range(len(part))
        ]
        return pd.DataFrame(
            {
                "sample": sample_names(self.parts),
                "points": counts,
                "class": self.labels or [""] * len(counts),
            },
            dtype=object,
        )

    def _describe(self) -> None:
        count = sum(len(part) for _, part in self.parts)
        files = f" in {len(self.parts)} files" if len(self.parts) > 1 else ""
        sizes = Counter(label for label in self.labels or () if label.strip())
        listed = [f"{label} ({n})" for label, n in sizes.most_common(_SHOWN_CLASSES)]
        if len(sizes) > _SHOWN_CLASSES:
            listed.append(f"and {len(sizes) - _SHOWN_CLASSES} more")
        classes = (
            f"{len(sizes)} classes: {', '.join(listed)}" if sizes else "no classes"
        )
        self.summary = f"{count} diagram{'s' * (count != 1)}{files}, {classes}."

    def _write_note(self) -> None:
        notes = []
        if self.dimension is not None:
            some = self._undecided
            which = some[0] if len(some) == 1 else f"{len(some)} files"
            notes.append(
                f"{which} {'does' if len(some) == 1 else 'do'} not say the homology "
                f"dimension: taken as H{self.dimension.value}, {self._reason}."
            )
        # Counted by the reader, or anything in a file that says it was saved here.
        counts = [part.provenance.get("n_essential") for _, part in self.parts]
        left_out = sum(count for count in counts if isinstance(count, int))
        if left_out == 1:
            notes.append("1 point that never dies was left out.")
        elif left_out > 1:
            notes.append(f"{left_out} points that never die were left out.")
        self.note = " ".join(notes)
