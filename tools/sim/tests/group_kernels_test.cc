// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/sim_extension.h"
#include "tools/sim/tests/gpu.h"
#include "tools/sim/tests/group_kernels_o0.h"
#include "tools/sim/tests/group_kernels_o1.h"
#include "tools/sim/tests/group_kernels_o3.h"

// Kernels of group_kernels.hip at three optimisation levels, against expectations that are worked
// out here.

namespace gridwise::sim {
namespace {

using U32s = std::vector<uint32_t>;

constexpr int kWords = 1024;

bool IsRdna() { return TestTarget().starts_with("gfx1"); }
int WaveSize() { return IsRdna() ? 32 : 64; }

const absl::StatusOr<Gpu>& Kernels() {
  static const auto* const gpu = new absl::StatusOr<Gpu>(
      Gpu::Load({{"O0", GroupKernelsO0()}, {"O1", GroupKernelsO1()}, {"O3", GroupKernelsO3()}}));
  return *gpu;
}

/// Runs `kernel` at every level with `out` as the output's first contents, and returns the outputs,
/// which are equal.
U32s RunAll(const std::string& kernel, const LaunchShape& shape, const U32s& in, const U32s& out,
            int n) {
  if (!Kernels().ok()) {
    ADD_FAILURE() << Kernels().status();
    return {};
  }
  U32s first;
  for (const std::string& level : Kernels()->levels()) {
    const Words device_in(in), device_out(out);
    const absl::Status status =
        Kernels()->Run(level, kernel, shape, device_in.device(), device_out.device(), n);
    if (!status.ok()) {
      ADD_FAILURE() << status;
      return {};
    }
    const U32s result = device_out.Read();
    if (first.empty()) first = result;
    EXPECT_EQ(result, first) << level << " differs from " << Kernels()->levels().front();
  }
  return first;
}

/// The same with kWords random words in and out, a work-item each.
U32s RunWords(const std::string& kernel, const U32s& in) {
  return RunAll(kernel, {.workgroups = {kWords / 256, 1, 1}}, in, U32s(kWords, 0xdeadbeef), kWords);
}

const U32s& Input() {
  static const auto* const words = new U32s(RandomWords(kWords, 11));
  return *words;
}

/// out[i] = element(block's words, index in block, global index) for blocks of `size` words.
U32s ByBlock(const U32s& in, int size,
             const std::function<uint32_t(const uint32_t*, int, int)>& element) {
  U32s out(in.size());
  for (int i = 0; i < static_cast<int>(in.size()); ++i)
    out[i] = element(&in[i / size * size], i % size, i);
  return out;
}

float SmallInteger(uint32_t word) { return static_cast<float>(static_cast<int>(word % 17) - 8); }

TEST(GroupKernels, ReduceTree) {
  U32s expected(4);
  for (int i = 0; i < kWords; ++i) expected[i / 256] += Input()[i];
  EXPECT_EQ(RunAll("ReduceTree", {.workgroups = {4, 1, 1}}, Input(), U32s(4), kWords), expected);
}

TEST(GroupKernels, Scan) {
  EXPECT_EQ(RunWords("Scan", Input()), ByBlock(Input(), 256, [](const uint32_t* block, int i, int) {
              uint32_t sum = 0;
              for (int k = 0; k <= i; ++k) sum += block[k];
              return sum;
            }));
}

TEST(GroupKernels, Softmax) {
  U32s in(kWords);
  for (int i = 0; i < kWords; ++i)
    in[i] = std::bit_cast<uint32_t>(static_cast<float>(Input()[i] % 2000) * 0.01f - 8.0f);
  const U32s out = RunWords("Softmax", in);
  ASSERT_EQ(out.size(), in.size());
  for (int i = 0; i < kWords; ++i) {
    double sum = 0;
    for (int k = 0; k < 256; ++k)
      sum += std::exp(static_cast<double>(std::bit_cast<float>(in[i / 256 * 256 + k])));
    const double expected = std::exp(static_cast<double>(std::bit_cast<float>(in[i]))) / sum;
    EXPECT_NEAR(std::bit_cast<float>(out[i]), expected, 1e-5 * expected) << i;
  }
}

TEST(GroupKernels, BitonicSort) {
  U32s expected = Input();
  for (int b = 0; b < kWords; b += 256) std::sort(expected.begin() + b, expected.begin() + b + 256);
  EXPECT_EQ(RunWords("BitonicSort", Input()), expected);
}

TEST(GroupKernels, Histogram) {
  U32s expected(256, 5);
  for (int i = 0; i < kWords - 10; ++i) ++expected[Input()[i] & 255];
  EXPECT_EQ(RunAll("Histogram", {.workgroups = {4, 1, 1}}, Input(), U32s(256, 5), kWords - 10),
            expected);
}

TEST(GroupKernels, ShuffleSum) {
  EXPECT_EQ(RunWords("ShuffleSum", Input()),
            ByBlock(Input(), WaveSize(), [](const uint32_t* wave, int, int) {
              uint32_t sum = 0;
              for (int k = 0; k < WaveSize(); ++k) sum += wave[k];
              return sum;
            }));
}

TEST(GroupKernels, ShufflePartial) {
  EXPECT_EQ(RunWords("ShufflePartial", Input()),
            ByBlock(Input(), WaveSize(), [](const uint32_t* wave, int lane, int) {
              if (lane % 2 != 0) return 1u;
              // In 64 lanes even lane l sends to 63 - (l ^ 1) = 62 - l: each even lane hears from
              // lane 62 - itself.
              const int from = (lane + 1 + 2 * lane / WaveSize()) % WaveSize();
              return wave[WaveSize() - 2 - lane] + (from % 2 == 0 ? 3 * wave[from] : 0);
            }));
}

TEST(GroupKernels, Swizzles) {
  EXPECT_EQ(RunWords("Swizzles", Input()),
            ByBlock(Input(), 64, [](const uint32_t* wave, int lane, int) {
              return wave[lane ^ 1] + 3 * wave[lane / 4 * 4 + 3 - lane % 4] +
                     5 * wave[lane / 32 * 32 + 31 - lane % 32];
            }));
}

TEST(GroupKernels, DataParallelPrimitives) {
  EXPECT_EQ(RunWords("DataParallelPrimitives", Input()),
            ByBlock(Input(), WaveSize(), [](const uint32_t* wave, int lane, int) {
              const int row = lane / 16, column = lane % 16;
              const uint32_t shifted = column == 0 ? 7 : wave[lane - 1];
              const uint32_t mirrored = wave[16 * row + 15 - column];
              const uint32_t quad = wave[lane ^ 2];
              const uint32_t broadcast =
                  row % 2 == 0 ? 9 : wave[IsRdna() ? 16 * row + 5 : 16 * row - 1];
              return shifted ^ (mirrored << 1) ^ (quad << 2) ^ (broadcast << 3);
            }));
}

TEST(GroupKernels, Votes) {
  EXPECT_EQ(RunWords("Votes", Input()),
            ByBlock(Input(), WaveSize(), [](const uint32_t* wave, int lane, int) {
              uint64_t odd = 0;
              for (int k = 0; k < WaveSize(); ++k) odd |= uint64_t{wave[k] & 1} << k;
              uint32_t result = static_cast<uint32_t>(odd >> (lane & 31)) ^ wave[WaveSize() - 27];
              if (lane >= 5) result += wave[5];
              return result + static_cast<uint32_t>(std::popcount(odd));
            }));
}

TEST(GroupKernels, TransposeTile) {
  U32s expected(kWords);
  for (int i = 0; i < kWords; ++i) expected[i] = Input()[i % 32 * 32 + i / 32];
  EXPECT_EQ(RunAll("TransposeTile", {}, Input(), U32s(kWords), kWords), expected);
}

/// Row m, column n of the product of small integers: A [m][k], 64 columns, and B [k][n] after it,
/// `columns` columns.
uint32_t Product(const U32s& in, int m, int n, int columns) {
  float sum = 0;
  for (int k = 0; k < 64; ++k)
    sum += SmallInteger(in[64 * m + k]) * SmallInteger(in[4096 + columns * k + n]);
  return std::bit_cast<uint32_t>(sum + 0.0f);
}

TEST(GroupKernels, LdsGemm) {
  const U32s in = RandomWords(8192, 3);
  U32s expected(4096);
  for (int i = 0; i < 4096; ++i) expected[i] = Product(in, i / 64, i % 64, 64);
  EXPECT_EQ(RunAll("LdsGemm", {}, in, U32s(4096), 0), expected);
}

TEST(GroupKernels, MatrixCores) {
  if (IsRdna()) GTEST_SKIP() << "the kernel uses MFMA";
  const U32s in = RandomWords(4096 + 2048, 4);
  U32s expected(1280);
  for (int i = 0; i < 1024; ++i) expected[i] = Product(in, i / 32, i % 32, 32);
  for (int i = 0; i < 256; ++i) expected[1024 + i] = Product(in, i / 16, i % 16, 32);
  EXPECT_EQ(RunAll("MatrixCores", {.block = {64, 1, 1}}, in, U32s(1280), 0), expected);
  if (gridwiseSimSetExactMatrices == nullptr) return;  // a real GPU
  const auto fidelity = [](const char* name) {
    return absl::StrCat(R"("fidelity":")", name, R"(","opcode":"v_mfma_f32_32x32x8_f16")");
  };
  if (TestTarget() == "gfx90a") {  // it has one way to add
    EXPECT_THAT(gridwiseSimFidelity(), testing::HasSubstr(fidelity("exact")));
    return;
  }
  EXPECT_THAT(gridwiseSimFidelity(), testing::HasSubstr(fidelity("approximate")));
  EXPECT_THAT(gridwiseSimFidelity(), testing::Not(testing::HasSubstr(fidelity("exact"))));
  // How hardware adds is not known of gfx950: nothing becomes exact.
  gridwiseSimSetExactMatrices(1);
  EXPECT_EQ(RunAll("MatrixCores", {.block = {64, 1, 1}}, in, U32s(1280), 0), expected);
  gridwiseSimSetExactMatrices(0);
  const auto exact = testing::HasSubstr(fidelity("exact"));
  if (TestTarget() == "gfx942") {
    EXPECT_THAT(gridwiseSimFidelity(), exact);
  } else {
    EXPECT_THAT(gridwiseSimFidelity(), testing::Not(exact));
  }
}

TEST(GroupKernels, SparseMatrixCores) {
  if (TestTarget() == "gfx1100" || TestTarget() == "gfx90a")
    GTEST_SKIP() << "it has no sparse matrix instructions";
  const U32s in = RandomWords(4096 + 2048, 6);
  U32s expected(256);
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 16; ++j) {
      float sum = 0;
      for (int quad = 0; quad < 16; ++quad) {
        const int low = (i + quad) % 3, high = low + 1 + i * quad % (3 - low);
        for (const int k : {4 * quad + low, 4 * quad + high})
          sum += SmallInteger(in[64 * i + k]) * SmallInteger(in[4096 + 32 * k + j]);
      }
      expected[16 * i + j] = std::bit_cast<uint32_t>(sum);
    }
  }
  EXPECT_EQ(RunAll("SparseMatrixCores", {.block = {static_cast<unsigned>(WaveSize()), 1, 1}}, in,
                   U32s(256), 0),
            expected);
}

