"""The machine behind the Learn view: settings in, a portrait out, off the thread."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import param

from swviz.app.runtime.jobs import digest
from swviz.app.runtime.settings import SETTINGS
from swviz.app.runtime.task import Task, Turn
from swviz.app.tabs.learn.kernels import (
    DIRECTED,
    KERNEL_CHOICES,
    LEARNT,
    Choice,
    make_kernel,
    suggest_kernel,
)
from swviz.app.ui.job_bar import JobBar
from swviz.app.workspace.kernel_widths import KernelWidths, fit_once
from swviz.app.workspace.links import unwatch
from swviz.app.workspace.state import Workspace
from swviz.diagrams import DiagramSet
from swviz.errors import SwvizError
from swviz.learning import (
    Portrait,
    PreparedKernel,
    map_samples,
    prepare,
    random_splits,
    train_portrait,
)
from swviz.studies import Bandwidths
from swviz.typing import Rule

N_SPLITS = 10
"""Random halves for cross-validation, as in the paper."""

SIGMAS = np.geomspace(1e-3, 1e3, 25)
"""The range of the sidebar's slider; for other kernels, in units of what fits."""

CANCELLED = "The computation was cancelled."
NO_CLASSES = (
    "These diagrams have no classes, so there is nothing to predict; the map needs "
    "none. Give them classes when you load them in Diagrams (a column “label” in a csv "
    "file, say), or generate a set that has some."
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
        A key of ``KERNEL_CHOICES``.
    dimensions : tuple of int
    n_directions : int
    rule : str
    scale, C : float
        Bandwidth of this kernel, and the cost factor.
    sigma : float
        Of k_SW, whichever the kernel is: for comparisons with it.
    train_share : float
    seed : int
    stratify : bool
    """

    kernel: str
    dimensions: tuple[int, ...]
    n_directions: int
    rule: Rule
    scale: float
    C: float
    sigma: float
    train_share: float
    seed: int
    stratify: bool

    def without(self, *names: str) -> dict[str, Any]:
        """Return all but some of the values, to see whether others have changed."""
        return {k: v for k, v in asdict(self).items() if k not in names}

    @property
    def slow(self) -> dict[str, Any]:
        """All but what is moved live."""
        return self.without("scale", "C", "sigma")


class Trainer(param.Parameterized):
    """Follows a workspace and its own settings; shows what they lead to."""

    workspace = param.ClassSelector(class_=Workspace, allow_None=False)
    kernel = param.Selector(default="sw", objects=list(KERNEL_CHOICES))
    dimensions = param.ListSelector(default=[1], objects=list(range(11)))
    C = param.Number(default=10.0, bounds=(1e-4, 1e6))
    train_share = param.Number(default=0.7, bounds=(0.1, 0.9))
    seed = param.Integer(default=0, bounds=(0, 9999))
    stratify = param.Boolean(default=False)
    ready = param.ClassSelector(class_=PreparedKernel, doc="For any bandwidth.")
    portrait = param.ClassSelector(class_=Portrait, doc="What is on show.")
    setting = param.ClassSelector(class_=Setting, doc="What the portrait shows.")
    suggested = param.String(default="sw", doc="The kernel that fits the set's size.")
    problem = param.String(default="", doc="Why there is no machine, in plain words.")
    computing = param.Boolean(
        default=False, doc="Whether what is wanted is not on show yet, for a while now."
    )
    tuned = param.ClassSelector(
        class_=Setting, doc="What tuning has chosen, until something is moved."
    )

    def __init__(self, workspace: Workspace, **params: Any) -> None:
        super().__init__(workspace=workspace, **params)
        self.widths = KernelWidths.of(workspace)
        self._training = Task(
            self._train,
            is_open=lambda: workspace.tab == "Learn",
            on_slow=lambda: self.param.update(computing=True),
            live=True,
            on_stop=lambda: self._fail(CANCELLED),
            on_error=self._say_why,
        )
        self.jobs = JobBar(self._training)
        self.train = self.test = np.empty(0, dtype=int)
        # Those of the portrait; None without one.
        self.shown: Any = None
        self.labels: Any = None
        self.data_key = ""
        self._dataset_key: tuple[Any, tuple[int, ...], str] = (None, (), "")
        self._wanted_key = ""
        self._places: np.ndarray | None = None
        if self.dimensions == [1]:
            self.dimensions = [workspace.dimension]
        self._suggest()
        self._watchers = [
            workspace.param.watch(self._data_changed, ["dataset", "dimension"]),
            workspace.param.watch(self.refresh, ["n_directions", "rule", "sigma"]),
            workspace.param.watch(lambda *_: self._training.look(), "tab"),
        ]
        self.until_closed(
            self.widths.param.watch(
                self._width_moved,
                sorted(
                    {choice.width for choice in KERNEL_CHOICES.values()} - {"sigma"}
                ),
            )
        )
        self.param.watch(self._outdate, ["kernel", "dimensions"])
        self.param.watch(self.refresh, ["C", "train_share", "seed", "stratify"])

    def is_usual(self, name: str) -> bool:
        """Tell whether a parameter is what it is without anybody's doing."""
        usual = self.suggested if name == "kernel" else self.param[name].default
        return bool(getattr(self, name) == usual)

    def until_closed(self, watcher: param.parameterized.Watcher) -> None:
        """Take over a watcher of the workspace or its bandwidths, to be stopped."""
        self._watchers.append(watcher)

    @property
    def training(self) -> Task:
        """What brings the portrait to the settings."""
        return self._training

    def close(self) -> None:
        """Stop following the workspace, and stop computing."""
        unwatch(self._watchers)
        self._training.forget()

    # -- what is wanted -------------------------------------------------------------

    @property
    def dataset(self) -> DiagramSet:
        """The workspace's data set; the portrait may still be that of `shown`."""
        return self.workspace.dataset

    @property
    def choice(self) -> Choice:
        """The kernel that is chosen."""
        return KERNEL_CHOICES[self.kernel]

    def scales(self) -> np.ndarray:
        """Return bandwidths from overfit to useless, of the kernel that is chosen."""
        if self.choice.width == "sigma":
            return SIGMAS
        fitted = self.widths.fitted
        return SIGMAS * (1.0 if fitted is None else getattr(fitted, self.choice.width))

    def wanted(self, fitted: Bandwidths | None = None) -> Setting:
        """Return the settings as they stand now.

        Parameters
        ----------
        fitted : Bandwidths, optional
            What will be learnt of the data.
        """
        space = self.workspace
        return Setting(
            kernel=self.kernel,
            dimensions=tuple(sorted(self.dimensions)),
            n_directions=space.n_directions,
            rule=space.rule,
            scale=self.widths.value(self.choice.width, fitted),
            C=self.C,
            sigma=space.sigma,
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

    def use(self, scale: float, C: float, tuned: bool = False) -> None:
        """Take a bandwidth of the kernel that is chosen, and a cost factor.

        Parameters
        ----------
        scale, C : float
        tuned : bool, default=False
            Whether tuning has chosen them.
        """
        batch = param.parameterized.batch_call_watchers
        with batch(self.workspace), batch(self.widths), batch(self):
            self.C = C
            self.widths.choose(self.choice.width, float(f"{scale:.6g}"))
            self.tuned = self.wanted() if tuned else None

    def _data_changed(self, *events: Any) -> None:
        if self.shown is not self.dataset:
            self.shown = self.labels = None
            self.train = self.test = np.empty(0, dtype=int)
        present = self.dataset.dimensions
        kept = [k for k in self.dimensions if k in present]
        if len(kept) != 1 or len(present) == 1 or len(kept) < len(self.dimensions):
            kept = kept if len(kept) > 1 else [self.workspace.dimension]
        elif any(event.name == "dimension" for event in events):
            # A single one follows the sidebar; several are the user's own choice.
            kept = [self.workspace.dimension]
        with param.parameterized.batch_call_watchers(self):
            with param.parameterized.discard_events(self):
                self.dimensions = kept
            self._suggest()
            self.param.trigger("dimensions")

    def _suggest(self) -> None:
        """Follow the size of the set, unless the user has chosen otherwise."""
        present = set(self.dimensions) & set(self.dataset.dimensions)
        before, self.suggested = (
            self.suggested,
            suggest_kernel(self.dataset, present, self.workspace.n_directions),
        )
        if self.kernel == before:
            self.kernel = self.suggested

    def _outdate(self, *_events: object) -> None:
        """Show nothing that belongs to other data or another kernel any more."""
        # Where the diagrams were on the map, so that they come back on the same side.
        if self.portrait is not None:
            self._places = self.portrait.map.coordinates
        if self.shown is None:
            self._places = None
        with param.parameterized.batch_call_watchers(self):
            self.param.update(
                portrait=None, ready=None, setting=None, problem="", computing=True
            )
        self._training.forget()
        self.refresh()

    def _width_moved(self, *events: Any) -> None:
        own = any(event.name == self.choice.width for event in events)
        # What has just been learnt of the data is what the portrait shows.
        if own and self.wanted() != self.setting:
            self.refresh()

    def refresh(self, *_events: object) -> None:
        """Bring the portrait to the settings, once the view is open."""
        if self.tuned is not None and self.tuned != self.wanted():
            self.tuned = None
        if self.portrait is None:
            self.computing = True
        # Distances that are being computed for the same diagrams are still of use.
        is_other = self._training.busy and self._key(self.wanted()) != self._wanted_key
        self._training.request(anew=is_other)

    # -- what is done ---------------------------------------------------------------

    def begin(self) -> None:
        """Compare the diagrams while the view is being made, if that comes first."""
        setting = self.wanted()
        if self._needs_fit(setting):
            return
        with suppress(SwvizError):
            _check_size(self.dataset)
            train, _, _ = split(self.dataset.labels, setting)
            self._training.begin(self._comparison(setting, train), self._key(setting))

    def _comparison(self, setting: Setting, train: np.ndarray) -> Callable[..., Any]:
        """Return what computes all that a bandwidth leaves unchanged."""
        kernel = make_kernel(
            setting.kernel, setting.n_directions, setting.rule, setting.dimensions
        )
        learnt = train if setting.kernel in LEARNT and len(train) else None
        return partial(prepare, kernel, self.dataset, learnt)

    async def _train(self, turn: Turn) -> None:
        setting, dataset = self.wanted(), self.dataset
        self._wanted_key = self._key(setting)
        _check_size(dataset)
        train, test, trouble = split(dataset.labels, setting)
        fitted = await self._fit(turn, setting)
        ready = await turn.compute(
            self._comparison(setting, train),
            self._wanted_key,
            f"Comparing {len(dataset)} diagrams by {self.choice.title}",
        )
        # The slider may have moved on while distances were computed.
        now = self.wanted(fitted)
        if now.slow != setting.slow:
            # Another turn is on its way.
            return
        places = self.portrait.map.coordinates if self.portrait else self._places
        portrait = await turn.compute(
            partial(
                _portray,
                ready,
                now,
                dataset.labels,
                train,
                test,
                places,
                bool(trouble),
            ),
            title="Training",
            urgent=True,
        )
        turn.show(
            self._publish,
            dataset,
            fitted,
            train,
            test,
            {
                "ready": ready,
                "setting": now,
                "portrait": portrait,
                "problem": trouble,
            },
        )

    def _needs_fit(self, setting: Setting) -> bool:
        width = KERNEL_CHOICES[setting.kernel].width
        return self.widths.fitted is None and width != "sigma"

    async def _fit(self, turn: Turn, setting: Setting) -> Bandwidths | None:
        """Find what fits the data, if this kernel's bandwidth starts from there."""
        if not self._needs_fit(setting):
            return self.widths.fitted
        key, diagrams = self.widths.question()
        found: Bandwidths = await turn.compute(
            partial(fit_once, key, diagrams), title="Looking for a bandwidth that fits"
        )
        return found

    def _publish(
        self,
        dataset: DiagramSet,
        fitted: Bandwidths | None,
        train: np.ndarray,
        test: np.ndarray,
        found: dict[str, Any],
    ) -> None:
        setting = found["setting"]
        if setting.slow != self.wanted().slow:
            # Something else was chosen meanwhile, and another turn is on its way.
            return
        self.shown, self.labels = dataset, dataset.labels
        self.train, self.test = train, test
        self.data_key = self._data_key(setting.dimensions)
        if fitted is not None and self.widths.fitted is None:
            # Heard by this object as well, which is not to begin again.
            with param.parameterized.discard_events(self):
                self.setting = setting
            self.widths.learn(fitted)
        with param.parameterized.batch_call_watchers(self):
            self.param.update(computing=False, **found)

    def _say_why(self, error: Exception) -> None:
        if isinstance(error, SwvizError):
            self._fail(str(error))
        else:
            self.computing = False

    def _fail(self, message: str) -> None:
        with param.parameterized.batch_call_watchers(self):
            self.param.update(
                problem=_sentence(message),
                portrait=None,
                ready=None,
                setting=None,
                computing=False,
            )


def _portray(
    ready: PreparedKernel,
    setting: Setting,
    labels: Any,
    train: np.ndarray,
    test: np.ndarray,
    reference: np.ndarray | None,
    map_only: bool,
    progress: Callable[[int, int], None],
) -> Portrait:
    gram = ready.gram(setting.scale, progress=progress)
    if map_only:
        return map_samples(gram, reference)
    return train_portrait(
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
    if count > SETTINGS.learn_diagrams:
        cure = "take fewer, use swviz.learning.SlicedWassersteinFeatures in Python"
        raise SwvizError(
            "too many diagrams for all of their pairs: "
            + SETTINGS.exceeded("learn_diagrams", count, cure)
        )


def split(
    labels: np.ndarray | None, setting: Setting
) -> tuple[np.ndarray, np.ndarray, str]:
    """Split samples into training and test part, or say why that cannot be.

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
