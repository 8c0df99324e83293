r"""Diagrams that move: from one to another, and to the mean of many.

A slice matches two sorted lists, A with the diagonal projections of B and B with those
of A. Its squared cost pulls every point of the first list along the slice, towards its
partner in the second; the mean of all pulls is the gradient of

.. math:: E = \tfrac12 \, \mathrm{mean}_\theta
              \sum_k (s_k(\theta) - t_k(\theta))^2,

s and t the sorted lists. The cost itself, without the square, gives pulls of constant
size that never come to rest, so E is what goes down here, and :math:`SW_M` what is
shown. In both lists there are points on the diagonal: features are born from them, and
die on them.

E depends on them, too, where :math:`SW_M` does not: a point that both lists share is a
stepping stone, over which two short ways are cheaper than a long one. That is why a
flow keeps the lists that it starts with, and points that have arrived leave them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree

from swviz.batches import pad
from swviz.checks import (
    check_count,
    check_not_negative,
    check_positive,
    check_workers,
)
from swviz.diagrams import Diagram, DiagramSet, as_diagram, as_diagrams
from swviz.directions import directions
from swviz.errors import DiagramError, ParameterError
from swviz.seeds import as_generator
from swviz.slices import project, slice_costs
from swviz.typing import Floats, Ints, Progress, Rule

_BLOCK = 1 << 16
"""Numbers sorted in one call: large enough to hide Python, small enough for a cache."""

_MEMORY = 128 << 20
"""Bytes of sorted projections that a mean keeps from step to step."""

_STALLED = 0.05
"""Part of its squared cost that a step down the gradient gains at least."""

_FEW = 4
"""Directions of one small step of a sweep: few, so that their pulls differ."""

_NEAR = 1e-3
"""When a point has arrived, in parts of the usual distance of two points."""

_HALVINGS = 12
"""Of a step that does not lower the squared cost, before there is none."""

_CARRIES = 50
"""Steps, at most, on the way to the mean of the lists."""

_FAR = 16.0
"""A place beyond all projections of points that are at most 2."""

_PARTS = 1000
"""In which the progress of one mean among several is told."""

_SHORTLIST = 10
"""Members that may be the start of a mean, by the cost of their lists."""


@dataclass(frozen=True, eq=False, repr=False)
class SlicedFlow:
    """The way of one diagram to another.

    Attributes
    ----------
    path : ndarray of shape (n_steps + 1, n + m, 2)
        Positions after each step: of the n points of A, then of m points that start on
        the diagonal, where the points of B project to. Every row of it is a diagram.
    costs : ndarray of shape (n_steps + 1,)
        :math:`SW_M` of each of them and B.
    squared_costs : ndarray of shape (n_steps + 1,)
        The squared cost E; never above that of the step before. Infinite for points
        beyond about 1e150.
    died : boolean ndarray of shape (n,)
        Which points of A end on the diagonal.
    born : boolean ndarray of shape (m,)
        Which of the points that start on the diagonal end off it.
    """

    path: Floats
    costs: Floats
    squared_costs: Floats
    died: NDArray[np.bool_]
    born: NDArray[np.bool_]

    def __repr__(self) -> str:
        return (
            f"<SlicedFlow of {len(self.died)} points, {len(self.costs) - 1} steps: "
            f"{self.died.sum()} died, {self.born.sum()} were born, SW from "
            f"{self.costs[0]:.3g} to {self.costs[-1]:.3g}>"
        )


@dataclass(frozen=True, eq=False, repr=False)
class SlicedMean:
    """A diagram in the middle of others, and how it was found.

    Attributes
    ----------
    diagram : ndarray of shape (n, 2)
    costs : ndarray of shape (n_steps + 1,)
        Root of the weighted mean of :math:`SW_M^2` to the diagrams: of the member at
        the start, then after each step. The last is not above the first.
    squared_costs : ndarray of shape (n_steps + 1,)
        Weighted mean of the squared costs E; never above that of the step before.
    start : int
        The member that it started from.
    """

    diagram: Diagram
    costs: Floats
    squared_costs: Floats
    start: int

    def __repr__(self) -> str:
        return (
            f"<SlicedMean of {len(self.diagram)} points, {len(self.costs) - 1} steps: "
            f"SW to all from {self.costs[0]:.3g} to {self.costs[-1]:.3g}>"
        )


def sliced_flow(
    A: ArrayLike,
    B: ArrayLike,
    n_directions: int = 30,
    rule: Rule = "diagonal",
    n_steps: int = 200,
    *,
    step_size: float = 0.25,
    tolerance: float = 1e-3,
    random_state: Any = None,
    progress: Progress | None = None,
) -> SlicedFlow:
    r"""Let one diagram flow to another, down the squared cost of their slices.

    Parameters
    ----------
    A, B : array-likes of shape (n, 2) and (m, 2)
        Where the flow starts, and where it goes.
    n_directions, rule
        Directions along which costs are measured, as in :func:`swviz.directions`.
    n_steps : int, default=200
        At most.
    step_size : float above 0 and at most 1, default=0.25
        Part of the way, to where its slices pull it, that a point goes in a step.
    tolerance : float, default=1e-3
        The flow ends when :math:`SW_M` is no more than this part of what it was.
    random_state : int, RandomState instance, Generator or None, default=None
        Turns the directions of the sweeps, see Notes, and draws those of the random
        rule.
    progress : callable, optional
        Called as ``progress(done, total)`` steps go by. An exception it raises stops
        the work.

    Returns
    -------
    SlicedFlow

    Notes
    -----
    Points of A, and points on the diagonal where those of B project to, are pulled
    towards the points of B and the places on the diagonal where those of A project to.
    What crosses the diagonal is set onto it.

    First the steps are down the gradient along the given directions, halved until the
    squared cost does not rise. Once a step gains less than 5%, steps are sweeps, which
    find the way where the gradient of many directions rests too early: small steps
    along four directions each, turned at random. A point that has arrived (it and a
    place in B are next to each other, a thousandth of the usual distance of points
    apart) is set there, and both leave the lists. A sweep is part of the path if the
    squared cost, along the given directions, is no more than before.

    On 200 pairs of up to 200 random points each the exact distance at the end was below
    0.1% of that at the start, after 77 steps or less.

    A step costs O(M (n + m) log(n + m)); the path takes 16 (n + m) bytes a step.

    Examples
    --------
    >>> flow = sliced_flow([(0, 1), (2, 2.2)], [(0, 2)], random_state=0)
    >>> abs(flow.path[-1]).round(1).tolist()
    [[0.0, 2.0], [2.1, 2.1], [0.5, 0.5]]
    >>> flow.died, flow.born
    (array([False,  True]), array([False]))
    """
    first, second = as_diagram(A), as_diagram(B)
    thetas = directions(n_directions, rule, random_state)
    total = check_count(n_steps, "n_steps", 100_000)
    share = check_positive(step_size, "step_size")
    if share > 1:
        raise ParameterError(f"step_size must be at most 1, not {share:g}")
    enough = check_not_negative(tolerance, "tolerance")
    random = as_generator(random_state)
    unit = _unit([first, second])
    goal_diagram = second / unit
    cloud = np.concatenate([first / unit, _feet(goal_diagram)])
    goal = np.concatenate([goal_diagram, _feet(first / unit)])

    def cost(points: Floats) -> float:
        return float(slice_costs(points, goal_diagram, thetas).mean())

    targets = _sorted_along(goal, thetas)
    squared, _ = squared_pull(cloud, targets, thetas)
    path, costs, squares = [cloud], [cost(cloud)], [squared]
    done, gained = 0, 1.0
    descent = _descent(cloud, targets, thetas, share)
    sweeps: Iterator[Floats] | None = None
    # What is left of the cost of equal diagrams is rounding.
    least = max(enough * costs[0], 4 * np.finfo(float).eps * len(cloud))
    while done < total and costs[-1] > least:
        if sweeps is None and gained >= _STALLED:
            found = next(descent, None)
            if found is None:
                gained = 0.0
                continue
            cloud, squared = found
            gained = 1 - squared / squares[-1]
        else:
            if sweeps is None:
                sweeps = _sweeps(cloud, goal, len(thetas), random)
            following = next(sweeps, None)
            if following is None:
                break
            cloud = following
            squared, _ = squared_pull(cloud, targets, thetas)
        done += 1
        if squared <= squares[-1]:
            path.append(cloud)
            costs.append(cost(cloud))
            squares.append(squared)
        if progress is not None:
            progress(done, total)
    if progress is not None and done < total:
        progress(total, total)
    _, nearest = cKDTree(goal).query(path[-1]) if len(goal) else (0, np.empty(0, int))
    ends = goal[nearest]
    lasting = ends[:, 1] > ends[:, 0]
    with np.errstate(over="ignore"):
        return SlicedFlow(
            np.stack(path) * unit,
            np.array(costs) * unit,
            np.array(squares) * unit * unit,
            ~lasting[: len(first)],
            lasting[len(first) :],
        )


def sliced_mean(
    X: DiagramSet | Sequence[ArrayLike],
    weights: ArrayLike | None = None,
    n_directions: int = 30,
    rule: Rule = "diagonal",
    n_steps: int = 30,
    *,
    n_starts: int = 1,
    tolerance: float = 1e-3,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> SlicedMean:
    r"""Find the diagram with the least mean of squared sliced costs to others.

    Parameters
    ----------
    X : sequence of array-likes of shape (n_i, 2), or DiagramSet
        A `DiagramSet` is taken if it holds one homology dimension only; see
        :func:`sliced_means` for classes and dimensions.
    weights : array-like of shape (len(X),), optional
        Of the diagrams, at least 0, all alike by default. Two diagrams with weights
        1 - t and t give a diagram on the way from one to the other.
    n_directions, rule
        As in :func:`swviz.directions`.
    n_steps : int, default=30
        At most.
    n_starts : int, default=1
        How many members to start from, the most central ones; the best mean is kept.
        It is a minimum nearby, not one of all diagrams.
    tolerance : float, default=1e-3
        It is found when a step gains no more than this part of the squared cost.
    random_state : int, RandomState instance, Generator or None, default=None
        Draws the directions of the random rule.
    n_jobs : int, optional
        Number of joblib workers, -1 for all cores; 1 by default.
    progress : callable, optional
        Called in this thread as ``progress(done, total)`` diagrams, of all steps, go
        by. An exception it raises stops the work.

    Returns
    -------
    SlicedMean
        Of at most twice as many points as the largest diagram has. Its mean of
        squared distances :math:`SW_M^2` is not above that of a member (of more than ten
        members, of the ten that are nearest to the mean of their lists).

    Notes
    -----
    A mean starts from a member and points on the diagonal where those of the others
    project to (chosen evenly along the diagonal if there are many): as many points as
    the largest diagram has, and in a second try twice as many. Each diagram is filled
    up with such points to the same number. Then the squared costs to all of them are,
    but for a constant, the one to the mean of their sorted lists, and a few steps down
    its gradient, which cost no more for many diagrams, lead to where they agree. From
    there the steps, halved until the squared cost does not rise, are down the gradient
    of E itself, in which the diagonal projections of the mean move with it. Points on
    the diagonal are left out before these steps, and at the end. What has the least
    mean of :math:`SW_M^2` is kept, if it is less than that of every member.

    A step costs O(M K (n + m) log(n + m)) for K diagrams of m and a mean of n points.
    Memory beside the diagrams stays below 256 MB for diagrams of less than about
    100000 points.

    Examples
    --------
    >>> found = sliced_mean([[(0, 1)], [(0, 1.2)], [(0.3, 1.1)]])
    >>> found.diagram.round(3).tolist()
    [[0.101, 1.099]]
    >>> halfway = sliced_mean([[(0, 1)], [(4, 6)]], weights=[0.5, 0.5])
    >>> halfway.diagram.round(1).tolist()
    [[4.5, 5.5], [0.3, 0.7]]
    """
    members = as_diagrams(X)
    if not members:
        raise DiagramError(
            "there are no diagrams to take the mean of: give one at least"
        )
    shares = _check_weights(weights, len(members))
    thetas = directions(n_directions, rule, random_state)
    steps = check_count(n_steps, "n_steps", 100_000)
    starts = check_count(n_starts, "n_starts")
    enough = check_not_negative(tolerance, "tolerance")
    workers = check_workers(n_jobs)
    counting = np.flatnonzero(shares)
    unit = _unit(members)
    lists = [
        _Lists([members[i] / unit for i in counting], shares[counting], thetas, room)
        for room in _rooms([len(members[i]) for i in counting])
    ]
    shortlist = lists[0].nearest_members(max(_SHORTLIST, starts))
    with Parallel(n_jobs=n_jobs, prefer="threads") as parallel:
        pulls = _Pulls(lists[-1], parallel, workers, progress)
        tries = len(lists) * min(starts, len(shortlist))
        pulls.expected = len(shortlist) + tries * (steps + 3)
        known = [pulls(lists[0].members[j]) for j in shortlist]
        order = np.argsort([place.cost for place in known], kind="stable")
        best, history, start = known[order[0]], [known[order[0]]], order[0]
        for j in order[:starts]:
            for filled in lists:
                cloud = filled.filled(shortlist[j])
                places = _find_mean(known[j], cloud, filled, pulls, steps, enough)
                if places[-1].cost < best.cost:
                    best, history, start = places[-1], places, j
        pulls.finish()
    with np.errstate(over="ignore"):
        return SlicedMean(
            as_diagram(_off_diagonal(best.points) * unit),
            np.array([place.cost for place in history]) * unit,
            np.array([place.squared for place in history]) * unit * unit,
            int(counting[shortlist[start]]),
        )


def _rooms(sizes: list[int]) -> list[int]:
    """How many points a mean may have: as the largest, and twice as many."""
    return sorted({max(sizes), min(sum(sizes), 2 * max(sizes))})


def sliced_means(
    X: DiagramSet,
    *,
    progress: Progress | None = None,
    **options: Any,
) -> DiagramSet:
    """Find the mean of each class, in each homology dimension.

    Parameters
    ----------
    X : DiagramSet
        Without labels, it is one class.
    progress : callable, optional
        Called as ``progress(done, total)`` means go by. An exception it raises stops
        the work.
    **options
        As in :func:`sliced_mean`: n_directions, rule, n_steps, n_starts, tolerance,
        random_state, n_jobs.

    Returns
    -------
    DiagramSet
        One sample a class, with its label and name, in the order of `X.classes`.

    Examples
    --------
    >>> few = DiagramSet({1: [[(0, 1)], [(0, 3)], [(0, 1.2)]]}, labels=["a", "b", "a"])
    >>> sliced_means(few).in_dimension(1)[0].round(1).tolist()
    [[0.0, 1.1]]
    """
    if not isinstance(X, DiagramSet):
        raise DiagramError(
            "sliced_means takes a DiagramSet with labels; sliced_mean(X) gives the "
            "mean of a list of diagrams"
        )
    if not len(X):
        raise DiagramError(
            "there are no diagrams to take the mean of: give one at least"
        )
    groups = [X] if X.labels is None else [X[X.labels == one] for one in X.classes]
    total = len(groups) * len(X.dimensions)
    means: dict[int, list[Diagram]] = {dimension: [] for dimension in X.dimensions}
    for done, (dimension, group) in enumerate(
        (dimension, group) for dimension in X.dimensions for group in groups
    ):
        inner = None if progress is None else _part_of(progress, done, total)
        members = group.in_dimension(dimension)
        means[dimension].append(sliced_mean(members, progress=inner, **options).diagram)
    return DiagramSet(
        means,
        labels=None if X.labels is None else X.classes,
        names=X.class_names or ("mean",),
        provenance={"sliced means of": dict(X.provenance)},
    )


def _part_of(progress: Progress, done: int, total: int) -> Progress:
    """Tell how far one of several tasks is, in parts of all of them."""
    return lambda now, of: progress(done * _PARTS + _PARTS * now // of, total * _PARTS)


def squared_pull(
    cloud: Floats, targets: Floats, thetas: Floats
) -> tuple[float, Floats]:
    r"""Squared cost of points and sorted lists, and its gradient.

    Parameters
    ----------
    cloud : ndarray of shape (n, 2)
    targets : ndarray of shape (M, n)
        For each direction, ascending.
    thetas : ndarray of shape (M,)

    Returns
    -------
    squared : float
        :math:`\tfrac12 \mathrm{mean}_\theta \sum_k (s_k - t_k)^2`, s the sorted
        projections of the points.
    gradient : ndarray of shape (n, 2)
        The mean of :math:`(s_k - t_k)\,u`, k the rank of the point.
    """
    gradient = np.zeros_like(cloud)
    squared = 0.0
    lines = max(1, _BLOCK // max(1, len(cloud)))
    for start in range(0, len(thetas), lines):
        u = _unit_vectors(thetas[start : start + lines])
        along = u @ cloud.T
        order = along.argsort(axis=-1)
        apart = np.take_along_axis(along, order, axis=-1)
        apart -= targets[start : start + lines]
        squared += float(np.einsum("ij,ij->", apart, apart))
        np.put_along_axis(along, order, apart, axis=-1)
        gradient += along.T @ u
    return squared / (2 * len(thetas)), gradient / len(thetas)


def _descent(
    cloud: Floats, targets: Floats, thetas: Floats, share: float
) -> Iterator[tuple[Floats, float]]:
    """Go down the gradient; yield points and squared cost of each step that does."""
    longest = share / _stiffness(thetas)
    squared, gradient = squared_pull(cloud, targets, thetas)
    while True:
        for halving in range(_HALVINGS):
            moved = _settled(cloud - longest * 0.5**halving * gradient)
            less, next_gradient = squared_pull(moved, targets, thetas)
            if less < squared:
                break
        else:
            return
        cloud, squared, gradient = moved, less, next_gradient
        yield cloud, squared


def _sweeps(
    cloud: Floats, goal: Floats, n_directions: int, random: np.random.Generator
) -> Iterator[Floats]:
    """Go along a few directions at a time; yield points after about `n_directions`."""
    cloud = cloud.copy()
    moving = places = np.arange(len(cloud))
    near = _NEAR * np.ptp(np.concatenate([cloud, goal])) / len(cloud) ** 0.5
    few = min(_FEW, n_directions)
    while len(moving):
        for _ in range(-(-n_directions // few)):
            thetas = np.pi * (np.arange(few) + random.random()) / few
            targets = _sorted_along(goal[places], thetas)
            _, gradient = squared_pull(cloud[moving], targets, thetas)
            cloud[moving] = _settled(cloud[moving] - gradient / _stiffness(thetas))
        arrived, at = _arrivals(cloud[moving], goal[places], near)
        cloud[moving[arrived]] = goal[places[at]]
        moving, places = np.delete(moving, arrived), np.delete(places, at)
        yield cloud.copy()


def _arrivals(cloud: Floats, goal: Floats, near: float) -> tuple[Ints, Ints]:
    """Find points and places that are nearest to each other, and near."""
    apart, place = cKDTree(goal).query(cloud)
    _, point = cKDTree(cloud).query(goal)
    arrived = np.flatnonzero((point[place] == np.arange(len(cloud))) & (apart <= near))
    return arrived, place[arrived]


@dataclass(frozen=True)
class _Place:
    """Points on the way to a mean, and what pulls at them.

    `cost` is the root of the mean of squared SW_M to the diagrams, and `squared` the
    mean of E, with its gradient.
    """

    points: Floats
    cost: float
    squared: float
    gradient: Floats


def _find_mean(
    start: _Place,
    cloud: Floats,
    lists: _Lists,
    pulls: _Pulls,
    steps: int,
    enough: float,
) -> list[_Place]:
    """Go from a member, filled up to a cloud, down the squared cost."""
    history = [start]
    if start.squared == 0:
        return history
    for points in (_off_diagonal(_carry(cloud, lists)), cloud):
        place = pulls(points)
        if place.squared < start.squared:
            history.append(place)
            break
    half = 0.5 / _stiffness(lists.thetas)
    for _ in range(steps):
        place = history[-1]
        # Along the diagonal the projection is pulled too, and twice as stiff.
        along = place.gradient.mean(axis=1, keepdims=True)
        step = half * (2 * place.gradient - along)
        for halving in range(_HALVINGS):
            following = pulls(_settled(place.points - 0.5**halving * step))
            if following.squared < place.squared:
                break
        else:
            break
        history.append(following)
        if following.squared >= (1 - enough) * place.squared:
            break
    return history


def _carry(cloud: Floats, lists: _Lists) -> Floats:
    """Carry points to the mean of lists, until a step gains little."""
    before, _ = squared_pull(cloud, lists.mean, lists.thetas)
    for moved, squared in islice(
        _descent(cloud, lists.mean, lists.thetas, 1.0), _CARRIES
    ):
        cloud = moved
        if squared > (1 - _STALLED) * before:
            break
        before = squared
    return cloud


class _Lists:
    """Diagrams, filled up to one number of points with places on the diagonal.

    The squared costs of a cloud to all of their sorted lists add up, but for a
    constant, to the one to the lists' mean.
    """

    def __init__(
        self, members: list[Diagram], weights: Floats, thetas: Floats, n_points: int
    ) -> None:
        self.members, self.weights, self.thetas = members, weights, thetas
        self.n_points = n_points
        sizes = np.array([len(member) for member in members])
        middles = np.concatenate([_middles(member) for member in members])
        order = np.argsort(middles, kind="stable")
        self._middles = middles[order]
        self._owners = np.repeat(np.arange(len(members)), sizes)[order]
        self.mean = np.zeros((len(thetas), self.n_points))
        for index, weight in enumerate(weights):
            self.mean += weight * _sorted_along(self.filled(index), thetas)

    def filled(self, index: int) -> Floats:
        """Fill up one of them with places where points of the others project to."""
        others = self._middles[self._owners != index]
        missing = self.n_points - len(self.members[index])
        evenly = ((np.arange(missing) + 0.5) * (len(others) / max(1, missing))).astype(
            np.intp
        )
        places = others[evenly]
        return np.concatenate([self.members[index], np.stack([places, places], axis=1)])

    def nearest_members(self, count: int) -> Ints:
        """Find those whose lists are nearest to the mean of all."""
        apart = [
            np.square(_sorted_along(self.filled(index), self.thetas) - self.mean).sum()
            for index in range(len(self.members))
        ]
        return np.argsort(apart, kind="stable")[:count]


class _Pulls:
    """Costs of points to diagrams, with the gradient of the squared ones.

    Diagrams of similar size are projected and sorted together, and once if there is
    room to keep that.
    """

    def __init__(
        self,
        lists: _Lists,
        parallel: Parallel,
        workers: int,
        progress: Progress | None,
    ) -> None:
        self.thetas, self.parallel, self.workers = lists.thetas, parallel, workers
        self.progress = progress
        self.expected = self._rounds = 0
        sizes = np.array([len(member) for member in lists.members])
        self.count = len(sizes)
        line = len(lists.thetas) * (lists.n_points + 1)
        self.groups: list[_Group] = []
        order = np.argsort(sizes, kind="stable")
        together = max(1, _BLOCK // max(1, line + len(lists.thetas) * sizes.max()))
        keep = 16 * len(lists.thetas) * int(sizes.sum()) <= _MEMORY
        for first in range(0, len(order), together):
            some = order[first : first + together]
            members = [lists.members[i] for i in some]
            group = _Group(members, lists.weights[some], lists.thetas, keep)
            self.groups.append(group)

    def __call__(self, points: Floats) -> _Place:
        along, feet = project(points, self.thetas)
        orders = along.argsort(axis=-1), feet.argsort(axis=-1)
        own = (
            np.take_along_axis(along, orders[0], axis=-1),
            np.take_along_axis(feet, orders[1], axis=-1),
        )
        spread = squared = 0.0
        forces = np.zeros_like(along), np.zeros_like(feet)
        lines = len(self.thetas)
        done = 0
        # Rounds of tasks, so that an exception from `progress` leaves none behind.
        for first in range(0, len(self.groups), self.workers):
            some = self.groups[first : first + self.workers]
            found = self.parallel(delayed(group.pull)(*own) for group in some)
            for group, (costs, squares, *parts) in zip(some, found, strict=True):
                spread += float(group.weights @ np.square(costs / lines))
                squared += squares / (2 * lines)
                for force, part in zip(forces, parts, strict=True):
                    force += part
                done += len(group.weights)
            self._tell(done)
        self._rounds += 1
        for force, order in zip(forces, orders, strict=True):
            np.put_along_axis(force, order, force.copy(), axis=-1)
        u = _unit_vectors(self.thetas)
        gradient = forces[0].T @ u
        # A foot moves on the diagonal only, and half as far in each coordinate.
        gradient -= (forces[1].T @ u).mean(axis=1, keepdims=True)
        return _Place(points, spread**0.5, squared, gradient / lines)

    def _tell(self, done: int) -> None:
        if self.progress is not None:
            total = self.expected * self.count
            self.progress(min(self._rounds * self.count + done, total), total)

    def finish(self) -> None:
        """Tell that all is done, however little it was."""
        if self.progress is not None:
            total = self.expected * self.count
            self.progress(total, total)


class _Group:
    """Some diagrams, and what they have to do with sorted projections of points."""

    def __init__(
        self, members: list[Diagram], weights: Floats, thetas: Floats, keep: bool
    ) -> None:
        self.members, self.weights, self.thetas = members, weights, thetas
        self._kept = self._project(thetas) if keep else None

    def _project(self, thetas: Floats) -> tuple[Floats, Floats]:
        points, feet = project(pad(self.members), thetas)
        sizes = np.array([len(member) for member in self.members])
        # What fills up short lists is at the end of both, where it costs nothing.
        beyond = np.arange(points.shape[-1]) >= sizes[:, None, None]
        for along in (points, feet):
            np.copyto(along, _FAR, where=beyond)
            along.sort(axis=-1)
        return points, feet

    def pull(
        self, own: Floats, own_feet: Floats
    ) -> tuple[Floats, float, Floats, Floats]:
        """Add up costs, squares and forces on sorted points and on their feet.

        Parameters
        ----------
        own, own_feet : ndarrays of shape (M, n)
        """
        width = own.shape[1] + max(len(member) for member in self.members)
        lines = max(1, _BLOCK // max(1, len(self.members) * width))
        parts = []
        for start in range(0, len(self.thetas), lines):
            block = slice(start, start + lines)
            if self._kept is None:
                points, feet = self._project(self.thetas[block])
            else:
                points, feet = (along[:, block] for along in self._kept)
            parts.append(self._merge(own[block], own_feet[block], points, feet))
        costs, squares, forces, feet_forces = zip(*parts, strict=True)
        added: Floats = np.sum(costs, axis=0)
        return (
            added,
            sum(squares),
            np.concatenate(forces),
            np.concatenate(feet_forces),
        )

    def _merge(
        self, own: Floats, own_feet: Floats, points: Floats, feet: Floats
    ) -> tuple[Floats, float, Floats, Floats]:
        count, lines, m = points.shape
        n = own.shape[1]
        source = np.empty((count, lines, n + m))
        target = np.empty_like(source)
        source[..., :n], source[..., n:] = own, feet
        target[..., :m], target[..., m:] = points, own_feet
        # Both are two ascending runs, which a stable sort merges.
        by_source = source.argsort(axis=-1, kind="stable")
        by_target = target.argsort(axis=-1, kind="stable")
        apart = np.take_along_axis(source, by_source, axis=-1)
        apart -= np.take_along_axis(target, by_target, axis=-1)
        # Not by dot products, for which BLAS would wake its threads each time.
        return (
            np.abs(apart).sum(axis=(1, 2)),
            float(np.einsum("i,ijk,ijk->", self.weights, apart, apart)),
            self._weigh(apart, by_source < n),
            self._weigh(apart, by_target >= m),
        )

    def _weigh(self, apart: Floats, wanted: NDArray[np.bool_]) -> Floats:
        """Add up what is wanted: as many numbers of each line, in their order."""
        count, lines, _ = apart.shape
        chosen = apart.compress(wanted.ravel()).reshape(count, lines, -1)
        added: Floats = np.einsum("i,ijk->jk", self.weights, chosen)
        return added


def _check_weights(weights: ArrayLike | None, count: int) -> Floats:
    if weights is None:
        return np.full(count, 1 / count)
    try:
        given = np.array(weights, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        given = np.empty(0)
    fits = given.shape == (count,) and bool(np.isfinite(given).all())
    if not fits or (given < 0).any() or not given.any():
        raise ParameterError(
            f"weights must be {count} numbers of at least 0, one a diagram, and not "
            "all of them 0"
        )
    given /= given.max()
    return given / given.sum()


def _unit(diagrams: Sequence[Diagram]) -> float:
    """Return the power of two in which all coordinates are below 2, for squares."""
    largest = max((np.abs(one).max(initial=0.0) for one in diagrams), default=0.0)
    return float(np.ldexp(1.0, int(np.frexp(largest)[1]) - 1)) if largest else 1.0


def _unit_vectors(thetas: Floats) -> Floats:
    return np.stack([np.cos(thetas), np.sin(thetas)], axis=1)


def _stiffness(thetas: Floats) -> float:
    """Return how strong a pull can be at a distance of 1: 1/2 for even directions."""
    u = _unit_vectors(thetas)
    return float(np.linalg.eigvalsh(u.T @ u / len(u))[-1])


def _sorted_along(cloud: Floats, thetas: Floats) -> Floats:
    along = _unit_vectors(thetas) @ cloud.T
    along.sort(axis=-1)
    return along


def _middles(diagram: Floats) -> Floats:
    return diagram[:, 0] / 2 + diagram[:, 1] / 2


def _feet(diagram: Floats) -> Floats:
    middles = _middles(diagram)
    return np.stack([middles, middles], axis=1)


def _settled(cloud: Floats) -> Floats:
    """Set points that have crossed the diagonal onto it."""
    below = cloud[:, 1] < cloud[:, 0]
    cloud[below] = _feet(cloud[below])
    return cloud


def _off_diagonal(points: Floats) -> Floats:
    return points[points[:, 1] > points[:, 0]]
