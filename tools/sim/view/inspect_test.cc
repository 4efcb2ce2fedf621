// SPDX-License-Identifier: MIT
#include "tools/sim/view/inspect.h"

#include <bit>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/sim/check/source_line.h"
#include "tools/sim/isa/text/decode.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {
namespace {

using ::testing::HasSubstr;

TEST(Inspect, PlacesOfLines) {
  const absl::StatusOr<BreakPlace> place = ParseBreakPlace("kernels/a.hip:40");
  ASSERT_TRUE(place.ok()) << place.status();
  EXPECT_TRUE(place->Is({"/src/kernels/a.hip", 40}));
  EXPECT_TRUE(place->Is({"kernels/a.hip", 40}));
  EXPECT_FALSE(place->Is({"/src/kernels/a.hip", 41}));
  EXPECT_FALSE(place->Is({"/src/my_kernels/a.hip", 40}));
  EXPECT_FALSE(place->Is({}));
}

TEST(Inspect, PlacesOfInstructions) {
  const absl::StatusOr<BreakPlace> behind = ParseBreakPlace("Gemm<half>+0x40");
  ASSERT_TRUE(behind.ok()) << behind.status();
  EXPECT_EQ(behind->kernel, "Gemm<half>");
  EXPECT_EQ(behind->offset, 0x40u);
  const absl::StatusOr<BreakPlace> before = ParseBreakPlace("Gemm-0x40");
  ASSERT_TRUE(before.ok()) << before.status();
  EXPECT_EQ(before->offset, ~uint64_t{0x3f});
  EXPECT_FALSE(before->Is({"Gemm", 40}));
  for (const char* bad : {"", "Gemm", "a.hip:", "a.hip:x", "a.hip:0", ":40", "+0x40", "Gemm+0xg"})
    EXPECT_FALSE(ParseBreakPlace(bad).ok()) << bad;
  EXPECT_THAT(std::string(ParseBreakPlace("Gemm").status().message()), HasSubstr("'Gemm'"));
}

TEST(Inspect, Waves) {
  const absl::StatusOr<InspectedWave> wave =
      ParseInspectedWave("kernel=Gemm workgroup=1,2 wave=3 lds=0x100 hits=5 as=f32");
  ASSERT_TRUE(wave.ok()) << wave.status();
  EXPECT_EQ(wave->kernel, "Gemm");
  EXPECT_EQ(wave->workgroup, (std::array<uint32_t, 3>{1, 2, 0}));
  EXPECT_EQ(wave->wave, 3u);
  EXPECT_EQ(wave->lds, 0x100u);
  EXPECT_EQ(wave->hits, 5u);
  EXPECT_EQ(wave->as, ShownAs::kF32);
  const absl::StatusOr<InspectedWave> usual = ParseInspectedWave("");
  ASSERT_TRUE(usual.ok());
  EXPECT_EQ(usual->wave, 0u);
  EXPECT_EQ(usual->hits, 1u);
  EXPECT_FALSE(usual->lds.has_value());
  for (const char* bad : {"wave", "wave=x", "workgroup=1,2,3,4", "as=f8", "lane=3"})
    EXPECT_FALSE(ParseInspectedWave(bad).ok()) << bad;
}

TEST(Inspect, Registers) {
  const auto wave = std::make_unique<Wave>();
  wave->all_lanes = ~0u;
  wave->s[7] = 0x2a;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    wave->v[5][lane] = lane;
    wave->v[6][lane] = std::bit_cast<uint32_t>(-1.5f);
    wave->v[kAgprBase][lane] = lane == 0 ? 0x3c00c000 : 0;
  }
  EXPECT_EQ(RegisterText(*wave, 7, ShownAs::kHex), "  s7      0000002a\n");
  EXPECT_EQ(RegisterText(*wave, kFirstVector + 5, ShownAs::kI32),
            "  v5       0  1  2  3  4  5  6  7\n"
            "    [8]    8  9 10 11 12 13 14 15\n"
            "    [16]  16 17 18 19 20 21 22 23\n"
            "    [24]  24 25 26 27 28 29 30 31\n");
  EXPECT_EQ(RegisterText(*wave, kFirstVector + 6, ShownAs::kF32), "  v6      -1.5 in all lanes\n");
  EXPECT_THAT(RegisterText(*wave, kFirstVector + kAgprBase, ShownAs::kF16),
              HasSubstr("  a0      -2:1  0:0 "));
}

TEST(Inspect, PlacesAreReachedSoOftenAndMissedOnesNamed) {
  InspectedWave wave;
  wave.hits = 2;
  wave.wave = 3;
  Inspection inspection({*ParseBreakPlace("a.hip:1"), *ParseBreakPlace("Gemm+0x4")}, "", wave);
  EXPECT_TRUE(inspection.Reached(0));
  EXPECT_TRUE(inspection.Reached(0));
  EXPECT_FALSE(inspection.Reached(0));
  EXPECT_EQ(inspection.Missed(),
            "gridwise break: Gemm+0x4 was not reached by workgroup (0, 0, 0), wave 3\n");
  EXPECT_TRUE(inspection.Concerns("any kernel")) << "by its lines";
  Inspection other({*ParseBreakPlace("Gemm+0x4")}, "", {});
  EXPECT_TRUE(other.Concerns("ns::Gemm<float>"));
  EXPECT_FALSE(other.Concerns("Copy"));
}

}  // namespace
}  // namespace gridwise::sim
