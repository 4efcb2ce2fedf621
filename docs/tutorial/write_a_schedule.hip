// SPDX-License-Identifier: MIT
// Step 5: two schedules of one kernel. Both load, store to LDS and multiply the same k tiles; the
// second one loads the next k tile while it multiplies the one before.
//
//   ./bazelw run //tools/sim:hipcc -- -O2 docs/tutorial/write_a_schedule.hip -o
//   /tmp/write_a_schedule
//   ./bazelw run //tools/sim:run -- --device=gfx942 /tmp/write_a_schedule verify
//   ./bazelw run //tools/sim:run -- --device=gfx942 --time /tmp/write_a_schedule
//
// The kernel computes C = A B of f32, by tiles of 64 x 64. A schedule is a function of three
// actions, as in tile/pipeline/: it says in which order they run, and where waves meet.

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kTile = 64, kKTile = 16, kThreads = 256;  // a thread has 4 x 4 sums
constexpr int kK = 512, kTilesPerSide = 4;
constexpr int kSize = kTile * kTilesPerSide;

struct Lds {
  float a[kKTile][kTile], b[kKTile][kTile];
};

// What a thread has in flight: a row of 4 elements of each operand.
struct KTile {
  float4 a, b;
};

// One LDS buffer. Memory is idle while waves multiply, and the multipliers while a k tile comes.
struct SingleSchedule {
  static constexpr int kBuffers = 1;
  template <class Load, class Store, class Multiply>
  __device__ static void Run(int k_tiles, Load load, Store store, Multiply multiply) {
    for (int i = 0; i < k_tiles; ++i) {
      const KTile k_tile = load(i);
      __syncthreads();  // the k tile before has been read
      store(k_tile, 0);
      __syncthreads();
      multiply(0);
    }
  }
};

// Two LDS buffers, and a k tile in flight to registers: one barrier per k tile.
struct DoubleSchedule {
  static constexpr int kBuffers = 2;
  template <class Load, class Store, class Multiply>
  __device__ static void Run(int k_tiles, Load load, Store store, Multiply multiply) {
    store(load(0), 0);
    for (int i = 0; i < k_tiles; ++i) {
      KTile next = {};
      if (i + 1 < k_tiles) next = load(i + 1);
      __syncthreads();  // this k tile is complete, and the one before has been read
      multiply(i % 2);
      if (i + 1 < k_tiles) store(next, (i + 1) % 2);
    }
  }
};

template <class Schedule>
__global__ __launch_bounds__(kThreads) void Gemm(const float* a, const float* b, float* c) {
  __shared__ Lds lds[Schedule::kBuffers];
  const int row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  const int k = threadIdx.x / 16, at = threadIdx.x % 16 * 4;     // of the thread's loads
  const int m = threadIdx.x / 16 * 4, n = threadIdx.x % 16 * 4;  // of its sums
  float sums[4][4] = {};
  Schedule::Run(
      kK / kKTile,
      [&](int i) -> KTile {
        const int line = (i * kKTile + k) * kSize;
        return {*reinterpret_cast<const float4*>(a + line + row + at),
                *reinterpret_cast<const float4*>(b + line + column + at)};
      },
      [&](const KTile& k_tile, int buffer) {
        *reinterpret_cast<float4*>(&lds[buffer].a[k][at]) = k_tile.a;
        *reinterpret_cast<float4*>(&lds[buffer].b[k][at]) = k_tile.b;
      },
      [&](int buffer) {
        for (int term = 0; term < kKTile; ++term) {
          for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < 4; ++j) {
              sums[i][j] += lds[buffer].a[term][m + i] * lds[buffer].b[term][n + j];
            }
          }
        }
      });
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) c[(row + m + i) * kSize + column + n + j] = sums[i][j];
  }
}

#define CHECK(condition)                                                         \
  do {                                                                           \
    if (!(condition)) {                                                          \
      std::fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #condition); \
      std::exit(1);                                                              \
    }                                                                            \
  } while (false)

// Checks a schedule's result. A has its column in each element, modulo 7, and B ones.
template <class Schedule>
void Verify(const float* a, const float* b, float* c) {
  CHECK(hipMemset(c, 0xff, kSize * kSize * sizeof(float)) == hipSuccess);
  Gemm<Schedule><<<dim3(kTilesPerSide, kTilesPerSide), kThreads>>>(a, b, c);
  std::vector<float> result(kSize * kSize);
  CHECK(hipMemcpy(result.data(), c, result.size() * sizeof(float), hipMemcpyDeviceToHost) ==
        hipSuccess);
  for (int i = 0; i < kSize * kSize; ++i) CHECK(result[i] == kK * (i / kSize % 7));
}

// Returns the microseconds of a schedule. The clock runs a sample of the workgroups, which leaves
// the output incomplete.
template <class Schedule>
float Time(const float* a, const float* b, float* c) {
  hipEvent_t begin, end;
  CHECK(hipEventCreate(&begin) == hipSuccess && hipEventCreate(&end) == hipSuccess);
  CHECK(hipEventRecord(begin, nullptr) == hipSuccess);
  Gemm<Schedule><<<dim3(kTilesPerSide, kTilesPerSide), kThreads>>>(a, b, c);
  CHECK(hipEventRecord(end, nullptr) == hipSuccess && hipEventSynchronize(end) == hipSuccess);
  float milliseconds = 0;
  CHECK(hipEventElapsedTime(&milliseconds, begin, end) == hipSuccess);
  return 1000 * milliseconds;
}

int main(int argc, char**) {
  std::vector<float> a(kK * kSize), ones(kK * kSize, 1);  // [k][row] and [k][column]
  for (int i = 0; i < kK * kSize; ++i) a[i] = i % kSize % 7;
  float *device_a, *device_b, *device_c;
  const size_t bytes = a.size() * sizeof(float);
  CHECK(hipMalloc(&device_a, bytes) == hipSuccess && hipMalloc(&device_b, bytes) == hipSuccess);
  CHECK(hipMalloc(&device_c, kSize * kSize * sizeof(float)) == hipSuccess);
  CHECK(hipMemcpy(device_a, a.data(), bytes, hipMemcpyHostToDevice) == hipSuccess);
  CHECK(hipMemcpy(device_b, ones.data(), bytes, hipMemcpyHostToDevice) == hipSuccess);
  if (argc > 1) {
    Verify<SingleSchedule>(device_a, device_b, device_c);
    Verify<DoubleSchedule>(device_a, device_b, device_c);
    std::fprintf(stderr, "both schedules are right\n");
    return 0;
  }
  const float single = Time<SingleSchedule>(device_a, device_b, device_c);
  const float twice = Time<DoubleSchedule>(device_a, device_b, device_c);
  std::fprintf(stderr, "one buffer %.1f us, two buffers %.1f us\n", single, twice);
  CHECK(twice < single);
  return 0;
}
