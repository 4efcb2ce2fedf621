#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <random>
#include <vector>

namespace gridwise::sim {

/// Lets the host threads of a launch run one at a time, in a fixed order, so that workgroups that
/// wait for each other make progress and a run can be repeated: round robin, or at random by a
/// seed.
class Turns {
 public:
  Turns(int threads, std::optional<uint64_t> seed)
      : active_(static_cast<size_t>(threads), true),
        left_(threads),
        seeded_(seed.has_value()),
        random_(seed.value_or(0)) {}

  /// Waits for the thread's first turn.
  void Begin(int thread) {
    std::unique_lock lock(mutex_);
    Wait(lock, thread);
  }
  /// Lets another thread run, if there is one, and waits for the next turn.
  void Yield(int thread) {
    std::unique_lock lock(mutex_);
    Pass();
    Wait(lock, thread);
  }
  /// The thread has ended.
  void Leave(int thread) {
    const std::lock_guard lock(mutex_);
    active_[static_cast<size_t>(thread)] = false;
    if (--left_ > 0) Pass();
  }

 private:
  void Wait(std::unique_lock<std::mutex>& lock, int thread) {
    changed_.wait(lock, [&] { return current_ == static_cast<size_t>(thread); });
  }
  void Pass() {
    if (seeded_) current_ = random_() % active_.size();
    do {
      current_ = (current_ + 1) % active_.size();
    } while (!active_[current_]);
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> active_;
  int left_;  // threads that have not ended
  size_t current_ = 0;
  const bool seeded_;
  std::mt19937_64 random_;
};

}  // namespace gridwise::sim
