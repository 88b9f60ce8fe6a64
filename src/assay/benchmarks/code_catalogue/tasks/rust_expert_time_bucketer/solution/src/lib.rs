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

const DEFAULT_LIMIT: usize = 100_000;

/// Splits time into buckets of a fixed width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeBucketer {
    width: i64,
    offset: i64,
    limit: usize,
}

impl TimeBucketer {
    /// Buckets of this width that start at its multiples.
    pub fn new(width: i64) -> Result<Self, BucketError> {
        if width <= 0 {
            return Err(BucketError::InvalidWidth(width));
        }
        Ok(TimeBucketer {
            width,
            offset: 0,
            limit: DEFAULT_LIMIT,
        })
    }

    /// The same buckets, moved such that one of them starts at `offset`.
    pub fn with_offset(self, offset: i64) -> Self {
        TimeBucketer { offset, ..self }
    }

    /// The same buckets, of which no more than `limit` are returned at once.
    pub fn with_limit(self, limit: usize) -> Self {
        TimeBucketer { limit, ..self }
    }

    /// The start of the bucket that contains a time.
    pub fn start_of(&self, at: i64) -> Result<i64, BucketError> {
        i64::try_from(self.start_at(self.number_of(at)))
            .map_err(|_| BucketError::StartOutOfRange { at })
    }

    /// Every bucket from the earliest to the latest sample.
    pub fn bucket(&self, samples: &[Sample]) -> Result<Vec<Bucket>, BucketError> {
        check_finite(samples)?;
        let sorted = by_time(samples);
        match (sorted.first(), sorted.last()) {
            (Some(first), Some(last)) => self.fill(&sorted, first.at, last.at),
            _ => Ok(Vec::new()),
        }
    }

    /// Every bucket that contains a time from `from` to before `to`.
    pub fn bucket_between(
        &self,
        samples: &[Sample],
        from: i64,
        to: i64,
    ) -> Result<Vec<Bucket>, BucketError> {
        if from > to {
            return Err(BucketError::ReversedRange { from, to });
        }
        check_finite(samples)?;
        if from == to {
            return Ok(Vec::new());
        }
        self.fill(&by_time(samples), from, to - 1)
    }

    /// The buckets from that of time `first` to that of time `last`, from samples in order of time.
    fn fill(&self, samples: &[Sample], first: i64, last: i64) -> Result<Vec<Bucket>, BucketError> {
        let start = self.start_of(first)?;
        let numbers = self.number_of(first)..=self.number_of(last);
        let needed = (numbers.end() - numbers.start()) as u128 + 1;
        if needed > self.limit as u128 {
            let limit = self.limit;
            return Err(BucketError::TooManyBuckets { needed, limit });
        }
        let before = samples.partition_point(|sample| sample.at < start);
        let (earlier, mut rest) = samples.split_at(before);
        let mut known = earlier.last().map(|sample| sample.value);
        let mut buckets = Vec::with_capacity(needed as usize);
        for number in numbers {
            let count = rest.partition_point(|sample| self.number_of(sample.at) == number);
            let (inside, later) = rest.split_at(count);
            let stats = stats_of(inside).or_else(|| known.map(carried));
            known = stats.map(|stats| stats.last);
            rest = later;
            buckets.push(Bucket {
                // It fits, since it is neither before the first start nor after the time `last`.
                start: self.start_at(number) as i64,
                count,
                stats,
            });
        }
        Ok(buckets)
    }

    /// Which bucket contains a time, counted from the one that starts at the offset.
    fn number_of(&self, at: i64) -> i128 {
        (i128::from(at) - i128::from(self.offset)).div_euclid(i128::from(self.width))
    }

    fn start_at(&self, number: i128) -> i128 {
        i128::from(self.offset) + number * i128::from(self.width)
    }
}

fn check_finite(samples: &[Sample]) -> Result<(), BucketError> {
    match samples.iter().position(|sample| !sample.value.is_finite()) {
        Some(index) => Err(BucketError::NotFinite { index }),
        None => Ok(()),
    }
}

/// Samples of the same time stay in their order.
fn by_time(samples: &[Sample]) -> Vec<Sample> {
    let mut sorted = samples.to_vec();
    sorted.sort_by_key(|sample| sample.at);
    sorted
}

fn stats_of(samples: &[Sample]) -> Option<Stats> {
    let last = samples.last()?.value;
    let values = || samples.iter().map(|sample| sample.value);
    Some(Stats {
        min: values().fold(last, f64::min),
        max: values().fold(last, f64::max),
        mean: values().sum::<f64>() / samples.len() as f64,
        last,
    })
}

fn carried(value: f64) -> Stats {
    Stats {
        min: value,
        max: value,
        mean: value,
        last: value,
    }
}
