#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void Lanes(int* lanes) { *lanes = warpSize; }

int main() {
  int* device_lanes;
  int lanes = 0;
  if (hipMalloc(&device_lanes, sizeof(int)) != hipSuccess) return 1;
  Lanes<<<1, 1>>>(device_lanes);
  if (hipMemcpy(&lanes, device_lanes, sizeof(int), hipMemcpyDeviceToHost) != hipSuccess) return 1;
  std::printf("%d lanes\n", lanes);
  return 0;
}
