#pragma once

#include "ck/arch/memory.h"
#include "tile/block.h"
#include "tile/config.h"
#include "tile/k_walk.h"

namespace gridwise::tile {

/// Operand A: gathers rows of dy, one per row of the tile and filter tap, and writes them to LDS.
///
/// Row m of the sub-GEMM is a cell of dx; tap t pairs it with the cell of dy that lies t * out_step
/// further along each axis. So a lane keeps one offset per row it loads, and a step adds the same
/// offset to all. Cells outside of dy read as zero: `invalid_` has a bit per tap, which a step
/// moves to Buffer::kOutOfRange.
template <TileConfig kC, Gfx kGfx>
class LoadDy {
 public:
  GRIDWISE_DEVICE LoadDy(const BwdDataArgs& args, const Block& block) : args_(args), block_(block) {
    const AxisClass(&axis)[3] = block.gemm.axis;
    // Cells before dy's first have negative offsets; the buffer begins so much earlier.
    int before[3];
    for (int i = 0; i < 3; ++i) before[i] = axis[i].first_out < 0 ? -axis[i].first_out : 0;
    const int bias = Pixel(before) * args.dy_pixel * 2;
    const long start = (block.first_image * args.dy_image + long{block.group} * args.k) * 2 - bias;
    tensor_ = Buffer::From<kGfx>(static_cast<const char*>(args.dy) + start);
    for (int i = 0; i < kC.loads_a(); ++i) {
      const ClassCell cell = CellOfRow(block.gemm, block.m + Row(i));
      const int out[3] = {axis[0].first_out + cell.j[0], axis[1].first_out + cell.j[1],
                          axis[2].first_out + cell.j[2]};
      const int image = (cell.n - block.first_image) * static_cast<int>(args.dy_image);
      const bool is_row = block.m + Row(i) < block.gemm.m;
      offset_[i] = is_row ? (image + Pixel(out) * args.dy_pixel + Channel()) * 2 + bias : 0;
    }
  }

  /// Starts the loads of a step. Steps come in the order of KWalk.
  GRIDWISE_DEVICE void Load(const KWalk& walk) {
    const int tap = walk.tap() & (kTapsOfMask - 1);
    if (walk.channel() == 0 && tap == 0) FindInvalidTaps(walk);
    const int last = walk.channels_left() - 1 -
                     Channel();  // last channel from this lane's first on; negative: none
    if (args_.k % LdsTile::kCell == 0 || walk.channels_left() >= kC.tile.k) {
      for (int i = 0; i < kC.loads_a(); ++i) {
        const unsigned masked =
            Buffer::OutOfRangeIf(invalid_[i], tap) | (last & Buffer::kOutOfRange);
        value_[i] = tensor_.Load<Vec<Half, 8>>(offset_[i] | masked, walk.offset_dy());
      }
    } else {  // the last channels end within a vector: load the elements
      const unsigned past = BitsFrom(last + 1);
      for (int i = 0; i < kC.loads_a(); ++i) {
        const unsigned offset = offset_[i] | Buffer::OutOfRangeIf(invalid_[i], tap);
        for (int e = 0; e < 8; ++e) {
          value_[i][e] = tensor_.Load<Half>((offset | Buffer::OutOfRangeIf(past, e)) + 2 * e,
                                            walk.offset_dy());
        }
      }
    }
  }

  /// Waits for the loads and writes them to LDS.
  GRIDWISE_DEVICE void Store(char* lds) const {
    for (int i = 0; i < kC.loads_a(); ++i) {
      *reinterpret_cast<Vec<Half, 8>*>(lds + kC.lds_a().Offset(Row(i), Cell())) = value_[i];
    }
  }

 private:
  static constexpr int kTapsOfMask = 32;

  GRIDWISE_DEVICE static int Cell() { return ThreadId() % kC.lds_a().cells_per_row(); }
  GRIDWISE_DEVICE static int Channel() { return Cell() * LdsTile::kCell; }
  GRIDWISE_DEVICE static int Row(int i) {
    return ThreadId() / kC.lds_a().cells_per_row() + i * kC.rows_per_load_a();
  }
  GRIDWISE_DEVICE int Pixel(const int (&out)[3]) const {
    return (out[0] * args_.out[1] + out[1]) * args_.out[2] + out[2];
  }

  /// Bit i of invalid_ becomes 1 when the i-th tap from the walk's on lies outside of dy, or there
  /// is no such tap or row.
  GRIDWISE_DEVICE void FindInvalidTaps(const KWalk& walk) {
    ClassCell cell[kC.loads_a()];
    for (int i = 0; i < kC.loads_a(); ++i) {
      cell[i] = CellOfRow(block_.gemm, block_.m + Row(i));
      invalid_[i] = ~0u;
    }
    const int taps = Taps(block_.gemm) - walk.tap();
    const int bits = taps < kTapsOfMask ? taps : kTapsOfMask;
    TapIndex t = walk.t();
#pragma clang loop unroll(disable)
    for (int bit = 0; bit < bits; ++bit, t.Advance(block_.gemm)) {
      for (int i = 0; i < kC.loads_a(); ++i) {
        bool inside = block_.m + Row(i) < block_.gemm.m;
        for (int a = 0; a < 3; ++a) {
          const int out =
              block_.gemm.axis[a].first_out + cell[i].j[a] + t.axis[a] * args_.out_step[a];
          inside &= static_cast<unsigned>(out) < static_cast<unsigned>(args_.out[a]);
        }
        invalid_[i] ^= static_cast<unsigned>(inside) << bit;
      }
    }
  }

  const BwdDataArgs& args_;
  const Block& block_;
  Buffer tensor_;
  unsigned offset_[kC.loads_a()];   // bytes, at tap 0 and channel 0
  unsigned invalid_[kC.loads_a()];  // bits
  Vec<Half, 8> value_[kC.loads_a()];
};

}  // namespace gridwise::tile
