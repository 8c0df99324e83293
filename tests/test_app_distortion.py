import asyncio
import threading

import numpy as np
import pytest

from swviz import (
    DiagramSet,
    PersistenceScaleSpaceKernel,
    PersistenceWeightedGaussianKernel,
    diagram_distance,
    rkhs_distance,
    sliced_wasserstein,
    sliced_wasserstein_exact,
    sliced_wasserstein_matrix,
)
from swviz.app.tabs.distortion import view as distortion_view
from swviz.app.tabs.distortion.figures import COLUMNS
from swviz.app.tabs.distortion.spectrum import SIX, SIX_SIGMA
from swviz.app.tabs.distortion.view import DistortionView
from swviz.app.workspace.kernel_widths import NAMES
from swviz.app.workspace.knobs import recipe
from swviz.app.workspace.state import Workspace
from swviz.errors import SwvizError
from swviz.kernels import kernel_from_distances
from swviz.plot.theme import KERNEL_STYLES
from swviz.sources import d1_counterexample
from swviz.studies import PairDistances, agreement, distortion_constants
from tests.plot_tools import sent
from tests.strategies import FAMILIES

# What pandas says to Bokeh is not ours to mend.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")


def make_set(count=8, seed=0, **options):
    rng = np.random.default_rng(seed)
    several = [FAMILIES["uniform"](rng, n) for n in rng.integers(2, 9, count)]
    labels = np.array(["even", "odd"] * count)[:count]
    names = [f"sample {index}" for index in range(count)]
    return DiagramSet({1: several}, labels=labels, names=names, **options)


def column(view, name):
    return np.asarray(view.figures.pairs.data[name])


def two_by_two(kernel, A, B):
    return rkhs_distance(kernel.gram([A, B]))[0, 1]


@pytest.fixture(scope="module")
def shared():
    return DistortionView(make_set())


@pytest.fixture
def view(shared):
    """One view for many tests, of the same diagrams and with nothing chosen."""
    space = shared.workspace
    space.param.update(settings={}, sigma=space.param.sigma.default)
    space.use(make_set(), "this set", "upload")
    space.tab = "Distortion"
    shared.figures.pairs.selected.indices = []
    return shared


@pytest.fixture(scope="module")
def drawn():
    """A view whose pictures are drawn: after that, each change draws them again."""
    return DistortionView(make_set())


@pytest.fixture
def gate(monkeypatch):
    """Measuring stops after 12 pairs until the gate is opened."""
    opened = threading.Event()
    run = PairDistances.run

    def run_to_the_gate(self, *, n_jobs=None, progress=None):
        def wait(done, total):
            progress(done, total)
            while done >= 12 and not opened.wait(0.02):
                progress(done, total)

        return run(self, n_jobs=n_jobs, progress=wait)

    monkeypatch.setattr(PairDistances, "run", run_to_the_gate)
    return opened


async def until(condition):
    for _ in range(500):
        if condition():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it did not happen")


def test_figures_show_what_the_library_computes(view):
    several = view.workspace.dataset.in_dimension(1)
    assert view.n_shown == 28
    widths = view.widths
    pss = PersistenceScaleSpaceKernel(widths.t, method="direct")
    learnt = view.run.widths
    pwg = PersistenceWeightedGaussianKernel(
        learnt.K, widths.rho, widths.tau, p=learnt.p, method="direct"
    )
    seen = set()
    for row in range(view.n_shown):
        i, j = int(column(view, "i")[row]), int(column(view, "j")[row])
        seen.add(frozenset((i, j)))
        A, B = several[i], several[j]
        d1, sw = diagram_distance(A, B), sliced_wasserstein_exact(A, B)
        expected = {
            "d1": d1,
            "sw": sw,
            "k_sw": np.sqrt(2 - 2 * np.exp(-sw / (2 * view.workspace.sigma**2))),
            "k_d1": np.sqrt(2 - 2 * np.exp(-d1 / (2 * widths.sigma_d1**2))),
            "k_pss": two_by_two(pss, A, B),
            "k_pwg": two_by_two(pwg, A, B),
        }
        for name, value in expected.items():
            assert column(view, name)[row] == pytest.approx(value, rel=1e-6), name
        assert column(view, "a")[row].startswith(f"{i} · sample {i}")
        assert ("odd" if j % 2 else "even") in column(view, "b")[row]
    assert len(seen) == 28


