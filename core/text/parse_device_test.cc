// SPDX-License-Identifier: MIT
#include "core/text/parse_device.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "core/arch/find_product.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using testing::HasSubstr;

DeviceFacts Parsed(std::string_view name) {
  const absl::StatusOr<DeviceFacts> device = ParseDevice(name);
  EXPECT_TRUE(device.ok()) << device.status();
  return device.ok() ? *device : DeviceFacts(Gfx::k942);
}

std::string Refusal(std::string_view name) {
  const absl::StatusOr<DeviceFacts> device = ParseDevice(name);
  EXPECT_FALSE(device.ok()) << name;
  return std::string(device.status().message());
}

TEST(ParseDevice, FindsTargetsProcessorsAndProducts) {
  EXPECT_EQ(Parsed("gfx942"), DeviceFacts(Gfx::k942));
  EXPECT_EQ(Parsed("MI300X"), DeviceFacts(Gfx::k942));
  EXPECT_EQ(Parsed("AMD Instinct MI300X"), DeviceFacts(Gfx::k942));
  EXPECT_EQ(Parsed("gfx1102").product->name, "RX 7600");
  EXPECT_EQ(Parsed("strix-halo").product->processor, "gfx1151");
  EXPECT_EQ(Parsed("rx7800xt"), Parsed("RX 7800 XT"));
  EXPECT_EQ(Parsed("rx7800xt").gfx, Gfx::k1100);
  EXPECT_EQ(Parsed("RX 9060 XT").gfx, Gfx::k1201);
  EXPECT_EQ(Parsed("W7900").product->name, "PRO W7900");
}

TEST(ParseDevice, NamesWhatIsNear) {
  EXPECT_THAT(Refusal("MI300Z"), HasSubstr("the device is 'MI300Z'"));
  EXPECT_THAT(Refusal("MI300Z"), HasSubstr("MI300X"));
  EXPECT_THAT(Refusal("gfx11-generic"), HasSubstr("the device is 'gfx11-generic'"));
  EXPECT_THAT(Refusal("MI300X/HALF"), HasSubstr("one of SPX, DPX, TPX, QPX, CPX"));
  EXPECT_THAT(Refusal("MI300X/TPX"), HasSubstr("MI300X has 8 XCDs"));
  EXPECT_THAT(Refusal("RX 7600/DPX"), HasSubstr("RX 7600 has 1 XCDs"));
}

TEST(ParseDevice, APartitionHasItsShare) {
  const DeviceFacts whole = Parsed("MI300X"), part = Parsed("mi300x/cpx");
  EXPECT_EQ(part.compute_units, 38);
  EXPECT_EQ(part.xcds, 1);
  EXPECT_EQ(part.memory_gb_per_s * 8, whole.memory_gb_per_s);
  EXPECT_EQ(part.memory_bytes, std::int64_t{24} << 30);
  EXPECT_EQ(part.machine.mall_bytes, 32 << 20);
  EXPECT_EQ(part.machine.dram_read_gb_per_s * 8, whole.machine.dram_read_gb_per_s);
  EXPECT_EQ(part.machine.l2_bytes, whole.machine.l2_bytes) << "an XCD has its own";
  EXPECT_EQ(part, DeviceFacts(Gfx::k942, 38));
  EXPECT_EQ(Parsed("MI300A/TPX").compute_units, 76);
  EXPECT_EQ(Parsed("MI300X/SPX"), whole);
}

// Peaks of the products' data sheets in TFLOP/s of f16 with f32 sums, which they do not state by
// units and clocks.
TEST(Products, HaveThePeaksOfTheirDataSheets) {
  constexpr struct {
    std::string_view name;
    double flops_of_unit_and_clock, tflop_per_s;
  } kPeaks[] = {
      {"MI300A", 2048, 980.6},     {"MI300X", 2048, 1307.4},     {"MI325X", 2048, 1307.4},
      {"MI350X", 4096, 2306.9},    {"MI355X", 4096, 2516.6},     {"RX 7900 XTX", 1024, 122.8},
      {"RX 7900 XT", 1024, 103.2}, {"RX 7900 GRE", 1024, 91.96}, {"RX 7800 XT", 1024, 74.65},
      {"RX 7700 XT", 1024, 70.34}, {"RX 7600", 1024, 43.5},      {"RX 7600 XT", 1024, 45.14},
      {"8060S", 1024, 59.4},       {"RX 9070 XT", 2048, 194.6},  {"RX 9070", 2048, 144.5},
      {"RX 9060 XT", 2048, 102.6}, {"PRO W7900", 1024, 122.6},   {"MI210", 1024, 181.0},
      {"MI250X", 1024, 191.5},  // half of a card's
  };
  for (const auto& [name, flops, tflop_per_s] : kPeaks) {
    const DeviceFacts device = Parsed(name);
    EXPECT_NEAR(device.compute_units * device.clock_ghz * flops * 1e-3, tflop_per_s,
                0.005 * tflop_per_s)
        << name;
  }
}

