package todo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Service is what the web handlers use. It can be used by several goroutines at the same time.
type Service struct {
	// Held from the first call of the repository to the last one of a method that saves.
	mutex      sync.Mutex
	repository Repository
}

// NewService returns a service that keeps its items in the repository.
func NewService(repository Repository) *Service {
	return &Service{repository: repository}
}

// Add stores an open item and returns it.
func (s *Service) Add(title string, priority Priority) (Item, error) {
	title = strings.Join(strings.Fields(title), " ")
	if err := validate(title, priority); err != nil {
		return Item{}, err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	items, err := s.repository.All()
	if err != nil {
		return Item{}, fmt.Errorf("list items: %w", err)
	}
	highest := 0
	for _, item := range items {
		if !item.Done && strings.EqualFold(item.Title, title) {
			return Item{}, fmt.Errorf("item %d: %w", item.ID, ErrDuplicate)
		}
		highest = max(highest, item.ID)
	}
	item := Item{ID: highest + 1, Title: title, Priority: priority}
	if err := s.repository.Save(item); err != nil {
		return Item{}, fmt.Errorf("save item %d: %w", item.ID, err)
	}
	return item, nil
}

func validate(title string, priority Priority) error {
	if title == "" {
		return ErrEmptyTitle
	}
	if length := utf8.RuneCountInString(title); length > MaxTitleLength {
		return fmt.Errorf("%d characters: %w", length, ErrTitleTooLong)
	}
	if priority < Low || priority > High {
		return fmt.Errorf("%d: %w", priority, ErrUnknownPriority)
	}
	return nil
}

// Complete marks an item as done and returns it.
func (s *Service) Complete(id int) (Item, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	item, err := s.repository.Find(id)
	if err != nil {
		return Item{}, fmt.Errorf("find item %d: %w", id, err)
	}
	if item.Done {
		return Item{}, fmt.Errorf("item %d: %w", id, ErrAlreadyDone)
	}
	item.Done = true
	if err := s.repository.Save(item); err != nil {
		return Item{}, fmt.Errorf("save item %d: %w", id, err)
	}
	return item, nil
}

// Summary counts the items and lists the open ones, the most urgent first.
func (s *Service) Summary() (Summary, error) {
	items, err := s.repository.All()
	if err != nil {
		return Summary{}, fmt.Errorf("list items: %w", err)
	}
	summary := Summary{Total: len(items)}
	for _, item := range items {
		if item.Done {
			summary.Done++
		} else {
			summary.Open = append(summary.Open, item)
		}
	}
	if summary.Total > 0 {
		summary.DonePercent = 100 * summary.Done / summary.Total
	}
	slices.SortFunc(summary.Open, func(a, b Item) int {
		if order := cmp.Compare(b.Priority, a.Priority); order != 0 {
			return order
		}
		return cmp.Compare(a.ID, b.ID)
	})
	return summary, nil
}
