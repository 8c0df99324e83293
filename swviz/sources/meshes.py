"""Triangle meshes: checks, geodesic distances, and loops in sublevel sets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

from swviz.diagrams import Diagram
from swviz.errors import ParameterError
from swviz.results import Result
from swviz.sources.persistence import FIELD, Essential, load_gudhi, settle

MAX_VERTICES = 300_000

Disconnected = Literal["error", "largest"]


class HasTriangles(Protocol):
    """Anything with vertices and triangles, such as a loaded OFF file."""

    @property
    def vertices(self) -> NDArray[Any]:
        """Coordinates, of shape (n_vertices, 3)."""

    @property
    def faces(self) -> NDArray[Any]:
        """Vertices of each triangle, of shape (n_faces, 3)."""


@dataclass(frozen=True, eq=False, repr=False)
class TriangleMesh(Result):
    """A triangle mesh, checked once, with its edge graph.

    Parameters
    ----------
    vertices : array-like of shape (n_vertices, 3)
    faces : array-like of shape (n_faces, 3)
        Indices of vertices, from 0.

    Raises
    ------
    ParameterError
        If coordinates are not finite, a face has an index out of range or repeats a
        vertex, or the mesh is empty or too large.

    Notes
    -----
    Open meshes, edges with three or more faces and meshes of several components are
    meshes too; `is_closed_surface` and `n_components` tell.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]

    def __post_init__(self) -> None:
        vertices = _check_vertices(self.vertices)
        faces = _check_faces(self.faces, len(vertices))
        for name, array in (("vertices", vertices), ("faces", faces)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        return {"vertices": str(len(self.vertices)), "faces": str(len(self.faces))}

    @cached_property
    def edges(self) -> NDArray[np.int64]:
        """The edges, of shape (n_edges, 2), the lower vertex first."""
        return np.stack(np.divmod(np.unique(self._sides), len(self.vertices)), axis=1)

    @cached_property
    def graph(self) -> csr_array:
        """Edge lengths as a symmetric sparse matrix."""
        start, end = self.edges.T
        lengths = np.linalg.norm(self.vertices[start] - self.vertices[end], axis=1)
        return coo_array(
            (np.tile(lengths, 2), (np.r_[start, end], np.r_[end, start])),
            shape=(len(self.vertices),) * 2,
        ).tocsr()

    @cached_property
    def components(self) -> NDArray[np.int64]:
        """Number of the connected component of each vertex, from 0."""
        return connected_components(self.graph, directed=False)[1].astype(np.int64)

    @property
    def n_components(self) -> int:
        """How many connected components there are; a vertex without faces is one."""
        return int(self.components.max()) + 1

    @property
    def euler_characteristic(self) -> int:
        """Vertices minus edges plus faces: 2 for a sphere, 0 for a torus."""
        return len(self.vertices) - len(self.edges) + len(self.faces)

    @cached_property
    def is_closed_surface(self) -> bool:
        """Whether the mesh is one connected surface without boundary.

        Every edge has two faces, and the faces around every vertex form one ring.
        """
        faces_per_edge = np.unique(self._sides, return_counts=True)[1]
        size = len(self.vertices)
        face_numbers = np.sort(self.faces, axis=1) @ (size * size, size, 1)
        n_distinct = len(np.unique(face_numbers))
        return bool(
            (faces_per_edge == 2).all()
            and n_distinct == len(self.faces)
            and self.n_components == 1
            and self._n_fans() == len(self.vertices)
        )

    @property
    def _sides(self) -> NDArray[np.int64]:
        """The three sides of each face, face after face.

        A side is one number, ``lower vertex * n_vertices + upper vertex``, because
        numbers are sorted much faster than pairs.
        """
        pairs = self.faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
        return np.sort(pairs, axis=1) @ (len(self.vertices), 1)

    def _n_fans(self) -> int:
        """Count the rings of faces around vertices, if every edge has two faces.

        A corner is a face at one of its vertices. Faces that share an edge join
        their corners at both ends of it; what is joined is a ring.
        """
        sides = self._sides
        order = np.argsort(sides, kind="stable")
        first, second = (order // 3).reshape(-1, 2).T
        ends = np.divmod(sides[order[::2]], len(self.vertices))
        links = []
        for end in ends:
            place_in_first = np.argmax(self.faces[first] == end[:, None], axis=1)
            place_in_second = np.argmax(self.faces[second] == end[:, None], axis=1)
            links.append((3 * first + place_in_first, 3 * second + place_in_second))
        rows, columns = np.concatenate(links, axis=1)
        joined = coo_array(
            (np.ones(len(rows)), (rows, columns)), (3 * len(self.faces),) * 2
        )
        return int(connected_components(joined, directed=False)[0])

    def largest_component(self) -> tuple[TriangleMesh, NDArray[np.bool_]]:
        """Return the component with most vertices.

        Returns
        -------
        mesh : TriangleMesh
            With vertices renumbered in their old order.
        kept : ndarray of bool of shape (n_vertices,)
            The vertices of this mesh that are in it.
        """
        kept = self.components == np.argmax(np.bincount(self.components))
        renumbered = np.cumsum(kept) - 1
        faces = self.faces[kept[self.faces[:, 0]]]
        return TriangleMesh(self.vertices[kept], renumbered[faces]), kept

    def distances_from(self, sources: ArrayLike) -> NDArray[np.float64]:
        """Geodesic distances along the edges of the mesh.

        Parameters
        ----------
        sources : array-like of int of shape (n_sources,)

        Returns
        -------
        ndarray of shape (n_sources, n_vertices)

        Notes
        -----
        Shortest paths in the edge graph (Dijkstra) are somewhat longer than the
        shortest on the surface; the finer and the rounder the triangles, the less.
        """
        if self.n_components > 1:
            raise ParameterError(
                f"this mesh has {self.n_components} connected components, so that some "
                'distances are infinite: disconnected="largest" keeps the largest'
            )
        distances: NDArray[np.float64] = dijkstra(self.graph, indices=sources)
        return distances

    def loop_diagram(
        self, values: NDArray[np.float64], essential: Essential = "drop"
    ) -> Diagram:
        """1-dimensional diagram of the sublevel sets of a function on the vertices.

        Parameters
        ----------
        values : ndarray of shape (n_vertices,)
            A face enters with the greatest value among its vertices.
        essential : {"drop", "cap"}, default="drop"
            Loops that nothing fills, as around the hole of a torus or along a
            boundary, are left out, or die at the greatest value.

        Returns
        -------
        ndarray of shape (n, 2)
        """
        has_essential_loops = self.euler_characteristic != 2
        if self.is_closed_surface and (essential == "drop" or not has_essential_loops):
            return settle(self._loops_by_duality(values), values, "drop")
        return settle(self._loops_by_gudhi(values), values, essential)

    def _loops_by_duality(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Loops that get filled, as gaps that close.

        On a closed surface a loop of the sublevel set is filled at the value d where
        a component of the superlevel set appears (seen from above), and is made at
        the value b where that component joins an older one: the finite points (b, d)
        of H1 are those of H0 of the negative function, reflected.

        Every vertex climbs to a peak along its highest neighbours, which is where
        its component of the superlevel set appeared. So components join only across
        edges between the slopes of two peaks, and those are few.
        """
        order = np.argsort(values, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        graph = self.graph
        highest = np.maximum.reduceat(rank[graph.indices], graph.indptr[:-1])
        peak = order[np.maximum(highest, rank)]
        while not np.array_equal(peak, higher := peak[peak]):
            peak = higher
        passes = self.edges[peak[self.edges[:, 0]] != peak[self.edges[:, 1]]]
        heights = values[passes].min(axis=1)
        descending = np.argsort(-heights, kind="stable")
        # Of all passes between the same two peaks only the highest can join them.
        ends = np.sort(peak[passes[descending]], axis=1)
        _, highest_pass = np.unique(ends @ (len(values), 1), return_index=True)
        highest_pass.sort()

        leader: dict[int, int] = {}

        def find(one: int) -> int:
            while (above := leader.get(one, one)) != one:
                one = above
            return one

        points = []
        for (one, other), height in zip(
            ends[highest_pass].tolist(),
            heights[descending[highest_pass]].tolist(),
            strict=True,
        ):
            lower, upper = sorted((find(one), find(other)), key=rank.__getitem__)
            if lower != upper:
                leader[lower] = upper
                if values[lower] > height:
                    points.append((height, values[lower]))
        return np.array(points, dtype=np.float64).reshape(-1, 2)

    def _loops_by_gudhi(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        tree = load_gudhi().SimplexTree()
        tree.insert_batch(np.arange(len(values))[None], values)
        for simplices in (self.edges, self.faces):
            tree.insert_batch(
                np.ascontiguousarray(simplices.T), values[simplices].max(axis=1)
            )
        tree.compute_persistence(homology_coeff_field=FIELD, min_persistence=0.0)
        loops: NDArray[np.float64] = tree.persistence_intervals_in_dimension(1)
        return loops


def as_mesh(
    mesh: HasTriangles, disconnected: Disconnected = "error"
) -> tuple[TriangleMesh, NDArray[np.bool_]]:
    """Check a mesh and see to it that it is connected.

    Parameters
    ----------
    mesh : object with vertices and faces
    disconnected : {"error", "largest"}, default="error"
        Refuse a mesh of several components, or keep the one with most vertices.

    Returns
    -------
    mesh : TriangleMesh
    kept : ndarray of bool of shape (n_vertices,)
        The vertices that are kept.
    """
    if not isinstance(mesh, TriangleMesh):
        mesh = TriangleMesh(mesh.vertices, mesh.faces)
    if mesh.n_components == 1:
        return mesh, np.ones(len(mesh.vertices), dtype=bool)
    if disconnected == "error":
        n_loose = int((np.diff(mesh.graph.indptr) == 0).sum())
        loose = f", {n_loose} of them vertices without a face" if n_loose else ""
        raise ParameterError(
            f"the mesh has {mesh.n_components} connected components{loose}; geodesic "
            'distances need one: disconnected="largest" keeps the largest'
        )
    return mesh.largest_component()


def _check_vertices(vertices: ArrayLike) -> NDArray[np.float64]:
    checked = np.array(vertices, dtype=np.float64)
    if checked.ndim != 2 or checked.shape[1] != 3:
        raise ParameterError(
            f"vertices of a mesh must have shape (n, 3), not {checked.shape}"
        )
    if len(checked) > MAX_VERTICES:
        raise ParameterError(
            f"the mesh has {len(checked):,} vertices, more than {MAX_VERTICES:,}: "
            "simplify it first"
        )
    if not np.isfinite(checked).all():
        first = int(np.flatnonzero(~np.isfinite(checked).all(axis=1))[0])
        raise ParameterError(f"vertex {first} of the mesh is not finite")
    return checked


def _check_faces(faces: ArrayLike, n_vertices: int) -> NDArray[np.int64]:
    raw = np.asarray(faces)
    if raw.ndim != 2 or raw.shape[1] != 3 or raw.dtype.kind not in "iu":
        raise ParameterError(
            "faces of a mesh must be integers of shape (n, 3), all triangles, "
            f"not {raw.dtype} of shape {raw.shape}"
        )
    if not len(raw):
        raise ParameterError("the mesh has no faces")
    outside = ((raw < 0) | (raw >= n_vertices)).any(axis=1)
    repeated = (raw == np.roll(raw, 1, axis=1)).any(axis=1)
    for bad, what in (
        (outside, f"has an index outside of the {n_vertices} vertices (from 0)"),
        (repeated, "repeats a vertex, so it is no triangle: remove it"),
    ):
        if bad.any():
            first = int(np.argmax(bad))
            raise ParameterError(
                f"face {first} of the mesh, {raw[first].tolist()}, {what}"
                + (f"; so do {bad.sum() - 1} more" if bad.sum() > 1 else "")
            )
    return raw.astype(np.int64)
