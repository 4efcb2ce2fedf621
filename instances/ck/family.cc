#include "instances/ck/family.h"

#include <cstddef>
#include <span>

#include "ck/gemm/config.h"
#include "ck/ops/explicit.h"
#include "ck/ops/kernels.h"
#include "ck/ops/op.h"
#include "core/launch/code.h"
#include "core/launch/parts_family.h"
#include "core/launch/row_symbol.h"
#include "instances/ck/gfx1100_code.h"
#include "instances/ck/gfx1201_code.h"
#include "instances/ck/gfx942_code.h"
#include "instances/ck/gfx950_code.h"

namespace gridwise::ck {
namespace {

using enum DataType;
using enum MmaUnit;
using enum Op;
using enum Schedule;
using enum Walk;

/// A line of a list of rows.
struct Row {
  int line;
  OpSet ops;
  GemmConfig config;
};

#define ROW(ops, ...) {__LINE__, ops, {__VA_ARGS__}},

constexpr Row kRows942[] = {
#include "instances/ck/gfx942.inc"
};
constexpr Row kRows950[] = {
#include "instances/ck/gfx950.inc"
};
constexpr Row kRows1100[] = {
#include "instances/ck/gfx1100.inc"
};
constexpr Row kRows1201[] = {
#include "instances/ck/gfx1201.inc"
};

/// The rows, a family's for convolutions and one's for matrices. Both have the same kernels.
struct Tables {
  PartsFamily convolutions{"ck"}, matrices{"ck"};
  ClassicFamily classic{convolutions};

  void Add(std::span<const Row> rows, Gfx gfx, CodeObjects objects) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const KernelCode code = {ObjectOf(objects, gfx, i), RowSymbol("ck", rows[i].line)};
      for (const Op op : kAllOps) {
        if (!rows[i].ops.Has(op)) continue;
        PartsFamily& family = op == kBatchedGemm ? matrices : convolutions;
        family.Add(DirectionOf(op), gfx, MakeKernel(op, rows[i].config, code));
      }
    }
  }
};

const Tables& TheTables() {
  static const Tables* const tables = [] {
    auto* const made = new Tables;
    made->Add(kRows942, Gfx::k942, Gfx942Code());
    made->Add(kRows950, Gfx::k950, Gfx950Code());
    made->Add(kRows1100, Gfx::k1100, Gfx1100Code());
    made->Add(kRows1201, Gfx::k1201, Gfx1201Code());
    return made;
  }();
  return *tables;
}

}  // namespace

const KernelFamily& Family() { return TheTables().classic; }

const KernelFamily& Gemms() { return TheTables().matrices; }

}  // namespace gridwise::ck
