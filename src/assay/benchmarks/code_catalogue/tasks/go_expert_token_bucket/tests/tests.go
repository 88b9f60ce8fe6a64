package main

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"task/ratelimit"
)

const second = time.Second

var epoch = time.Unix(1_300_000_000, 250)

func at(offset time.Duration) time.Time {
	return epoch.Add(offset)
}

// full returns a bucket that was filled at the epoch.
func full(capacity, tokens int64, per time.Duration) *ratelimit.Bucket {
	bucket, err := ratelimit.New(capacity, ratelimit.Rate{Tokens: tokens, Per: per}, epoch)
	if err != nil {
		panic(err)
	}
	return bucket
}

// drained returns a bucket that was emptied at the epoch.
func drained(capacity, tokens int64, per time.Duration) *ratelimit.Bucket {
	bucket := full(capacity, tokens, per)
	bucket.Take(capacity, epoch)
	return bucket
}

func wait(bucket *ratelimit.Bucket, n int64, now time.Time) []any {
	duration, possible := bucket.Wait(n, now)
	return []any{int64(duration), possible}
}

func TestStartsFull(o *Observer) {
	bucket := full(17, 4, second)
	o.Value(bucket.Available(at(0)))
	o.Value(bucket.Available(at(9 * second)))
	o.Value([]any{bucket.Take(18, at(0)), bucket.Take(5, at(0)), bucket.Available(at(0))})
	o.Value([]any{bucket.Take(13, at(0)), bucket.Take(12, at(0)), bucket.Take(1, at(0)), bucket.Available(at(0))})
}

func TestFractions(o *Observer) {
	bucket := drained(10, 3, second)
	o.Value(bucket.Available(at(second / 10)))
	o.Value(bucket.Available(at(1250 * time.Millisecond)))
	o.Value([]any{bucket.Take(1, at(333_333_333)), bucket.Take(1, at(333_333_334)), bucket.TakeUpTo(9, at(second-1))})
	o.Value([]any{bucket.TakeUpTo(9, at(second)), bucket.Available(at(second)), bucket.Available(at(1500 * time.Millisecond))})
	slow := drained(4, 1, time.Hour)
	o.Value(slow.Available(at(45 * time.Minute)))
	o.Value([]any{slow.Take(1, at(time.Hour-1)), slow.Take(1, at(time.Hour)), slow.Available(at(time.Hour))})
}

// TestManySteps asks so often that errors of rounding would add up.
func TestManySteps(o *Observer) {
	for _, one := range []struct {
		tokens int64
		per    time.Duration
		step   time.Duration
		steps  int
	}{
		{3, second, time.Millisecond, 1000},
		{1, 10 * second, 100 * time.Millisecond, 1000},
		{7, 3 * second, 10 * time.Millisecond, 900},
		{2, 3, 1, 3000},
		{999_983, time.Hour, 977, 50_000},
	} {
		bucket := drained(1000, one.tokens, one.per)
		taken, first := int64(0), 0
		for step := 1; step <= one.steps; step++ {
			bucket.Take(1000, at(time.Duration(step)*one.step))
			if step%3 == 0 {
				taken += bucket.TakeUpTo(1, at(time.Duration(step)*one.step))
			}
			if taken > 0 && first == 0 {
				first = step
			}
		}
		rest := bucket.Available(at(time.Duration(one.steps) * one.step))
		o.Value([]any{taken, first, float64(taken) + rest})
	}
}

func TestTakeUpTo(o *Observer) {
	bucket := full(9, 2, second)
	o.Value([]int64{bucket.TakeUpTo(4, at(0)), bucket.TakeUpTo(0, at(0)), bucket.TakeUpTo(-3, at(0)), bucket.TakeUpTo(99, at(0))})
	o.Value([]int64{bucket.TakeUpTo(99, at(0)), bucket.TakeUpTo(1, at(1600*time.Millisecond)), bucket.TakeUpTo(8, at(1900*time.Millisecond))})
	o.Value(bucket.Available(at(1900 * time.Millisecond)))
	o.Value([]int64{bucket.TakeUpTo(1, at(time.Hour)), bucket.TakeUpTo(99, at(time.Hour))})
}

