// Package scheduler runs jobs in the order of their priority, a limited number at a time.
package scheduler

import (
	"context"
	"errors"
)

// Errors of the scheduler.
var (
	ErrClosed     = errors.New("scheduler is closed")
	ErrNoFunction = errors.New("job has no function")
	ErrPanicked   = errors.New("job panicked")
)

// Job is a function to run. A higher priority is more urgent.
type Job struct {
	Name     string
	Priority int
	Run      func(ctx context.Context) error
}

// JobError says which job failed.
type JobError struct {
	Name string
	Err  error
}

// Error implements error.
func (e *JobError) Error() string {
	return "job " + e.Name + ": " + e.Err.Error()
}

// Unwrap returns what the job returned.
func (e *JobError) Unwrap() error {
	return e.Err
}

// Report names the jobs that were started, and those that were not.
type Report struct {
	Started []string
	Skipped []string
}

// Scheduler runs jobs. It can be used by several goroutines at the same time; make it with New.
type Scheduler struct {
	// to do
}

// New returns a scheduler that runs at most limit jobs at the same time.
func New(limit int) *Scheduler {
	panic("not implemented")
}

// Submit adds a job.
func (s *Scheduler) Submit(job Job) error {
	panic("not implemented")
}

// Run runs all jobs and returns when they have ended, or those that were running when the first one failed.
func (s *Scheduler) Run(ctx context.Context) (Report, error) {
	panic("not implemented")
}
