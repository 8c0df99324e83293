import copy
import pickle

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

from swviz import DiagramError, DiagramSet, SwvizError, as_diagram
from swviz.diagrams import as_diagrams

INF = float("inf")
NAN = float("nan")


@pytest.mark.parametrize("empty", [[], (), np.empty((0, 2)), np.empty(0), [[]]])
def test_empty_diagrams_are_diagrams(empty):
    assert as_diagram(empty).shape == (0, 2)


def test_result_is_a_read_only_float64_copy():
    given = np.array([[0, 1], [2, 5]])
    diagram = as_diagram(given)
    given[0, 0] = 99
    assert diagram.dtype == np.float64
    assert diagram.flags.c_contiguous
    assert diagram.tolist() == [[0, 1], [2, 5]]
    with pytest.raises(ValueError, match="read-only"):
        diagram[0, 0] = 1


def test_points_on_the_diagonal_are_allowed():
    assert as_diagram([(1, 1)]).tolist() == [[1, 1]]


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([0, 1], "one point write"),
        ([[0, 1, 2]], "third column"),
        (np.zeros((2, 2, 2)), "shape"),
        ([[0, 1], [2]], "differ in length"),
        ([["a", "b"]], "real numbers"),
        ([[1j, 2]], "real numbers"),
        ([(1, (0.0, 1.0))], "persistence_intervals_in_dimension"),
        ([[None, 1]], "real numbers"),
        (None, "not NoneType"),
        ("abc", "not str"),
        (np.ma.masked_equal([[0, 1], [5, 6]], 5), "masked"),
        ([[0, 1], [NAN, 1], [0, NAN]], r"2 of 3 points has NaN \(row 1: \(nan, 1\)"),
        ([[-INF, 1]], "infinite birth"),
        ([[0, 1], [3, 2]], r"1 of 2 points dies before it is born \(row 1: \(3, 2\)"),
        ([[0, -INF]], "dies before"),
        ([[0, INF]], 'essential="drop"'),
        ([[0, 1e301]], "rescale"),
    ],
)
def test_what_is_no_diagram_is_named(points, words):
    with pytest.raises(DiagramError, match=words) as caught:
        as_diagram(points)
    assert isinstance(caught.value, SwvizError)
    assert isinstance(caught.value, ValueError)


def test_long_lists_of_bad_rows_are_cut():
    with pytest.raises(
        DiagramError, match=r"50 of 50 points .*row 2.*\.\.\."
    ) as caught:
        as_diagram([[2, 1]] * 50)
    assert "row 3" not in str(caught.value)


def test_essential_points_are_dropped_or_capped():
    points = [[0, 1], [0.5, INF]]
    assert as_diagram(points, essential="drop").tolist() == [[0, 1]]
    assert as_diagram(points, essential=4).tolist() == [[0, 1], [0.5, 4]]
    assert as_diagram(points, essential=np.float32(4)).tolist() == [[0, 1], [0.5, 4]]


@pytest.mark.parametrize(
    "policy",
    ["keep", INF, NAN, None, True, np.complex128(1), np.array([1, 2]), 10**400],
)
@pytest.mark.parametrize("points", [[[0, 1]], [[0, INF]]])
def test_unknown_policies_are_refused_with_or_without_need(policy, points):
    with pytest.raises(DiagramError, match="essential must be"):
        as_diagram(points, essential=policy)


def test_a_cap_below_a_birth_is_refused():
    with pytest.raises(DiagramError, match="larger cap"):
        as_diagram([[3, INF]], essential=2.0)


def test_lists_name_the_diagram_and_refuse_a_bare_array():
    with pytest.raises(DiagramError, match="diagram 1: 1 of 1 points"):
        as_diagrams([[(0, 1)], [(1, 0)]])
    for single in (np.array([[0.0, 1.0]]), np.empty((0, 2)), [(0, 1), (0, 2)]):
        with pytest.raises(DiagramError, match=r"\[diagram\]"):
            as_diagrams(single)
    for nonsense in (None, 3, np.array(3.0), "ab", {1: []}):
        with pytest.raises(DiagramError, match="expected a list of diagrams"):
            as_diagrams(nonsense)
    assert as_diagrams([]) == []
    assert len(as_diagrams(iter([[(0, 1)], []]))) == 2


