use crate::observer::Observer;
use solution::{Bucket, BucketError, Sample, Stats, TimeBucketer};

fn samples(points: &[(i64, f64)]) -> Vec<Sample> {
    points
        .iter()
        .map(|&(at, value)| Sample { at, value })
        .collect()
}

/// Start, count, and min, max, mean and last.
type Row = (i64, usize, Option<[f64; 4]>);

fn rows(buckets: Result<Vec<Bucket>, BucketError>) -> Result<Vec<Row>, BucketError> {
    let row = |bucket: Bucket| {
        let four = |it: Stats| [it.min, it.max, it.mean, it.last];
        (bucket.start, bucket.count, bucket.stats.map(four))
    };
    buckets.map(|all| all.into_iter().map(row).collect())
}

fn starts(buckets: Result<Vec<Bucket>, BucketError>) -> Result<Vec<i64>, BucketError> {
    buckets.map(|all| all.iter().map(|bucket| bucket.start).collect())
}

/// Start, count and last value.
fn short(buckets: &[Bucket]) -> Vec<(i64, usize, Option<f64>)> {
    let row = |it: &Bucket| (it.start, it.count, it.stats.map(|stats| stats.last));
    buckets.iter().map(row).collect()
}

pub fn statistics(observe: &mut Observer) {
    let bucketer = TimeBucketer::new(10).unwrap();
    let series = samples(&[
        (0, 4.0),
        (3, 2.0),
        (5, 9.0),
        (9, 3.0),
        (10, 8.0),
        (19, -2.0),
        (20, 0.25),
    ]);
    observe.value(rows(bucketer.bucket(&series)));
    observe.value(rows(bucketer.bucket(&samples(&[(7, 6.5)]))));
    observe.value(rows(bucketer.bucket(&[])));
}

pub fn carries_the_last_value_forward(observe: &mut Observer) {
    let bucketer = TimeBucketer::new(5).unwrap();
    let series = samples(&[(1, 3.0), (2, 7.0), (21, 1.0), (22, 2.0), (41, 5.0)]);
    observe.value(rows(bucketer.bucket(&series)));
}

pub fn times_before_zero(observe: &mut Observer) {
    let bucketer = TimeBucketer::new(10).unwrap();
    observe.value(
        [-21, -20, -11, -10, -9, -1, 0, 1, 9, 10].map(|at| bucketer.start_of(at).unwrap_or(77)),
    );
    let series = samples(&[(-25, 1.0), (-10, 2.0), (-1, 4.0), (0, 8.0), (3, 16.0)]);
    observe.value(rows(bucketer.bucket(&series)));
}

pub fn offsets(observe: &mut Observer) {
    let starts_with = |offset: i64| {
        let bucketer = TimeBucketer::new(10).unwrap().with_offset(offset);
        [-18, -17, -8, -7, 2, 3, 12, 13].map(|at| bucketer.start_of(at).unwrap_or(77))
    };
    observe.value(starts_with(3));
    observe.value(starts_with(-17) == starts_with(993));
    observe.value(starts_with(-4));
    observe.value(starts_with(i64::MAX));
    observe.value(starts_with(i64::MIN));
    let series = samples(&[(2, 1.0), (3, 2.0), (23, 3.0)]);
    let bucketer = TimeBucketer::new(10).unwrap().with_offset(-27);
    observe.value(starts(bucketer.bucket(&series)));
}

