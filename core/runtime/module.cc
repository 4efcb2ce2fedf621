// SPDX-License-Identifier: MIT
#include "core/runtime/module.h"

#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "absl/base/no_destructor.h"
#include "absl/strings/str_cat.h"
#include "core/launch/code.h"
#include "core/runtime/status.h"
#include "tools/third_party/hip/cuda/launch.h"

namespace gridwise {

absl::StatusOr<Module> Module::Load(absl::string_view code_object) {
  hipModule_t module = nullptr;
  absl::Status status =
      ToStatus(hipModuleLoadData(&module, code_object.data()),
               absl::StrCat("load a code object of ", code_object.size(), " bytes"));
  if (!status.ok()) return status;
  return Module(module);
}

Module::~Module() {
  // As for memory: nobody can act on a module that does not unload.
  if (module_ != nullptr) static_cast<void>(hipModuleUnload(module_));
}

absl::StatusOr<hipFunction_t> Module::FindKernel(const std::string& name) const {
  hipFunction_t function = nullptr;
  absl::Status status = ToStatus(hipModuleGetFunction(&function, module_, name.c_str()),
                                 absl::StrCat("find the kernel ", name, " in its code object"));
  if (!status.ok()) return status;
  return function;
}

namespace {

/// Modules by device and code object. Never destroyed: HIP may be gone by then.
struct ModuleCache {
  std::mutex mutex;
  std::map<std::pair<int, const char*>, Module> modules;
};

ModuleCache& TheModules() {
  static absl::NoDestructor<ModuleCache> cache;
  return *cache;
}

absl::StatusOr<int> CurrentOrdinal() {
  int ordinal = 0;
  absl::Status status = ToStatus(hipGetDevice(&ordinal), "read the current device");
  if (!status.ok()) return status;
  return ordinal;
}

}  // namespace

absl::StatusOr<hipFunction_t> LoadKernel(const KernelCode& code, const DeviceInfo& device) {
  const absl::StatusOr<std::string_view> object = ObjectFor(code, device.target);
  if (!object.ok()) return object.status();
  ModuleCache& cache = TheModules();
  const std::lock_guard lock(cache.mutex);
  const std::pair key(device.ordinal, object->data());
  auto found = cache.modules.find(key);
  if (found == cache.modules.end()) {
    absl::StatusOr<Module> module = Module::Load(*object);
    if (!module.ok()) return module.status();
    found = cache.modules.emplace(key, *std::move(module)).first;
  }
  return found->second.FindKernel(code.symbol);
}

void ForgetModules() {
  const absl::StatusOr<int> device = CurrentOrdinal();
  if (!device.ok()) return;
  ModuleCache& cache = TheModules();
  const std::lock_guard lock(cache.mutex);
  std::erase_if(cache.modules, [&](const auto& entry) { return entry.first.first == *device; });
}

absl::Status Launch(hipFunction_t kernel, const LaunchShape& shape,
                    std::span<const std::byte> arguments, hipStream_t stream) {
  for (const auto& [what, extent] :
       {std::pair("workgroups", shape.workgroups), std::pair("threads", shape.threads)}) {
    if (extent.x > 0 && extent.y > 0 && extent.z > 0) continue;
    return absl::InvalidArgumentError(absl::StrCat("cannot launch a kernel: ", what, " are ",
                                                   extent.x, " x ", extent.y, " x ", extent.z,
                                                   "; each must be at least 1"));
  }
  std::size_t size = arguments.size();
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, const_cast<std::byte*>(arguments.data()),
                   HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  const auto [x, y, z] = shape.workgroups;
  const auto [in_x, in_y, in_z] = shape.threads;
  if (shape.cluster > 1 && hipGridwiseModuleLaunch == nullptr) {
    return absl::UnimplementedError("the linked HIP library has no clusters of workgroups");
  }
  const bool is_plain = shape.cluster <= 1 && !shape.begins_early;
  const hipError_t error =
      is_plain || hipGridwiseModuleLaunch == nullptr
          ? hipModuleLaunchKernel(kernel, x, y, z, in_x, in_y, in_z, shape.dynamic_lds_bytes,
                                  stream, nullptr, extra)
          : hipGridwiseModuleLaunch(kernel, x, y, z, in_x, in_y, in_z, shape.dynamic_lds_bytes,
                                    stream, nullptr, extra, shape.cluster, shape.begins_early);
  if (error == hipSuccess) return absl::OkStatus();
  return ToStatus(
      error, absl::StrCat("launch a kernel with ", shape.workgroups[0], " x ", shape.workgroups[1],
                          " x ", shape.workgroups[2], " workgroups"));
}

}  // namespace gridwise
