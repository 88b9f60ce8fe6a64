#include "thread_pool.hpp"

#include <stdexcept>

namespace jobs {

namespace {

// The pool that the current thread belongs to.
thread_local const void* current_pool = nullptr;

}  // namespace

ThreadPool::ThreadPool(std::size_t threads) {
    if (threads == 0) throw std::invalid_argument("a pool needs at least one thread");
    threads_.reserve(threads);
    try {
        for (std::size_t index = 0; index < threads; ++index) {
            threads_.emplace_back([this] { work(); });
        }
    } catch (...) {
        // The destructor does not run for an object that was not constructed.
        stop();
        throw;
    }
}

ThreadPool::~ThreadPool() {
    stop();
}

bool ThreadPool::has_own_thread() const {
    return current_pool == this;
}

void ThreadPool::enqueue(std::function<void()> job) {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) throw std::runtime_error("the pool has been stopped");
        jobs_.push_back(std::move(job));
    }
    wake_.notify_one();
}

void ThreadPool::wait_idle() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return jobs_.empty() && running_ == 0; });
}

void ThreadPool::stop() {
    if (has_own_thread()) throw std::logic_error("a job cannot stop the pool that runs it");
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    const std::lock_guard joining(joining_);
    for (std::thread& thread : threads_) {
        if (thread.joinable()) thread.join();
    }
}

std::size_t ThreadPool::pending() const {
    const std::lock_guard lock(mutex_);
    return jobs_.size();
}

void ThreadPool::work() {
    current_pool = this;
    std::unique_lock lock(mutex_);
    while (true) {
        if (!stopping_) wake_.wait(lock);
        if (jobs_.empty() && stopping_) return;
        if (jobs_.empty()) continue;
        {
            const auto job = std::move(jobs_.front());
            jobs_.pop_front();
            ++running_;
            lock.unlock();
            job();
            // The job is destroyed here, before the pool can be seen as idle.
        }
        lock.lock();
        --running_;
        if (jobs_.empty() && running_ == 0) idle_.notify_all();
    }
}

}  // namespace jobs
