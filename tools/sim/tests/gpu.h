// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hip/hip_runtime_api.h"
#include "tools/build/code_object.h"

namespace gridwise::sim {

/// The target under test, of the environment variable GRIDWISE_TEST_TARGET.
std::string TestTarget();

/// The first device of the target under test.
absl::StatusOr<int> TestDevice();

/// Workgroups, work-items per workgroup, dynamic LDS bytes of a launch.
struct LaunchShape {
  unsigned workgroups[3] = {1, 1, 1};
  unsigned block[3] = {256, 1, 1};
  unsigned lds_bytes = 0;
};

/// Device memory that holds words; freed with the object.
class Words {
 public:
  explicit Words(std::span<const uint32_t> values);
  ~Words();
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;

  uint32_t* device() const { return device_; }
  std::vector<uint32_t> Read() const;

 private:
  uint32_t* device_ = nullptr;
  size_t count_;
};

/// The kernels of one source at the optimisation levels it was compiled with, on a device of the
/// target under test. All kernels take (const uint32_t* in, uint32_t* out, int n).
class Gpu {
 public:
  /// `levels`: level ("O0") and the code objects compiled with it.
  static absl::StatusOr<Gpu> Load(const std::map<std::string, CodeObjects>& levels);

  /// The levels' names.
  std::vector<std::string> levels() const;
  hipModule_t module(const std::string& level) const { return modules_.at(level); }

  /// Launches `kernel` of `level` and waits for it. The error is the simulator's sentence, where
  /// there is one.
  absl::Status Run(const std::string& level, const std::string& kernel, const LaunchShape& shape,
                   const uint32_t* in, uint32_t* out, int n) const;

 private:
  std::map<std::string, hipModule_t> modules_;
};

/// `count` pseudo-random words; the same for the same seed.
std::vector<uint32_t> RandomWords(size_t count, uint32_t seed);

}  // namespace gridwise::sim
