// SPDX-License-Identifier: MIT
#include "tools/third_party/hip/cuda/fake_driver.h"

#include <cstdlib>
#include <cstring>
#include <utility>

namespace {

FakeDriver fake;
int primary_contexts[2];  // whose addresses are the handles of the two devices' contexts
int kernel;               // whose address is the handle of every kernel

int Take() { return std::exchange(fake.next_result, 0); }
void* At(std::uint64_t address) { return reinterpret_cast<void*>(address); }

}  // namespace

extern "C" {

FakeDriver* TheFakeDriver() { return &fake; }

int cuInit(unsigned) { return 0; }
int cuDeviceGetCount(int* count) { return *count = 2, Take(); }
int cuDeviceGetName(char* name, int bytes, int device) {
  if (device > 1) return 101;
  std::strncpy(name, "Fake H100", static_cast<std::size_t>(bytes));
  return 0;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) { return *bytes = 1 << 20, 0; }
int cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 75 ? 9 : attribute == 16 ? 132 : attribute == 97 ? 227 << 10 : 0;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int device) {
  if (device > 1) return 101;
  ++fake.retained;
  *context = &primary_contexts[device];
  return Take();
}
int cuDevicePrimaryCtxReset_v2(int) { return Take(); }
int cuCtxGetCurrent(void** context) { return *context = fake.current, 0; }
int cuCtxSetCurrent(void* context) {
  ++fake.contexts_made_current;
  fake.current = context;
  return 0;
}
int cuCtxGetDevice(int* device) {
  *device = fake.current == &primary_contexts[1];
  return 0;
}
int cuCtxSynchronize() { return Take(); }
int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  if (const int result = Take(); result != 0) return result;
  *address = reinterpret_cast<std::uint64_t>(std::malloc(bytes));
  return 0;
}
int cuMemFree_v2(std::uint64_t address) { return std::free(At(address)), 0; }
int cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total_bytes) {
  *free_bytes = 3 << 20;
  *total_bytes = 4 << 20;
  return Take();
}
int cuMemcpy(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  std::memcpy(At(to), At(from), bytes);
  return Take();
}
int cuMemcpyAsync(std::uint64_t to, std::uint64_t from, std::size_t bytes, void*) {
  return cuMemcpy(to, from, bytes);
}
int cuMemsetD8_v2(std::uint64_t to, unsigned char value, std::size_t bytes) {
  std::memset(At(to), value, bytes);
  return Take();
}
int cuMemsetD8Async(std::uint64_t to, unsigned char value, std::size_t bytes, void*) {
  return cuMemsetD8_v2(to, value, bytes);
}
int cuModuleLoadDataEx(void** module, const void* image, unsigned, int*, void** values) {
  fake.image = static_cast<const char*>(image);
  std::strcpy(static_cast<char*>(values[0]), fake.jit_log);
  *module = &kernel;
  return Take();
}
int cuModuleUnload(void*) { return Take(); }
int cuModuleGetFunction(void** function, void*, const char* name) {
  *function = &kernel;
  return std::strcmp(name, "Missing") == 0 ? 500 : 0;
}
int cuFuncSetAttribute(void*, int attribute, int value) {
  if (attribute == 8) fake.max_dynamic_shared_bytes = value;
  ++fake.facts_asked_for;
  return Take();
}
int cuFuncGetAttribute(int* value, int, void*) { return *value = 0, 0; }
int cuFuncGetParamInfo(void*, std::size_t i, std::size_t* offset, std::size_t* bytes) {
  ++fake.facts_asked_for;
  if (i >= fake.parameters.size()) return 1;
  *offset = fake.parameters[i][0];
  *bytes = fake.parameters[i][1];
  return 0;
}
int cuLaunchKernel(void*, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared_bytes, void* stream, void** parameters, void**) {
  fake.shape = {gx, gy, gz, bx, by, bz, shared_bytes};
  fake.stream = stream;
  fake.arguments.clear();
  for (std::size_t i = 0; i < fake.parameters.size(); ++i) {
    const char* const from = static_cast<const char*>(parameters[i]);
    fake.arguments.emplace_back(from, from + fake.parameters[i][1]);
  }
  return Take();
}
int cuLaunchKernelEx(const void* config, void* kernel_handle, void** parameters, void**) {
  struct Attribute {  // CUlaunchAttribute
    int id, pad;
    unsigned value[16];
  };
  struct Config {  // CUlaunchConfig
    unsigned shape[7];
    void* stream;
    const Attribute* attributes;
    unsigned count;
  };
  const Config& of = *static_cast<const Config*>(config);
  for (unsigned i = 0; i < of.count; ++i) {
    if (of.attributes[i].id == 4) fake.cluster = of.attributes[i].value[0];
    if (of.attributes[i].id == 6) fake.begins_early = of.attributes[i].value[0] != 0;
  }
  return cuLaunchKernel(kernel_handle, of.shape[0], of.shape[1], of.shape[2], of.shape[3],
                        of.shape[4], of.shape[5], of.shape[6], of.stream, parameters, nullptr);
}
int cuStreamCreate(void**, unsigned) { return Take(); }
int cuStreamDestroy_v2(void*) { return Take(); }
int cuStreamSynchronize(void*) { return Take(); }
int cuStreamBeginCapture_v2(void*, int) { return Take(); }
int cuStreamEndCapture(void*, void**) { return Take(); }
int cuGraphInstantiateWithFlags(void**, void*, unsigned long long) { return Take(); }
int cuGraphLaunch(void*, void*) { return Take(); }
int cuGraphDestroy(void*) { return Take(); }
int cuGraphExecDestroy(void*) { return Take(); }
int cuEventCreate(void**, unsigned) { return Take(); }
int cuEventDestroy_v2(void*) { return Take(); }
int cuEventRecord(void*, void*) { return Take(); }
int cuEventSynchronize(void*) { return Take(); }
int cuEventElapsedTime(float* milliseconds, void*, void*) { return *milliseconds = 1.5f, Take(); }
int cuGetErrorString(int, const char** text) { return *text = "what the driver says", 0; }
int cuTensorMapEncodeTiled(void* map, int type, unsigned rank, void* data,
                           const std::uint64_t* size, const std::uint64_t* stride, const unsigned*,
                           const unsigned*, int, int swizzle, int, int) {
  fake.type = type;
  fake.rank = rank;
  fake.swizzle = swizzle;
  for (unsigned i = 0; i < rank; ++i) fake.size[i] = size[i];
  for (unsigned i = 0; i + 1 < rank; ++i) fake.stride[i] = stride[i];
  std::memcpy(map, &data, sizeof(data));
  return Take();
}
int cuTensorMapEncodeIm2col(void* map, int type, unsigned rank, void* data,
                            const std::uint64_t* size, const std::uint64_t* stride,
                            const int* lower, const int* upper, unsigned, unsigned, const unsigned*,
                            int, int swizzle, int, int) {
  for (unsigned i = 0; i + 2 < rank; ++i) {
    fake.lower[i] = lower[i];
    fake.upper[i] = upper[i];
  }
  return cuTensorMapEncodeTiled(map, type, rank, data, size, stride, nullptr, nullptr, 0, swizzle,
                                0, 0);
}
int cuTensorMapReplaceAddress(void* map, void* data) {
  std::memcpy(map, &data, sizeof(data));
  return Take();
}

}  // extern "C"
