// SPDX-License-Identifier: MIT
#include "tools/sim/machine/workgroup.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <utility>

#include "absl/status/statusor.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/machine/abi.h"
#include "tools/sim/machine/fault_report.h"
#include "tools/sim/machine/program.h"
#include "tools/sim/machine/wave_sync.h"

namespace gridwise::sim {
namespace {

/// Taken branches after which the next wave gets a turn, so that a wave that spins on another one's
/// flag does not hang.
constexpr int kBranchesPerTurn = 100'000;

/// With a seed, a wave is preempted before one in this many instructions, on average.
constexpr uint64_t kInstructionsPerTurn = 50;

template <class T>
T* AllocateAligned(size_t count) {
  constexpr size_t kAlignment = 64;
  const size_t bytes = (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
  return static_cast<T*>(std::aligned_alloc(kAlignment, std::max(bytes, kAlignment)));
}

}  // namespace

void Workgroup::Free::operator()(void* memory) const { std::free(memory); }

Workgroup::Workgroup(const Launch& launch)
    : launch_(launch), wave_count_(WavesOf(launch.grid.block, *launch.kernel)) {
  const auto count = static_cast<size_t>(wave_count_);
  waves_.reset(AllocateAligned<Wave>(count));
  lds_.reset(AllocateAligned<std::byte>(launch.lds_bytes));
  scratch_.reset(AllocateAligned<std::byte>(size_t{launch.scratch_bytes} * kLanes * count));
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), 0);
  preempted_.resize(count);
  GrowProfile();
  for (LaunchProbe* const probe : launch.probes) {
    std::unique_ptr<GroupProbe> group = probe->OfThread({waves_.get(), count});
    if (group != nullptr) all_probes_.emplace_back(std::move(group), probe->wants());
  }
}

void Workgroup::ChooseProbes(const std::array<uint32_t, 3>& id) {
  for (auto* list : {&probes_, &by_step_, &by_access_, &by_run_}) list->clear();
  for (const auto& [probe, wants] : all_probes_) {
    if (!probe->Watches(id)) continue;
    if (wants.steps) by_step_.push_back(probe.get());
    if (wants.accesses) by_access_.push_back(probe.get());
    if (wants.runs) by_run_.push_back(probe.get());
    probes_.push_back(probe.get());
  }
}

Workgroup::~Workgroup() = default;

void Workgroup::GrowProfile() {
  differences_.resize(launch_.program->instructions() + 1);
  profile_ = {differences_.data(), static_cast<uint32_t>(differences_.size())};
}

const char* Workgroup::InterruptFromWave(Wave& wave) { return Of(wave).launch_.interrupt(); }

const Uop* Workgroup::EnterFromWave(Wave& wave, const Uop& uop, uint64_t pc) {
  Workgroup& workgroup = Of(wave);
  absl::StatusOr<const Uop*> target =
      wave.program->Enter(pc, {.wave32 = wave.all_lanes >> 32 == 0,
                               .careful = wave.careful,
                               .steps = workgroup.launch_.wants.steps,
                               .skips_vector = wave.skips_vector});
  if (!target.ok()) {
    RaiseFault(wave, uop, "jumps to an address that is not code", -1, pc, 4);
    return nullptr;
  }
  if ((*target)->instruction + 1 >= workgroup.profile_.size) workgroup.GrowProfile();
  return *target;
}

bool Workgroup::Preempts(const Wave& wave) {
  if (!launch_.seed.has_value()) return false;
  const auto index = static_cast<size_t>(wave.index_in_group);
  const bool preempts = !preempted_[index] && random_() % kInstructionsPerTurn == 0;
  preempted_[index] = preempts;
  return preempts;
}

bool Workgroup::BeforeInstruction(Wave& wave, const InstructionFacts& facts, const Uop* first) {
  Workgroup& workgroup = Of(wave);
  if (workgroup.Preempts(wave)) return false;
  for (GroupProbe* const probe : workgroup.by_step_) {
    if (!probe->Before(wave, facts, first)) return false;
  }
  return true;
}

void Workgroup::ObserveAccess(Wave& wave, const Uop& uop, const MemoryAccess& access) {
  for (GroupProbe* const probe : Of(wave).by_access_) probe->Observe(wave, uop, access);
}

void Workgroup::NoteRun(Wave& wave, uint32_t first, uint32_t last) {
  for (GroupProbe* const probe : Of(wave).by_run_) probe->Ran(wave, first, last);
}

void Workgroup::NoteOutsideLds(Wave& wave) {
  TellFault(wave, Of(wave).launch_, Explain(wave, Of(wave).launch_));
  wave.fault = {};
}

void Workgroup::NoteNotKnown(Wave& wave, const Uop& uop) { ++Of(wave).not_known_[uop.instruction]; }

