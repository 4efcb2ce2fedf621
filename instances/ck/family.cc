#include "instances/ck/family.h"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ck/gemm/config.h"
#include "ck/ops/explicit.h"
#include "ck/ops/kernels.h"
#include "ck/ops/op.h"
#include "core/arch/parse_gfx.h"
#include "core/launch/code.h"
#include "core/planning/parts_family.h"
#include "core/text/fields_text.h"
#include "instances/ck/row_code.h"

namespace gridwise::ck {
namespace {

using enum DataType;
using enum Function;
using enum MmaUnit;
using enum Op;
using enum Schedule;
using enum Walk;

/// A line of a list of rows.
struct Row {
  OpSet ops;
  GemmConfig config;
  RowUse use;
};

#define ROW(ops, ...) {ops, {__VA_ARGS__}, RowUse::kRanked},
#define REQUESTED_ROW(ops, ...) {ops, {__VA_ARGS__}, RowUse::kOnRequest},

#include "instances/ck/row_tables.inc"

/// The rows, a family's for convolutions and one's for matrices. Both have the same kernels.
struct Tables {
  PartsFamily convolutions{"ck"}, matrices{"ck"};
  ClassicFamily classic{convolutions};
  std::map<Gfx, std::vector<CompiledKernel>> kernels;

  void Add(const RowTable& table) {
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const Row& row = table.rows[i];
      std::optional<KernelCode> code = CodeOfRow(table.objects, table.gfx, "ck", table.codes[i]);
      if (!code) continue;
      code->needs = NeedsOfRow(table.needs, PrintFields(row.config), *code);
      if (row.use == RowUse::kRanked) kernels[table.gfx].push_back({row.config, *code});
      for (const Op op : kAllOps) {
        if (!row.ops.Has(op) || !IsBuilt(DirectionOf(op))) continue;
        PartsFamily& family = op == kBatchedGemm ? matrices : convolutions;
        family.Add(DirectionOf(op), table.gfx, MakeKernel(op, row.config, *code), row.use);
      }
    }
  }
};

const Tables& TheTables() {
  static const Tables* const tables = [] {
    auto* const made = new Tables;
    for (const RowTable& table : RowTables()) made->Add(table);
    return made;
  }();
  return *tables;
}

}  // namespace

const KernelFamily& Family() { return TheTables().classic; }

const KernelFamily& Gemms() { return TheTables().matrices; }

std::span<const CompiledKernel> Kernels(Gfx gfx) {
  const auto& kernels = TheTables().kernels;
  const auto found = kernels.find(gfx);
  return found == kernels.end() ? std::span<const CompiledKernel>() : found->second;
}

}  // namespace gridwise::ck
