#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace gridwise {

/// Tells on stderr, from a thread of its own, how far a long step is: on a terminal one line that
/// is rewritten and at last removed, elsewhere a line now and then. A step of less than two seconds
/// says nothing.
class Progress {
 public:
  /// `fraction` returns how much is done, 0 to 1, or nothing when that is not known; it is called
  /// from another thread.
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
  std::thread thread_;  // last: it uses the others
};

/// "simulating: 25%, 10 s, about 30 s left", and behind it, where the fraction is known, a bar of
/// what is left of `columns`: " [#####---------------]".
std::string ProgressText(const std::string& what, std::optional<double> fraction, double seconds,
                         int columns = 0);

}  // namespace gridwise