def test_lines_and_numbers_are_those_of_the_library(view):
    d1, sw = column(view, "d1"), column(view, "sw")
    constants = distortion_constants(d1, sw, view.run.pairs.largest)
    bounds, observed = view.figures.bounds.data, view.figures.observed.data
    for line, slope in (
        (bounds["upper"], constants.upper), (bounds["lower"], constants.lower),
        (observed["low"], constants.low), (observed["high"], constants.high),
    ):  # fmt: skip
        np.testing.assert_allclose(line, slope * np.asarray(bounds["x"]))
    assert f"{constants.low:.3g} and {constants.high:.3g}" in view.constants_text
    assert f"N = {max(map(len, view.workspace.dataset.in_dimension(1)))}" in (
        view.constants_text
    )
    for name in KERNEL_STYLES:
        assert view.agreements[name] == agreement(d1, column(view, name))
    assert view.agreements["k_d1"].rank_correlation == pytest.approx(1)
    assert "k_SW" in view.verdict


def test_axes_hold_every_pair(view):
    y = view.figures.scatter.y_range
    for name in KERNEL_STYLES:
        assert (column(view, name) >= y.start).all()
        assert (column(view, name) <= y.end).all()
    assert view.figures.d1_range.end > column(view, "d1").max()
    assert view.figures.against.y_range.end > column(view, "sw").max()
    ticks = view.figures.scatter.yaxis[0].ticker.ticks
    assert sum(y.start <= tick <= y.end for tick in ticks) >= 3


@pytest.mark.parametrize(
    ("name", "changed"),
    [("t", "k_pss"), ("rho", "k_pwg"), ("tau", "k_pwg"), ("sigma_d1", "k_d1")],
)
def test_a_bandwidth_bends_its_own_kernel_only(view, name, changed):
    before = {key: column(view, key).copy() for key in COLUMNS}
    setattr(view.widths, name, 3 * getattr(view.widths, name))
    for key in ("d1", "sw", *KERNEL_STYLES):
        assert np.array_equal(before[key], column(view, key)) == (key != changed)
    several = view.workspace.dataset.in_dimension(1)
    A, B = several[column(view, "i")[3]], several[column(view, "j")[3]]
    if name == "t":
        expected = two_by_two(PersistenceScaleSpaceKernel(view.widths.t), A, B)
        assert column(view, "k_pss")[3] == pytest.approx(expected, rel=1e-6)
    if name == "rho":
        K, p = view.run.widths.K, view.run.widths.p
        pwg = PersistenceWeightedGaussianKernel(
            K, view.widths.rho, view.widths.tau, p=p
        )
        assert column(view, "k_pwg")[3] == pytest.approx(two_by_two(pwg, A, B))
    assert view.agreements[changed] == agreement(
        column(view, "d1"), column(view, changed)
    )


@pytest.mark.parametrize("fails", [False, True])
def test_a_cancelled_bandwidth_leaves_no_numbers_of_the_old_one(monkeypatch, fails):
    opened = threading.Event()
    compute = distortion_view.scale_space_distances

    def wait(diagrams, t, progress):
        progress(0, 1)
        while not opened.wait(0.02):
            progress(0, 1)
            if fails and "k_pss" not in view.agreements:
                raise SwvizError("too wide")
        return compute(diagrams, t)

    monkeypatch.setattr(distortion_view, "scale_space_distances", wait)
    view = DistortionView(make_set(seed=51))

    async def cancel():
        view.widths.t *= 3
        await until(lambda: "k_pss" not in view.agreements)
        assert np.isnan(column(view, "k_pss")).all()
        assert "k_PSS" not in view.verdict
        if not fails:
            view.adjusting.cancel()
        await view.ready()
        assert not view.adjusting.busy
        assert view.stopped
        assert "k_PSS was stopped" in view.sample_text
        assert np.isnan(column(view, "k_pss")).all()
        assert "k_pss" not in view.agreements
        assert np.isnan(view.table.table.value["distance in k_PSS"]).all()
        opened.set()
        view.resume()
        await view.ready()

    asyncio.run(cancel())
    assert not view.stopped
    assert "stopped" not in view.sample_text
    expected = DistortionView(make_set(seed=51))
    expected.widths.t = view.widths.t
    np.testing.assert_allclose(column(view, "k_pss"), column(expected, "k_pss"))
    assert view.agreements == expected.agreements


