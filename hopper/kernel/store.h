#pragma once

#include "core/arch/hopper.h"
#include "core/launch/combine.h"
#include "hopper/kernel/multiply.h"

namespace gridwise::hopper {

/// The copy engine stores 64 rows in the operands' type, from `row` of the tensor on, by chunks of
/// columns that pass through shared memory. By a whole warpgroup.
template <Config kC>
GRIDWISE_DEVICE void StoreByBoxes(const TensorMap& out, SharedAddress staging, int group, int row,
                                  int column, int channel_group, const float (&d)[kC.columns / 2]) {
  constexpr bool kSwizzled = kC.chunk == 64;
  const int thread = ThreadId() % 128, lane = thread % 32;
  const int r = thread / 32 * 16 + lane % 16;
#pragma unroll
  for (int chunk = 0; chunk < kC.columns / kC.chunk; ++chunk) {
    const SharedAddress buffer = staging + chunk % kC.buffers() * kC.buffer_bytes();
    if (thread == 0) WaitStoresRead<kC.buffers() - 1>();
    WaitAt(StoreBarrier(group), 128);
#pragma unroll
    for (int j = 0; j < kC.chunk / 8; j += 2) {
      const float* const v = d + (chunk * (kC.chunk / 8) + j) * 4;
      const int piece = j + lane / 16;  // of 16 bytes
      const SharedAddress to =
          buffer + r * kC.chunk * 2 + (kSwizzled ? (piece ^ (r & 7)) : piece) * 16;
      if (j + 1 < kC.chunk / 8) {
        StoreMatrix4(to, Pack<kC.type>(v[0], v[1]), Pack<kC.type>(v[2], v[3]),
                     Pack<kC.type>(v[4], v[5]), Pack<kC.type>(v[6], v[7]));
      } else {
        StoreMatrix2(to, Pack<kC.type>(v[0], v[1]), Pack<kC.type>(v[2], v[3]));
      }
    }
    FenceAsyncProxy();
    WaitAt(StoreBarrier(group), 128);
    if (thread == 0) {
      StoreBox(out, buffer, column + chunk * kC.chunk, channel_group, row);
      CommitStores();
    }
  }
}

/// Up to four columns that are neighbours in the GEMM, and where the output has them in a row.
struct ColumnRun {
  int column, count;
  long at;  // bytes
};

/// From sums to the values of the output. `Place` knows where rows and columns of a tile are in
/// tensors of the output's shape, in bytes:
///
///   long Row(strides, row)             -1: there is none
///   bool HasColumn(column)             those of four from a multiple of 4 on end with the first
///                                      that is not there
///   long Column(strides, column)
template <class Place, class Narrow>
class Finisher {
 public:
  using Four = Vec<float, 4>;

  GRIDWISE_DEVICE Finisher(const EpilogueArgs& args, const Place& place, int split)
      : args_(args), place_(place), out_(static_cast<char*>(args.out) + split * args.split_bytes) {}

  GRIDWISE_DEVICE ColumnRun RunAt(int column) const {
    int count = 0;
#pragma unroll
    for (int e = 0; e < 4; ++e) count += place_.HasColumn(column + e);
    return {column, count, count > 0 ? place_.Column(args_.strides, column) : 0};
  }

  GRIDWISE_DEVICE void Store(Four v, int row, const ColumnRun& run) const {
    const long at = place_.Row(args_.strides, row);
    if (at < 0 || run.count == 0) return;
    v *= args_.alpha;
    if (args_.tensors > 0) CombineTensors(v, row, run);
#pragma unroll
    for (int e = 0; e < 4; ++e) v[e] = Clamp(args_, v[e]);
    if (args_.out_type == static_cast<int>(DataType::kF32)) {
      StoreAs<float>(v, out_ + at + run.at, run.count);
    } else {
      StoreAs<Narrow>(v, out_ + at + run.at, run.count);
    }
  }

 private:
  GRIDWISE_DEVICE void CombineTensors(Four& v, int row, const ColumnRun& run) const {
#pragma clang loop unroll(disable)
    for (int i = 0; i < args_.tensors; ++i) {
      const EpilogueTensorArgs& tensor = args_.tensor[i];
      const char* data = static_cast<const char*>(tensor.data) + place_.Row(tensor.strides, row) +
                         place_.Column(tensor.strides, run.column);
#pragma unroll
      for (int e = 0; e < 4; ++e, data += tensor.strides.column) {
        if (e >= run.count) continue;
        v[e] = Combine(tensor, v[e],
                       tensor.is_f32 ? *reinterpret_cast<const float*>(data)
                                     : static_cast<float>(*reinterpret_cast<const Narrow*>(data)));
      }
    }
  }

