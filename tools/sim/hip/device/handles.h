// SPDX-License-Identifier: MIT
#pragma once

#include <mutex>
#include <set>

namespace gridwise::sim {

/// The handles of one kind that are live, so that a stale one is an error and not a crash.
template <typename T>
class Handles {
 public:
  T* Add(T* handle) {
    std::lock_guard lock(mutex_);
    return *live_.insert(handle).first;
  }
  /// Whether it was live; whose it is may then destroy it.
  bool Forget(T* handle) {
    std::lock_guard lock(mutex_);
    return live_.erase(handle) != 0;
  }
  bool Has(T* handle) {
    std::lock_guard lock(mutex_);
    return live_.count(handle) != 0;
  }

 private:
  std::mutex mutex_;
  std::set<T*> live_;
};

/// Those of the process. Never destroyed: static destructors of the program use handles.
template <typename T>
Handles<T>& LiveHandles() {
  static auto* const handles = new Handles<T>;
  return *handles;
}

}  // namespace gridwise::sim
