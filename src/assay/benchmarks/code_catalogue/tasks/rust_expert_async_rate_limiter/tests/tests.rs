use crate::observer::Observer;
use solution::executor::{Clock, Executor, Task};
use solution::{Acquire, AcquireError, Permit, RateLimiter};
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

const MS: Duration = Duration::from_millis(1);

/// An executor, a limiter on its clock, and what its tasks got: name and time in milliseconds.
struct Scene {
    executor: Executor,
    clock: Clock,
    limiter: RateLimiter,
    log: Rc<RefCell<Vec<(String, u128)>>>,
}

impl Scene {
    fn new(capacity: u32, interval: Duration) -> Scene {
        let executor = Executor::new();
        let clock = executor.clock();
        Scene {
            limiter: RateLimiter::new(clock.clone(), capacity, interval),
            clock,
            executor,
            log: Rc::default(),
        }
    }

    /// A scene whose bucket has just been emptied.
    fn drained(capacity: u32, interval: Duration) -> Scene {
        let scene = Scene::new(capacity, interval);
        drop(scene.limiter.try_acquire(capacity));
        scene
    }

    /// A task that waits for tokens and notes when it got them, or why it did not.
    fn ask(&self, name: &str, tokens: u32) -> Task<()> {
        let acquire = self.limiter.acquire(tokens);
        self.note(name, async move { described(acquire.await) })
    }

    fn note(&self, name: &str, future: impl Future<Output = String> + 'static) -> Task<()> {
        let (name, log, clock) = (name.to_string(), Rc::clone(&self.log), self.clock.clone());
        self.executor.spawn(async move {
            let text = future.await;
            let at = clock.now().as_millis();
            log.borrow_mut().push((format!("{name}{text}"), at));
        })
    }

    fn advance(&self, milliseconds: u32) {
        self.executor.advance(MS * milliseconds);
    }

    /// What has been noted since the last call.
    fn noted(&self) -> Vec<(String, u128)> {
        self.executor.run();
        self.log.take()
    }

    fn counts(&self) -> (u32, usize) {
        (self.limiter.available(), self.limiter.waiting())
    }

    fn tries(&self, tokens: u32) -> Option<u32> {
        self.limiter.try_acquire(tokens).map(|it| it.tokens())
    }
}

fn described(result: Result<Permit, AcquireError>) -> String {
    match result {
        Ok(permit) => format!(" got {}", permit.tokens()),
        Err(error) => format!(" failed: {error:?}"),
    }
}

fn release(permit: Option<Permit>) {
    if let Some(permit) = permit {
        permit.release();
    }
}

/// Gives up after a time, as a time limit around `acquire` does.
struct Patient {
    acquire: Option<Pin<Box<Acquire>>>,
    limit: Pin<Box<dyn Future<Output = ()>>>,
}

impl Future for Patient {
    type Output = String;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<String> {
        if let Some(acquire) = &mut self.acquire {
            if let Poll::Ready(result) = acquire.as_mut().poll(context) {
                return Poll::Ready(described(result));
            }
        }
        if self.limit.as_mut().poll(context).is_ready() {
            self.acquire = None;
            return Poll::Ready(" gave up".to_string());
        }
        Poll::Pending
    }
}

/// Polls a future that others poll too, and counts it; ends after one poll unless it is to wait.
struct Shared {
    acquire: Rc<RefCell<Pin<Box<Acquire>>>>,
    waits: bool,
    polls: Rc<Cell<usize>>,
}

impl Future for Shared {
    type Output = String;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<String> {
        self.polls.set(self.polls.get() + 1);
        match self.acquire.borrow_mut().as_mut().poll(context) {
            Poll::Ready(result) => Poll::Ready(described(result)),
            Poll::Pending if self.waits => Poll::Pending,
            Poll::Pending => Poll::Ready(" looked".to_string()),
        }
    }
}

pub fn burst_and_steady_rate(observe: &mut Observer) {
    let scene = Scene::new(3, 100 * MS);
    observe.value(scene.counts());
    for name in ["a", "b", "c", "d", "e", "f"] {
        scene.ask(name, 1);
    }
    observe.value(scene.noted());
    observe.value(scene.counts());
    scene.advance(1_000);
    observe.value(scene.noted());
    observe.value(scene.counts());
    let limiter = scene.limiter.clone();
    let clock = scene.clock.clone();
    observe.value(scene.executor.block_on(async move {
        let sum = limiter.acquire(3).await.map_or(0, |it| it.tokens())
            + limiter.acquire(2).await.map_or(0, |it| it.tokens());
        (sum, clock.now().as_millis())
    }));
}

