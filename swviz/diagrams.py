"""Persistence diagrams: validation, and sets of them with labels and provenance."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from swviz.errors import DiagramError, shown
from swviz.results import Result, as_frame, brief, draw

if TYPE_CHECKING:
    import pandas as pd

Diagram = NDArray[np.float64]
"""An ``(n, 2)`` array of (birth, death) rows with ``birth <= death``, all finite."""

_LARGEST = 1e300
"""Beyond this, sums of a few million coordinates could overflow."""

_A_CLOUD = "A point cloud gets its diagrams from swviz.sources.from_cloud(points)"

_SEVERAL = 3
"""Points below the diagonal that are more than a slip."""


def as_diagram(points: ArrayLike, essential: str | float = "error") -> Diagram:
    """Check a persistence diagram and return it as a read-only array.

    Parameters
    ----------
    points : array-like of shape (n, 2)
        One (birth, death) row per point, in any order, repeated as often as its
        multiplicity. An empty list is the empty diagram.
    essential : {"error", "drop"} or float, default="error"
        What to do with points that never die (death = +inf): refuse them, leave
        them out, or let them die at this finite value.

    Returns
    -------
    ndarray of shape (n, 2), float64, read-only
        A copy: later changes to `points` do not reach it.

    Raises
    ------
    DiagramError
        If the shape or type is wrong, or a row has NaN, an infinite birth, a death
        before its birth, or an infinite death that `essential` does not settle. The
        message counts the offending rows and names the first of them.

    Examples
    --------
    >>> as_diagram([(0, 1), (0.5, 2)])
    array([[0. , 1. ],
           [0.5, 2. ]])
    >>> as_diagram([(0, 1), (0, float("inf"))], essential="drop")
    array([[0., 1.]])
    >>> as_diagram([(0, 1), (0, float("inf"))], essential=3.0)
    array([[0., 1.],
           [0., 3.]])
    """
    diagram = _as_float_pairs(points)
    birth, death = diagram[:, 0], diagram[:, 1]
    _refuse(np.isnan(diagram).any(axis=1), diagram, "has NaN", "remove these rows")
    _refuse(
        ~np.isfinite(birth), diagram, "has an infinite birth", "births must be finite"
    )
    never_dies = death == np.inf
    known = isinstance(essential, str) and essential in ("error", "drop")
    if not (known or is_finite_number(essential)):
        raise DiagramError(
            'essential must be "error", "drop" or a finite number, not '
            f"{shown(essential)}"
        )
    if never_dies.any():
        diagram = _settle_essential(diagram, never_dies, essential)
    below = diagram[:, 1] < diagram[:, 0]
    cure = "rows are (birth, death); for superlevel sets negate both and swap them"
    # The points of a cloud are on both sides, those of superlevel sets on one.
    if _SEVERAL <= below.sum() < len(below):
        cure = f"this looks like a point cloud, not like a diagram. {_A_CLOUD}"
    _refuse(below, diagram, "dies before it is born", cure)
    _refuse(
        (np.abs(diagram) > _LARGEST).any(axis=1),
        diagram,
        f"is beyond {_LARGEST:g}",
        "rescale the diagram",
    )
    diagram.setflags(write=False)
    return diagram


def as_diagrams(
    diagrams: DiagramSet | Iterable[ArrayLike],
    check: Callable[[ArrayLike], Diagram] = as_diagram,
) -> list[Diagram]:
    """Check a list of diagrams; see :func:`as_diagram`.

    Parameters
    ----------
    diagrams : iterable of array-likes of shape (n_i, 2), or DiagramSet
        A `DiagramSet` is taken if it holds one homology dimension only.
    check : callable, default=as_diagram
        Checks one diagram.

    Returns
    -------
    list of ndarray of shape (n_i, 2)
    """
    if isinstance(diagrams, DiagramSet):
        diagrams = diagrams.in_dimension(_only_dimension(diagrams))
    several = list_samples(diagrams)
    checked = []
    for index, diagram in enumerate(several):
        try:
            checked.append(check(_single(diagram)))
        except DiagramError as error:
            raise DiagramError(f"diagram {index}: {error}") from None
    dimension_of(several)
    return checked


def list_samples(samples: Any) -> list[Any]:
    """Make a list of samples, whatever they are given in; nothing in it is checked.

    Parameters
    ----------
    samples : iterable of array-likes of shape (n_i, 2), or of DiagramSets

    Returns
    -------
    list

    Raises
    ------
    DiagramError
        If this is no iterable, a single diagram, or an iterator that has nothing left.
    """
    if _is_sparse(samples):
        raise DiagramError("expected a list of diagrams, not a sparse matrix")
    if not isinstance(samples, Iterable) or isinstance(samples, str | bytes | Mapping):
        raise DiagramError(
            f"expected a list of diagrams or a DiagramSet, not {type(samples).__name__}"
        )
    if getattr(samples, "ndim", 1) == 0:
        raise DiagramError("expected a list of diagrams, not a single number")
    several = list(samples)
    if isinstance(samples, Iterator) and not several:
        raise DiagramError(
            "there is nothing left in this iterator, which can be read only once: pass "
            "a list, list(diagrams)"
        )
    if _is_one_diagram(samples, several):
        raise DiagramError(
            "expected a list of diagrams, got a single one: wrap it, [diagram]"
        )
    return several


def _is_sparse(samples: Any) -> bool:
    # SciPy is not loaded for this: who has a sparse matrix has loaded it.
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(samples))


def dimension_of(diagrams: Any) -> int | None:
    """Find out the homology dimension of diagrams, if they say one.

    Parameters
    ----------
    diagrams : list of array-likes or of DiagramSets, or DiagramSet

    Returns
    -------
    int or None
        None for plain diagrams, which do not say any.

    Raises
    ------
    DiagramError
        If they hold different dimensions, or some say one and some do not.
    """
    if isinstance(diagrams, DiagramSet):
        return _only_dimension(diagrams)
    sets = [one for one in diagrams if isinstance(one, DiagramSet)]
    if not sets:
        return None
    if len(sets) < len(diagrams):
        raise DiagramError("a list mixes plain diagrams and DiagramSets")
    if any(one.dimensions != sets[0].dimensions for one in sets):
        raise DiagramError("these DiagramSets hold different homology dimensions")
    return _only_dimension(sets[0])


def check_same_dimension(first: int | None, second: int | None) -> None:
    """Refuse to compare diagrams of two homology dimensions.

    Parameters
    ----------
    first, second : int or None
        None goes with every dimension.
    """
    if None not in (first, second) and first != second:
        raise DiagramError(
            f"diagrams of homology dimension {first} are not to be compared with those "
            f"of dimension {second}; if that is meant, pass plain lists, "
            ".in_dimension(k)"
        )


def _only_dimension(diagrams: DiagramSet) -> int:
    if len(diagrams.dimensions) != 1:
        raise DiagramError(
            f"this DiagramSet holds the homology dimensions {diagrams.dimensions}; "
            "choose one with .in_dimension(k)"
        )
    return diagrams.dimensions[0]


def _is_one_diagram(given: object, items: list[Any]) -> bool:
    """Whether rows (birth, death) were given where a list of such lists is due."""
    if hasattr(given, "ndim"):
        return bool(given.ndim == 2)
    return any(
        (isinstance(item, list | tuple) or (isinstance(item, np.ndarray) and item.ndim))
        and len(item) == 2
        and all(isinstance(number, int | float | np.number) for number in item)
        for item in items[:1]
    )


def _single(diagram: Any) -> Any:
    """Take the diagram out of a set of one, as scikit-learn's splits leave them."""
    if not isinstance(diagram, DiagramSet):
        return diagram
    if len(diagram) != 1 or len(diagram.dimensions) != 1:
        raise DiagramError(
            f"{diagram!r} is a set, not a diagram; .in_dimension(k) gives its diagrams"
        )
    return diagram.in_dimension(diagram.dimensions[0])[0]


