//! A single-threaded executor with a clock that moves only when it is told to.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

/// Tasks that are polled more often than this while the clock stands still wake themselves without end.
const MOST_POLLS: usize = 100_000;

/// The time since the executor was made. Clones show the same time.
#[derive(Clone, Default)]
pub struct Clock {
    state: Rc<ClockState>,
}

#[derive(Default)]
struct ClockState {
    now: Cell<Duration>,
    timers_made: Cell<u64>,
    timers: RefCell<BTreeMap<(Duration, u64), Waker>>,
}

impl Clock {
    pub fn now(&self) -> Duration {
        self.state.now.get()
    }

    /// A future that is ready once the clock shows `deadline` or later.
    pub fn sleep_until(&self, deadline: Duration) -> Sleep {
        let id = self.state.timers_made.get();
        self.state.timers_made.set(id + 1);
        Sleep {
            clock: self.clone(),
            timer: (deadline, id),
        }
    }

    /// A future that is ready `duration` after this call.
    pub fn sleep(&self, duration: Duration) -> Sleep {
        self.sleep_until(self.now() + duration)
    }

    fn next_timer(&self) -> Option<Duration> {
        let timers = self.state.timers.borrow();
        timers.keys().next().map(|timer| timer.0)
    }

    /// Moves the clock to a time and wakes what waits for it.
    fn move_to(&self, time: Duration) {
        self.state.now.set(time);
        while self.next_timer().map_or(false, |deadline| deadline <= time) {
            let mut timers = self.state.timers.borrow_mut();
            let first = timers.keys().next().copied();
            let waker = first.and_then(|timer| timers.remove(&timer));
            drop(timers);
            if let Some(waker) = waker {
                waker.wake();
            }
        }
    }
}

/// The future that [`Clock::sleep_until`] returns. It may be dropped at any time.
pub struct Sleep {
    clock: Clock,
    timer: (Duration, u64),
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut timers = self.clock.state.timers.borrow_mut();
        if self.clock.now() >= self.timer.0 {
            timers.remove(&self.timer);
            return Poll::Ready(());
        }
        timers.insert(self.timer, context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.clock.state.timers.borrow_mut().remove(&self.timer);
    }
}

type TaskId = u64;
type TaskFuture = Pin<Box<dyn Future<Output = ()>>>;

/// Runs tasks in the order in which they are woken. Clones are the same executor.
#[derive(Clone, Default)]
pub struct Executor {
    clock: Clock,
    tasks: Rc<Tasks>,
}

#[derive(Default)]
struct Tasks {
    spawned: Cell<TaskId>,
    /// Without a future while the task is polled.
    running: RefCell<BTreeMap<TaskId, Option<TaskFuture>>>,
    ready: Arc<Mutex<VecDeque<Arc<TaskWaker>>>>,
}

struct TaskWaker {
    id: TaskId,
    is_ready: AtomicBool,
    ready: Arc<Mutex<VecDeque<Arc<TaskWaker>>>>,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        if !self.is_ready.swap(true, Ordering::SeqCst) {
            let ready = Arc::clone(&self.ready);
            ready.lock().expect("ready tasks").push_back(self);
        }
    }
}

impl Executor {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn clock(&self) -> Clock {
        self.clock.clone()
    }

    /// Starts a task. It is polled for the first time by `run`, `advance` or `block_on`.
    pub fn spawn<T: 'static>(&self, future: impl Future<Output = T> + 'static) -> Task<T> {
        let output = Rc::new(RefCell::new(None));
        let shared = Rc::clone(&output);
        let future: TaskFuture = Box::pin(async move {
            let found = future.await;
            *shared.borrow_mut() = Some(found);
        });
        let id = self.tasks.spawned.get();
        self.tasks.spawned.set(id + 1);
        let mut running = self.tasks.running.borrow_mut();
        running.insert(id, Some(future));
        let waker = TaskWaker {
            id,
            is_ready: AtomicBool::new(false),
            ready: Arc::clone(&self.tasks.ready),
        };
        Arc::new(waker).wake();
        Task {
            id,
            output,
            tasks: Rc::clone(&self.tasks),
        }
    }

    /// Polls the tasks that are ready until none is. The clock stands still.
    ///
    /// # Panics
    ///
    /// If the tasks wake one another without end.
    pub fn run(&self) {
        for _ in 0..MOST_POLLS {
            let next = self.tasks.ready.lock().expect("ready tasks").pop_front();
            match next {
                Some(waker) => self.tasks.poll(waker),
                None => return,
            }
        }
        panic!("the tasks wake one another without end");
    }

    /// Runs the tasks while the clock moves on by `duration`, from timer to timer.
    pub fn advance(&self, duration: Duration) {
        let end = self.clock.now() + duration;
        self.run();
        while let Some(time) = self.clock.next_timer().filter(|&time| time <= end) {
            self.clock.move_to(time);
            self.run();
        }
        self.clock.move_to(end);
    }

    /// Runs a future to its end, along with all tasks; the clock moves on whenever all of them wait.
    ///
    /// # Panics
    ///
    /// If the future waits and there is no timer that it could wait for.
    pub fn block_on<T: 'static>(&self, future: impl Future<Output = T> + 'static) -> T {
        let task = self.spawn(future);
        loop {
            self.run();
            if let Some(output) = task.output() {
                return output;
            }
            match self.clock.next_timer() {
                Some(time) => self.clock.move_to(time),
                None => panic!("the future waits for something that will not happen"),
            }
        }
    }
}

impl Tasks {
    fn poll(&self, waker: Arc<TaskWaker>) {
        waker.is_ready.store(false, Ordering::SeqCst);
        let id = waker.id;
        let taken = self
            .running
            .borrow_mut()
            .get_mut(&id)
            .and_then(Option::take);
        let mut future = match taken {
            Some(future) => future,
            None => return,
        };
        let waker = Waker::from(waker);
        let polled = future.as_mut().poll(&mut Context::from_waker(&waker));
        let mut running = self.running.borrow_mut();
        match running.get_mut(&id) {
            Some(place) if polled.is_pending() => *place = Some(future),
            _ => drop(running.remove(&id)),
        }
    }
}

/// A spawned future. The task goes on when this is dropped.
pub struct Task<T> {
    id: TaskId,
    output: Rc<RefCell<Option<T>>>,
    tasks: Rc<Tasks>,
}

impl<T> Task<T> {
    /// Takes what the future returned, if it is finished.
    pub fn output(&self) -> Option<T> {
        self.output.borrow_mut().take()
    }

    /// Drops the future, wherever it waits.
    pub fn cancel(&self) {
        let cancelled = self.tasks.running.borrow_mut().remove(&self.id);
        // Dropped after the borrow has ended, since a future may spawn or wake tasks as it is dropped.
        drop(cancelled);
    }
}
