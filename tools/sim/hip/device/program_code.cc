// SPDX-License-Identifier: MIT
#include "tools/sim/hip/device/program_code.h"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/isa/target.h"

namespace gridwise::sim {
namespace {

struct ProgramCode {
  std::mutex mutex;
  std::multiset<const void*> bundles;
};

// Never destroyed: static destructors of the program take out what it has registered.
ProgramCode& Code() {
  static auto* const code = new ProgramCode;
  return *code;
}

/// Removes the devices that execute code for none of `targets`.
void KeepThoseThatRun(const std::vector<std::string>& targets, std::vector<std::string>& devices) {
  std::erase_if(devices, [&](const std::string& device) {
    return std::none_of(targets.begin(), targets.end(), [&](const std::string& target) {
      return sim::RunsCodeFor(device, target);
    });
  });
}

}  // namespace

void AddProgramCode(const void* bundle) {
  if (bundle == nullptr) return;
  std::lock_guard lock(Code().mutex);
  Code().bundles.insert(bundle);
}

void RemoveProgramCode(const void* bundle) {
  std::lock_guard lock(Code().mutex);
  const auto found = Code().bundles.find(bundle);
  if (found != Code().bundles.end()) Code().bundles.erase(found);
}

std::optional<std::string> OnlyTargetOfProgram() {
  std::lock_guard lock(Code().mutex);
  std::vector<std::string> able;
  for (const Gfx gfx : kAmdGfx) able.emplace_back(Name(gfx));
  std::vector<std::string> others;
  for (const SimTarget& processor : kSimProcessors) others.emplace_back(processor.gfx);
  for (const void* bundle : Code().bundles) {
    const absl::StatusOr<std::span<const std::byte>> image = ImageExtent(bundle);
    if (!image.ok()) continue;  // who loads it says what is wrong
    const absl::StatusOr<std::vector<std::string>> targets = ImageTargets(*image);
    if (!targets.ok()) continue;
    KeepThoseThatRun(*targets, able);
    KeepThoseThatRun(*targets, others);
  }
  if (able.size() == 1) return able.front();
  return able.empty() && !others.empty() ? std::optional(others.front()) : std::nullopt;
}

}  // namespace gridwise::sim
