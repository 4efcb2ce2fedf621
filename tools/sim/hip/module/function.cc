// SPDX-License-Identifier: MIT
#include "tools/sim/hip/module/function.h"

#include "tools/sim/hip/module/module.h"
#include "tools/sim/hip/module/registration.h"

namespace gridwise::sim {

hipError_t FunctionOn(Device& device, const void* function, hipFunction_t* handle) {
  auto* const as_handle = static_cast<hipFunction_t>(const_cast<void*>(function));
  if (!IsFunction(as_handle)) return LoadKernel(function, device, handle);
  *handle = as_handle;
  return Report(hipSuccess);
}

hipError_t CurrentFunction(const void* function, hipFunction_t* handle) {
  Device* device = NeedDevice();
  return device == nullptr ? hipErrorNoDevice : FunctionOn(*device, function, handle);
}

}  // namespace gridwise::sim
