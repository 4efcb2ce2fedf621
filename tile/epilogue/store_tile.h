#pragma once

#include "core/arch/memory.h"
#include "core/arch/sync.h"
#include "core/launch/combine.h"
#include "core/launch/output_type.h"
#include "tile/config.h"
#include "tile/pipeline/wave_acc.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// Writes the tile: see EpilogueArgs. The sums go through LDS, some matrix instructions of every
/// wave at a time, so that lanes store 16 consecutive bytes. What all tiles need of the arguments
/// is loaded once; what most don't, where it is needed.
///
/// Place knows where rows and columns of the tile are in tensors of the output's shape:
///
///   const char* Base(data, strides)       what offsets count from
///   unsigned Row(strides, row)            offset of a row, or Buffer::kOutOfRange where it is none
///   int Column(strides, column)           further offset of a column
///   int columns()                         columns that are there, from the tile's first on
template <TileConfig kC, Gfx kGfx, class Place>
class StoreTile {
 public:
  /// `lds` is the workgroup's, whose operands have been read when Store's first barrier opens;
  /// `split` counts the tensors of sums where K is split.
  GRIDWISE_DEVICE StoreTile(const EpilogueArgs& args, const Place& place, int split, char* lds)
      : args_(args),
        strides_(args.strides),
        out_type_(args.out_type),
        adds_(args.adds),
        finishes_(args.tensors != 0 || args.clamps != 0 || args.alpha != 1),
        by_element_(args.by_element),
        columns_(place.columns()),
        out_(Buffer::From<kGfx>(static_cast<const char*>(place.Base(args.out, args.strides) +
                                                         split * args.split_bytes))),
        place_(place),
        lds_(lds),
        row_offsets_(reinterpret_cast<unsigned*>(lds + kRowOffsetsAt)) {}

  /// Waves that only load have no part of `acc`, and take part in the rest.
  GRIDWISE_DEVICE void Store(const WaveAcc<kC>& acc) const {
#pragma clang loop unroll(disable)
    for (int piece = 0; piece < kC.reps_m() / kRepsM * kChunks; ++piece) {
      BarrierLds();  // the operands, or the previous piece, have been read
      if (piece == 0) FindRowOffsets();
      if (IsMathWave<kC>()) Stage(acc, piece, lds_);
      BarrierLds();
      StoreStaged(piece, lds_);
    }
  }

 private:
  // Constants, so that no kernel computes them, or calls what does.
  static constexpr int kVec = kC.vec_out();
  static constexpr int kRowOffsetsAt = kC.row_offsets_at(), kPitch = kC.stage_pitch();
  static constexpr int kRepsM = kC.stage_reps_m();
  static constexpr int kWaveRows = kRepsM * kC.mma_m();                 // of a wave in the stage
  static constexpr int kChunks = kC.reps_n() / kC.stage_reps_n();       // pieces along n
  static constexpr int kChunkColumns = kC.stage_reps_n() * kC.mma_n();  // of a wave
  using Values = Vec<float, kVec>;

  GRIDWISE_DEVICE void FindRowOffsets() const {
    for (int row = ThreadId(); row < kC.tile.m; row += kC.threads()) {
      row_offsets_[row] = place_.Row(args_.strides, row);
      for (int i = 0; i < args_.tensors; ++i) {
        row_offsets_[(i + 1) * kC.tile.m + row] = place_.Row(args_.tensor[i].strides, row);
      }
    }
  }

  /// Writes a piece of every wave's accumulators to LDS as [row][column].
  GRIDWISE_DEVICE static void Stage(const WaveAcc<kC>& acc, int piece, char* lds) {
    for (int rep = 0; rep < kC.reps_m(); ++rep) {
      for (int chunk = 0; chunk < kChunks; ++chunk) {  // registers have no index
        if (piece == rep / kRepsM * kChunks + chunk) {
          StageAcc(acc.d[rep] + chunk * kC.stage_reps_n(), rep % kRepsM, lds);
        }
      }
    }
  }

