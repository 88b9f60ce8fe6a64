package main

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"

	"task/todo"
)

var errDisk = errors.New("disk is full")

// repository records its calls. It fails in the methods named in broken, and takes its time if slow.
type repository struct {
	mutex  sync.Mutex
	items  []todo.Item
	calls  []string
	broken string
	slow   bool
}

func (r *repository) begin(method, call string) error {
	r.calls = append(r.calls, call)
	if r.broken == method {
		return fmt.Errorf("repository: %w", errDisk)
	}
	return nil
}

// pause lets other goroutines in between what is read and what is saved after it.
func (r *repository) pause() {
	if r.slow {
		time.Sleep(2 * time.Millisecond)
	}
}

func (r *repository) All() ([]todo.Item, error) {
	defer r.pause()
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if err := r.begin("All", "All"); err != nil {
		return nil, err
	}
	if r.slow {
		return append([]todo.Item{}, r.items...), nil
	}
	return r.items, nil
}

func (r *repository) Find(id int) (todo.Item, error) {
	defer r.pause()
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if err := r.begin("Find", fmt.Sprint("Find ", id)); err != nil {
		return todo.Item{}, err
	}
	for _, item := range r.items {
		if item.ID == id {
			return item, nil
		}
	}
	return todo.Item{ID: -1}, fmt.Errorf("repository: %w", todo.ErrNotFound)
}

func (r *repository) Save(item todo.Item) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if err := r.begin("Save", fmt.Sprintf("Save %d %s", item.ID, item.Title)); err != nil {
		return err
	}
	for index := range r.items {
		if r.items[index].ID == item.ID {
			r.items[index] = item
			return nil
		}
	}
	r.items = append(r.items, item)
	return nil
}

func nameOf(err error) string {
	names := map[string]error{
		"already done": todo.ErrAlreadyDone, "duplicate": todo.ErrDuplicate, "empty title": todo.ErrEmptyTitle,
		"not found": todo.ErrNotFound, "title too long": todo.ErrTitleTooLong,
		"unknown priority": todo.ErrUnknownPriority, "disk": errDisk,
	}
	found := []string{}
	for name, one := range names {
		if errors.Is(err, one) {
			found = append(found, name)
		}
	}
	sort.Strings(found)
	switch {
	case err == nil:
		return "no error"
	case len(found) == 0:
		return "another error"
	}
	return strings.Join(found, " and ")
}

func add(o *Observer, service *todo.Service, title string, priority todo.Priority) {
	item, err := service.Add(title, priority)
	o.Value([]any{item.ID, item.Title, item.Priority, item.Done, nameOf(err)})
}

func complete(o *Observer, service *todo.Service, id int) {
	item, err := service.Complete(id)
	o.Value([]any{item.ID, item.Title, item.Priority, item.Done, nameOf(err)})
}

// lines writes a summary as text, so that no open items look alike whether the slice is nil or empty.
func lines(summary todo.Summary) []string {
	found := []string{fmt.Sprintf("%d/%d %d%%", summary.Done, summary.Total, summary.DonePercent)}
	for _, item := range summary.Open {
		found = append(found, fmt.Sprintf("%d %s %d %t", item.ID, item.Title, item.Priority, item.Done))
	}
	return found
}

func summarize(o *Observer, service *todo.Service) {
	summary, err := service.Summary()
	o.Value(lines(summary))
	o.Value(nameOf(err))
}

func list() *repository {
	return &repository{items: []todo.Item{
		{ID: 7, Title: "Buy tea", Priority: todo.Low},
		{ID: 12, Title: "Call Ada", Priority: todo.High, Done: true},
		{ID: 3, Title: "Fix roof", Priority: todo.High},
		{ID: 9, Title: "Sell car", Priority: todo.Normal},
		{ID: 1, Title: "Water ferns", Priority: todo.High},
		{ID: 4, Title: "Paint door", Priority: todo.Normal},
	}}
}

func TestWholeList(o *Observer) {
	service := todo.NewService(todo.NewMemoryRepository())
	summarize(o, service)
	add(o, service, "Read mail", todo.Low)
	add(o, service, "Pay rent", todo.High)
	add(o, service, "Bake bread", todo.Normal)
	summarize(o, service)
	complete(o, service, 2)
	summarize(o, service)
	complete(o, service, 1)
	complete(o, service, 3)
	summarize(o, service)
}

func TestTitleSpace(o *Observer) {
	kept := &repository{}
	service := todo.NewService(kept)
	add(o, service, "  Send\t\tthe \n letter\u00a0 today ", todo.Normal)
	add(o, service, "\u2003", todo.Normal)
	add(o, service, "", todo.High)
	o.Value(kept.calls)
}

