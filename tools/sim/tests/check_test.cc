// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/sim_extension.h"
#include "tools/sim/tests/check_kernels_o3.h"
#include "tools/sim/tests/gpu.h"

// What a kernel does wrong is found by check mode, with category, source line and lane; its twin
// that does it right is silent.

namespace gridwise::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const absl::StatusOr<Gpu>& Kernels() {
  static const auto* const gpu = [] {
    gridwiseSimCheck("check");
    return new absl::StatusOr<Gpu>(Gpu::Load({{"O3", CheckKernelsO3()}}));
  }();
  return *gpu;
}

/// "check_kernels.hip:30" of the line that says "// BUG kernel".
std::string BugLine(const std::string& kernel) {
  std::ifstream file("tools/sim/tests/check_kernels.hip");
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.ends_with("// BUG " + kernel)) return absl::StrCat("check_kernels.hip:", number);
  }
  return "no such line";
}

struct Seen {
  std::string category, source, sentence;
  int lane;
};

class Check : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Kernels().ok()) << Kernels().status();
    gridwiseSimClearFindings();
  }
  void TearDown() override { ASSERT_EQ(hipDeviceReset(), hipSuccess); }

  /// What is found in a launch.
  std::vector<Seen> Run(const std::string& kernel, const LaunchShape& shape = {.block = {64, 1, 1}},
                        int n = 0, const uint32_t* in = nullptr, uint32_t* out = nullptr) {
    gridwiseSimClearFindings();
    const std::vector<uint32_t> zeros(1024, 0);
    const Words fresh(zeros);
    last_status_ = Kernels()->Run("O3", kernel, shape, in == nullptr ? in_.device() : in,
                                  out == nullptr ? fresh.device() : out, n);
    if (out == nullptr) fresh.Read();
    std::vector<Seen> seen;
    GridwiseSimFinding f;
    for (int i = 0; gridwiseSimFindingAt(i, &f) == 0; ++i)
      seen.push_back({f.category, f.source, f.sentence, f.lane});
    return seen;
  }
  void ExpectSilent(const std::string& kernel, const LaunchShape& shape = {.block = {64, 1, 1}},
                    int n = 0) {
    const std::vector<Seen> seen = Run(kernel, shape, n);
    EXPECT_TRUE(last_status_.ok()) << last_status_;
    EXPECT_TRUE(seen.empty()) << kernel << ": " << seen.front().sentence;
  }
  /// The same where a mistake has two ends: one of them is reported with the kernel's line.
  void ExpectRace(const std::string& kernel, const LaunchShape& shape, int n = 0) {
    bool found = false;
    for (const Seen& seen : Run(kernel, shape, n)) {
      if (seen.category == "uninit") continue;  // what is read too early may be undefined
      EXPECT_EQ(seen.category, "races") << seen.sentence;
      found |= seen.source == BugLine(kernel);
    }
    EXPECT_TRUE(found) << kernel;
  }
  void ExpectOne(const std::string& kernel, const std::string& category,
                 const LaunchShape& shape = {.block = {64, 1, 1}}, int n = 0) {
    const std::vector<Seen> seen = Run(kernel, shape, n);
    ASSERT_EQ(seen.size(), 1u) << kernel
                               << (seen.empty() ? "" : ": " + seen[1 % seen.size()].sentence);
    EXPECT_EQ(seen[0].category, category) << seen[0].sentence;
    EXPECT_EQ(seen[0].source, BugLine(kernel)) << seen[0].sentence;
  }

  /// 1, 2, 3, ...
  static std::vector<uint32_t> Numbers() {
    std::vector<uint32_t> numbers(1024);
    std::iota(numbers.begin(), numbers.end(), 1);
    return numbers;
  }
  const std::vector<uint32_t> words_ = Numbers();
  const Words in_{words_};
  absl::Status last_status_;
};

constexpr LaunchShape kTwoWaves = {.block = {128, 1, 1}};
constexpr LaunchShape kFourGroups = {.workgroups = {4, 1, 1}, .block = {128, 1, 1}};

