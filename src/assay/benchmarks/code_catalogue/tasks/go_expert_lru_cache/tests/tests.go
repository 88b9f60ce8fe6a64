package main

import (
	"fmt"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"task/lru"
)

// endsWithin observes whether a call that could block for ever ends.
func endsWithin(o *Observer, limit time.Duration, call func()) bool {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		call()
	}()
	select {
	case <-ended:
		o.Value("ended")
		return true
	case <-time.After(limit):
		o.Value("timed out")
		return false
	}
}

func ends(o *Observer, call func()) bool {
	return endsWithin(o, 5*time.Second, call)
}

func keys(cache *lru.Cache[string, int]) string {
	return strings.Join(cache.Keys(), " ")
}

func filled(capacity int, names string) *lru.Cache[string, int] {
	cache := lru.New[string, int](capacity, nil)
	for number, name := range strings.Fields(names) {
		cache.Put(name, number)
	}
	return cache
}

func TestOrder(o *Observer) {
	cache := filled(4, "ash elm oak fir")
	o.Value(keys(cache))
	value, found := cache.Get("elm")
	o.Value([]any{value, found, keys(cache)})
	o.Value([]any{cache.Put("yew", 40), keys(cache), cache.Len()})
	value, found = cache.Get("ash")
	o.Value([]any{value, found, keys(cache)})
	cache.Get("oak")
	o.Value([]any{cache.Put("box", 50), cache.Put("bay", 60), keys(cache)})
}

func TestPutAgain(o *Observer) {
	cache := filled(3, "ash elm oak")
	o.Value([]any{cache.Put("ash", 70), keys(cache), cache.Len()})
	value, _ := cache.Peek("ash")
	o.Value(value)
	o.Value([]any{cache.Put("fir", 80), keys(cache)})
	o.Value([]any{cache.Put("fir", 81), cache.Put("fir", 82), keys(cache)})
	o.Value(cache.Stats())
}

func TestPeek(o *Observer) {
	cache := filled(3, "ash elm oak")
	for _, name := range []string{"ash", "ash", "elm", "nut"} {
		value, found := cache.Peek(name)
		o.Value([]any{value, found})
	}
	o.Value(keys(cache))
	cache.Put("fir", 9)
	o.Value([]any{keys(cache), cache.Stats()})
}

func TestDelete(o *Observer) {
	var evicted []string
	cache := lru.New(3, func(key string, value int) { evicted = append(evicted, fmt.Sprint(key, value)) })
	for number, name := range strings.Fields("ash elm oak fir") {
		cache.Put(name, number)
	}
	o.Value([]any{cache.Delete("elm"), cache.Delete("elm"), cache.Delete("ash"), keys(cache), cache.Len()})
	o.Value([]any{cache.Put("yew", 5), cache.Put("elm", 6), keys(cache)})
	o.Value(evicted)
	cache.Delete("fir")
	cache.Delete("yew")
	cache.Delete("elm")
	o.Value([]any{cache.Len(), len(cache.Keys()), cache.Put("fig", 7), keys(cache), cache.Stats()})
}

func TestStats(o *Observer) {
	cache := filled(2, "ash elm oak")
	for _, name := range strings.Fields("ash elm oak oak ash nut elm") {
		cache.Get(name)
	}
	o.Value(cache.Stats())
	cache.Put("fir", 1)
	cache.Get("oak")
	cache.Delete("elm")
	cache.Peek("fir")
	o.Value(cache.Stats())
}

func TestCapacity(o *Observer) {
	for _, capacity := range []int{0, -1, -1 << 40} {
		capacity := capacity
		o.Panics(func() { lru.New[string, int](capacity, nil) })
	}
	cache := filled(1, "ash elm")
	o.Panics(func() { cache.Resize(0) })
	o.Panics(func() { cache.Resize(-3) })
	if !ends(o, func() { cache.Put("oak", 12) }) {
		return
	}
	value, found := cache.Get("oak")
	o.Value([]any{value, found, keys(cache), cache.Stats()})
}

func TestResize(o *Observer) {
	var evicted []string
	cache := lru.New(6, func(key string, value int) { evicted = append(evicted, fmt.Sprint(key, value)) })
	for number, name := range strings.Fields("ash elm oak fir yew box") {
		cache.Put(name, number)
	}
	cache.Get("elm")
	o.Value([]any{cache.Resize(6), cache.Resize(3), keys(cache)})
	o.Value(evicted)
	o.Value([]any{cache.Resize(4), cache.Put("bay", 7), cache.Put("fig", 8), keys(cache)})
	o.Value([]any{cache.Resize(1), keys(cache), cache.Stats()})
	o.Value(evicted)
}

func TestZeroValues(o *Observer) {
	cache := lru.New[int, *string](3, nil)
	text := "seven"
	cache.Put(0, nil)
	cache.Put(7, &text)
	for key := 0; key < 2; key++ {
		value, found := cache.Get(key)
		o.Value([]any{value, found})
	}
	value, found := cache.Peek(0)
	o.Value([]any{value, found, cache.Keys()})
	type point struct{ X, Y int }
	points := lru.New[point, string](2, nil)
	points.Put(point{1, 2}, "")
	points.Put(point{2, 1}, "b")
	name, found := points.Get(point{1, 2})
	o.Value([]any{name, found, points.Keys(), points.Stats()})
}

