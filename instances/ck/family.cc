#include "instances/ck/family.h"

#include <cstddef>
#include <span>
#include <utility>

#include "ck/gemm/config.h"
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
using enum Schedule;
using enum Walk;

/// A line of a list of rows.
struct Row {
  Direction direction;
  int line;
  Op op;
  GemmConfig config;
};

#define FORWARD(op, ...) {Direction::kForward, __LINE__, Op::k##op, {__VA_ARGS__}},
#define BACKWARD_DATA(op, ...) {Direction::kBackwardData, __LINE__, Op::k##op, {__VA_ARGS__}},
#define BACKWARD_WEIGHT(op, ...) {Direction::kBackwardWeight, __LINE__, Op::k##op, {__VA_ARGS__}},

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

void AddRows(std::span<const Row> rows, Gfx gfx, CodeObjects objects, PartsFamily& family) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    KernelCode code = {ObjectOf(objects, gfx, i), RowSymbol("ck", row.line)};
    family.Add(row.direction, gfx, MakeKernel(row.op, row.config, std::move(code)));
  }
}

}  // namespace

const KernelFamily& Family() {
  static const PartsFamily* const family = [] {
    auto* const made = new PartsFamily("ck");
    AddRows(kRows942, Gfx::k942, Gfx942Code(), *made);
    AddRows(kRows950, Gfx::k950, Gfx950Code(), *made);
    AddRows(kRows1100, Gfx::k1100, Gfx1100Code(), *made);
    AddRows(kRows1201, Gfx::k1201, Gfx1201Code(), *made);
    return made;
  }();
  return *family;
}

}  // namespace gridwise::ck
