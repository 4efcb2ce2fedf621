#include "instances/executable.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "core/arch/tensor_map.h"
#include "core/launch/launch.h"
#include "core/runtime/buffer.h"
#include "core/runtime/device.h"
#include "core/runtime/module.h"
#include "core/runtime/status.h"
#include "core/runtime/tensor_map.h"

namespace gridwise {
namespace {

/// The start of each Memory; null where there is none.
std::array<const void*, kMemories> StartsOf(const Tensors& tensors, void* workspace,
                                            const void* table) {
  return {tensors.a, tensors.b, tensors.out, tensors.d0, tensors.d1, workspace, table};
}

absl::Status CheckTensors(const Tensors& tensors, int epilogue_tensors) {
  const auto null = [](const char* name) {
    return absl::InvalidArgumentError(
        absl::StrFormat("tensor %s is null; the plan's tensors must be device memory", name));
  };
  if (tensors.a == nullptr) return null("a");
  if (tensors.b == nullptr) return null("b");
  if (tensors.out == nullptr) return null("out");
  if (epilogue_tensors > 0 && tensors.d0 == nullptr) return null("d0");
  if (epilogue_tensors > 1 && tensors.d1 == nullptr) return null("d1");
  return absl::OkStatus();
}

}  // namespace

struct Executable::Loaded {
  RowPlan plan;
  DeviceBuffer table = {};
  std::vector<hipFunction_t> kernels = {};  // of the launches
  std::vector<TensorMap> maps = {};         // of all launches, encoded but for their addresses
};

Executable::Executable(std::shared_ptr<const Loaded> loaded) : loaded_(std::move(loaded)) {}

absl::StatusOr<Executable> Executable::Load(const RowPlan& plan) {
  absl::StatusOr<DeviceInfo> device = CurrentDevice();
  if (!device.ok()) return device.status();
  if (device->target != Name(plan.gfx())) {
    return absl::FailedPreconditionError(
        absl::StrFormat("the plan is for %s, and the current device %s is %s", Name(plan.gfx()),
                        device->name, device->target));
  }
  const LaunchPlan& launches = plan.launch_plan();
  Loaded loaded = {.plan = plan};
  if (!launches.table.empty()) {
    absl::StatusOr<DeviceBuffer> copy = DeviceBuffer::CopyOf(launches.table);
    if (!copy.ok()) return copy.status();
    loaded.table = *std::move(copy);
  }
  for (const KernelLaunch& launch : launches.launches) {
    if (launch.code.object.empty()) {
      return absl::FailedPreconditionError(
          absl::StrFormat("this program was built without kernels for %s; build it with "
                          "--//tools/config:targets=%s",
                          Name(plan.gfx()), Name(plan.gfx())));
    }
    absl::StatusOr<hipFunction_t> kernel = LoadKernel(launch.code.object, launch.code.symbol);
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
  const RowPlan& plan = loaded_->plan;
  absl::Status status = CheckTensors(tensors, plan.epilogue_tensors());
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
  const std::array starts = StartsOf(tensors, workspace, loaded_->table.data());
  const auto address_of = [&](const Place& place) {
    return static_cast<const char*>(starts[static_cast<std::size_t>(place.memory)]) + place.offset;
  };
  auto encoded = loaded_->maps.begin();
  for (std::size_t i = 0; i < loaded_->kernels.size(); ++i) {
    const KernelLaunch& launch = launches.launches[i];
    alignas(TensorMap) std::array<std::byte, kMaxArguments> buffer;
    const std::span arguments(buffer.data(), launch.arguments.size());
    std::memcpy(arguments.data(), launch.arguments.data(), arguments.size());
    for (const KernelLaunch::Address& address : launch.addresses) {
      const char* const value = address_of(address.place);
      std::memcpy(arguments.data() + address.at, &value, sizeof(value));
    }
    for (const KernelLaunch::Map& map : launch.maps) {
      TensorMap value = *encoded++;
      if (status = SetAddress(value, address_of(map.place)); !status.ok()) return status;
      std::memcpy(arguments.data() + map.at, &value, sizeof(value));
    }
    LaunchShape shape = launch.shape;
    if (i == 0) shape.begins_early = false;  // the caller's launches know nothing of it
    if (status = gridwise::Launch(loaded_->kernels[i], shape, arguments, stream); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace gridwise