def test_a_bandwidth_that_moves_on_is_not_called_stopped(view):
    stops, shown = [], []
    view.param.watch(lambda event: stops.append(event.new), "stopped")
    view.param.watch(lambda event: shown.append(set(event.new)), "agreements")

    async def slide():
        for _ in range(5):
            view.widths.t *= 1.1
            while not view.adjusting.busy:
                await asyncio.sleep(0)
        await view.ready()

    asyncio.run(slide())
    # What was on show stays until the last one is there.
    assert stops == []
    assert all(names == set(KERNEL_STYLES) for names in shown)
    expected = DistortionView(make_set())
    expected.widths.t = view.widths.t
    np.testing.assert_allclose(column(view, "k_pss"), column(expected, "k_pss"))


def test_sigma_of_the_workspace_bends_k_sw_and_measures_nothing(view, monkeypatch):
    monkeypatch.setattr(PairDistances, "run", None)
    before = column(view, "k_sw").copy()
    view.workspace.sigma *= 2
    expected = np.sqrt(-2 * np.expm1(-column(view, "sw") / 2 / view.workspace.sigma**2))
    np.testing.assert_allclose(column(view, "k_sw"), expected)
    assert (column(view, "k_sw") < before).all()


def test_sliders_count_decades_from_what_fits(view):
    fitted = view.widths.tau
    slider = view.sliders.sliders["tau"]
    slider.value = 1.0
    assert view.widths.tau == pytest.approx(10 * fitted)
    assert f"{10 * fitted:.3g}" in slider.label
    view.workspace.sigma = 123.0
    view.widths.reset()
    assert view.widths.tau == fitted
    assert view.workspace.sigma == pytest.approx(
        np.sqrt(np.median(column(view, "sw"))), rel=1e-3
    )


def test_opening_the_view_leaves_the_sidebars_sigma_alone():
    space = Workspace(make_set(), tab="Slices")
    view = DistortionView(workspace=space)
    default = space.param.sigma.default
    space.tab = "Distortion"
    assert space.sigma == default
    space.use(make_set(seed=1), "another", "upload")
    assert space.sigma == default
    space.sigma = 5.0
    space.use(make_set(seed=2), "a third", "upload")
    assert space.sigma == 5.0
    np.testing.assert_allclose(
        column(view, "k_sw"), np.sqrt(-2 * np.expm1(-column(view, "sw") / 50))
    )


def test_the_table_of_pairs_follows_every_bandwidth(view):
    view.figures.pairs.selected.indices = [7, 2, 11]
    for owner, name, title, key in (
        (view.workspace, "sigma", "distance in k_SW", "k_sw"),
        (view.widths, "t", "distance in k_PSS", "k_pss"),
        (view.widths, "rho", "distance in k_PWG", "k_pwg"),
        (view.widths, "tau", "distance in k_PWG", "k_pwg"),
        (view.widths, "sigma_d1", "distance in Gauss(d₁)", "k_d1"),
    ):
        before = view.table.table.value[title].tolist()
        setattr(owner, name, 3 * getattr(owner, name))
        listed = view.table.table.value[title].tolist()
        assert listed != before
        np.testing.assert_allclose(listed, column(view, key)[[7, 2, 11]], atol=1e-5)


def test_chosen_bandwidths_survive_another_draw_but_not_another_data_set():
    view = DistortionView(make_set(12), n_diagrams=6)
    view.widths.param.update(t=0.5, sigma_d1=3.0)
    view.seed = 1
    assert (view.widths.t, view.widths.sigma_d1) == (0.5, 3.0)
    several = view.workspace.dataset.in_dimension(1)
    A, B = several[column(view, "i")[3]], several[column(view, "j")[3]]
    expected = two_by_two(PersistenceScaleSpaceKernel(0.5), A, B)
    assert column(view, "k_pss")[3] == pytest.approx(expected, rel=1e-6)
    view.workspace.use(make_set(seed=3), "another", "upload")
    assert view.widths.t != 0.5
    assert view.widths.sigma_d1 != 3.0


