// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace gridwise {

/// Shows the progress of a long step on stderr, from its own thread. On a terminal it rewrites one
/// line, and finally removes it. Elsewhere it prints a line now and then. A step of less than two
/// seconds shows nothing.
class Progress {
 public:
  /// `fraction` returns the fraction that is done, from 0 to 1, or nullopt if it is unknown. It is
  /// called from another thread.
  Progress(std::string what, std::function<std::optional<double>()> fraction);
  ~Progress();

  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void Loop();

  const std::string what_;
  const std::function<std::optional<double>()> fraction_;
  const bool on_terminal_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;  // last, because it uses the others
};

/// Returns "simulating: 25%, 10 s, about 30 s left". If the fraction is known, a bar fills the rest
/// of `columns`: " [#####---------------]".
std::string ProgressText(const std::string& what, std::optional<double> fraction, double seconds,
                         int columns = 0);

}  // namespace gridwise
