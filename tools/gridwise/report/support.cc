// SPDX-License-Identifier: MIT
#include "tools/gridwise/report/support.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/gemm/problem.h"
#include "gridwise/conv.h"
#include "gridwise/gemm.h"
#include "gridwise/instances.h"

namespace gridwise {
namespace {

/// A line of the table: an op, or a family without ops, in one direction.
struct Line {
  std::string family, op, direction;
  bool operator==(const Line&) const = default;
};

ConvProblem Probe(Direction direction, DataType type, int rank, std::int64_t filter) {
  ConvProblem problem = {
      .direction = direction, .type = type, .rank = rank, .batch = 2, .c = 64, .k = 64};
  for (int axis = 3 - rank; axis < 3; ++axis) {
    problem.dims[static_cast<std::size_t>(axis)] = {
        .in = 9, .filter = filter, .pad_begin = filter / 2, .pad_end = filter / 2};
  }
  return problem;
}

/// Returns "all", "none", or the names of the supported ones.
std::string Summary(const std::vector<std::pair<std::string, bool>>& tried) {
  std::vector<std::string_view> there;
  for (const auto& [name, is_there] : tried) {
    if (is_there) there.push_back(name);
  }
  if (there.size() == tried.size()) return "all";
  return there.empty() ? "none" : absl::StrJoin(there, " ");
}

/// Returns the layouts of x and y in which every rank and both weight layouts have a plan.
std::string ListLayouts(const PlanOptions& options, Direction direction, DataType type, Gfx gfx,
                        std::int64_t filter) {
  std::vector<std::pair<std::string, bool>> tried;
  for (const Layout layout : kAllLayouts) {
    bool all = true;
    for (const WeightLayout weights : kAllWeightLayouts) {
      for (int rank = 1; rank <= 3; ++rank) {
        ConvProblem problem = Probe(direction, type, rank, filter);
        problem.layout = layout;
        problem.weight_layout = weights;
        all &= MakePlan(problem, gfx, options).ok();
      }
    }
    tried.emplace_back(Name(layout), all);
  }
  return Summary(tried);
}

std::string ConvCell(const PlanOptions& options, Direction direction, DataType type, Gfx gfx) {
  std::string wide = ListLayouts(options, direction, type, gfx, 3);
  const std::string narrow = ListLayouts(options, direction, type, gfx, 1);
  if (wide == narrow) return wide;
  return wide == "none" ? absl::StrCat("1x1: ", narrow)
                        : absl::StrCat("3x3: ", wide, ", 1x1: ", narrow);
}

std::string GemmCell(const PlanOptions& options, DataType type, Gfx gfx) {
  std::vector<std::pair<std::string, bool>> tried;
  for (const MatrixOrder a : kAllMatrixOrders) {
    for (const MatrixOrder b : kAllMatrixOrders) {
      bool all = true;
      for (const MatrixOrder c : kAllMatrixOrders) {
        all &= MakePlan(MakeGemm(type, 2, 64, 64, 64, a, b, c), gfx, options).ok();
      }
      tried.emplace_back(absl::StrCat(Name(a), "/", Name(b)), all);
    }
  }
  return Summary(tried);
}

constexpr char kGemm[] = "gemm";

/// Returns the lines that SupportTable's arguments allow, in order, with the types of their
/// instances.
std::vector<std::pair<Line, std::set<DataType>>> FamilyLines(const std::string& family,
                                                             const std::string& of_direction,
                                                             std::optional<Gfx> target) {
  std::vector<std::pair<Line, std::set<DataType>>> lines;
  const auto add = [&](const InstanceInfo& instance, const char* direction) {
    if (!family.empty() && instance.family != family) return;
    if (!of_direction.empty() && direction != of_direction) return;
    if (target && instance.gfx != *target) return;
    const Line line = {std::string(instance.family), std::string(instance.op), direction};
    for (auto& [known, types] : lines) {
      if (known == line) {
        types.insert(instance.type);
        return;
      }
    }
    lines.push_back({line, {instance.type}});
  };
  for (const Direction direction : kAllDirections) {
    for (const InstanceInfo& instance : ListInstances()) {
      if (instance.direction == direction) add(instance, Name(direction));
    }
  }
  for (const InstanceInfo& instance : ListGemmInstances()) add(instance, kGemm);
  return lines;
}

std::string Cell(const Line& line, DataType type, Gfx gfx) {
  const PlanOptions options = {.family = line.family, .op = line.op};
  if (line.direction == kGemm) return GemmCell(options, type, gfx);
  return ConvCell(options, *ParseDirection(line.direction), type, gfx);
}

}  // namespace

std::string SupportTable(const std::string& family, const std::string& direction,
                         std::optional<Gfx> target) {
  std::vector<Gfx> targets;  // that there are kernels for
  const std::vector<InstanceInfo> instances = ListInstances();
  std::ranges::copy_if(kAllGfx, std::back_inserter(targets), [&](Gfx gfx) {
    return gfx == target.value_or(gfx) &&
           std::ranges::find(instances, gfx, &InstanceInfo::gfx) != instances.end();
  });
  std::string table = "| family | op | direction | type |";
  for (const Gfx gfx : targets) absl::StrAppend(&table, " ", Name(gfx), " |");
  absl::StrAppend(&table, "\n|---|---|---|---|");
  for (std::size_t i = 0; i < targets.size(); ++i) absl::StrAppend(&table, "---|");
  absl::StrAppend(&table, "\n");
  for (const auto& [line, types] : FamilyLines(family, direction, target)) {
    for (const DataType type : types) {
      absl::StrAppendFormat(&table, "| %s | %s | %s | %s |", line.family,
                            line.op.empty() ? "" : absl::StrCat("`", line.op, "`"), line.direction,
                            Name(type));
      for (const Gfx gfx : targets) {
        const std::string cell = Cell(line, type, gfx);
        absl::StrAppend(&table, " ", cell == "none" ? "" : cell, " |");
      }
      absl::StrAppend(&table, "\n");
    }
  }
  return table;
}

}  // namespace gridwise