TEST_F(Check, Waits) {
  ExpectOne("LoadWithoutWait", "waits");
  EXPECT_THAT(Run("LoadWithoutWait")[0].sentence,
              AllOf(HasSubstr("v40"), HasSubstr("needs s_waitcnt vmcnt(0)"),
                    HasSubstr("global_load_dword"), HasSubstr("kernel LoadWithoutWait")));
  ExpectOne("LoadWithWeakWait", "waits");
  EXPECT_THAT(Run("LoadWithWeakWait")[0].sentence, HasSubstr("needs s_waitcnt vmcnt(1)"));
  ExpectOne("OverwriteWithoutWait", "waits");
  EXPECT_THAT(Run("OverwriteWithoutWait")[0].sentence, HasSubstr("overwrites v40"));
  ExpectOne("ScalarWithWeakWait", "waits");
  EXPECT_THAT(Run("ScalarWithWeakWait")[0].sentence, HasSubstr("needs s_waitcnt lgkmcnt(0)"));
  for (const char* kernel :
       {"LoadWithWait", "LoadWithExactWait", "LoadHalves", "ScalarWithWait", "LdsInOrder"})
    ExpectSilent(kernel);
}

TEST_F(Check, WaitsForLoadsToLds) {
  const std::vector<Seen> seen = Run("LdsLoadWithoutWait");
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].source, BugLine("LdsLoadWithoutWait"));
  EXPECT_THAT(seen[0].sentence, AllOf(HasSubstr("touches LDS that a load to LDS has yet to write"),
                                      HasSubstr("needs s_waitcnt vmcnt(1)")));
}

TEST_F(Check, AnUnrolledLineIsOneFinding) {
  ExpectOne("LoadsWithoutWait", "waits");
  GridwiseSimFinding finding;
  ASSERT_EQ(gridwiseSimFindingAt(0, &finding), 0);
  EXPECT_EQ(finding.count, 2);
}

TEST_F(Check, NamesAreDemangled) {
  const std::vector<Seen> seen = Run("_Z7MangledILi3EEvPKjPji");
  ASSERT_TRUE(last_status_.ok()) << last_status_;
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].source, BugLine("Mangled"));
  EXPECT_THAT(seen[0].sentence, HasSubstr("kernel Mangled<3>, "));
}

TEST_F(Check, Hazards) {
  ExpectOne("MatrixWithoutNops", "hazards");
  EXPECT_THAT(Run("MatrixWithoutNops")[0].sentence,
              AllOf(HasSubstr("needs 7 wait states"), HasSubstr("there are 6")));
  ExpectSilent("MatrixWithNops");
  ExpectOne("StoreDataOverwritten", "hazards");
  ExpectSilent("StoreDataOverwrittenAfterWait");
  ExpectOne("CompareAndAddTooEarly", "hazards");
  EXPECT_THAT(Run("CompareAndAddTooEarly")[0].sentence,
              AllOf(HasSubstr("needs 2 wait states"), HasSubstr("there are 1")));
  ExpectSilent("CompareAndAdd");
}

TEST_F(Check, Barriers) {
  ExpectOne("DivergentBarrier", "barriers");
  const std::vector<Seen> seen = Run("BarrierOfOneWave", kTwoWaves);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].category, "barriers");
  EXPECT_THAT(seen[0].sentence, HasSubstr("different numbers of barriers"));
  ExpectSilent("LdsWithBarrier", kTwoWaves);
}

TEST_F(Check, LdsRaces) {
  ExpectRace("LdsWithoutBarrier", kTwoWaves);
  ExpectRace("LdsBarrierWithoutWait", kTwoWaves);
  // LDS takes reads and writes in the order of their issue, but loads to LDS come when they come.
  ExpectSilent("LdsWriteBehindRead", kTwoWaves);
  ExpectRace("LdsLoadBehindRead", kTwoWaves);
  ExpectSilent("LdsWithBarrier", kTwoWaves);
  ExpectSilent("LdsAtomics", kTwoWaves);
  // One wave is in step with itself; the words that it reads have never been written.
  ExpectOne("LdsWithBarrier", "uninit");
}

TEST_F(Check, RacesBetweenWorkgroups) {
  ExpectRace("GroupsStoreTheSame", kFourGroups);
  ExpectSilent("GroupsAddToTheSame", kFourGroups);
  ExpectSilent("SpinLock", kFourGroups);
}

