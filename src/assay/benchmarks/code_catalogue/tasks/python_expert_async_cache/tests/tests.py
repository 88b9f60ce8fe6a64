import asyncio
import gc

from async_cache import AsyncCache, CacheClosedError

_LONGEST_WAIT_S = 5


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


class Backend:
    """Loads that end when the test says so; `events` tells what happened in which order."""

    def __init__(self):
        self.events = []
        self.loads = []

    async def load(self, key):
        number = len(self.loads)
        gate = asyncio.get_running_loop().create_future()
        self.loads.append(gate)
        self.events.append(f"{key}{number} begins")
        try:
            return await gate
        except asyncio.CancelledError:
            self.events.append(f"{key}{number} cancelled")
            for _ in range(10):
                await asyncio.sleep(0)
            raise
        finally:
            self.events.append(f"{key}{number} ends")

    def answer(self, number, value):
        if not self.loads[number].done():
            self.loads[number].set_result(value)

    def fail(self, number, error):
        if not self.loads[number].done():
            self.loads[number].set_exception(error)


class Counter:
    """Loads that end at once, with the key and how many there have been."""

    def __init__(self):
        self.keys = []

    async def load(self, key):
        self.keys.append(key)
        return f"{key}#{len(self.keys)}"


async def settle():
    """Let everything run that can."""
    for _ in range(30):
        await asyncio.sleep(0)


async def result(awaitable):
    """The value or the error, or that neither came."""
    try:
        return await asyncio.wait_for(asyncio.ensure_future(awaitable), _LONGEST_WAIT_S)
    except asyncio.TimeoutError:
        return "timed out"
    except asyncio.CancelledError:
        return "CancelledError"
    except Exception as error:
        return " ".join([type(error).__name__, *map(str, error.args[:1])])


def kinds(results):
    """Without the texts of errors that the cache itself worded."""
    return [
        "CacheClosedError" if str(one).startswith("CacheClosedError") else one for one in results
    ]


async def all_results(tasks):
    return kinds([await result(task) for task in tasks])


async def test_callers_share_a_load(observe):
    backend = Backend()
    cache = AsyncCache(backend.load)
    tasks = [asyncio.create_task(cache.get(key)) for key in "abaabc"]
    await settle()
    observe(list(backend.events))
    for number, value in enumerate((11, 22, 33)):
        backend.answer(number, value)
    observe(await all_results(tasks))
    observe([await all_results([cache.get("a"), cache.get("c")]), len(backend.loads), len(cache)])

    backend = Backend()
    cache = AsyncCache(backend.load)
    slow = asyncio.create_task(cache.get("slow"))
    await settle()
    quick = asyncio.create_task(cache.get("quick"))
    await settle()
    backend.answer(1, {"took": 2})
    observe([await result(quick), slow.done(), backend.events])
    backend.answer(0, ["at", "last"])
    observe([await result(slow), backend.events[-1]])


async def test_values_expire(observe):
    clock, counter = Clock(), Counter()
    cache = AsyncCache(counter.load, ttl=10, clock=clock)
    found = []
    for now in (1000.0, 1009.75, 1010.0, 1019.5, 1020.0, 1200.0):
        clock.now = now
        length = len(cache)
        found.append([await result(cache.get("k")), length])
    observe(found)
    forever = AsyncCache(counter.load, clock=clock)
    first = await result(forever.get("x"))
    clock.now = 1e9
    observe([first, await result(forever.get("x")), len(forever), counter.keys])

    counter = Counter()
    found = []
    for ttl in (0, -1, -0.5, 0.001, 3, None):
        try:
            cache = AsyncCache(counter.load, ttl=ttl, clock=Clock())
            found.append(await result(cache.get(str(ttl))))
        except Exception as error:
            found.append(type(error).__name__)
    observe(found)
    observe(issubclass(CacheClosedError, RuntimeError))


