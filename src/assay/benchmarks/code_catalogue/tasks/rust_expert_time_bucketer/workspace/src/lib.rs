//! Statistics of a time series in buckets of fixed width.

/// A value at a time, in any unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    pub at: i64,
    pub value: f64,
}

/// What is known of the values in a bucket.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stats {
    pub min: f64,
    pub max: f64,
    pub mean: f64,
    /// The value of the latest sample.
    pub last: f64,
}

/// The times from `start` to before the start of the next bucket.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bucket {
    pub start: i64,
    /// The number of samples; 0 if the statistics are carried forward.
    pub count: usize,
    /// `None` if no value is known yet.
    pub stats: Option<Stats>,
}

/// Why there are no buckets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BucketError {
    /// The width is not positive.
    InvalidWidth(i64),
    /// The range ends before it begins.
    ReversedRange { from: i64, to: i64 },
    /// The value of the sample at this position is infinite or not a number.
    NotFinite { index: usize },
    /// The start of the bucket that contains this time does not fit in an `i64`.
    StartOutOfRange { at: i64 },
    /// There would be more buckets than allowed.
    TooManyBuckets { needed: u128, limit: usize },
}

/// Splits time into buckets of a fixed width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeBucketer {}

impl TimeBucketer {
    /// Buckets of this width that start at its multiples.
    pub fn new(_width: i64) -> Result<Self, BucketError> {
        todo!()
    }

    /// The same buckets, moved such that one of them starts at `offset`.
    pub fn with_offset(self, _offset: i64) -> Self {
        todo!()
    }

    /// The same buckets, of which no more than `limit` are returned at once.
    pub fn with_limit(self, _limit: usize) -> Self {
        todo!()
    }

    /// The start of the bucket that contains a time.
    pub fn start_of(&self, _at: i64) -> Result<i64, BucketError> {
        todo!()
    }

    /// Every bucket from the earliest to the latest sample.
    pub fn bucket(&self, _samples: &[Sample]) -> Result<Vec<Bucket>, BucketError> {
        todo!()
    }

    /// Every bucket that contains a time from `from` to before `to`.
    pub fn bucket_between(
        &self,
        _samples: &[Sample],
        _from: i64,
        _to: i64,
    ) -> Result<Vec<Bucket>, BucketError> {
        todo!()
    }
}