  GRIDWISE_DEVICE static void StageAcc(const Acc<kC.mma, kC.type>* acc, int rep, char* lds) {
    if constexpr (kC.sums_blocks()) return StageBlocks(acc, rep, lds);
    constexpr int kRun = kC.mma.acc_run();
    using Run = Vec<Element<SumType(kC.type)>, kRun>;
    const int first = WaveN<kC>() / kChunks;
    for (int n = 0; n < kC.stage_reps_n(); ++n) {
      for (int reg = 0; reg < kC.mma.acc_per_lane(); reg += kRun) {
        Run run;
        for (int e = 0; e < kRun; ++e) run[e] = acc[n][reg + e];
        const RowCol place = kC.PlaceInStage(Lane<kC>(), n, reg);
        const int row = WaveM<kC>() / kC.wave_m() * kWaveRows + rep * kC.mma_m() + place.row;
        const int column = first + place.col;
        *reinterpret_cast<Run*>(lds + (row * kPitch + column) * 4) = run;
      }
    }
  }

  /// The same of sums of blocks, of which a lane has for each tap 8 columns: those of its row's
  /// group alone are columns of the tile.
  GRIDWISE_DEVICE static void StageBlocks(const Acc<kC.mma, kC.type>* acc, int rep, char* lds) {
    constexpr int kRun = 8, kChannels = kC.tile.m / kC.merge.groups;
    constexpr int kPairs = TileConfig::kBlock / kC.mma.m;
    const int column = Lane<kC>() / kC.mma.m * kRun;
    if (Lane<kC>() % kC.mma.m * kPairs / kChannels != column / kChannels) return;
    const int row = (WaveM<kC>() / kC.wave_m() * kRepsM + rep) * kC.mma_m();
    for (int tap = 0; tap < kC.stage_reps_n() / kPairs; ++tap) {
      Vec<float, kRun> run;
      for (int e = 0; e < kRun; ++e) run[e] = acc[tap * kPairs + e % kPairs][e / kPairs];
      const int first = WaveN<kC>() / kChunks + tap * kChannels + column % kChannels;
      auto* const to = reinterpret_cast<Vec<float, 4>*>(
          lds + ((row + Lane<kC>() % kC.mma.m) * kPitch + first) * 4);
      for (int half = 0; half < 2; ++half) {
        for (int e = 0; e < 4; ++e) to[half][e] = run[half * 4 + e];
      }
    }
  }

  GRIDWISE_DEVICE void StoreStaged(int piece, const char* lds) const {
    constexpr int kVecsPerRow = kC.stage_columns() / kVec;
    const int rep = piece / kChunks, chunk = piece % kChunks;
    for (int i = ThreadId(); i < kC.stage_rows() * kVecsPerRow; i += kC.threads()) {
      const int row = i / kVecsPerRow, staged = i % kVecsPerRow * kVec;
      const int tile_row = row / kWaveRows * kC.wave_m() + rep * kWaveRows + row % kWaveRows;
      const int column =
          staged / kChunkColumns * kC.wave_n() + chunk * kChunkColumns + staged % kChunkColumns;
      struct Parts {
        Vec<float, 4> part[kVec / 4];  // rows are 16-byte aligned
      };
      Values values = __builtin_bit_cast(
          Values, *reinterpret_cast<const Parts*>(lds + (row * kPitch + staged) * 4));
      if constexpr (SumType(kC.type) == DataType::kI32) {
        if (out_type_ == static_cast<int>(DataType::kI32)) {
          StoreAs<int>(values, tile_row, column);
          continue;
        }
        using Sums = Vec<int, kVec>;
        values = __builtin_convertvector(__builtin_bit_cast(Sums, values), Values);
      }
      if (finishes_) Finish(values, tile_row, column);
      if (adds_ != 0) {
        AddTo(values, tile_row, column);
      } else {
        WithFloatOutput<kC.type>(
            out_type_, [&]<DataType kOut>() { StoreAs<Element<kOut>>(values, tile_row, column); });
      }
    }
  }

  /// From sums to the values of the output.
  GRIDWISE_DEVICE void Finish(Values& values, int tile_row, int column) const {
    for (int e = 0; e < kVec; ++e) values[e] *= args_.alpha;
#pragma clang loop unroll(disable)
    for (int i = 0; i < args_.tensors; ++i) {
      const EpilogueTensorArgs& tensor = args_.tensor[i];
      const unsigned row = row_offsets_[(i + 1) * kC.tile.m + tile_row];
      if (tensor.is_f32) {
        CombineWith<float>(tensor, row, column, values);
      } else {
        WithFloatOutput<kC.type>(out_type_, [&]<DataType kOut>() {
          if constexpr (kOut != DataType::kF32) {
            CombineWith<Element<kOut>>(tensor, row, column, values);
          }
        });
      }
    }
    for (int e = 0; e < kVec; ++e) values[e] = Clamp(args_, values[e]);
  }

