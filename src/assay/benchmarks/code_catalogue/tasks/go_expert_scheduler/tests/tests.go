package main

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"task/scheduler"
)

var (
	errDisk    = errors.New("disk is full")
	errNetwork = errors.New("network is down")
)

// patience is how long a test waits for what a right solution does at once.
const patience = 5 * time.Second

// events is what jobs did, in order.
type events struct {
	mutex sync.Mutex
	names []string
}

func (e *events) add(name string) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.names = append(e.names, name)
}

func (e *events) String() string {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	return strings.Join(e.names, " ")
}

func describe(err error) string {
	found := []string{}
	for _, one := range []error{
		errDisk, errNetwork, context.Canceled, context.DeadlineExceeded,
		scheduler.ErrClosed, scheduler.ErrNoFunction, scheduler.ErrPanicked,
	} {
		if errors.Is(err, one) {
			found = append(found, one.Error())
		}
	}
	var failed *scheduler.JobError
	if errors.As(err, &failed) {
		return failed.Name + " failed: " + strings.Join(found, ", ")
	}
	if err != nil && len(found) == 0 {
		return "another error"
	}
	return strings.Join(found, ", ")
}

func lines(report scheduler.Report, err error) []string {
	return []string{strings.Join(report.Started, " "), strings.Join(report.Skipped, " "), describe(err)}
}

// run observes the report and the error of Run, or that it does not return.
func run(o *Observer, ctx context.Context, jobs *scheduler.Scheduler) bool {
	ended := make(chan []string, 1)
	go func() { ended <- lines(jobs.Run(ctx)) }()
	select {
	case found := <-ended:
		o.Value(found)
		return true
	case <-time.After(patience):
		o.Value("timed out")
		return false
	}
}

// await waits for a signal, but not for ever.
func await(signal <-chan struct{}) string {
	select {
	case <-signal:
		return "signalled"
	case <-time.After(patience):
		return "timed out"
	}
}

func submit(jobs *scheduler.Scheduler, name string, priority int, call func(context.Context) error) error {
	return jobs.Submit(scheduler.Job{Name: name, Priority: priority, Run: call})
}

// noting returns a function of a job that only leaves its name.
func noting(log *events, name string) func(context.Context) error {
	return func(context.Context) error {
		log.add(name)
		return nil
	}
}

func TestPriorities(o *Observer) {
	jobs, log := scheduler.New(1), &events{}
	for _, one := range []struct {
		name     string
		priority int
	}{{"d", 0}, {"f", -40}, {"b", 7}, {"e", -3}, {"a", 900}, {"c", 2}} {
		o.Error(submit(jobs, one.name, one.priority, noting(log, one.name)))
	}
	run(o, context.Background(), jobs)
	o.Value(log.String())
	equalPriorities(o)
}

func equalPriorities(o *Observer) {
	jobs, log := scheduler.New(1), &events{}
	for number := 0; number < 40; number++ {
		name := fmt.Sprint(number)
		submit(jobs, name, number%3, noting(log, name))
	}
	run(o, context.Background(), jobs)
	o.Value(log.String())
}

func TestLimit(o *Observer) {
	for _, limit := range []int{1, 2, 3, 6} {
		limit := limit
		jobs := scheduler.New(limit)
		var running, peak, done atomic.Int64
		crowded := make(chan struct{})
		for number := 0; number < 12; number++ {
			submit(jobs, fmt.Sprint(number), 0, func(context.Context) error {
				now := running.Add(1)
				for {
					before := peak.Load()
					if now <= before || peak.CompareAndSwap(before, now) {
						break
					}
				}
				if now == int64(limit) && done.Load() == 0 {
					// Time for one too many to start.
					time.Sleep(5 * time.Millisecond)
					close(crowded)
				}
				await(crowded)
				done.Add(1)
				running.Add(-1)
				return nil
			})
		}
		if !run(o, context.Background(), jobs) {
			return
		}
		o.Value([]int64{peak.Load(), done.Load(), running.Load()})
	}
}

func TestJobsSubmitJobs(o *Observer) {
	jobs, log := scheduler.New(1), &events{}
	submit(jobs, "later", 7, noting(log, "later"))
	submit(jobs, "root", 10, func(context.Context) error {
		log.add("root")
		submit(jobs, "leaf-5", 5, noting(log, "leaf-5"))
		submit(jobs, "leaf-9", 9, func(context.Context) error {
			log.add("leaf-9")
			return submit(jobs, "twig-7", 7, noting(log, "twig-7"))
		})
		submit(jobs, "leaf-12", 12, noting(log, "leaf-12"))
		log.add("root-ends")
		return nil
	})
	submit(jobs, "last", -1, noting(log, "last"))
	run(o, context.Background(), jobs)
	o.Value(log.String())
}

