// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/planning/family.h"
#include "tools/isa_report/main_loop.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/memory/memory.h"

namespace gridwise {

/// Kernels of instances, loaded without a device. Each code object is loaded once.
class KernelCodes {
 public:
  /// The instance's main kernel, valid as long as this. kFailedPrecondition if this program was
  /// built without kernels for the instance's target.
  absl::StatusOr<const sim::KernelInfo*> Find(const InstanceInfo& instance);

 private:
  sim::Memory memory_;
  std::map<const char*, std::unique_ptr<sim::CodeObject>> objects_;  // by their bytes
};

/// The instructions of a kernel from KernelCodes, in order.
absl::StatusOr<std::vector<CodeLine>> Disassemble(const sim::KernelInfo& kernel, Gfx gfx);

}  // namespace gridwise
