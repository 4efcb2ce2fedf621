// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/exec/handlers.h"
#include "tools/sim/isa/text/operand.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {

/// A wave that executes instruction text, for tests: the same path from text to micro-ops as a
/// program's.
class TestWave {
 public:
  explicit TestWave(const Handlers& handlers = BestHandlers(), std::string_view gfx = "gfx942",
                    int wave_size = 0)
      : target_(*FindTarget(gfx)), handlers_(handlers) {
    if (wave_size != 0) target_.wave_size = wave_size;
    wave_.reset(static_cast<Wave*>(std::aligned_alloc(64, (sizeof(Wave) + 63) / 64 * 64)));
    std::memset(static_cast<void*>(wave_.get()), 0, sizeof(Wave));
    wave_->base[0] = reinterpret_cast<std::byte*>(wave_.get());
    wave_->base[1] = pool_.base();
    wave_->all_lanes = ~uint64_t{0} >> (64 - target_.wave_size);
    wave_->mode_bits = target_.bit == kGfx1201 ? kModeBitsGfx12 : kModeBits;
    wave_->mode = kUsualMode & wave_->mode_bits;
    wave_->enter = &Enter;
    wave_->workgroup = this;
    wave_->highest_barrier_signal = &highest_barrier_signal_;
    wave_->branch_budget = 1 << 30;
    SetScalar64(*wave_, kExecLo, wave_->all_lanes);
  }

  Wave& operator*() { return *wave_; }
  Wave* operator->() { return wave_.get(); }

  /// Binds `text` and executes it `times` times; the error is the binder's, or names the fault.
  absl::Status Execute(std::string_view text, int times = 1) { return ExecuteAll({text}, times); }

  /// The same for several instructions, which follow each other at addresses kPc, kPc + 4, ...
  absl::Status ExecuteAll(const std::vector<std::string_view>& texts, int times = 1) {
    const bool may_skip = std::any_of(texts.begin(), texts.end(), [](std::string_view text) {
      return text.starts_with("s_setvskip");
    });
    for (int view = 0; view < (may_skip ? kViews : kViews / 2); ++view) {
      if (absl::Status status = BindAll(texts, view); !status.ok()) return status;
    }
    counts_.assign(kViews * (texts.size() + 2), 0);
    profile_ = {counts_.data(), static_cast<uint32_t>(counts_.size())};
    wave_->profile = &profile_;
    wave_->careful = ((wave_->mode ^ kUsualMode) & wave_->mode_bits) != 0;
    for (int i = 0; i < times; ++i) {
      wave_->state = WaveState::kReady;
      const Uop* first = Enter(*wave_, Uop(), kPc);
      wave_->run_start = first->instruction;
      for (const Uop* uop = first; uop != nullptr;) uop = uop->exec(*wave_, uop);
      if (wave_->state == WaveState::kFaulted) return absl::AbortedError(wave_->fault.what);
    }
    return absl::OkStatus();
  }

  /// Executions of each instruction of the last ExecuteAll, and of the end after them.
  std::vector<int64_t> Counts() const {
    // The instructions bound in the usual way are followed by those bound in others.
    const size_t size = counts_.size() / kViews;
    std::vector<int64_t> result(size);
    int64_t running = 0;
    for (size_t i = 0; i < counts_.size(); ++i) result[i % size] += running += counts_[i];
    return result;
  }

  static constexpr uint64_t kPc = 0x1000;

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  /// One binding of the instructions, as a Program has it for a CodeView.
  struct Code {
    std::vector<size_t> starts;
    std::vector<Uop> uops;
  };

  /// Usual, careful, and both without vector instructions.
  static constexpr int kViews = 4;
  static int ViewOf(const Wave& w) { return (w.careful ? 1 : 0) + (w.skips_vector ? 2 : 0); }

  absl::Status BindAll(const std::vector<std::string_view>& texts, int view) {
    Binder binder(target_, handlers_, pool_, (view & 1) != 0, (view & 2) != 0);
    Code& code = code_[view];
    code.starts.clear();
    std::vector<std::string_view> all = texts;
    all.push_back("s_endpgm");
    const auto first = static_cast<uint32_t>(view) * (static_cast<uint32_t>(all.size()) + 1);
    for (const std::string_view text : all) {
      const auto index = static_cast<uint32_t>(code.starts.size());
      code.starts.push_back(binder.uops().size());
      Instruction instruction;
      absl::Status status = ParseInstruction(text, instruction);
      if (status.ok()) status = binder.Bind(instruction, first + index, kPc + 4 * index, 4);
      if (!status.ok()) return status;
    }
    for (const Binder::Branch& branch : binder.branches()) {
      const uint64_t to = (branch.target - kPc) / 4;  // the instruction
      binder.uops()[branch.uop].target = &binder.uops()[code.starts[to]];
      binder.uops()[branch.uop].imm = static_cast<int32_t>(first + to);
    }
    code.uops = std::move(binder.uops());
    return absl::OkStatus();
  }

  static const Uop* Enter(Wave& wave, const Uop&, uint64_t pc) {
    const Code& code = static_cast<TestWave*>(wave.workgroup)->code_[ViewOf(wave)];
    return &code.uops[code.starts[(pc - kPc) / 4]];
  }

  SimTarget target_;
  const Handlers& handlers_;
  Code code_[kViews];
  uint32_t highest_barrier_signal_ = 0;
  ConstantPool pool_;
  std::unique_ptr<Wave, Free> wave_;
  std::vector<int64_t> counts_;
  Profile profile_;
};

}  // namespace gridwise::sim