func TestOddNumbers(o *Observer) {
	bucket := full(6, 1, second)
	o.Value([]any{bucket.Take(0, at(0)), bucket.Take(-2, at(0)), bucket.Take(7, at(0)), bucket.Available(at(0))})
	bucket.Take(6, at(0))
	o.Value([]any{bucket.Take(0, at(0)), bucket.Take(-1, at(2*second)), bucket.Available(at(0))})
	o.Value([]any{wait(bucket, 0, at(2*second)), wait(bucket, -1, at(2*second)), wait(bucket, 7, at(2*second)), wait(bucket, 6, at(2*second))})
}

func TestOverflowIsLost(o *Observer) {
	bucket := drained(2, 2, 3*second)
	o.Value([]any{bucket.Available(at(2900 * time.Millisecond)), bucket.Available(at(4 * second)), bucket.Take(2, at(4*second))})
	o.Value([]any{bucket.Available(at(4 * second)), bucket.Available(at(5200 * time.Millisecond))})
	o.Value([]any{bucket.Take(1, at(5500*time.Millisecond-1)), bucket.Take(1, at(5500*time.Millisecond))})
	o.Value(wait(bucket, 2, at(6*second)))
	o.Value([]any{bucket.TakeUpTo(0, at(90*second)), bucket.TakeUpTo(5, at(91*second)), bucket.Available(at(92 * second))})
}

func TestWait(o *Observer) {
	for _, n := range []int64{1, 2, 3, 7, 10} {
		bucket := drained(10, 3, second)
		duration, possible := bucket.Wait(n, at(0))
		early, late := bucket.Take(n, at(duration-1)), bucket.Take(n, at(duration))
		o.Value([]any{int64(duration), possible, early, late})
	}
	bucket := drained(10, 3, second)
	bucket.Take(1, at(500*time.Millisecond))
	o.Value([]any{wait(bucket, 1, at(500*time.Millisecond)), wait(bucket, 1, at(600*time.Millisecond)), wait(bucket, 4, at(second))})
	o.Value([]any{wait(bucket, 1, at(900*time.Millisecond)), wait(bucket, 11, at(0)), bucket.Available(at(second))})
}

func TestLookingChangesNothing(o *Observer) {
	bucket := drained(10, 2, second)
	o.Value([]any{bucket.Available(at(60 * second)), wait(bucket, 10, at(60*second)), wait(bucket, 9, at(2*second))})
	o.Value([]any{bucket.Available(at(0)), bucket.Take(1, at(0)), bucket.TakeUpTo(5, at(1700*time.Millisecond))})
	o.Value([]any{wait(bucket, 10, at(3*second)), bucket.Available(at(1700 * time.Millisecond))})
}

func TestEarlierTimes(o *Observer) {
	bucket := drained(20, 1, second)
	o.Value([]any{bucket.TakeUpTo(3, at(10*second)), bucket.TakeUpTo(2, at(4*second)), bucket.Available(at(-80 * second))})
	o.Value([]any{bucket.Available(at(10 * second)), bucket.Take(6, at(10*second)), bucket.Available(at(12 * second))})
	o.Value([]any{wait(bucket, 4, at(10*second)), wait(bucket, 8, at(7*second)), wait(bucket, 5, at(1*second))})
	o.Value([]any{bucket.Take(19, at(15*second)), bucket.Available(at(11 * second)), bucket.Take(10, at(14*second))})
	o.Value(bucket.TakeUpTo(20, at(15*second)))
}

func TestZones(o *Observer) {
	bucket := drained(50, 1, second)
	east, west := time.FixedZone("east", 9*3600), time.FixedZone("west", -7*3600)
	o.Value([]any{bucket.TakeUpTo(50, at(5*second).In(east)), bucket.TakeUpTo(50, at(8*second).In(west)), bucket.TakeUpTo(50, at(9*second).UTC())})
	old, err := ratelimit.New(30, ratelimit.Rate{Tokens: 5, Per: time.Minute}, time.Date(1815, 12, 10, 6, 0, 0, 0, time.UTC))
	o.Error(err)
	o.Value([]any{old.TakeUpTo(30, time.Date(1815, 12, 10, 6, 0, 0, 0, time.UTC)), old.Available(time.Date(1815, 12, 10, 6, 2, 30, 0, time.UTC))})
}

