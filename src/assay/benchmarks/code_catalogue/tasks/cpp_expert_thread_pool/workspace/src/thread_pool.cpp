#include "thread_pool.hpp"

namespace jobs {

ThreadPool::ThreadPool(std::size_t threads) {
    for (std::size_t index = 0; index < threads; ++index) {
        threads_.emplace_back([this] { work(); });
    }
}

ThreadPool::~ThreadPool() {
    stopping_ = true;
    wake_.notify_all();
    for (std::thread& thread : threads_) {
        if (thread.joinable()) thread.detach();
    }
}

void ThreadPool::enqueue(std::function<void()> job) {
    jobs_.push_back(std::move(job));
    wake_.notify_one();
}

void ThreadPool::wait_idle() {
    std::unique_lock lock(mutex_);
    while (!jobs_.empty()) {
        idle_.wait(lock);
    }
}

void ThreadPool::stop() {
    stopping_ = true;
    wake_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

std::size_t ThreadPool::pending() const {
    return jobs_.size();
}

void ThreadPool::work() {
    std::function<void()> job;
    while (!stopping_) {
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock);
            if (stopping_ || jobs_.empty()) continue;
            job = std::move(jobs_.front());
            jobs_.pop_front();
        }
        ++running_;
        job();
        --running_;
        idle_.notify_all();
    }
}

}  // namespace jobs