TEST_F(Check, WhatOnlyLooksLikeARace) {
  ExpectSilent("SameValues", kFourGroups);
  ExpectSilent("CompareAndSwap", kFourGroups);
  for (uint64_t seed = 0; seed < 8; ++seed) {
    gridwiseSimSeed(1, seed);
    ExpectSilent("PollLds", kTwoWaves);
    ExpectSilent("PollLdsPeeled", kTwoWaves);
    gridwiseSimSeed(0, 0);
  }
  ExpectRace("PollLdsTooEarly", kTwoWaves);
}

TEST_F(Check, ReductionsByTheLastBlock) {
  ExpectSilent("LastBlock", kFourGroups, 4);
  ExpectRace("LastBlockWithoutBarrier", kFourGroups, 4);
  ExpectSilent("LastBlockResets", kFourGroups, 3);
  ExpectRace("LastBlockResets", kFourGroups, 0);
}

TEST_F(Check, Bounds) {
  uint8_t* bytes = nullptr;
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&bytes), 61), hipSuccess);
  auto* words = reinterpret_cast<uint32_t*>(bytes);
  EXPECT_TRUE(Run("WriteByte", {.block = {64, 1, 1}}, 60, nullptr, words).empty());
  const std::vector<Seen> seen = Run("WriteByte", {.block = {64, 1, 1}}, 61, nullptr, words);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].category, "bounds");
  EXPECT_EQ(seen[0].lane, 3);
  EXPECT_EQ(seen[0].source, BugLine("WriteByte"));
  ASSERT_EQ(hipDeviceReset(), hipSuccess);
  ASSERT_EQ(hipFree(bytes), hipSuccess);
  const std::vector<Seen> freed = Run("WriteByte", {.block = {64, 1, 1}}, 0, nullptr, words);
  ASSERT_EQ(freed.size(), 1u);
  EXPECT_THAT(freed[0].sentence, HasSubstr("freed"));
}

TEST_F(Check, WatchedOutput) {
  const std::vector<uint32_t> zeros(100, 0);
  const Words out(zeros);
  const LaunchShape shape = {.workgroups = {2, 1, 1}, .block = {64, 1, 1}};
  gridwiseSimWatch(out.device(), 400);
  EXPECT_TRUE(Run("WriteOnce", shape, 100, nullptr, out.device()).empty());
  gridwiseSimWatch(out.device(), 400);
  const std::vector<Seen> seen = Run("WriteWrongly", shape, 100, nullptr, out.device());
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].category, "watch");
  EXPECT_THAT(seen[0].sentence, AllOf(HasSubstr("byte 200 of 400"), HasSubstr("written 2 times"),
                                      HasSubstr("8 bytes were not written exactly once")));
}

/// Device memory that nobody has written.
struct Unwritten {
  explicit Unwritten(size_t words) {
    EXPECT_EQ(hipMalloc(reinterpret_cast<void**>(&device), 4 * words), hipSuccess);
  }
  ~Unwritten() { EXPECT_EQ(hipFree(device), hipSuccess); }
  uint32_t* device = nullptr;
};

TEST_F(Check, UndefinedAddressesAndBranches) {
  ExpectOne("UninitAddress", "uninit");
  EXPECT_THAT(Run("UninitAddress")[0].sentence,
              AllOf(HasSubstr("uses an undefined address: v60 comes from v60, which was never"),
                    HasSubstr("ds_read_b32"), HasSubstr("lane 0")));
  ExpectSilent("MaskedAddress");
  ExpectOne("UninitScalarBranch", "uninit");
  EXPECT_THAT(Run("UninitScalarBranch")[0].sentence,
              AllOf(HasSubstr("jumps as an undefined value says"), HasSubstr("from s60, which")));
  ExpectOne("UninitLdsBranch", "uninit");
  const Seen seen = Run("UninitLdsBranch")[0];
  EXPECT_EQ(seen.lane, 5);
  EXPECT_THAT(seen.sentence, AllOf(HasSubstr("makes EXEC of an undefined value"),
                                   HasSubstr("LDS byte 0x14, which was never written when")));
}

