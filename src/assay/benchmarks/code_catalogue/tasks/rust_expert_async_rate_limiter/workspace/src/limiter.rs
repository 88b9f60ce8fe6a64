use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::executor::Clock;

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
pub struct RateLimiter {}

impl RateLimiter {
    /// A full bucket, to which one token is added each interval while it is not full.
    ///
    /// # Panics
    ///
    /// If the capacity or the interval is zero.
    pub fn new(_clock: Clock, _capacity: u32, _interval: Duration) -> Self {
        todo!()
    }

    /// Waits for tokens.
    pub fn acquire(&self, _tokens: u32) -> Acquire {
        todo!()
    }

    /// Takes tokens if that is possible at once, without overtaking anybody.
    pub fn try_acquire(&self, _tokens: u32) -> Option<Permit> {
        todo!()
    }

    /// The tokens that are in the bucket.
    pub fn available(&self) -> u32 {
        todo!()
    }

    /// The number of futures in the queue.
    pub fn waiting(&self) -> usize {
        todo!()
    }

    /// Lets all waiting and later calls fail.
    pub fn close(&self) {
        todo!()
    }
}

/// The future that [`RateLimiter::acquire`] returns.
#[must_use = "tokens are acquired when this is awaited"]
pub struct Acquire {}

impl Future for Acquire {
    type Output = Result<Permit, AcquireError>;

    fn poll(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<Self::Output> {
        todo!()
    }
}

/// Tokens that were handed out. They are spent, unless they are released.
#[must_use = "tokens that are not released are spent"]
pub struct Permit {}

impl Permit {
    /// The number of tokens.
    pub fn tokens(&self) -> u32 {
        todo!()
    }

    /// Gives the tokens back, for work that was not done.
    pub fn release(self) {
        todo!()
    }
}
