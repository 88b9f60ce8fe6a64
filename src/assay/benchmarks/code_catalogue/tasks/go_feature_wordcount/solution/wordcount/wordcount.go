// Package wordcount counts how often words occur in a text.
package wordcount

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// Entry is a word and how often it occurs.
type Entry struct {
	Word  string
	Count int
}

// Count reads a text to its end and returns how often each word occurs.
func Count(reader io.Reader) (map[string]int, error) {
	counter := counter{counts: map[string]int{}}
	source := bufio.NewReader(reader)
	for {
		// An invalid byte is read as unicode.ReplacementChar, which belongs to no word.
		char, _, err := source.ReadRune()
		if errors.Is(err, io.EOF) {
			counter.endWord()
			return counter.counts, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read text: %w", err)
		}
		counter.add(char)
	}
}

// counter collects the word that is being read. A joiner waits in pending until the next character decides whether it
// belongs to the word.
type counter struct {
	counts  map[string]int
	word    strings.Builder
	pending rune
}

func (c *counter) add(char rune) {
	switch {
	case unicode.IsLetter(char) || unicode.IsDigit(char):
		if c.pending != 0 {
			c.word.WriteRune(c.pending)
			c.pending = 0
		}
		c.word.WriteRune(unicode.ToLower(char))
	case unicode.IsMark(char) && c.word.Len() > 0 && c.pending == 0:
		c.word.WriteRune(unicode.ToLower(char))
	case joiner(char) != 0 && c.word.Len() > 0 && c.pending == 0:
		c.pending = joiner(char)
	default:
		c.endWord()
	}
}

func (c *counter) endWord() {
	if c.word.Len() > 0 {
		c.counts[c.word.String()]++
	}
	c.word.Reset()
	c.pending = 0
}

// joiner returns how a hyphen or apostrophe is written in words, and 0 for every other character.
func joiner(char rune) rune {
	switch char {
	case '-', '\u2010':
		return '-'
	case '\'', '\u2019':
		return '\''
	}
	return 0
}

// Top returns the n most frequent words, most frequent first and equal ones in the order of their bytes.
func Top(counts map[string]int, n int) []Entry {
	entries := make([]Entry, 0, len(counts))
	for word, count := range counts {
		entries = append(entries, Entry{Word: word, Count: count})
	}
	slices.SortFunc(entries, func(a, b Entry) int {
		if order := cmp.Compare(b.Count, a.Count); order != 0 {
			return order
		}
		return strings.Compare(a.Word, b.Word)
	})
	return entries[:min(max(n, 0), len(entries))]
}
