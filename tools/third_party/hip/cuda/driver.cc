// SPDX-License-Identifier: MIT
#include "tools/third_party/hip/cuda/driver.h"

#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <mutex>

namespace gridwise::cuda {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";
constexpr int kMaxDevices = 64;

struct Opened {
  Driver driver;
  hipError_t error = hipErrorNoDevice;
};

Opened Open() {
  Opened opened;
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    std::fprintf(stderr, "gridwise: %s\n", dlerror());
    return opened;
  }
  const char* missing = nullptr;
  const auto find = [&](const char* symbol, auto& function) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
    if (function == nullptr) missing = symbol;
  };
#define GRIDWISE_CUDA_FIND(name, symbol, parameters) find(symbol, opened.driver.name);
  GRIDWISE_CUDA_FUNCTIONS(GRIDWISE_CUDA_FIND)
#undef GRIDWISE_CUDA_FIND
  if (missing != nullptr) {
    std::fprintf(stderr, "gridwise: %s has no %s; a driver for CUDA 12.4 or newer has it\n",
                 kLibrary, missing);
    opened.error = hipErrorInsufficientDriver;
    return opened;
  }
  opened.error = Translate(opened.driver.Init(0));
  return opened;
}

const Opened& TheDriver() {
  static const Opened opened = Open();
  return opened;
}

/// Retained once for each device, and never released: other libraries use them as well.
struct PrimaryContexts {
  std::mutex mutex;
  std::array<void*, kMaxDevices> of_device = {};
};
PrimaryContexts& TheContexts() {
  static PrimaryContexts contexts;
  return contexts;
}

}  // namespace

const Driver* GetDriver() {
  return TheDriver().error == hipSuccess ? &TheDriver().driver : nullptr;
}

hipError_t NoDriver() {
  return TheDriver().error == hipErrorInsufficientDriver ? hipErrorInsufficientDriver
                                                         : hipErrorNoDevice;
}

hipError_t UsePrimaryContext(Device device) {
  const Driver* const driver = GetDriver();
  if (driver == nullptr) return NoDriver();
  if (device < 0 || device >= kMaxDevices) return hipErrorInvalidDevice;
  void* context = nullptr;
  {
    PrimaryContexts& contexts = TheContexts();
    const std::lock_guard lock(contexts.mutex);
    void*& retained = contexts.of_device[static_cast<std::size_t>(device)];
    if (retained == nullptr) {
      const Result result = driver->DevicePrimaryCtxRetain(&retained, device);
      if (result != 0) return Translate(result);
    }
    context = retained;
  }
  return Translate(driver->CtxSetCurrent(context));
}

hipError_t ResetPrimaryContext(Device device) {
  const Driver* const driver = GetDriver();
  if (driver == nullptr) return NoDriver();
  if (device < 0 || device >= kMaxDevices) return hipErrorInvalidDevice;
  {
    PrimaryContexts& contexts = TheContexts();
    const std::lock_guard lock(contexts.mutex);
    if (const Result result = driver->DevicePrimaryCtxReset(device); result != 0) {
      return Translate(result);
    }
    contexts.of_device[static_cast<std::size_t>(device)] = nullptr;
  }
  return UsePrimaryContext(device);
}

Entered Enter() {
  const Driver* const driver = GetDriver();
  if (driver == nullptr) return {nullptr, NoDriver()};
  void* context = nullptr;
  hipError_t error = Translate(driver->CtxGetCurrent(&context));
  if (error == hipSuccess && context == nullptr) error = UsePrimaryContext(0);
  return {error == hipSuccess ? driver : nullptr, error};
}

}  // namespace gridwise::cuda