func TestKeysAreCopied(o *Observer) {
	cache := filled(3, "ash elm oak")
	taken := cache.Keys()
	taken[0], taken[2] = "nut", "nut"
	o.Value(keys(cache))
	taken = cache.Keys()
	cache.Get("ash")
	cache.Put("fir", 4)
	o.Value([]any{taken, keys(cache)})
}

func TestCallbackUsesCache(o *Observer) {
	var cache *lru.Cache[string, int]
	var seen []string
	cache = lru.New(3, func(key string, value int) {
		_, found := cache.Peek(key)
		seen = append(seen, fmt.Sprintf("%s=%d %t %d [%s]", key, value, found, cache.Len(), keys(cache)))
	})
	ended := ends(o, func() {
		for number, name := range strings.Fields("ash elm oak fir") {
			cache.Put(name, number)
		}
		cache.Resize(1)
	})
	if !ended {
		return
	}
	o.Value(seen)
	var ring *lru.Cache[int, string]
	ring = lru.New(2, func(key int, value string) {
		if key < 3 {
			ring.Put(key+10, value+"!")
		}
	})
	ended = ends(o, func() {
		for key := 1; key <= 3; key++ {
			ring.Put(key, strings.Repeat("z", key))
		}
	})
	if !ended {
		return
	}
	o.Value([]any{ring.Keys(), ring.Stats()})
}

func TestCallbackDoesNotBlockOthers(o *Observer) {
	begun, released := make(chan struct{}), make(chan struct{})
	cache := lru.New(2, func(key string, value int) {
		close(begun)
		<-released
	})
	cache.Put("ash", 1)
	cache.Put("elm", 2)
	put := make(chan bool)
	go func() { put <- cache.Put("oak", 3) }()
	if !ends(o, func() { <-begun }) {
		return
	}
	var seen []any
	ended := ends(o, func() {
		value, found := cache.Get("elm")
		seen = []any{value, found, keys(cache), cache.Len(), cache.Delete("oak"), cache.Stats()}
	})
	close(released)
	if ended {
		o.Value(seen)
		o.Value([]any{<-put, keys(cache)})
	}
}

func TestConcurrentUse(o *Observer) {
	const workers, rounds, capacity = 8, 30_000, 64
	var evictions, tooMany, wrong atomic.Int64
	cache := lru.New(capacity, func(key, value int) {
		evictions.Add(1)
		if value != key*3 {
			wrong.Add(1)
		}
	})
	var wait sync.WaitGroup
	for worker := 0; worker < workers; worker++ {
		worker := worker
		wait.Add(1)
		go func() {
			defer wait.Done()
			for round := 0; round < rounds; round++ {
				key := (round*7 + worker*13) % 100
				if value, found := cache.Get(key); found && value != key*3 {
					wrong.Add(1)
				}
				cache.Put(key, key*3)
				if cache.Len() > capacity {
					tooMany.Add(1)
				}
			}
		}()
	}
	if !endsWithin(o, 25*time.Second, wait.Wait) {
		return
	}
	stats, distinct := cache.Stats(), map[int]bool{}
	for _, key := range cache.Keys() {
		distinct[key] = true
	}
	o.Value([]any{stats.Hits + stats.Misses, stats.Evictions - int(evictions.Load())})
	o.Value([]any{cache.Len(), len(distinct), tooMany.Load(), wrong.Load()})
}

func TestConcurrentHits(o *Observer) {
	const workers, rounds = 8, 100_000
	var evicted []string
	cache := lru.New(5, func(key string, value int) { evicted = append(evicted, fmt.Sprint(key, value)) })
	names := strings.Fields("ash elm oak fir yew")
	for number, name := range names {
		cache.Put(name, number)
	}
	start := make(chan struct{})
	var wait sync.WaitGroup
	for worker := 0; worker < workers; worker++ {
		worker := worker
		wait.Add(1)
		go func() {
			defer wait.Done()
			<-start
			for round := 0; round < rounds; round++ {
				cache.Get(names[(round*worker+round)%len(names)])
			}
		}()
	}
	close(start)
	if !endsWithin(o, 25*time.Second, wait.Wait) {
		return
	}
	o.Value([]any{cache.Stats(), cache.Len()})
	// What is left of the order shows when the entries leave it.
	o.Value([]any{cache.Resize(1), cache.Put("nut", 9)})
	sort.Strings(evicted)
	o.Value(evicted)
}

// TestConstantTime would take minutes if a call looked at all entries.
func TestConstantTime(o *Observer) {
	const capacity = 200_000
	cache := lru.New[int, int](capacity, nil)
	ended := endsWithin(o, 15*time.Second, func() {
		for key := 0; key < capacity; key++ {
			cache.Put(key, key)
		}
		for round := 0; round < 2*capacity; round++ {
			// The least recently used entry, and others from the middle of the order.
			cache.Get(round % capacity)
			cache.Peek((round + capacity/2) % capacity)
			cache.Put((round+capacity/3)%capacity, cache.Len())
		}
		for round := 0; round < capacity; round++ {
			cache.Put(capacity+round, round)
			cache.Delete(capacity + round/2)
		}
	})
	if ended {
		o.Value([]any{cache.Len(), cache.Stats()})
	}
}
