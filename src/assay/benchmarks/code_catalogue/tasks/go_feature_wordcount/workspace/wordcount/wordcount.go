// Package wordcount counts how often words occur in a text.
package wordcount

import "io"

// Entry is a word and how often it occurs.
type Entry struct {
	Word  string
	Count int
}

// Count reads a text to its end and returns how often each word occurs.
func Count(reader io.Reader) (map[string]int, error) {
	panic("not implemented")
}

// Top returns the n most frequent words, most frequent first and equal ones in the order of their bytes.
func Top(counts map[string]int, n int) []Entry {
	panic("not implemented")
}