/// What FlashAttention computes, in double.
double Attention(const std::vector<float>& in, int queries, int n, int query, int element) {
  constexpr int kHead = 64;
  const float* const queried = in.data() + kHead * query;
  const float* const keys = in.data() + kHead * queries;
  std::vector<double> scores(static_cast<size_t>(n));
  for (int k = 0; k < n; ++k) {
    double& score = scores[static_cast<size_t>(k)];
    for (int d = 0; d < kHead; ++d) score += double{queried[d]} * keys[kHead * k + d] / 8;
  }
  const double greatest = *std::max_element(scores.begin(), scores.end());
  double sum = 0, total = 0;
  for (int k = 0; k < n; ++k) {
    const double weight = std::exp(scores[static_cast<size_t>(k)] - greatest);
    total += weight;
    sum += weight * keys[kHead * (n + k) + element];
  }
  return sum / total;
}

TEST(GroupKernels, FlashAttention) {
  constexpr int kHead = 64, kKeys = 40, kBlocks = 2, kBlock = 128;
  const int queries = kBlocks * kBlock / WaveSize() * 16;
  std::vector<float> values(static_cast<size_t>(kHead * (queries + 2 * kKeys)));
  U32s in(values.size() / 2);
  const U32s random = RandomWords(static_cast<int>(values.size()), 5);
  for (size_t i = 0; i < values.size(); ++i) {
    const auto half = static_cast<_Float16>(static_cast<float>(random[i] % 4001) * 0.001f - 2);
    values[i] = static_cast<float>(half);
    in[i / 2] |= uint32_t{std::bit_cast<uint16_t>(half)} << (16 * (i % 2));
  }
  const U32s out =
      RunAll("FlashAttention", {.workgroups = {kBlocks, 1, 1}, .block = {kBlock, 1, 1}}, in,
             U32s(static_cast<size_t>(kHead * queries)), kKeys);
  ASSERT_EQ(out.size(), static_cast<size_t>(kHead * queries));
  for (int i = 0; i < kHead * queries; ++i) {
    // The weights are halves, their sum is not.
    ASSERT_NEAR(std::bit_cast<float>(out[static_cast<size_t>(i)]),
                Attention(values, queries, kKeys, i / kHead, i % kHead), 2e-3)
        << "query " << i / kHead << ", element " << i % kHead;
  }
}

