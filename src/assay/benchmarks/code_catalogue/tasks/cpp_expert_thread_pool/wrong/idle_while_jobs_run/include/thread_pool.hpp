#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace jobs {

// Runs jobs on a fixed number of threads.
class ThreadPool {
public:
    explicit ThreadPool(std::size_t threads);
    ~ThreadPool();

    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    // Queues a job; its result or its exception arrives at the future.
    template <typename Job>
    std::future<std::invoke_result_t<std::decay_t<Job>&>> submit(Job&& job) {
        using Result = std::invoke_result_t<std::decay_t<Job>&>;
        auto task = std::make_shared<std::packaged_task<Result()>>(std::forward<Job>(job));
        auto result = task->get_future();
        enqueue([task] { (*task)(); });
        return result;
    }

    // Blocks until no job is pending and none is running.
    void wait_idle();

    // Runs what is pending and ends the threads.
    void stop();

    // The number of jobs that have not begun.
    std::size_t pending() const;

private:
    void enqueue(std::function<void()> job);
    void work();
    bool has_own_thread() const;

    std::vector<std::thread> threads_;
    std::deque<std::function<void()>> jobs_;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable idle_;
    std::size_t running_ = 0;
    bool stopping_ = false;
    // Held while threads are joined, so that a second caller of stop waits for the first.
    std::mutex joining_;
};

}  // namespace jobs
