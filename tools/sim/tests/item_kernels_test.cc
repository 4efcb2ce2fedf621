// SPDX-License-Identifier: MIT
#include "tools/sim/tests/item_kernels.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "tools/sim/tests/gpu.h"
#include "tools/sim/tests/item_kernels_o0.h"
#include "tools/sim/tests/item_kernels_o1.h"
#include "tools/sim/tests/item_kernels_o3.h"

// Each kernel of item_kernels.h, compiled for the GPU at three levels and run on the simulator,
// gives bit for bit what the same C++ gives on the host.

namespace gridwise::sim {
namespace {

using ItemFunction = void (*)(int, const uint32_t*, uint32_t*, int);

struct ItemKernel {
  const char* name;
  ItemFunction host;
};

#define ROW(NAME) {#NAME, &items::NAME},
constexpr ItemKernel kKernels[] = {GRIDWISE_ITEM_KERNELS(ROW)};
#undef ROW

const absl::StatusOr<Gpu>& Kernels() {
  static const auto* const gpu = new absl::StatusOr<Gpu>(
      Gpu::Load({{"O0", ItemKernelsO0()}, {"O1", ItemKernelsO1()}, {"O3", ItemKernelsO3()}}));
  return *gpu;
}

/// clang 22 at -O0 copies the low dword of a 64-bit byte swap by v_mov_b16, its low half only.
bool IsMiscompiled(std::string_view kernel, std::string_view level) {
  return TestTarget() == "gfx1100" && kernel == "CountBits" && level == "O0";
}

class ItemKernels : public testing::TestWithParam<ItemKernel> {};

TEST_P(ItemKernels, AgreeWithTheHost) {
  ASSERT_TRUE(Kernels().ok()) << Kernels().status();
  constexpr int kItems = 1000;  // 4 workgroups of 256; the last wave is not full
  const std::vector<uint32_t> in = RandomWords(kItems, 7);
  const std::vector<uint32_t> poison(kItems, 0xdeadbeef);
  std::vector<uint32_t> expected = poison;
  for (int i = 0; i < kItems; ++i) GetParam().host(i, in.data(), expected.data(), kItems);
  for (const std::string& level : Kernels()->levels()) {
    if (IsMiscompiled(GetParam().name, level)) continue;
    const Words device_in(in), device_out(poison);
    const LaunchShape shape = {.workgroups = {4, 1, 1}};
    const absl::Status status = Kernels()->Run(level, GetParam().name, shape, device_in.device(),
                                               device_out.device(), kItems);
    ASSERT_TRUE(status.ok()) << status;
    const std::vector<uint32_t> out = device_out.Read();
    ASSERT_EQ(out.size(), expected.size());
    int wrong = 0;
    for (int i = 0; i < kItems; ++i) {
      if (out[i] == expected[i]) continue;
      if (++wrong <= 3)
        ADD_FAILURE() << level << ": out[" << i << "] is " << out[i] << ", on the host "
                      << expected[i];
    }
    EXPECT_EQ(wrong, 0) << "elements at " << level;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ItemKernels, testing::ValuesIn(kKernels),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace gridwise::sim
