use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::executor::{Clock, Sleep};

/// Why no tokens were handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AcquireError {
    /// More tokens than the bucket can ever hold.
    TooMany { requested: u32, capacity: u32 },
    /// The limiter was closed.
    Closed,
}

impl fmt::Display for AcquireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AcquireError::TooMany {
                requested,
                capacity,
            } => write!(
                f,
                "{requested} tokens do not fit into a bucket of {capacity}"
            ),
            AcquireError::Closed => write!(f, "the rate limiter is closed"),
        }
    }
}

impl Error for AcquireError {}

/// A token bucket that serves its callers in their order. Clones share the bucket.
#[derive(Clone)]
pub struct RateLimiter {
    bucket: Rc<RefCell<Bucket>>,
}

struct Bucket {
    clock: Clock,
    capacity: u32,
    interval: Duration,
    tokens: u32,
    /// When the latest token was added, or a full bucket was last looked at.
    refilled_at: Duration,
    is_closed: bool,
    waiters: VecDeque<Rc<Waiter>>,
}

/// A place in the queue.
struct Waiter {
    tokens: u32,
    state: Cell<WaiterState>,
    waker: RefCell<Option<Waker>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WaiterState {
    Queued,
    /// The tokens have left the bucket.
    Served,
    Closed,
}

impl RateLimiter {
    /// A full bucket, to which one token is added each interval while it is not full.
    ///
    /// # Panics
    ///
    /// If the capacity or the interval is zero.
    pub fn new(clock: Clock, capacity: u32, interval: Duration) -> Self {
        assert!(capacity > 0, "the capacity must be at least 1");
        assert!(interval > Duration::ZERO, "the interval must not be zero");
        let bucket = Bucket {
            refilled_at: clock.now(),
            clock,
            capacity,
            interval,
            tokens: capacity,
            is_closed: false,
            waiters: VecDeque::new(),
        };
        RateLimiter {
            bucket: Rc::new(RefCell::new(bucket)),
        }
    }

    /// Waits for tokens.
    pub fn acquire(&self, tokens: u32) -> Acquire {
        Acquire {
            limiter: self.clone(),
            tokens,
            place: None,
            timer: None,
        }
    }

    /// Takes tokens if that is possible at once, without overtaking anybody.
    pub fn try_acquire(&self, tokens: u32) -> Option<Permit> {
        let mut bucket = self.bucket.borrow_mut();
        bucket.serve();
        let is_possible = bucket.waiters.is_empty() && tokens <= bucket.tokens;
        if bucket.is_closed || !(is_possible || tokens == 0) {
            return None;
        }
        bucket.tokens -= tokens;
        Some(self.permit(tokens))
    }

    /// The tokens that are in the bucket.
    pub fn available(&self) -> u32 {
        let mut bucket = self.bucket.borrow_mut();
        bucket.serve();
        bucket.tokens
    }

    /// The number of futures in the queue.
    pub fn waiting(&self) -> usize {
        let mut bucket = self.bucket.borrow_mut();
        bucket.serve();
        bucket.waiters.len()
    }

    /// Lets all waiting and later calls fail.
    pub fn close(&self) {
        let mut bucket = self.bucket.borrow_mut();
        bucket.serve();
        bucket.is_closed = true;
        for waiter in bucket.waiters.drain(..) {
            waiter.settle(WaiterState::Closed);
        }
    }

    fn permit(&self, tokens: u32) -> Permit {
        Permit {
            limiter: self.clone(),
            tokens,
        }
    }
}

impl Bucket {
    fn refill(&mut self) {
        let now = self.clock.now();
        let elapsed = now - self.refilled_at;
        let missing = self.capacity - self.tokens;
        let intervals = elapsed.as_nanos() / self.interval.as_nanos();
        match u32::try_from(intervals) {
            Ok(added) if added < missing => {
                self.tokens += added;
                self.refilled_at += self.interval * added;
            }
            _ => {
                self.tokens = self.capacity;
                self.refilled_at = now;
            }
        }
    }

    /// Hands tokens to those at the head of the queue for whom there are enough.
    fn serve(&mut self) {
        self.refill();
        let mut has_served = false;
        while let Some(first) = self.waiters.front() {
            if first.tokens > self.tokens {
                break;
            }
            self.tokens -= first.tokens;
            first.settle(WaiterState::Served);
            self.waiters.pop_front();
            has_served = true;
        }
        if has_served {
            self.wake_first();
        }
    }

    /// Lets the future at the head of the queue set its timer anew.
    fn wake_first(&self) {
        if let Some(first) = self.waiters.front() {
            first.wake();
        }
    }

