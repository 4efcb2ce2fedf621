#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/device_facts.h"
#include "core/conv/problem.h"
#include "gridwise/conv.h"

namespace gridwise {

/// Plans that are kept in a file: one line each (plan_text.h), the last one of a problem counts.
/// Any number of processes may read and store at a time; files are merged by writing one behind the
/// other. Any thread may call it.
///
///   ASSIGN_OR_RETURN(auto cache, PlanCache::Open("plans.txt"));
///   std::optional<Plan> plan = cache->Find(problem, device);
///   if (!plan) { ... plan = Tune(...); RETURN_IF_ERROR(cache->Store(*plan)); }
class PlanCache {
 public:
  /// Reads the file; there need not be one. Lines that cannot be used, being damaged, of another
  /// version or of instances that are not there, are in skipped(); an error is a file that cannot
  /// be read.
  static absl::StatusOr<std::unique_ptr<PlanCache>> Open(std::string path);

  /// The plan that was stored last for this problem and such a device (of the same target and as
  /// many units), here or by whoever wrote the file before Open; one that adds atomically only if
  /// that is asked for. Reads no file and plans nothing.
  std::optional<Plan> Find(const ConvProblem& problem, const DeviceFacts& device,
                           bool atomic = false) const;

  /// Keeps the plan, here and as a line at the end of the file, which it creates if need be. The
  /// line is there, or is not, whatever happens to the process, and nothing else is lost. An error
  /// is a file that cannot be written; Find has the plan all the same.
  absl::Status Store(const Plan& plan);

  std::size_t size() const;
  /// "plans.txt:7: why", a line each.
  const std::vector<std::string>& skipped() const { return skipped_; }

 private:
  struct Key {
    ConvProblem problem;
    Gfx gfx;
    int units;
    bool atomic;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };

  explicit PlanCache(std::string path) : path_(std::move(path)) {}
  static Key KeyOf(const Plan& plan);

  const std::string path_;
  std::vector<std::string> skipped_;
  mutable std::mutex mutex_;
  std::unordered_map<Key, Plan, Hash> plans_;  // guarded by mutex_
};

}  // namespace gridwise
