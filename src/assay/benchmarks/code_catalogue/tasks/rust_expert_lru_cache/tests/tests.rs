use crate::observer::Observer;
use solution::{Inserted, LruCache};
use std::cell::Cell;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::time::{Duration, Instant};

thread_local! {
    static COMPARED: Cell<u64> = Cell::new(0);
    static HASHED: Cell<u64> = Cell::new(0);
}

/// A key that counts how often keys are compared and hashed.
#[derive(Debug, Clone)]
struct Counted(u64);

impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        COMPARED.with(|count| count.set(count.get() + 1));
        self.0 == other.0
    }
}

impl Eq for Counted {}

impl Hash for Counted {
    fn hash<H: Hasher>(&self, state: &mut H) {
        HASHED.with(|count| count.set(count.get() + 1));
        self.0.hash(state);
    }
}

/// A value that cannot be cloned, and counts how often it is dropped.
#[derive(Debug)]
struct Tracked(&'static str, Rc<Cell<u32>>);

impl Drop for Tracked {
    fn drop(&mut self) {
        self.1.set(self.1.get() + 1);
    }
}

fn filled(capacity: usize, keys: &[u32]) -> LruCache<u32, String> {
    let mut cache = LruCache::new(capacity);
    for key in keys {
        cache.insert(*key, format!("v{key}"));
    }
    cache
}

fn keys(cache: &LruCache<u32, String>) -> Vec<u32> {
    cache.iter().map(|(key, _)| *key).collect()
}

/// The same numbers on every machine.
fn pseudo_random(state: &mut u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

pub fn evicts_the_least_recently_used(observe: &mut Observer) {
    let mut cache = LruCache::new(3);
    observe.value((cache.capacity(), cache.len(), cache.is_empty()));
    for (key, value) in [("a", 1), ("b", 2), ("c", 3), ("d", 4), ("e", 5)] {
        observe.value((cache.insert(key, value), cache.len()));
    }
    observe.value((cache.get("a").copied(), cache.get("b").copied()));
    observe.value(cache.iter().collect::<Vec<_>>());
}

pub fn what_uses_entries(observe: &mut Observer) {
    let mut cache = filled(3, &[1, 2, 3]);
    observe.value(cache.get(&1).cloned());
    observe.value(cache.insert(4, "v4".to_string()));
    if let Some(value) = cache.get_mut(&3) {
        value.push('!');
    }
    observe.value(cache.get_mut(&9).is_none());
    observe.value(cache.insert(5, "v5".to_string()));
    observe.value(cache.insert(6, "v6".to_string()));
    observe.value(cache.iter().collect::<Vec<_>>());

    let mut cache = filled(3, &[1, 2, 3]);
    observe.value((
        cache.peek(&1).cloned(),
        cache.contains(&1),
        cache.contains(&7),
    ));
    observe.value(cache.iter().last());
    observe.value(cache.peek(&8).is_none());
    observe.value(cache.insert(4, "v4".to_string()));
    observe.value((keys(&cache), cache.peek(&1).is_none()));
}

pub fn replacing_keeps_the_others(observe: &mut Observer) {
    let mut cache = filled(3, &[1, 2, 3]);
    observe.value(cache.insert(1, "w1".to_string()));
    observe.value((keys(&cache), cache.len()));
    observe.value(cache.insert(2, "w2".to_string()));
    observe.value(cache.insert(2, "x2".to_string()));
    observe.value(cache.insert(4, "v4".to_string()));
    observe.value(cache.iter().collect::<Vec<_>>());
}

pub fn removes_at_any_place(observe: &mut Observer) {
    for removed in [1, 3, 5, 6] {
        let mut cache = filled(5, &[1, 2, 3, 4, 5]);
        let value = cache.remove(&removed);
        observe.value((value, cache.remove(&removed), keys(&cache), cache.len()));
        cache.insert(7, "v7".to_string());
        cache.get(&2);
        cache.insert(8, "v8".to_string());
        observe.value(keys(&cache));
        let popped: Vec<u32> = std::iter::from_fn(|| cache.pop_oldest())
            .map(|it| it.0)
            .collect();
        observe.value((popped, cache.is_empty()));
    }
}

pub fn pops_and_clears(observe: &mut Observer) {
    let mut cache = filled(4, &[1, 2, 3, 4]);
    cache.get(&2);
    observe.value(cache.pop_oldest());
    cache.get(&3);
    observe.value(cache.pop_oldest());
    observe.value((keys(&cache), cache.contains(&4)));
    observe.value((cache.pop_oldest(), cache.pop_oldest(), cache.pop_oldest()));
    observe.value(cache.insert(5, "v5".to_string()));
    observe.value(keys(&cache));

    let mut cache = filled(2, &[1, 2]);
    cache.clear();
    observe.value((cache.capacity(), cache.len(), cache.iter().count()));
    observe.value((cache.get(&1).cloned(), cache.pop_oldest()));
    observe.value((
        cache.insert(2, "n2".to_string()),
        cache.insert(1, "n1".to_string()),
    ));
    observe.value(cache.insert(3, "n3".to_string()));
    observe.value(cache.iter().collect::<Vec<_>>());
}

pub fn smallest_capacities(observe: &mut Observer) {
    let mut cache = LruCache::new(1);
    observe.value((
        cache.insert('x', 1),
        cache.insert('x', 2),
        cache.insert('y', 3),
    ));
    observe.value((
        cache.get(&'x').copied(),
        cache.get(&'y').copied(),
        cache.len(),
    ));
    observe.value((cache.remove(&'y'), cache.pop_oldest(), cache.insert('z', 4)));
    observe.value(cache.iter().collect::<Vec<_>>());

    observe.panics(|| LruCache::<u8, u8>::new(0));
    let mut cache = filled(3, &[1, 2, 3]);
    observe.panics(|| cache.resize(0));
    observe.value((cache.capacity(), keys(&cache)));
    observe.value(cache.insert(4, "v4".to_string()));
}

pub fn resizes(observe: &mut Observer) {
    let mut cache = filled(5, &[1, 2, 3, 4, 5]);
    cache.get(&1);
    observe.value(cache.resize(3));
    observe.value((cache.capacity(), keys(&cache)));
    observe.value(cache.insert(6, "v6".to_string()));
    observe.value((cache.resize(3).len(), cache.resize(5).len(), keys(&cache)));
    observe.value((
        cache.insert(7, "v7".to_string()),
        cache.insert(8, "v8".to_string()),
    ));
    observe.value(cache.insert(9, "v9".to_string()));
    observe.value(cache.resize(1));
    observe.value(keys(&cache));
}

pub fn borrowed_keys(observe: &mut Observer) {
    let mut cache: LruCache<String, Vec<u8>> = LruCache::new(2);
    cache.insert("left".to_string(), vec![1]);
    cache.insert("right".to_string(), vec![2]);
    if let Some(value) = cache.get_mut("left") {
        value.push(7);
    }
    observe.value((
        cache.peek("left"),
        cache.contains("right"),
        cache.contains("up"),
    ));
    observe.value(cache.insert("up".to_string(), vec![]));
    observe.value((
        cache.get("left").cloned(),
        cache.remove("up"),
        cache.remove("right"),
    ));
}

pub fn drops_values_at_once(observe: &mut Observer) {
    let dropped = Rc::new(Cell::new(0));
    let tracked = |name| Tracked(name, Rc::clone(&dropped));
    let mut counts = Vec::new();
    let mut cache = LruCache::new(3);
    for (key, name) in [(1, "a"), (2, "b"), (3, "c"), (1, "d"), (4, "e")] {
        let inserted = cache.insert(key, tracked(name));
        if let Inserted::Replaced(value) | Inserted::Evicted(_, value) = &inserted {
            observe.value((key, value.0));
        }
        drop(inserted);
        counts.push(dropped.get());
    }
    drop(cache.remove(&3));
    counts.push(dropped.get());
    drop(cache.pop_oldest());
    counts.push(dropped.get());
    for key in 5..9 {
        cache.insert(key, tracked("f"));
    }
    counts.push(dropped.get());
    drop(cache.resize(2));
    counts.push(dropped.get());
    cache.clear();
    counts.push(dropped.get());
    cache.insert(9, tracked("g"));
    drop(cache);
    counts.push(dropped.get());
    observe.value(counts);
}

pub fn keeps_no_clones_of_keys(observe: &mut Observer) {
    let all: Vec<Rc<str>> = ["k0", "k1", "k2", "k3", "k4"].map(Rc::from).into();
    let held = || -> Vec<String> {
        let shared = all.iter().filter(|key| Rc::strong_count(key) > 1);
        shared.map(|key| key.to_string()).collect()
    };
    let mut cache: LruCache<Rc<str>, u8> = LruCache::new(3);
    for key in &all {
        cache.insert(Rc::clone(key), 0);
    }
    observe.value(held());
    cache.insert(Rc::clone(&all[2]), 1);
    cache.remove("k3");
    observe.value(held());
    drop(cache.pop_oldest());
    observe.value(held());
    cache.clear();
    observe.value(held());
}

pub fn huge_capacity(observe: &mut Observer) {
    let mut cache = LruCache::new(usize::MAX);
    for key in 0..100_u8 {
        cache.insert(key, u16::from(key) * 3);
    }
    observe.value((cache.capacity(), cache.len(), cache.peek(&99).copied()));
    observe.value(cache.resize(1 << 60).len());
    observe.value(
        cache
            .resize(2)
            .iter()
            .map(|it| u32::from(it.1))
            .sum::<u32>(),
    );
    observe.value(cache.iter().collect::<Vec<_>>());
}

pub fn few_comparisons_and_hashes(observe: &mut Observer) {
    let mut cache = LruCache::new(2_000);
    let mut state = 11;
    let mut hits = 0_u64;
    let calls = 20_000_u64;
    let (compared, hashed) = (COMPARED.with(Cell::get), HASHED.with(Cell::get));
    for call in 0..calls {
        let key = Counted(pseudo_random(&mut state) % 4_000);
        match call % 5 {
            0 | 1 => drop(cache.insert(key, call)),
            2 => hits += u64::from(cache.get(&key).is_some()),
            3 => hits += u64::from(cache.peek(&key).is_some()) + u64::from(cache.contains(&key)),
            _ if call % 3 == 0 => hits += u64::from(cache.remove(&key).is_some()),
            _ if call % 3 == 1 => hits += cache.pop_oldest().map_or(0, |it| it.0 .0 % 2),
            _ => hits += cache.get_mut(&key).map_or(0, |value| *value % 2),
        }
    }
    let compared = COMPARED.with(Cell::get) - compared;
    let hashed = HASHED.with(Cell::get) - hashed;
    observe.value((hits, cache.len()));
    // `contains` and `peek` are two calls in one step.
    let calls = calls + calls / 5;
    observe.value(("few", compared < 10 * calls, hashed < 20 * calls));
}

/// A scan of all entries for each call would take minutes. The test stops once the calls have taken far longer than
/// those of a `HashMap` in between, which are slowed down alike on a busy machine.
pub fn constant_time(observe: &mut Observer) {
    let mut cache = LruCache::new(30_000);
    let mut map = HashMap::new();
    let (mut cache_time, mut map_time) = (Duration::ZERO, Duration::ZERO);
    let mut evicted = 0_u64;
    for round in 0..1_000_u64 {
        let keys = 60 * round..60 * (round + 1);
        let begin = Instant::now();
        for key in keys.clone() {
            if let Inserted::Evicted(oldest, _) = cache.insert(key, ()) {
                evicted += oldest;
            }
            cache.get(&key.saturating_sub(15_000));
        }
        let middle = Instant::now();
        for key in keys {
            map.insert(key, key);
            map.remove(&key);
        }
        cache_time += middle.duration_since(begin);
        map_time += middle.elapsed();
        if cache_time > Duration::from_secs(1) + 50 * map_time {
            observe.value(("too slow after", 60 * round));
            return;
        }
    }
    observe.value((cache.len(), evicted, cache.pop_oldest()));
}

/// A long sequence of calls, compared with a list that is kept in order by hand.
pub fn long_sequence(observe: &mut Observer) {
    let mut cache = LruCache::new(8);
    let mut state = 5;
    let mut log: HashMap<&str, u64> = HashMap::new();
    let mut digest = 0_u64;
    for step in 0..5_000_u64 {
        let key = pseudo_random(&mut state) % 24;
        let kind = pseudo_random(&mut state) % 10;
        let (name, seen) = match kind {
            0..=3 => match cache.insert(key, step) {
                Inserted::Added => ("added", 1),
                Inserted::Replaced(value) => ("replaced", value),
                Inserted::Evicted(key, value) => ("evicted", 31 * value + key),
            },
            4 | 5 => ("got", cache.get(&key).copied().unwrap_or(7)),
            6 => ("peeked", cache.peek(&key).copied().unwrap_or(3)),
            7 => ("removed", cache.remove(&key).unwrap_or(9)),
            8 if step % 7 == 0 => ("popped", cache.pop_oldest().map_or(2, |it| it.0 + it.1)),
            8 => {
                let capacity = 4 + (step % 9) as usize;
                (
                    "resized",
                    cache.resize(capacity).iter().map(|it| it.0).sum(),
                )
            }
            _ => (
                "listed",
                cache.iter().fold(0, |sum, (key, _)| 3 * sum % 65_521 + key),
            ),
        };
        *log.entry(name).or_default() += 1;
        digest = (digest * 1_000_003 + seen) % 4_294_967_291;
    }
    let mut log: Vec<_> = log.into_iter().collect();
    log.sort_unstable();
    observe.value(log);
    observe.value(digest);
    observe.value(cache.iter().collect::<Vec<_>>());
}