TEST(GroupKernels, BufferRange) {
  const int n = kWords;
  const auto word = [&](int at) { return at >= 0 && at < n - 3 ? Input()[at] : 0; };
  U32s expected(kWords, 0xdeadbeef);
  for (int i = 0; i < n - 3; ++i) {
    const uint32_t part =
        word(i) >> 16;  // a short never straddles the end of a range of whole words
    const bool lost = i % 5 == 0;
    const uint32_t x = word(i + 2) + 3 * word(i + 1) + 5 * word(i + 2) + part;
    const uint32_t y = lost ? 0 : word(i), z = lost ? 0 : word(i + 1);
    const uint32_t w = lost ? 0 : word(i + 2) + 7 * word(i + 3);
    expected[i] = x ^ (y << 1) ^ (z << 2) ^ (w << 3);
  }
  EXPECT_EQ(RunWords("BufferRange", Input()), expected);
}

TEST(GroupKernels, GlobalAtomics) {
  U32s out(2 * kWords), expected(2 * kWords);
  for (int i = 0; i < kWords; ++i) {
    const uint32_t old = Input()[i], x = Input()[(i + 1) % kWords];
    const uint32_t news[] = {
        old + x,
        old & x,
        old | x,
        old ^ x,
        std::max(old, x),
        std::min(old, x),
        x,
        i % 2 ? old : x,
        static_cast<uint32_t>(std::max(static_cast<int>(old), static_cast<int>(x)))};
    out[i] = old;
    expected[i] = news[i % 9];
    expected[kWords + i] = old;
  }
  EXPECT_EQ(RunAll("GlobalAtomics", {.workgroups = {4, 1, 1}}, Input(), out, kWords), expected);
}

