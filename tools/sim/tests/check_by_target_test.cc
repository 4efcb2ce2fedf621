// SPDX-License-Identifier: MIT
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/build/code_object.h"
#include "tools/sim/hip/sim_extension.h"
#include "tools/sim/tests/check_by_target_o3.h"
#include "tools/sim/tests/gpu.h"
#include "tools/sim/tests/mutants.h"

// What check mode wants differently on each target.

namespace gridwise::sim {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A load into half of a register writes all of it on gfx90a, gfx942 and gfx950, and nothing but
// that half on gfx1100 and gfx1201, where the other half can be stored before the load has come
// back.

bool LoadsHalvesAlone() { return TestTarget() == "gfx1100" || TestTarget() == "gfx1201"; }

/// What is found in `kernel` of a category of check mode.
std::vector<std::string> FindIn(const std::string& category, const std::string& kernel) {
  gridwiseSimCheck(("check:" + category).c_str());
  const absl::StatusOr<Gpu> gpu = Gpu::Load({{"O3", CheckByTargetO3()}});
  EXPECT_TRUE(gpu.ok()) << gpu.status();
  if (!gpu.ok()) return {};
  gridwiseSimClearFindings();
  const std::vector<uint32_t> zeros(64, 0);
  const Words in(zeros), out(zeros);
  const absl::Status status =
      gpu->Run("O3", kernel, {.block = {64, 1, 1}}, in.device(), out.device(), 0);
  EXPECT_TRUE(status.ok()) << status;
  std::vector<std::string> sentences;
  GridwiseSimFinding f;
  for (int i = 0; gridwiseSimFindingAt(i, &f) == 0; ++i) sentences.push_back(f.sentence);
  return sentences;
}

TEST(Halves, TheHalfThatIsUnderWay) {
  EXPECT_THAT(FindIn("waits", "StoreSameHalf"),
              ElementsAre(HasSubstr(LoadsHalvesAlone() ? "reads v40, half of which a memory"
                                                       : "reads v40, which a memory")));
}

TEST(Halves, TheOtherHalf) {
  for (const char* kernel : {"StoreOtherHalf", "StoreFirstHalf"}) {
    if (LoadsHalvesAlone()) {
      EXPECT_THAT(FindIn("waits", kernel), IsEmpty()) << kernel;
    } else {
      EXPECT_THAT(FindIn("waits", kernel), ElementsAre(HasSubstr("d16_hi v40"))) << kernel;
    }
  }
}

TEST(Halves, TheLoadToWaitFor) {
  EXPECT_THAT(FindIn("waits", "StoreOlderHalf"),
              ElementsAre(ContainsRegex(LoadsHalvesAlone() ? "cnt.1" : "cnt.0")));
}

bool IsRdna() { return LoadsHalvesAlone(); }

/// RDNA4 ISA 10.8; LLVM waits between the two on gfx1201 alone.
TEST(Loads, MayOvertakeEachOtherOnGfx12) {
  if (TestTarget() == "gfx1201") {
    EXPECT_THAT(FindIn("waits", "LoadsIntoOneRegister"),
                ElementsAre(AllOf(HasSubstr("overwrites v40, which a memory instruction has yet"),
                                  HasSubstr("needs s_wait_loadcnt 0"))));
  } else {
    EXPECT_THAT(FindIn("waits", "LoadsIntoOneRegister"), IsEmpty());
  }
}

/// One hazard of each target, in a kernel; all of them are in tools/sim/check/hazards_test.cc.
TEST(Hazards, AreFoundInKernels) {
  EXPECT_THAT(FindIn("hazards", "Pair"), ElementsAre(HasSubstr("too early")));
  EXPECT_THAT(FindIn("hazards", "PairApart"), IsEmpty());
}

/// CDNA4 ISA 7.6, table 38: one wait state more than MI300 ISA 4.5 wants.
/// gfx90a's 16x16x16 takes 8 passes (LLVM, GCNHazardRecognizer).
TEST(MatrixResults, WaitAsLongAsTheTargetWants) {
  if (IsRdna()) GTEST_SKIP() << "RDNA waits";
  const std::string target = TestTarget();
  const int states = target == "gfx90a" ? 11 : target == "gfx950" ? 8 : 7;
  const std::pair<const char*, int> kernels[] = {{"ResultAfterSeven", 7},
                                                 {"ResultAfterEight", 8},
                                                 {"ResultAfterTen", 10},
                                                 {"ResultAfterEleven", 11}};
  for (const auto& [kernel, waits] : kernels) {
    if (waits < states) {
      EXPECT_THAT(FindIn("hazards", kernel),
                  ElementsAre(HasSubstr("VALU reads a matrix result too early: v40")))
          << kernel;
    } else {
      EXPECT_THAT(FindIn("hazards", kernel), IsEmpty()) << kernel;
    }
  }
}

/// Without lanes vector instructions write nothing, on whatever paths; and nothing takes a path
/// that a flag of 0 excludes.
TEST(MatrixResults, AreNotOverwrittenWithoutLanesOrOnPathsNotTaken) {
  if (IsRdna()) GTEST_SKIP() << "RDNA waits";
  for (const gridwise::CodeObject& object : CheckByTargetO3()) {
    if (object.gfx != TestTarget()) continue;
    const auto hazards = [&](const char* kernel) {
      const absl::StatusOr<KernelCode> code = KernelCode::Find(object.gfx, object.data, kernel);
      EXPECT_TRUE(code.ok()) << code.status();
      return code.ok() ? FindHazards(*code) : std::vector<std::string>();
    };
    const auto found = Contains(HasSubstr("a matrix result is overwritten too early: v40"));
    EXPECT_THAT(hazards("OverwrittenByLanes"), found);
    EXPECT_THAT(hazards("OverwrittenByAllLanes"), found);
    EXPECT_THAT(hazards("OverwrittenByNoLane"), IsEmpty());
    EXPECT_THAT(hazards("OverwrittenPerhaps"), found);
    EXPECT_THAT(hazards("OverwrittenIfLanes"), found);
    EXPECT_THAT(hazards("OverwrittenIfHalf"), found);
    EXPECT_THAT(hazards("OverwrittenNever"), IsEmpty());
    return;
  }
  FAIL() << "there is no code for " << TestTarget();
}

TEST(MatrixResults, AreNoIndicesYet) {
  if (IsRdna()) GTEST_SKIP() << "the kernels use MFMA";
  if (TestTarget() == "gfx90a") GTEST_SKIP() << "it has no sparse matrix instructions";
  EXPECT_THAT(FindIn("hazards", "IndicesAfterSix"),
              ElementsAre(HasSubstr("multiplies a matrix result too early: v40")));
  EXPECT_THAT(FindIn("hazards", "IndicesAfterEight"), IsEmpty());
}

/// RDNA3 ISA 7.9.1: C may be the result of the instruction before, A and B not.
TEST(MatrixResults, AreNoFactorsOfTheNextWmma) {
  if (!IsRdna()) GTEST_SKIP() << "the kernels use WMMA";
  EXPECT_THAT(FindIn("hazards", "ResultAtOnceInA"),
              ElementsAre(HasSubstr("multiplies a matrix result too early: v40")));
  EXPECT_THAT(FindIn("hazards", "ResultBehindNopInA"), IsEmpty());
  EXPECT_THAT(FindIn("hazards", "ResultAtOnceInC"), IsEmpty());
  if (TestTarget() != "gfx1201") return;
  EXPECT_THAT(FindIn("hazards", "ResultAtOnceInIndices"),
              ElementsAre(HasSubstr("multiplies a matrix result too early: v40")));
  EXPECT_THAT(FindIn("hazards", "ResultBehindNopInIndices"), IsEmpty());
}

/// As LLVM's GCNHazardRecognizer has it: only the same instruction may add to a result at once.
TEST(DotProducts, AddToTheirResultAtOnce) {
  if (IsRdna()) GTEST_SKIP() << "RDNA waits";
  for (const char* kernel : {"DotAddsToItsResult", "DotAddsToOperand"}) {
    EXPECT_THAT(FindIn("hazards", kernel), IsEmpty()) << kernel;
  }
  for (const char* kernel :
       {"DotMultipliesResult", "DotMultipliesWhatItAddsTo", "DotAddsToAnothersResult"}) {
    EXPECT_THAT(FindIn("hazards", kernel),
                ElementsAre(HasSubstr("a dot product's result is read too early: v40")))
        << kernel;
  }
}

}  // namespace
}  // namespace gridwise::sim
