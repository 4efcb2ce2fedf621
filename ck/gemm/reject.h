// SPDX-License-Identifier: MIT
#pragma once

#include "ck/gemm/config.h"
#include "core/arch/mma_shape.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/text/instance_fields.h"

namespace gridwise::ck {

/// Why lanes cannot load an operand in this way; nullptr if they can.
constexpr const char* RejectOperand(const GemmConfig& c, Side side, const TargetTraits& target) {
  const GemmConfig::Operand& o = c.operand(side);
  const auto power = [](int x) { return x > 0 && (x & (x - 1)) == 0; };
  if (!power(o.k) || !power(o.rows)) return "a patch's sides are not powers of two";
  if (o.k > c.k_pack()) return "a patch is longer along k than a pack of 16 bytes";
  if (o.vector() * SizeOf(c.type) > 16) return "a load is longer than 16 bytes";
  if (o.reads_transposed()) {
    if (!target.reads_transposed) return "the target has no LDS reads that transpose";
    const int rows = c.rows(side);
    if (SizeOf(c.type) != 2 || c.mma.m != 32 || c.mma.k_per_lane() != c.k_pack() ||
        (rows != 64 && rows % 128 != 0)) {
      return "LDS reads transpose 16-bit operands of 64 or 128 rows, for the mma 32x32x16";
    }
  } else if (!o.along_k() && o.k * SizeOf(c.type) < 4) {
    return "a patch that is transposed has too few k";
  }
  const int threads = c.load_threads(), units = c.units(side);
  if (c.rows(side) % o.rows != 0) return "patches do not divide an operand's rows";
  if (units % threads != 0 && (units > threads || threads % units != 0)) {
    return "lanes do not share an operand's tile in whole patches";
  }
  const int fast = o.along_k() ? c.units_k(side) : c.units_rows(side);
  if (threads % fast != 0 && (o.along_k() || fast % threads != 0)) {
    return "lanes do not share a line of an operand's tile";
  }
  if (!o.has_table()) return nullptr;
  if (c.entries_of_half(side) % threads != 0) return "lanes do not share a table's entries";
  if (c.k_tiles_in_flight() > c.steps_of_half(side)) {
    return "half a table has fewer steps than k tiles in flight";
  }
  return nullptr;
}

/// Returns nullptr if kernels of `c` can be compiled for `gfx`, else the reason.
constexpr const char* Reject(const GemmConfig& c, Gfx gfx) {
  const TargetTraits target = TraitsOf(gfx);
  if (!target.Has(c.mma.unit)) return "the target has another matrix unit";
  if (!HasMma(c.mma, c.type, target.mfma_generation))
    return "the target has no such mma for the type";
  if (c.mma.blocks() > 1) return "the mma multiplies several matrices at once";
  if (c.pipeline.schedule == Schedule::kDirect) return "nothing is loaded straight to LDS";
  if (c.pipeline.count < 1) return "the pipeline's count is less than 1";
  if (c.waves.m < 1 || c.waves.n < 1 || c.threads() > 1024) {
    return "waves do not make a workgroup of 1 to 1024 threads";
  }
  const int packs = c.k_packs();
  if (c.tile.k % c.k_pack() != 0 || (packs != 2 && packs != 4 && packs != 8 && packs != 16)) {
    return "tile.k is not 2, 4, 8 or 16 packs of 16 bytes";
  }
  if (c.tile.m < 16 || c.tile.m % (c.waves.m * c.mma.n) != 0) return "waves do not divide tile.m";
  if (c.tile.n < 16 || c.tile.n % (c.waves.n * c.mma.m) != 0) return "waves do not divide tile.n";
  if (packs % (c.packs_per_product() * c.mma.lane_groups()) != 0) {
    return "tile.k is not a multiple of a matrix instruction's k";
  }
  if (c.merge < 1 || (c.merge & (c.merge - 1)) != 0) {
    return "the number of merged matrices is not a power of two";
  }
  if (c.tile.m % c.merge != 0) return "merged matrices do not divide tile.m";
  if (c.operands == Function::kScaleAdd && SizeOf(c.type) == 1) {
    return "sums of tensors are not computed in 8 bits";
  }
  if (const char* reason = RejectOperand(c, Side::kA, target)) return reason;
  if (const char* reason = RejectOperand(c, Side::kB, target)) return reason;
  if (c.stage_pitch(c.stage_reps()) < c.vec_out()) return "a stage row is shorter than a store";
  if (c.lds_bytes() > target.lds_bytes) return "the tiles do not fit in LDS";
  if (c.occupancy > 1 && c.occupancy > c.WavesOfLds(target)) {
    return "LDS has no room for so many waves per SIMD";
  }
  if (c.reps_m() * c.reps_n() * c.mma.acc_per_lane() > target.vgprs / 2) {
    return "the accumulators do not fit in registers";
  }
  return nullptr;
}

}  // namespace gridwise::ck