TEST(GroupKernels, ContendedSums) {
  uint64_t sum = 0;
  for (const uint32_t word : Input()) sum += word % 1000;
  const uint64_t shifted = sum << 33, real = std::bit_cast<uint64_t>(static_cast<double>(sum));
  const U32s expected = {
      static_cast<uint32_t>(sum),     std::bit_cast<uint32_t>(static_cast<float>(sum)),
      static_cast<uint32_t>(shifted), static_cast<uint32_t>(shifted >> 32),
      static_cast<uint32_t>(real),    static_cast<uint32_t>(real >> 32)};
  EXPECT_EQ(RunAll("ContendedSums", {.workgroups = {4, 1, 1}}, Input(), U32s(6), kWords), expected);
}

TEST(GroupKernels, LdsAtomics) {
  EXPECT_EQ(
      RunWords("LdsAtomics", Input()), ByBlock(Input(), 256, [](const uint32_t* block, int i, int) {
        const uint32_t old = block[i], x = block[(i + 1) % 256];
        const uint32_t news[] = {old + x,          old & x,          old | x,           old ^ x,
                                 std::max(old, x), std::min(old, x), old == x ? 1 : old};
        return old * 3 + news[i % 7];
      }));
}

TEST(GroupKernels, LdsWidths) {
  EXPECT_EQ(
      RunWords("LdsWidths", Input()), ByBlock(Input(), 256, [](const uint32_t* block, int i, int) {
        const auto* bytes = reinterpret_cast<const uint8_t*>(block);
        const auto byte = [&](int at) { return bytes[at % 1024]; };
        int16_t part;
        std::memcpy(&part, bytes + 2 * (7 * i % 512), 2);
        const uint32_t mixed = byte(5 * i) +
                               256u * static_cast<uint32_t>(static_cast<int8_t>(byte(3 * i + 1))) +
                               65536u * static_cast<uint32_t>(part);
        const uint32_t changed = (block[i] & 0xff) | (mixed >> 3 & 0xff) << 8 | mixed << 16;
        const uint32_t* pair = block + 2 * (3 * i % 128);
        const uint32_t* four = block + 4 * (5 * i % 64);
        return changed + pair[1] + 3 * pair[0] + (four[0] ^ four[1] ^ four[2] ^ (four[3] << 1));
      }));
}

TEST(GroupKernels, FlatPointers) {
  EXPECT_EQ(RunWords("FlatPointers", Input()),
            ByBlock(Input(), 256, [](const uint32_t* block, int i, int) {
              const U32s& in = Input();
              const auto value = [&](int k) {
                const uint32_t own[4] = {in[k], in[k + 1], 5, 6};
                return k % 3 == 0 ? block[255 - k] + 1 : k % 3 == 1 ? own[in[k] % 4] : in[k];
              };
              const auto shared = [&](int k) { return block[k] + 1 + (k % 2 == 0 ? value(k) : 0); };
              uint32_t own[4] = {in[i], in[i + 1], 5, 6};
              if (i % 2 != 0) own[in[i] % 3] += value(i);
              return value(i) + shared(i ^ 1) + own[0] + own[1];
            }));
}

