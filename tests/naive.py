"""Slow, obvious oracles. Nothing here is imported from swviz."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np


def project_to_diagonal(point):
    middle = (point[0] + point[1]) / 2
    return (middle, middle)


def slice_cost(A, B, theta):
    """W(theta): project, sort, subtract."""
    u = (math.cos(theta), math.sin(theta))
    first = [tuple(p) for p in A] + [project_to_diagonal(q) for q in B]
    second = [tuple(q) for q in B] + [project_to_diagonal(p) for p in A]
    v1 = sorted(p[0] * u[0] + p[1] * u[1] for p in first)
    v2 = sorted(p[0] * u[0] + p[1] * u[1] for p in second)
    return math.fsum(abs(x - y) for x, y in zip(v1, v2, strict=True))


def algorithm_1(A, B, M):
    """The paper's Algorithm 1, line by line."""
    total, theta, s = 0.0, -math.pi / 2, math.pi / M
    for _ in range(M):
        total += s * slice_cost(A, B, theta)
        theta += s
    return total / math.pi


def integral_of_absolute_cosine(start, width):
    """The integral of |cos| over [start, start + width]."""

    def primitive(x):
        # |cos| has period pi and integral 2 over it.
        periods = math.floor((x + math.pi / 2) / math.pi)
        return 2 * periods + math.sin(x - periods * math.pi)

    return primitive(start + width) - primitive(start)


def algorithm_2(A, B, jitter=1e-9, seed=0):
    """The paper's Algorithm 2, with the perturbation that its text asks for.

    As printed, the last integral has cos where the proof of Theorem 3.4, from which it
    is taken, has |cos|: the sign of a matched pair's projected difference may change
    between two events, so the absolute value is needed and used here.
    """
    rng = np.random.default_rng(seed)
    sides = []
    for own, other in ((A, B), (B, A)):
        points = [tuple(p) for p in own] + [project_to_diagonal(q) for q in other]
        sides.append(np.array(points) + jitter * rng.standard_normal((len(points), 2)))
    n = len(sides[0])
    schedules = []  # B_i: for each position on the line, (point, angle until which)
    for points in sides:
        events = []
        for j, k in itertools.combinations(range(n), 2):
            dx, dy = points[j] - points[k]
            # The direction orthogonal to the pair, as an angle in [-pi/2, pi/2].
            events.append(
                (math.atan2(-dx, dy) if dy >= 0 else math.atan2(dx, -dy), j, k)
            )
        events.sort()
        start = sorted(range(n), key=lambda j: -points[j][1])
        position = {j: place for place, j in enumerate(start)}
        schedule = [[] for _ in range(n)]
        for angle, j, k in events:
            schedule[position[j]].append((points[j], angle))
            schedule[position[k]].append((points[k], angle))
            position[j], position[k] = position[k], position[j]
        for j in range(n):
            schedule[position[j]].append((points[j], math.pi / 2))
        schedules.append(schedule)
    total = []
    for place in range(n):
        first, second = schedules[0][place], schedules[1][place]
        k1 = k2 = 0
        low = -math.pi / 2
        while k1 < len(first) and k2 < len(second):
            high = min(first[k1][1], second[k2][1])
            dx, dy = first[k1][0] - second[k2][0]
            angle = low - math.atan2(dy, dx)
            total.append(
                math.hypot(dx, dy) * integral_of_absolute_cosine(angle, high - low)
            )
            low = high
            if first[k1][1] == high:
                k1 += 1
            if k2 < len(second) and second[k2][1] == high:
                k2 += 1
    return math.fsum(total) / math.pi


def exact_by_pieces(A, B):
    """SW by the closed form of W between all angles at which two atoms project alike.

    Between such angles the order of all projections is fixed, so W(theta) is the inner
    product of u(theta) with a fixed vector, and its integral is known.
    """
    first = [tuple(p) for p in A] + [project_to_diagonal(q) for q in B]
    second = [tuple(q) for q in B] + [project_to_diagonal(p) for p in A]
    if not first:
        return 0.0
    first, second = np.array(first, dtype=float), np.array(second, dtype=float)
    atoms = np.concatenate([first, second])
    i, j = np.triu_indices(len(atoms), 1)
    dx, dy = (atoms[i] - atoms[j]).T
    apart = (dx != 0) | (dy != 0)
    events = np.arctan2(-dx[apart], dy[apart])
    events = np.mod(events + np.pi / 2, np.pi) - np.pi / 2
    ends = np.unique([-np.pi / 2, *events, np.pi / 2])
    pieces = []
    for low, high in itertools.pairwise(ends):
        middle = (low + high) / 2
        u = np.array([np.cos(middle), np.sin(middle)])
        difference = first[np.argsort(first @ u)] - second[np.argsort(second @ u)]
        vector = np.sign(difference @ u) @ difference
        pieces.append(vector[0] * (math.sin(high) - math.sin(low)))
        pieces.append(-vector[1] * (math.cos(high) - math.cos(low)))
    return math.fsum(pieces) / math.pi


def matching_cost(A, B, pairs, p):
    """Cost of a partial matching: index pairs, everything else to the diagonal."""
    costs = [max(abs(A[i][0] - B[j][0]), abs(A[i][1] - B[j][1])) for i, j in pairs]
    used_a, used_b = {i for i, _ in pairs}, {j for _, j in pairs}
    costs += [(q[1] - q[0]) / 2 for i, q in enumerate(A) if i not in used_a]
    costs += [(q[1] - q[0]) / 2 for j, q in enumerate(B) if j not in used_b]
    if p == math.inf:
        return max(costs, default=0.0)
    return math.fsum(c**p for c in costs) ** (1 / p)


