// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "ck/gemm/args.h"
#include "ck/gemm/config.h"
#include "ck/gemm/copy.h"
#include "ck/gemm/epilogue.h"
#include "ck/gemm/functions.h"
#include "ck/gemm/lane_coordinate.h"
#include "ck/gemm/multiply.h"
#include "ck/gemm/pipeline.h"
#include "ck/gemm/reject.h"
#include "core/arch/memory.h"
#include "core/arch/this_target.h"

namespace gridwise::ck {

/// Index of the last of `problems` whose tiles begin at or before `tile`.
GRIDWISE_DEVICE int FindProblem(Constant<ProblemArgs>* problem, int problems, int tile) {
  int low = 0, high = problems;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    const bool before = problem[middle].first_tile <= tile;
    low = before ? middle : low;
    high = before ? high : middle;
  }
  return low;
}

/// The functions of an instance.
template <Function kFunction>
struct FunctionsWith {
  using Type = Functions<>;
};
template <>
struct FunctionsWith<Function::kScaleAdd> {
  using Type = Functions<ScaleAdd, ScaleAdd>;
};
template <GemmConfig kC>
using FunctionsOf = FunctionsWith<kC.operands>::Type;

/// The kernel's only argument, where the dispatch put it.
template <class Functions>
GRIDWISE_DEVICE Constant<GemmArgs<Functions>>* KernelArgs() {
  return (Constant<GemmArgs<Functions>>*)__builtin_amdgcn_kernarg_segment_ptr();
}

/// Batched matrix multiplications between views of any tensors:
///
///   C[b][m][n] = functions.c(sum over k of functions.a(A[b][m][k], A1...) *
///                                          functions.b(B[b][n][k], B1...), D...)
///
/// One workgroup per tile of C (grid x: tiles of all problems; y: matrices; z: splits of K, each of
/// which writes a separate tensor). Only the views know which tensors these are, and that they may
/// belong to a convolution.
template <GemmConfig kC, class Functions>
GRIDWISE_DEVICE void Gemm() {
  static_assert(Reject(kC, kThisTarget) == nullptr, "the config does not suit the target");
  GRIDWISE_LDS __attribute__((aligned(16))) char lds[kC.lds_bytes()];
  Constant<GemmArgs<Functions>>* const constant = KernelArgs<Functions>();
  const GemmArgs<Functions>& args = *(const GemmArgs<Functions>*)constant;

  Constant<ProblemArgs>* problem =
      args.problems > 1 ? (Constant<ProblemArgs>*)args.table : &constant->only;
  const int slot = SlotOf(args.map.of_launch, BlockIdX(), args.map.slots);
  problem += FindProblem(problem, args.problems, slot);
  const int slot_of_problem =
      SlotOf(args.map.of_section, slot - problem->first_tile, problem->tiles_m * args.tiles_n);
  const TileOfGemm tile = TileAt(args.map, slot_of_problem, problem->tiles_m, args.tiles_n);
  const int first_m = tile.row * kC.tile.m, first_n = tile.column * kC.tile.n;
  const int first_k = BlockIdZ() * problem->steps * kC.tile.k;

  const auto make_copies = [&] {
    const int thread = ThreadId() - (kC.is_wavelet() ? kC.math_threads() : 0);
    using A = Copy<kC, Side::kA, decltype(Functions::a)>;
    using B = Copy<kC, Side::kB, decltype(Functions::b)>;
    return Copies<kC, A, B>{
        .a{&problem->a, args.a, first_m, first_k, thread, lds, args.functions.a},
        .b{&problem->b, args.b, first_n, first_k, thread, lds, args.functions.b}};
  };
  WaveSums<kC> sums;
  MainLoop<kC>(make_copies, problem->steps, lds, sums);
  Epilogue<kC, decltype(Functions::c)>(args.out, args.functions.c, problem, first_m, first_n, lds)
      .Store(sums);
}

}  // namespace gridwise::ck