pub fn nobody_overtakes(observe: &mut Observer) {
    let scene = Scene::drained(4, 100 * MS);
    for (name, tokens) in [("large", 3), ("small", 1), ("full", 4), ("last", 2)] {
        scene.ask(name, tokens);
    }
    scene.advance(250);
    observe.value((scene.noted(), scene.counts(), scene.tries(1)));
    scene.ask("late", 1);
    scene.advance(50);
    observe.value((scene.noted(), scene.counts()));
    scene.advance(100);
    observe.value((scene.noted(), scene.counts(), scene.tries(0)));
    scene.advance(350);
    observe.value((scene.noted(), scene.counts(), scene.tries(2)));
    scene.advance(700);
    observe.value((
        scene.noted(),
        scene.counts(),
        scene.tries(5),
        scene.tries(4),
    ));
    // Enough for the second one, but not for the first.
    let scene = Scene::new(5, 100 * MS);
    observe.value((scene.tries(3), scene.counts()));
    scene.ask("first", 4);
    scene.ask("second", 2);
    observe.value((scene.noted(), scene.counts()));
    scene.advance(2_000);
    observe.value(scene.noted());
}

pub fn place_is_taken_when_polled(observe: &mut Observer) {
    let scene = Scene::drained(2, 100 * MS);
    let early = scene.limiter.acquire(1);
    let unused = scene.limiter.acquire(2);
    observe.value(scene.counts());
    scene.ask("b", 1);
    scene.executor.run();
    scene.note("a", async move { described(early.await) });
    scene.executor.run();
    observe.value(scene.counts());
    scene.advance(150);
    drop(unused);
    observe.value((scene.noted(), scene.counts()));
    scene.advance(400);
    observe.value((scene.noted(), scene.counts()));
    let full = scene.limiter.acquire(2);
    observe.value(scene.counts());
    drop(full);
    observe.value((scene.counts(), scene.tries(2)));
}

pub fn parts_of_intervals_count(observe: &mut Observer) {
    let scene = Scene::new(5, 300 * MS);
    // Full for a while: the first interval begins at 1000.
    scene.advance(1_000);
    observe.value((scene.tries(2), scene.counts()));
    scene.advance(250);
    observe.value((scene.tries(3), scene.counts()));
    scene.advance(49);
    observe.value(scene.counts());
    scene.advance(1);
    observe.value(scene.counts());
    scene.advance(750);
    observe.value((scene.tries(2), scene.counts()));
    scene.ask("a", 2);
    scene.advance(1_000);
    observe.value((scene.noted(), scene.counts()));
    // Full again since 3700: what follows is not saved up.
    scene.advance(2_899);
    observe.value((scene.counts(), scene.tries(1), scene.tries(1)));
    scene.advance(299);
    observe.value(scene.counts());
    scene.advance(1);
    observe.value(scene.counts());
}

pub fn releases(observe: &mut Observer) {
    let scene = Scene::new(4, 100 * MS);
    let (one, three) = (scene.limiter.try_acquire(1), scene.limiter.try_acquire(3));
    scene.advance(150);
    observe.value(scene.counts());
    // The second interval goes on: a token is due at 200.
    release(one);
    observe.value(scene.counts());
    scene.advance(60);
    observe.value(scene.counts());
    // Two of three do not fit in.
    release(three);
    observe.value(scene.counts());
    let spent = scene.limiter.try_acquire(2);
    observe.value((spent.as_ref().map(Permit::tokens), scene.counts()));
    drop(spent);
    observe.value(scene.counts());
    scene.advance(99);
    observe.value(scene.counts());
    scene.advance(1);
    observe.value(scene.counts());
}