def test_pairs_arrive_as_they_are_computed(gate):
    async def watch():
        workspace = Workspace(make_set(seed=41), tab="Distortion")
        view = DistortionView(workspace=workspace)
        await until(lambda: view.n_shown >= 12)
        partial = view.n_shown
        assert view.measuring.busy
        assert f"{partial} are here so far" in view.sample_text
        assert np.isfinite(view.agreements["k_sw"].spread)
        assert view.spectrum.text == "…"
        sw = column(view, "sw")
        np.testing.assert_allclose(
            column(view, "k_sw")[:2] ** 2,
            -2 * np.expm1(-sw[:2] / 2 / workspace.sigma**2),
        )
        gate.set()
        await view.ready()
        return view, partial

    view, partial = asyncio.run(watch())
    assert partial < view.n_shown == 28
    assert view.spectrum.text.startswith("Smallest of 8 eigenvalues")
    assert "so far" not in view.sample_text
    fresh = DistortionView(make_set(seed=41))
    for name in COLUMNS:
        np.testing.assert_array_equal(column(view, name), column(fresh, name))


def test_cancelling_keeps_what_is_done_and_work_can_be_resumed(gate):
    async def cancel():
        space = Workspace(make_set(seed=11), tab="Distortion")
        view = DistortionView(workspace=space)
        await until(lambda: view.n_shown >= 12)
        view.measuring.cancel()
        await view.ready()
        kept = view.n_shown
        assert 12 <= kept < 28
        assert view.stopped
        complete = view.run.pairs.n_complete
        assert len(view.spectrum.values["k_sw"]) == complete
        assert f"{kept} are here so far" in view.sample_text
        gate.set()
        view.resume()
        await view.ready()
        return view

    view = asyncio.run(cancel())
    assert view.n_shown == 28
    assert not view.stopped
    np.testing.assert_allclose(
        column(view, "d1"), column(DistortionView(make_set(seed=11)), "d1")
    )


def test_another_data_set_replaces_the_one_at_work(gate):
    async def replace():
        workspace = Workspace(make_set(seed=21), tab="Distortion")
        view = DistortionView(workspace=workspace)
        await until(lambda: view.n_shown >= 12)
        workspace.use(make_set(4, seed=22), "four", "upload")
        await until(lambda: view.n_shown == 6)
        gate.set()
        await asyncio.sleep(0.3)
        return view

    view = asyncio.run(replace())
    assert view.n_shown == 6
    assert not view.stopped
    several = view.workspace.dataset.in_dimension(1)
    pair = several[column(view, "i")[0]], several[column(view, "j")[0]]
    assert column(view, "d1")[0] == pytest.approx(diagram_distance(*pair))


def test_what_was_measured_is_not_measured_again(monkeypatch):
    first = DistortionView(make_set(seed=31))
    monkeypatch.setattr(PairDistances, "run", None)
    second = DistortionView(make_set(seed=31))
    np.testing.assert_array_equal(column(first, "sw"), column(second, "sw"))


def test_large_sets_are_sampled_and_it_says_so():
    view = DistortionView(make_set(40), n_diagrams=10)
    assert view.n_shown == 45
    assert "45 of 780 pairs" in view.sample_text
    assert "10 diagrams drawn from 40 with seed 0" in view.sample_text
    before = set(column(view, "i"))
    view.seed = 5
    assert "seed 5" in view.sample_text
    assert set(column(view, "i")) != before
    view.n_diagrams = 120
    assert view.n_shown == 780
    assert "All 780 pairs of the 40 diagrams" in view.sample_text
    for bad in ({"n_diagrams": 1}, {"n_diagrams": 10**6}, {"seed": -1}):
        with pytest.raises(ValueError):
            view.param.update(**bad)


def test_sw_may_be_that_of_the_sidebar():
    view = DistortionView(make_set(4))
    assert "SW exact" in view.sample_text
    view.tier = "sidebar"
    view.workspace.param.update(n_directions=3, rule="diagonal")
    assert "SW with 3 directions" in view.sample_text
    several = view.workspace.dataset.in_dimension(1)
    pair = several[column(view, "i")[0]], several[column(view, "j")[0]]
    expected = sliced_wasserstein(*pair, 3, rule="diagonal")
    assert column(view, "sw")[0] == pytest.approx(expected)


def test_a_hidden_tab_measures_when_it_is_opened():
    workspace = Workspace(make_set(), tab="Slices")
    view = DistortionView(workspace=workspace)
    assert view.n_shown == 0
    workspace.tab = "Distortion"
    assert view.n_shown == 28
    workspace.tab = "Slices"
    workspace.use(make_set(5), "five", "upload")
    # Nothing of the old set is left under the name of the new one.
    assert view.n_shown == 0
    assert (view.agreements, view.verdict, view.constants_text) == ({}, "", "")
    assert len(view.table.table.value) == 0
    assert "appear when" in view.spectrum.text
    workspace.tab = "Distortion"
    assert view.n_shown == 10


