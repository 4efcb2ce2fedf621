// SPDX-License-Identifier: MIT
#pragma once

#include "ck/gemm/args.h"
#include "ck/gemm/multiply.h"
#include "ck/gemm/output_offsets.h"
#include "core/arch/memory.h"
#include "core/arch/sync.h"
#include "core/arch/this_target.h"
#include "core/launch/apply_unary.h"
#include "core/launch/output_type.h"

namespace gridwise::ck {

/// Writes the tile. Sums go through LDS ("CShuffle"), some matrix instructions of every wave at a
/// time, so that lanes hold adjacent columns and store 16 bytes. On their way they are combined
/// with the tensors of the epilogue, in f32, and rounded once.
template <GemmConfig kC, class OfSum>
class Epilogue {
 public:
  /// The operands' LDS must be free when Store's first barrier opens.
  GRIDWISE_DEVICE Epilogue(const OutputArgs& out, const OfSum& function,
                           Constant<ProblemArgs>* problem, int first_m, int first_n, char* lds)
      : out_(out),
        function_(function),
        problem_(problem),
        lds_(lds),
        offsets_(problem, first_m, first_n, lds + kC.stage_bytes(kReps)) {}

  /// Waves that only load have no sums, but take part in the rest.
  GRIDWISE_DEVICE void Store(const WaveSums<kC>& sums) const {
    for (int subtile = 0; subtile < kC.reps_m() * kSubtiles; ++subtile) {
      BarrierLds();  // the operands, or the previous subtile, have been read
      if (subtile == 0) offsets_.Find(out_);
      if (IsMathWave<kC>()) Stage(sums, subtile / kSubtiles, subtile % kSubtiles);
      BarrierLds();
      StoreSubtile(subtile / kSubtiles, subtile % kSubtiles);
    }
  }

 private:
  static constexpr int kReps = kC.stage_reps(), kSubtiles = kC.reps_n() / kReps;
  static constexpr int kVec = kC.vec_out(), kPitch = kC.stage_pitch(kReps);
  static constexpr int kColumnsOfWave = kReps * kC.mma.m;
  using Values = Vec<float, kVec>;
  using Integers = Vec<int, kVec>;

  /// Writes sums to LDS as [row][column].
  GRIDWISE_DEVICE void Stage(const WaveSums<kC>& sums, int rep_m, int subtile) const {
    for (int m = 0; m < kC.reps_m(); ++m) {
      for (int p = 0; p < kSubtiles; ++p) {  // registers cannot be indexed
        if (m == rep_m && p == subtile) StageSums(sums.of[m] + p * kReps);
      }
    }
  }
  GRIDWISE_DEVICE void StageSums(const Acc<kC.mma, kC.type>* sums) const {
    constexpr int kRun = kC.mma.acc_run();
    using Run = Vec<gridwise::Element<SumType(kC.type)>, kRun>;
    const int first_row = FirstRowOfWave<kC>(Side::kA) / kC.wave_m() * kC.mma.n;
    const int first_column = FirstRowOfWave<kC>(Side::kB) / kC.wave_n() * kColumnsOfWave;
    for (int n = 0; n < kReps; ++n) {
      for (int reg = 0; reg < kC.mma.acc_per_lane(); reg += kRun) {
        Run run;
        for (int e = 0; e < kRun; ++e) run[e] = sums[n][reg + e];
        const RowCol owner = OwnerOfAcc(kC.mma, LaneId<kC>(), reg);
        const int row = first_row + owner.col, column = first_column + n * kC.mma.m + owner.row;
        *reinterpret_cast<Run*>(lds_ + (row * kPitch + column) * 4) = run;
      }
    }
  }

  GRIDWISE_DEVICE void StoreSubtile(int rep_m, int subtile) const {
    constexpr int kVecs = kC.waves.n * kColumnsOfWave / kVec;  // per row
    struct Parts {
      Vec<float, 4> part[kVec / 4];  // rows are 16-byte aligned
    };
    for (int i = ThreadId(); i < kC.stage_rows() * kVecs; i += kC.threads()) {
      const int row = i / kVecs, column = i % kVecs * kVec;
      const int tile_row = row / kC.mma.n * kC.wave_m() + rep_m * kC.mma.n + row % kC.mma.n;
      const int tile_column = column / kColumnsOfWave * kC.wave_n() + subtile * kColumnsOfWave +
                              column % kColumnsOfWave;
      Finish(__builtin_bit_cast(
                 Values, *reinterpret_cast<const Parts*>(lds_ + (row * kPitch + column) * 4)),
             tile_row, kC.tile.m + tile_column);
    }
  }

