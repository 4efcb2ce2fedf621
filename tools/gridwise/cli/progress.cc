// SPDX-License-Identifier: MIT
#include "tools/gridwise/cli/progress.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/gridwise/cli/terminal.h"

namespace gridwise {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kQuiet = std::chrono::seconds(2);
constexpr auto kTerminalInterval = std::chrono::milliseconds(500);
constexpr auto kLogInterval = std::chrono::seconds(15);
constexpr int kNarrowestBar = 10, kWidestBar = 40;  // columns
constexpr double kMinFraction = 0.01;               // below this, the remaining time is a guess

}  // namespace

std::string ProgressText(const std::string& what, std::optional<double> fraction, double seconds,
                         int columns) {
  std::string text = what + ": ";
  if (fraction) absl::StrAppendFormat(&text, "%.0f%%, ", 100 * *fraction);
  absl::StrAppendFormat(&text, "%.0f s", seconds);
  if (fraction && *fraction >= kMinFraction) {
    absl::StrAppendFormat(&text, ", about %.0f s left", seconds * (1 - *fraction) / *fraction);
  }
  const int bar = std::min(kWidestBar, columns - static_cast<int>(text.size()) - 4);
  if (fraction && bar >= kNarrowestBar) {
    const int done = std::clamp(static_cast<int>(*fraction * bar), 0, bar);
    absl::StrAppend(&text, " [", std::string(static_cast<size_t>(done), '#'),
                    std::string(static_cast<size_t>(bar - done), '-'), "]");
  }
  return text;
}

Progress::Progress(std::string what, std::function<std::optional<double>()> fraction)
    : what_(std::move(what)),
      fraction_(std::move(fraction)),
      on_terminal_(IsTerminal(stderr)),
      thread_([this] { Loop(); }) {}

Progress::~Progress() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    done_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Progress::Loop() {
  const Clock::time_point start = Clock::now();
  std::unique_lock<std::mutex> lock(mutex_);
  Clock::duration wait = kQuiet;
  bool printed = false;
  while (!wake_.wait_for(lock, wait, [this] { return done_; })) {
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const std::string text =
        ProgressText(what_, fraction_(), seconds, on_terminal_ ? TerminalColumns(stderr) : 0);
    std::fputs(
        (on_terminal_ ? absl::StrCat("\r", text, "\033[K") : absl::StrCat(text, "\n")).c_str(),
        stderr);
    printed = true;
    wait = on_terminal_ ? Clock::duration(kTerminalInterval) : Clock::duration(kLogInterval);
  }
  if (printed && on_terminal_) std::fputs("\r\033[K", stderr);
}

}  // namespace gridwise
