use crate::observer::Observer;
use solution::{chunks, strict_chunks, ChunkError};
use std::cell::{Cell, RefCell};

/// Yields the numbers, says once that it is at its end, and would then go on; counts how often it was asked.
struct Resuming<'a> {
    numbers: std::ops::Range<u32>,
    asked: &'a Cell<u32>,
    has_ended: bool,
}

impl<'a> Resuming<'a> {
    fn new(numbers: std::ops::Range<u32>, asked: &'a Cell<u32>) -> Self {
        asked.set(0);
        Resuming {
            numbers,
            asked,
            has_ended: false,
        }
    }
}

impl Iterator for Resuming<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.asked.set(self.asked.get() + 1);
        if self.has_ended {
            return Some(900 + self.asked.get());
        }
        let number = self.numbers.next();
        self.has_ended = number.is_none();
        number
    }
}

/// Claims to have this many elements, and has two.
struct Claiming {
    hint: (usize, Option<usize>),
    left: u8,
}

impl Claiming {
    fn new(fewest: usize, most: Option<usize>) -> Self {
        Claiming {
            hint: (fewest, most),
            left: 2,
        }
    }
}

impl Iterator for Claiming {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        self.left = self.left.checked_sub(1)?;
        Some(self.left)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.hint
    }
}

/// Has no traits, not even `Clone`.
struct Plain(u32);

pub fn lengths(observe: &mut Observer) {
    observe.value(chunks(1..=9, 3).unwrap().collect::<Vec<_>>());
    observe.value(chunks(1..=10, 4).unwrap().collect::<Vec<_>>());
    observe.value(chunks(vec!["x", "y", "z"], 1).unwrap().collect::<Vec<_>>());
    observe.value(chunks("überall".chars(), 5).unwrap().collect::<Vec<_>>());
    observe.value(chunks([7, 8], 3).unwrap().collect::<Vec<_>>());
    observe.value(chunks(Vec::<u8>::new(), 3).unwrap().count());
}

pub fn elements_without_traits(observe: &mut Observer) {
    let loose = chunks((0..5).map(Plain), 2).unwrap();
    let sums: Vec<u32> = loose
        .map(|chunk| chunk.iter().map(|one| one.0 * 10).sum())
        .collect();
    observe.value(sums);
    let mut strict = strict_chunks((0..5).map(Plain), 3).unwrap();
    observe.value(strict.next().map(|chunk| chunk.map_or(0, |it| it.len())));
    observe.value(strict.next().map(|chunk| chunk.map_or(0, |it| it.len())));
    let rest: Vec<u32> = strict.into_remainder().iter().map(|one| one.0).collect();
    observe.value(rest);
}

pub fn zero_size(observe: &mut Observer) {
    let asked = Cell::new(0);
    observe.value(chunks(Resuming::new(0..4, &asked), 0).err());
    observe.value(asked.get());
    observe.value(strict_chunks(Resuming::new(0..4, &asked), 0).err());
    observe.value(asked.get());
    observe.value(strict_chunks(Vec::<u8>::new(), 0).err());
}

pub fn strict_full_chunks(observe: &mut Observer) {
    let mut full = strict_chunks(10..16, 2).unwrap();
    observe.value(full.by_ref().collect::<Result<Vec<_>, _>>());
    observe.value(full.into_remainder());
    observe.value(strict_chunks(Vec::<u8>::new(), 4).unwrap().count());
    observe.value(strict_chunks(3..=5, 1).unwrap().collect::<Vec<_>>());
}

pub fn strict_incomplete_end(observe: &mut Observer) {
    let mut incomplete = strict_chunks(1..=11, 4).unwrap();
    for _ in 0..5 {
        observe.value(incomplete.next());
    }
    observe.value(incomplete.into_remainder());
    observe.value(strict_chunks([6], 2).unwrap().collect::<Vec<_>>());

    let mut strict = strict_chunks(1..=7, 3).unwrap();
    observe.value(strict.next());
    observe.value(strict.next());
    observe.value(strict.into_remainder());
    observe.value(strict_chunks(1..=2, 3).unwrap().into_remainder());
}

