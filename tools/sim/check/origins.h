// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tools/sim/check/finding.h"

namespace gridwise::sim {

/// Origins of undefined bits, by number. 0: memory that was neither written nor read yet. Up to
/// kAllRegisters: RegisterShadow::NeverWritten. Higher numbers are those that were added. Thread
/// safe.
class Origins {
 public:
  static Origins& Process();

  /// Memory that was never written: `text` says which and who read it.
  uint32_t Add(std::string text);
  /// What a kernel stored to device memory. `store` is the finding if the host ever asks for it;
  /// nothing: the host may ask.
  uint32_t AddStored(uint32_t value, std::optional<Finding> store);

  /// "v5, which was never written".
  std::string Describe(uint32_t origin) const;
  std::optional<Finding> Store(uint32_t origin) const;

 private:
  struct Record {
    std::string text;
    std::optional<Finding> store;
  };
  mutable std::mutex mutex_;
  std::vector<Record> records_;
};

}  // namespace gridwise::sim
