package todo

import (
	"fmt"
	"slices"
	"sync"
)

// MemoryRepository keeps items as long as the program runs.
type MemoryRepository struct {
	mutex sync.RWMutex
	items []Item
}

// NewMemoryRepository returns a repository without items.
func NewMemoryRepository() *MemoryRepository {
	return &MemoryRepository{}
}

// All implements Repository.
func (r *MemoryRepository) All() ([]Item, error) {
	r.mutex.RLock()
	defer r.mutex.RUnlock()
	return slices.Clone(r.items), nil
}

// Find implements Repository.
func (r *MemoryRepository) Find(id int) (Item, error) {
	r.mutex.RLock()
	defer r.mutex.RUnlock()
	if index := r.index(id); index >= 0 {
		return r.items[index], nil
	}
	return Item{}, fmt.Errorf("item %d: %w", id, ErrNotFound)
}

// Save implements Repository.
func (r *MemoryRepository) Save(item Item) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if index := r.index(item.ID); index >= 0 {
		r.items[index] = item
		return nil
	}
	r.items = append(r.items, item)
	return nil
}

func (r *MemoryRepository) index(id int) int {
	return slices.IndexFunc(r.items, func(item Item) bool { return item.ID == id })
}