pub fn order_of_samples(observe: &mut Observer) {
    let bucketer = TimeBucketer::new(100).unwrap();
    let series = samples(&[
        (250, 6.0),
        (20, 1.0),
        (299, 2.0),
        (90, 5.0),
        (210, 4.0),
        (10, 3.0),
    ]);
    let before = series.clone();
    observe.value(rows(bucketer.bucket(&series)));
    observe.value(("same", before == series));

    let bucketer = TimeBucketer::new(4).unwrap();
    let mut points = vec![(7, 0.5), (2, 8.0), (7, 2.5)];
    points.extend((0..40).map(|n| (1, f64::from(n))));
    points.extend((0..30).map(|n| (9, f64::from(n * n))));
    points.extend([(9, -3.0), (7, 1.5), (1, 100.0), (0, 60.0)]);
    let lasts = bucketer.bucket(&samples(&points)).unwrap();
    observe.value(short(&lasts));
    observe.value(short(
        &bucketer
            .bucket(&samples(&[(5, 1.0), (5, 2.0), (5, 0.0)]))
            .unwrap(),
    ));
}

pub fn range_without_samples(observe: &mut Observer) {
    let bucketer = TimeBucketer::new(10).unwrap().with_offset(5);
    observe.value(rows(bucketer.bucket_between(&[], -12, 16)));
    observe.value(starts(bucketer.bucket_between(&[], 5, 15)));
    observe.value(starts(bucketer.bucket_between(&[], 14, 15)));
    observe.value(starts(bucketer.bucket_between(&[], 14, 16)));
    observe.value(starts(bucketer.bucket_between(&[], 8, 8)));
}

pub fn range_around_samples(observe: &mut Observer) {
    let bucketer = TimeBucketer::new(10).unwrap();
    let series = samples(&[(12, 4.0), (38, 2.0), (31, 6.0)]);
    observe.value(rows(bucketer.bucket_between(&series, -5, 61)));
    observe.value(rows(bucketer.bucket_between(&series, 20, 30)));
}

pub fn range_within_samples(observe: &mut Observer) {
    let bucketer = TimeBucketer::new(10).unwrap();
    let series = samples(&[
        (39, 9.0),
        (20, 1.0),
        (-50, 7.0),
        (18, 5.0),
        (11, 3.0),
        (40, 8.0),
        (99, 2.0),
    ]);
    // Whole buckets: 20 and 39 count, though they are not in the range.
    observe.value(rows(bucketer.bucket_between(&series, 25, 31)));
    observe.value(rows(bucketer.bucket_between(&series, 55, 72)));
    observe.value(rows(bucketer.bucket_between(&series, -39, -20)));
    observe.value(rows(bucketer.bucket_between(&series, -70, -45)));
}

pub fn invalid_arguments(observe: &mut Observer) {
    observe.value((
        TimeBucketer::new(0).err(),
        TimeBucketer::new(-15).err(),
        TimeBucketer::new(i64::MIN).err(),
    ));
    let bucketer = TimeBucketer::new(10).unwrap();
    observe.value(starts(bucketer.bucket_between(&[], 31, 30)));
    let series = samples(&[
        (1, 2.0),
        (900, f64::NEG_INFINITY),
        (2, f64::NAN),
        (3, f64::INFINITY),
    ]);
    observe.value(starts(bucketer.bucket(&series)));
    observe.value(starts(bucketer.bucket(&series[2..])));
    observe.value(starts(bucketer.bucket_between(&series, 0, 10)));
    observe.value(starts(bucketer.bucket_between(&series, 10, 0)));
    observe.value(starts(bucketer.bucket_between(&series[1..], 5, 5)));
    observe.value(starts(bucketer.bucket_between(&series[3..], 0, 90_000_000)));
}

pub fn limits(observe: &mut Observer) {
    let bucketer = TimeBucketer::new(10).unwrap();
    let count = |found: Result<Vec<Bucket>, BucketError>| found.map(|all| all.len());
    observe.value(count(bucketer.bucket_between(&[], 0, 1_000_000)));
    observe.value(count(bucketer.bucket_between(&[], -1, 1_000_000)));
    let three = bucketer.with_limit(3);
    observe.value(count(three.bucket(&samples(&[(0, 1.0), (29, 2.0)]))));
    observe.value(count(three.bucket(&samples(&[(30, 1.0), (0, 2.0)]))));
    observe.value(count(three.bucket_between(
        &samples(&[(-9_000, 1.0)]),
        5,
        31,
    )));
    let none = bucketer.with_limit(0);
    observe.value((
        count(none.bucket(&[])),
        count(none.bucket_between(&[], 4, 4)),
    ));
    observe.value(count(none.bucket_between(&[], 4, 5)));
    let finest = TimeBucketer::new(1).unwrap().with_limit(usize::MAX - 1);
    observe.value(count(finest.bucket_between(&[], i64::MIN, i64::MAX)));
    let ends = samples(&[(i64::MAX, 1.0), (i64::MIN, 2.0)]);
    observe.value(count(finest.bucket(&ends)));
}