  template <class Out>
  GRIDWISE_DEVICE void StoreAs(Four v, char* to, int count) const {
    const auto values = __builtin_convertvector(v, Vec<Out, 4>);
    if (!args_.by_element && count == 4 &&
        reinterpret_cast<unsigned long>(to) % sizeof(values) == 0) {
      *reinterpret_cast<Vec<Out, 4>*>(to) = values;
      return;
    }
#pragma unroll
    for (int e = 0; e < 4; ++e, to += args_.strides.column) {
      if (e < count) *reinterpret_cast<Out*>(to) = values[e];
    }
  }

  const EpilogueArgs& args_;
  const Place& place_;
  char* const out_;
};

/// Lanes of a warpgroup take 32 columns at a time, 4 of a row each, 16 rows after each other.
inline constexpr int kLaneColumns = 32;
GRIDWISE_DEVICE int FirstRowOfLane() { return ThreadId() % 128 / 8; }
GRIDWISE_DEVICE int PieceOfLane() { return ThreadId() % 8; }

/// Lanes store 64 rows of any epilogue; columns pass through shared memory. `finish` is a Finisher.
/// By a whole warpgroup.
template <Config kC, class Finish>
GRIDWISE_DEVICE void StoreByLanes(const Finish& finish, char* staging, int group, int first_row,
                                  const float (&d)[kC.columns / 2]) {
  using Two = Vec<float, 2>;
  using Four = Vec<float, 4>;
  const int thread = ThreadId() % 128, lane = thread % 32;
  // Pieces of 16 bytes are swizzled: 8 rows lie on different banks.
  const auto piece_at = [&](int row, int piece) __attribute__((always_inline)) {
    return staging + row * kLaneColumns * 4 + ((piece ^ (row & 7)) * 16);
  };
#pragma clang loop unroll(disable)
  for (int column = 0; column < kC.columns; column += kLaneColumns) {
    WaitAt(StoreBarrier(group), 128);
#pragma unroll
    for (int j = 0; j < kC.columns / 8; ++j) {  // registers have no index
      if (j / 4 != column / kLaneColumns) continue;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = thread / 32 * 16 + lane / 4 + half * 8;
        char* const piece = piece_at(row, j % 4 * 2 + lane % 4 / 2);
        *reinterpret_cast<Two*>(piece + lane % 2 * 8) =
            Two{d[j * 4 + half * 2], d[j * 4 + half * 2 + 1]};
      }
    }
    WaitAt(StoreBarrier(group), 128);
    const int mine = column + PieceOfLane() * 4;
    if (mine >= kC.columns) continue;
    const ColumnRun run = finish.RunAt(mine);
#pragma clang loop unroll(disable)
    for (int row = FirstRowOfLane(); row < 64; row += 16) {
      finish.Store(*reinterpret_cast<const Four*>(piece_at(row, PieceOfLane())), first_row + row,
                   run);
    }
  }
}

/// Lanes store the rows of a warpgroup whose sums have no terms.
template <Config kC, class Finish>
GRIDWISE_DEVICE void StoreEmpty(const Finish& finish, int first_row) {
#pragma clang loop unroll(disable)
  for (int column = PieceOfLane() * 4; column < kC.columns; column += kLaneColumns) {
    const ColumnRun run = finish.RunAt(column);
#pragma clang loop unroll(disable)
    for (int row = FirstRowOfLane(); row < 64 * kC.reps; row += 16) {
      finish.Store({0, 0, 0, 0}, first_row + row, run);
    }
  }
}

/// What boxes of the copy engine can do of an epilogue: no tensors.
template <int kSums>
GRIDWISE_DEVICE void FinishSums(const EpilogueArgs& args, float (&d)[kSums]) {
  if (args.alpha == 1 && !args.clamps) return;
#pragma unroll
  for (float& v : d) v = Clamp(args, v * args.alpha);
}

}  // namespace gridwise::hopper
