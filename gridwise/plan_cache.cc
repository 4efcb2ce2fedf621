// SPDX-License-Identifier: MIT
#include "gridwise/plan_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gridwise/plan_text.h"

namespace gridwise {
namespace {

/// A file descriptor that the destructor closes.
class File {
 public:
  File(const std::string& path, int flags) : fd_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  File(const File&) = delete;
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  const int fd_;
};

absl::StatusOr<std::string> ReadAll(const std::string& path) {
  const File file(path, O_RDONLY);
  if (file.get() < 0 && errno == ENOENT) return "";
  if (file.get() < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  std::string text;
  char buffer[1 << 14];
  for (;;) {
    const ssize_t bytes = read(file.get(), buffer, sizeof(buffer));
    if (bytes == 0) return text;
    if (bytes < 0 && errno != EINTR) {
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path));
    }
    if (bytes > 0) text.append(buffer, static_cast<std::size_t>(bytes));
  }
}

/// Returns whether the file is empty or ends with a newline, so that a line can be appended. The
/// newline is missing if a writer's disk or machine failed.
bool EndsALine(int file, off_t size) {
  char last = 0;
  return size == 0 || (pread(file, &last, 1, size - 1) == 1 && last == '\n');
}

/// Appends `line` as a separate line, or appends nothing.
absl::Status Append(const std::string& path, std::string_view line) {
  const auto failed = [&path](const char* what) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot ", what, " ", path));
  };
  const File file(path, O_RDWR | O_CREAT | O_APPEND);
  if (file.get() < 0) return failed("open");
  while (flock(file.get(), LOCK_EX) != 0) {  // held until the file is closed
    if (errno != EINTR) return failed("lock");
  }
  struct stat status = {};
  if (fstat(file.get(), &status) != 0) return failed("examine");
  const std::string text =
      absl::StrCat(EndsALine(file.get(), status.st_size) ? "" : "\n", line, "\n");
  const ssize_t written = write(file.get(), text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) return absl::OkStatus();
  if (written >= 0) errno = ENOSPC;  // no space for the rest of the line
  const absl::Status error = failed("write to");
  static_cast<void>(ftruncate(file.get(), status.st_size));
  return error;
}

}  // namespace

std::size_t PlanCache::Hash::operator()(const Key& key) const {
  const ConvProblem& p = key.problem;
  std::uint64_t hash = static_cast<std::uint64_t>(key.units);
  const auto add = [&hash](auto value) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  };
  add(key.gfx);
  add(p.direction);
  add(p.type);
  add(p.layout);
  for (const std::int64_t count : {p.groups, p.batch, p.c, p.k}) add(count);
  for (const Dim& dim : p.dims) {
    for (const std::int64_t extent : {dim.in, dim.filter, dim.stride, dim.dilation, dim.pad_begin})
      add(extent);
  }
  return static_cast<std::size_t>(hash);  // few problems differ only in other fields
}

PlanCache::Key PlanCache::KeyOf(const Plan& plan) {
  return {.problem = plan.problem(),
          .gfx = plan.gfx(),
          .product = plan.device().product,
          .units = plan.device().compute_units,
          .atomic = plan.options().atomic};
}

absl::StatusOr<std::unique_ptr<PlanCache>> PlanCache::Open(std::string path) {
  const absl::StatusOr<std::string> text = ReadAll(path);
  if (!text.ok()) return text.status();
  std::unique_ptr<PlanCache> cache(new PlanCache(std::move(path)));
  int number = 0;
  for (std::string_view line : absl::StrSplit(*text, '\n')) {
    ++number;
    line = absl::StripSuffix(line, "\r");
    if (line.empty()) continue;
    const absl::StatusOr<Plan> plan = ParsePlan(line);
    if (plan.ok()) {
      cache->plans_.insert_or_assign(KeyOf(*plan), *plan);
    } else {
      const std::string_view reason = plan.status().message();
      cache->skipped_.push_back(
          absl::StrCat(cache->path_, ":", number, ": ", reason.substr(0, reason.find('\n'))));
    }
  }
  return cache;
}

std::optional<Plan> PlanCache::Find(const ConvProblem& problem, const DeviceFacts& device,
                                    bool atomic) const {
  const Key key = {.problem = problem,
                   .gfx = device.gfx,
                   .product = device.product,
                   .units = device.compute_units,
                   .atomic = atomic};
  const std::lock_guard lock(mutex_);
  const auto found = plans_.find(key);
  if (found == plans_.end()) return std::nullopt;
  return found->second;
}

absl::Status PlanCache::Store(const Plan& plan) {
  const std::lock_guard lock(mutex_);
  plans_.insert_or_assign(KeyOf(plan), plan);
  return Append(path_, PrintPlan(plan));
}

std::size_t PlanCache::size() const {
  const std::lock_guard lock(mutex_);
  return plans_.size();
}

}  // namespace gridwise