def test_a_click_opens_the_pair_in_slices(view):
    workspace = view.workspace
    view.figures.tapped.data = {"index": [4], "count": [1]}
    assert workspace.tab == "Slices"
    assert workspace.index_a == column(view, "i")[4]
    assert workspace.index_b == column(view, "j")[4]
    several = workspace.dataset.in_dimension(1)
    np.testing.assert_array_equal(workspace.diagram_a, several[workspace.index_a])


@pytest.mark.parametrize(
    "message",
    [{"index": [28]}, {"index": [-1]}, {"index": ["x"]}, {"index": []}, {},
     {"index": [float("inf")]}, {"index": [None]}],
)  # fmt: skip
def test_a_message_that_the_view_did_not_write_opens_nothing(view, message):
    before = view.workspace.index_a, view.workspace.index_b, view.workspace.tab
    view.figures.tapped.data = message
    after = view.workspace.index_a, view.workspace.index_b, view.workspace.tab
    assert before == after


def test_selected_pairs_are_listed_and_rows_open_them(view):
    ratios = column(view, "sw") / column(view, "d1")
    listed = view.table.table.value
    assert len(listed) == 10
    assert listed["SW / d₁"].iloc[0] == pytest.approx(ratios.min(), abs=1e-5)
    assert listed["SW / d₁"].iloc[-1] == pytest.approx(ratios.max(), abs=1e-5)
    view.figures.pairs.selected.indices = [7, 2, 999]
    listed = view.table.table.value
    assert listed["A"].tolist() == [column(view, "a")[7], column(view, "a")[2]]
    np.testing.assert_allclose(listed["d₁"], column(view, "d1")[[7, 2]], atol=1e-5)
    assert view.table.title.startswith("2 selected pairs")

    class Click:
        row = 1

    view.table._clicked(Click)
    assert view.workspace.index_a == column(view, "i")[2]


def test_one_diagram_or_none_is_told(view):
    one = DistortionView(make_set(1))
    assert "one diagram" in one.sample_text
    assert "appear when" in one.spectrum.text
    assert one.n_shown == 0
    one.workspace.use(DiagramSet({1: []}), "none", "upload")
    assert "no diagrams" in one.sample_text
    # From many pairs to none: the old ones go.
    view.workspace.use(make_set(1), "one", "upload")
    assert view.n_shown == 0
    assert view.agreements == {}


def test_equal_diagrams_are_left_off_the_logarithmic_axis_and_counted(view):
    rng = np.random.default_rng(0)
    A, B, C = (FAMILIES["uniform"](rng, n) for n in (3, 4, 5))
    view.workspace.use(DiagramSet({1: [A, B, A, C]}), "equal", "upload")
    names, matrices = view.matrices()
    chosen = [[A, B, A, C][k] for k in view.run.drawn]
    expected = sliced_wasserstein_matrix(chosen, n_directions="exact")
    np.testing.assert_allclose(matrices["sw"], expected, atol=1e-12)
    np.testing.assert_allclose(
        matrices["gram_k_sw"], np.exp(-expected / (2 * view.workspace.sigma**2))
    )
    assert matrices["d1"].shape == (len(names), len(names)) == (4, 4)
    zero = column(view, "d1") == 0
    assert zero.sum() == 1
    for name in KERNEL_STYLES:
        assert (np.isnan(column(view, name)) == zero).all()
    assert "1 pair of equal diagrams" in view.sample_text
    assert view.agreements["k_sw"].n_zero == 1


@pytest.mark.parametrize(
    "several",
    [
        [[], [], []],
        [[(0, 1)], [(0, 1)]],
        [[(1, 1)], [], [(2, 2)]],
        [[(0, 1)], [(0, 2)], []],
        [[(0, 1e-180)], [(0, 3e-180)], []],
        [[(0, 1e12)], [(0, 3e12)], [(5, 6e12), (7, 9e12)]],
    ],
    ids=["empty", "equal", "on the diagonal", "single points", "tiny", "huge"],
)
def test_odd_sets_are_shown(view, several):
    view.workspace.use(DiagramSet({1: several}), "odd", "upload")
    assert view.n_shown == len(several) * (len(several) - 1) // 2
    assert view.sample_text
    if not column(view, "d1").any():
        assert "No pair is at a distance above 0" in view.constants_text
        assert "no order to keep" in view.verdict
    for decades in (-2.0, 2.0):
        for slider in view.sliders.sliders.values():
            slider.value = decades
    assert view.spectrum.text


