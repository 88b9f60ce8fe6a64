//! A cache that forgets what has not been used for the longest time.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// What [`LruCache::insert`] did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inserted<K, V> {
    /// There was room for the entry.
    Added,
    /// The key was in the cache, with this value.
    Replaced(V),
    /// This entry made room.
    Evicted(K, V),
}

/// A cache with room for a fixed number of entries.
///
/// The entries lie in one vector without gaps, and are linked by their positions in the order of use.
#[derive(Debug, Clone)]
pub struct LruCache<K, V> {
    capacity: usize,
    positions: HashMap<K, usize>,
    entries: Vec<Entry<K, V>>,
    newest: Option<usize>,
    oldest: Option<usize>,
}

#[derive(Debug, Clone)]
struct Entry<K, V> {
    key: K,
    value: V,
    newer: Option<usize>,
    older: Option<usize>,
}

impl<K: Hash + Eq + Clone, V> LruCache<K, V> {
    /// An empty cache.
    ///
    /// # Panics
    ///
    /// If the capacity is 0.
    pub fn new(capacity: usize) -> Self {
        assert!(capacity > 0, "the capacity must be at least 1");
        LruCache {
            capacity,
            positions: HashMap::new(),
            entries: Vec::new(),
            newest: None,
            oldest: None,
        }
    }

    /// The greatest number of entries.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds an entry or replaces the value of an equal key.
    pub fn insert(&mut self, key: K, value: V) -> Inserted<K, V> {
        if let Some(current) = self.get_mut(&key) {
            return Inserted::Replaced(std::mem::replace(current, value));
        }
        let evicted = if self.len() == self.capacity {
            self.pop_oldest()
        } else {
            None
        };
        self.push(key, value);
        match evicted {
            Some((key, value)) => Inserted::Evicted(key, value),
            None => Inserted::Added,
        }
    }

    /// The value of a key, which becomes the most recently used one.
    pub fn get<Q>(&mut self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.get_mut(key).map(|value| &*value)
    }

    /// The value of a key, which becomes the most recently used one.
    pub fn get_mut<Q>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let position = *self.positions.get(key)?;
        self.unlink(position);
        self.link_newest(position);
        Some(&mut self.entries[position].value)
    }

    /// The value of a key, without using it.
    pub fn peek<Q>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let position = *self.positions.get(key)?;
        Some(&self.entries[position].value)
    }

    /// Whether a key is in the cache, without using it.
    pub fn contains<Q>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.positions.contains_key(key)
    }

    /// Removes the entry of a key.
    pub fn remove<Q>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let position = self.positions.remove(key)?;
        Some(self.take(position).value)
    }

    /// Removes the least recently used entry.
    pub fn pop_oldest(&mut self) -> Option<(K, V)> {
        let position = self.oldest?;
        self.positions.remove(&self.entries[position].key);
        let entry = self.take(position);
        Some((entry.key, entry.value))
    }

    /// Changes the capacity; returns what no longer fits, the least recently used entry first.
    ///
    /// # Panics
    ///
    /// If the capacity is 0.
    pub fn resize(&mut self, capacity: usize) -> Vec<(K, V)> {
        assert!(capacity > 0, "the capacity must be at least 1");
        self.capacity = capacity;
        let excess = self.len().saturating_sub(capacity);
        (0..excess).filter_map(|_| self.pop_oldest()).collect()
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.positions.clear();
        self.newest = None;
        self.oldest = None;
        self.entries.clear();
    }

    /// All entries, from the most to the least recently used one.
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter {
            entries: &self.entries,
            next: self.newest,
        }
    }

    fn push(&mut self, key: K, value: V) {
        let position = self.entries.len();
        self.positions.insert(key.clone(), position);
        self.entries.push(Entry {
            key,
            value,
            newer: None,
            older: None,
        });
        self.link_newest(position);
    }

    /// Takes an entry out of the vector; the last one moves to its place.
    fn take(&mut self, position: usize) -> Entry<K, V> {
        self.unlink(position);
        let taken = self.entries.swap_remove(position);
        if let Some(moved) = self.entries.get(position) {
            let (newer, older) = (moved.newer, moved.older);
            if let Some(known) = self.positions.get_mut(&moved.key) {
                *known = position;
            }
            self.set_older_of(newer, Some(position));
            self.set_newer_of(older, Some(position));
        }
        taken
    }

    fn unlink(&mut self, position: usize) {
        let Entry { newer, older, .. } = self.entries[position];
        self.set_older_of(newer, older);
        self.set_newer_of(older, newer);
    }

    fn link_newest(&mut self, position: usize) {
        let older = self.newest;
        self.entries[position].newer = None;
        self.entries[position].older = older;
        self.set_newer_of(older, Some(position));
        self.newest = Some(position);
    }

    /// Without a position, what is set is the start of the order.
    fn set_older_of(&mut self, position: Option<usize>, older: Option<usize>) {
        match position {
            Some(position) => self.entries[position].older = older,
            None => self.newest = older,
        }
    }

    /// Without a position, what is set is the end of the order.
    fn set_newer_of(&mut self, position: Option<usize>, newer: Option<usize>) {
        match position {
            Some(position) => self.entries[position].newer = newer,
            None => self.oldest = newer,
        }
    }
}

/// The iterator that [`LruCache::iter`] returns.
#[derive(Debug, Clone)]
pub struct Iter<'a, K, V> {
    entries: &'a [Entry<K, V>],
    next: Option<usize>,
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        let entry = &self.entries[self.next?];
        self.next = entry.older;
        Some((&entry.key, &entry.value))
    }
}
