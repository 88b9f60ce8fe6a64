//! A cache that forgets what has not been used for the longest time.

use std::borrow::Borrow;
use std::hash::Hash;
use std::marker::PhantomData;

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
pub struct LruCache<K, V> {
    _entries: PhantomData<(K, V)>,
}

impl<K: Hash + Eq + Clone, V> LruCache<K, V> {
    /// An empty cache.
    ///
    /// # Panics
    ///
    /// If the capacity is 0.
    pub fn new(_capacity: usize) -> Self {
        todo!()
    }

    /// The greatest number of entries.
    pub fn capacity(&self) -> usize {
        todo!()
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        todo!()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        todo!()
    }

    /// Adds an entry or replaces the value of an equal key.
    pub fn insert(&mut self, _key: K, _value: V) -> Inserted<K, V> {
        todo!()
    }

    /// The value of a key, which becomes the most recently used one.
    pub fn get<Q>(&mut self, _key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        todo!()
    }

    /// The value of a key, which becomes the most recently used one.
    pub fn get_mut<Q>(&mut self, _key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        todo!()
    }

    /// The value of a key, without using it.
    pub fn peek<Q>(&self, _key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        todo!()
    }

    /// Whether a key is in the cache, without using it.
    pub fn contains<Q>(&self, _key: &Q) -> bool
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        todo!()
    }

    /// Removes the entry of a key.
    pub fn remove<Q>(&mut self, _key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        todo!()
    }

    /// Removes the least recently used entry.
    pub fn pop_oldest(&mut self) -> Option<(K, V)> {
        todo!()
    }

    /// Changes the capacity; returns what no longer fits, the least recently used entry first.
    ///
    /// # Panics
    ///
    /// If the capacity is 0.
    pub fn resize(&mut self, _capacity: usize) -> Vec<(K, V)> {
        todo!()
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        todo!()
    }

    /// All entries, from the most to the least recently used one.
    pub fn iter(&self) -> Iter<'_, K, V> {
        todo!()
    }
}

/// The iterator that [`LruCache::iter`] returns.
pub struct Iter<'a, K, V> {
    _entries: PhantomData<(&'a K, &'a V)>,
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        todo!()
    }
}