def test_the_spectrum_shows_both_gram_matrices(drawn):
    d1, sw = drawn.run.pairs.matrices()
    for key, matrix, sigma in (
        ("k_sw", sw, drawn.workspace.sigma),
        ("k_d1", d1, drawn.widths.sigma_d1),
    ):
        gram = kernel_from_distances(matrix, sigma)
        expected = np.sort(np.linalg.eigvalsh(gram))[::-1]
        shown = sent(drawn.spectrum.spectrum, KERNEL_STYLES[key][0])
        np.testing.assert_allclose(shown["value"], expected, atol=1e-12)
        curve = sent(drawn.spectrum.smallest, KERNEL_STYLES[key][0])
        middle = len(curve["sigma"]) // 2
        gram = kernel_from_distances(matrix, curve["sigma"][middle])
        assert curve["smallest"][middle] == pytest.approx(np.linalg.eigvalsh(gram)[0])
    drawn.widths.sigma_d1 *= 2
    gram = kernel_from_distances(d1, drawn.widths.sigma_d1)
    in_use = sent(drawn.spectrum.smallest, "in use")
    assert in_use["sigma"][1] == drawn.widths.sigma_d1
    assert in_use["smallest"][1] == pytest.approx(np.linalg.eigvalsh(gram)[0])


def test_six_diagrams_show_that_the_gaussian_on_d1_is_no_kernel(drawn):
    assert "below zero between" not in drawn.spectrum.text
    drawn.spectrum.which = SIX
    assert sent(drawn.spectrum.spectrum, "below zero")["rank"].tolist() == [6]
    assert len(sent(drawn.spectrum.spectrum, "k_SW")["rank"]) == 6
    assert len(sent(drawn.spectrum.spectrum, "Gaussian on d₁")["rank"]) == 5
    s = np.exp(-1 / (2 * SIX_SIGMA**2))
    smallest = 1 + 2 * s**2 - np.sqrt(s**4 + 8 * s**2)
    assert drawn.spectrum.values["k_d1"][-1] == pytest.approx(smallest)
    assert "below zero between" in drawn.spectrum.text
    assert min(drawn.spectrum.curves[1]["k_sw"]) > -1e-12
    drawn.spectrum.which = drawn.spectrum.param.which.default


def test_the_six_diagrams_can_be_the_data_set(view):
    view._use_six(None)
    assert view.n_shown == 15
    assert view.workspace.dataset.names == d1_counterexample().names
    assert view.workspace.to_query()["source"] == "d1_counterexample"
    assert sorted(set(column(view, "d1").tolist())) == pytest.approx([1, 2])
    assert min(view.spectrum.curves[1]["k_d1"]) < -0.05


def test_names_of_strangers_stay_data(view):
    evil = "<img src=x onerror=alert(1)>"
    rng = np.random.default_rng(0)
    several = [FAMILIES["uniform"](rng, 3) for _ in range(3)]
    view.workspace.use(
        DiagramSet({1: several}, names=[evil, "b", "c"]), "strange", "upload"
    )
    assert any(
        evil in text for text in column(view, "a").tolist() + column(view, "b").tolist()
    )
    texts = (view.sample_text, view.verdict, view.constants_text, view.table.title)
    assert not any(evil in text for text in texts)


