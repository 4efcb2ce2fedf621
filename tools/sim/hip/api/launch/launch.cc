// SPDX-License-Identifier: MIT
#include "tools/sim/hip/api/launch/launch.h"

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "core/base/math.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/abi/per_thread.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/graph/event.h"
#include "tools/sim/hip/launch/launch.h"
#include "tools/sim/hip/module/function.h"
#include "tools/sim/hip/module/module.h"
#include "tools/sim/hip/stream/capture.h"
#include "tools/sim/hip/stream/stream.h"

// The ways to launch a kernel.

namespace gridwise::sim {
namespace {

/// The configuration that `<<<>>>` passes from the caller to the kernel's host function, and the
/// arguments that hipSetupArgument collects.
struct CallConfiguration {
  dim3 grid;
  dim3 block;
  size_t dynamic_lds_bytes;
  hipStream_t stream;
  std::vector<std::byte> arguments;
};

// Calls may nest: an argument of a launch may launch.
std::vector<CallConfiguration>& Configurations() {
  static thread_local std::vector<CallConfiguration> configurations;
  return configurations;
}

hipError_t LaunchHandle(hipFunction_t function, const Grid& grid, hipStream_t stream,
                        const LaunchArguments& arguments) {
  return LaunchHandle(function, function, grid, stream, arguments);
}

// Launches between two events, either of which may be null.
template <typename LaunchIt>
hipError_t Timed(hipStream_t stream, hipEvent_t start, hipEvent_t stop, LaunchIt launch) {
  if ((start != nullptr && !IsEvent(start)) || (stop != nullptr && !IsEvent(stop)))
    return Report(hipErrorInvalidResourceHandle);
  hipError_t error = start == nullptr ? hipSuccess : RecordOn(stream, start, hipEventRecordDefault);
  if (error == hipSuccess) error = launch();
  if (error == hipSuccess && stop != nullptr) error = RecordOn(stream, stop, hipEventRecordDefault);
  return Report(error);
}

// hipExtModuleLaunchKernel counts work-items, not workgroups: the last ones may be partial.
hipError_t LaunchItems(hipFunction_t function, const dim3& items, const dim3& block,
                       size_t dynamic_lds_bytes, hipStream_t stream,
                       const LaunchArguments& arguments, hipEvent_t start, hipEvent_t stop) {
  if (block.x == 0 || block.y == 0 || block.z == 0) return Report(hipErrorInvalidConfiguration);
  const dim3 workgroups(CeilDiv(items.x, block.x), CeilDiv(items.y, block.y),
                        CeilDiv(items.z, block.z));
  Grid grid = MakeGrid(workgroups, block, dynamic_lds_bytes, /*cooperative=*/false);
  grid.remainder = {items.x % block.x, items.y % block.y, items.z % block.z};
  return Timed(stream, start, stop,
               [&] { return LaunchHandle(function, grid, stream, arguments); });
}

}  // namespace

hipError_t LaunchHandle(hipFunction_t function, const void* named, const Grid& grid,
                        hipStream_t stream, const LaunchArguments& arguments) {
  if (!IsFunction(function)) return Report(hipErrorInvalidResourceHandle);
  KernelOperation operation;
  const hipError_t error = MakeKernelOperation(function, named, grid, arguments, &operation);
  return error != hipSuccess ? error : Enqueue(stream, std::move(operation));
}

hipError_t LaunchHostFunction(const void* host_function, const Grid& grid, hipStream_t stream,
                              const LaunchArguments& arguments) {
  Device* device = DeviceOfStream(stream);
  if (device == nullptr) return Report(hipErrorInvalidResourceHandle);
  hipFunction_t function = nullptr;
  if (hipError_t error = FunctionOn(*device, host_function, &function); error != hipSuccess)
    return error;
  return LaunchHandle(function, host_function, grid, stream, arguments);
}

}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_lds_bytes,
                                      hipStream_t stream) {
  Configurations().push_back({grid, block, dynamic_lds_bytes, stream, {}});
  return hipSuccess;
}

hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, size_t* dynamic_lds_bytes,
                                     hipStream_t* stream) {
  if (Configurations().empty()) return Report(hipErrorMissingConfiguration);
  const CallConfiguration& last = Configurations().back();
  *grid = last.grid;
  *block = last.block;
  *dynamic_lds_bytes = last.dynamic_lds_bytes;
  *stream = last.stream;
  Configurations().pop_back();
  return hipSuccess;
}

hipError_t hipLaunchKernel(const void* function, dim3 grid, dim3 block, void** parameters,
                           size_t dynamic_lds_bytes, hipStream_t stream) {
  return LaunchHostFunction(function, MakeGrid(grid, block, dynamic_lds_bytes, false), stream,
                            {parameters});
}