  /// From sums to elements of the output. `column` counts among the lines.
  GRIDWISE_DEVICE void Finish(Values values, int row, int column) const {
    if constexpr (SumType(kC.type) == DataType::kI32) {
      if (out_.type == static_cast<int>(DataType::kI32)) {
        StoreAs<DataType::kI32>(values, row, column);
        return;
      }
      values = __builtin_convertvector(__builtin_bit_cast(Integers, values), Values);
    }
    for (int e = 0; e < kVec; ++e) values[e] = function_.Scaled(values[e]);
#pragma clang loop unroll(disable)
    for (int t = 0; t < out_.tensors; ++t) {
      if (out_.d[t].is_f32) {
        CombineWith<DataType::kF32>(t, row, column, values);
      } else {
        WithFloatOutput<kC.type>(
            out_.type, [&]<DataType kOut>() { CombineWith<kOut>(t, row, column, values); });
      }
    }
    WithUnary(function_.unary, function_.unary_parameter, [&](auto unary) {
      for (int e = 0; e < kVec; ++e) values[e] = unary(values[e]);
    });
    for (int e = 0; e < kVec; ++e) values[e] = function_.Clamped(values[e]);
    if (out_.adds) {
      AddTo(values, row, column);
      return;
    }
    WithFloatOutput<kC.type>(out_.type,
                             [&]<DataType kOut>() { StoreAs<kOut>(values, row, column); });
  }

  template <DataType kOut>
  GRIDWISE_DEVICE void CombineWith(int t, int row, int column, Values& values) const {
    using T = gridwise::Element<kOut>;
    constexpr int kPart = 16 / sizeof(T) < kVec ? 16 / sizeof(T) : kVec;  // elements per load
    const unsigned* const offsets = offsets_.OfTensor(t);
    const Buffer buffer = Buffer::From<kThisTarget>(static_cast<const char*>(out_.d[t].data) +
                                                    BlockIdY() * problem_->d[t].batch);
    if (offsets_.IsRun(offsets, out_.d[t].by_element, column)) {
      for (int part = 0; part < kVec; part += kPart) {
        const auto d = buffer.Load<Vec<T, kPart>>(offsets_.At(offsets, row, column + part), 0);
        for (int e = 0; e < kPart; ++e) {
          values[part + e] = function_.WithTensor(t, values[part + e], static_cast<float>(d[e]));
        }
      }
      return;
    }
    for (int e = 0; e < kVec; ++e) {
      const T d = buffer.Load<T>(offsets_.At(offsets, row, column + e), 0);
      values[e] = function_.WithTensor(t, values[e], static_cast<float>(d));
    }
  }

  GRIDWISE_DEVICE void AddTo(const Values& values, int row, int column) const {
    const Buffer buffer = Buffer::From<kThisTarget>(static_cast<const char*>(out_.data) +
                                                    BlockIdY() * problem_->c.batch);
    for (int e = 0; e < kVec; ++e) {
      buffer.AtomicAdd<kThisTarget>(values[e], offsets_.At(offsets_.OfOutput(), row, column + e));
    }
  }

  template <DataType kOut>
  GRIDWISE_DEVICE void StoreAs(const Values& values, int row, int column) const {
    using T = gridwise::Element<kOut>;
    constexpr int kPart = 16 / sizeof(T) < kVec ? 16 / sizeof(T) : kVec;  // elements per store
    const Buffer buffer =
        Buffer::From<kThisTarget>(static_cast<const char*>(out_.data) +
                                  BlockIdY() * problem_->c.batch + BlockIdZ() * out_.split_bytes);
    Vec<T, kVec> out;
    if constexpr (kOut == DataType::kI32) {
      out = __builtin_bit_cast(Integers, values);
    } else {
      out = __builtin_convertvector(values, Vec<T, kVec>);
    }
    if (offsets_.IsRun(offsets_.OfOutput(), out_.by_element, column)) {
      for (int part = 0; part < kVec; part += kPart) {
        Vec<T, kPart> elements;
        for (int e = 0; e < kPart; ++e) elements[e] = out[part + e];
        buffer.Store(elements, offsets_.At(offsets_.OfOutput(), row, column + part));
      }
      return;
    }
    for (int e = 0; e < kVec; ++e) {
      buffer.Store(static_cast<T>(out[e]), offsets_.At(offsets_.OfOutput(), row, column + e));
    }
  }

  const OutputArgs& out_;
  const OfSum& function_;
  Constant<ProblemArgs>* const problem_;
  char* const lds_;
  const OutputOffsets<kC> offsets_;
};

}  // namespace gridwise::ck
