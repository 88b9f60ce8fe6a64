package todo

// Service is what the web handlers use. It can be used by several goroutines at the same time.
type Service struct {
	repository Repository
}

// NewService returns a service that keeps its items in the repository.
func NewService(repository Repository) *Service {
	panic("not implemented")
}

// Add stores an open item and returns it.
func (s *Service) Add(title string, priority Priority) (Item, error) {
	panic("not implemented")
}

// Complete marks an item as done and returns it.
func (s *Service) Complete(id int) (Item, error) {
	panic("not implemented")
}

// Summary counts the items and lists the open ones, the most urgent first.
func (s *Service) Summary() (Summary, error) {
	panic("not implemented")
}
