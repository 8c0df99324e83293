"""The machine behind the Learn view: settings in, a portrait out, off the thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import param

from swviz.app.jobs import JobBar, JobCancelled, digest
from swviz.app.session import handle_exception, in_document
from swviz.app.state import Workspace
from swviz.app.views.learn_kernels import DIRECTED, KERNELS, LEARNT, make_kernel
from swviz.app.views.learn_latest import Latest
from swviz.diagrams import DiagramSet
from swviz.errors import SwvizError
from swviz.learning import (
    Portrait,
    PreparedKernel,
    map_samples,
    paint,
    prepare,
    random_splits,
)

N_SPLITS = 10
"""Random halves for cross-validation, as in the paper."""

MOST_SAMPLES = 2000
"""Above this, a matrix of all pairs is too much for a page."""

CANCELLED = "The computation was cancelled."
NO_CLASSES = (
    "These diagrams have no classes, so there is nothing to predict. Load labelled "
    "ones: a column “label” in a csv file, or one file per class."
)
ONE_CLASS = (
    "The training part holds a single class. Change the seed or the share, split each "
    "class in proportion, or take more diagrams."
)


@dataclass(frozen=True)
class Setting:
    """Everything that a trained machine depends on, beside the diagrams.

    Parameters
    ----------
    kernel : str
        A key of ``KERNELS``.
    dimensions : tuple of int
    n_directions : int
    rule : str
    scale, C : float
    train_share : float
    seed : int
    stratify : bool
    """

    kernel: str
    dimensions: tuple[int, ...]
    n_directions: int
    rule: str
    scale: float
    C: float
    train_share: float
    seed: int
    stratify: bool

    def without(self, *names: str) -> dict[str, Any]:
        """Return all but some of the values, to see whether others have changed."""
        return {k: v for k, v in asdict(self).items() if k not in names}


class Trainer(param.Parameterized):
    """Follows a workspace and its own settings; shows what they lead to.

    Parameters
    ----------
    workspace : Workspace
    """

    workspace = param.ClassSelector(class_=Workspace, allow_None=False)
    kernel = param.Selector(default="sw", objects=list(KERNELS))
    dimensions = param.ListSelector(default=[1], objects=list(range(11)))
    C = param.Number(default=10.0, bounds=(1e-4, 1e6))
    train_share = param.Number(default=0.7, bounds=(0.1, 0.9))
    seed = param.Integer(default=0, bounds=(0, 9999))
    stratify = param.Boolean(default=False)
    ready = param.ClassSelector(class_=PreparedKernel, doc="For any bandwidth.")
    portrait = param.ClassSelector(class_=Portrait, doc="What is on show.")
    setting = param.ClassSelector(class_=Setting, doc="What the portrait shows.")
    problem = param.String(default="", doc="Why there is no machine, in plain words.")

    def __init__(self, workspace: Workspace, **params: Any) -> None:
        super().__init__(workspace=workspace, **params)
        self.jobs = JobBar()
        self.train = self.test = np.empty(0, dtype=int)
        self.shown: DiagramSet | None = None
        self.labels: np.ndarray | None = None
        self.data_key = ""
        self._dataset_key: tuple[Any, tuple[int, ...], str] = (None, (), "")
        self._wanted_key = ""
        self._stale = True
        self._refresh = Latest(self._update)
        if self.dimensions == [1]:
            self.dimensions = [workspace.dimension]
        self._watchers = [
            workspace.param.watch(self._data_changed, ["dataset", "dimension"]),
            workspace.param.watch(self.refresh, ["n_directions", "rule", "sigma"]),
            workspace.param.watch(self._tab_changed, "tab"),
        ]
        self.param.watch(
            self.refresh,
            ["kernel", "dimensions", "C", "train_share", "seed", "stratify"],
        )

    def close(self) -> None:
        """Stop following the workspace."""
        for watcher in self._watchers:
            self.workspace.param.unwatch(watcher)
        self.jobs.cancel()

    # -- what is wanted -------------------------------------------------------------

    @property
    def dataset(self) -> DiagramSet:
        """The workspace's data set; the portrait may still be that of `shown`."""
        return self.workspace.dataset

    def wanted(self) -> Setting:
        """Return the settings as they stand now."""
        space = self.workspace
        return Setting(
            kernel=self.kernel,
            dimensions=tuple(sorted(self.dimensions)),
            n_directions=space.n_directions,
            rule=space.rule,
            scale=space.sigma,
            C=self.C,
            train_share=self.train_share,
            seed=self.seed,
            stratify=self.stratify,
        )

    def _key(self, setting: Setting) -> str:
        """Digest of all that distances depend on."""
        parts: list[Any] = [setting.kernel, setting.dimensions]
        if setting.kernel in DIRECTED:
            parts += [setting.n_directions, setting.rule]
        if setting.kernel in LEARNT:
            parts += [setting.train_share, setting.seed, setting.stratify]
        return digest("prepared", *parts, self._data_key(setting.dimensions))

    def _data_key(self, dimensions: tuple[int, ...]) -> str:
        """Digest of the diagrams and their classes."""
        dataset = self.dataset
        if self._dataset_key[0] is not dataset or self._dataset_key[1] != dimensions:
            several = [d for k in dimensions for d in dataset.in_dimension(k)]
            labels = None if dataset.labels is None else dataset.labels.tolist()
            key = digest(
                np.concatenate([np.empty((0, 2)), *several]),
                np.array([len(d) for d in several]),
                labels,
            )
            self._dataset_key = dataset, dimensions, key
        return self._dataset_key[2]

    def _data_changed(self, *events: Any) -> None:
        present = self.dataset.dimensions
        kept = [k for k in self.dimensions if k in present]
        if len(kept) != 1 or len(present) == 1 or len(kept) < len(self.dimensions):
            kept = kept if len(kept) > 1 else [self.workspace.dimension]
        elif any(event.name == "dimension" for event in events):
            # A single one follows the sidebar; several are the user's own choice.
            kept = [self.workspace.dimension]
        with param.parameterized.discard_events(self):
            self.dimensions = kept
        self.param.trigger("dimensions")

    def _tab_changed(self, *_events: object) -> None:
        if self._stale:
            self.refresh()

    def refresh(self, *_events: object) -> None:
        """Bring the portrait to the settings, if the view is open."""
        if self.workspace.tab != "Learn":
            self._stale = True
            return
        self._stale = False
        if self.jobs.busy and self._key(self.wanted()) != self._wanted_key:
            self.jobs.cancel()
        self._refresh()

    # -- what is done ---------------------------------------------------------------

    async def _update(self) -> None:
        setting, dataset = self.wanted(), self.dataset
        try:
            _check_size(dataset)
            train, test, trouble = split(dataset.labels, setting)
            self._wanted_key = self._key(setting)
            ready = await self.jobs.run(
                partial(
                    prepare,
                    make_kernel(
                        setting.kernel,
                        setting.n_directions,
                        setting.rule,
                        setting.dimensions,
                    ),
                    dataset,
                    train if setting.kernel in LEARNT and len(train) else None,
                ),
                self._wanted_key,
                f"Comparing {len(dataset)} diagrams by {KERNELS[setting.kernel].title}",
            )
            # The slider may have moved on while distances were computed.
            now = self.wanted()
            moved = now.without("scale", "C") != setting.without("scale", "C")
            if moved or dataset is not self.dataset:
                self._refresh()
                return
            portrait = await self.jobs.run(
                partial(
                    _portray,
                    ready,
                    now,
                    dataset.labels,
                    train,
                    test,
                    None if self.portrait is None else self.portrait.map.coordinates,
                    bool(trouble),
                ),
                title="Training",
                urgent=True,
            )
        except JobCancelled:
            if not self._refresh.is_asked_again:
                in_document(partial(self._fail, CANCELLED))
            raise
        except SwvizError as error:
            in_document(partial(self._fail, str(error)))
            return
        except Exception as error:
            handle_exception(error)
            return
        in_document(
            partial(self._publish, dataset, ready, portrait, now, train, test, trouble)
        )

    def _publish(
        self,
        dataset: DiagramSet,
        ready: PreparedKernel,
        portrait: Portrait,
        setting: Setting,
        train: np.ndarray,
        test: np.ndarray,
        trouble: str,
    ) -> None:
        if dataset is not self.dataset:
            # Another one was chosen meanwhile, and another round is on its way.
            return
        self.shown, self.labels = dataset, dataset.labels
        self.train, self.test = train, test
        self.data_key = self._data_key(setting.dimensions)
        with param.parameterized.batch_call_watchers(self):
            self.param.update(
                ready=ready, setting=setting, problem=trouble, portrait=portrait
            )

    def _fail(self, message: str) -> None:
        with param.parameterized.batch_call_watchers(self):
            self.param.update(
                problem=_sentence(message), portrait=None, ready=None, setting=None
            )