def test_sets_survive_pickling_copying_and_scikit_learns_splits(three):
    for again in (pickle.loads(pickle.dumps(three)), copy.deepcopy(three)):
        assert again.names == three.names
        assert again.provenance == three.provenance
        assert again.in_dimension(1)[2].tolist() == three.in_dimension(1)[2].tolist()
    only = DiagramSet({1: three.in_dimension(1)})
    kept, left = train_test_split(only, random_state=0)
    assert sorted(len(d) for d in as_diagrams(kept) + as_diagrams(left)) == [0, 1, 2]
    with pytest.raises(DiagramError, match="is a set, not a diagram"):
        as_diagrams([three])


@pytest.fixture
def three():
    return DiagramSet(
        {1: [[(0, 1)], [], [(0, 2), (1, 2)]], 0: [[(0, 3)]] * 3},
        labels=["b", "a", "b"],
        names=["x", "y", "z"],
        provenance={"made": "by hand"},
        origins=[10, 20, 30],
    )


def test_diagram_set_knows_itself(three):
    assert len(three) == 3
    assert three.dimensions == (0, 1)
    assert three.class_names == ("a", "b")
    assert [len(d) for d in three.in_dimension(1)] == [1, 0, 2]
    assert "3 samples (H0: 3 points, H1: 3 points), 2 classes" in repr(three)


@pytest.mark.parametrize(
    ("index", "names"),
    [
        (1, "y"), (-1, "z"), (slice(0, 2), "xy"), ([2, 0], "zx"),
        (np.array([True, False, True]), "xz"), (slice(0, 0), ""),
    ],
)  # fmt: skip
def test_indexing_always_gives_a_set(three, index, names):
    part = three[index]
    assert isinstance(part, DiagramSet)
    assert "".join(part.names) == names
    assert list(part.origins) == [{"x": 10, "y": 20, "z": 30}[name] for name in names]
    assert len(part.labels) == len(part.in_dimension(0)) == len(names)
    assert part.provenance == {"made": "by hand"}


def test_iteration_gives_sets_of_one(three):
    assert [sample.names[0] for sample in three] == ["x", "y", "z"]


def test_a_set_cannot_be_changed_from_outside(three):
    with pytest.raises(TypeError):
        three.diagrams[2] = []
    with pytest.raises(ValueError, match="read-only"):
        three.labels[0] = "q"
    with pytest.raises(AttributeError):
        three.names = ()


def test_labels_of_any_kind():
    numbers = DiagramSet({1: [[], []]}, labels=[2.5, 4.0])
    assert numbers.class_names == ("2.5", "4.0")
    mixed = DiagramSet({1: [[], []]}, labels=np.array(["a", 1], dtype=object))
    assert mixed.class_names == ("1", "a")
    assert DiagramSet({1: [[]]}).class_names == ()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"diagrams": {}}, "at least one"),
        ({"diagrams": [[]]}, "a mapping"),
        ({"diagrams": {1.5: [[]]}}, "whole number"),
        ({"diagrams": {"H1": [[]]}}, "whole number"),
        ({"diagrams": {1: None}}, "expected a list"),
        ({"diagrams": {1: [[], []]}, "labels": [[1], [1, 2]]}, "flat list"),
        ({"diagrams": {0: [[]], 1: [[], []]}}, "different numbers"),
        ({"diagrams": {1: [[(1, 0)]]}}, "dimension 1: diagram 0"),
        ({"diagrams": {1: [[]]}, "labels": [1, 2]}, "labels have shape"),
        ({"diagrams": {1: [[]]}, "names": ["a", "b"]}, "2 names for 1"),
        ({"diagrams": {1: [[]]}, "origins": []}, "0 origins for 1"),
    ],
)
def test_inconsistent_sets_are_refused(arguments, words):
    with pytest.raises(DiagramError, match=words):
        DiagramSet(**arguments)


def test_absent_dimensions_and_indices_say_what_there_is(three):
    with pytest.raises(DiagramError, match=r"only \(0, 1\)"):
        three.in_dimension(2)
    with pytest.raises(IndexError, match="3 samples"):
        three[7]
    for nonsense in (None, True, [[0, 1]]):
        with pytest.raises(IndexError, match="does not name samples"):
            three[nonsense]
    with pytest.raises(DiagramError, match=r"only \(0, 1\)"):
        three.in_dimension([1])
    with pytest.raises(DiagramError, match="choose one"):
        as_diagrams(three)
    assert len(as_diagrams(DiagramSet({1: [[(0, 1)]]}))) == 1