hipError_t hipLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                      void** parameters, unsigned int dynamic_lds_bytes,
                                      hipStream_t stream) {
  return LaunchHostFunction(function,
                            MakeGrid(grid, block, dynamic_lds_bytes, /*cooperative=*/true), stream,
                            {parameters});
}

hipError_t hipExtLaunchKernel(const void* function, dim3 grid, dim3 block, void** parameters,
                              size_t dynamic_lds_bytes, hipStream_t stream, hipEvent_t start,
                              hipEvent_t stop, int) {
  return Timed(stream, start, stop, [&] {
    return LaunchHostFunction(function, MakeGrid(grid, block, dynamic_lds_bytes, false), stream,
                              {parameters});
  });
}

hipError_t hipConfigureCall(dim3 grid, dim3 block, size_t dynamic_lds_bytes, hipStream_t stream) {
  return Report(__hipPushCallConfiguration(grid, block, dynamic_lds_bytes, stream));
}

hipError_t hipSetupArgument(const void* argument, size_t bytes, size_t offset) {
  if (Configurations().empty()) return Report(hipErrorMissingConfiguration);
  std::vector<std::byte>& arguments = Configurations().back().arguments;
  if (arguments.size() < offset + bytes) arguments.resize(offset + bytes);
  std::memcpy(arguments.data() + offset, argument, bytes);
  return Report(hipSuccess);
}

hipError_t hipLaunchByPtr(const void* function) {
  if (Configurations().empty()) return Report(hipErrorMissingConfiguration);
  CallConfiguration call = std::move(Configurations().back());
  Configurations().pop_back();
  size_t bytes = call.arguments.size();
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, call.arguments.data(),
                   HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes, HIP_LAUNCH_PARAM_END};
  return LaunchHostFunction(function,
                            MakeGrid(call.grid, call.block, call.dynamic_lds_bytes, false),
                            call.stream, {nullptr, extra});
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned int grid_x, unsigned int grid_y,
                                 unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                 unsigned int block_z, unsigned int dynamic_lds_bytes,
                                 hipStream_t stream, void** parameters, void** extra) {
  const Grid grid = MakeGrid(dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z),
                             dynamic_lds_bytes, /*cooperative=*/false);
  return LaunchHandle(function, grid, stream, {parameters, extra});
}

hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned int grid_x,
                                            unsigned int grid_y, unsigned int grid_z,
                                            unsigned int block_x, unsigned int block_y,
                                            unsigned int block_z, unsigned int dynamic_lds_bytes,
                                            hipStream_t stream, void** parameters) {
  const Grid grid = MakeGrid(dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z),
                             dynamic_lds_bytes, /*cooperative=*/true);
  return LaunchHandle(function, grid, stream, {parameters});
}

hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t items_x, uint32_t items_y,
                                    uint32_t items_z, uint32_t block_x, uint32_t block_y,
                                    uint32_t block_z, size_t dynamic_lds_bytes, hipStream_t stream,
                                    void** parameters, void** extra, hipEvent_t start,
                                    hipEvent_t stop, uint32_t) {
  return LaunchItems(function, dim3(items_x, items_y, items_z), dim3(block_x, block_y, block_z),
                     dynamic_lds_bytes, stream, {parameters, extra}, start, stop);
}

hipError_t hipHccModuleLaunchKernel(hipFunction_t function, uint32_t items_x, uint32_t items_y,
                                    uint32_t items_z, uint32_t block_x, uint32_t block_y,
                                    uint32_t block_z, size_t dynamic_lds_bytes, hipStream_t stream,
                                    void** parameters, void** extra, hipEvent_t start,
                                    hipEvent_t stop) {
  return LaunchItems(function, dim3(items_x, items_y, items_z), dim3(block_x, block_y, block_z),
                     dynamic_lds_bytes, stream, {parameters, extra}, start, stop);
}

// The same two under their C++ names, which hip_ext.h gives them.
hipError_t
ExtModuleLaunchKernelCxx(hipFunction_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, size_t, hipStream_t, void**, void**, hipEvent_t, hipEvent_t, uint32_t) __asm__(
    "_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_"
    "tS6_j") __attribute__((alias("hipExtModuleLaunchKernel")));
hipError_t
HccModuleLaunchKernelCxx(hipFunction_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, size_t, hipStream_t, void**, void**, hipEvent_t, hipEvent_t) __asm__(
    "_Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_"
    "tS6_") __attribute__((alias("hipHccModuleLaunchKernel")));

GRIDWISE_PER_THREAD(hipLaunchKernel);

// No alias: in the headers, the plain name is also that of a template.
hipError_t hipLaunchCooperativeKernel_spt(const void* function, dim3 grid, dim3 block,
                                          void** parameters, uint32_t dynamic_lds_bytes,
                                          hipStream_t stream) {
  return LaunchHostFunction(function,
                            MakeGrid(grid, block, dynamic_lds_bytes, /*cooperative=*/true), stream,
                            {parameters});
}

}  // extern "C"
