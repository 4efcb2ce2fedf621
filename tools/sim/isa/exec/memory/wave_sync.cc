// SPDX-License-Identifier: MIT
#include "tools/sim/isa/bind/memory.h"
#include "tools/sim/isa/exec/level.h"
#include "tools/sim/isa/exec/memory_tables.h"

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

/// Global wave sync: resource M0[21:16] + imm (LLVM, AMDGPUISelDAGToDAG), the value from the first
/// active lane of src[0]. A wave that has to wait asks again in its next turn.
template <WaveSyncOperation kOperation>
const Uop* SyncWaves(Wave& w, const Uop& u) {
  const uint64_t exec = Exec(w);
  const uint32_t value =
      u.src[0] == kNoRef || exec == 0 ? 0 : Row(w, u.src[0])[__builtin_ctzll(exec)];
  const uint32_t resource = (w.s[kM0] >> 16 & 63) + static_cast<uint32_t>(u.imm);
  if (w.sync_waves == nullptr) {
    RaiseFault(w, u, "synchronises waves of the whole device, which this launch cannot");
    w.state = WaveState::kFaulted;
    return nullptr;
  }
  if (w.sync_waves(w, kOperation, resource, value)) return &u + 1;
  w.pc = &u;
  return nullptr;
}

template <WaveSyncOperation kOperation>
constexpr Binding Sync(const char* name, bool has_value) {
  return {name,
          OpClass::kLds,
          &BindWaveSync,
          &Step<&SyncWaves<kOperation>>,
          {.dwords = static_cast<uint8_t>(has_value ? 1 : 0)},
          kGfx9 | kGfx1100};
}

}  // namespace

BindingTable WaveSyncTable() {
  using enum WaveSyncOperation;
  static constexpr Binding kTable[] = {
      Sync<kInit>("ds_gws_init", true),    Sync<kBarrier>("ds_gws_barrier", true),
      Sync<kGive>("ds_gws_sema_v", false), Sync<kGiveMany>("ds_gws_sema_br", true),
      Sync<kTake>("ds_gws_sema_p", false), Sync<kReleaseAll>("ds_gws_sema_release_all", false),
  };
  return {kTable, sizeof(kTable) / sizeof(kTable[0])};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