func TestLimits(o *Observer) {
	most, longest := int64(ratelimit.MaxTokens), ratelimit.MaxPer
	refused := []int{}
	for number, one := range []struct {
		capacity, tokens int64
		per              time.Duration
	}{
		{1, 1, 1}, {0, 1, second}, {-5, 1, second}, {1, 0, second}, {1, -1, second}, {1, 1, 0}, {1, 1, -second},
		{most, most, longest}, {most + 1, 1, second}, {1, most + 1, second}, {1, 1, longest + 1}, {most, 1, 1}, {1, most, longest},
	} {
		bucket, err := ratelimit.New(one.capacity, ratelimit.Rate{Tokens: one.tokens, Per: one.per}, epoch)
		if err != nil && bucket == nil && errors.Is(err, ratelimit.ErrInvalid) {
			refused = append(refused, number)
		}
	}
	o.Value(refused)
}

func TestLargeNumbers(o *Observer) {
	const most = ratelimit.MaxTokens
	quick := drained(most, most, 1)
	o.Value([]any{quick.TakeUpTo(most, at(1)), quick.TakeUpTo(7, at(1)), quick.TakeUpTo(most, at(40_000*time.Hour))})
	o.Value([]any{quick.Available(time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC)), wait(quick, most, at(40_000*time.Hour))})
	slow := drained(most, 1, time.Hour)
	o.Value(wait(slow, most, at(0)))
	o.Value([]any{slow.Take(most, at(most*time.Hour-1)), slow.Available(at(most*time.Hour - 30*time.Minute))})
	o.Value([]any{slow.Take(most, at(most*time.Hour)), slow.Available(at(most*time.Hour + 15*time.Minute))})
	busy := drained(most, most, time.Hour)
	o.Value([]any{busy.TakeUpTo(most, at(time.Hour-1)), wait(busy, most, at(time.Hour)), busy.Available(at(time.Hour))})
	o.Value([]any{busy.TakeUpTo(most, at(2*time.Hour-1)), busy.TakeUpTo(most, at(400_000*time.Hour))})
	fine := drained(most, 1, 1)
	o.Value([]any{fine.TakeUpTo(most, at(123_456)), fine.TakeUpTo(most, at(123_457)), fine.TakeUpTo(most, at(20*365*24*time.Hour))})
}

func TestConcurrentTakes(o *Observer) {
	const workers, rounds, capacity = 8, 60_000, 200_000
	bucket := full(capacity, 1, second)
	var taken atomic.Int64
	together(workers, func(int) {
		mine := int64(0)
		for round := 0; round < rounds; round++ {
			if bucket.Take(1, at(0)) {
				mine++
			}
		}
		taken.Add(mine)
	})
	o.Value([]any{taken.Load(), bucket.Available(at(0))})
}

func TestConcurrentRefill(o *Observer) {
	const workers, rounds = 8, 20_000
	bucket := drained(1_000_000, 3, 7*time.Microsecond)
	var taken atomic.Int64
	together(workers, func(worker int) {
		mine := int64(0)
		for round := 1; round <= rounds; round++ {
			now := at(time.Duration(round) * time.Microsecond)
			mine += bucket.TakeUpTo(int64(worker%3), now)
			bucket.Available(now)
			bucket.Wait(5, now)
		}
		taken.Add(mine)
	})
	end := at(rounds * time.Microsecond)
	rest := bucket.TakeUpTo(1_000_000, end)
	o.Value([]any{taken.Load() + rest, bucket.Available(end), wait(bucket, 1, end)})
}

func together(workers int, work func(worker int)) {
	start := make(chan struct{})
	var group sync.WaitGroup
	for worker := 0; worker < workers; worker++ {
		worker := worker
		group.Add(1)
		go func() {
			defer group.Done()
			<-start
			work(worker)
		}()
	}
	close(start)
	group.Wait()
}