TEST_F(Check, UndefinedValuesThatTheHostReads) {
  ExpectOne("UninitLdsToHost", "uninit");
  EXPECT_THAT(Run("UninitLdsToHost")[0].sentence,
              AllOf(HasSubstr("stores an undefined value for the host"), HasSubstr("LDS byte 0xfc"),
                    HasSubstr("128 bytes of it"), HasSubstr("copied to the host")));
  ExpectSilent("UninitLdsToHost", {.block = {64, 1, 1}}, 32);
  // Not copied to the host: nothing is said.
  const Words unread(std::vector<uint32_t>(64, 0));
  EXPECT_TRUE(Run("UninitLdsToHost", {.block = {64, 1, 1}}, 0, nullptr, unread.device()).empty());
}

TEST_F(Check, UndefinedMemory) {
  const Unwritten in(128);
  const LaunchShape shape = {.block = {64, 1, 1}};
  const std::vector<Seen> seen = Run("UninitMemory", shape, 64, in.device);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].source, BugLine("UninitMemory"));
  EXPECT_THAT(seen[0].sentence, HasSubstr("which was never written when 'global_load_dword"));
  ASSERT_EQ(hipMemset(in.device + 64, 0, 256), hipSuccess);
  EXPECT_TRUE(Run("UninitMemory", shape, 64, in.device).empty());
  EXPECT_EQ(Run("UninitMemory", shape, 63, in.device).size(), 1u);  // one word too early
  const Unwritten copy(128);
  ASSERT_EQ(hipMemcpy(copy.device, in.device, 512, hipMemcpyDeviceToDevice), hipSuccess);
  EXPECT_TRUE(Run("UninitMemory", shape, 64, copy.device).empty());
  EXPECT_EQ(Run("UninitMemory", shape, 0, copy.device).size(), 1u);
  // What one kernel makes of it comes from there for the next one as well.
  const Unwritten between(64);
  Run("UninitMemory", shape, 0, copy.device, between.device);
  const std::vector<Seen> second = Run("UninitMemory", shape, 0, between.device);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_THAT(second[0].sentence, HasSubstr("which was never written"));
}