uint32_t Workgroup::BarrierStateForWave(Wave& wave) {
  const Workgroup& workgroup = Of(wave);
  const uint32_t lowest = workgroup.LowestBarrierSignal();
  uint32_t members = 0, signals = 0;
  for (const Wave& other : workgroup.waves()) {
    if (other.state == WaveState::kEnded) continue;
    ++members;
    signals += other.barrier_signals > lowest;
  }
  const bool valid = wave.highest_barrier_signal != nullptr;
  return valid ? signals << 16 | members << 4 | 1 : 0;  // RDNA4 ISA, S_GET_BARRIER_STATE
}

bool Workgroup::SyncWaves(Wave& wave, WaveSyncOperation operation, uint32_t resource,
                          uint32_t value) {
  return Of(wave).launch_.wave_sync->Do(operation, resource, value, wave.sync_ticket);
}

void Workgroup::Attach(Wave& wave) {
  // A wave that is alone is in no workgroup for the hardware (STATUS.IN_WG).
  const bool alone = wave_count_ - ended_ == 1;
  wave.highest_barrier_signal = alone ? nullptr : &highest_barrier_signal_;
  wave.barrier_state = &BarrierStateForWave;
  wave.not_known = &NoteNotKnown;
  if (launch_.wave_sync != nullptr) wave.sync_waves = &SyncWaves;
  wave.enter = &EnterFromWave;
  if (launch_.interrupt) wave.interrupt = &InterruptFromWave;
  if (launch_.wants.exact_lds) wave.outside_lds = &NoteOutsideLds;
  if (launch_.wants.steps) wave.before = &BeforeInstruction;
  wave.observe = by_access_.empty() ? nullptr : &ObserveAccess;
  wave.ran = by_run_.empty() ? nullptr : &NoteRun;
  wave.workgroup = this;
  wave.profile = &profile_;
  wave.lds = lds_.get();
  SetScratch(launch_,
             scratch_.get() +
                 size_t{launch_.scratch_bytes} * kLanes * static_cast<size_t>(wave.index_in_group),
             wave);
}

void Workgroup::Begin(const std::array<uint32_t, 3>& id) {
  std::memset(lds_.get(), kPoisonByte, launch_.lds_bytes);
  highest_barrier_signal_ = 0;
  ChooseProbes(id);
  const int waves = WavesOf(launch_.grid.BlockOf(id), *launch_.kernel);
  executed_waves_ += waves;
  ended_ = wave_count_ - waves;
  for (int i = 0; i < wave_count_; ++i) {
    Wave& wave = waves_[static_cast<size_t>(i)];
    Prepare(launch_, i, id, wave);
    Attach(wave);
    if (i >= waves) wave.state = WaveState::kEnded;  // a partial workgroup lacks it
  }
  std::fill(preempted_.begin(), preempted_.end(), false);
  if (launch_.seed.has_value()) {
    std::seed_seq seed{*launch_.seed, uint64_t{id[0]}, uint64_t{id[1]}, uint64_t{id[2]}};
    random_.seed(seed);
  }
  for (GroupProbe* const probe : probes_) probe->Begin(id, waves);
}

bool Workgroup::Step(int index) {
  Wave& wave = waves_[static_cast<size_t>(index)];
  if (wave.state != WaveState::kReady) return true;
  wave.branch_budget = kBranchesPerTurn;
  for (const Uop* uop = wave.pc; uop != nullptr;) uop = uop->exec(wave, uop);
  if (wave.state == WaveState::kFaulted) return false;
  ended_ += wave.state == WaveState::kEnded;
  for (GroupProbe* const probe : probes_) probe->Stopped(wave);
  return true;
}

uint32_t Workgroup::LowestBarrierSignal() const {
  uint32_t lowest = ~0u;
  for (const Wave& wave : waves()) {
    if (wave.state != WaveState::kEnded) lowest = std::min(lowest, wave.barrier_signals);
  }
  return lowest;
}

bool Workgroup::OpenBarrier() {
  const uint32_t lowest = LowestBarrierSignal();
  const auto may_go = [lowest](const Wave& wave) {
    return wave.state == WaveState::kBarrier && wave.barrier_signals <= lowest;
  };
  if (std::none_of(waves().begin(), waves().end(), may_go)) return false;
  for (GroupProbe* const probe : probes_) probe->OpenBarrier();
  for (Wave& wave : std::span(waves_.get(), static_cast<size_t>(wave_count_))) {
    if (may_go(wave)) wave.state = WaveState::kReady;
  }
  return true;
}

const Wave* Workgroup::Round(bool& progress) {
  if (launch_.seed.has_value()) std::shuffle(order_.begin(), order_.end(), random_);
  const int ended_before = ended_;
  for (const int index : order_) {
    if (!Step(index)) return &waves_[static_cast<size_t>(index)];
  }
  progress = OpenBarrier() || ended_ != ended_before;
  return nullptr;
}

void Workgroup::End() {
  for (GroupProbe* const probe : probes_) probe->End();
}

std::vector<int64_t> Workgroup::Counts() const {
  std::vector<int64_t> counts(differences_.size());
  std::partial_sum(differences_.begin(), differences_.end(), counts.begin());
  return counts;
}

}  // namespace gridwise::sim
