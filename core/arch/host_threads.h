// SPDX-License-Identifier: MIT
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

/// The threads of a workgroup that a test runs on the host: contexts of one host thread, each of
/// which runs until it waits. Hundreds of host threads would spend their time waking each other.

namespace gridwise {

/// The thread of the workgroup that is running.
inline int host_thread_id = 0;

class HostThreads {
 public:
  /// Calls `body` in each of `threads` threads, and returns when all calls have.
  static void Run(int threads, const std::function<void()>& body) {
    HostThreads all(threads, body);
    current_ = &all;
    all.Next(all.caller_);
    current_ = nullptr;
  }

  /// Runs other threads until one of them wakes this one.
  static void Sleep() { current_->Next(current_->contexts_[Index(host_thread_id)]); }
  static void Wake(int thread) { current_->ready_.push_back(thread); }

 private:
  static constexpr std::size_t kStackBytes = 256 << 10;

  HostThreads(int threads, const std::function<void()>& body)
      : body_(body), contexts_(Index(threads)), left_(threads) {
    for (int i = 0; i < threads; ++i) {
      ucontext_t& context = contexts_[Index(i)];
      // Not initialized: most of it is never used.
      stacks_.push_back(std::make_unique_for_overwrite<char[]>(kStackBytes));
      getcontext(&context);
      context.uc_stack.ss_sp = stacks_.back().get();
      context.uc_stack.ss_size = kStackBytes;
      context.uc_link = nullptr;
      makecontext(&context, &CallBody, 0);
      ready_.push_back(i);
    }
  }

  static std::size_t Index(int thread) { return static_cast<std::size_t>(thread); }

  static void CallBody() {
    current_->body_();
    --current_->left_;
    current_->Next(current_->contexts_[Index(host_thread_id)]);
  }

  /// Leaves `from` for the thread that has been ready longest; for the caller if all have ended.
  void Next(ucontext_t& from) {
    if (left_ == 0) setcontext(&caller_);
    if (ready_.empty()) {
      std::fprintf(stderr, "%d threads of a workgroup wait for each other\n", left_);
      std::abort();
    }
    host_thread_id = ready_.front();
    ready_.pop_front();
    swapcontext(&from, &contexts_[Index(host_thread_id)]);
  }

  static inline HostThreads* current_ = nullptr;
  const std::function<void()>& body_;
  std::vector<std::unique_ptr<char[]>> stacks_;
  std::vector<ucontext_t> contexts_;
  ucontext_t caller_;
  std::deque<int> ready_;
  int left_;
};

/// Threads that wait for something to change.
class HostWaiters {
 public:
  void WaitUntil(const auto& condition) {
    while (!condition()) {
      waiting_.push_back(host_thread_id);
      HostThreads::Sleep();
    }
  }
  /// Wakes all of them, because what they wait for has changed.
  void WakeAll() {
    for (const int thread : waiting_) HostThreads::Wake(thread);
    waiting_.clear();
  }

 private:
  std::vector<int> waiting_;
};

}  // namespace gridwise