def _as_float_pairs(points: ArrayLike) -> Diagram:
    try:
        raw = np.asarray(points)
    except DiagramError:
        raise
    except ValueError:
        raise DiagramError(
            "a diagram must be an (n, 2) array of numbers; these rows differ in length"
            "; from GUDHI take persistence_intervals_in_dimension(k), not the list of "
            "(dimension, (birth, death))"
        ) from None
    # [] has shape (0,) and [[]] shape (1, 0). More empty rows are no points: five of
    # them could as well be five empty diagrams.
    if raw.size == 0 and raw.shape in ((0,), (0, 0), (1, 0), (0, 2)):
        return np.empty((0, 2))
    if raw.ndim != 2 or raw.shape[1] != 2:
        hint = ""
        if raw.ndim == 0:
            raise DiagramError(
                f"a diagram must be an (n, 2) array, not {type(points).__name__}"
            )
        if raw.shape == (2,):
            hint = "; for a diagram of one point write [[birth, death]]"
        elif raw.ndim == 2 and raw.shape[1] == 3:
            hint = f"; a third column (dimension) must be split off first. {_A_CLOUD}"
        elif raw.ndim == 2 and raw.shape[1] > 3:
            hint = f". {_A_CLOUD}"
        elif raw.ndim == 3:
            hint = "; this is a list of diagrams: pass one of them"
        elif raw.size == 0:
            hint = "; the empty diagram is [], a list of empty ones [[], []]"
        raise DiagramError(f"a diagram must have shape (n, 2), not {raw.shape}{hint}")
    if raw.dtype.kind == "O":
        for entry in raw.flat:
            if isinstance(entry, bool) or not isinstance(entry, Real):
                raise DiagramError(
                    f"a diagram must hold real numbers, not {shown(entry)} of type "
                    f"{type(entry).__name__}: drop rows with missing values, then "
                    "convert the rest, np.array(diagram, dtype=float)"
                )
    elif raw.dtype.kind == "c":
        raise DiagramError(
            "Complex data not supported: a diagram must hold real numbers"
        )
    elif raw.dtype.kind not in "fiu":
        raise DiagramError(f"a diagram must hold real numbers, not {raw.dtype}")
    if isinstance(points, np.ma.MaskedArray) and np.ma.is_masked(points):
        raise DiagramError("a diagram cannot have masked entries: drop those rows")
    try:
        with np.errstate(over="raise"):
            return np.array(raw, dtype=np.float64, order="C")
    except (FloatingPointError, OverflowError):
        raise DiagramError(
            f"some points are beyond {_LARGEST:g}: rescale the diagram"
        ) from None


