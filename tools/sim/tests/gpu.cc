// SPDX-License-Identifier: MIT
#include "tools/sim/tests/gpu.h"

#include <cstdlib>
#include <random>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "tools/sim/hip/sim_extension.h"

namespace gridwise::sim {
namespace {

absl::Status ToStatus(hipError_t error, std::string_view what) {
  if (error == hipSuccess) return absl::OkStatus();
  const std::string sentence = gridwiseSimLastFault == nullptr ? "" : gridwiseSimLastFault();
  return absl::InternalError(absl::StrCat(what, ": ", hipGetErrorName(error), ": ", sentence));
}

}  // namespace

std::string TestTarget() {
  const char* target = std::getenv("GRIDWISE_TEST_TARGET");
  return target == nullptr ? "gfx942" : target;
}

absl::StatusOr<int> TestDevice() {
  int count = 0;
  if (absl::Status status = ToStatus(hipGetDeviceCount(&count), "hipGetDeviceCount"); !status.ok())
    return status;
  const std::string gfx = TestTarget();
  for (int device = 0; device < count; ++device) {
    hipDeviceProp_t properties;
    const hipError_t error = hipGetDeviceProperties(&properties, device);
    const std::string_view arch = properties.gcnArchName;
    if (error == hipSuccess && arch.substr(0, arch.find(':')) == gfx) return device;
  }
  return absl::NotFoundError(absl::StrCat("no device is a ", gfx));
}

Words::Words(std::span<const uint32_t> values) : count_(values.size()) {
  if (hipMalloc(reinterpret_cast<void**>(&device_), values.size_bytes()) != hipSuccess ||
      hipMemcpy(device_, values.data(), values.size_bytes(), hipMemcpyHostToDevice) != hipSuccess) {
    device_ = nullptr;
  }
}

Words::~Words() { static_cast<void>(hipFree(device_)); }

std::vector<uint32_t> Words::Read() const {
  std::vector<uint32_t> values(count_);
  if (hipMemcpy(values.data(), device_, 4 * count_, hipMemcpyDeviceToHost) != hipSuccess) return {};
  return values;
}

absl::StatusOr<Gpu> Gpu::Load(const std::map<std::string, CodeObjects>& levels) {
  const absl::StatusOr<int> device = TestDevice();
  if (!device.ok()) return device.status();
  if (absl::Status status = ToStatus(hipSetDevice(*device), "hipSetDevice"); !status.ok())
    return status;
  const std::string gfx = TestTarget();
  Gpu gpu;
  for (const auto& [level, objects] : levels) {
    for (const CodeObject& object : objects) {
      if (object.gfx != gfx) continue;
      const hipError_t error = hipModuleLoadData(&gpu.modules_[level], object.data.data());
      if (absl::Status status = ToStatus(error, "hipModuleLoadData"); !status.ok()) return status;
    }
  }
  if (gpu.modules_.size() != levels.size())
    return absl::NotFoundError("a level has no code object for " + gfx);
  return gpu;
}

std::vector<std::string> Gpu::levels() const {
  std::vector<std::string> names;
  for (const auto& [level, module] : modules_) names.push_back(level);
  return names;
}

absl::Status Gpu::Run(const std::string& level, const std::string& kernel, const LaunchShape& shape,
                      const uint32_t* in, uint32_t* out, int n) const {
  hipFunction_t function = nullptr;
  hipError_t error = hipModuleGetFunction(&function, modules_.at(level), kernel.c_str());
  if (absl::Status status = ToStatus(error, "hipModuleGetFunction"); !status.ok()) return status;
  void* parameters[] = {&in, &out, &n};
  error = hipModuleLaunchKernel(function, shape.workgroups[0], shape.workgroups[1],
                                shape.workgroups[2], shape.block[0], shape.block[1], shape.block[2],
                                shape.lds_bytes, nullptr, parameters, nullptr);
  if (absl::Status status = ToStatus(error, absl::StrCat(kernel, " at ", level)); !status.ok())
    return status;
  return ToStatus(hipDeviceSynchronize(), "hipDeviceSynchronize");
}

std::vector<uint32_t> RandomWords(size_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<uint32_t> words(count);
  for (uint32_t& word : words) word = generator();
  return words;
}

}  // namespace gridwise::sim
