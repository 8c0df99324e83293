"""Points of 3D shapes: the built-in figure, folders of meshes, the paper's split."""

import numpy as np
import pytest

from swviz.errors import DiagramFileError, ParameterError, SwvizError
from swviz.sources import POSES, shapes, train_test
from swviz.sources.figure import PARTS, posed_figure
from swviz.sources.mesh_files import read_part_labels
from tests.mesh_samples import TETRAHEDRON, sphere, two_pieces, write_labels, write_off


@pytest.fixture
def category(tmp_path):
    """Seven meshes, numbered from 8 so that text and numbers sort differently."""
    for index, number in enumerate(range(8, 15)):
        ball = sphere(40 + index, seed=index)
        write_off(tmp_path / f"{number}.off", ball)
        is_upper = ball.vertices[ball.faces, 2].mean(axis=1) > 0
        parts = {"upper": np.flatnonzero(is_upper), "lower": np.flatnonzero(~is_upper)}
        write_labels(tmp_path / f"{number}_labels.txt", parts)
    return tmp_path


@pytest.mark.parametrize("pose", POSES)
def test_the_figure_is_one_closed_surface_with_all_parts(pose):
    mesh, parts = posed_figure(pose)
    assert mesh.is_closed_surface
    assert mesh.euler_characteristic == 2
    assert set(parts) == set(PARTS)
    assert 2000 < len(mesh.vertices) < 8000


def test_parts_of_the_figure_are_where_they_should_be():
    mesh, parts = posed_figure("standing")
    x, _, z = mesh.vertices.T
    assert parts[z.argmax()] == "head"
    assert parts[z.argmin()] == "leg"
    assert parts[x.argmax()] == parts[x.argmin()] == "arm"
    assert parts[np.argmin(np.abs(x) + np.abs(z - 1.15))] == "torso"


def test_figure_set():
    points = shapes(every=400, cache=False)
    assert points.dimensions == (1,)
    train, test = train_test(points)
    assert {origin.subset for origin in train.origins} == {"train"}
    assert len(train) + len(test) == len(points)
    assert {name.split(",")[0] for name in train.names} == set(list(POSES)[:5])
    for sample in points[::10]:
        origin = sample.origins[0]
        expected = origin.mesh.loop_diagram(origin.distances)
        np.testing.assert_array_equal(sample.in_dimension(1)[0], expected)
        assert origin.distances[origin.vertex] == 0
        assert (origin.distances >= 0).all()


def test_samples_of_a_mesh_share_it():
    points = shapes(poses="waving", every=800, cache=False)
    assert len({id(origin.mesh) for origin in points.origins}) == 1


def test_limbs_of_the_figure_are_loops_in_its_diagrams():
    # Seen from the head, the tips of the four limbs fill a loop each; together the
    # four loops bound the rest of the body, so that the last one makes no new class.
    mesh, _ = posed_figure("star")
    head = int(mesh.vertices[:, 2].argmax())
    diagram = shapes(mesh, vertices=[head], cache=False).in_dimension(1)[0]
    lifetimes = np.sort(diagram[:, 1] - diagram[:, 0])[::-1]
    assert (lifetimes[:3] > 0.3).all()
    assert lifetimes[3] < 0.15


def test_folder_keeps_numeric_order_split_and_labels(category):
    points = shapes(category, every=10, n_train=5, cache=False)
    train, test = train_test(points)
    order = list(dict.fromkeys(name.split(",")[0] for name in points.names))
    assert order == [str(number) for number in range(8, 15)]
    # Vertices 0, 10, 20, ...: n / 10 rounded up.
    assert len(train) == 4 + 4 * 5
    assert len(test) == 2 * 5
    assert points.class_names == ("lower", "upper")
    for label, origin in zip(points.labels, points.origins, strict=True):
        if abs(height := origin.mesh.vertices[origin.vertex, 2]) > 0.5:
            assert label == ("upper" if height > 0 else "lower")


def test_folder_without_labels_gives_none(category):
    for path in category.glob("*_labels.txt"):
        path.unlink()
    assert shapes(category, every=20, cache=False).labels is None


