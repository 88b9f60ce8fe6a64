#include "observer.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "thread_pool.hpp"

using jobs::ThreadPool;
using namespace std::chrono_literals;

namespace {

// How long something may take that takes no time if it works.
constexpr auto limit = 5s;
// How long a wrong pool gets to do what it must not do; a right one passes whatever the length.
constexpr auto grace = 40ms;

// What happened, in order. Shared by jobs that may outlive their test.
class Log {
public:
    void add(const std::string& event) {
        const std::lock_guard lock(mutex_);
        events_.push_back(event);
    }

    std::string text() const {
        const std::lock_guard lock(mutex_);
        std::string joined;
        for (const std::string& event : events_) joined += (joined.empty() ? "" : " ") + event;
        return joined;
    }

    std::string sorted() const {
        Log copy;
        {
            const std::lock_guard lock(mutex_);
            copy.events_ = events_;
        }
        std::sort(copy.events_.begin(), copy.events_.end());
        return copy.text();
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::string> events_;
};

// Counts arrivals; waits until there have been enough.
class Latch {
public:
    void arrive() {
        {
            const std::lock_guard lock(mutex_);
            ++arrived_;
        }
        changed_.notify_all();
    }

    bool wait(int wanted = 1) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, limit, [&] { return arrived_ >= wanted; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int arrived_ = 0;
};

struct State {
    Log log;
    Latch begun;
    Latch gate;
    Latch ended;
};

bool has_hung = false;

// Runs the scenario in a thread of its own; one that hangs is left behind, and the next ones get less time.
template <typename Scenario>
void bounded(Observer& observe, Scenario scenario) {
    const auto promise = std::make_shared<std::promise<std::string>>();
    auto found = promise->get_future();
    std::thread([promise, scenario] {
        try {
            promise->set_value(scenario(std::make_shared<State>()));
        } catch (const std::exception& error) {
            promise->set_value(std::string("stopped by: ") + error.what());
        }
    }).detach();
    has_hung = found.wait_for(has_hung ? 500ms : 2 * limit) != std::future_status::ready || has_hung;
    observe.value(found.wait_for(0s) == std::future_status::ready ? found.get() : "timed out");
}

using Shared = const std::shared_ptr<State>&;

// A job that holds a thread until the gate opens.
auto blocker(Shared state, const std::string& name) {
    return [state, name] {
        state->begun.arrive();
        state->gate.wait();
        state->log.add(name);
    };
}

template <typename Result>
bool has_ended(const std::future<Result>& result) {
    return result.wait_for(limit) == std::future_status::ready;
}

}  // namespace

void returns_results(Observer& observe) {
    bounded(observe, [](Shared) {
        ThreadPool pool(4);
        std::vector<std::future<int>> results;
        for (int number = 1; number <= 200; ++number) {
            results.push_back(pool.submit([number] { return number * number; }));
        }
        auto text = pool.submit([parts = std::make_unique<std::string>("17")] { return *parts + "/4"; });
        int sum = 0;
        for (auto& result : results) {
            if (!has_ended(result)) return std::string("a job did not run");
            sum += result.get();
        }
        return std::to_string(sum) + " " + text.get();
    });
}

void begins_in_order(Observer& observe) {
    bounded(observe, [](Shared state) {
        ThreadPool pool(1);
        pool.submit(blocker(state, "first"));
        state->begun.wait();
        for (const char* name : {"k", "c", "x", "a", "m"}) {
            pool.submit([state, name] { state->log.add(name); });
        }
        state->log.add(std::to_string(pool.pending()));
        state->gate.arrive();
        auto last = pool.submit([] { return 0; });
        if (!has_ended(last)) state->log.add("unfinished");
        state->log.add(std::to_string(pool.pending()));
        return state->log.text();
    });
}

void runs_jobs_at_the_same_time(Observer& observe) {
    bounded(observe, [](Shared state) {
        ThreadPool pool(3);
        std::vector<std::future<bool>> results;
        for (int number = 0; number < 3; ++number) {
            results.push_back(pool.submit([state] {
                state->begun.arrive();
                return state->begun.wait(3);
            }));
        }
        int met = 0;
        for (auto& result : results) met += has_ended(result) && result.get() ? 7 : 0;

        struct Running {
            std::mutex mutex;
            int now = 0;
            int most = 0;
        };
        const auto running = std::make_shared<Running>();
        for (int number = 0; number < 60; ++number) {
            pool.submit([running] {
                {
                    const std::lock_guard lock(running->mutex);
                    running->most = std::max(running->most, ++running->now);
                }
                std::this_thread::sleep_for(200us);
                const std::lock_guard lock(running->mutex);
                --running->now;
            });
        }
        pool.wait_idle();
        const bool is_bounded = running->most <= 3;
        return std::to_string(met) + (is_bounded ? " within" : " beyond") + " the number of threads";
    });
}

void starts_jobs_that_nobody_waited_for(Observer& observe) {
    bounded(observe, [](Shared state) {
        ThreadPool pool(2);
        for (int round = 1; round <= 3; ++round) {
            const auto held = std::make_shared<State>();
            pool.submit(blocker(held, "left"));
            pool.submit(blocker(held, "right"));
            held->begun.wait(2);
            // Both threads are busy: nobody hears a notification.
            auto result = pool.submit([state, round] { state->log.add("round" + std::to_string(round)); });
            held->gate.arrive();
            if (!has_ended(result)) return "stuck after: " + state->log.text();
            pool.wait_idle();
            state->log.add(held->log.sorted());
        }
        return state->log.text();
    });
}

void passes_exceptions_on(Observer& observe) {
    bounded(observe, [](Shared state) {
        ThreadPool pool(1);
        auto failing = pool.submit([]() -> int { throw std::out_of_range("shelf 12"); });
        auto unknown = pool.submit([] { throw 42; });
        auto working = pool.submit([] { return 3141; });
        try {
            state->log.add(std::to_string(failing.get()));
        } catch (const std::out_of_range& error) {
            state->log.add(std::string("out of range: ") + error.what());
        }
        try {
            unknown.get();
        } catch (int number) {
            state->log.add("int: " + std::to_string(number));
        }
        state->log.add(has_ended(working) ? std::to_string(working.get()) : "dead");
        return state->log.text();
    });
}

void lets_jobs_submit_jobs(Observer& observe) {
    bounded(observe, [](Shared state) {
        ThreadPool pool(1);
        auto outer = pool.submit([&pool, state] {
            auto inner = pool.submit([state] {
                state->log.add("inner");
                return 86;
            });
            state->log.add("pending " + std::to_string(pool.pending()));
            return inner;
        });
        if (!has_ended(outer)) return std::string("the outer job is stuck");
        auto inner = outer.get();
        return has_ended(inner) ? state->log.text() + " " + std::to_string(inner.get()) : "the inner job is stuck";
    });
}

void waits_for_running_jobs(Observer& observe) {
    bounded(observe, [](Shared state) {
        ThreadPool pool(2);
        pool.wait_idle();
        pool.submit(blocker(state, "job 1"));
        pool.submit(blocker(state, "job 2"));
        state->begun.wait(2);
        std::thread waiting([&] {
            state->begun.arrive();
            pool.wait_idle();
            state->log.add("idle");
        });
        state->begun.wait(3);
        std::this_thread::sleep_for(grace);
        state->gate.arrive();
        waiting.join();
        pool.submit([state] { state->log.add("again"); });
        pool.wait_idle();
        std::string found = state->log.text();
        // The two jobs end in any order.
        if (found == "job 2 job 1 idle again") found = "job 1 job 2 idle again";
        return found;
    });
}

void waits_for_jobs_of_jobs(Observer& observe) {
    bounded(observe, [](Shared state) {
        ThreadPool pool(3);
        struct Chain {
            ThreadPool& pool;
            std::shared_ptr<State> state;

            void step(int left) const {
                std::this_thread::sleep_for(1ms);
                state->log.add(std::to_string(left));
                if (left > 0) pool.submit([chain = *this, left] { chain.step(left - 1); });
            }
        };
        const Chain chain{pool, state};
        pool.submit([chain] { chain.step(8); });
        pool.wait_idle();
        return state->log.text();
    });
}

void destroys_finished_jobs(Observer& observe) {
    bounded(observe, [](Shared state) {
        ThreadPool pool(3);
        const auto captured = std::make_shared<int>(5);
        for (int round = 0; round < 5; ++round) {
            for (int number = 0; number < 20; ++number) {
                pool.submit([captured, state] { state->ended.arrive(); });
            }
            pool.wait_idle();
            state->log.add(std::to_string(captured.use_count()));
        }
        auto kept = pool.submit([captured] { return *captured + 70; });
        pool.wait_idle();
        state->log.add(std::to_string(kept.get()));
        return state->log.text();
    });
}

void drains_the_queue_on_stop(Observer& observe) {
    bounded(observe, [](Shared state) {
        ThreadPool pool(1);
        pool.submit(blocker(state, "running"));
        state->begun.wait();
        std::vector<std::future<void>> results;
        for (const char* name : {"p3", "p1", "p2"}) {
            results.push_back(pool.submit([state, name] { state->log.add(name); }));
        }
        std::thread stopping([&] {
            state->begun.arrive();
            pool.stop();
            state->log.add("stopped " + std::to_string(pool.pending()));
        });
        state->begun.wait(2);
        std::this_thread::sleep_for(grace);
        state->gate.arrive();
        stopping.join();
        for (auto& result : results) result.get();
        return state->log.text();
    });
}

void refuses_jobs_after_stop(Observer& observe) {
    bounded(observe, [](Shared state) {
        ThreadPool pool(2);
        pool.submit([state] { state->log.add("before"); });
        pool.stop();
        for (int attempt = 1; attempt <= 2; ++attempt) {
            try {
                pool.submit([state] { state->log.add("after"); });
                state->log.add("accepted");
            } catch (const std::runtime_error&) {
                state->log.add("refused " + std::to_string(attempt));
            }
        }
        state->log.add("pending " + std::to_string(pool.pending()));
        pool.wait_idle();
        return state->log.text();
    });
}

void refuses_jobs_of_jobs_while_it_stops(Observer& observe) {
    bounded(observe, [](Shared state) {
        auto pool = std::make_shared<ThreadPool>(1);
        pool->submit(blocker(state, "running"));
        state->begun.wait();
        pool->submit([state, &pool = *pool] {
            try {
                pool.submit([state] { state->log.add("late"); });
                state->log.add("accepted");
            } catch (const std::runtime_error&) {
                state->log.add("refused at " + std::to_string(pool.pending()));
            }
        });
        pool->submit([state] { state->log.add("drained"); });
        std::thread stopping([&] { pool->stop(); });
        // Until stop has begun, submit works.
        const auto deadline = std::chrono::steady_clock::now() + limit;
        bool is_refused = false;
        while (!is_refused && std::chrono::steady_clock::now() < deadline) {
            try {
                pool->submit([] {});
                std::this_thread::sleep_for(1ms);
            } catch (const std::runtime_error&) {
                is_refused = true;
            }
        }
        const std::size_t queued = pool->pending();
        state->gate.arrive();
        stopping.join();
        std::string found = state->log.text();
        // What was queued while stop had not begun is still there when the job asks.
        const std::string asked = "refused at " + std::to_string(queued - 1);
        if (const auto place = found.find(asked); place != std::string::npos) {
            found.replace(place, asked.size(), "refused as expected");
        }
        return found;
    });
}

void stops_from_several_threads(Observer& observe) {
    bounded(observe, [](Shared state) {
        ThreadPool pool(2);
        pool.submit(blocker(state, "job"));
        state->begun.wait();
        std::vector<std::thread> callers;
        for (int number = 0; number < 3; ++number) {
            callers.emplace_back([&pool, state] {
                state->begun.arrive();
                pool.stop();
                state->log.add("stopped");
            });
        }
        state->begun.wait(4);
        std::this_thread::sleep_for(grace);
        state->gate.arrive();
        for (std::thread& caller : callers) caller.join();
        pool.stop();
        state->log.add("again");
        return state->log.text();
    });
}

void refuses_stop_of_a_job(Observer& observe) {
    bounded(observe, [](Shared state) {
        ThreadPool pool(2);
        auto stopping = pool.submit([&pool] { pool.stop(); });
        if (!has_ended(stopping)) return std::string("stuck");
        try {
            stopping.get();
            state->log.add("stopped");
        } catch (const std::logic_error&) {
            state->log.add("refused");
        }
        auto after = pool.submit([] { return 907; });
        state->log.add(has_ended(after) ? std::to_string(after.get()) : "dead");

        ThreadPool other(1);
        other.submit([state] { state->log.add("other"); });
        pool.submit([&other, state] {
            other.stop();
            state->log.add("stopped by a job of another pool");
        });
        pool.wait_idle();
        return state->log.text();
    });
}

void joins_in_the_destructor(Observer& observe) {
    bounded(observe, [](Shared state) {
        {
            ThreadPool pool(2);
            for (int number = 1; number <= 6; ++number) {
                pool.submit([state, number] {
                    std::this_thread::sleep_for(5ms);
                    state->log.add("job" + std::to_string(number));
                });
            }
        }
        state->log.add("z-destroyed");
        const std::string found = state->log.text();
        const bool is_last = found.ends_with("z-destroyed");
        for (int round = 0; round < 50; ++round) ThreadPool idle(2);
        return state->log.sorted() + (is_last ? " at the end" : " too early");
    });
}

void refuses_no_threads(Observer& observe) {
    observe.throws<std::invalid_argument>([] { ThreadPool pool(0); });
    bounded(observe, [](Shared) {
        ThreadPool pool(1);
        return std::to_string(pool.submit([] { return 11 * 13; }).get());
    });
}