pub fn earliest_times(observe: &mut Observer) {
    let min = i64::MIN;
    let ten = TimeBucketer::new(10).unwrap();
    observe.value((
        ten.start_of(min),
        ten.start_of(min + 7),
        ten.start_of(min + 8),
    ));
    observe.value(starts(
        ten.bucket(&samples(&[(min + 30, 1.0), (min + 1, 2.0)])),
    ));
    observe.value(starts(ten.bucket_between(&[], min + 5, min + 20)));
    // Nothing that is returned starts too early.
    let carried = ten.bucket_between(&samples(&[(min, 2.5)]), min + 9, min + 30);
    observe.value(carried.map(|all| short(&all)));
    let aligned = TimeBucketer::new(16).unwrap();
    observe.value(
        aligned
            .bucket(&samples(&[(min + 15, 1.5), (min, 3.0)]))
            .map(|it| short(&it)),
    );
    // Too early and too many at once.
    observe.value(starts(ten.bucket(&samples(&[(min, 1.0), (0, 1.0)]))));
    let moved = ten.with_offset(i64::MAX);
    observe.value((moved.start_of(min), moved.start_of(min + 5)));
}

pub fn latest_times(observe: &mut Observer) {
    let max = i64::MAX;
    let ten = TimeBucketer::new(10).unwrap();
    observe.value((ten.start_of(max), ten.start_of(max - 8)));
    let series = samples(&[(max, 4.0), (max - 29, 2.0)]);
    observe.value(ten.bucket(&series).map(|all| short(&all)));
    observe.value(
        ten.bucket_between(&series, max - 1, max)
            .map(|all| short(&all)),
    );
    let moved = ten.with_offset(i64::MIN + 3);
    observe.value(
        moved
            .bucket_between(&series, max - 12, max)
            .map(|all| short(&all)),
    );
}

pub fn widest_buckets(observe: &mut Observer) {
    let (min, max) = (i64::MIN, i64::MAX);
    let widest = TimeBucketer::new(max).unwrap();
    observe.value([0, 1, max - 1, max, -1, -max].map(|at| widest.start_of(at)));
    observe.value(widest.start_of(min));
    observe.value(widest.with_offset(-2).bucket(&samples(&[
        (max, 1.0),
        (-2, 4.0),
        (max - 3, 2.0),
    ])));
    observe.value(starts(widest.with_offset(-1).bucket_between(&[], min, max)));
}

pub fn many_samples(observe: &mut Observer) {
    let bucketer = TimeBucketer::new(7).unwrap().with_offset(-100);
    let series: Vec<Sample> = (0..60_000_i64)
        .map(|n| (n * 7_919 + 13) % 300_007 - 150_000)
        .map(|at| Sample {
            at,
            value: (at * at % 1_009) as f64,
        })
        .collect();
    let buckets = bucketer.bucket(&series).unwrap();
    let carried = buckets.iter().filter(|it| it.count == 0).count();
    let fullest = buckets.iter().map(|it| it.count).max();
    observe.value((buckets.len(), carried, fullest, buckets[0].start));
    let total: usize = buckets.iter().map(|it| it.count).sum();
    let lasts: f64 = buckets
        .iter()
        .filter_map(|it| it.stats)
        .map(|it| it.last)
        .sum();
    observe.value((total, lasts));
}