def test_lines_of_python_print_the_numbers_on_show(capsys):
    view = DistortionView(n_diagrams=9, seed=3)
    widths = view.widths
    widths.param.update(t=0.1 + 0.05, tau=2 * widths.tau, rho=0.2, sigma_d1=0.3)
    view.workspace.sigma = 0.7
    view.figures.pairs.selected.indices = [4, 20]
    lines = view.as_python()
    assert "import *" not in lines
    assert "0.15," in lines
    exec(compile(lines, "python", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    for line, key in zip(printed, ("k_sw", "k_pss", "k_pwg", "k_d1"), strict=False):
        found = view.agreements[key]
        assert line.startswith(KERNEL_STYLES[key][0].replace("₁", "1"))
        numbers = [float(word) for word in line.split()[-2:]]
        assert numbers == pytest.approx([found.rank_correlation, found.spread])
    rest = [[float(word) for word in line.split()] for line in printed[4:]]
    low, high, distortion = (f"{number:.3g}" for number in rest[0])
    assert f"between {low} and {high}: distortion {distortion}" in view.constants_text
    assert f"= {rest[1][0]:.2g} to" in view.constants_text
    assert f"N = {rest[1][2]:.0f} points" in view.constants_text
    assert rest[2] == pytest.approx(
        [view.spectrum.values[key][-1] for key in ("k_sw", "k_d1")]
    )
    columns = ("i", "j", "d1", "sw", "k_sw", "k_pss", "k_pwg", "k_d1")
    for row, numbers in zip((4, 20), rest[3:], strict=True):
        ratio = numbers.pop(4)
        assert ratio == pytest.approx(numbers[3] / numbers[2])
        shown = [float(column(view, name)[row]) for name in columns]
        assert numbers == pytest.approx(shown)


def test_lines_of_a_stopped_measurement_print_what_is_on_show(gate, capsys):
    async def stop():
        space = Workspace(n_directions=5, tab="Distortion")
        view = DistortionView(workspace=space, n_diagrams=8, seed=6)
        view.tier = "sidebar"
        await until(lambda: view.n_shown >= 12)
        running = view.as_python()
        view.measuring.cancel()
        await view.ready()
        return view, running

    view, running = asyncio.run(stop())
    gate.set()
    assert 12 <= view.n_shown < 28
    assert "eigenvalues(k" not in running

    # The test's gate takes only calls with a progress.
    lines = view.as_python().replace(").run()", ").run(progress=lambda *_: None)")
    exec(compile(lines, "python", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    for line, key in zip(printed, ("k_sw", "k_pss", "k_pwg", "k_d1"), strict=False):
        found = view.agreements[key]
        numbers = [float(word) for word in line.split()[-2:]]
        assert numbers == pytest.approx([found.rank_correlation, found.spread])
    low, high, _ = (f"{float(word):.3g}" for word in printed[4].split())
    assert f"between {low} and {high}:" in view.constants_text
    assert [float(word) for word in printed[6].split()] == pytest.approx(
        [view.spectrum.values[key][-1] for key in ("k_sw", "k_d1")]
    )
    assert len(printed) == 7 + len(view.table.rows)


def test_lines_of_a_view_that_has_computed_nothing_run():
    space = Workspace()
    view = DistortionView(workspace=space)
    assert "print(len(diagrams))" in view.as_python()
    exec(compile(view.as_python(), "python", "exec"), {})


def test_chosen_bandwidths_are_in_the_link_under_their_old_names(view):
    few = {"n_diagrams": 5}
    made = recipe("random_diagrams", "uniform", few)()
    space = view.workspace
    space.use(made, "five", "random_diagrams", "uniform", few)
    assert not [key for key in space.to_query() if key.startswith("distortion")]
    view.widths.choose("tau", 0.25)
    view.widths.choose("sigma_d1", 3.0)
    query = space.to_query()
    assert (query["distortion.tau"], query["distortion.sigma_d1"]) == ("0.25", "3")
    again = Workspace(tab="Distortion")
    again.read_query(query)
    other = DistortionView(workspace=again)
    assert (other.widths.tau, other.widths.sigma_d1) == (0.25, 3.0)
    assert other.widths.t == view.widths.t
    # A step back to a link without them.
    again.settings = {}
    assert other.widths.tau == other.widths.fitted.tau


@pytest.mark.parametrize("change", ["data", "dimension"])
def test_bandwidths_of_a_link_are_not_those_of_other_data(change):
    several = DiagramSet({k: make_set(seed=k).in_dimension(1) for k in (0, 1)})
    space = Workspace(several, tab="Slices")
    space.settings = {f"distortion.{name}": "0.125" for name in NAMES} | {
        "distortion.seed": "3"
    }
    if change == "data":
        space.use(make_set(seed=7), "another", "upload")
    else:
        space.dimension = 0
    assert space.settings == {"distortion.seed": "3"}
    space.tab = "Distortion"
    view = DistortionView(workspace=space)
    assert view.seed == 3
    for name in NAMES:
        assert getattr(view.widths, name) == getattr(view.widths.fitted, name)
