// Package scheduler runs jobs in the order of their priority, a limited number at a time.
package scheduler

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"sync"
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
	limit int

	mutex     sync.Mutex
	waiting   queue
	submitted int
	running   int
	report    Report
	failure   error
	// Set while Run runs: the context of the jobs, and a channel that is closed when the last of them has ended.
	ctx    context.Context
	cancel context.CancelFunc
	ended  chan struct{}
	closed bool
}

// New returns a scheduler that runs at most limit jobs at the same time.
func New(limit int) *Scheduler {
	if limit <= 0 {
		panic(fmt.Sprintf("scheduler: limit %d is not positive", limit))
	}
	return &Scheduler{limit: limit}
}

// Submit adds a job.
func (s *Scheduler) Submit(job Job) error {
	if job.Run == nil {
		return fmt.Errorf("%w: %q", ErrNoFunction, job.Name)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closed || s.hasStopped() {
		return ErrClosed
	}
	s.submitted++
	heap.Push(&s.waiting, entry{job, s.submitted})
	s.startWaiting()
	return nil
}

// Run runs all jobs and returns when they have ended, or those that were running when the first one failed.
func (s *Scheduler) Run(ctx context.Context) (Report, error) {
	if !s.begin(ctx) {
		return Report{}, ErrClosed
	}
	<-s.ended
	s.mutex.Lock()
	defer s.mutex.Unlock()
	err := s.failure
	if err == nil {
		err = ctx.Err()
	}
	s.cancel()
	for s.waiting.Len() > 0 {
		s.report.Skipped = append(s.report.Skipped, heap.Pop(&s.waiting).(entry).Name)
	}
	return s.report, err
}

func (s *Scheduler) begin(ctx context.Context) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.ctx != nil {
		return false
	}
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.ended = make(chan struct{})
	s.startWaiting()
	s.closeIfIdle()
	return true
}

// hasStopped reports whether a job has failed or the caller of Run has cancelled. The mutex must be held.
func (s *Scheduler) hasStopped() bool {
	return s.ctx != nil && s.ctx.Err() != nil
}

// startWaiting starts as many jobs as may run. The mutex must be held.
func (s *Scheduler) startWaiting() {
	if s.ctx == nil {
		return
	}
	for s.running < s.limit && s.waiting.Len() > 0 && !s.hasStopped() {
		job := heap.Pop(&s.waiting).(entry).Job
		s.running++
		s.report.Started = append(s.report.Started, job.Name)
		go func() { s.end(job, call(s.ctx, job)) }()
	}
}

// closeIfIdle ends Run once no job is running: what still waits then will not be started. The mutex must be held.
func (s *Scheduler) closeIfIdle() {
	if s.running == 0 && !s.closed {
		s.closed = true
		close(s.ended)
	}
}

func (s *Scheduler) end(job Job, err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.running--
	if err != nil && !s.hasStopped() {
		s.failure = &JobError{Name: job.Name, Err: err}
		s.cancel()
	}
	s.startWaiting()
	s.closeIfIdle()
}

func call(ctx context.Context, job Job) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("%w: %v", ErrPanicked, value)
		}
	}()
	return job.Run(ctx)
}

// entry is a waiting job and its place in the order of submission.
type entry struct {
	Job
	number int
}

// queue is a heap of waiting jobs, the next one first.
type queue []entry

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool {
	if q[i].Priority != q[j].Priority {
		return q[i].Priority > q[j].Priority
	}
	return q[i].number < q[j].number
}

func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

func (q *queue) Push(one any) { *q = append(*q, one.(entry)) }

func (q *queue) Pop() any {
	last := len(*q) - 1
	one := (*q)[last]
	*q = (*q)[:last]
	return one
}
