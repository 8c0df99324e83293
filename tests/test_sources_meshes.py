"""Triangle meshes: checks, geodesics, and loops against GUDHI and known values."""

import heapq

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swviz.errors import ParameterError
from swviz.sources.meshes import TriangleMesh, as_mesh
from tests.mesh_samples import (
    TETRAHEDRON,
    book,
    grid,
    pinched,
    sphere,
    two_pieces,
)

BALL = sphere(60, seed=0)
TORUS = grid(6, 8, closed=True)


def in_order(diagram):
    return diagram[np.lexsort(diagram.T)]


def brute_force_loops(mesh, values):
    """H1 by reducing the boundary matrix of the lower-star filtration mod 2."""
    simplices = [(v,) for v in range(len(mesh.vertices))]
    simplices += [tuple(edge) for edge in mesh.edges.tolist()]
    simplices += [tuple(sorted(face)) for face in mesh.faces.tolist()]
    height = {s: max(values[list(s)]) for s in simplices}
    simplices.sort(key=lambda s: (height[s], len(s), s))
    index = {s: i for i, s in enumerate(simplices)}
    reduced, finite, creators = {}, [], set()
    for s in simplices:
        column = {index[s[:i] + s[i + 1 :]] for i in range(len(s)) if len(s) > 1}
        while column and max(column) in reduced:
            column ^= reduced[max(column)]
        if column:
            low = max(column)
            reduced[low] = column
            creators.discard(simplices[low])
            if len(simplices[low]) == 2 and height[simplices[low]] < height[s]:
                finite.append((height[simplices[low]], height[s]))
        else:
            creators.add(s)
    essential = [(height[s], values.max()) for s in creators if len(s) == 2]
    return np.array(finite).reshape(-1, 2), np.array(essential).reshape(-1, 2)


def simple_dijkstra(mesh, source):
    neighbours = {v: [] for v in range(len(mesh.vertices))}
    for a, b in mesh.edges.tolist():
        length = np.linalg.norm(mesh.vertices[a] - mesh.vertices[b])
        neighbours[a].append((b, length))
        neighbours[b].append((a, length))
    distances, queue = {}, [(0.0, source)]
    while queue:
        distance, vertex = heapq.heappop(queue)
        if vertex not in distances:
            distances[vertex] = distance
            for other, length in neighbours[vertex]:
                heapq.heappush(queue, (distance + length, other))
    return np.array([distances[v] for v in range(len(mesh.vertices))])


@pytest.mark.parametrize("mesh", [BALL, TORUS, book(), grid(4, 5, closed=False)])
def test_distances_are_shortest_paths(mesh):
    for source in (0, 3):
        np.testing.assert_allclose(
            mesh.distances_from([source])[0], simple_dijkstra(mesh, source), rtol=1e-12
        )


def test_coinciding_vertices_are_at_distance_zero():
    flat = TriangleMesh(np.zeros((3, 3)), np.array([(0, 1, 2)]))
    np.testing.assert_array_equal(flat.distances_from([0]), np.zeros((1, 3)))


@pytest.mark.parametrize(
    ("mesh", "is_closed", "euler"),
    [
        (TETRAHEDRON, True, 2),
        (BALL, True, 2),
        (TORUS, True, 0),
        (grid(4, 5, closed=False), False, 1),
        (book(), False, 1),
        (pinched(), False, 3),
        (two_pieces(), False, 4),
    ],
    ids=["tetrahedron", "sphere", "torus", "rectangle", "book", "pinched", "two"],
)
def test_topology(mesh, is_closed, euler):
    assert mesh.is_closed_surface == is_closed
    assert mesh.euler_characteristic == euler


def test_a_face_given_twice_is_not_a_closed_surface():
    pillow = TriangleMesh(np.eye(3), np.array([(0, 1, 2), (2, 1, 0)]))
    assert not pillow.is_closed_surface
    assert len(pillow.loop_diagram(np.arange(3.0), "cap")) == 0


