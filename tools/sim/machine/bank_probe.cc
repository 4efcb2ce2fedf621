// SPDX-License-Identifier: MIT
#include "tools/sim/machine/bank_probe.h"

#include <algorithm>
#include <cstddef>

#include "tools/sim/elf/code_object.h"
#include "tools/sim/machine/lds_banks.h"
#include "tools/sim/machine/program.h"

namespace gridwise::sim {

/// The LDS accesses of one host thread's waves.
class BankProbe::Counter final : public GroupProbe {
 public:
  explicit Counter(BankProbe& probe)
      : probe_(probe), target_(probe.launch_->program->target().bit) {}
  ~Counter() override {
    const std::lock_guard lock(probe_.mutex_);
    probe_.cycles_.resize(std::max(probe_.cycles_.size(), cycles_.size()));
    for (size_t i = 0; i < cycles_.size(); ++i) probe_.cycles_[i] += cycles_[i];
  }

  void Observe(Wave& wave, const Uop& uop, const MemoryAccess& access) override {
    if (access.lanes == 0 || access.space != AddressSpace::kLds) return;
    if (uop.instruction >= cycles_.size()) cycles_.resize(uop.instruction + 1);
    cycles_[uop.instruction] +=
        BankConflicts(target_, access, reinterpret_cast<uint64_t>(wave.lds));
  }

 private:
  BankProbe& probe_;
  const TargetBit target_;
  std::vector<int64_t> cycles_;  // by instruction
};

std::unique_ptr<GroupProbe> BankProbe::OfThread(std::span<Wave>) {
  return std::make_unique<Counter>(*this);
}

void BankProbe::End(const RunReport* report) {
  if (report == nullptr) return;
  for (size_t i = 0; i < cycles_.size(); ++i) {
    if (cycles_[i] == 0) continue;
    const uint64_t pc = launch_->program->Describe(static_cast<uint32_t>(i)).pc;
    conflicts_.push_back({.pc = pc - launch_->kernel->entry_address,
                          .executions = report->executions[i],
                          .cycles = cycles_[i]});
  }
}

}  // namespace gridwise::sim
