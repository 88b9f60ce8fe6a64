// Package lru provides a cache of limited size that evicts the least recently used entries.
package lru

// Stats counts what happened to a cache since it was made.
type Stats struct {
	Hits      int
	Misses    int
	Evictions int
}

// Cache maps keys to values. It can be used by several goroutines at the same time; make it with New.
type Cache[K comparable, V any] struct {
	// to do
}

// New returns an empty cache, which calls onEvict, unless it is nil, for every entry that it evicts.
func New[K comparable, V any](capacity int, onEvict func(key K, value V)) *Cache[K, V] {
	panic("not implemented")
}

// Get returns the value of a key and makes its entry the most recently used one.
func (c *Cache[K, V]) Get(key K) (V, bool) {
	panic("not implemented")
}

// Peek returns the value of a key and leaves the order and the statistics as they are.
func (c *Cache[K, V]) Peek(key K) (V, bool) {
	panic("not implemented")
}

// Put stores a value as the most recently used entry and reports whether another entry was evicted.
func (c *Cache[K, V]) Put(key K, value V) bool {
	panic("not implemented")
}

// Delete removes an entry and reports whether there was one.
func (c *Cache[K, V]) Delete(key K) bool {
	panic("not implemented")
}

// Resize changes the capacity and returns how many entries were evicted.
func (c *Cache[K, V]) Resize(capacity int) int {
	panic("not implemented")
}

// Len returns the number of entries.
func (c *Cache[K, V]) Len() int {
	panic("not implemented")
}

// Keys returns all keys, the most recently used first.
func (c *Cache[K, V]) Keys() []K {
	panic("not implemented")
}

// Stats returns what was counted so far.
func (c *Cache[K, V]) Stats() Stats {
	panic("not implemented")
}
