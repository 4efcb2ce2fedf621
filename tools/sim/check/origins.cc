// SPDX-License-Identifier: MIT
#include "tools/sim/check/origins.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/sim/isa/facts/facts.h"
#include "tools/sim/isa/text/decode.h"

namespace gridwise::sim {

Origins& Origins::Process() {
  static auto* const origins = new Origins;
  return *origins;
}

uint32_t Origins::Add(std::string text) {
  const std::lock_guard lock(mutex_);
  records_.push_back({std::move(text), std::nullopt});
  return static_cast<uint32_t>(kAllRegisters + records_.size());
}

uint32_t Origins::AddStored(uint32_t value, std::optional<Finding> store) {
  std::string text = Describe(value);
  const std::lock_guard lock(mutex_);
  records_.push_back({std::move(text), std::move(store)});
  return static_cast<uint32_t>(kAllRegisters + records_.size());
}

std::string Origins::Describe(uint32_t origin) const {
  if (origin == 0) return "memory that was never written";
  if (origin <= kAllRegisters)
    return absl::StrCat(RegisterName(static_cast<int>(origin) - 1), ", which was never written");
  const std::lock_guard lock(mutex_);
  return records_[origin - kAllRegisters - 1].text;
}

std::optional<Finding> Origins::Store(uint32_t origin) const {
  if (origin <= kAllRegisters) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return records_[origin - kAllRegisters - 1].store;
}

}  // namespace gridwise::sim
