// SPDX-License-Identifier: MIT
/// NVIDIA's driver, libcuda.so.1, found when the program runs: nothing of CUDA is needed to build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hip/hip_runtime_api.h"

namespace gridwise::cuda {

/// CUresult: 0 is success. Values: CUDA Driver API, section 6.1 (data types used by the driver).
using Result = int;
using Device = int;

/// The driver's functions that this library calls: name, symbol, parameters. Handles are void*, a
/// device address is 64 bits (CUdeviceptr), enumerations are int.
#define GRIDWISE_CUDA_FUNCTIONS(F)                                                               \
  F(Init, "cuInit", (unsigned))                                                                  \
  F(DeviceGetCount, "cuDeviceGetCount", (int*))                                                  \
  F(DeviceGetName, "cuDeviceGetName", (char*, int, Device))                                      \
  F(DeviceTotalMem, "cuDeviceTotalMem_v2", (std::size_t*, Device))                               \
  F(DeviceGetAttribute, "cuDeviceGetAttribute", (int*, int, Device))                             \
  F(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (void**, Device))                        \
  F(DevicePrimaryCtxReset, "cuDevicePrimaryCtxReset_v2", (Device))                               \
  F(CtxGetCurrent, "cuCtxGetCurrent", (void**))                                                  \
  F(CtxSetCurrent, "cuCtxSetCurrent", (void*))                                                   \
  F(CtxGetDevice, "cuCtxGetDevice", (Device*))                                                   \
  F(CtxSynchronize, "cuCtxSynchronize", ())                                                      \
  F(MemAlloc, "cuMemAlloc_v2", (std::uint64_t*, std::size_t))                                    \
  F(MemFree, "cuMemFree_v2", (std::uint64_t))                                                    \
  F(MemGetInfo, "cuMemGetInfo_v2", (std::size_t*, std::size_t*))                                 \
  F(Memcpy, "cuMemcpy", (std::uint64_t, std::uint64_t, std::size_t))                             \
  F(MemcpyAsync, "cuMemcpyAsync", (std::uint64_t, std::uint64_t, std::size_t, void*))            \
  F(MemsetD8, "cuMemsetD8_v2", (std::uint64_t, unsigned char, std::size_t))                      \
  F(MemsetD8Async, "cuMemsetD8Async", (std::uint64_t, unsigned char, std::size_t, void*))        \
  F(ModuleLoadDataEx, "cuModuleLoadDataEx", (void**, const void*, unsigned, int*, void**))       \
  F(ModuleUnload, "cuModuleUnload", (void*))                                                     \
  F(ModuleGetFunction, "cuModuleGetFunction", (void**, void*, const char*))                      \
  F(FuncSetAttribute, "cuFuncSetAttribute", (void*, int, int))                                   \
  F(FuncGetAttribute, "cuFuncGetAttribute", (int*, int, void*))                                  \
  F(FuncGetParamInfo, "cuFuncGetParamInfo", (void*, std::size_t, std::size_t*, std::size_t*))    \
  F(LaunchKernel, "cuLaunchKernel",                                                              \
    (void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, \
     void**))                                                                                    \
  F(LaunchKernelEx, "cuLaunchKernelEx", (const void*, void*, void**, void**))                    \
  F(StreamCreate, "cuStreamCreate", (void**, unsigned))                                          \
  F(StreamDestroy, "cuStreamDestroy_v2", (void*))                                                \
  F(StreamSynchronize, "cuStreamSynchronize", (void*))                                           \
  F(StreamBeginCapture, "cuStreamBeginCapture_v2", (void*, int))                                 \
  F(StreamEndCapture, "cuStreamEndCapture", (void*, void**))                                     \
  F(GraphInstantiate, "cuGraphInstantiateWithFlags", (void**, void*, unsigned long long))        \
  F(GraphLaunch, "cuGraphLaunch", (void*, void*))                                                \
  F(GraphDestroy, "cuGraphDestroy", (void*))                                                     \
  F(GraphExecDestroy, "cuGraphExecDestroy", (void*))                                             \
  F(EventCreate, "cuEventCreate", (void**, unsigned))                                            \
  F(EventDestroy, "cuEventDestroy_v2", (void*))                                                  \
  F(EventRecord, "cuEventRecord", (void*, void*))                                                \
  F(EventSynchronize, "cuEventSynchronize", (void*))                                             \
  F(EventElapsedTime, "cuEventElapsedTime", (float*, void*, void*))                              \
  F(GetErrorString, "cuGetErrorString", (Result, const char**))                                  \
  F(TensorMapEncodeTiled, "cuTensorMapEncodeTiled",                                              \
    (void*, int, unsigned, void*, const std::uint64_t*, const std::uint64_t*, const unsigned*,   \
     const unsigned*, int, int, int, int))                                                       \
  F(TensorMapEncodeIm2col, "cuTensorMapEncodeIm2col",                                            \
    (void*, int, unsigned, void*, const std::uint64_t*, const std::uint64_t*, const int*,        \
     const int*, unsigned, unsigned, const unsigned*, int, int, int, int))                       \
  F(TensorMapReplaceAddress, "cuTensorMapReplaceAddress", (void*, void*))

/// The functions, as pointers of the same names.
struct Driver {
#define GRIDWISE_CUDA_DECLARE(name, symbol, parameters) Result(*name) parameters = nullptr;
  GRIDWISE_CUDA_FUNCTIONS(GRIDWISE_CUDA_DECLARE)
#undef GRIDWISE_CUDA_DECLARE
};

/// The driver, opened and initialised by the first call; null where there is no usable one.
const Driver* GetDriver();

/// hipErrorNoDevice or hipErrorInsufficientDriver where GetDriver() is null, after it said so.
hipError_t NoDriver();

/// HIP's error for the driver's. What HIP has no name for is hipErrorUnknown; Describe() tells.
hipError_t Translate(Result result);

/// Makes `sentence` what hipGetErrorString says of `error` in this thread, until its next error.
void Describe(hipError_t error, std::string_view sentence);

/// The driver with a current context: that of the calling thread if it has one, as in a program
/// that uses CUDA already, or else device 0's primary one, which all of a process share.
struct Entered {
  const Driver* driver;
  hipError_t error;  // if `driver` is null
};
Entered Enter();

/// Makes the primary context of `device` the calling thread's.
hipError_t UsePrimaryContext(Device device);
/// Resets it; it is retained again, since the old one is no more, and current on this thread.
hipError_t ResetPrimaryContext(Device device);

/// Calls a function of the driver in the current context: Call<&Driver::MemFree>(address).
template <auto kFunction, class... Arguments>
hipError_t Call(Arguments... arguments) {
  const Entered entered = Enter();
  if (entered.driver == nullptr) return entered.error;
  return Translate((entered.driver->*kFunction)(arguments...));
}

/// A device pointer as the driver has it.
inline std::uint64_t Address(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

}  // namespace gridwise::cuda
