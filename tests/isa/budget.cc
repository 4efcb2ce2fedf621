// SPDX-License-Identifier: MIT
#include "tests/isa/budget.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "ck/gemm/config.h"
#include "ck/ops/op.h"
#include "core/text/fields_text.h"
#include "tile/config.h"

namespace gridwise {
namespace {

constexpr double kSaluPerMatrix = 1;
constexpr double kBranchesPerStep = 1.25;  // one, and some where runs of steps end

// Budgets of the ck family: its steps check whether there are others to load, and advance tables.
constexpr double kClassicSaluPerStep = 56, kClassicScalarLoadsPerStep = 3,
                 kClassicBranchesPerStep = 10;

/// The op of an instance of the classic family; nothing for those of others.
std::optional<ck::Op> ParseOp(std::string_view instance) {
  for (const ck::Op op : ck::kAllOps) {
    if (instance.starts_with(absl::StrCat(ck::Name(op), "_"))) return op;
  }
  return std::nullopt;
}

/// Matrix instructions of a step of the instance's main loop, per wave of the workgroup; nothing
/// for instances that have none.
std::optional<double> MatrixPerStep(std::string_view instance) {
  const auto per_wave = [](const auto& config, int k) {
    const int of_math_wave = config.reps_m() * config.reps_n() * k / config.mma.k;
    return 1.0 * of_math_wave * config.math_threads() / config.threads();
  };
  if (const std::optional<ck::Op> op = ParseOp(instance)) {
    const auto config =
        ParseFields<ck::GemmConfig>(instance.substr(std::string_view(ck::Name(*op)).size() + 1));
    if (!config.ok()) return std::nullopt;
    return per_wave(*config, config->tile.k);
  }
  const auto config = ParseFields<tile::TileConfig>(instance);
  if (!config.ok()) return std::nullopt;
  return per_wave(*config, config->sums_blocks() ? config->tile.k : config->k_of_group());
}

/// For the ck family, half of what Composable Kernel's 2-D f16 kernels need on gfx942: 4.6, 8.8 and
/// 6.3, as measured.
double ClassicValuPerMatrix(Direction direction) {
  switch (direction) {
    case Direction::kForward:
      return 4.6 / 2;
    case Direction::kBackwardData:
      return 8.8 / 2;
    case Direction::kBackwardWeight:
      return 6.3 / 2;
  }
  return 0;
}

double ValuPerMatrix(std::string_view instance, Gfx gfx) {
  const TargetTraits traits = TraitsOf(gfx);
  if (traits.mma_unit != MmaUnit::kMfma) return 4;
  if (const std::optional<ck::Op> op = ParseOp(instance))
    return ClassicValuPerMatrix(DirectionOf(*op));
  return traits.mfma_generation == 4 ? 2 : 1;
}

/// Whether `text` is `pattern` with any text in place of each '*'.
bool Matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*') {
    for (size_t skipped = 0; skipped <= text.size(); ++skipped) {
      if (Matches(pattern.substr(1), text.substr(skipped))) return true;
    }
    return false;
  }
  return !text.empty() && pattern[0] == text[0] && Matches(pattern.substr(1), text.substr(1));
}

/// What scalar instructions, loads and branches are over.
std::optional<std::string> OverScalarBudget(std::string_view instance,
                                            const PerMatrix& per_matrix) {
  const bool is_classic = ParseOp(instance).has_value();
  const double matrix_per_step = MatrixPerStep(instance).value_or(0);
  const double max_salu = is_classic ? kClassicSaluPerStep / matrix_per_step : kSaluPerMatrix;
  if (per_matrix.salu > max_salu) {
    return absl::StrFormat("%.2f scalar instructions per matrix instruction, more than %.2f",
                           per_matrix.salu, max_salu);
  }
  const double max_loads = is_classic ? kClassicScalarLoadsPerStep / matrix_per_step : 0;
  if (per_matrix.scalar_loads > max_loads) {
    return absl::StrFormat("%.2f scalar loads per matrix instruction, more than %.2f",
                           per_matrix.scalar_loads, max_loads);
  }
  const double branches = per_matrix.branches * matrix_per_step;
  const double max_branches = is_classic ? kClassicBranchesPerStep : kBranchesPerStep;
  if (branches > max_branches) {
    return absl::StrFormat("%.2f branches per step, more than %.2f", branches, max_branches);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> OverBudget(const KernelReport& report, Gfx gfx) {
  if (report.sgpr_spills > 0) return absl::StrFormat("spills %d SGPRs", report.sgpr_spills);
  if (!report.loop) return "has no main loop";
  if (report.loop->matrix == 0) return std::nullopt;  // the others are of the matrix unit
  if (!report.per_matrix || !report.conflicts) {
    return "has a main loop that no probe problem runs";
  }
  const PerMatrix& per_matrix = *report.per_matrix;
  const double limit = ValuPerMatrix(report.instance, gfx);
  if (per_matrix.valu > limit) {
    return absl::StrFormat("%.2f vector-ALU instructions per matrix instruction, more than %.2f",
                           per_matrix.valu, limit);
  }
  if (auto over = OverScalarBudget(report.instance, per_matrix)) return over;
  if (*report.conflicts > 0) {
    return absl::StrFormat("%.2f cycles of LDS bank conflicts per iteration", *report.conflicts);
  }
  return std::nullopt;
}

absl::StatusOr<Excuses> Excuses::Parse(std::string_view text) {
  Excuses excuses;
  for (std::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.size() < 4) {
      return absl::InvalidArgumentError(
          absl::StrFormat("'%s' is not a target, a direction, an instance and why", line));
    }
    excuses.excuses_.push_back({words[0], words[1], words[2], std::string(line)});
  }
  return excuses;
}

bool Excuses::Excuse::IsAbout(Gfx gfx, Direction of) const {
  return Matches(target, Name(gfx)) && Matches(direction, Name(of));
}

bool Excuses::Has(Gfx gfx, Direction direction, std::string_view instance) const {
  return std::any_of(excuses_.begin(), excuses_.end(), [&](const Excuse& excuse) {
    return excuse.IsAbout(gfx, direction) && Matches(excuse.instance, instance);
  });
}

std::vector<std::string> Excuses::Unneeded(Gfx gfx, Direction direction,
                                           const std::vector<std::string>& instances) const {
  std::vector<std::string> lines;
  for (const Excuse& excuse : excuses_) {
    const auto excuses_instance = [&](std::string_view instance) {
      return Matches(excuse.instance, instance);
    };
    if (excuse.IsAbout(gfx, direction) &&
        std::none_of(instances.begin(), instances.end(), excuses_instance))
      lines.push_back(excuse.line);
  }
  return lines;
}

}  // namespace gridwise