def test_folder_with_some_labels_is_refused(category):
    (category / "11_labels.txt").unlink()
    with pytest.raises(DiagramFileError, match=r"1 of 7 .* 11_labels.txt"):
        shapes(category, cache=False)


def test_one_file_and_one_mesh_agree(category):
    from_file = shapes(category / "9.off", every=7, cache=False)
    from_mesh = shapes(sphere(41, seed=1), every=7, cache=False)
    assert from_file.labels is None
    for one, other in zip(
        from_file.in_dimension(1), from_mesh.in_dimension(1), strict=True
    ):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(ParameterError, match="no fixed split"):
        train_test(from_file)


def test_a_vertex_takes_the_part_of_most_of_its_faces(tmp_path):
    path = tmp_path / "1_labels.txt"
    # Vertex 1 is in faces 0, 1, 2; vertex 3 in 1, 2, 3; vertex 0 in 0, 1, 3.
    write_labels(path, {"wing": [1, 2], "body": [0, 3]})
    labels = read_part_labels(path, TETRAHEDRON.faces, 4)
    assert labels.tolist() == ["body", "wing", "body", "wing"]
    # One face each: a tie goes to the first in the alphabet.
    write_labels(path, {"c": [0], "b": [1], "d": [2], "a": [3]})
    labels = read_part_labels(path, TETRAHEDRON.faces, 4)
    assert labels.tolist() == ["a", "b", "a", "a"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("body\n1 2 3 4\nwing\n", "3 lines"),
        ("", "0 lines"),
        ("body\n1 2 x 4\n", "line 2: expected face numbers of part 'body'"),
        ("body\n1 2 3\nwing\n9\n", "line 4: face numbers must be from 1 to 4"),
        ("body\n0 1 2 3\n", "line 2: face numbers must be from 1 to 4"),
        ("body\n1 2\nwing\n4\n", "1 of 4 faces are in no part.*face 3"),
        ("body\n1 2 3 99999999999999999999\n", "line 2"),
        (b"\xff\xfe\x00", "cannot be read"),
    ],
)
def test_broken_labels_name_file_and_line(tmp_path, text, message):
    path = tmp_path / "1_labels.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(DiagramFileError, match=f"1_labels.txt.*{message}"):
        read_part_labels(path, TETRAHEDRON.faces, 4)


def test_disconnected_files_are_refused_or_cut(tmp_path):
    mesh = two_pieces()
    write_off(tmp_path / "1.off", mesh)
    n_ball_faces = len(mesh.faces) - 4
    parts = {"ball": range(n_ball_faces), "rest": range(n_ball_faces, n_ball_faces + 4)}
    write_labels(tmp_path / "1_labels.txt", parts)
    with pytest.raises(DiagramFileError, match=r"1\.off: the mesh has 2 connected"):
        shapes(tmp_path, cache=False)
    points = shapes(tmp_path, every=1, disconnected="largest", cache=False)
    assert len(points) == 30
    assert points.class_names == ("ball",)


def test_broken_off_files_name_the_file(tmp_path):
    (tmp_path / "1.off").write_text("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n")
    with pytest.raises(SwvizError, match=r"1\.off"):
        shapes(tmp_path, cache=False)


def test_folders_without_meshes_are_refused(tmp_path):
    with pytest.raises(DiagramFileError, match="no meshes"):
        shapes(tmp_path)
    with pytest.raises(ParameterError, match="neither"):
        shapes(tmp_path / "missing")


@pytest.mark.parametrize(
    "wrong",
    [
        {"meshes": 3},
        {"poses": "flying"},
        {"poses": ()},
        {"every": 0},
        {"every": 1},  # forty thousand diagrams
        {"vertices": []},
        {"vertices": [10**6]},
        {"vertices": [-1]},
        {"n_train": -1},
        {"essential": "keep"},
        {"disconnected": "all"},
        {"n_jobs": 0},
    ],
)
def test_parameters_out_of_range(wrong):
    with pytest.raises(ParameterError):
        shapes(**wrong)
