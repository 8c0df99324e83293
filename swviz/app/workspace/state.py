"""What a session looks at: data set, pair, dimension, directions and bandwidth.

Views read and write one :class:`Workspace`; they never talk to each other. It knows
nothing of Panel, every number in it is bounded, and it can be written to and read from
the query of a URL.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import param
from numpy.typing import ArrayLike

from swviz.app.runtime.settings import SETTINGS
from swviz.app.workspace.knobs import TITLES, recipe
from swviz.app.workspace.listing import literal
from swviz.diagrams import Diagram, DiagramSet, as_diagram
from swviz.errors import DiagramError, ParameterError, SwvizError
from swviz.sources import SOURCES

TABS = ("Diagrams", "Slices", "Approximation", "Distortion", "Learn", "Paper")
DEFAULT_SOURCE, DEFAULT_PRESET = "point_clouds", "four shapes"
RULES = ("paper", "diagonal", "random")
_NOT_MADE = ("upload", "drawn")
"""What stands for a source where none made the data set."""

_DIMENSIONS = tuple(map(str, range(11)))
SHARED_POINTS = 60
"""Points of an edited diagram up to which a link carries it."""

MOST_SETTINGS, MOST_CHARACTERS = 50, 100
"""Settings of views that a link may carry, and the length of each."""


WIDTH_SETTINGS = {
    "distortion.t",
    "distortion.rho",
    "distortion.tau",
    "distortion.sigma_d1",
}
"""Bandwidths in a link; see :class:`swviz.app.workspace.kernel_widths.KernelWidths`."""


class Workspace(param.Parameterized):
    """State of one session.

    `diagram_a` and `diagram_b` are the pair that every view shows. Choosing a data set,
    a dimension or a sample sets them; editing points sets them too and raises
    `edited`.
    """

    source = param.Selector(default=DEFAULT_SOURCE, objects=[*SOURCES, *_NOT_MADE])
    preset = param.String(default=DEFAULT_PRESET)
    changes = param.Dict(default={}, doc="What differs from the preset.")
    dataset = param.ClassSelector(class_=DiagramSet, allow_None=False)
    title = param.String(default="")
    dimension = param.Integer(default=1, bounds=(0, 10))
    index_a = param.Integer(default=0, bounds=(0, None))
    index_b = param.Integer(default=1, bounds=(0, None))
    diagram_a = param.Array(default=np.empty((0, 2)))
    diagram_b = param.Array(default=np.empty((0, 2)))
    edited = param.Boolean(default=False)
    called = param.Dict(
        default={},
        doc="What A or B is if it is neither a sample nor edited by hand, such as "
        '{"A": "mean of circle"}.',
    )
    undoable = param.Integer(default=0, doc="How many edits can be taken back.")
    theta = param.Number(default=0.5, bounds=(-math.pi / 2, math.pi / 2))
    n_directions = param.Integer(default=12, bounds=(1, SETTINGS.directions))
    rule = param.Selector(default="paper", objects=list(RULES))
    sigma = param.Number(default=0.5, bounds=(1e-6, 1e6), doc="Of k_SW.")
    tab = param.Selector(default="Slices", objects=list(TABS))
    widths = param.ClassSelector(
        class_=param.Parameterized, doc="Bandwidths of the other kernels, once needed."
    )
    settings = param.Dict(
        default={}, doc="Of single views, as text; see `swviz.app.workspace.links`."
    )
    runs = param.List(
        default=[], doc="What was tried in Learn, the newest first, as rows of a table."
    )
    missing = param.Dict(
        default={},
        doc="What the link of this session names and could not carry: source and title "
        "of a set, or the number of edited points.",
    )

    def __init__(self, dataset: DiagramSet | None = None, **values: Any) -> None:
        if dataset is None:
            dataset = recipe(DEFAULT_SOURCE, DEFAULT_PRESET)()
            values.setdefault("title", title_of(DEFAULT_SOURCE, DEFAULT_PRESET))
            # A circle and a figure eight.
            values.setdefault("index_a", 0)
            values.setdefault("index_b", 30)
        # Two of one class would have little to tell.
        values.setdefault("index_b", _first_other(dataset, values.get("index_a", 0)))
        super().__init__(dataset=dataset, **values)
        self._history: list[tuple[Diagram, Diagram, bool, dict[str, str]]] = []
        self._gesture: int | None = None
        self._fit_to_dataset()

    @classmethod
    def of_pair(cls, A: ArrayLike, B: ArrayLike, **values: Any) -> Workspace:
        """Make a workspace that shows one given pair.

        Parameters
        ----------
        A, B : array-likes of shape (n, 2) and (m, 2)
        **values
            Further parameters.
        """
        if isinstance(A, DiagramSet) or isinstance(B, DiagramSet):
            raise DiagramError(
                "this view takes two diagrams A and B, not a DiagramSet: pass two of "
                "its diagrams, such as SliceView(*data.in_dimension(1)[:2])"
            )
        pair = DiagramSet({1: [as_diagram(A), as_diagram(B)]}, names=("A", "B"))
        values = {"source": "drawn", "title": "two diagrams", **values}
        return cls(pair, index_a=0, index_b=1, **values)

    @classmethod
    def of_set(cls, dataset: DiagramSet | None, **values: Any) -> Workspace:
        """Make a workspace for a view alone; without a set, for the built-in one."""
        if dataset is not None and not isinstance(dataset, DiagramSet):
            raise DiagramError(
                "this view takes a DiagramSet, not "
                f"{type(dataset).__name__}: pass DiagramSet({{1: diagrams}}), with the "
                "homology dimension of the list of diagrams"
            )
        given = {} if dataset is None else {"title": "this set", "source": "upload"}
        return cls(dataset, **given, **values)

    def use(
        self,
        dataset: DiagramSet,
        title: str,
        source: str,
        preset: str = "",
        changes: Mapping[str, Any] | None = None,
        indices: tuple[int, int] | None = None,
    ) -> None:
        """Show another data set.

        Parameters
        ----------
        dataset : DiagramSet
        title : str
        source, preset : str
            Where it came from; a link leads back there.
        changes : mapping, optional
            What differs from the preset; see :mod:`swviz.app.workspace.knobs`.
        indices : tuple of two ints, optional
            Samples to show as A and B, by default the first two of different classes.
        """
        a, b = indices or (0, _first_other(dataset))
        with param.parameterized.batch_call_watchers(self):
            self.param.update(
                dataset=dataset,
                title=title,
                source=source,
                preset=preset,
                changes=dict(changes or {}),
                missing={},
            )
            self.param.update(index_a=a, index_b=b)
            self._fit_to_dataset()

    @param.depends("dataset", "dimension", watch=True)
    def _drop_widths(self) -> None:
        """Forget bandwidths that a link gave for other data."""
        # Once the widths are there, they look after it themselves.
        if self.widths is None and WIDTH_SETTINGS & set(self.settings):
            self.settings = {
                key: text
                for key, text in self.settings.items()
                if key not in WIDTH_SETTINGS
            }

    @param.depends("dimension", "index_a", "index_b", watch=True)
    def _show_pair(self) -> None:
        self._fit_to_dataset()

    @param.depends("dimension", "index_a", "index_b", "edited", watch=True)
    def _miss_no_points(self) -> None:
        """Forget that a link lacked the points of a pair that is not on show now."""
        if "points" in self.missing:
            self.missing = {}

    def _fit_to_dataset(self) -> None:
        """Bring dimension and samples into range and take the pair from the set."""
        last = max(0, len(self.dataset) - 1)
        dimensions = self.dataset.dimensions
        several = self.dataset.in_dimension(
            self.dimension if self.dimension in dimensions else dimensions[-1]
        )
        empty = np.empty((0, 2))
        a, b = min(self.index_a, last), min(self.index_b, last)
        with param.parameterized.batch_call_watchers(self):
            if self.dimension not in dimensions:
                self.dimension = dimensions[-1]
            self.param.update(
                index_a=a,
                index_b=b,
                diagram_a=several[a] if several else empty,
                diagram_b=several[b] if several else empty,
                edited=False,
                called={},
                undoable=0,
            )
        self._history.clear()

    def take(self, name: str, index: int) -> None:
        """Take a sample as A or B; the other stays as it is, also if it is no sample.

        Parameters
        ----------
        name : {"A", "B"}
        index : int
        """
        pair, called = dict(zip("AB", self.pair, strict=True)), dict(self.called)
        own = {"A": "index_a", "B": "index_b"}[name]
        [other] = {"A", "B"} - {name}
        stays = self.is_edited(other) or other in called
        if getattr(self, own) == index:
            self._fit_to_dataset()
        else:
            self.param.update(**{own: index})
        if stays:
            self.put(other, pair[other], called.get(other))

    def put(self, name: str, diagram: ArrayLike, called: str | None = None) -> None:
        """Take a diagram that is no sample as A or B; the other stays as it is.

        Parameters
        ----------
        name : {"A", "B"}
        diagram : array-like of shape (n, 2)
        called : str, optional
            What it is, if it was not edited by hand.
        """
        pair = dict(zip("AB", self.pair, strict=True)) | {name: as_diagram(diagram)}
        self.edit(pair["A"], pair["B"], called={name: called} if called else None)

    def edit(
        self,
        A: ArrayLike,
        B: ArrayLike,
        gesture: int | None = None,
        called: Mapping[str, str] | None = None,
    ) -> None:
        """Show a pair that is not in the data set, such as dragged points.

        Parameters
        ----------
        A, B : array-likes of shape (n, 2) and (m, 2)
        gesture : int, optional
            Edits in a row with the same number, such as the steps of a drag, are taken
            back as one.
        called : mapping of str to str, optional
            What A or B is, if it was not edited by hand. One that stays as it is keeps
            its name.
        """
        first, second = as_diagram(A), as_diagram(B)
        count = len(first) + len(second)
        if count > max(SETTINGS.upload_points, sum(map(len, self.pair))):
            raise ParameterError(
                "too many points: "
                + SETTINGS.exceeded("upload_points", count, "take smaller diagrams")
            )
        if gesture is None or gesture != self._gesture or not self._history:
            self._history.append((*self.pair, self.edited, self.called))
            del self._history[: -SETTINGS.edits]
        self._gesture = gesture
        before = dict(zip("AB", self.pair, strict=True))
        kept = {
            name: self.called[name]
            for name, diagram in (("A", first), ("B", second))
            if name in self.called and np.array_equal(before[name], diagram)
        }
        self.param.update(
            diagram_a=first,
            diagram_b=second,
            edited=True,
            called=kept | dict(called or {}),
            undoable=len(self._history),
        )

    def undo(self) -> None:
        """Take back the last edit, if there is one."""
        if self._history:
            A, B, edited, called = self._history.pop()
            self._gesture = None
            self.param.update(
                diagram_a=A,
                diagram_b=B,
                edited=edited,
                called=called,
                undoable=len(self._history),
            )

    def restore(self) -> None:
        """Take back all edits: show the pair as it is in the data set."""
        self._fit_to_dataset()

    @property
    def pair(self) -> tuple[Diagram, Diagram]:
        """The two diagrams on show."""
        return self.diagram_a, self.diagram_b

    def is_edited(self, name: str) -> bool:
        """Tell whether one diagram of the pair is not the sample it is called.

        Returns
        -------
        bool
            False as well for points that differ by no more than a link rounds them.
        """
        if not self.edited:
            return False
        shown, index = {
            "A": (self.diagram_a, self.index_a),
            "B": (self.diagram_b, self.index_b),
        }[name]
        if index >= len(self.dataset) or self.dimension not in self.dataset.dimensions:
            return True
        sample = self.dataset.in_dimension(self.dimension)[index]
        return shown.shape != sample.shape or not np.allclose(
            shown, sample, rtol=1e-5, atol=0
        )

    def name_of(self, name: str) -> str:
        """Return what A or B is called.

        Parameters
        ----------
        name : {"A", "B"}

        Returns
        -------
        str
            The name of a sample, what else it is, or "edited".
        """
        if name in self.called:
            return str(self.called[name])
        if self.is_edited(name):
            return "edited"
        names = self.dataset.names
        return names[self.index_a if name == "A" else self.index_b] if names else "none"

    def to_query(self) -> dict[str, str]:
        """Return the state as the query of a URL, as short as it can be."""
        query = {
            "tab": self.tab,
            "theta": f"{self.theta:.4f}",
            "M": str(self.n_directions),
            "rule": self.rule,
            "sigma": f"{self.sigma:.6g}",
        }
        if self.source in SOURCES:
            query |= {"source": self.source, "preset": self.preset}
            if self.changes:
                query["with"] = json.dumps(self.changes, separators=(",", ":"))
        else:
            query |= {"source": self.source, "title": self.title[:MOST_CHARACTERS]}
        query |= {
            "dim": str(self.dimension),
            "a": str(self.index_a),
            "b": str(self.index_b),
        }
        if self.stands_in:
            query = {k: v for k, v in query.items() if k not in ("preset", "with")}
        elif self.edited or self.source not in SOURCES:
            if self.link_has_points:
                query["A"] = _pack(self.diagram_a)
                query["B"] = _pack(self.diagram_b)
            else:
                query["points"] = str(len(self.diagram_a) + len(self.diagram_b))
            called = self.called
            if self.source not in SOURCES and self.link_has_points:
                # Whoever opens the link has this pair, and no set to find names in.
                called = {name: self.name_of(name)[:MOST_CHARACTERS] for name in "AB"}
            query |= {
                f"is{name}": text for name, text in called.items() if text != name
            }
        return query | self.missing | self.settings

    @property
    def stands_in(self) -> bool:
        """Whether the set on show only stands in for one that has to be loaded."""
        return "source" in self.missing and self.source in SOURCES

    @property
    def link_has_points(self) -> bool:
        """Whether a link can carry the points of the pair on show."""
        return len(self.diagram_a) + len(self.diagram_b) <= SHARED_POINTS

    def read_query(
        self, query: Mapping[str, str], dataset: DiagramSet | None = None
    ) -> list[str]:
        """Take over what a URL says, value by value.

        Parameters
        ----------
        query : mapping of str to str
        dataset : DiagramSet, optional
            The data set that the query names, if it has been made already.

        Returns
        -------
        list of str
            A sentence for each value that was not usable and has been ignored.
        """
        complaints = []
        pair = missing = None
        if "A" in query or "B" in query:
            try:
                pair = _unpack(query.get("A", "")), _unpack(query.get("B", ""))
            except (ValueError, SwvizError):
                complaints.append("The link's points are not usable.")
        if query.get("source") in _NOT_MADE:
            missing = self._read_not_made(query, pair)
            pair = None
            # Of that set, which is not here.
            query = {k: v for k, v in query.items() if k not in ("dim", "a", "b")}
        elif "source" in query:
            try:
                asked = asked_for(query)
                if dataset is self.dataset:
                    # Nobody has to compute again what they have.
                    a, b = _asked_indices(query, dataset)
                    self.param.update(index_a=a, index_b=b)
                    self.restore()
                else:
                    made = dataset or recipe(*asked)()
                    at = _asked_indices(query, made)
                    self.use(made, title_of(*asked), *asked, indices=at)
            except SwvizError as error:
                complaints.append(f"The link's data set is not known: {error}.")
            if pair is None and query.get("points", "").isdecimal():
                missing = {"points": query["points"][:MOST_CHARACTERS]}
                missing |= {f"is{name}": text for name, text in self._named(query)}
        for key, name, read in (
            ("dim", "dimension", int),
            ("a", "index_a", int),
            ("b", "index_b", int),
            ("theta", "theta", float),
            ("M", "n_directions", int),
            ("rule", "rule", str),
            ("sigma", "sigma", float),
            ("tab", "tab", str),
        ):
            if key not in query:
                continue
            try:
                self.param.update(**{name: read(query[key])})
            except ValueError:
                complaints.append(f"The link's {key} = {query[key]!r} is not usable.")
        if pair is not None:
            self.edit(*pair, called=dict(self._named(query)))
        self.settings = dict(
            [
                (key, text)
                for key, text in query.items()
                if "." in key and len(key) + len(text) <= MOST_CHARACTERS
            ][:MOST_SETTINGS]
        )
        self.missing = missing or {}
        return complaints

    def _named(self, query: Mapping[str, str]) -> list[tuple[str, str]]:
        """Return what a link calls A and B: means of the classes that there are."""
        known = {mean_name(name) for name in self.dataset.class_names or ("",)}
        said = ((name, query.get(f"is{name}")) for name in "AB")
        return [(name, text) for name, text in said if text in known]

    def _read_not_made(
        self, query: Mapping[str, str], pair: tuple[Diagram, Diagram] | None
    ) -> dict[str, str]:
        """Show the pair of a set that only its owner has; return what is missing."""
        source = query["source"]
        title = query.get("title", "")[:MOST_CHARACTERS]
        if pair is not None:
            said = query.get("dim", "")
            dimension = int(said) if said in _DIMENSIONS else 1
            names = [
                query.get(f"is{name}", "")[:MOST_CHARACTERS] or name for name in "AB"
            ]
            self.use(
                DiagramSet({dimension: list(pair)}, names=names),
                f"A pair of {title}" if source == "upload" else title,
                "drawn",
            )
            if source == "drawn":
                return {}
        return {"source": source, "title": title}

    def data_lines(self) -> list[str]:
        """Return the lines that make the data set and the dimension on show."""
        if self.source in SOURCES:
            changed = "".join(f", {k}={literal(v)}" for k, v in self.changes.items())
            made = [
                "data = sw.sources.from_preset(",
                f"    {self.source!r}, {self.preset!r}{changed}",
                ")",
            ]
        else:
            made = ['data = sw.load("diagrams.npz")  # saved from the Diagrams tab']
        return [*made, f"diagrams = data.in_dimension({self.dimension})"]

    def as_python(self) -> str:
        """Return the lines that print the numbers of the pair on show."""
        is_in_set = not self.edited and (
            self.source in SOURCES
            or len(self.diagram_a) + len(self.diagram_b) > SHARED_POINTS
        )
        if is_in_set:
            pair = [
                *self.data_lines(),
                f"A, B = diagrams[{self.index_a}], diagrams[{self.index_b}]",
            ]
        else:
            pair = [f"A = {literal(self.diagram_a)}", f"B = {literal(self.diagram_b)}"]
        how = str(self.n_directions)
        if self.rule != "paper":
            how += f", rule={self.rule!r}"
        if self.rule == "random":
            how += ", random_state=0"
        return "\n".join(
            [
                "import numpy as np",
                "import swviz as sw",
                "",
                *pair,
                "",
                f"SW_M = sw.sliced_wasserstein(A, B, {how})",
                "SW = sw.sliced_wasserstein_exact(A, B)",
                f"W = sw.slice_matching(A, B, theta={literal(self.theta)}).cost",
                f"k = np.exp(-SW / (2 * {literal(self.sigma)}**2))",
                'print("SW_M      ", SW_M)',
                'print("SW        ", SW)',
                'print("SW_M / SW ", SW_M / SW if SW > 0 else "undefined")',
                'print("W(theta)  ", W)',
                'print("d1        ", sw.diagram_distance(A, B))',
                'print("k_SW(A, B)", k)',
                "",
            ]
        )


def asked_for(query: Mapping[str, str]) -> tuple[str, str, dict[str, Any]]:
    """Return the source, the preset and its changes that a link asks for.

    Returns
    -------
    source, preset : str
    changes : dict
        Not checked yet; :func:`swviz.app.workspace.knobs.recipe` does it.
    """
    try:
        changes = json.loads(query.get("with", "{}"))
    except (ValueError, RecursionError):
        changes = None
    if not isinstance(changes, dict):
        raise ParameterError("its parameters are not readable")
    return query.get("source", ""), query.get("preset", ""), changes


def _asked_indices(query: Mapping[str, str], dataset: DiagramSet) -> tuple[int, int]:
    """Return the samples of a set that a link asks for, as far as it can have them.

    At once, and not by way of another pair: at times the page stayed with that one, as
    if a list in the browser had answered the first of two values.
    """

    def read(name: str, usual: int) -> int:
        text = query.get(name, "")
        index = int(text) if text.isdecimal() and len(text) < 10 else usual
        return min(index, max(0, len(dataset) - 1))

    return read("a", 0), read("b", _first_other(dataset))


def mean_name(of_class: str) -> str:
    """Return what the mean of a class is called; that of all diagrams has no class."""
    return f"mean of {of_class or 'all'}"


def title_of(source: str, preset: str, changes: Mapping[str, Any] | None = None) -> str:
    """Return what to call a made data set."""
    return f"{TITLES[source]} · {preset}" + (" (changed)" if changes else "")


def _first_other(dataset: DiagramSet, index: int = 0) -> int:
    """Index of the first sample of another class than that of one, or of the next."""
    if dataset.labels is not None and len(dataset.classes) > 1:
        own = dataset.labels[min(index, len(dataset) - 1)]
        return int(np.argmax(dataset.labels != own))
    return min(index + 1, max(0, len(dataset) - 1))


def _pack(diagram: Diagram) -> str:
    return ";".join(f"{birth:.6g},{death:.6g}" for birth, death in diagram)


def _unpack(text: str) -> Diagram:
    rows = [row.split(",") for row in text.split(";") if row]
    if len(rows) > SHARED_POINTS or any(len(row) != 2 for row in rows):
        raise ValueError("not a list of birth,death pairs")
    return as_diagram([[float(number) for number in row] for row in rows])
