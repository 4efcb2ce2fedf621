#pragma once

#include "core/arch/wgmma.h"
#include "hopper/kernel/ring.h"

namespace gridwise::hopper {

/// The sums of a thread: rows 64 * rep of its warpgroup, all columns of the tile.
template <Config kC>
struct Sums {
  Element<SumType(kC.type)> d[kC.reps][kC.columns / 2];
};

/// Forward multiplies operands that run along k. In backward-data w lies along its columns, c, and
/// in backward-weight both operands along rows and columns.
template <Config kC>
inline constexpr OperandOrder kOrderA =
    kC.direction == Direction::kBackwardWeight ? OperandOrder::kLinesPerK
                                               : OperandOrder::kRunsAlongK;
template <Config kC>
inline constexpr OperandOrder kOrderB =
    kC.direction == Direction::kForward ? OperandOrder::kRunsAlongK : OperandOrder::kLinesPerK;

/// The operand of the slab's `step`-th products.
template <Config kC, OperandOrder kOrder>
GRIDWISE_DEVICE MatrixDescriptor DescriptorOf(SharedAddress at, int step) {
  if constexpr (kOrder == OperandOrder::kRunsAlongK) {
    return RunsAlongK<kC.slab_bytes()>(at + step * 32);
  } else {
    return LinesPerK(at + step * 2048, kC.slab * 128);
  }
}

/// Starts the products of the slab at `ring`; the first of a tile begin the sums. (A predicate that
/// is known when the kernel is assembled: with another, each instruction waits for the one before.)
template <Config kC, bool kFirst>
GRIDWISE_DEVICE void StartSlab(Sums<kC>& sums, const SlabRing<kC>& ring, int group, int slab) {
  const SharedAddress b = ring.b(slab);
  constexpr int kRepBytes = 64 * kC.slab_bytes(), kColumns = kC.product_columns();
  const SharedAddress a = ring.a() + (kC.take_turns ? 0 : group * kC.reps) * kRepBytes;
  WgmmaFence();
#pragma unroll
  for (int rep = 0; rep < kC.reps; ++rep) {
#pragma unroll
    for (int step = 0; step < kC.slab / WgmmaK(kC.type); ++step) {
#pragma unroll
      for (int part = 0; part < kC.columns; part += kColumns) {
        Wgmma<kColumns, kC.type, kOrderA<kC>, kOrderB<kC>>(
            reinterpret_cast<Element<SumType(kC.type)>(&)[kColumns / 2]>(sums.d[rep][part / 2]),
            DescriptorOf<kC, kOrderA<kC>>(a + rep * kRepBytes, step),
            DescriptorOf<kC, kOrderB<kC>>(b + part * kC.slab_bytes(), step), !kFirst || step != 0);
      }
    }
  }
  WgmmaCommit();
}

/// Until the matrix unit can read the stage.
template <Config kC>
GRIDWISE_DEVICE void WaitFull(const SlabRing<kC>& ring) {
  ring.WaitFull();
  if constexpr (kC.lanes) FenceAsyncProxy();
}

/// The sums over `slabs` slabs of the ring, at least one. While the first is multiplied, lanes do
/// something else.
///
/// Warpgroups that share a tile begin it one after the other, kC.lead() slabs apart: so that one
/// stores while the other still multiplies; but for a workgroup's last. (Of a tile of few slabs,
/// one could be a whole tile ahead and meet the barrier twice.)
template <Config kC>
GRIDWISE_DEVICE void MultiplySlabs(Sums<kC>& sums, SlabRing<kC>& ring, int slabs, int group,
                                   bool is_last, auto&& meanwhile) {
  const bool follows = !is_last && slabs > kC.stages && kC.lead() > 0;
  if (follows && group > 0) WaitAt(LeadBarrier(group), 256);
  WaitFull(ring);
  StartSlab<kC, true>(sums, ring, group, 0);
  meanwhile();
  int last = ring.stage();
  ring.Next();
  for (int slab = 1; slab < slabs; ++slab) {
    WaitFull(ring);
    StartSlab<kC, false>(sums, ring, group, slab);
    if (follows && slab == kC.lead() && group + 1 < kC.groups)
      ArriveAt(LeadBarrier(group + 1), 256);
    WgmmaWait<1>();
    ring.Release(last);
    last = ring.stage();
    ring.Next();
  }
  if (kC.take_turns) ArriveAt(TurnBarrier(group ^ 1), 256);  // the other's products can begin
  WgmmaWait<0>();
#pragma unroll
  for (int rep = 0; rep < kC.reps; ++rep) Touch(sums.d[rep]);
  ring.Release(last);
}

}  // namespace gridwise::hopper
