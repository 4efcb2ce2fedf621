#include "tools/sim/machine/workgroup.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "core/base/math.h"
#include "tools/sim/check/checker.h"
#include "tools/sim/machine/fault_report.h"

namespace gridwise::sim {
namespace {

/// Taken branches after which the next wave gets a turn, so that a wave that spins on another one's
/// flag does not hang.
constexpr int kBranchesPerTurn = 100'000;

/// Registers and LDS start with this, two NaNs as halves and one as a float, so that reading what
/// was never written shows.
constexpr int kPoisonByte = 0xff;

/// High halves of the apertures that flat addresses reach LDS and scratch through. No host address
/// has them.
constexpr uint32_t kSharedAperture = 0x40020000;
constexpr uint32_t kPrivateAperture = kSharedAperture + 1;

/// Scratch of a kernel that calls what the compiler could not see the end of.
constexpr uint32_t kDynamicStackBytes = 16 << 10;

/// FP_ROUND, FP_DENORM and, where there are such bits, DX10_CLAMP and IEEE (LLVM AMDGPUUsage,
/// "compute_pgm_rsrc1"; bits 21 and 23 mean something else on gfx12).
uint32_t ModeBits(const SimTarget& target) {
  return target.bit == kGfx1201 ? kModeBitsGfx12 : kModeBits;
}
uint32_t InitialMode(const SimTarget& target, const KernelInfo& kernel) {
  const uint32_t r = kernel.rsrc1;
  const uint32_t ieee = (r >> 12 & 0xff) | (r >> 21 & 1) << 8 | (r >> 23 & 1) << 9;
  return (ieee & ModeBits(target)) | (r >> 26 & 1) << 23;  // the last one is FP16_OVFL
}

/// Vector registers of a lane, accumulation registers included (LLVM AMDGPUUsage,
/// "GRANULATED_WORKITEM_VGPR_COUNT").
int VectorRegisters(const SimTarget& target, const KernelInfo& kernel) {
  const int granule = (target.bit & kRdna) != 0 && kernel.wave_size == 64 ? 4 : 8;
  return (static_cast<int>(kernel.rsrc1 & 0x3f) + 1) * granule;
}

template <class T>
T* AllocateAligned(size_t count) {
  constexpr size_t kAlignment = 64;
  const size_t bytes = (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
  return static_cast<T*>(std::aligned_alloc(kAlignment, std::max(bytes, kAlignment)));
}

int WavesOf(const std::array<uint32_t, 3>& block, const KernelInfo& kernel) {
  return static_cast<int>(
      CeilDiv(block[0] * block[1] * block[2], static_cast<uint32_t>(kernel.wave_size)));
}

}  // namespace

CodeView InitialView(const Program& program, const KernelInfo& kernel) {
  const SimTarget& target = program.target();
  return {.wave32 = kernel.wave_size == 32,
          .careful = ((InitialMode(target, kernel) ^ kUsualMode) & ModeBits(target)) != 0};
}

int InitialScalars(const KernelInfo& kernel) {
  // User registers; workgroup ids, workgroup information and scratch offset where they are asked
  // for (LLVM AMDGPUUsage, "compute_pgm_rsrc2").
  const uint32_t r = kernel.rsrc2;
  return static_cast<int>(r >> 1 & 0x1f) + std::popcount(r >> 7 & 0xf) + static_cast<int>(r & 1);
}

void Workgroup::Free::operator()(void* memory) const { std::free(memory); }

Workgroup::Workgroup(const Launch& launch, int thread)
    : launch_(launch), wave_count_(WavesOf(launch.grid.block, *launch.kernel)) {
  const KernelInfo& kernel = *launch.kernel;
  scratch_bytes_ =
      (kernel.private_bytes + (kernel.uses_dynamic_stack ? kDynamicStackBytes : 0) + 3) / 4 * 4;
  waves_.reset(AllocateAligned<Wave>(static_cast<size_t>(wave_count_)));
  lds_.reset(AllocateAligned<std::byte>(launch.lds_bytes));
  scratch_.reset(AllocateAligned<std::byte>(size_t{scratch_bytes_} * kLanes *
                                            static_cast<size_t>(wave_count_)));
  GrowProfile();
  if (launch.check != nullptr)
    check_ = std::make_unique<GroupCheck>(*launch.check, thread, waves_.get(), wave_count_);
  if (launch.count_bank_conflicts) banks_.emplace(launch.program->target().bit);
}

Workgroup::~Workgroup() = default;

void Workgroup::GrowProfile() {
  differences_.resize(launch_.program->instructions() + 1);
  profile_ = {differences_.data(), static_cast<uint32_t>(differences_.size())};
}

void Workgroup::CountBanks(Wave& wave, const Uop& uop, const MemoryAccess& access) {
  static_cast<Workgroup*>(wave.workgroup)->banks_->Note(wave, uop.instruction, access);
}

const char* Workgroup::InterruptFromWave(Wave& wave) {
  return static_cast<Workgroup*>(wave.workgroup)->launch_.interrupt();
}

void Workgroup::ReportOutsideLds(Wave& wave) {
  const Launch& launch = static_cast<Workgroup*>(wave.workgroup)->launch_;
  ReportBounds(wave, launch, Explain(wave, launch));
  wave.fault = {};
}

const Uop* Workgroup::EnterFromWave(Wave& wave, const Uop& uop, uint64_t pc) {
  absl::StatusOr<const Uop*> target =
      wave.program->Enter(pc, {.wave32 = wave.all_lanes >> 32 == 0, .careful = wave.careful});
  if (!target.ok()) {
    RaiseFault(wave, uop, "jumps to an address that is not code", -1, pc, 4);
    return nullptr;
  }
  auto* workgroup = static_cast<Workgroup*>(wave.workgroup);
  if ((*target)->instruction + 1 >= workgroup->profile_.size) workgroup->GrowProfile();
  return *target;
}

void Workgroup::SetUserRegisters(Wave& wave) {
  // LLVM, AMDGPUUsage, "Initial Kernel Execution State": in this order, each only if the descriptor
  // asks for it.
  const KernelInfo& kernel = *launch_.kernel;
  const struct {
    int bit;
    int registers;
    uint64_t value;
  } kUserRegisters[] = {
      {0, 4, 0},  // private segment buffer: scratch needs none
      {1, 2, launch_.dispatch_packet},
      {2, 2, launch_.queue},
      {3, 2, launch_.kernarg},
      {4, 2, 0},  // dispatch id
      {5, 2, 0},  // flat scratch: architected here
      {6, 1, scratch_bytes_},
  };
  int next = 0;
  for (const auto& user : kUserRegisters) {
    if ((kernel.properties >> user.bit & 1) == 0) continue;
    const uint32_t halves[4] = {static_cast<uint32_t>(user.value),
                                static_cast<uint32_t>(user.value >> 32), 0, 0};
    for (int i = 0; i < user.registers; ++i) wave.s[next++] = halves[i];
  }
  const int preloaded = kernel.kernarg_preload & 0x7f, offset = kernel.kernarg_preload >> 7;
  if (preloaded != 0) {
    const auto* kernarg = reinterpret_cast<const std::byte*>(launch_.kernarg);
    std::memcpy(&wave.s[next], kernarg + size_t{4} * static_cast<size_t>(offset),
                size_t{4} * static_cast<size_t>(preloaded));
  }
  if (launch_.program->target().bit == kGfx1201) {  // "Architected SGPRs"
    wave.s[kTtmp0 + 7] = wave.workgroup_id[1] | wave.workgroup_id[2] << 16;
    wave.s[kTtmp0 + 8] = static_cast<uint32_t>(wave.index_in_group) << 25;
    wave.s[kTtmp0 + 9] = wave.workgroup_id[0];
    return;
  }
  next = static_cast<int>(kernel.rsrc2 >> 1 & 0x1f);
  for (int axis = 0; axis < 3; ++axis) {
    if ((kernel.rsrc2 >> (7 + axis) & 1) != 0) wave.s[next++] = wave.workgroup_id[axis];
  }
}

void Workgroup::SetWorkItems(Wave& wave, int index, const std::array<uint32_t, 3>& id) {
  const auto [x_size, y_size, z_size] = launch_.grid.BlockOf(id);
  const auto lanes = static_cast<uint32_t>(launch_.kernel->wave_size);
  uint64_t exec = 0;
  for (uint32_t l = 0; l < lanes; ++l) {
    const uint32_t item = static_cast<uint32_t>(index) * lanes + l;
    const uint32_t x = item % x_size, y = item / x_size % y_size, z = item / x_size / y_size;
    wave.v[0][l] = x | y << 10 | z << 20;
    if (z < z_size) exec |= uint64_t{1} << l;
  }
  SetScalar64(wave, kExecLo, exec);
}

void Workgroup::Prepare(Wave& wave, int index, const std::array<uint32_t, 3>& id) {
  const KernelInfo& kernel = *launch_.kernel;
  const SimTarget& target = launch_.program->target();
  const int registers = VectorRegisters(target, kernel);
  const int accum_offset =
      (target.bit & kRdna) != 0 ? kAgprBase : static_cast<int>((kernel.rsrc3 & 0x3f) + 1) * 4;
  const int vector = std::min(registers, accum_offset);
  std::memset(wave.v, kPoisonByte, static_cast<size_t>(vector) * kRowBytes);
  const int accumulators = std::clamp(registers - accum_offset, 0, kVectorRegisters - kAgprBase);
  std::memset(wave.v[kAgprBase], kPoisonByte, static_cast<size_t>(accumulators) * kRowBytes);
  std::memset(static_cast<void*>(&wave.s), kPoisonByte, sizeof(wave.s));

  // The rest of the state, which lies behind the registers.
  std::memset(static_cast<void*>(&wave.base), 0, sizeof(Wave) - offsetof(Wave, base));
  wave.base[0] = reinterpret_cast<std::byte*>(&wave);
  wave.base[1] = launch_.program->constants().base();
  wave.all_lanes = kernel.wave_size == 64 ? ~uint64_t{0} : 0xffffffff;
  wave.mode = InitialMode(target, kernel);
  wave.mode_bits = ModeBits(target);
  wave.careful = ((wave.mode ^ kUsualMode) & wave.mode_bits) != 0;
  wave.highest_barrier_signal = &highest_barrier_signal_;
  wave.state = WaveState::kReady;
  wave.index_in_group = index;
  wave.pc = launch_.entry;
  wave.run_start = launch_.entry->instruction;
  wave.program = launch_.program;
  wave.enter = &EnterFromWave;
  if (launch_.interrupt) wave.interrupt = &InterruptFromWave;
  if (launch_.check != nullptr) wave.outside_lds = &ReportOutsideLds;
  wave.workgroup = this;
  if (banks_) wave.observe = &CountBanks;
  wave.profile = &profile_;
  wave.memory = launch_.memory;
  wave.lds = lds_.get();
  wave.lds_bytes = launch_.lds_bytes;
  wave.scratch_bytes = scratch_bytes_;
  wave.scratch = scratch_.get() + size_t{scratch_bytes_} * kLanes * static_cast<size_t>(index);
  std::copy(id.begin(), id.end(), wave.workgroup_id);

  SetScalar64(wave, kVccLo, 0);
  if ((target.bit & kGfx9) != 0) {
    SetScalar64(wave, kFlatScratchLo, reinterpret_cast<uint64_t>(wave.scratch));
  }
  wave.s[kExecLo + 1] = 0;
  SetScalar64(wave, kSharedBase, uint64_t{kSharedAperture} << 32);
  SetScalar64(wave, kSharedLimit, uint64_t{kSharedAperture} << 32 | 0xffffffff);
  SetScalar64(wave, kPrivateBase, uint64_t{kPrivateAperture} << 32);
  SetScalar64(wave, kPrivateLimit, uint64_t{kPrivateAperture} << 32 | 0xffffffff);
  wave.s[kScc] = 0;
  SetUserRegisters(wave);
  SetWorkItems(wave, index, id);
}

uint32_t Workgroup::LowestBarrierSignal() const {
  uint32_t lowest = ~0u;
  for (int i = 0; i < wave_count_; ++i) {
    const Wave& wave = waves_[static_cast<size_t>(i)];
    if (wave.state != WaveState::kEnded) lowest = std::min(lowest, wave.barrier_signals);
  }
  return lowest;
}

const Wave* Workgroup::Run(const std::array<uint32_t, 3>& id, const std::atomic<bool>& stop) {
  std::memset(lds_.get(), kPoisonByte, launch_.lds_bytes);
  highest_barrier_signal_ = 0;
  const int waves = WavesOf(launch_.grid.BlockOf(id), *launch_.kernel);
  executed_waves_ += waves;
  for (int i = 0; i < wave_count_; ++i) {
    Wave& wave = waves_[static_cast<size_t>(i)];
    Prepare(wave, i, id);
    if (i >= waves) wave.state = WaveState::kEnded;  // a partial workgroup lacks it
  }
  if (check_ != nullptr) check_->Begin(id, waves);
  for (int ended = wave_count_ - waves; ended < wave_count_;) {
    if (launch_.grid.cooperative) std::this_thread::yield();
    bool opens = false;
    const int ended_before = ended;
    for (int i = 0; i < wave_count_; ++i) {
      Wave& wave = waves_[static_cast<size_t>(WaveOfTurn(i))];
      if (wave.state == WaveState::kReady) {
        wave.branch_budget = kBranchesPerTurn;
        for (const Uop* uop = wave.pc; uop != nullptr;) uop = uop->exec(wave, uop);
        if (wave.state == WaveState::kFaulted) return &wave;
        ended += wave.state == WaveState::kEnded;
      }
    }
    const uint32_t lowest = LowestBarrierSignal();
    for (int i = 0; i < wave_count_; ++i) {
      const Wave& wave = waves_[static_cast<size_t>(i)];
      opens = opens || (wave.state == WaveState::kBarrier && wave.barrier_signals <= lowest);
    }
    const bool progress = opens || ended != ended_before;
    if (!progress && stop.load(std::memory_order_relaxed)) return nullptr;
    if (check_ != nullptr) check_->EndRound(progress);
    if (!opens) continue;
    if (check_ != nullptr) check_->OpenBarrier();
    for (int i = 0; i < wave_count_; ++i) {
      Wave& wave = waves_[static_cast<size_t>(i)];
      if (wave.state == WaveState::kBarrier && wave.barrier_signals <= lowest)
        wave.state = WaveState::kReady;
    }
  }
  if (check_ != nullptr) check_->End();
  return nullptr;
}

int Workgroup::WaveOfTurn(int turn) {
  if (check_ == nullptr) return turn;
  if (turn == 0) check_->ShuffleTurns();
  return check_->WaveOfTurn(turn);
}

std::vector<int64_t> Workgroup::Counts() const {
  std::vector<int64_t> counts(differences_.size());
  int64_t running = 0;
  for (size_t i = 0; i < differences_.size(); ++i) counts[i] = running += differences_[i];
  return counts;
}

}  // namespace gridwise::sim
