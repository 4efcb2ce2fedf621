#include "tools/sim/isa/bind_alu.h"
#include "tools/sim/isa/exec_level.h"

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

/// The lowest active lane's value, lane 0 if there is none.
void ReadFirstLane(Wave& w, const Uop& u) {
  const u64 exec = Exec(w);
  *Row(w, u.dst) = Row(w, u.src[0])[exec == 0 ? 0 : __builtin_ctzll(exec)];
}

/// A lane number that an instruction gives counts modulo the lanes of the wave.
GRIDWISE_SIM_INLINE u32 LaneNumber(const Wave& w, u32 lane) {
  return lane & (w.all_lanes >> 32 != 0 ? 63 : 31);
}

/// EXEC does not matter.
void ReadLane(Wave& w, const Uop& u) {
  *Row(w, u.dst) = Row(w, u.src[0])[LaneNumber(w, *Row(w, u.src[1]))];
}

void WriteLane(Wave& w, const Uop& u) {
  Row(w, u.dst)[LaneNumber(w, *Row(w, u.src[1]))] = *Row(w, u.src[0]);
}

void Swap(Wave& w, const Uop& u) {
  u32* a = Row(w, u.dst);
  u32* b = Row(w, u.src[0]);
  const u64 exec = Exec(w);
  for (int l = 0; l < kLanes; ++l) {
    if ((exec >> l & 1) == 0) continue;
    const u32 old = a[l];
    a[l] = b[l];
    b[l] = old;
  }
}

}  // namespace

BindingTable ValuLaneTable() {
  static constexpr Binding kTable[] = {
      {"v_readfirstlane_b32", OpClass::kValu, &BindReadLane, &Step<&ReadFirstLane>},
      {"v_readlane_b32", OpClass::kValu, &BindReadLane, &Step<&ReadLane>},
      {"v_writelane_b32", OpClass::kValu, &BindWriteLane, &Step<&WriteLane>},
      {"v_swap_b32", OpClass::kValu, &BindSwap, &Step<&Swap>},
  };
  return {kTable, sizeof(kTable) / sizeof(kTable[0])};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
