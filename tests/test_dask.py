"""The same code on a Dask cluster: ``joblib.parallel_config(backend="dask")``."""

import os

import joblib
import numpy as np
import pytest

from swviz import diagram_distance_matrix, sliced_wasserstein_matrix
from swviz import distances as distances_module
from swviz.kernels import (
    PersistenceScaleSpaceKernel,
    PersistenceWeightedGaussianKernel,
    SlicedWassersteinKernel,
)
from swviz.kernels import grid as grid_module
from swviz.learning import SlicedWassersteinFeatures, tune_on_distances
from swviz.learning import nystroem as nystroem_module

distributed = pytest.importorskip("distributed")

RNG = np.random.default_rng(0)
X = [np.sort(RNG.random((30, 2)), axis=1) for _ in range(24)]


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            memory_limit=None,
        ) as cluster,
        distributed.Client(cluster) as connected,
    ):
        yield connected


@pytest.fixture
def many_tasks(monkeypatch):
    monkeypatch.setattr(distances_module, "_TILE_WORK", 200_000)
    monkeypatch.setattr(grid_module, "_TASK_SECONDS", 1e-9)
    monkeypatch.setattr(nystroem_module, "_BATCH", 4)


WORK = {
    "slices": lambda: sliced_wasserstein_matrix(X, n_directions=6),
    "exact": lambda: sliced_wasserstein_matrix(X[:8], n_directions="exact"),
    "d1": lambda: diagram_distance_matrix(X),
    "embedding": lambda: SlicedWassersteinKernel(1.0, 6, method="embedding").gram(X),
    "PSS, grid": lambda: PersistenceScaleSpaceKernel(1e-4, method="grid").gram(X),
    "PWG, direct": lambda: PersistenceWeightedGaussianKernel(method="direct").gram(X),
    "features": lambda: SlicedWassersteinFeatures(1.0, random_state=0).fit_transform(X),
    "tuning": lambda: (
        tune_on_distances(
            sliced_wasserstein_matrix(X, n_directions=2),
            np.arange(24) % 2,
            np.arange(16),
            np.arange(16, 24),
            sigmas=[1.0],
            n_splits=4,
        ).grid.accuracies
    ),
}


@pytest.mark.parametrize("work", WORK.values(), ids=list(WORK))
def test_same_numbers_and_the_work_is_done_by_the_workers(client, many_tasks, work):
    expected = work()
    with distributed.get_task_stream(client) as stream:
        with joblib.parallel_config(backend="dask"):
            found = work()
        client.run(os.getpid)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
    addresses = {task["worker"] for task in stream.data if task["status"] == "OK"}
    assert addresses
    assert addresses <= set(client.scheduler_info()["workers"])


def test_work_is_spread_over_worker_processes(client, many_tasks):
    pids = client.run(os.getpid)
    assert len(set(pids.values())) == 2
    assert os.getpid() not in pids.values()
    with distributed.get_task_stream(client) as stream:
        with joblib.parallel_config(backend="dask"):
            sliced_wasserstein_matrix(X * 4, n_directions=20)
        client.run(os.getpid)
    workers = {task["worker"] for task in stream.data}
    assert len(workers) == 2
