// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/launch/launch.h"
#include "core/launch/launch_shape.h"
#include "core/runtime/device.h"
#include "hip/hip_runtime_api.h"

namespace gridwise {

/// A code object on the current device, unloaded on destruction. Move-only.
class Module {
 public:
  Module() = default;
  /// Loads the ELF bytes of a code object (see tools/build/code_object.h), which need not outlive
  /// the call.
  static absl::StatusOr<Module> Load(absl::string_view code_object);

  Module(Module&& other) noexcept : module_(std::exchange(other.module_, nullptr)) {}
  Module& operator=(Module&& other) noexcept {
    std::swap(module_, other.module_);
    return *this;
  }
  ~Module();

  /// The kernel of this name; valid as long as the module. Returns kNotFound if there is none.
  absl::StatusOr<hipFunction_t> FindKernel(const std::string& name) const;

 private:
  explicit Module(hipModule_t module) : module_(module) {}
  hipModule_t module_ = nullptr;
};

/// The kernel `code` on `device`, which must be the current one, from the code object that
/// ObjectFor (core/launch/code.h) chooses for it. The first call of this process for the code
/// object on this device loads the module; it stays loaded until ResetDevice(). A code object is
/// identified by its address and must be static memory. Thread-safe.
absl::StatusOr<hipFunction_t> LoadKernel(const KernelCode& code, const DeviceInfo& device);

/// Forgets the modules that LoadKernel loaded on the current device, whose state is lost.
void ForgetModules();

/// Starts `kernel` with `arguments`, the bytes of its kernel argument block, on `stream` (null: the
/// default stream). Allocates nothing unless it fails. Returns kInvalidArgument for a shape that is
/// empty or beyond the device's limits.
absl::Status Launch(hipFunction_t kernel, const LaunchShape& shape,
                    std::span<const std::byte> arguments, hipStream_t stream = nullptr);

}  // namespace gridwise