TEST_F(Check, UndefinedCounter) {
  for (const bool cleared : {false, true}) {
    const Unwritten count(1);
    if (cleared) {
      ASSERT_EQ(hipMemset(count.device, 0, 4), hipSuccess);
    }
    Run("UninitCounter", {.block = {64, 1, 1}}, 0, nullptr, count.device);
    uint32_t value = 0;
    ASSERT_EQ(hipMemcpy(&value, count.device, 4, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(value, 64u);
    EXPECT_EQ(gridwiseSimFindingCount(), cleared ? 0 : 1);
  }
}

TEST_F(Check, UndefinedWatchedOutput) {
  const Words out(std::vector<uint32_t>(64, 0));
  gridwiseSimWatch(out.device(), 256);
  const std::vector<Seen> seen =
      Run("UninitLdsToHost", {.block = {64, 1, 1}}, 0, nullptr, out.device());
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_THAT(seen[0].sentence, HasSubstr("stores an undefined value to a watched output"));
}

TEST_F(Check, UndefinedValuesThatDecideNothing) {
  for (const char* kernel : {"UninitPadding", "UninitUnused", "UninitFrozen"}) ExpectSilent(kernel);
  ExpectSilent("UninitRows", {.block = {64, 1, 1}}, 8);
  ExpectOne("UninitRows", "uninit", {.block = {64, 1, 1}}, 9);
}

TEST_F(Check, ExitCodeAndReport) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string report = testing::TempDir() + "/findings.json";
  const auto run = [&](const char* kernel) {
    setenv("GRIDWISE_SIM_EXITCODE", "9", 1);
    setenv("GRIDWISE_SIM_REPORT", report.c_str(), 1);
    Run(kernel);
    std::exit(0);
  };
  EXPECT_EXIT(run("LoadWithoutWait"), testing::ExitedWithCode(9),
              "gridwise check: waits: kernel LoadWithoutWait");
  std::ifstream file(report);
  const std::string json((std::istreambuf_iterator<char>(file)), {});
  EXPECT_THAT(json, AllOf(testing::StartsWith("{\"findings\":[{"), HasSubstr("\"count\":1"),
                          HasSubstr("\"category\":\"waits\""), HasSubstr("\"wave\":0"),
                          HasSubstr("\"kernel\":\"LoadWithoutWait\""),
                          HasSubstr("\"source\":\"" + BugLine("LoadWithoutWait") + "\""),
                          HasSubstr("\"instruction\":\"v_add_u32_e32 v1, 1, v40\"")));
  EXPECT_EXIT(run("LoadWithWait"), testing::ExitedWithCode(0), "");
}

TEST_F(Check, CategoriesCanBeChosen) {
  ASSERT_EQ(gridwiseSimCheck("check:hazards"), 0);
  EXPECT_TRUE(Run("LoadWithoutWait").empty());
  EXPECT_EQ(Run("MatrixWithoutNops").size(), 1u);
  EXPECT_EQ(gridwiseSimCheck("check:nothing"), 1);
  ASSERT_EQ(gridwiseSimCheck("check"), 0);
  EXPECT_EQ(Run("LoadWithoutWait").size(), 1u);
}

// What is looked for only where it is asked for: where values go bad.
TEST_F(Check, Values) {
  for (const char* kernel : {"ToHalf", "Square", "Cancel", "MatrixSquare"})
    ExpectSilent(kernel, {.block = {64, 1, 1}}, 100);
  ExpectSilent("ToHalf", {.block = {64, 1, 1}}, 2000);

  // in[32] is 33.
  ASSERT_EQ(gridwiseSimCheck("check:nonfinite"), 0);
  ExpectOne("ToHalf", "nonfinite", {.block = {64, 1, 1}}, 2000);
  EXPECT_THAT(Run("ToHalf", {.block = {64, 1, 1}}, 2000)[0].sentence,
              AllOf(HasSubstr("lane 32: makes an infinity of finite numbers: inf in v"),
                    HasSubstr(" of 66000")));
  ExpectSilent("ToHalf", {.block = {64, 1, 1}}, 1000);
  ExpectSilent("ToHalfTowardsZero", {.block = {64, 1, 1}}, 2000);
  ExpectOne("Square", "nonfinite", {.block = {64, 1, 1}}, 64);
  ExpectSilent("Square", {.block = {64, 1, 1}}, 57);  // 64 * 2^57 is 2^63
  ExpectOne("MatrixSquare", "nonfinite", {.block = {64, 1, 1}}, 64);
  ExpectSilent("MatrixSquare", {.block = {64, 1, 1}}, 60);
  ExpectSilent("PassOn");

  ASSERT_EQ(gridwiseSimCheck("check:overflow"), 0);
  ExpectOne("ToHalf", "overflow", {.block = {64, 1, 1}}, 2000);
  ExpectOne("ToHalfTowardsZero", "overflow", {.block = {64, 1, 1}}, 2000);
  ExpectSilent("ToHalfTowardsZero", {.block = {64, 1, 1}}, 1000);
  ExpectSilent("Square", {.block = {64, 1, 1}}, 64);

  ASSERT_EQ(gridwiseSimCheck("check:cancellation"), 0);
  ExpectOne("Cancel", "cancellation", {.block = {64, 1, 1}}, 1);
  for (const int apart : {0, 1000}) ExpectSilent("Cancel", {.block = {64, 1, 1}}, apart);
  ASSERT_EQ(gridwiseSimCheck("check"), 0);
}

TEST_F(Check, SeedsChangeTheInterleaving) {
  const auto result = [&](uint64_t seed) {
    const std::vector<uint32_t> zero(1, 0);
    const Words count(zero);
    gridwiseSimSeed(1, seed);
    Run("LostUpdates", {.block = {256, 1, 1}}, 40, nullptr, count.device());
    gridwiseSimSeed(0, 0);
    return count.Read()[0];
  };
  std::vector<uint32_t> results;
  for (uint64_t seed = 0; seed < 4; ++seed) results.push_back(result(seed));
  EXPECT_NE(results, std::vector<uint32_t>(4, results[0]));
  for (uint64_t seed = 0; seed < 4; ++seed) EXPECT_EQ(result(seed), results[seed]);
}

}  // namespace
}  // namespace gridwise::sim