func TestTitleLength(o *Observer) {
	kept := &repository{}
	service := todo.NewService(kept)
	for _, title := range []string{
		strings.Repeat("ä", 60), strings.Repeat("ö", 61), strings.Repeat("漢", 59) + " \n 字", strings.Repeat("漢", 60),
		"   " + strings.Repeat("x ", 30) + "   ", strings.Repeat("y ", 31),
	} {
		item, err := service.Add(title, todo.Low)
		o.Value([]any{item.ID, len(item.Title), nameOf(err)})
	}
	o.Value(len(kept.calls))
}

func TestPriority(o *Observer) {
	kept := &repository{}
	service := todo.NewService(kept)
	for _, priority := range []todo.Priority{0, 4, -1, todo.High, todo.Low} {
		add(o, service, fmt.Sprint("Job ", priority), priority)
	}
	add(o, service, " ", 0)
	add(o, service, strings.Repeat("z", 61), 9)
	o.Value(kept.calls)
}

func TestDuplicates(o *Observer) {
	kept := list()
	service := todo.NewService(kept)
	add(o, service, "  FIX  roof ", todo.Low)
	add(o, service, "call ada", todo.Normal)
	add(o, service, "Call ADA", todo.Normal)
	add(o, service, "Fix roofs", todo.Low)
	complete(o, service, 3)
	add(o, service, "Fix roof", todo.Low)
	o.Value(kept.calls)
}

func TestIDs(o *Observer) {
	service := todo.NewService(list())
	add(o, service, "Sweep", todo.Low)
	add(o, service, "Mop", todo.Low)
	sparse := &repository{items: []todo.Item{{ID: 400, Title: "Old", Priority: todo.Low, Done: true}, {ID: 2, Title: "B"}}}
	add(o, todo.NewService(sparse), "Mop", todo.High)
	add(o, todo.NewService(&repository{}), "Mop", todo.High)
}

func TestComplete(o *Observer) {
	kept := list()
	service := todo.NewService(kept)
	complete(o, service, 9)
	complete(o, service, 9)
	complete(o, service, 12)
	complete(o, service, 5)
	complete(o, service, 0)
	o.Value(kept.calls)
	o.Value(kept.items)
}

func TestSummaryOrder(o *Observer) {
	kept := list()
	summarize(o, todo.NewService(kept))
	o.Value(kept.items)
	o.Value(kept.calls)
}

func TestPercent(o *Observer) {
	for _, done := range []int{0, 1, 2, 3, 5, 6, 7} {
		kept := &repository{}
		for id := 1; id <= 7; id++ {
			kept.items = append(kept.items, todo.Item{ID: id, Title: fmt.Sprint(id), Priority: todo.Low, Done: id <= done})
		}
		summary, err := todo.NewService(kept).Summary()
		o.Value([]any{lines(summary)[0], len(summary.Open), nameOf(err)})
	}
}

func TestRepositoryErrors(o *Observer) {
	for _, broken := range []string{"All", "Find", "Save"} {
		kept := list()
		kept.broken = broken
		service := todo.NewService(kept)
		add(o, service, "New roof", todo.High)
		complete(o, service, 4)
		summarize(o, service)
		o.Value(kept.calls)
	}
}

func TestConcurrentAdd(o *Observer) {
	kept := list()
	kept.slow = true
	service := todo.NewService(kept)
	ids, refused := make([]int, 20), make([]string, 20)
	var wait sync.WaitGroup
	for number := range ids {
		number := number
		wait.Add(1)
		go func() {
			defer wait.Done()
			item, err := service.Add(fmt.Sprint("Title ", number/2), todo.Low)
			ids[number], refused[number] = item.ID, nameOf(err)
		}()
	}
	wait.Wait()
	sort.Ints(ids)
	sort.Strings(refused)
	o.Value(ids)
	o.Value(refused)
	o.Value(len(kept.items))
}

func TestConcurrentComplete(o *Observer) {
	kept := list()
	kept.slow = true
	service := todo.NewService(kept)
	results := make([]string, 12)
	var wait sync.WaitGroup
	for number := range results {
		number := number
		wait.Add(1)
		go func() {
			defer wait.Done()
			item, err := service.Complete(7)
			results[number] = fmt.Sprint(item.ID, " ", nameOf(err))
		}()
	}
	wait.Wait()
	sort.Strings(results)
	o.Value(results)
}
