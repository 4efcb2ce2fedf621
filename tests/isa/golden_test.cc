// SPDX-License-Identifier: MIT
/// The reports in <target>/<direction>.txt are those of the kernels; no kernel uses scratch or
/// spills registers; atomics have the device's scope; every instance keeps the budgets, or
/// over_budget.txt says why it does not.

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/arch/parse_gfx.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/launch/kernel_needs.h"
#include "core/planning/family.h"
#include "gmock/gmock.h"
#include "gridwise/families.h"
#include "gtest/gtest.h"
#include "instances/ck/family.h"
#include "tests/isa/budget.h"
#include "tests/isa/needs.h"
#include "tools/isa_report/kernel_code.h"
#include "tools/isa_report/kernel_report.h"
#include "tools/isa_report/main_loop.h"

namespace gridwise {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kUpdate[] =
    "`./bazelw run //tests/isa:update` writes what the kernels have; review the difference.";

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Gfx Target() {
  const char* const name = std::getenv("GRIDWISE_TEST_TARGET");
  return ParseGfx(name == nullptr ? "" : name).value();
}

/// Whether an instance's name is one of the classic family: it says how operand A is walked.
bool IsClassic(std::string_view instance) {
  return absl::StrContains(instance, "_aeven") || absl::StrContains(instance, "_acheck") ||
         absl::StrContains(instance, "_atable");
}

class Isa : public testing::TestWithParam<Direction> {
 protected:
  void SetUp() override {
    golden_ = ReadText(Path());
    ASSERT_FALSE(golden_.empty()) << "there is no " << Path() << ". " << kUpdate;
  }
  static std::string Path() {
    return absl::StrCat("tests/isa/", Name(Target()), "/", Name(GetParam()), ".txt");
  }
  /// Each direction's report is made once.
  const absl::StatusOr<std::vector<KernelReport>>& Reports() {
    static auto* const reports = new std::map<Direction, absl::StatusOr<std::vector<KernelReport>>>;
    auto found = reports->find(GetParam());
    if (found == reports->end())
      found = reports->emplace(GetParam(), ReportInstances(GetParam(), Target())).first;
    return found->second;
  }

