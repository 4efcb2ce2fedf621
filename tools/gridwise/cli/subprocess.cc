// SPDX-License-Identifier: MIT
#include "tools/gridwise/cli/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

extern char** environ;

namespace gridwise {
namespace {

constexpr std::size_t kLastWords = 1000;

/// Starts the program in a new process group, with these descriptors.
absl::StatusOr<pid_t> Spawn(const std::vector<std::string>& arguments, int stdio, int error) {
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.data()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, stdio, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, stdio, STDOUT_FILENO);
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

void Close(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

/// Appends what can be read at once. Closes the descriptor at its end.
void ReadSome(int& from, std::string& text) {
  char buffer[4096];
  const ssize_t bytes = read(from, buffer, sizeof(buffer));
  if (bytes > 0) {
    text.append(buffer, static_cast<std::size_t>(bytes));
  } else if (bytes == 0 || errno != EINTR) {
    Close(from);
  }
}

void KeepEnd(std::string& text) {
  if (text.size() > kLastWords) text.erase(0, text.size() - kLastWords);
}

}  // namespace

std::string Ending::ToString() const {
  if (is_late) return absl::StrFormat("did not end within %.3g s", limit_s);
  if (signal != 0) return absl::StrFormat("died of signal %d (%s)", signal, strsignal(signal));
  return absl::StrFormat("exited with status %d", status);
}

absl::StatusOr<std::unique_ptr<Subprocess>> Subprocess::Start(
    const std::vector<std::string>& arguments, double limit_s) {
  // A socket, as a write to a pipe that the program has closed would end this process.
  int stdio[2], error[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, stdio) != 0) {
    return absl::ErrnoToStatus(errno, "cannot make a socket");
  }
  if (pipe2(error, O_CLOEXEC) != 0) {
    const absl::Status status = absl::ErrnoToStatus(errno, "cannot make a pipe");
    for (int end : stdio) close(end);
    return status;
  }
  const absl::StatusOr<pid_t> child = Spawn(arguments, stdio[1], error[1]);
  close(stdio[1]);
  close(error[1]);
  if (!child.ok()) {
    close(stdio[0]);
    close(error[0]);
    return child.status();
  }
  std::unique_ptr<Subprocess> process(new Subprocess(*child, stdio[0], error[0]));
  process->SetLimit(limit_s);
  return process;
}

Subprocess::~Subprocess() {
  int status = 0;
  if (child_ != 0) Kill(status);
  Close(stdio_);
  Close(error_);
}

void Subprocess::SetLimit(double limit_s) {
  limit_s_ = limit_s;
  start_ = Clock::now();
  end_ =
      start_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit_s));
}

void Subprocess::WriteLine(std::string_view line, double limit_s) {
  SetLimit(limit_s);
  last_words_.clear();
  const std::string text = absl::StrCat(line, "\n");
  // If the program does not take it, reading tells.
  if (stdio_ >= 0) send(stdio_, text.data(), text.size(), MSG_NOSIGNAL);
}

std::optional<std::string> Subprocess::ReadLine() {
  for (;;) {
    if (const std::size_t length = out_.find('\n'); length != std::string::npos) {
      std::string line = out_.substr(0, length);
      out_.erase(0, length + 1);
      return line;
    }
    if (!Read()) return std::nullopt;
  }
}

Ending Subprocess::Wait() {
  if (stdio_ >= 0) shutdown(stdio_, SHUT_WR);
  while (Read()) out_.clear();
  int status = 0;
  // The program may close its streams and continue, or pass them to processes that it started.
  const bool is_late = stdio_ >= 0 || error_ >= 0 || !WaitForEnd(status);
  if (is_late) Kill(status);
  child_ = 0;
  KeepEnd(last_words_);
  return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
          .is_late = is_late,
          .limit_s = limit_s_,
          .seconds = std::chrono::duration<double>(Clock::now() - start_).count(),
          .last_words = last_words_};
}

bool Subprocess::Read() {
  while (stdio_ >= 0 || error_ >= 0) {
    // Rounded up, so that the program gets all of its time.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waited[] = {{.fd = error_, .events = POLLIN, .revents = 0},
                       {.fd = stdio_, .events = POLLIN, .revents = 0}};
    if (poll(waited, 2, static_cast<int>(std::min<std::int64_t>(left, 1 << 30))) <= 0) continue;
    if (waited[0].revents != 0) ReadSome(error_, last_words_);
    if (last_words_.size() > 2 * kLastWords) KeepEnd(last_words_);
    if (waited[1].revents != 0) ReadSome(stdio_, out_);
    return true;
  }
  return false;
}

bool Subprocess::WaitForEnd(int& status) {
  for (;;) {
    const pid_t ended = waitpid(child_, &status, WNOHANG);
    if (ended == child_ || (ended < 0 && errno != EINTR)) return true;
    if (Clock::now() >= end_) return false;
    usleep(2000);
  }
}

void Subprocess::Kill(int& status) {
  kill(-child_, SIGKILL);
  while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
}

absl::StatusOr<Ending> RunProgram(const std::vector<std::string>& arguments, double limit_s) {
  const absl::StatusOr<std::unique_ptr<Subprocess>> program = Subprocess::Start(arguments, limit_s);
  if (!program.ok()) return program.status();
  return (*program)->Wait();
}

}  // namespace gridwise