TEST(Products, AreFoundByTheirNames) {
  std::set<std::string> names;
  int products = 0;
  for (const Gfx gfx : kAllGfx) {
    for (const Product& product : ProductsOf(gfx)) {
      ++products;
      const DeviceFacts device(gfx, product);
      EXPECT_EQ(Parsed(NameOf(device)), device) << product.name;
      EXPECT_TRUE(names.insert(std::string(product.name)).second) << product.name;
      for (const std::string_view mode : {"DPX", "TPX", "QPX", "CPX"}) {
        const absl::StatusOr<DeviceFacts> part =
            ParseDevice(std::string(product.name) + "/" + std::string(mode));
        if (part.ok() && part->compute_units < device.compute_units)
          EXPECT_EQ(Parsed(NameOf(*part)), *part) << NameOf(*part);
      }
    }
  }
  EXPECT_GE(products, 25);
}

TEST(Products, AreLikeWhatHipReports) {
  const Processor& gfx942 = *FindProcessor("gfx942");
  EXPECT_EQ(ProductLike(gfx942, "AMD Instinct MI325X", 304).name, "MI325X");
  EXPECT_EQ(ProductLike(gfx942, "AMD Instinct MI300A", 228).name, "MI300A");
  EXPECT_EQ(ProductLike(gfx942, "AMD Instinct MI300A", 38).name, "MI300A") << "a partition";
  EXPECT_EQ(ProductLike(gfx942, "", 80).name, "MI308X") << "by its units";
  EXPECT_EQ(ProductLike(gfx942, "", 17).name, "MI300X") << "the target's";
  EXPECT_EQ(ProductLike(*FindProcessor("gfx1151"), "AMD Radeon Graphics", 20).name, "8060S");
  EXPECT_EQ(ProductLike(*FindProcessor("gfx1153"), "", 2).processor, "gfx1100")
      << "no product of it is known";
  EXPECT_EQ(FindProcessor("gfx1170"), nullptr) << "other matrix instructions than gfx1100's";
  EXPECT_EQ(FindProcessor("gfx11-generic"), nullptr) << "code, not a device";
}

// LLVM AMDGPUUsage and AMDGPU.td: FeatureVGPRs1536.
TEST(Products, HaveTheRegistersOfTheirProcessors) {
  for (const Gfx gfx : {Gfx::k1100, Gfx::k1201}) {
    for (const Product& product : ProductsOf(gfx)) {
      const bool many = gfx == Gfx::k1201 || product.processor == "gfx1100" ||
                        product.processor == "gfx1101" || product.processor == "gfx1151";
      EXPECT_EQ(product.machine.registers_of_simd, many ? 1536 : 1024) << product.name;
      EXPECT_EQ(product.machine.register_granule, many ? 24 : 16) << product.name;
      ASSERT_NE(FindProcessor(product.processor), nullptr) << product.name;
      EXPECT_EQ(FindProcessor(product.processor)->gfx, gfx) << product.name;
    }
  }
}

TEST(CalibrationNote, IsOfProductsThatNobodyHasComparedWith) {
  EXPECT_EQ(CalibrationNote(Gfx::k942), "");
  EXPECT_THAT(CalibrationNote(Parsed("MI300A")), HasSubstr("not calibrated for MI300A"));
  EXPECT_THAT(CalibrationNote(Parsed("MI300A")), HasSubstr("facts of MI300X"));
  EXPECT_NE(CalibrationNote(Parsed("MI300X/CPX")), "");
  EXPECT_THAT(CalibrationNote(Parsed("MI210")), HasSubstr("not calibrated for MI210"));
}

}  // namespace
}  // namespace gridwise
