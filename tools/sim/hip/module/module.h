// SPDX-License-Identifier: MIT
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>

#include "hip/hip_runtime_api.h"
#include "tools/sim/check/source_lines.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/machine/program.h"

/// A kernel of a module.
struct ihipModuleSymbol_t {
  ihipModule_t* module;
  const gridwise::sim::KernelInfo* kernel;
};

/// A loaded code object.
struct ihipModule_t {
  ihipModule_t() = default;
  ~ihipModule_t();
  ihipModule_t(const ihipModule_t&) = delete;
  ihipModule_t& operator=(const ihipModule_t&) = delete;

  gridwise::sim::Device* device = nullptr;
  std::unique_ptr<gridwise::sim::CodeObject> object;
  std::unique_ptr<gridwise::sim::Program> program;
  gridwise::sim::SourceLineFn source_line;  // null if nobody asked for it when loaded
  std::mutex mutex;                         // guards functions
  std::list<ihipModuleSymbol_t> functions;  // handles given out
};

namespace gridwise::sim {

/// Loads the code object for `device` that `image` is or holds. Reports what went wrong.
hipError_t LoadModule(std::span<const std::byte> image, Device& device,
                      std::unique_ptr<ihipModule_t>* module);

/// The handle of the kernel `name`; the same one for the same kernel. hipErrorNotFound, with the
/// names that there are, if the module has none that is called so.
hipError_t FindFunction(ihipModule_t& module, std::string_view name, hipFunction_t* function);

/// Whether `function` is a handle of a module that is still loaded.
bool IsFunction(hipFunction_t function);

}  // namespace gridwise::sim
