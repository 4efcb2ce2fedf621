// SPDX-License-Identifier: MIT
#pragma once

#include "ck/gemm/args.h"
#include "ck/gemm/lane_coordinate.h"
#include "ck/gemm/multiply.h"
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
        first_m_(first_m),
        first_n_(first_n),
        lds_(lds),
        offsets_(reinterpret_cast<unsigned*>(lds + kC.stage_bytes(kReps))),
        matrix_of_column_(
            reinterpret_cast<int*>(lds + kC.stage_bytes(kReps) + kC.offsets_of_outputs())) {}

  /// Waves that only load have no sums, but take part in the rest.
  GRIDWISE_DEVICE void Store(const WaveSums<kC>& sums) const {
    for (int subtile = 0; subtile < kC.reps_m() * kSubtiles; ++subtile) {
      BarrierLds();  // the operands, or the previous subtile, have been read
      if (subtile == 0) FindOffsets();
      if (IsMathWave<kC>()) Stage(sums, subtile / kSubtiles, subtile % kSubtiles);
      BarrierLds();
      StoreSubtile(subtile / kSubtiles, subtile % kSubtiles);
    }
  }

 private:
  static constexpr int kReps = kC.stage_reps(), kSubtiles = kC.reps_n() / kReps;
  static constexpr int kVec = kC.vec_out(), kPitch = kC.stage_pitch(kReps);
  static constexpr int kColumnsOfWave = kReps * kC.mma.m;
  static constexpr int kLines = kC.tile.m + kC.tile.n;  // offsets of rows, then of columns
  static constexpr int kMerged = kC.merge;
  using Values = Vec<float, kVec>;
  using Integers = Vec<int, kVec>;

  /// Computes offsets in the output, and in the tensors after it.
  GRIDWISE_DEVICE void FindOffsets() const {
    for (int i = ThreadId(); i < kLines; i += kC.threads()) {
      offsets_[i] = OffsetOf(&problem_->c, i);
      for (int t = 0; t < out_.tensors; ++t) {
        offsets_[(t + 1) * kLines + i] = OffsetOf(&problem_->d[t], i);
      }
    }
    if constexpr (kMerged > 1) {
      const int columns = problem_->c.axis[1].length / kMerged;  // per matrix
      for (int i = ThreadId(); i < kC.tile.n; i += kC.threads()) {
        matrix_of_column_[i] = (first_n_ + i) / columns;
      }
    }
  }
  GRIDWISE_DEVICE unsigned OffsetOf(Constant<ViewArgs>* view, int line) const {
    const bool is_row = line < kC.tile.m;
    const int index = is_row ? first_m_ + line : first_n_ + line - kC.tile.m;
    Constant<AxisArgs>* const axis = &view->axis[is_row ? 0 : 1];
    if (index >= axis->length) return Buffer::kOutOfRange;
    int digit[AxisArgs::kDigits];
    FindDigits(axis, index, digit);
    return LaneCoordinate::Of(axis, digit).offset +
           (is_row ? view->origin.offset : view->first_term);
  }

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

  /// Offset of an element in `offsets` of some tensor; out of range if there is none.
  GRIDWISE_DEVICE unsigned OffsetAt(const unsigned* offsets, int row, int column) const {
    if constexpr (kMerged > 1) {
      if (matrix_of_column_[column - kC.tile.m] != row % kMerged) return Buffer::kOutOfRange;
    }
    return __builtin_elementwise_add_sat(offsets[row], offsets[column]);
  }
  /// Whether elements from `column` on are adjacent in memory, and exist together or not.
  GRIDWISE_DEVICE static bool IsRun(const unsigned* offsets, int by_element, int column) {
    return kMerged == 1 && !by_element && offsets[column + kVec - 1] != Buffer::kOutOfRange;
  }

  template <DataType kOut>
  GRIDWISE_DEVICE void CombineWith(int t, int row, int column, Values& values) const {
    using T = gridwise::Element<kOut>;
    constexpr int kPart = 16 / sizeof(T) < kVec ? 16 / sizeof(T) : kVec;  // elements per load
    const unsigned* const offsets = offsets_ + (t + 1) * kLines;
    const Buffer buffer = Buffer::From<kThisTarget>(static_cast<const char*>(out_.d[t].data) +
                                                    BlockIdY() * problem_->d[t].batch);
    if (IsRun(offsets, out_.d[t].by_element, column)) {
      for (int part = 0; part < kVec; part += kPart) {
        const auto d = buffer.Load<Vec<T, kPart>>(OffsetAt(offsets, row, column + part), 0);
        for (int e = 0; e < kPart; ++e) {
          values[part + e] = function_.WithTensor(t, values[part + e], static_cast<float>(d[e]));
        }
      }
      return;
    }
    for (int e = 0; e < kVec; ++e) {
      const T d = buffer.Load<T>(OffsetAt(offsets, row, column + e), 0);
      values[e] = function_.WithTensor(t, values[e], static_cast<float>(d));
    }
  }

  GRIDWISE_DEVICE void AddTo(const Values& values, int row, int column) const {
    const Buffer buffer = Buffer::From<kThisTarget>(static_cast<const char*>(out_.data) +
                                                    BlockIdY() * problem_->c.batch);
    for (int e = 0; e < kVec; ++e) {
      buffer.AtomicAdd<kThisTarget>(values[e], OffsetAt(offsets_, row, column + e));
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
    if (IsRun(offsets_, out_.by_element, column)) {
      for (int part = 0; part < kVec; part += kPart) {
        Vec<T, kPart> elements;
        for (int e = 0; e < kPart; ++e) elements[e] = out[part + e];
        buffer.Store(elements, OffsetAt(offsets_, row, column + part));
      }
      return;
    }
    for (int e = 0; e < kVec; ++e) {
      buffer.Store(static_cast<T>(out[e]), OffsetAt(offsets_, row, column + e));
    }
  }

  const OutputArgs& out_;
  const OfSum& function_;
  Constant<ProblemArgs>* const problem_;
  const int first_m_, first_n_;
  char* const lds_;
  unsigned* const offsets_;
  int* const matrix_of_column_;
};

}  // namespace gridwise::ck
