// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "hip/hip_runtime_api.h"

/// What programs of HIP 7 call and HIP 6's headers, which the library is compiled with, do not
/// declare. Names and layouts are HIP 7's: its programs are linked against them.

#if HIP_VERSION_MAJOR < 7

/// A value has 64 bytes; those of HIP 6's union come first.
struct hipLaunchAttribute {
  hipLaunchAttributeID id;
  union {
    hipLaunchAttributeValue value;
    char bytes[64];
  };
};
static_assert(sizeof(hipLaunchAttribute) == 72 && offsetof(hipLaunchAttribute, value) == 8);

struct hipLaunchConfig_t {
  dim3 gridDim;  // workgroups
  dim3 blockDim;
  size_t dynamicSmemBytes;
  hipStream_t stream;
  hipLaunchAttribute* attrs;
  unsigned int numAttrs;
};
static_assert(sizeof(hipLaunchConfig_t) == 56 && offsetof(hipLaunchConfig_t, attrs) == 40);

struct HIP_LAUNCH_CONFIG {
  unsigned int gridDimX, gridDimY, gridDimZ;  // workgroups
  unsigned int blockDimX, blockDimY, blockDimZ;
  unsigned int sharedMemBytes;
  hipStream_t hStream;
  hipLaunchAttribute* attrs;
  unsigned int numAttrs;
};
static_assert(sizeof(HIP_LAUNCH_CONFIG) == 56 && offsetof(HIP_LAUNCH_CONFIG, attrs) == 40);

struct hipMemcpy3DPeerParms {
  hipArray_t srcArray;
  hipPos srcPos;
  hipPitchedPtr srcPtr;
  int srcDevice;
  hipArray_t dstArray;
  hipPos dstPos;
  hipPitchedPtr dstPtr;
  int dstDevice;
  hipExtent extent;
};
static_assert(sizeof(hipMemcpy3DPeerParms) == 168);

/// How copies of a batch may be done.
struct hipMemcpyAttributes {
  int srcAccessOrder;
  hipMemLocation srcLocHint, dstLocHint;
  unsigned int flags;
};
static_assert(sizeof(hipMemcpyAttributes) == 24);

enum hipDriverEntryPointQueryResult {
  hipDriverEntryPointSuccess = 0,
  hipDriverEntryPointSymbolNotFound = 1,
};

using hipLibrary_t = struct ihipLibrary_t*;
using hipKernel_t = struct ihipKernel_t*;
enum hipLibraryOption : unsigned int;

constexpr auto hipLaunchAttributeSynchronizationPolicy = static_cast<hipLaunchAttributeID>(3);
constexpr auto hipLaunchAttributeMemSyncDomainMap = static_cast<hipLaunchAttributeID>(9);
constexpr auto hipLaunchAttributeMemSyncDomain = static_cast<hipLaunchAttributeID>(10);

extern "C" {

hipError_t hipLaunchKernelExC(const hipLaunchConfig_t* config, const void* function,
                              void** parameters);
hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG* config, hipFunction_t function,
                                void** parameters, void** extra);

hipError_t hipModuleLoadFatBinary(hipModule_t* module, const void* image);
hipError_t hipModuleGetFunctionCount(unsigned int* count, hipModule_t module);

hipError_t hipLibraryLoadData(hipLibrary_t* library, const void* image,
                              hipJitOption* compiler_options, void** compiler_values,
                              unsigned int compiler_option_count, hipLibraryOption* options,
                              void** values, unsigned int option_count);
hipError_t hipLibraryLoadFromFile(hipLibrary_t* library, const char* path,
                                  hipJitOption* compiler_options, void** compiler_values,
                                  unsigned int compiler_option_count, hipLibraryOption* options,
                                  void** values, unsigned int option_count);
hipError_t hipLibraryUnload(hipLibrary_t library);
hipError_t hipLibraryGetKernel(hipKernel_t* kernel, hipLibrary_t library, const char* name);
hipError_t hipLibraryGetKernelCount(unsigned int* count, hipLibrary_t library);
hipError_t hipLibraryEnumerateKernels(hipKernel_t* kernels, unsigned int count,
                                      hipLibrary_t library);
hipError_t hipKernelGetLibrary(hipLibrary_t* library, hipKernel_t kernel);
hipError_t hipKernelGetName(const char** name, hipKernel_t kernel);
hipError_t hipKernelGetParamInfo(hipKernel_t kernel, size_t index, size_t* offset, size_t* bytes);

hipError_t hipStreamGetId(hipStream_t stream, unsigned long long* id);
hipError_t hipStreamSetAttribute(hipStream_t stream, hipLaunchAttributeID attribute,
                                 const hipLaunchAttributeValue* value);
hipError_t hipStreamGetAttribute(hipStream_t stream, hipLaunchAttributeID attribute,
                                 hipLaunchAttributeValue* value);
hipError_t hipStreamCopyAttributes(hipStream_t to, hipStream_t from);

hipError_t hipMemAdvise_v2(const void* pointer, size_t bytes, hipMemoryAdvise advice,
                           hipMemLocation location);
hipError_t hipMemPrefetchAsync_v2(const void* pointer, size_t bytes, hipMemLocation location,
                                  unsigned int flags, hipStream_t stream);
hipError_t hipMemcpy3DPeer(hipMemcpy3DPeerParms* parameters);
hipError_t hipMemcpy3DPeerAsync(hipMemcpy3DPeerParms* parameters, hipStream_t stream);
hipError_t hipMemcpyBatchAsync(void** to, void** from, size_t* bytes, size_t count,
                               hipMemcpyAttributes* attributes, size_t* first_copies,
                               size_t attribute_count, size_t* failed, hipStream_t stream);

hipError_t hipGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                  hipDriverEntryPointQueryResult* result);
hipError_t hipGetDriverEntryPoint_spt(const char* name, void** function, unsigned long long flags,
                                      hipDriverEntryPointQueryResult* result);
hipError_t hipGetProcAddress_spt(const char* name, void** function, int version, uint64_t flags,
                                 hipDriverProcAddressQueryResult* result);
hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function,
                                                    int workgroups, int block_size);

}  // extern "C"

#endif  // HIP_VERSION_MAJOR < 7