func TestFreePlacesAreUsedAtOnce(o *Observer) {
	jobs, log := scheduler.New(2), &events{}
	inside, outside, begun := make(chan struct{}), make(chan struct{}), make(chan struct{})
	submit(jobs, "waits", 1, func(context.Context) error {
		submit(jobs, "inside", 1, func(context.Context) error {
			close(inside)
			return nil
		})
		log.add("inside " + await(inside))
		close(begun)
		log.add("outside " + await(outside))
		return nil
	})
	go func() {
		<-begun
		submit(jobs, "outside", -5, func(context.Context) error {
			close(outside)
			return nil
		})
	}()
	run(o, context.Background(), jobs)
	o.Value(log.String())
}

func TestSubmitNeverWaits(o *Observer) {
	jobs := scheduler.New(1)
	begun, submitted := make(chan struct{}), make(chan struct{})
	var done, refused atomic.Int64
	submit(jobs, "first", 3, func(context.Context) error {
		close(begun)
		await(submitted)
		return nil
	})
	go func() {
		<-begun
		for number := 0; number < 300; number++ {
			err := submit(jobs, "more", number%5, func(context.Context) error {
				done.Add(1)
				return nil
			})
			if err != nil {
				refused.Add(1)
			}
		}
		close(submitted)
	}()
	ended := make(chan int, 1)
	go func() {
		report, _ := jobs.Run(context.Background())
		ended <- len(report.Started)
	}()
	o.Value(await(submitted))
	select {
	case started := <-ended:
		o.Value([]int64{int64(started), done.Load(), refused.Load()})
	case <-time.After(patience):
		o.Value("timed out")
	}
}

func TestFirstError(o *Observer) {
	jobs, log := scheduler.New(2), &events{}
	submit(jobs, "c", 3, noting(log, "c"))
	submit(jobs, "e", 1, noting(log, "e"))
	submit(jobs, "a", 8, func(ctx context.Context) error {
		log.add("a " + await(ctx.Done()))
		return errNetwork
	})
	submit(jobs, "d", 3, noting(log, "d"))
	submit(jobs, "b", 6, func(context.Context) error { return fmt.Errorf("write: %w", errDisk) })
	run(o, context.Background(), jobs)
	o.Value(log.String())
	firstErrorInTime(o)
}

func firstErrorInTime(o *Observer) {
	jobs, log := scheduler.New(3), &events{}
	failed := make(chan struct{})
	submit(jobs, "a", 9, func(ctx context.Context) error {
		<-failed
		log.add(await(ctx.Done()))
		return errDisk
	})
	submit(jobs, "b", 5, func(ctx context.Context) error {
		<-failed
		log.add(await(ctx.Done()))
		panic("late")
	})
	submit(jobs, "c", 1, func(context.Context) error {
		close(failed)
		return errNetwork
	})
	submit(jobs, "d", 0, noting(log, "d"))
	run(o, context.Background(), jobs)
	o.Value(log.String())
}

func TestRunWaitsForRunningJobs(o *Observer) {
	jobs := scheduler.New(4)
	var ended atomic.Int64
	for number := 1; number <= 3; number++ {
		number := number
		submit(jobs, fmt.Sprint("slow-", number), 2, func(ctx context.Context) error {
			await(ctx.Done())
			time.Sleep(time.Duration(number) * 10 * time.Millisecond)
			ended.Add(1)
			return nil
		})
	}
	submit(jobs, "fails", 1, func(context.Context) error { return errDisk })
	submit(jobs, "never", 0, func(context.Context) error {
		ended.Add(100)
		return nil
	})
	run(o, context.Background(), jobs)
	o.Value(ended.Load())
}

func TestCancel(o *Observer) {
	for _, result := range []error{nil, errDisk, context.Canceled} {
		result := result
		jobs, log := scheduler.New(2), &events{}
		ctx, cancel := context.WithCancel(context.Background())
		submit(jobs, "a", 4, func(jobCtx context.Context) error {
			log.add("a " + await(jobCtx.Done()))
			return result
		})
		submit(jobs, "z", 1, noting(log, "z"))
		submit(jobs, "y", 2, noting(log, "y"))
		submit(jobs, "b", 3, func(context.Context) error {
			cancel()
			return result
		})
		run(o, ctx, jobs)
		o.Value(log.String())
		cancel()
	}
	cancelledBeforeRun(o)
}

func cancelledBeforeRun(o *Observer) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	expired, release := context.WithDeadline(context.Background(), time.Unix(1000, 0))
	defer release()
	for _, ctx := range []context.Context{cancelled, expired} {
		jobs, log := scheduler.New(3), &events{}
		for number, name := range []string{"r", "s", "t", "u", "v"} {
			submit(jobs, name, number%2, noting(log, name))
		}
		run(o, ctx, jobs)
		o.Value(log.String())
	}
	run(o, cancelled, scheduler.New(1))
}