@given(
    mesh=st.sampled_from(
        [
            TETRAHEDRON,
            sphere(12, seed=3),
            grid(3, 4, closed=True),
            grid(3, 4, closed=False),
            pinched(),
            book(),
            two_pieces(),
        ]
    ),
    seed=st.integers(0, 2**32 - 1),
    has_ties=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_loops_agree_with_matrix_reduction(mesh, seed, has_ties):
    rng = np.random.default_rng(seed)
    values = rng.random(len(mesh.vertices))
    if has_ties:
        values = np.round(3 * values)
    finite, essential = brute_force_loops(mesh, values)
    np.testing.assert_array_equal(
        in_order(mesh.loop_diagram(values, "drop")), in_order(finite)
    )
    np.testing.assert_array_equal(
        in_order(mesh.loop_diagram(values, "cap")),
        in_order(np.concatenate([finite, essential])),
    )


def test_loops_by_duality_agree_with_gudhi_on_distances():
    for mesh in (sphere(400, 5), grid(20, 30, closed=True)):
        for distances in mesh.distances_from(range(0, len(mesh.vertices), 50)):
            by_gudhi = mesh._loops_by_gudhi(distances)
            np.testing.assert_array_equal(
                in_order(mesh._loops_by_duality(distances)),
                in_order(by_gudhi[np.isfinite(by_gudhi[:, 1])]),
            )


def test_a_torus_has_two_loops_that_nothing_fills():
    distances = TORUS.distances_from([0])[0]
    dropped, capped = (TORUS.loop_diagram(distances, e) for e in ("drop", "cap"))
    assert len(capped) == len(dropped) + 2
    assert (capped[:, 1] == distances.max()).sum() >= 2


def test_loops_do_not_depend_on_numbering_or_position():
    rng = np.random.default_rng(0)
    order = rng.permutation(60)
    moved = TriangleMesh(
        BALL.vertices[order] + np.array([3, 4, 5]),
        np.argsort(order)[BALL.faces][::-1, ::-1],
    )
    before = BALL.loop_diagram(BALL.distances_from([order[7]])[0])
    after = moved.loop_diagram(moved.distances_from([7])[0])
    np.testing.assert_allclose(in_order(after), in_order(before), rtol=1e-12)


def test_a_disconnected_mesh_is_refused_or_cut():
    mesh = two_pieces()
    with pytest.raises(ParameterError, match="2 connected components"):
        as_mesh(mesh)
    with pytest.raises(ParameterError, match="2 connected components"):
        mesh.distances_from([0])
    largest, kept = as_mesh(mesh, "largest")
    assert largest.is_closed_surface
    assert kept.tolist() == [True] * 30 + [False] * 4
    np.testing.assert_array_equal(largest.vertices, mesh.vertices[:30])


def test_vertices_without_faces_are_counted():
    loose = TriangleMesh(np.eye(3).repeat(2, axis=0), np.array([(0, 2, 4)]))
    with pytest.raises(
        ParameterError, match=r"4 connected.*3 of them vertices without"
    ):
        as_mesh(loose)


@pytest.mark.parametrize(
    ("vertices", "faces", "message"),
    [
        (np.eye(3), [(0, 1, 3)], "face 0 .* index outside of the 3 vertices"),
        (np.eye(3), [(0, 1, 2), (0, -1, 2)], "face 1 .* outside"),
        (np.eye(3), [(0, 1, 1)], "repeats a vertex"),
        (np.eye(3), [(1, 0, 1), (0, 0, 2)], "repeats a vertex.*so do 1 more"),
        (np.eye(3), [(0, 1, 2, 1)], "all triangles"),
        (np.eye(3), [(0.0, 1.0, 2.0)], "must be integers"),
        (np.eye(3), np.empty((0, 3), int), "no faces"),
        (np.eye(3)[:, :2], [(0, 1, 2)], r"shape \(n, 3\)"),
        (np.diag([1, np.nan, 1]), [(0, 1, 2)], "vertex 1 .* not finite"),
    ],
)
def test_broken_meshes_are_refused(vertices, faces, message):
    with pytest.raises(ParameterError, match=message):
        TriangleMesh(vertices, np.array(faces))