pub fn releases_serve_the_queue(observe: &mut Observer) {
    let scene = Scene::new(6, 100 * MS);
    let permits: Vec<Permit> = [1, 2, 3]
        .iter()
        .filter_map(|&tokens| scene.limiter.try_acquire(tokens))
        .collect();
    for (name, tokens) in [("a", 5), ("b", 2), ("c", 1), ("d", 6)] {
        scene.ask(name, tokens);
    }
    scene.advance(130);
    let mut permits = permits.into_iter();
    release(permits.next());
    observe.value((scene.noted(), scene.counts()));
    // The first one is due at 400 instead of 500.
    scene.advance(200);
    observe.value((scene.noted(), scene.counts()));
    scene.advance(70);
    observe.value((scene.noted(), scene.counts()));
    release(permits.next_back());
    observe.value((scene.counts(), scene.noted()));
    scene.advance(340);
    release(permits.next());
    scene.advance(200);
    observe.value((scene.noted(), scene.counts()));
}

pub fn dropped_in_the_queue(observe: &mut Observer) {
    let scene = Scene::drained(4, 100 * MS);
    let first = scene.ask("first", 4);
    for (name, tokens) in [("b", 1), ("c", 1), ("d", 2)] {
        scene.ask(name, tokens);
    }
    scene.advance(220);
    first.cancel();
    observe.value(scene.counts());
    observe.value(scene.noted());
    scene.advance(1_000);
    observe.value(scene.noted());
    // Not enough for the next one yet: it has to be woken in time all the same.
    let scene = Scene::drained(4, 100 * MS);
    let first = scene.ask("first", 3);
    let second = scene.ask("second", 4);
    scene.ask("third", 2);
    scene.advance(150);
    first.cancel();
    second.cancel();
    observe.value((scene.noted(), scene.counts()));
    scene.advance(1_000);
    observe.value((scene.noted(), scene.counts()));

    let scene = Scene::drained(3, 100 * MS);
    let tasks: Vec<Task<()>> = ["a", "b", "c", "d", "e"].map(|it| scene.ask(it, 1)).into();
    scene.executor.run();
    tasks[1].cancel();
    tasks[4].cancel();
    observe.value(scene.counts());
    scene.advance(150);
    tasks[2].cancel();
    scene.ask("f", 3);
    scene.advance(1_000);
    observe.value((scene.noted(), scene.counts()));
}

pub fn time_limits(observe: &mut Observer) {
    let scene = Scene::drained(2, 100 * MS);
    for (name, tokens, limit) in [("a", 2, 150), ("b", 1, 160), ("c", 1, 190), ("d", 1, 310)] {
        let patient = Patient {
            acquire: Some(Box::pin(scene.limiter.acquire(tokens))),
            limit: Box::pin(scene.clock.sleep(MS * limit)),
        };
        scene.note(name, patient);
    }
    scene.advance(155);
    observe.value((scene.noted(), scene.counts()));
    scene.advance(845);
    observe.value((scene.noted(), scene.counts()));
}

pub fn dropped_after_being_served(observe: &mut Observer) {
    let scene = Scene::new(4, 100 * MS);
    let all = scene.limiter.try_acquire(4);
    let tasks: Vec<Task<()>> = [("a", 3), ("b", 2), ("c", 1)]
        .map(|(name, tokens)| scene.ask(name, tokens))
        .into();
    scene.advance(40);
    // Serves the first and, with what is left, nobody else; none of them is polled.
    release(all);
    observe.value(scene.counts());
    tasks[0].cancel();
    observe.value(scene.counts());
    observe.value(scene.noted());
    // The last one is served and dropped while nobody waits.
    let scene = Scene::new(3, 100 * MS);
    let two = scene.limiter.try_acquire(2);
    let only = scene.ask("only", 3);
    scene.advance(30);
    release(two);
    observe.value(scene.counts());
    only.cancel();
    observe.value((scene.counts(), scene.noted()));
    scene.advance(100);
    observe.value((scene.counts(), scene.tries(3)));
}

pub fn invalid_numbers(observe: &mut Observer) {
    let clock = Executor::new().clock();
    observe.panics(|| RateLimiter::new(clock.clone(), 0, MS));
    observe.panics(|| RateLimiter::new(clock.clone(), 1, Duration::ZERO));
    let scene = Scene::drained(3, 100 * MS);
    scene.ask("waits", 2);
    scene.ask("many", 4);
    scene.ask("most", u32::MAX);
    scene.ask("none", 0);
    observe.value((scene.noted(), scene.counts()));
    observe.value((scene.tries(0), scene.tries(4), scene.tries(u32::MAX)));
    scene.advance(500);
    observe.value((scene.noted(), scene.counts()));
}

