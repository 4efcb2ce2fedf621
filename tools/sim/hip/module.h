#pragma once

#include <list>
#include <memory>
#include <mutex>

#include "hip/hip_runtime_api.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/hip/runtime.h"
#include "tools/sim/machine/program.h"

/// A kernel of a module.
struct ihipModuleSymbol_t {
  ihipModule_t* module;
  const gridwise::sim::KernelInfo* kernel;
};

/// A loaded code object.
struct ihipModule_t {
  gridwise::sim::Device* device;
  std::unique_ptr<gridwise::sim::CodeObject> object;
  std::unique_ptr<gridwise::sim::Program> program;
  std::mutex mutex;                         // guards functions
  std::list<ihipModuleSymbol_t> functions;  // handles given out
};

namespace gridwise::sim {

/// Whether `function` is a handle of a module that is still loaded.
bool IsFunction(hipFunction_t function);

}  // namespace gridwise::sim
