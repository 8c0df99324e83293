import asyncio
import gc
import threading
import time
from functools import partial

import numpy as np
import pytest

from swviz.app.runtime import jobs
from swviz.app.runtime.jobs import Job, JobCancelled, ResultCache, digest
from swviz.app.runtime.pool import FairPool
from swviz.app.runtime.task import Task
from swviz.app.ui.job_bar import JobBar


def count_slowly(progress, steps=500):
    for done in range(steps):
        progress(done, steps)
        time.sleep(0.01)
    return steps


async def begun(job):
    while not job._reported[0]:
        await asyncio.sleep(0.01)


def test_a_job_returns_what_its_function_returns():
    assert asyncio.run(Job(lambda progress: 7).run()) == 7


def test_an_error_of_the_function_reaches_the_caller():
    def fail(progress):
        raise ValueError("no such thing")

    job = Job(fail)
    with pytest.raises(ValueError, match="no such thing"):
        asyncio.run(job.run())
    assert job.status == "failed"


def test_a_job_that_is_cancelled_in_the_queue_is_cancelled_and_not_failed(monkeypatch):
    monkeypatch.setattr(jobs, "_POOL", FairPool(1, "of a test"))

    async def cancel_in_queue():
        first, second = Job(count_slowly), Job(count_slowly)
        running = [asyncio.create_task(job.run()) for job in (first, second)]
        await begun(first)
        assert not second._reported[0]
        second.cancel()
        with pytest.raises(JobCancelled):
            await running[1]
        first.cancel()
        with pytest.raises(JobCancelled):
            await running[0]
        return second.status

    assert asyncio.run(cancel_in_queue()) == "cancelled"


def test_a_cancelled_job_stops_its_thread():
    ended = threading.Event()

    def work(progress):
        try:
            count_slowly(progress)
        finally:
            ended.set()

    async def cancel_soon():
        job = Job(work)
        running = asyncio.create_task(job.run())
        await begun(job)
        job.cancel()
        with pytest.raises(JobCancelled):
            await running
        return job

    job = asyncio.run(cancel_soon())
    assert ended.wait(60)
    assert job.status == "cancelled"
    assert 0 < job.done < job.total == 500


def test_nobody_complains_of_a_job_whose_caller_has_gone():
    complaints, go_on = [], threading.Event()

    def fail_late(progress):
        progress(1, 2)
        go_on.wait(60)
        raise ValueError("too late")

    async def leave():
        asyncio.get_running_loop().set_exception_handler(
            lambda _loop, context: complaints.append(context["message"])
        )
        job = Job(fail_late)
        running = asyncio.create_task(job.run())
        await begun(job)
        running.cancel()
        with pytest.raises(JobCancelled):
            await running
        go_on.set()
        while not job._ticket.future.done():
            await asyncio.sleep(0.01)
        # For asyncio to hear of it, too.
        await asyncio.sleep(0.01)
        del job, running
        gc.collect()

    asyncio.run(leave())
    assert complaints == []


def test_the_event_loop_turns_while_a_job_runs():
    async def ticks_meanwhile():
        ticks = 0
        running = asyncio.create_task(Job(lambda progress: time.sleep(0.5)).run())
        while not running.done():
            await asyncio.sleep(0.01)
            ticks += 1
        return ticks

    assert asyncio.run(ticks_meanwhile()) > 10


def test_a_result_is_computed_once_for_its_key():
    calls = []
    key = digest("test", np.arange(3))

    async def twice():
        for _ in range(2):
            await Job(lambda progress: calls.append(1), key).run()

    asyncio.run(twice())
    assert len(calls) == 1


def test_digest_sees_every_byte_and_the_shape():
    large = np.zeros(300_000)
    other = large.copy()
    other[123_457] = 1
    keys = {digest(large), digest(other), digest(large.reshape(2, -1)), digest("a")}
    assert len(keys) == 4
    assert digest(large) == digest(large.copy())


def test_the_cache_forgets_what_was_not_used():
    cache = ResultCache(limit=2)
    cache.put("a", 1)
    cache.put("b", 2)
    cache.get("a")
    cache.put("c", 3)
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (1, None, 3)