  std::string golden_;
};

/// Lines that only one of the texts has, "-" and "+" before them.
std::string Difference(const std::string& before, const std::string& after) {
  const std::vector<std::string> old_lines = absl::StrSplit(before, '\n');
  const std::vector<std::string> new_lines = absl::StrSplit(after, '\n');
  std::string text;
  const auto only = [&](const std::vector<std::string>& in, const std::vector<std::string>& not_in,
                        const char* mark) {
    const std::set<std::string> others(not_in.begin(), not_in.end());
    for (const std::string& line : in) {
      if (!others.contains(line)) absl::StrAppend(&text, mark, line, "\n");
    }
  };
  only(old_lines, new_lines, "- ");
  only(new_lines, old_lines, "+ ");
  return text;
}

TEST_P(Isa, ReportIsTheGoldenOne) {
  const auto& reports = Reports();
  ASSERT_TRUE(reports.ok()) << reports.status();
  ASSERT_FALSE(reports->empty());
  const std::string text = ToText(*reports);
  EXPECT_TRUE(golden_ == text) << Path() << " differs:\n" << Difference(golden_, text) << kUpdate;
}

TEST_P(Isa, NoInstanceUsesScratchOrSpillsVgprs) {
  const auto& reports = Reports();
  ASSERT_TRUE(reports.ok()) << reports.status();
  for (const KernelReport& report : *reports) {
    EXPECT_EQ(report.scratch, 0) << report.instance;
    EXPECT_EQ(report.vgpr_spills, 0) << report.instance;
  }
}

// What the schedule is for: waves that multiply do nothing else on the vector unit, and load
// nothing. (Some instances of tile read scalars there that did not fit in scalar registers.)
TEST_P(Isa, MathWavesOfWaveletOnlyMultiply) {
  const auto& reports = Reports();
  ASSERT_TRUE(reports.ok()) << reports.status();
  int instances = 0;
  for (const KernelReport& report : *reports) {
    if (!absl::StrContains(report.instance, "_wavelet") || !IsClassic(report.instance)) continue;
    ++instances;
    ASSERT_TRUE(report.loop.has_value()) << report.instance;
    EXPECT_GT(report.loop->matrix, 0) << report.instance;
    EXPECT_EQ(report.loop->valu, 0) << report.instance;
    EXPECT_EQ(report.loop->vmem, 0) << report.instance;
  }
  EXPECT_EQ(instances > 0, TraitsOf(Target()).mma_unit == MmaUnit::kMfma);
}

// The instances of the classic family that large layers run on, whatever excuses others have.
TEST_P(Isa, LargeClassicInstancesTakeHalfOfComposableKernels) {
  if (TraitsOf(Target()).mma_unit != MmaUnit::kMfma) {
    GTEST_SKIP() << "Composable Kernel's were measured on gfx942";
  }
  const double most = GetParam() == Direction::kForward        ? 4.6 / 2
                      : GetParam() == Direction::kBackwardData ? 8.8 / 2
                                                               : 6.3 / 2;
  const auto& reports = Reports();
  ASSERT_TRUE(reports.ok()) << reports.status();
  int instances = 0;
  for (const KernelReport& report : *reports) {
    const bool is_large = absl::StrContains(report.instance, "f16_t128x128x") ||
                          absl::StrContains(report.instance, "f16_t256x128x");
    if (!is_large || !IsClassic(report.instance)) continue;
    ++instances;
    ASSERT_TRUE(report.per_matrix.has_value()) << report.instance;
    EXPECT_LE(report.per_matrix->valu, most) << report.instance;
  }
  EXPECT_GE(instances, 6);
}

TEST_P(Isa, EveryInstanceKeepsTheBudgets) {
  const auto& reports = Reports();
  ASSERT_TRUE(reports.ok()) << reports.status();
  const absl::StatusOr<Excuses> excuses = Excuses::Parse(ReadText("tests/isa/over_budget.txt"));
  ASSERT_TRUE(excuses.ok()) << excuses.status();
  std::vector<std::string> instances_over;
  for (const KernelReport& report : *reports) {
    const std::optional<std::string> over = OverBudget(report, Target());
    if (over) instances_over.push_back(report.instance);
    EXPECT_TRUE(!over || excuses->Has(Target(), GetParam(), report.instance))
        << Name(Target()) << " " << Name(GetParam()) << " " << report.instance << ": "
        << over.value_or("")
        << "\nMake it cheaper, or say in tests/isa/over_budget.txt why it cannot be.";
  }
  EXPECT_THAT(excuses->Unneeded(Target(), GetParam(), instances_over), IsEmpty())
      << "No instance needs these lines of tests/isa/over_budget.txt any more.";
}

INSTANTIATE_TEST_SUITE_P(Directions, Isa, testing::ValuesIn(kAllDirections),
                         [](const auto& info) { return std::string(Name(info.param)); });

/// The code between two barriers: its loads from memory, and how many of them may still be on their
/// way at each wait after the last one.
struct Step {
  int loads = 0;
  std::vector<int> left;
};

std::vector<Step> FindSteps(const std::vector<CodeLine>& lines) {
  std::vector<Step> steps(1);
  for (const CodeLine& line : lines) {
    if (line.text.starts_with("s_barrier")) steps.emplace_back();
    Step& step = steps.back();
    if (line.text.starts_with("buffer_load")) {
      ++step.loads;
      step.left.clear();
    }
    int left = 0;
    const std::size_t wait = line.text.find("vmcnt(");
    if (wait == std::string::npos) continue;
    if (absl::SimpleAtoi(line.text.substr(wait + 6, line.text.find(')', wait) - wait - 6), &left)) {
      step.left.push_back(left);
    }
  }
  return steps;
}

// While a k tile is written to LDS, the one that was just asked for is on its way, all of it: a
// step that waited for some of it would take as long as memory does.
TEST(Wavelet, LoadWavesDoNotWaitForTheKTileThatTheyJustAskedFor) {
  constexpr int kCounter = 63;  // the most loads that waits can tell apart
  KernelCodes codes;
  int instances = 0;
  for (const Direction direction : kAllDirections) {
    for (const InstanceInfo& instance : ck::Family().Instances(direction, Target())) {
      if (instance.shape.load_waves == 0) continue;
      const auto kernel = codes.Find(instance);
      ASSERT_TRUE(kernel.ok()) << kernel.status();
      const absl::StatusOr<std::vector<CodeLine>> lines = Disassemble(**kernel, Target());
      ASSERT_TRUE(lines.ok()) << lines.status();
      const std::vector<Step> steps = FindSteps(*lines);
      int most = 0;
      for (const Step& step : steps) most = std::max(most, step.loads);
      if (2 * most > kCounter) continue;
      ++instances;
      EXPECT_TRUE(std::ranges::any_of(steps, [](const Step& step) {
        return step.loads > 0 && !step.left.empty() &&
               std::ranges::all_of(step.left, [&](int left) { return left >= step.loads; });
      })) << instance.name;
    }
  }
  EXPECT_EQ(instances > 0, TraitsOf(Target()).mma_unit == MmaUnit::kMfma);
}

/// What LLVM's disassembler prints after an atomic that the whole device sees, as TraitsOf's
/// sources have it: a scope on gfx12; elsewhere, if it returns what it found, sc0 or glc.
std::string_view DeviceScope(Gfx gfx, std::string_view atomic) {
  if (gfx == Gfx::k1201) return " scope:SCOPE_DEV";
  const bool returns = absl::StrContains(atomic, "add_x2") || absl::StrContains(atomic, "add_u64");
  if (!returns) return "";
  return gfx == Gfx::k90a || gfx == Gfx::k1100 ? " glc" : " sc0";
}

// Sums of splits are added up by workgroups of all compute units. In the scope of one,
// which is what gfx12 takes when nothing is said, a device with more of them would lose some.
TEST(Atomics, AreOfTheWholeDevice) {
  KernelCodes codes;
  int atomics = 0;
  for (const KernelFamily* family : Families()) {
    for (const Direction direction : kAllDirections) {
      for (const InstanceInfo& instance : family->Instances(direction, Target())) {
        const auto kernel = codes.Find(instance);
        ASSERT_TRUE(kernel.ok()) << kernel.status();
        const absl::StatusOr<std::vector<CodeLine>> lines = Disassemble(**kernel, Target());
        ASSERT_TRUE(lines.ok()) << lines.status();
        for (const CodeLine& line : *lines) {
          if (!absl::StrContains(line.text, "_atomic_")) continue;
          ++atomics;
          // A scope, or bits of the cache policy.
          const std::size_t policy = std::min(line.text.find(" sc"), line.text.find(" glc"));
          EXPECT_EQ(policy == std::string::npos ? "" : line.text.substr(policy),
                    DeviceScope(Target(), line.text))
              << instance.name << ": " << line.text;
        }
      }
    }
  }
  EXPECT_GT(atomics, 0);
}

// The planner reads needs of descriptors (core/launch/kernel_needs.h), in granules of eight
// registers; the simulator's loader of the code object's notes. Where LDS bounds how many waves
// there are, the compiler asks for the registers that are left over.
TEST(Needs, OfPlansAreThoseOfTheKernels) {
  KernelCodes codes;
  int instances = 0;
  for (const KernelFamily* family : Families()) {
    if (family->name() == "direct") continue;  // does not ask for them
    for (const Direction direction : kAllDirections) {
      for (const InstanceInfo& instance : family->Instances(direction, Target())) {
        const auto kernel = codes.Find(instance);
        ASSERT_TRUE(kernel.ok()) << kernel.status();
        const KernelNeeds used = {.registers = (*kernel)->vgprs,
                                  .lds_bytes = static_cast<int>((*kernel)->static_lds_bytes)};
        const int waves = static_cast<int>((*kernel)->max_workgroup) / (*kernel)->wave_size;
        EXPECT_GE(instance.code.needs.registers, used.registers) << instance.name;
        EXPECT_EQ(instance.code.needs.lds_bytes, used.lds_bytes) << instance.name;
        EXPECT_EQ(ResidentWorkgroups(DeviceFacts(Target()), instance.code.needs, waves),
                  ResidentWorkgroups(DeviceFacts(Target()), used, waves))
            << instance.name;
        ++instances;
      }
    }
  }
  EXPECT_GT(instances, 50);
}

TEST(Needs, AreInTheListsOfTheFamilies) {
  int lists = 0;
  for (const KernelFamily* family : Families()) {
    if (std::ranges::find(kFamiliesWithNeeds, family->name()) == std::end(kFamiliesWithNeeds)) {
      continue;
    }
    const absl::StatusOr<std::string> text = NeedsText(*family, Target());
    ASSERT_TRUE(text.ok()) << text.status();
    EXPECT_EQ(
        ReadText(absl::StrCat("instances/", family->name(), "/", Name(Target()), "_needs.inc")),
        *text)
        << kUpdate;
    ++lists;
  }
  EXPECT_EQ(lists, 2);
}

TEST(Budget, IsOfTheTarget) {
  KernelReport report;
  EXPECT_TRUE(OverBudget(report, Gfx::k942).has_value());
  report.loop = MainLoop{.matrix = 8, .valu = 8};
  report.per_matrix = PerMatrix{.valu = 1};
  report.conflicts = 0;
  EXPECT_EQ(OverBudget(report, Gfx::k942), std::nullopt);
  report.per_matrix->valu = 1.125;
  EXPECT_TRUE(OverBudget(report, Gfx::k942).has_value());
  EXPECT_EQ(OverBudget(report, Gfx::k950), std::nullopt);
  report.per_matrix->valu = 2.125;
  EXPECT_TRUE(OverBudget(report, Gfx::k950).has_value());
  EXPECT_EQ(OverBudget(report, Gfx::k1201), std::nullopt);
  report.conflicts = 0.25;
  EXPECT_TRUE(OverBudget(report, Gfx::k1201).has_value());
  report.conflicts = 0;
  EXPECT_EQ(OverBudget(report, Gfx::k1201), std::nullopt);
  report.sgpr_spills = 1;
  EXPECT_TRUE(OverBudget(report, Gfx::k1201).has_value());
  report.sgpr_spills = 0;
  report.per_matrix->salu = 1.125;
  EXPECT_TRUE(OverBudget(report, Gfx::k1201).has_value());
  report.per_matrix->salu = 1;
  EXPECT_EQ(OverBudget(report, Gfx::k1201), std::nullopt);
  report.per_matrix->scalar_loads = 0.125;
  EXPECT_TRUE(OverBudget(report, Gfx::k1201).has_value());
  report.per_matrix->scalar_loads = 0;
  // A step of 16 matrix instructions.
  report.per_matrix->valu = 1;
  report.instance = "f16_t128x128x32_w2x2_mfma32x32x8_a8x1_b8x1_o3";
  report.per_matrix->branches = 1 / 16.;
  EXPECT_EQ(OverBudget(report, Gfx::k942), std::nullopt) << "a branch per step";
  report.per_matrix->branches = 2 / 16.;
  EXPECT_TRUE(OverBudget(report, Gfx::k942).has_value());
  // The same of waves that multiply, and as many that load.
  report.instance = "f16_t128x128x32_w2x2_mfma32x32x8_a8x1_b8x1_o4_wavelet4";
  EXPECT_EQ(OverBudget(report, Gfx::k942), std::nullopt);
  // The classic family has budgets of its own for the vector unit.
  report.instance = "cshuffle_v3_f16_t128x128x32_w2x2_mfma32x32x8_aeven4x4_bcheck2-4x4_o3";
  report.per_matrix->valu = 3.125;
  EXPECT_EQ(OverBudget(report, Gfx::k942), std::nullopt);
  report.instance = "multiple_abd_f16_t128x128x32_w2x2_mfma32x32x8_aeven8x1_beven8x1_o3";
  EXPECT_TRUE(OverBudget(report, Gfx::k942).has_value());
  report.per_matrix->valu = 2.25;
  EXPECT_EQ(OverBudget(report, Gfx::k942), std::nullopt);
  report.per_matrix->branches = 11 / 16.;
  EXPECT_TRUE(OverBudget(report, Gfx::k942).has_value()) << "11 branches per step";
  report.per_matrix.reset();
  EXPECT_TRUE(OverBudget(report, Gfx::k1201).has_value()) << "a figure that is missing";
  report.loop = MainLoop{.matrix = 0, .valu = 8};
  EXPECT_EQ(OverBudget(report, Gfx::k1201), std::nullopt) << "no matrix unit is used";
}

TEST(Budget, ExcusesMatchByPattern) {
  const absl::StatusOr<Excuses> excuses =
      Excuses::Parse("# why\n\ngfx942 fwd f16_t64* small\n* bwd_weight *_o2 wide\n");
  ASSERT_TRUE(excuses.ok()) << excuses.status();
  EXPECT_TRUE(excuses->Has(Gfx::k942, Direction::kForward, "f16_t64x64"));
  EXPECT_FALSE(excuses->Has(Gfx::k950, Direction::kForward, "f16_t64x64"));
  EXPECT_FALSE(excuses->Has(Gfx::k942, Direction::kForward, "f16_t128x64"));
  EXPECT_TRUE(excuses->Has(Gfx::k1100, Direction::kBackwardWeight, "bf16_o2"));
  EXPECT_FALSE(excuses->Has(Gfx::k1100, Direction::kBackwardWeight, "bf16_o2x"));
  EXPECT_THAT(excuses->Unneeded(Gfx::k942, Direction::kForward, {"f16_t64x64"}), IsEmpty());
  EXPECT_THAT(excuses->Unneeded(Gfx::k942, Direction::kForward, {"f16_t128x64"}),
              ElementsAre("gfx942 fwd f16_t64* small"));
  EXPECT_THAT(excuses->Unneeded(Gfx::k950, Direction::kForward, {}), IsEmpty());
  EXPECT_FALSE(Excuses::Parse("gfx942 fwd f16_t64").ok());
}

}  // namespace
}  // namespace gridwise
