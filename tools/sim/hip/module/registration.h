#pragma once

#include <optional>

#include "core/arch/target.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/hip/device/runtime.h"

namespace gridwise::sim {

/// The kernel of `device` that the program's host function stands for, which is what `<<<>>>`
/// launches. The code object is loaded when the first of its kernels or variables is asked for.
/// Reports what went wrong: hipErrorInvalidDeviceFunction for an address that is no kernel's,
/// hipErrorNoBinaryForGpu if the program was not compiled for the device.
hipError_t KernelOf(const void* host_function, Device& device, hipFunction_t* function);

/// The variable of `device` that the program's host variable stands for; hipErrorInvalidSymbol if
/// it stands for none.
hipError_t VariableOf(const void* host_variable, Device& device, Symbol* variable);

/// The target that alone can execute all device code in the program itself, if there is just one.
std::optional<Gfx> OnlyTargetOfProgram();

}  // namespace gridwise::sim