func TestPanics(o *Observer) {
	jobs, log := scheduler.New(1), &events{}
	submit(jobs, "fine", 2, noting(log, "fine"))
	submit(jobs, "breaks", 1, func(context.Context) error { panic(fmt.Sprint("value ", 40+2)) })
	submit(jobs, "never", 0, noting(log, "never"))
	ended := make(chan error, 1)
	go func() {
		report, err := jobs.Run(context.Background())
		log.add(strings.Join(lines(report, err), "; "))
		ended <- err
	}()
	select {
	case err := <-ended:
		o.Value(log.String())
		o.Value(err != nil && strings.Contains(err.Error(), "value 42"))
	case <-time.After(patience):
		o.Value("timed out")
	}
}

func TestRefusedJobs(o *Observer) {
	jobs, log := scheduler.New(2), &events{}
	o.Value(describe(jobs.Submit(scheduler.Job{Name: "empty", Priority: 50})))
	submit(jobs, "a", 2, func(ctx context.Context) error {
		await(ctx.Done())
		log.add("a: " + describe(submit(jobs, "late", 9, noting(log, "late"))))
		log.add("a: " + describe(jobs.Submit(scheduler.Job{Name: "late and empty"})))
		return nil
	})
	submit(jobs, "b", 1, func(context.Context) error { return errDisk })
	submit(jobs, "c", 0, noting(log, "c"))
	run(o, context.Background(), jobs)
	o.Value(log.String())
	o.Value(describe(submit(jobs, "after", 0, noting(log, "after"))))
	o.Value(describe(jobs.Submit(scheduler.Job{Name: "after and empty"})))

	stopped, noted := scheduler.New(1), &events{}
	ctx, cancel := context.WithCancel(context.Background())
	submit(stopped, "d", 1, func(context.Context) error {
		noted.add("d: " + describe(submit(stopped, "e", 4, noting(noted, "e"))))
		cancel()
		noted.add("d: " + describe(submit(stopped, "f", 9, noting(noted, "f"))))
		return nil
	})
	run(o, ctx, stopped)
	o.Value(noted.String())
}

func TestRunsOnce(o *Observer) {
	jobs, log := scheduler.New(2), &events{}
	submit(jobs, "outer", 1, func(ctx context.Context) error {
		log.add(strings.Join(lines(jobs.Run(ctx)), "|"))
		return submit(jobs, "inner", 0, noting(log, "inner"))
	})
	run(o, context.Background(), jobs)
	o.Value(log.String())
	run(o, context.Background(), jobs)
}

func TestContextOfJobs(o *Observer) {
	type key struct{}
	jobs, log := scheduler.New(1), &events{}
	var given []context.Context
	for number := 1; number <= 3; number++ {
		submit(jobs, fmt.Sprint("job-", number), 0, func(ctx context.Context) error {
			given = append(given, ctx)
			log.add(fmt.Sprint(ctx.Value(key{}), " ", ctx.Err()))
			return nil
		})
	}
	if !run(o, context.WithValue(context.Background(), key{}, "tenant-31"), jobs) {
		return
	}
	o.Value(log.String())
	for _, ctx := range given {
		o.Value(describe(ctx.Err()))
	}
}

func TestLimitsAndNoJobs(o *Observer) {
	o.Panics(func() { scheduler.New(0) })
	o.Panics(func() { scheduler.New(-2) })
	jobs := scheduler.New(1)
	run(o, context.Background(), jobs)
	o.Value(describe(submit(jobs, "x", 0, func(context.Context) error { return nil })))
}

func TestTreeOfJobs(o *Observer) {
	const limit, last = 4, 1023
	jobs := scheduler.New(limit)
	var running, tooMany, sum atomic.Int64
	var visit func(number int) func(context.Context) error
	visit = func(number int) func(context.Context) error {
		return func(context.Context) error {
			if running.Add(1) > limit {
				tooMany.Add(1)
			}
			defer running.Add(-1)
			sum.Add(int64(number))
			for child := 2 * number; child <= 2*number+1 && child <= last; child++ {
				if err := submit(jobs, fmt.Sprint(child), child%7, visit(child)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	submit(jobs, "1", 0, visit(1))
	ended := make(chan scheduler.Report, 1)
	go func() {
		report, err := jobs.Run(context.Background())
		if err == nil {
			ended <- report
		}
	}()
	select {
	case report := <-ended:
		sort.Slice(report.Started, func(i, j int) bool {
			a, b := report.Started[i], report.Started[j]
			return len(a) < len(b) || len(a) == len(b) && a < b
		})
		o.Value([]int64{int64(len(report.Started)), sum.Load(), tooMany.Load(), running.Load()})
		o.Value(report.Started[len(report.Started)-3:])
	case <-time.After(2 * patience):
		o.Value("timed out")
	}
}