pub fn reads_one_chunk_at_a_time(observe: &mut Observer) {
    let read = RefCell::new(Vec::new());
    let mut loose = chunks((1..).inspect(|n| read.borrow_mut().push(*n)), 3).unwrap();
    observe.value(read.borrow().len());
    observe.value((loose.next(), read.borrow().clone()));
    observe.value((loose.next(), read.borrow().clone()));

    read.borrow_mut().clear();
    let mut strict = strict_chunks((1..).inspect(|n| read.borrow_mut().push(*n)), 2).unwrap();
    observe.value(read.borrow().len());
    observe.value((strict.next(), read.borrow().clone()));
    observe.value((strict.next(), read.borrow().clone()));
}

pub fn leaves_the_rest_to_the_caller(observe: &mut Observer) {
    let mut source = 1..=10;
    let first: Vec<Vec<i32>> = chunks(&mut source, 3).unwrap().take(2).collect();
    observe.value((first, source.next(), source.next_back()));
    let strict = strict_chunks(&mut source, 1).unwrap().next();
    observe.value((strict, source.collect::<Vec<_>>()));
}

pub fn source_is_not_asked_after_its_end(observe: &mut Observer) {
    let asked = Cell::new(0);
    let mut even = chunks(Resuming::new(0..4, &asked), 2).unwrap();
    observe.value((even.next(), even.next(), even.next(), even.next()));
    observe.value(asked.get());
    let mut short = chunks(Resuming::new(0..5, &asked), 3).unwrap();
    observe.value((short.next(), short.next(), short.next(), short.next()));
    observe.value(asked.get());
    let mut strict = strict_chunks(Resuming::new(0..5, &asked), 3).unwrap();
    observe.value((strict.next(), strict.next(), strict.next(), strict.next()));
    observe.value(asked.get());
    observe.value(strict.into_remainder());
    let mut strict = strict_chunks(Resuming::new(0..2, &asked), 2).unwrap();
    observe.value((strict.next(), strict.next(), strict.next()));
    observe.value(asked.get());
}

pub fn sizes_larger_than_the_source(observe: &mut Observer) {
    let loose = chunks(1_u64..=4, usize::MAX).unwrap();
    observe.value(loose.collect::<Vec<_>>());
    let mut strict = strict_chunks(["a", "b"], 1 << 62).unwrap();
    observe.value(strict.next());
    observe.value(strict.into_remainder());
}

pub fn size_hints(observe: &mut Observer) {
    let hint = |size, fewest, most| {
        let loose = chunks(Claiming::new(fewest, most), size).unwrap();
        let strict = strict_chunks(Claiming::new(fewest, most), size).unwrap();
        (loose.size_hint(), strict.size_hint())
    };
    observe.value(hint(3, 6, Some(8)));
    observe.value(hint(4, 0, Some(1)));
    observe.value(hint(5, 11, None));
    observe.value(hint(1, 17, Some(usize::MAX)));
    observe.value(hint(10, usize::MAX, Some(usize::MAX)));
    observe.value(hint(usize::MAX, usize::MAX - 1, Some(usize::MAX)));

    let mut ended = chunks(Claiming::new(40, None), 3).unwrap();
    ended.next();
    observe.value(ended.size_hint());
    let mut ended = strict_chunks(Claiming::new(40, Some(90)), 2).unwrap();
    ended.next();
    observe.value(ended.size_hint());
    ended.next();
    observe.value(ended.size_hint());
}

pub fn exact_lengths(observe: &mut Observer) {
    let mut loose = chunks(vec![0; 10], 4).unwrap();
    let mut lengths = vec![loose.len()];
    while loose.next().is_some() {
        lengths.push(loose.len());
    }
    observe.value(lengths);
    let mut strict = strict_chunks(vec![0; 11], 5).unwrap();
    let mut lengths = vec![strict.len()];
    while strict.next().is_some() {
        lengths.push(strict.len());
    }
    observe.value(lengths);
}

pub fn error_messages(observe: &mut Observer) {
    let shown = |error: ChunkError| {
        let error: Box<dyn std::error::Error> = Box::new(error);
        error.to_string()
    };
    observe.value(shown(ChunkError::ZeroSize));
    observe.value(shown(ChunkError::Incomplete { size: 6, found: 5 }));
    let found = strict_chunks(0..22, 7).unwrap().find_map(Result::err);
    observe.value(found.map(shown));
}
