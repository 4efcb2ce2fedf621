// SPDX-License-Identifier: MIT
#include "gridwise/executable.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/random/random.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "core/arch/find_product.h"
#include "core/arch/tensor_map.h"
#include "core/launch/launch.h"
#include "core/runtime/buffer.h"
#include "core/runtime/device.h"
#include "core/runtime/module.h"
#include "core/runtime/status.h"
#include "core/runtime/tensor_map.h"

namespace gridwise {
namespace {

/// The start of each Memory; null if there is none.
using Starts = std::array<const void*, kMemories>;
Starts StartsOf(const Tensors& tensors, void* workspace, const void* table) {
  return {tensors.a,  tensors.b,  tensors.out, tensors.d0, tensors.d1,
          tensors.a1, tensors.b1, workspace,   table};
}

/// Returns which tensors the launches use.
std::array<bool, kMemories> TensorsOf(const LaunchPlan& plan) {
  std::array<bool, kMemories> tensors = {};
  const auto add = [&](Memory memory) { tensors[static_cast<std::size_t>(memory)] = true; };
  for (const KernelLaunch& launch : plan.launches) {
    for (const KernelLaunch::Address& address : launch.addresses) add(address.points_to.memory);
    for (const KernelLaunch::Map& map : launch.maps) add(map.points_to.memory);
  }
  return tensors;
}

/// Returns a number that memory contains by chance with probability 2^-64. No other launch gets
/// this number or one of the next 255.
std::uint64_t NextLaunchNumber() {
  static std::atomic<std::uint64_t> next = absl::Uniform<std::uint64_t>(absl::BitGen());
  return next.fetch_add(256, std::memory_order_relaxed);
}

absl::Status CheckTensors(const Starts& starts, const std::array<bool, kMemories>& needed) {
  constexpr const char* kNames[] = {"a", "b", "out", "d0", "d1", "a1", "b1"};  // by Memory
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (!needed[i] || starts[i] != nullptr) continue;
    return absl::InvalidArgumentError(
        absl::StrFormat("tensor %s is null; the plan's tensors must be device memory", kNames[i]));
  }
  return absl::OkStatus();
}

}  // namespace

struct Executable::Loaded {
  InstancePlan plan;
  DeviceBuffer table = {};
  std::vector<hipFunction_t> kernels = {};   // of each launch
  std::vector<TensorMap> maps = {};          // of all launches, encoded without addresses
  std::array<bool, kMemories> tensors = {};  // tensors that the launches use
};

Executable::Executable(std::shared_ptr<const Loaded> loaded) : loaded_(std::move(loaded)) {}

absl::StatusOr<Executable> Executable::Load(const InstancePlan& plan) {
  absl::StatusOr<DeviceInfo> device = CurrentDevice();
  if (!device.ok()) return device.status();
  const Processor* const processor = FindProcessor(device->target);
  if (processor == nullptr || processor->gfx != plan.gfx()) {
    return absl::FailedPreconditionError(
        absl::StrFormat("the plan is for %s, and the current device %s is %s", Name(plan.gfx()),
                        device->name, device->target));
  }
  const LaunchPlan& launches = plan.launch_plan();
  Loaded loaded = {.plan = plan, .tensors = TensorsOf(launches)};
  if (!launches.table.empty()) {
    absl::StatusOr<DeviceBuffer> copy = DeviceBuffer::CopyOf(launches.table);
    if (!copy.ok()) return copy.status();
    loaded.table = *std::move(copy);
  }
  for (const KernelLaunch& launch : launches.launches) {
    if (launch.code.object.empty()) {
      const bool is_other = processor->name != Name(plan.gfx()) && !processor->generic.empty();
      return absl::FailedPreconditionError(absl::StrFormat(
          "this program was built without kernels for %s; build it with "
          "--//tools/config:targets=%s",
          processor->name, is_other ? processor->generic : std::string_view(Name(plan.gfx()))));
    }
    absl::StatusOr<hipFunction_t> kernel = LoadKernel(launch.code, *device);
    if (!kernel.ok()) return kernel.status();
    loaded.kernels.push_back(*kernel);
    for (const KernelLaunch::Map& map : launch.maps) {
      TensorMap& encoded = loaded.maps.emplace_back();
      if (absl::Status status = Encode(map.spec, encoded); !status.ok()) return status;
    }
  }
  return Executable(std::make_shared<const Loaded>(std::move(loaded)));
}

absl::Status Executable::Launch(const Tensors& tensors, void* workspace,
                                std::int64_t workspace_bytes, hipStream_t stream) const {
  const InstancePlan& plan = loaded_->plan;
  const Starts starts = StartsOf(tensors, workspace, loaded_->table.data());
  absl::Status status = CheckTensors(starts, loaded_->tensors);
  if (!status.ok()) return status;
  const std::int64_t needed = plan.workspace_bytes();
  if (needed > 0 && (workspace == nullptr || workspace_bytes < needed)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("workspace is %d bytes at %p; the plan needs %d bytes", workspace_bytes,
                        workspace, needed));
  }
  const LaunchPlan& launches = plan.launch_plan();
  if (launches.zero_bytes > 0) {
    status = ToStatus(hipMemsetAsync(static_cast<char*>(workspace) + launches.zero_at, 0,
                                     static_cast<std::size_t>(launches.zero_bytes), stream),
                      "clear the sums in the workspace");
    if (!status.ok()) return status;
  }
  const auto address_of = [&](const MemoryOffset& where) {
    return static_cast<const char*>(starts[static_cast<std::size_t>(where.memory)]) + where.offset;
  };
  auto encoded = loaded_->maps.begin();
  for (std::size_t i = 0; i < loaded_->kernels.size(); ++i) {
    const KernelLaunch& launch = launches.launches[i];
    alignas(TensorMap) std::array<std::byte, kMaxArguments> buffer;
    const std::span arguments(buffer.data(), launch.arguments.size());
    std::memcpy(arguments.data(), launch.arguments.data(), arguments.size());
    for (const KernelLaunch::Address& address : launch.addresses) {
      const char* const value = address_of(address.points_to);
      std::memcpy(arguments.data() + address.at, &value, sizeof(value));
    }
    for (const KernelLaunch::Map& map : launch.maps) {
      TensorMap value = *encoded++;
      if (status = SetAddress(value, address_of(map.points_to)); !status.ok()) return status;
      std::memcpy(arguments.data() + map.at, &value, sizeof(value));
    }
    if (launch.number_at) {
      const std::uint64_t number = NextLaunchNumber();
      std::memcpy(arguments.data() + *launch.number_at, &number, sizeof(number));
    }
    LaunchShape shape = launch.shape;
    if (i == 0) shape.begins_early = false;  // the caller's launches do not expect it
    if (status = gridwise::Launch(loaded_->kernels[i], shape, arguments, stream); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace gridwise
