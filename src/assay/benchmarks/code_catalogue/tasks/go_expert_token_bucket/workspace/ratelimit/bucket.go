// Package ratelimit limits how often something happens.
package ratelimit

import (
	"errors"
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
	// to do
}

// New returns a bucket that is full at the time now.
func New(capacity int64, rate Rate, now time.Time) (*Bucket, error) {
	panic("not implemented")
}

// Take removes n tokens, or none if the bucket has fewer, and reports whether it removed them.
func (b *Bucket) Take(n int64, now time.Time) bool {
	panic("not implemented")
}

// TakeUpTo removes as many tokens as the bucket has, at most n, and returns how many.
func (b *Bucket) TakeUpTo(n int64, now time.Time) int64 {
	panic("not implemented")
}

// Available returns the number of tokens, including the fraction of the next one.
func (b *Bucket) Available(now time.Time) float64 {
	panic("not implemented")
}

// Wait returns how long after now the bucket will have n tokens, and whether it ever will.
func (b *Bucket) Wait(n int64, now time.Time) (time.Duration, bool) {
	panic("not implemented")
}
