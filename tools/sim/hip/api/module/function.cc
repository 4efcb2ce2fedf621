// SPDX-License-Identifier: MIT
#include "tools/sim/hip/module/function.h"

#include "tools/sim/hip/module/module.h"
#include "tools/sim/hip/stream/stream.h"

// Attributes of kernels.

namespace gridwise::sim {
namespace {

hipFuncAttributes AttributesOf(const ihipModuleSymbol_t& function) {
  const KernelInfo& kernel = *function.kernel;
  const hipDeviceProp_t& properties = function.module->device->properties;
  const int version = properties.major * 10 + properties.minor;
  return {.binaryVersion = version,
          .cacheModeCA = 0,
          .constSizeBytes = 0,
          .localSizeBytes = kernel.private_bytes,
          .maxDynamicSharedSizeBytes =
              static_cast<int>(properties.sharedMemPerBlock - kernel.static_lds_bytes),
          .maxThreadsPerBlock = static_cast<int>(kernel.max_workgroup),
          .numRegs = kernel.vgprs,
          .preferredShmemCarveout = 0,
          .ptxVersion = version,
          .sharedSizeBytes = kernel.static_lds_bytes};
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, const void* function) {
  if (attributes == nullptr) return Report(hipErrorInvalidValue);
  hipFunction_t handle = nullptr;
  if (hipError_t error = CurrentFunction(function, &handle); error != hipSuccess) return error;
  *attributes = AttributesOf(*handle);
  return Report(hipSuccess);
}

hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute attribute,
                               hipFunction_t function) {
  if (value == nullptr) return Report(hipErrorInvalidValue);
  if (!IsFunction(function)) return Report(hipErrorInvalidHandle);
  const hipFuncAttributes attributes = AttributesOf(*function);
  switch (attribute) {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = attributes.maxThreadsPerBlock;
      return Report(hipSuccess);
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = static_cast<int>(attributes.sharedSizeBytes);
      return Report(hipSuccess);
    case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *value = 0;
      return Report(hipSuccess);
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = static_cast<int>(attributes.localSizeBytes);
      return Report(hipSuccess);
    case HIP_FUNC_ATTRIBUTE_NUM_REGS:
      *value = attributes.numRegs;
      return Report(hipSuccess);
    case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
    case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = attributes.binaryVersion;
      return Report(hipSuccess);
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = attributes.maxDynamicSharedSizeBytes;
      return Report(hipSuccess);
    default:
      return Report(hipErrorInvalidValue);
  }
}

// A kernel may always have all of the LDS that there is, so this only checks.
hipError_t hipFuncSetAttribute(const void* function, hipFuncAttribute attribute, int value) {
  hipFunction_t handle = nullptr;
  if (hipError_t error = CurrentFunction(function, &handle); error != hipSuccess) return error;
  const bool lds = attribute == hipFuncAttributeMaxDynamicSharedMemorySize;
  if (!lds && attribute != hipFuncAttributePreferredSharedMemoryCarveout)
    return Report(hipErrorInvalidValue);
  if (lds && (value < 0 || value > AttributesOf(*handle).maxDynamicSharedSizeBytes))
    return Report(hipErrorInvalidValue);
  return Report(hipSuccess);
}

hipError_t hipFuncSetCacheConfig(const void*, hipFuncCache_t) { return Report(hipSuccess); }
hipError_t hipFuncSetSharedMemConfig(const void*, hipSharedMemConfig) { return Report(hipSuccess); }

hipError_t hipGetFuncBySymbol(hipFunction_t* handle, const void* function) {
  if (handle == nullptr) return Report(hipErrorInvalidValue);
  return CurrentFunction(function, handle);
}

const char* hipKernelNameRef(hipFunction_t function) {
  return IsFunction(function) ? function->kernel->name.c_str() : nullptr;
}

const char* hipKernelNameRefByPtr(const void* host_function, hipStream_t stream) {
  Device* device = DeviceOfStream(stream);
  hipFunction_t handle = nullptr;
  if (device == nullptr || FunctionOn(*device, host_function, &handle) != hipSuccess)
    return nullptr;
  return handle->kernel->name.c_str();
}

}  // extern "C"
