// SPDX-License-Identifier: MIT
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

/// A file of plans, one line each (plan_text.h). The last line of a problem counts. Any number of
/// processes may read the file and store plans at the same time. To merge files, concatenate them.
///
///   absl::StatusOr<std::unique_ptr<PlanCache>> cache = PlanCache::Open("plans.txt");
///   if (!cache.ok()) return cache.status();
///   std::optional<Plan> plan = (*cache)->Find(problem, device);
///   if (!plan) {
///     absl::StatusOr<TuneResult> times = Tune(problem, tensors);
///     if (!times.ok()) return times.status();
///     plan = times->best();
///     if (absl::Status status = (*cache)->Store(*plan); !status.ok()) return status;
///   }
///
/// Thread-safe.
class PlanCache {
 public:
  /// Reads the file, which need not exist. skipped() lists the lines that cannot be used: damaged
  /// ones, and those of another version or of an instance that does not exist.
  ///
  /// Returns an error if the file exists and cannot be read.
  static absl::StatusOr<std::unique_ptr<PlanCache>> Open(std::string path);

  /// Returns the plan that was stored last for this problem and this kind of device, by this object
  /// or in the file before Open. Devices of one kind are the same product, with the same number of
  /// compute units. If `atomic`, returns only plans made with PlanOptions::atomic; otherwise, only
  /// others.
  /// Reads no file and plans nothing.
  std::optional<Plan> Find(const ConvProblem& problem, const DeviceFacts& device,
                           bool atomic = false) const;

  /// Stores the plan, in memory and as a line at the end of the file, which is created if needed.
  /// If the process fails, the file has the whole line or none of it, and all earlier lines.
  ///
  /// Returns an error if the file cannot be written. Find returns the plan even then.
  absl::Status Store(const Plan& plan);

  /// Returns the number of plans.
  std::size_t size() const;
  /// Returns one line per skipped line of the file: "plans.txt:7: why".
  const std::vector<std::string>& skipped() const { return skipped_; }

 private:
  struct Key {
    ConvProblem problem;
    Gfx gfx;
    const Product* product;
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