def _settle_essential(
    diagram: Diagram, never_dies: NDArray[np.bool_], essential: str | float
) -> Diagram:
    if essential == "error":
        _refuse(
            never_dies,
            diagram,
            "never dies (death = inf)",
            'as_diagram(diagram, essential="drop") leaves such points out, '
            "essential=10.0 lets them die at 10",
        )
    if essential == "drop":
        return np.ascontiguousarray(diagram[~never_dies])
    cap = float(essential)
    _refuse(
        never_dies & (diagram[:, 0] > cap),
        diagram,
        f"is born after the cap {cap:g}",
        "use a larger cap",
    )
    diagram[never_dies, 1] = cap
    return diagram


def is_finite_number(value: object) -> bool:
    """Whether a value is a real number, and no larger than a float can be.

    Parameters
    ----------
    value : object

    Returns
    -------
    bool
    """
    if isinstance(value, bool | np.bool_ | np.complexfloating):
        return False
    try:
        return isinstance(value, int | float | np.number) and math.isfinite(value)
    except OverflowError:
        return False


def _refuse(
    bad: NDArray[np.bool_] | np.bool_, diagram: Diagram, what: str, cure: str
) -> None:
    """Raise a DiagramError that counts and names the rows where `bad` holds."""
    rows = np.flatnonzero(bad)
    if not len(rows):
        return
    shown = ", ".join(
        f"row {row}: ({diagram[row, 0]:g}, {diagram[row, 1]:g})" for row in rows[:3]
    )
    if len(rows) > 3:
        shown += ", ..."
    count = f"{len(rows)} of {len(diagram)} points"
    raise DiagramError(f"{count} {what} ({shown}): {cure}")


