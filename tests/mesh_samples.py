"""Small meshes with known topology, and files in the layouts that sources read."""

import numpy as np

from swviz.sources.meshes import TriangleMesh

TETRAHEDRON = TriangleMesh(
    np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]),
    np.array([(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]),
)


def sphere(n_points, seed):
    """The convex hull of random points on a sphere: a closed surface."""
    from scipy.spatial import ConvexHull

    points = np.random.default_rng(seed).normal(size=(n_points, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return TriangleMesh(points, ConvexHull(points).simplices)


def grid(n_rows, n_columns, closed):
    """A rectangle in triangles, or with opposite sides joined, which is a torus."""
    rows, columns = np.mgrid[:n_rows, :n_columns].reshape(2, -1)
    if not closed:
        inside = (rows < n_rows - 1) & (columns < n_columns - 1)
        cells = np.stack([rows[inside], columns[inside]], axis=1)
        vertices = np.stack([rows, columns, np.zeros_like(rows)], axis=1)
    else:
        cells = np.stack([rows, columns], axis=1)
        around, along = 2 * np.pi * rows / n_rows, 2 * np.pi * columns / n_columns
        distance = 2 + np.cos(around)
        vertices = np.stack(
            [distance * np.cos(along), distance * np.sin(along), np.sin(around)], axis=1
        )
    corners = [
        (cells[:, 0] + a) % n_rows * n_columns + (cells[:, 1] + b) % n_columns
        for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))
    ]
    a, b, c, d = corners
    faces = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    return TriangleMesh(vertices, faces)


def pinched():
    """Two tetrahedra that share a vertex: every edge has two faces, yet no surface."""
    second = np.where(TETRAHEDRON.faces == 0, 0, TETRAHEDRON.faces + 3)
    vertices = np.concatenate([TETRAHEDRON.vertices, -TETRAHEDRON.vertices[1:]])
    return TriangleMesh(vertices, np.concatenate([TETRAHEDRON.faces, second]))


def book():
    """Three triangles that share an edge."""
    angles = np.arange(3)
    tips = np.stack([np.cos(angles), np.sin(angles), np.full(3, 0.5)], axis=1)
    vertices = np.concatenate([[(0, 0, 0), (0, 0, 1)], tips])
    return TriangleMesh(vertices, np.array([(0, 1, 2), (0, 1, 3), (0, 1, 4)]))


def two_pieces():
    """A sphere of 30 vertices, and after it a tetrahedron apart from it."""
    ball = sphere(30, seed=1)
    return TriangleMesh(
        np.concatenate([ball.vertices, TETRAHEDRON.vertices + 5]),
        np.concatenate([ball.faces, TETRAHEDRON.faces + 30]),
    )


def write_off(path, mesh):
    lines = ["OFF", f"{len(mesh.vertices)} {len(mesh.faces)} 0"]
    lines += [" ".join(f"{x:.17g}" for x in vertex) for vertex in mesh.vertices]
    lines += ["3 " + " ".join(map(str, face)) for face in mesh.faces.tolist()]
    path.write_text("\n".join(lines) + "\n")


def write_labels(path, parts):
    """Write part labels from faces that are numbered from 0."""
    lines = []
    for name, faces in parts.items():
        lines += [name, " ".join(str(face + 1) for face in faces)]
    path.write_text("\n".join(lines) + "\n")
