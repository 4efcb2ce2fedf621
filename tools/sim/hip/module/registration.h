// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "hip/hip_runtime_api.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/hip/device/runtime.h"

/// The device code in the program itself: what clang's startup code of every HIP translation unit
/// registers before main.

namespace gridwise::sim {

/// The code of a translation unit, for all targets. It and what is added to it exist until it is
/// removed. Removing a pointer that is not, or no longer, a FatBinary does nothing.
struct FatBinary;
FatBinary* AddFatBinary(const void* bundle);
void RemoveFatBinary(FatBinary* binary);

/// Add a kernel or variable: the program's object that stands for it, and its name.
void AddKernel(FatBinary& binary, const void* host_function, const char* name);
void AddVariable(FatBinary& binary, const void* host_variable, const char* name);
/// Allocates memory with the contents of `initial` and puts its address into `*pointer`.
void AddManagedVariable(FatBinary& binary, void** pointer, const void* initial, const char* name,
                        size_t bytes);

/// The kernel of `device` that the program's host function stands for, which is what `<<<>>>`
/// launches. The code object is loaded when the first of its kernels or variables is asked for.
/// Reports what went wrong: hipErrorInvalidDeviceFunction for an address that is no kernel's,
/// hipErrorNoBinaryForGpu if the program was not compiled for the device.
hipError_t LoadKernel(const void* host_function, Device& device, hipFunction_t* function);

/// The variable of `device` that the program's host variable stands for; hipErrorInvalidSymbol if
/// it stands for none.
hipError_t FindVariable(const void* host_variable, Device& device, Symbol* variable);

}  // namespace gridwise::sim
