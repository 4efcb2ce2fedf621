// SPDX-License-Identifier: MIT
#include "tools/sim/hip/module/module.h"

#include <span>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/sim/check/settings.h"
#include "tools/sim/hip/device/handles.h"
#include "tools/sim/time/session/session.h"
#include "tools/sim/view/coverage_probe.h"
#include "tools/sim/view/inspect.h"

namespace gridwise::sim {
namespace {

// Handles of all modules' functions that are valid.
Handles<ihipModuleSymbol_t>& Functions() { return LiveHandles<ihipModuleSymbol_t>(); }

// The HIP error for a load error: another GPU's code object is told from one that is broken.
hipError_t LoadErrorOf(const absl::Status& status) {
  const bool other_gpu = absl::IsFailedPrecondition(status) || absl::IsNotFound(status);
  return other_gpu ? hipErrorNoBinaryForGpu : hipErrorInvalidImage;
}

}  // namespace

hipError_t LoadModule(std::span<const std::byte> image, Device& device,
                      std::unique_ptr<ihipModule_t>* module) {
  absl::StatusOr<std::unique_ptr<CodeObject>> object =
      CodeObject::Load(image, device.memory, device.facts.product->processor);
  if (!object.ok()) return Report(LoadErrorOf(object.status()), object.status());
  absl::StatusOr<std::unique_ptr<Program>> program = Program::Decode(**object);
  if (!program.ok()) return Report(hipErrorInvalidImage, program.status());
  *module = std::make_unique<ihipModule_t>();
  if (CurrentCheckSettings().on() || time::On() || CoverageRecord::Process() != nullptr ||
      Inspection::Process() != nullptr) {
    (*module)->source_line = SourceLines(**object, image);
  }
  (*module)->device = &device;
  (*module)->object = *std::move(object);
  (*module)->program = *std::move(program);
  return Report(hipSuccess);
}

hipError_t FindFunction(ihipModule_t& module, std::string_view name, hipFunction_t* function) {
  const absl::StatusOr<const KernelInfo*> kernel = module.object->FindKernel(name);
  if (!kernel.ok()) return Report(hipErrorNotFound, kernel.status());
  std::lock_guard lock(module.mutex);
  for (ihipModuleSymbol_t& known : module.functions) {
    if (known.kernel == *kernel) {
      *function = &known;
      return Report(hipSuccess);
    }
  }
  *function = &module.functions.emplace_back(ihipModuleSymbol_t{&module, *kernel});
  Functions().Add(*function);
  return Report(hipSuccess);
}

bool IsFunction(hipFunction_t function) { return Functions().Has(function); }

}  // namespace gridwise::sim

ihipModule_t::~ihipModule_t() {
  for (ihipModuleSymbol_t& function : functions) gridwise::sim::Functions().Forget(&function);
}
