// SPDX-License-Identifier: MIT
// Loads a code object from the file that the first argument names, launches its kernel with packed
// arguments and with pointers to them, and reads its variable.

#include <hip/hip_runtime.h>

#include <vector>

#include "check.h"

int main(int argc, char** argv) {
  CHECK(argc == 2);
  hipModule_t module;
  hipFunction_t scale;
  CHECK_HIP(hipModuleLoad(&module, argv[1]));
  CHECK(hipModuleGetFunction(&scale, module, "NoSuchKernel") == hipErrorNotFound);
  CHECK_HIP(hipModuleGetFunction(&scale, module, "Scale"));
  hipDeviceptr_t factor;
  size_t bytes = 0;
  CHECK_HIP(hipModuleGetGlobal(&factor, &bytes, module, "factor"));
  CHECK(bytes == sizeof(float));
  const float five = 5;
  CHECK_HIP(hipMemcpyHtoD(factor, const_cast<float*>(&five), sizeof(five)));

  constexpr int kLength = 300;
  std::vector<float> values(kLength);
  for (int i = 0; i < kLength; ++i) values[i] = static_cast<float>(i);
  float* device;
  CHECK_HIP(hipMalloc(&device, kLength * sizeof(float)));
  CHECK_HIP(hipMemcpy(device, values.data(), kLength * sizeof(float), hipMemcpyHostToDevice));
  int n = kLength;
  void* pointers[] = {&device, &n};
  CHECK_HIP(hipModuleLaunchKernel(scale, 5, 1, 1, 64, 1, 1, 0, nullptr, pointers, nullptr));
  struct {
    float* values;
    int n;
  } packed = {device, n};
  size_t packed_bytes = sizeof(packed);
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE,
                   &packed_bytes, HIP_LAUNCH_PARAM_END};
  CHECK_HIP(hipModuleLaunchKernel(scale, 5, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra));
  CHECK_HIP(hipMemcpy(values.data(), device, kLength * sizeof(float), hipMemcpyDeviceToHost));
  for (int i = 0; i < kLength; ++i) CHECK(values[i] == static_cast<float>(25 * i));
  CHECK_HIP(hipFree(device));
  CHECK_HIP(hipModuleUnload(module));
  return 0;
}