def _portray(
    ready: PreparedKernel,
    setting: Setting,
    labels: np.ndarray | None,
    train: np.ndarray,
    test: np.ndarray,
    reference: np.ndarray | None,
    map_only: bool,
    progress: Callable[[int, int], None],
) -> Portrait:
    gram = ready.gram(setting.scale, progress=progress)
    if map_only:
        return map_samples(gram, reference)
    return paint(
        gram,
        labels,
        train,
        test,
        setting.C,
        n_splits=N_SPLITS,
        random_state=setting.seed,
        reference=reference,
    )


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else text + "."


def _check_size(dataset: DiagramSet) -> None:
    count = len(dataset)
    if not count:
        raise SwvizError("the data set is empty: load or make one under Diagrams")
    if count > MOST_SAMPLES:
        raise SwvizError(
            f"{count} diagrams make {count * count // 2} pairs, more than this page "
            f"computes: take up to {MOST_SAMPLES}, or use "
            "swviz.learning.SlicedWassersteinFeatures in Python"
        )


def split(
    labels: np.ndarray | None, setting: Setting
) -> tuple[np.ndarray, np.ndarray, str]:
    """Split samples into training and test part, or say why that cannot be.

    Parameters
    ----------
    labels : ndarray of shape (n,) or None
    setting : Setting

    Returns
    -------
    train, test : ndarrays of int
        Empty if there is trouble.
    trouble : str
        In plain words, with a way out.
    """
    nobody = np.empty(0, dtype=int)
    if labels is None:
        return nobody, nobody, NO_CLASSES
    try:
        train, test = random_splits(
            labels,
            1,
            round(1 - setting.train_share, 10),
            setting.seed,
            stratify=setting.stratify,
        )[0]
    except SwvizError as error:
        return nobody, nobody, _sentence(str(error))
    if len(np.unique(labels[train])) < 2:
        return nobody, nobody, ONE_CLASS
    return train, test, ""