  /// kOutOfRange where column `column` + `e` is past the last.
  GRIDWISE_DEVICE unsigned PastColumns(int column, int e) const {
    return static_cast<unsigned>(columns_ - 1 - e - column) & Buffer::kOutOfRange;
  }

  template <class T>
  GRIDWISE_DEVICE void CombineWith(const EpilogueTensorArgs& tensor, unsigned row, int column,
                                   Values& values) const {
    constexpr int kPart = 16 / sizeof(T) < kVec ? 16 / sizeof(T) : kVec;  // elements of a load
    const Buffer buffer = Buffer::From<kGfx>(place_.Base(tensor.data, tensor.strides));
    if (!tensor.by_element && columns_ % kVec == 0) {
      const unsigned offset =
          (row + place_.Column(tensor.strides, column)) | PastColumns(column, 0);
      for (int part = 0; part < kVec; part += kPart) {
        const auto d = buffer.Load<Vec<T, kPart>>(offset, part * static_cast<int>(sizeof(T)));
        for (int e = 0; e < kPart; ++e) {
          values[part + e] = Combine(tensor, values[part + e], static_cast<float>(d[e]));
        }
      }
    } else {
      for (int e = 0; e < kVec; ++e) {
        const unsigned offset =
            (row + place_.Column(tensor.strides, column + e)) | PastColumns(column, e);
        values[e] = Combine(tensor, values[e], static_cast<float>(buffer.Load<T>(offset, 0)));
      }
    }
  }

  /// `value` as the output has it; integers have stayed the bits that they are.
  template <class T>
  GRIDWISE_DEVICE static T To(float value) {
    if constexpr (__is_same(T, int)) {
      return __builtin_bit_cast(int, value);
    } else {
      return static_cast<T>(value);
    }
  }

  template <class T>
  GRIDWISE_DEVICE void StoreAs(Values& values, int tile_row, int column) const {
    constexpr int kPart = 16 / sizeof(T) < kVec ? 16 / sizeof(T) : kVec;
    constexpr int kHalf = kPart > 4 ? kPart / 2 : kPart;
    if (kHalf < kPart && columns_ % kPart == kHalf) {
      StoreParts<T, kHalf>(values, tile_row, column);
    } else {
      StoreParts<T, kPart>(values, tile_row, column);
    }
  }

  /// The same by stores of `kPart` elements, and of single ones where the last columns end within
  /// such a part.
  template <class T, int kPart>
  GRIDWISE_DEVICE void StoreParts(Values& values, int tile_row, int column) const {
    const unsigned row = row_offsets_[tile_row];
    if (!by_element_) {
      const unsigned offset = row + place_.Column(strides_, column);
      for (int part = 0; part < kVec; part += kPart) {
        Vec<T, kPart> out;
        for (int e = 0; e < kPart; ++e) out[e] = To<T>(values[part + e]);
        out_.Store(out, (offset + part * sizeof(T)) | PastColumns(column, part + kPart - 1));
      }
      if (columns_ % kPart == 0) return;
    }
    for (int e = 0; e < kVec; ++e) {
      const unsigned in_part =
          by_element_ ? 0
                      : ~PastColumns(column, e / kPart * kPart + kPart - 1) & Buffer::kOutOfRange;
      const unsigned offset = row + place_.Column(strides_, column + e);
      out_.Store(To<T>(values[e]), offset | in_part | PastColumns(column, e));
    }
  }

  GRIDWISE_DEVICE void AddTo(Values& values, int tile_row, int column) const {
    for (int e = 0; e < kVec; ++e) {
      const unsigned offset = row_offsets_[tile_row] + place_.Column(strides_, column + e);
      out_.template AtomicAdd<kGfx>(values[e], offset | PastColumns(column, e));
    }
  }

  const EpilogueArgs& args_;
  const OutputStrides strides_;
  const int out_type_, adds_;
  const bool finishes_;  // the sums are not the values of the output
  const int by_element_, columns_;
  const Buffer out_;
  const Place& place_;
  char* const lds_;
  unsigned* const row_offsets_;
};

}  // namespace gridwise::tile
