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

/// Four columns of a row, from sums to the values of the output.
template <class Place, class Narrow>
class FinishFour {
 public:
  using Four = Vec<float, 4>;

  /// Columns from `column` on; `vectors`: four of the output are neighbours, and aligned.
  GRIDWISE_DEVICE FinishFour(const EpilogueArgs& args, const Place& place, int split, int vectors)
      : args_(args),
        place_(place),
        out_(static_cast<char*>(args.out) + split * args.split_bytes),
        vectors_(vectors) {}

  GRIDWISE_DEVICE void Store(Four v, int row, int column) const {
    const long at = place_.Row(args_.strides, row);
    if (at < 0 || !place_.HasColumn(column)) return;
    v *= args_.alpha;
#pragma clang loop unroll(disable)
    for (int i = 0; i < args_.tensors; ++i) {
      const EpilogueTensorArgs& tensor = args_.tensor[i];
      const char* const data =
          static_cast<const char*>(tensor.data) + place_.Row(tensor.strides, row);
      for (int e = 0; e < 4; ++e) {
        if (!place_.HasColumn(column + e)) continue;
        const char* const element = data + place_.Column(tensor.strides, column + e);
        v[e] =
            Combine(tensor, v[e],
                    tensor.is_f32 ? *reinterpret_cast<const float*>(element)
                                  : static_cast<float>(*reinterpret_cast<const Narrow*>(element)));
      }
    }
    for (int e = 0; e < 4; ++e) v[e] = Clamp(args_, v[e]);
    if (args_.out_type == static_cast<int>(DataType::kF32)) {
      StoreAs<float>(v, at, column);
    } else {
      StoreAs<Narrow>(v, at, column);
    }
  }

 private:
  template <class Out>
  GRIDWISE_DEVICE void StoreAs(Four v, long at, int column) const {
    const auto values = __builtin_convertvector(v, Vec<Out, 4>);
    if (vectors_ && place_.HasColumn(column + 3)) {
      *reinterpret_cast<Vec<Out, 4>*>(out_ + at + place_.Column(args_.strides, column)) = values;
      return;
    }
    for (int e = 0; e < 4; ++e) {
      if (!place_.HasColumn(column + e)) return;
      *reinterpret_cast<Out*>(out_ + at + place_.Column(args_.strides, column + e)) = values[e];
    }
  }

  const EpilogueArgs& args_;
  const Place& place_;
  char* const out_;
  const int vectors_;
};

/// Lanes store 64 rows of any epilogue, 32 columns at a time, which pass through shared memory.
/// `finish` is a FinishFour. By a whole warpgroup.
template <Config kC, class Finish>
GRIDWISE_DEVICE void StoreByLanes(const Finish& finish, char* staging, int group, int first_row,
                                  const float (&d)[kC.columns / 2]) {
  constexpr int kChunk = 32, kRowBytes = kChunk * 4;
  using Two = Vec<float, 2>;
  using Four = Vec<float, 4>;
  const int thread = ThreadId() % 128, lane = thread % 32;
  // Pieces of 16 bytes are swizzled: 8 rows lie on different banks.
  const auto piece_at = [&](int row, int piece) __attribute__((always_inline)) {
    return staging + row * kRowBytes + ((piece ^ (row & 7)) * 16);
  };
#pragma clang loop unroll(disable)
  for (int column = 0; column < kC.columns; column += kChunk) {
    WaitAt(StoreBarrier(group), 128);
#pragma unroll
    for (int j = 0; j < kC.columns / 8; ++j) {  // registers have no index
      if (j / 4 != column / kChunk) continue;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = thread / 32 * 16 + lane / 4 + half * 8;
        char* const piece = piece_at(row, j % 4 * 2 + lane % 4 / 2);
        *reinterpret_cast<Two*>(piece + lane % 2 * 8) =
            Two{d[j * 4 + half * 2], d[j * 4 + half * 2 + 1]};
      }
    }
    WaitAt(StoreBarrier(group), 128);
#pragma clang loop unroll(disable)
    for (int row = thread / 8; row < 64; row += 16) {
      const int piece = thread % 8;
      if (column + piece * 4 < kC.columns) {
        finish.Store(*reinterpret_cast<const Four*>(piece_at(row, piece)), first_row + row,
                     column + piece * 4);
      }
    }
  }
}

/// Lanes store the rows of a warpgroup whose sums have no terms.
template <Config kC, class Finish>
GRIDWISE_DEVICE void StoreEmpty(const Finish& finish, int first_row) {
  constexpr int kFours = kC.columns / 4;
#pragma clang loop unroll(disable)
  for (int i = ThreadId() % 128; i < 64 * kC.reps * kFours; i += 128) {
    finish.Store({0, 0, 0, 0}, first_row + i / kFours, i % kFours * 4);
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