async def test_time_counts_from_the_end_of_the_load(observe):
    clock, backend = Clock(), Backend()
    cache = AsyncCache(backend.load, ttl=5, clock=clock)
    task = asyncio.create_task(cache.get("k"))
    await settle()
    clock.now = 1100.0
    backend.answer(0, "late")
    observe([await result(task), len(cache)])
    clock.now = 1104.5
    observe([len(cache), await result(cache.get("k")), len(backend.loads)])
    clock.now = 1105.0
    task = asyncio.create_task(cache.get("k"))
    await settle()
    observe([len(cache), len(backend.loads), backend.events])
    backend.answer(len(backend.loads) - 1, "again")
    observe(await result(task))


async def test_falsy_values_are_cached(observe):
    values = {"none": None, "zero": 0, "empty": ""}
    asked = []

    async def load(key):
        asked.append(key)
        return values[key]

    cache = AsyncCache(load, ttl=60, clock=Clock())
    observe(
        [await result(cache.get(key)) for key in ("none", "zero", "empty", "none", "zero", "empty")]
    )
    observe([asked, len(cache), cache.invalidate("none"), len(cache)])


async def test_failures_are_shared_and_not_cached(observe):
    backend = Backend()
    cache = AsyncCache(backend.load)
    tasks = [asyncio.create_task(cache.get("k")) for _ in range(3)]
    await settle()
    backend.fail(0, LookupError("no such key"))
    observe(await all_results(tasks))
    observe([len(cache), cache.invalidate("k")])
    task = asyncio.create_task(cache.get("k"))
    await settle()
    if len(backend.loads) > 1:
        backend.answer(1, 42)
    observe([await result(task), await result(cache.get("k")), backend.events])

    calls = []

    def load(key):
        calls.append(key)
        if len(calls) < 3:
            raise OSError(f"call {len(calls)} failed")
        return Counter().load(key)

    cache = AsyncCache(load)
    observe([await result(cache.get("k")) for _ in range(4)])
    observe([calls, len(cache), cache.invalidate("k")])


async def test_cancelled_callers(observe):
    backend = Backend()
    cache = AsyncCache(backend.load)
    tasks = [asyncio.create_task(cache.get("k")) for _ in range(3)]
    await settle()
    tasks[0].cancel()
    await settle()
    observe([[task.done() for task in tasks], backend.events])
    backend.answer(0, "for the others")
    observe(await all_results(tasks))
    alone = asyncio.create_task(cache.get("left"))
    await settle()
    alone.cancel()
    observe([await result(alone), backend.events])
    backend.answer(1, "nobody waits")
    await settle()
    observe([len(cache), await result(cache.get("left")), len(backend.loads)])


async def test_failures_that_nobody_waits_for(observe):
    reported = []
    asyncio.get_running_loop().set_exception_handler(
        lambda loop, found: reported.append(found["message"])
    )
    backend = Backend()
    cache = AsyncCache(backend.load)
    task = asyncio.create_task(cache.get("k"))
    await settle()
    task.cancel()
    outcome = await result(task)
    backend.fail(0, ValueError("lost"))
    await settle()
    del task
    again = asyncio.create_task(cache.get("k"))
    await settle()
    backend.answer(len(backend.loads) - 1, "found")
    value = await result(again)
    backend.loads.clear()
    del again
    gc.collect()
    await settle()
    observe([outcome, value, reported, backend.events])


async def test_invalidate_values(observe):
    clock, counter = Clock(), Counter()
    cache = AsyncCache(counter.load, ttl=8, clock=clock)
    for key in "abc":
        await result(cache.get(key))
    observe(
        [
            len(cache),
            cache.invalidate("b"),
            cache.invalidate("b"),
            cache.invalidate("z"),
            len(cache),
        ]
    )
    observe(await all_results([cache.get("a"), cache.get("b"), cache.get("c")]))
    clock.now += 7.5
    await result(cache.get("d"))
    clock.now += 0.5
    observe([len(cache), cache.invalidate("a"), cache.invalidate("d"), len(cache), counter.keys])


