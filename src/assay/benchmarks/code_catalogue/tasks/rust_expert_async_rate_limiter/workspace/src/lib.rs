//! A fair asynchronous rate limiter, with an executor to test it.

pub mod executor;
mod limiter;

pub use limiter::{Acquire, AcquireError, Permit, RateLimiter};
