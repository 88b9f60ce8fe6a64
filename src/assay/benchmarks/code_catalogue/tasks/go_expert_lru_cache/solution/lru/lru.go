// Package lru provides a cache of limited size that evicts the least recently used entries.
package lru

import (
	"container/list"
	"fmt"
	"sync"
)

// Stats counts what happened to a cache since it was made.
type Stats struct {
	Hits      int
	Misses    int
	Evictions int
}

// Cache maps keys to values. It can be used by several goroutines at the same time; make it with New.
type Cache[K comparable, V any] struct {
	onEvict func(key K, value V)

	mutex    sync.Mutex
	capacity int
	// The elements hold an entry[K, V]; the most recently used one is in front.
	order *list.List
	found map[K]*list.Element
	stats Stats
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

// New returns an empty cache, which calls onEvict, unless it is nil, for every entry that it evicts.
func New[K comparable, V any](capacity int, onEvict func(key K, value V)) *Cache[K, V] {
	checkCapacity(capacity)
	return &Cache[K, V]{
		onEvict:  onEvict,
		capacity: capacity,
		order:    list.New(),
		found:    map[K]*list.Element{},
	}
}

func checkCapacity(capacity int) {
	if capacity <= 0 {
		panic(fmt.Sprintf("lru: capacity %d is not positive", capacity))
	}
}

// Get returns the value of a key and makes its entry the most recently used one.
func (c *Cache[K, V]) Get(key K) (V, bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	element, found := c.found[key]
	if !found {
		c.stats.Misses++
		var zero V
		return zero, false
	}
	c.stats.Hits++
	c.order.MoveToFront(element)
	return element.Value.(entry[K, V]).value, true
}

// Peek returns the value of a key and leaves the order and the statistics as they are.
func (c *Cache[K, V]) Peek(key K) (V, bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	element, found := c.found[key]
	if !found {
		var zero V
		return zero, false
	}
	return element.Value.(entry[K, V]).value, true
}

// Put stores a value as the most recently used entry and reports whether another entry was evicted.
func (c *Cache[K, V]) Put(key K, value V) bool {
	evicted := c.put(entry[K, V]{key, value})
	c.report(evicted)
	return len(evicted) > 0
}

func (c *Cache[K, V]) put(stored entry[K, V]) []entry[K, V] {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if element, found := c.found[stored.key]; found {
		element.Value = stored
		c.order.MoveToFront(element)
		return nil
	}
	// Before the entry is added, so that there are never too many.
	evicted := c.evict(c.capacity - 1)
	c.found[stored.key] = c.order.PushFront(stored)
	return evicted
}

// Delete removes an entry and reports whether there was one.
func (c *Cache[K, V]) Delete(key K) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	element, found := c.found[key]
	if found {
		c.order.Remove(element)
		delete(c.found, key)
	}
	return found
}

// Resize changes the capacity and returns how many entries were evicted.
func (c *Cache[K, V]) Resize(capacity int) int {
	checkCapacity(capacity)
	evicted := c.resize(capacity)
	c.report(evicted)
	return len(evicted)
}

func (c *Cache[K, V]) resize(capacity int) []entry[K, V] {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.capacity = capacity
	return c.evict(capacity)
}

// evict removes entries until no more than limit are left. The mutex must be held.
func (c *Cache[K, V]) evict(limit int) []entry[K, V] {
	var evicted []entry[K, V]
	for c.order.Len() > limit {
		oldest := c.order.Remove(c.order.Back()).(entry[K, V])
		delete(c.found, oldest.key)
		evicted = append(evicted, oldest)
	}
	c.stats.Evictions += len(evicted)
	return evicted
}

// report calls onEvict. The mutex must not be held, since the callback may use the cache.
func (c *Cache[K, V]) report(evicted []entry[K, V]) {
	if c.onEvict == nil {
		return
	}
	for _, one := range evicted {
		c.onEvict(one.key, one.value)
	}
}

// Len returns the number of entries.
func (c *Cache[K, V]) Len() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.order.Len()
}

// Keys returns all keys, the most recently used first.
func (c *Cache[K, V]) Keys() []K {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	keys := make([]K, 0, c.order.Len())
	for element := c.order.Front(); element != nil; element = element.Next() {
		keys = append(keys, element.Value.(entry[K, V]).key)
	}
	return keys
}

// Stats returns what was counted so far.
func (c *Cache[K, V]) Stats() Stats {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.stats
}