async def test_invalidate_during_a_load(observe):
    backend = Backend()
    cache = AsyncCache(backend.load)
    early = asyncio.create_task(cache.get("k"))
    await settle()
    observe([cache.invalidate("k"), cache.invalidate("k"), len(cache)])
    later = asyncio.create_task(cache.get("k"))
    await settle()
    observe(list(backend.events))
    backend.answer(0, "old")
    observe([await result(early), len(cache), later.done()])
    third = asyncio.create_task(cache.get("k"))
    await settle()
    observe(len(backend.loads))
    for number in range(1, len(backend.loads)):
        backend.answer(number, f"new {number}")
    observe(await all_results([later, third, cache.get("k")]))

    backend = Backend()
    cache = AsyncCache(backend.load)
    early = asyncio.create_task(cache.get("k"))
    await settle()
    cache.invalidate("k")
    later = asyncio.create_task(cache.get("k"))
    await settle()
    backend.answer(len(backend.loads) - 1, "new")
    observe([await result(later), len(cache)])
    backend.fail(0, OSError("stale"))
    observe([await result(early), await result(cache.get("k")), len(cache), backend.events])


async def test_close_waits(observe):
    backend = Backend()
    cache = AsyncCache(backend.load)
    tasks = [asyncio.create_task(cache.get(key)) for key in ("cached", "a", "b", "c")]
    await settle()
    backend.answer(0, "kept")
    await settle()
    cache.invalidate("a")
    before = len(cache)
    closing = asyncio.create_task(cache.close())
    await settle()
    observe([before, len(cache), closing.done()])
    observe(await all_results([cache.get("cached"), cache.get("a"), cache.get("new")]))
    backend.answer(2, 20)
    backend.fail(3, KeyError("c"))
    await settle()
    observe([closing.done(), backend.events])
    backend.answer(1, 10)
    observe([await result(closing), await all_results(tasks), len(cache)])
    observe(
        [await result(cache.close()), kinds([await result(cache.get("b"))]), len(backend.loads)]
    )


async def test_close_cancels(observe):
    backend = Backend()
    cache = AsyncCache(backend.load)
    tasks = [asyncio.create_task(cache.get(key)) for key in ("a", "b", "a", "d")]
    await settle()
    cache.invalidate("d")
    backend.answer(1, "b in time")
    await settle()

    async def close():
        await cache.close(cancel_pending=True)
        backend.events.append("cache closed")

    closed = await result(close())
    observe([closed, sorted(backend.events), backend.events[-1]])
    observe([await all_results(tasks), len(cache)])

    backend = Backend()
    cache = AsyncCache(backend.load)
    tasks = [asyncio.create_task(cache.get("k")) for _ in range(2)]
    # One round of the loop: the callers have started the load, which has not run yet.
    await asyncio.sleep(0)
    observe([await result(cache.close(cancel_pending=True)), kinds([await result(cache.get("k"))])])
    observe(await all_results(tasks))
    ended = [event for event in backend.events if event.endswith("ends")]
    begun = [event for event in backend.events if event.endswith("begins")]
    observe(["still running", len(begun) - len(ended)])


async def test_closing_again_cancels(observe):
    backend = Backend()
    cache = AsyncCache(backend.load)
    task = asyncio.create_task(cache.get("k"))
    await settle()
    patient = asyncio.create_task(cache.close())
    await settle()
    observe([patient.done(), list(backend.events)])
    observe(await all_results([cache.close(cancel_pending=True), patient, task]))
    observe(backend.events)


async def test_context_manager(observe):
    backend = Backend()
    async with AsyncCache(backend.load) as cache:
        task = asyncio.create_task(cache.get("calm"))
        await settle()
        asyncio.get_running_loop().call_soon(backend.answer, 0, "loaded")
    observe([task.done(), await result(task), kinds([await result(cache.get("calm"))])])
    try:
        async with AsyncCache(backend.load) as cache:
            task = asyncio.create_task(cache.get("storm"))
            await settle()
            raise LookupError("inside of the block")
    except LookupError as error:
        observe([str(error), kinds([await result(task)]), backend.events])


async def test_loads_that_use_the_cache(observe):
    order = []

    async def load(number):
        order.append(number)
        if number < 2:
            return number
        return await cache.get(number - 1) + await cache.get(number - 2)

    cache = AsyncCache(load)
    observe([await result(cache.get(30)), len(cache), order[:4], len(order)])
