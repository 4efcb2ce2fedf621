// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/sim_extension.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/tests/gpu.h"
#include "tools/sim/tests/group_kernels_o3.h"
#include "tools/sim/tests/mutants.h"

// Whether check mode notices what is missing: each wait and barrier of compiled kernels is taken
// away, each limit of a wait raised by one, each s_nop shortened, one at a time, and something must
// be found unless the mutant is shown to be redundant. The kernels as they are must be silent.

namespace gridwise::sim {
namespace {

using ::testing::HasSubstr;

struct Kernel {
  const char* name;
  unsigned workgroups = 4, block = 256;
  uint8_t targets = kAllTargets;
};
constexpr Kernel kKernels[] = {
    {"ReduceTree"},
    {"Scan"},
    {"Softmax"},
    {"BitonicSort"},
    {"ShuffleSum"},
    {"Swizzles"},
    {"LdsAtomics"},
    {"DataParallelPrimitives"},
    {"TransposeTile"},
    {"LdsWidths"},
    {"FlatPointers"},
    {"MatrixCores", 1, 64, kGfx9},
    {"SparseMatrixCores", 1, 64, kGfx94},
    {"LdsGemm", 1},
    {"DynamicLds"},
    {"DirectToLds", 4, 256, kGfx9},
    {"DirectToLdsRing", 4, 256, kGfx9},
};

/// Loads `image` and runs the kernel: how many findings there are, and -1 for an error without one.
int CountFindings(const std::string& image, const Kernel& kernel) {
  gridwiseSimClearFindings();
  hipModule_t module;
  hipFunction_t function;
  if (hipModuleLoadData(&module, image.data()) != hipSuccess) return -1;
  const Words in(RandomWords(8192, 1)), out(std::vector<uint32_t>(8192, 0));
  const uint32_t* in_address = in.device();
  uint32_t* out_address = out.device();
  int n = 64;
  void* arguments[] = {&in_address, &out_address, &n};
  hipError_t error = hipModuleGetFunction(&function, module, kernel.name);
  if (error == hipSuccess)
    error = hipModuleLaunchKernel(function, kernel.workgroups, 1, 1, kernel.block, 1, 1, 4096,
                                  nullptr, arguments, nullptr);
  const int findings = gridwiseSimFindingCount();
  EXPECT_EQ(hipDeviceReset(), hipSuccess);
  EXPECT_EQ(hipModuleUnload(module), hipSuccess);
  return error != hipSuccess && findings == 0 ? -1 : findings;
}

struct Score {
  int mutants = 0, killed = 0, redundant = 0;
  std::string
      depends;  // how the kernel depends on data; empty: survivors are redundant in the launch
  int unexplained() const { return mutants - killed - redundant; }
};

Score ScoreMutants(std::string_view image, const Kernel& kernel) {
  Score score;
  const std::string gfx = TestTarget();
  const absl::StatusOr<KernelCode> code = KernelCode::Find(gfx, image, kernel.name);
  EXPECT_TRUE(code.ok()) << code.status();
  if (!code.ok()) return score;
  score.depends = DependsOnData(*code);
  for (const Mutant& mutant : MakeMutants(*code)) {
    ++score.mutants;
    const std::string mutated = Apply(mutant, *code, image);
    if (CountFindings(mutated, kernel) > 0) {
      ++score.killed;
      continue;
    }
    const absl::StatusOr<KernelCode> changed = KernelCode::Find(gfx, mutated, kernel.name);
    EXPECT_TRUE(changed.ok()) << changed.status();
    const bool redundant =
        changed.ok() && ((score.depends.empty() && !WaitsForCaches(mutant, *code, *changed)) ||
                         !WhyRedundant(mutant, *code, *changed).empty());
    if (redundant) {
      ++score.redundant;
      continue;
    }
    absl::PrintF("unexplained survivor: %s +%#x %s\n", kernel.name,
                 code->instructions()[mutant.instruction].facts.pc, mutant.text);
  }
  return score;
}

/// What there is today: mutants that are killed must not become fewer, survivors that nothing
/// explains not more.
struct Known {
  std::string_view gfx;
  int killed, unexplained;
};
constexpr Known kKnown[] = {{"gfx90a", 415, 1},
                            {"gfx942", 453, 1},
                            {"gfx950", 453, 1},
                            {"gfx1100", 356, 9},
                            {"gfx1201", 446, 9}};

/// The kernels' code for the test's target.
std::string_view ImageOfTarget() {
  for (const CodeObject& object : GroupKernelsO3()) {
    if (object.gfx == TestTarget()) return object.data;
  }
  return {};
}

TEST(DependsOnData, NamesWhatChoosesByData) {
  const auto depends = [](const char* kernel) {
    const absl::StatusOr<KernelCode> code = KernelCode::Find(TestTarget(), ImageOfTarget(), kernel);
    return code.ok() ? DependsOnData(*code) : std::string(code.status().message());
  };
  EXPECT_EQ(depends("Scan"), "");
  EXPECT_EQ(depends("BitonicSort"), "");
  EXPECT_THAT(depends("Histogram"), HasSubstr("has an address made of data"));
  EXPECT_THAT(depends("DynamicLds"), HasSubstr("has an address made of data"));
  EXPECT_THAT(depends("PassAlong"), HasSubstr("by data"));
}

TEST(Mutation, WhatIsMissingIsFoundOrRedundant) {
  const absl::StatusOr<Gpu> gpu = Gpu::Load({{"O3", GroupKernelsO3()}});  // chooses the device
  ASSERT_TRUE(gpu.ok()) << gpu.status();
  ASSERT_EQ(gridwiseSimCheck("check"), 0);
  const std::string gfx = TestTarget();
  const std::string_view image = ImageOfTarget();
  ASSERT_FALSE(image.empty());
  Score all;
  for (const Kernel& kernel : kKernels) {
    if ((kernel.targets & FindTarget(gfx)->bit) == 0) continue;
    if (CountFindings(std::string(image), kernel) != 0) {
      ADD_FAILURE() << kernel.name << " as it is";
      continue;
    }
    const Score score = ScoreMutants(image, kernel);
    absl::PrintF("%-24s killed %d of %d - %d redundant; %s\n", kernel.name, score.killed,
                 score.mutants, score.redundant,
                 score.depends.empty() ? "does the same whatever the data" : score.depends);
    all.mutants += score.mutants;
    all.killed += score.killed;
    all.redundant += score.redundant;
  }
  absl::PrintF("%s: killed %d of %d mutants that are not redundant (%d are); %d unexplained\n", gfx,
               all.killed, all.mutants - all.redundant, all.redundant, all.unexplained());
  const Known* const known = std::find_if(std::begin(kKnown), std::end(kKnown),
                                          [&](const Known& k) { return k.gfx == gfx; });
  ASSERT_NE(known, std::end(kKnown));
  EXPECT_GE(all.killed, known->killed);
  EXPECT_LE(all.unexplained(), known->unexplained);
}

}  // namespace
}  // namespace gridwise::sim
