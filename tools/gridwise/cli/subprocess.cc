// SPDX-License-Identifier: MIT
#include "tools/gridwise/cli/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

extern char** environ;

namespace gridwise {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLastWords = 1000;

/// Starts the program in a new process group, with `error` as its stderr.
absl::StatusOr<pid_t> Start(const std::vector<std::string>& arguments, int error) {
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.data()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  // Discards output like /dev/null, which a program of root may have replaced with a file.
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/zero", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, error, STDERR_FILENO);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t child = 0;
  const int code = posix_spawnp(&child, words[0], &files, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (code != 0) return absl::ErrnoToStatus(code, absl::StrCat("cannot start ", arguments[0]));
  return child;
}

/// Reads `from` until all writers have closed it. Returns false if the time limit comes first.
bool ReadUntil(int from, Clock::time_point end, std::string& text) {
  for (;;) {
    // Rounded up, so that the program gets all of its time.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waited = {.fd = from, .events = POLLIN, .revents = 0};
    if (poll(&waited, 1, static_cast<int>(std::min<std::int64_t>(left, 1 << 30))) <= 0) continue;
    char buffer[4096];
    const ssize_t bytes = read(from, buffer, sizeof(buffer));
    if (bytes == 0) return true;
    if (bytes > 0) text.append(buffer, static_cast<std::size_t>(bytes));
    if (text.size() > 2 * kLastWords) text.erase(0, text.size() - kLastWords);
  }
}

/// Waits for the child. Returns false if the time limit comes first.
bool WaitUntil(pid_t child, Clock::time_point end, int& status) {
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) return true;
    if (Clock::now() >= end) return false;
    usleep(2000);
  }
}

}  // namespace

std::string Ending::ToString() const {
  if (is_late) return absl::StrFormat("did not end within %.3g s", limit_s);
  if (signal != 0) return absl::StrFormat("died of signal %d (%s)", signal, strsignal(signal));
  return absl::StrFormat("exited with status %d", status);
}

absl::StatusOr<Ending> RunProgram(const std::vector<std::string>& arguments, double limit_s) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "cannot make a pipe");
  const Clock::time_point start = Clock::now();
  const absl::StatusOr<pid_t> child = Start(arguments, ends[1]);
  close(ends[1]);
  if (!child.ok()) {
    close(ends[0]);
    return child.status();
  }
  const auto end =
      start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit_s));
  Ending ending = {.limit_s = limit_s, .last_words = ""};
  int status = 0;
  // The program may close stderr and continue, or pass it to processes that it started.
  ending.is_late = !ReadUntil(ends[0], end, ending.last_words) || !WaitUntil(*child, end, status);
  if (ending.is_late) {
    kill(-*child, SIGKILL);
    while (waitpid(*child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  close(ends[0]);
  ending.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  ending.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  ending.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (ending.last_words.size() > kLastWords) {
    ending.last_words.erase(0, ending.last_words.size() - kLastWords);
  }
  return ending;
}

}  // namespace gridwise