TEST(GroupKernels, FlatBeforeLds) {
  EXPECT_EQ(RunWords("FlatBeforeLds", Input()),
            ByBlock(Input(), 256, [](const uint32_t* block, int i, int) {
              return (i % 2 == 0 ? block[255 - i] + 1 : block[i]) + (i ^ 1) + kWords;
            }));
}

TEST(GroupKernels, PassAlong) {
  constexpr int kGroups = 20;
  U32s expected(2 * kGroups, 1);
  uint32_t sum = 0;
  for (size_t i = 0; i < kGroups; ++i) expected[i] = sum += Input()[i];
  EXPECT_EQ(RunAll("PassAlong", {.workgroups = {kGroups, 1, 1}, .block = {64, 1, 1}}, Input(),
                   U32s(2 * kGroups), kGroups),
            expected);
}

TEST(GroupKernels, GridIndices) {
  const LaunchShape shape = {.workgroups = {2, 3, 2}, .block = {8, 4, 2}};
  U32s expected;
  for (uint32_t z = 0; z < 4; ++z) {
    for (uint32_t y = 0; y < 12; ++y) {
      for (uint32_t x = 0; x < 16; ++x)
        expected.push_back(x + 100 * y + 10000 * z + 4000000 + 20000000);
    }
  }
  EXPECT_EQ(RunAll("GridIndices", shape, Input(), U32s(expected.size()), 0), expected);
}

TEST(GroupKernels, DynamicLds) {
  const LaunchShape shape = {.workgroups = {4, 1, 1}, .lds_bytes = 1024};
  EXPECT_EQ(
      RunAll("DynamicLds", shape, Input(), U32s(kWords), kWords),
      ByBlock(Input(), 256, [](const uint32_t* block, int i, int) { return block[255 - i]; }));
}

TEST(GroupKernels, Globals) {
  ASSERT_TRUE(Kernels().ok()) << Kernels().status();
  const uint32_t table[4] = {3, 1, 4, 15};
  const uint32_t primes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
  for (const std::string& level : Kernels()->levels()) {
    hipDeviceptr_t address = nullptr;
    size_t bytes = 0;
    ASSERT_EQ(hipModuleGetGlobal(&address, &bytes, Kernels()->module(level), "host_table"),
              hipSuccess);
    ASSERT_EQ(bytes, sizeof(table));
    ASSERT_EQ(hipMemcpy(address, table, bytes, hipMemcpyHostToDevice), hipSuccess);
  }
  const auto expected = ByBlock(Input(), 256, [&](const uint32_t* block, int i, int) {
    return primes[block[i] % 16] * table[block[i] / 16 % 4];
  });
  EXPECT_EQ(RunWords("Globals", Input()), expected);
  EXPECT_EQ(RunWords("Globals", Input()), expected);
  for (const std::string& level : Kernels()->levels()) {
    hipDeviceptr_t address = nullptr;
    uint32_t count = 0;
    ASSERT_EQ(hipModuleGetGlobal(&address, nullptr, Kernels()->module(level), "counter"),
              hipSuccess);
    ASSERT_EQ(hipMemcpy(&count, address, sizeof(count), hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(count, 2u) << level;
  }
}

TEST(GroupKernels, DirectToLds) {
  if (IsRdna()) GTEST_SKIP() << "RDNA has no loads to LDS";
  EXPECT_EQ(
      RunWords("DirectToLds", Input()),
      ByBlock(Input(), 256, [](const uint32_t* block, int i, int) { return block[255 - i]; }));
}

TEST(GroupKernels, DirectToLdsRing) {
  if (IsRdna()) GTEST_SKIP() << "RDNA has no loads to LDS";
  for (const char* kernel : {"DirectToLdsRing", "DirectToLdsRingLoadsFirst"}) {
    EXPECT_EQ(RunWords(kernel, Input()), ByBlock(Input(), 256,
                                                 [](const uint32_t* block, int i, int) {
                                                   uint32_t mixed = 0;
                                                   for (int round = 0; round < 6; ++round)
                                                     mixed = 31 * mixed +
                                                             block[(255 - i + 16 * round) % 256];
                                                   return mixed;
                                                 }))
        << kernel;
  }
}

}  // namespace
}  // namespace gridwise::sim