def diagram_distance(A, B, p):
    """The least cost over all partial matchings: tiny diagrams only."""
    best = math.inf
    for size in range(min(len(A), len(B)) + 1):
        for rows in itertools.combinations(range(len(A)), size):
            for columns in itertools.permutations(range(len(B)), size):
                pairs = list(zip(rows, columns, strict=True))
                best = min(best, matching_cost(A, B, pairs, p))
    return best


def exact_diagram_distance(A, B, p):
    """d_p in whole numbers: binary fractions, scaled; one rounding at the end.

    The Hungarian method on the n + m square matrix with copies of the diagonal. For
    p = inf the order of the costs is all that matters, and each is made larger than the
    sum of all smaller ones.
    """
    numbers = [Fraction(float(x)) for point in (*A, *B) for x in point]
    scale = 2 * math.lcm(*(number.denominator for number in numbers))
    a, b = ([[int(Fraction(float(x)) * scale) for x in q] for q in D] for D in (A, B))
    costs = [
        [max(abs(q[0] - r[0]), abs(q[1] - r[1])) for r in b]
        + [(q[1] - q[0]) // 2] * len(a)
        for q in a
    ] + [[(r[1] - r[0]) // 2 for r in b] + [0] * len(a) for _ in b]
    if p == math.inf:
        values = sorted({cost for row in costs for cost in row} - {0})
        power = {0: 0} | {
            value: (len(costs) + 1) ** place for place, value in enumerate(values)
        }
    else:
        power = {cost: cost**p for row in costs for cost in row}
    chosen = hungarian([[power[cost] for cost in row] for row in costs])
    picked = [costs[row][column] for row, column in enumerate(chosen)]
    if p == math.inf:
        return float(Fraction(max(picked, default=0), scale))
    with localcontext(prec=60, Emin=-999999, Emax=999999):
        total = Decimal(sum(cost**p for cost in picked))
        return float((total.ln() / p).exp() / scale) if total else 0.0


def hungarian(costs):
    """Columns of the rows in the cheapest full assignment of a square matrix."""
    size = len(costs)
    u, v, owner = [0] * (size + 1), [0] * (size + 1), [0] * (size + 1)
    for row in range(1, size + 1):
        owner[0], column = row, 0
        least, way = [None] * (size + 1), [0] * (size + 1)
        used = [False] * (size + 1)
        while owner[column]:
            used[column] = True
            here, delta, following = owner[column], None, 0
            for j in range(1, size + 1):
                if used[j]:
                    continue
                reduced = costs[here - 1][j - 1] - u[here] - v[j]
                if least[j] is None or reduced < least[j]:
                    least[j], way[j] = reduced, column
                if delta is None or least[j] < delta:
                    delta, following = least[j], j
            for j in range(size + 1):
                if used[j]:
                    u[owner[j]] += delta
                    v[j] -= delta
                elif least[j] is not None:
                    least[j] -= delta
            column = following
        while column:
            owner[column] = owner[way[column]]
            column = way[column]
    columns = [0] * size
    for j in range(1, size + 1):
        columns[owner[j] - 1] = j - 1
    return columns


def pss(A, B, t):
    """The paper's k_PSS, term by term."""
    total = []
    for x, y in A:
        for a, b in B:
            total.append(math.exp(-((x - a) ** 2 + (y - b) ** 2) / (8 * t)))
            total.append(-math.exp(-((x - b) ** 2 + (y - a) ** 2) / (8 * t)))
    return math.fsum(total) / (8 * math.pi * t)


def pwg(A, B, K, rho, tau, p, squared=False):
    """The paper's k_PWG, term by term; with the norm squared on demand."""

    def inner(D, E):
        return math.fsum(
            math.atan(K * (y - x) ** p)
            * math.atan(K * (b - a) ** p)
            * math.exp(-((x - a) ** 2 + (y - b) ** 2) / (2 * rho**2))
            for x, y in D
            for a, b in E
        )

    norm = max(inner(A, A) + inner(B, B) - 2 * inner(A, B), 0) ** 0.5
    return math.exp(-(norm**2 if squared else norm) / (2 * tau**2))


def mmd_squared(gram, n):
    """The biased estimate of the squared maximum mean discrepancy."""
    m = len(gram) - n
    first, second = range(n), range(n, n + m)
    return (
        math.fsum(gram[i][j] for i in first for j in first) / n**2
        + math.fsum(gram[i][j] for i in second for j in second) / m**2
        - 2 * math.fsum(gram[i][j] for i in first for j in second) / (n * m)
    )


def squared_list_cost(first, second, thetas):
    """Half the mean over directions of squared differences in sorted order."""
    total = []
    for theta in thetas:
        u = (math.cos(theta), math.sin(theta))
        v1 = sorted(p[0] * u[0] + p[1] * u[1] for p in first)
        v2 = sorted(p[0] * u[0] + p[1] * u[1] for p in second)
        total += [(x - y) ** 2 for x, y in zip(v1, v2, strict=True)]
    return math.fsum(total) / (2 * len(thetas))


def squared_sliced_cost(A, B, thetas):
    """The squared cost of two diagrams, each with the other's diagonal projections."""
    first = [tuple(p) for p in A] + [project_to_diagonal(q) for q in B]
    second = [tuple(q) for q in B] + [project_to_diagonal(p) for p in A]
    return squared_list_cost(first, second, thetas)


def gradient(function, points, step):
    """Central differences of a function of points."""
    found = np.zeros_like(points)
    for index in np.ndindex(points.shape):
        moved = [points.copy(), points.copy()]
        moved[0][index] -= step
        moved[1][index] += step
        found[index] = (function(moved[1]) - function(moved[0])) / (2 * step)
    return found