    fn give_back(&mut self, tokens: u32) {
        self.refill();
        self.tokens = self.capacity.min(self.tokens.saturating_add(tokens));
        self.serve();
        self.wake_first();
    }

    fn leave(&mut self, waiter: &Rc<Waiter>) {
        let position = self.waiters.iter().position(|it| Rc::ptr_eq(it, waiter));
        if let Some(position) = position {
            self.waiters.remove(position);
        }
        if position == Some(0) {
            self.serve();
            self.wake_first();
        }
    }

    /// When there will be enough tokens for this waiter, if it is the first one.
    fn ready_at(&self, waiter: &Rc<Waiter>) -> Option<Duration> {
        let first = self.waiters.front()?;
        let missing = first.tokens.saturating_sub(self.tokens);
        Rc::ptr_eq(first, waiter).then(|| self.refilled_at + self.interval * missing)
    }
}

impl Waiter {
    fn settle(&self, state: WaiterState) {
        self.state.set(state);
        self.wake();
    }

    fn wake(&self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

/// The future that [`RateLimiter::acquire`] returns.
#[must_use = "tokens are acquired when this is awaited"]
pub struct Acquire {
    limiter: RateLimiter,
    tokens: u32,
    place: Option<Rc<Waiter>>,
    timer: Option<(Duration, Sleep)>,
}

impl Acquire {
    /// Takes a place at the end of the queue; `None` if no tokens are needed.
    fn enter(&mut self) -> Result<Option<Rc<Waiter>>, AcquireError> {
        let requested = self.tokens;
        let mut bucket = self.limiter.bucket.borrow_mut();
        let capacity = bucket.capacity;
        if bucket.is_closed {
            return Err(AcquireError::Closed);
        }
        if requested > capacity {
            return Err(AcquireError::TooMany {
                requested,
                capacity,
            });
        }
        if requested == 0 {
            return Ok(None);
        }
        let waiter = Rc::new(Waiter {
            tokens: requested,
            state: Cell::new(WaiterState::Queued),
            waker: RefCell::new(None),
        });
        bucket.waiters.push_back(Rc::clone(&waiter));
        self.place = Some(Rc::clone(&waiter));
        Ok(Some(waiter))
    }

    fn set_timer(&mut self, time: Duration, context: &mut Context<'_>) {
        let clock = self.limiter.bucket.borrow().clock.clone();
        let (_, sleep) = match self.timer.take() {
            Some(timer) if timer.0 == time => self.timer.insert(timer),
            _ => self.timer.insert((time, clock.sleep_until(time))),
        };
        // Never ready: a token that is due has been added before.
        let _ = Pin::new(sleep).poll(context);
    }
}

impl Future for Acquire {
    type Output = Result<Permit, AcquireError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let waiter = match &this.place {
            Some(waiter) => Rc::clone(waiter),
            None => match this.enter() {
                Ok(Some(waiter)) => waiter,
                Ok(None) => return Poll::Ready(Ok(this.limiter.permit(0))),
                Err(error) => return Poll::Ready(Err(error)),
            },
        };
        // Nobody is to be woken who is being polled.
        waiter.waker.take();
        this.limiter.bucket.borrow_mut().serve();
        let result = match waiter.state.get() {
            WaiterState::Served => Ok(this.limiter.permit(this.tokens)),
            WaiterState::Closed => Err(AcquireError::Closed),
            WaiterState::Queued => {
                waiter.waker.replace(Some(context.waker().clone()));
                let ready_at = this.limiter.bucket.borrow().ready_at(&waiter);
                if let Some(time) = ready_at {
                    this.set_timer(time, context);
                }
                return Poll::Pending;
            }
        };
        this.place = None;
        this.timer = None;
        Poll::Ready(result)
    }
}

impl Drop for Acquire {
    fn drop(&mut self) {
        if let Some(waiter) = self.place.take() {
            let mut bucket = self.limiter.bucket.borrow_mut();
            match waiter.state.get() {
                WaiterState::Queued => bucket.leave(&waiter),
                WaiterState::Served => bucket.give_back(waiter.tokens),
                WaiterState::Closed => {}
            }
        }
    }
}

/// Tokens that were handed out. They are spent, unless they are released.
#[must_use = "tokens that are not released are spent"]
pub struct Permit {
    limiter: RateLimiter,
    tokens: u32,
}

impl Permit {
    /// The number of tokens.
    pub fn tokens(&self) -> u32 {
        self.tokens
    }

    /// Gives the tokens back, for work that was not done.
    pub fn release(self) {
        self.limiter.bucket.borrow_mut().give_back(self.tokens);
    }
}