def first_missing(labels: ArrayLike) -> int | None:
    """Find the first label that is None, NaN, pandas.NA or NaT.

    Parameters
    ----------
    labels : array-like of shape (n,)
        As they were given: in an array of text, NaN is a word.

    Returns
    -------
    int or None
    """
    listed = isinstance(labels, list | tuple)
    given = np.asarray(labels, dtype=object if listed else None)
    if given.dtype.kind in "mM":
        return next(iter(np.flatnonzero(np.isnat(given)).tolist()), None)
    if given.dtype.kind not in "fO":
        return None
    return next((i for i, one in enumerate(given.tolist()) if _is_missing(one)), None)


def _is_missing(label: object) -> bool:
    if isinstance(label, np.datetime64 | np.timedelta64):
        return bool(np.isnat(label))
    if isinstance(label, float | np.floating):
        return bool(np.isnan(label))
    return label is None or type(label).__name__ in ("NAType", "NaTType")


@dataclass(frozen=True, eq=False)
class DiagramSet(Result):
    """Several diagrams by homology dimension, with labels, names and provenance.

    Parameters
    ----------
    diagrams : mapping of int to sequence of array-likes of shape (n_i, 2)
        For each homology dimension, one diagram per sample, in the same order.
    labels : array-like of shape (n_samples,), optional
        The class of each sample.
    names : sequence of str, optional
        A name for each sample; numbered by default.
    provenance : mapping, optional
        How the set was made: whatever makes it again.
    origins : sequence, optional
        What each sample was computed from (cloud, image, function, mesh), to draw it.

    Notes
    -----
    Indexing with an integer, a slice, a boolean mask or a list of integers always
    gives a `DiagramSet`; `in_dimension` gives the plain arrays.

    Examples
    --------
    >>> few = DiagramSet({1: [[(0, 1)], [(0, 2)], []]}, labels=["a", "b", "a"])
    >>> len(few), few.dimensions, few.class_names
    (3, (1,), ('a', 'b'))
    >>> few[few.labels == "a"].in_dimension(1)
    [array([[0., 1.]]), array([], shape=(0, 2), dtype=float64)]
    """

    diagrams: Mapping[int, Sequence[ArrayLike]]
    labels: NDArray[Any] | None = None
    names: Sequence[str] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    origins: Sequence[Any] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.diagrams, Mapping) or not self.diagrams:
            raise DiagramError(
                "a DiagramSet needs at least one homology dimension: a mapping such as "
                "{1: [A, B]}"
            )
        for dimension in self.diagrams:
            if not isinstance(dimension, int | np.integer) or dimension < 0:
                raise DiagramError(
                    "a homology dimension is a whole number from 0, not "
                    f"{shown(dimension)}"
                )
        checked = {}
        for dimension in sorted(self.diagrams):
            try:
                checked[int(dimension)] = tuple(as_diagrams(self.diagrams[dimension]))
            except DiagramError as error:
                raise DiagramError(f"dimension {dimension}: {error}") from None
        sizes = {dimension: len(several) for dimension, several in checked.items()}
        if len(set(sizes.values())) > 1:
            raise DiagramError(
                f"dimensions hold different numbers of diagrams: {sizes}"
            )
        count = next(iter(sizes.values()))
        labels = None
        if self.labels is not None:
            try:
                labels = np.array(self.labels)
            except ValueError:
                raise DiagramError("labels must be a flat list") from None
            if labels.shape != (count,):
                raise DiagramError(
                    f"labels have shape {labels.shape} for {count} samples"
                )
            gap = first_missing(self.labels)
            if gap is not None:
                raise DiagramError(
                    f"sample {gap} has no label ({labels[gap]}): give every sample a "
                    "class, or leave out labels"
                )
            if labels.dtype == object or labels.dtype.kind not in "biufU":
                labels = labels.astype(str)
            labels.setflags(write=False)
        names = tuple(str(name) for name in self.names or ())
        if not names:
            names = tuple(str(index) for index in range(count))
        origins = None if self.origins is None else tuple(self.origins)
        for what, several in (("names", names), ("origins", origins)):
            if several is not None and len(several) != count:
                raise DiagramError(f"{len(several)} {what} for {count} samples")
        for attribute, value in (
            ("diagrams", MappingProxyType(checked)),
            ("labels", labels),
            ("names", names),
            ("provenance", MappingProxyType(dict(self.provenance or {}))),
            ("origins", origins),
        ):
            object.__setattr__(self, attribute, value)

    @property
    def shape(self) -> tuple[int]:
        """(n_samples,): scikit-learn takes parts of what has a shape as one piece."""
        return (len(self),)

    @property
    def dimensions(self) -> tuple[int, ...]:
        """The homology dimensions, ascending."""
        return tuple(self.diagrams)

    @property
    def classes(self) -> NDArray[Any]:
        """The distinct labels, sorted; empty without labels."""
        return np.unique(self.labels) if self.labels is not None else np.array([])

    @property
    def class_names(self) -> tuple[str, ...]:
        """The distinct labels as text, in the order of `classes`."""
        return tuple(str(label) for label in self.classes)

    def in_dimension(self, dimension: int) -> list[Diagram]:
        """Diagrams of one homology dimension, one per sample.

        Parameters
        ----------
        dimension : int

        Returns
        -------
        list of ndarray of shape (n_i, 2)
        """
        if dimension not in self.dimensions:
            raise DiagramError(
                f"there is no homology dimension {dimension} here, "
                f"only {self.dimensions}"
            )
        return list(self.diagrams[dimension])  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self.names)

    def __reduce__(self) -> tuple[type[DiagramSet], tuple[Any, ...]]:
        # Read-only views of dictionaries cannot be pickled.
        return DiagramSet, (
            dict(self.diagrams), self.labels, self.names, dict(self.provenance),
            self.origins,
        )  # fmt: skip

    def __getitem__(self, index: Any) -> DiagramSet:
        try:
            chosen = np.atleast_1d(np.arange(len(self))[index])
        except IndexError:
            raise IndexError(
                f"{shown(index)} is outside of {len(self)} samples"
            ) from None
        if index is None or isinstance(index, bool) or chosen.ndim != 1:
            raise IndexError(f"{shown(index)} does not name samples")
        return DiagramSet(
            {
                dimension: [several[i] for i in chosen]
                for dimension, several in self.diagrams.items()
            },
            labels=None if self.labels is None else self.labels[chosen],
            names=[self.names[i] for i in chosen] if len(chosen) else (),
            provenance=self.provenance,
            origins=None if self.origins is None else [self.origins[i] for i in chosen],
        )

    def __array__(self, *_dtype: object, **_options: object) -> NDArray[Any]:
        raise DiagramError(
            "a DiagramSet is not an array: .in_dimension(k) gives the list of diagrams "
            "of one homology dimension"
        )

    def __iter__(self) -> Iterator[DiagramSet]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        per_dimension = ", ".join(
            f"H{dimension}: {sum(len(np.asarray(d)) for d in several)} points"
            for dimension, several in self.diagrams.items()
        )
        classes = f", {len(self.classes)} classes" if self.labels is not None else ""
        return f"<DiagramSet of {len(self)} samples ({per_dimension}){classes}>"

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        facts = {"samples": str(len(self))}
        for dimension in self.dimensions:
            sizes = [len(diagram) for diagram in self.in_dimension(dimension)]
            each = f"{min(sizes)} to {max(sizes)} a diagram" if sizes else "no diagrams"
            facts[f"H{dimension}"] = f"{sum(sizes)} points, {each}"
        if self.labels is not None:
            facts["classes"] = brief(self.class_names)
        if "source" in self.provenance:
            facts["source"] = str(self.provenance["source"])
        if self.origins is not None:
            kinds = {type(origin).__name__ for origin in self.origins}
            facts["origins"] = brief(sorted(kinds))
        return facts

    def frame(self) -> pd.DataFrame:
        """Return all points as a data frame, a row each.

        Returns
        -------
        pandas.DataFrame
            Columns sample (its index), name, label (if there are labels), dimension,
            birth, death and persistence.

        Examples
        --------
        >>> few = DiagramSet({1: [[(0, 1)], [(0, 2), (1, 4)]]}, labels=["a", "b"])
        >>> few.frame().groupby("label")["persistence"].max().to_dict()
        {'a': 1.0, 'b': 3.0}
        """
        several = [d for k in self.dimensions for d in self.in_dimension(k)]
        counts = [len(diagram) for diagram in several]
        points = np.concatenate([np.empty((0, 2)), *several])
        sample = np.repeat(np.tile(np.arange(len(self)), len(self.dimensions)), counts)
        columns: dict[str, Any] = {
            "sample": sample,
            "name": np.array(self.names, dtype=object)[sample],
        }
        if self.labels is not None:
            columns["label"] = self.labels[sample]
        return as_frame(
            columns
            | {
                "dimension": np.repeat(np.repeat(self.dimensions, len(self)), counts),
                "birth": points[:, 0],
                "death": points[:, 1],
                "persistence": points[:, 1] - points[:, 0],
            }
        )

    def plot(self, dimension: int | None = None, **options: Any) -> Any:
        """Draw the set: one sample by its points, several side by side.

        Parameters
        ----------
        dimension : int, optional
            Homology dimension. By default all of a single sample, and the highest one
            of several.
        **options
            Of :func:`swviz.plot.diagram` for a single sample, else of
            :func:`swviz.plot.gallery`.

        Returns
        -------
        hv.Overlay
        """
        if len(self) != 1:
            return draw("gallery", self, dimension, **options)
        chosen = self.dimensions if dimension is None else (dimension,)
        names = {"labels": [f"H{k}" for k in chosen]}
        diagrams = [self.in_dimension(k)[0] for k in chosen]
        return draw("diagram", *diagrams, **names | options)