@pytest.mark.parametrize("ends", ["session", "server"])
def test_jobs_of_what_has_gone_are_cancelled(ends, monkeypatch):
    class Document:
        pass

    document = Document()
    monkeypatch.setattr(
        type(jobs.pn.state), "curdoc", property(lambda self: document), raising=True
    )
    job = Job(count_slowly)
    if ends == "session":
        jobs.cancel_session(document)
    else:
        jobs.cancel_all()
    with pytest.raises(JobCancelled):
        asyncio.run(job.run())


def test_a_job_hands_over_what_it_has_found_once():
    def work(progress):
        progress.found("some")
        progress.found("more")

    job = Job(work)
    assert job.take_found() is jobs.NOTHING
    asyncio.run(job.run())
    assert job.take_found() == "more"
    assert job.take_found() is jobs.NOTHING


def test_the_bar_shows_progress():
    task = Task()
    bar = JobBar(task)
    seen = []
    bar.param.watch(lambda event: seen.append(event.new), "text")
    asyncio.run(task.compute(partial(count_slowly, steps=40), title="Counting"))
    assert any(text.startswith("Counting · ") for text in seen)


def test_the_bar_is_seen_while_a_long_job_runs_and_not_after():
    task = Task()
    bar = JobBar(task)
    seen = []
    bar._row.param.watch(lambda event: seen.append(event.new["display"]), "styles")
    asyncio.run(task.compute(lambda progress: time.sleep(0.9)))
    assert seen == ["flex", "none"]
    assert bar._row.visible
    # Made for the first job that takes long, and kept.
    parts = list(bar._row.objects)
    assert len(parts) == 2
    asyncio.run(task.compute(lambda progress: time.sleep(0.9)))
    assert bar._row.objects == parts


def test_a_short_job_makes_no_bar():
    task = Task()
    bar = JobBar(task)
    assert asyncio.run(task.compute(lambda progress: 3)) == 3
    assert bar._row.objects == []


def test_jobs_rest_while_something_is_urgent():
    async def steps_taken():
        taken = []
        job = Job(lambda progress: count_slowly(progress, 40))
        running = asyncio.create_task(job.run())
        await begun(job)
        with jobs.jobs_rest(), jobs.jobs_rest():
            await asyncio.sleep(0.05)
            taken.append(job._reported[0])
            await asyncio.sleep(0.3)
            taken.append(job._reported[0])
        return taken, await running

    (before, after), result = asyncio.run(steps_taken())
    assert 0 < before == after < 39
    assert result == 40


def test_jobs_do_not_rest_for_ever(monkeypatch):
    monkeypatch.setattr(jobs, "LONGEST_REST", 0.01)
    with jobs.jobs_rest():
        job = Job(lambda progress: count_slowly(progress, 3))
        assert asyncio.run(job.run()) == 3


def test_a_job_rests_for_a_part_of_its_time_only(monkeypatch):
    monkeypatch.setattr(jobs, "LONGEST_REST", 0.05)
    with jobs.jobs_rest():
        job = Job(lambda progress: count_slowly(progress, 30))
        start = time.monotonic()
        assert asyncio.run(job.run()) == 30
        spent = time.monotonic() - start
    assert 0.05 <= job._rested <= spent / 2


def test_an_urgent_job_has_others_rest_and_does_not_queue_behind_them():
    async def race():
        count = jobs._POOL.slots
        slow = [Job(partial(count_slowly, steps=60)) for _ in range(count)]
        running = [asyncio.create_task(job.run()) for job in slow]
        await asyncio.sleep(0.1)
        urgent = Job(partial(count_slowly, steps=20), urgent=True)
        before = [job._reported[0] for job in slow]
        await urgent.run()
        after = [job._reported[0] for job in slow]
        await asyncio.gather(*running)
        return before, after

    before, after = asyncio.run(race())
    # Twenty steps, had they not rested.
    assert all(b - a < 8 for a, b in zip(before, after, strict=True))
