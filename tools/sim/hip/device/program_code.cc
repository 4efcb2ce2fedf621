// SPDX-License-Identifier: MIT
#include "tools/sim/hip/device/program_code.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
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

std::optional<Gfx> OnlyTargetOfProgram() {
  std::lock_guard lock(Code().mutex);
  std::vector<Gfx> able(std::begin(kAmdGfx), std::end(kAmdGfx));
  for (const void* bundle : Code().bundles) {
    const absl::StatusOr<std::span<const std::byte>> image = ImageExtent(bundle);
    if (!image.ok()) continue;  // who loads it says what is wrong
    const absl::StatusOr<std::vector<std::string>> targets = ImageTargets(*image);
    if (!targets.ok()) continue;
    std::erase_if(able, [&](Gfx gfx) {
      return std::none_of(targets->begin(), targets->end(), [&](const std::string& target) {
        return RunsCodeFor(Name(gfx), target);
      });
    });
  }
  return able.size() == 1 ? std::optional(able.front()) : std::nullopt;
}

}  // namespace gridwise::sim