def join_sets(
    sets: Sequence[DiagramSet],
    *,
    missing: Literal["error", "empty"] = "error",
    labels: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> DiagramSet:
    """Put the samples of several sets into one.

    Parameters
    ----------
    sets : sequence of DiagramSet
        At least one.
    missing : {"error", "empty"}, default="error"
        What to do with homology dimensions that not all of them hold: refuse the sets,
        or take the diagrams for empty where there are none.
    labels, names : sequences, optional
        One for each sample; by default those of the sets. There are no labels if one
        of the sets has none.
    provenance : mapping, optional
        By default that of the first set, if it is that of all.

    Returns
    -------
    DiagramSet

    Examples
    --------
    >>> join_sets([DiagramSet({1: [[(0, 1)]]}), DiagramSet({1: [[]]})])
    <DiagramSet of 2 samples (H1: 1 points)>
    """
    if missing == "error" and any(s.dimensions != sets[0].dimensions for s in sets):
        raise DiagramError("these DiagramSets hold different homology dimensions")
    if labels is None:
        parts = [one.labels for one in sets if one.labels is not None]
        labels = np.concatenate(parts) if len(parts) == len(sets) else None
    if provenance is None:
        same = all(one.provenance == sets[0].provenance for one in sets)
        provenance = sets[0].provenance if same else {}
    origins = [origin for s in sets for origin in s.origins or [None] * len(s)]
    return DiagramSet(
        {
            k: [
                diagram
                for one in sets
                for diagram in one.diagrams.get(k, [np.empty((0, 2))] * len(one))
            ]
            for k in sorted({k for one in sets for k in one.dimensions})
        },
        labels=None if labels is None else np.asarray(labels),
        names=names or [name for one in sets for name in one.names],
        provenance=provenance,
        origins=origins if any(s.origins for s in sets) else None,
    )
