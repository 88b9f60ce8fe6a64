// Package ratelimit limits how often something happens.
package ratelimit

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// Limits of what New accepts.
const (
	MaxTokens = 1_000_000
	MaxPer    = time.Hour
)

// ErrInvalid says that a bucket cannot have such a capacity or rate.
var ErrInvalid = errors.New("invalid token bucket")

// Rate is how many tokens a bucket gains in a period of time.
type Rate struct {
	Tokens int64
	Per    time.Duration
}

// Bucket holds tokens, which are taken by calls and come back with time. Make it with New.
type Bucket struct {
	capacity int64
	rate     Rate

	mutex sync.Mutex
	level level
}

// level is what a bucket holds at a time. The fraction of the next token is part/rate.Per, so that it is exact; a full
// bucket has none.
type level struct {
	tokens int64
	part   int64
	at     time.Time
}

// New returns a bucket that is full at the time now.
func New(capacity int64, rate Rate, now time.Time) (*Bucket, error) {
	if capacity < 1 || capacity > MaxTokens {
		return nil, fmt.Errorf("%w: capacity %d", ErrInvalid, capacity)
	}
	if rate.Tokens < 1 || rate.Tokens > MaxTokens || rate.Per < 1 || rate.Per > MaxPer {
		return nil, fmt.Errorf("%w: %d tokens per %v", ErrInvalid, rate.Tokens, rate.Per)
	}
	return &Bucket{capacity: capacity, rate: rate, level: level{tokens: capacity, at: now}}, nil
}

// Take removes n tokens, or none if the bucket has fewer, and reports whether it removed them.
func (b *Bucket) Take(n int64, now time.Time) bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.level = b.levelAt(now)
	if n < 0 || n > b.level.tokens {
		return false
	}
	b.level.tokens -= n
	return true
}

// TakeUpTo removes as many tokens as the bucket has, at most n, and returns how many.
func (b *Bucket) TakeUpTo(n int64, now time.Time) int64 {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.level = b.levelAt(now)
	taken := min(max(n, 0), b.level.tokens)
	b.level.tokens -= taken
	return taken
}

// Available returns the number of tokens, including the fraction of the next one.
func (b *Bucket) Available(now time.Time) float64 {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	seen := b.levelAt(now)
	return float64(seen.tokens) + float64(seen.part)/float64(b.rate.Per)
}

// Wait returns how long after now the bucket will have n tokens, and whether it ever will.
func (b *Bucket) Wait(n int64, now time.Time) (time.Duration, bool) {
	if n < 0 || n > b.capacity {
		return 0, false
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	seen := b.levelAt(now)
	if n <= seen.tokens {
		return 0, true
	}
	// At most MaxTokens * MaxPer, which an int64 can hold.
	missing := (n-seen.tokens)*int64(b.rate.Per) - seen.part
	wait := (missing + b.rate.Tokens - 1) / b.rate.Tokens
	return seen.at.Add(time.Duration(wait)).Sub(now), true
}

// levelAt returns the level at a time, or the present one if the time is earlier. The mutex must be held.
func (b *Bucket) levelAt(now time.Time) level {
	elapsed := now.Sub(b.level.at)
	if elapsed <= 0 {
		return b.level
	}
	full := level{tokens: b.capacity, at: now}
	periods, rest := int64(elapsed/b.rate.Per), int64(elapsed%b.rate.Per)
	if periods > b.capacity {
		// Every period brings a token at least; the product below could be too large.
		return full
	}
	part := b.level.part + rest*b.rate.Tokens
	tokens := b.level.tokens + periods*b.rate.Tokens + part/int64(b.rate.Per)
	if tokens >= b.capacity {
		return full
	}
	return level{tokens: tokens, part: part % int64(b.rate.Per), at: now}
}
