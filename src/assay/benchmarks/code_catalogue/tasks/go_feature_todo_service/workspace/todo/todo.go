// Package todo keeps lists of things to do.
package todo

import "errors"

// MaxTitleLength is how many characters a title may have.
const MaxTitleLength = 60

// Errors of the service and its repositories.
var (
	ErrAlreadyDone     = errors.New("item is already done")
	ErrDuplicate       = errors.New("an open item has this title")
	ErrEmptyTitle      = errors.New("title is empty")
	ErrNotFound        = errors.New("no such item")
	ErrTitleTooLong    = errors.New("title is too long")
	ErrUnknownPriority = errors.New("unknown priority")
)

// Priority says how urgent an item is; a higher value is more urgent.
type Priority int

// The known priorities.
const (
	Low Priority = iota + 1
	Normal
	High
)

// Item is a thing to do.
type Item struct {
	ID       int
	Title    string
	Priority Priority
	Done     bool
}

// Summary is the state of a list.
type Summary struct {
	Total       int
	Done        int
	DonePercent int
	Open        []Item
}

// Repository stores items. Each method can be called by several goroutines at the same time.
type Repository interface {
	// All returns every item, in no particular order. The slice belongs to the repository and must not be changed.
	All() ([]Item, error)
	// Find returns one item. If there is none with the ID, the error wraps ErrNotFound.
	Find(id int) (Item, error)
	// Save stores an item in place of any with the same ID.
	Save(item Item) error
}