pub fn close(observe: &mut Observer) {
    let scene = Scene::new(4, 100 * MS);
    let permit = scene.limiter.try_acquire(3);
    for (name, tokens) in [("a", 2), ("b", 1), ("c", 4)] {
        scene.ask(name, tokens);
    }
    let late = scene.limiter.acquire(1);
    scene.executor.run();
    release(permit);
    // Two have been served and not been polled since.
    scene.limiter.close();
    scene.note("late", async move { described(late.await) });
    scene.ask("many", 9);
    scene.ask("none", 0);
    observe.value((scene.noted(), scene.counts()));
    observe.value((scene.tries(1), scene.tries(0)));
    scene.limiter.close();
    scene.advance(1_000);
    observe.value((scene.noted(), scene.limiter.clone().waiting()));
}

pub fn last_task_to_poll_is_woken(observe: &mut Observer) {
    let scene = Scene::drained(2, 100 * MS);
    scene.ask("before", 1);
    let acquire = Rc::new(RefCell::new(Box::pin(scene.limiter.acquire(2))));
    let polls = Rc::new(Cell::new(0));
    let share = |name: &str, waits| {
        let (acquire, polls) = (Rc::clone(&acquire), Rc::clone(&polls));
        scene.note(
            name,
            Shared {
                acquire,
                waits,
                polls,
            },
        )
    };
    share("one", false);
    scene.advance(50);
    share("two", true);
    scene.advance(100);
    observe.value((scene.noted(), scene.counts()));
    // It is the first one now.
    share("three", false);
    share("four", true);
    scene.advance(150);
    observe.value((scene.noted(), scene.counts()));
    observe.value(("few", polls.get() < 9));
}

pub fn few_polls(observe: &mut Observer) {
    let scene = Scene::drained(8, 10 * MS);
    let polls = Rc::new(Cell::new(0));
    for number in 0..200 {
        let shared = Shared {
            acquire: Rc::new(RefCell::new(Box::pin(
                scene.limiter.acquire(number % 8 + 1),
            ))),
            waits: true,
            polls: Rc::clone(&polls),
        };
        scene.note(&number.to_string(), shared);
    }
    scene.executor.run();
    observe.value(scene.counts());
    scene.advance(4_500);
    let noted = scene.noted();
    observe.value((noted.len(), noted.last().cloned(), scene.counts()));
    scene.advance(100_000);
    observe.value(scene.noted().len());
    observe.value(("few", polls.get() <= 1_000));
    // While nothing happens, nobody is polled.
    let scene = Scene::drained(1, Duration::from_secs(86_400));
    let polls = Rc::new(Cell::new(0));
    for name in ["a", "b", "c"] {
        let shared = Shared {
            acquire: Rc::new(RefCell::new(Box::pin(scene.limiter.acquire(1)))),
            waits: true,
            polls: Rc::clone(&polls),
        };
        scene.note(name, shared);
    }
    scene.advance(86_000_000);
    observe.value((polls.get() <= 6, scene.counts(), scene.noted().len()));
}

pub fn long_times(observe: &mut Observer) {
    let nanosecond = Duration::from_nanos(1);
    let scene = Scene::drained(10, nanosecond);
    scene.executor.advance(nanosecond * 3);
    observe.value((scene.counts(), scene.tries(2)));
    scene.executor.advance(Duration::from_nanos((1 << 32) + 4));
    observe.value((scene.counts(), scene.tries(10)));
    scene.executor.advance(Duration::from_nanos(1 << 33));
    observe.value(scene.counts());
    let scene = Scene::drained(u32::MAX, Duration::from_secs(1));
    scene.executor.advance(Duration::from_secs(4_000_000_000));
    observe.value(scene.counts());
    scene.executor.advance(Duration::from_secs(4_000_000_000));
    observe.value((scene.counts(), scene.tries(u32::MAX - 1)));
    scene.ask("year", 31_536_001);
    scene.executor.advance(Duration::from_secs(40_000_000));
    observe.value((scene.noted(), scene.counts()));
}
