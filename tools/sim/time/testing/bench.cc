// SPDX-License-Identifier: MIT
#include "tools/sim/time/testing/bench.h"

#include "absl/strings/match.h"
#include "tools/sim/isa/facts/facts.h"
#include "tools/sim/isa/text/operand.h"

namespace gridwise::sim::time {
namespace {

bool WritesFirst(std::string_view text) {
  for (const char* prefix : {"global_store", "buffer_store", "ds_write", "ds_store", "s_cmp",
                             "s_cbranch", "s_wait", "s_nop", "s_barrier", "s_setprio"}) {
    if (absl::StartsWith(text, prefix)) return false;
  }
  return true;
}

RegisterUses FindUses(std::string_view text) {
  Instruction parsed;
  RegisterUses uses;
  if (!ParseInstruction(text, parsed).ok()) return uses;
  for (size_t i = 0; i < parsed.operands.size(); ++i) {
    const Operand& operand = parsed.operands[i];
    const bool vector = operand.kind == OperandKind::kVector;
    if (!vector && operand.kind != OperandKind::kScalar) continue;
    auto& list = i == 0 && WritesFirst(text) ? uses.writes : uses.reads;
    for (int r = 0; r < operand.count; ++r)
      list.push_back(static_cast<uint16_t>((vector ? kFirstVector : 0) + operand.index + r));
  }
  return uses;
}

}  // namespace

Bench::Bench(const Machine& machine)
    : machine_(machine), target_(*FindTarget(machine.target)), shapes_(machine_, target_.bit) {
  work_.sharing = {.mhz = machine_.burst_mhz};
  groups_.emplace_back();
}

Bench::Bench(std::string_view gfx) : Bench(*FindMachine(gfx)) {
  machine_.code_miss_clk = Parameter(0, "tests of other things");
  machine_.wave_launch_clk = Parameter(0, "tests of other things");
}

uint32_t Bench::Code(std::initializer_list<std::string_view> lines) {
  const auto first = static_cast<uint32_t>(code_.size());
  for (const std::string_view line : lines) {
    InstructionFacts facts;
    facts.pc = 8 * code_.size();
    FillFacts(target_.bit, line, FindUses(line), facts);
    code_.push_back(MakeOp(machine_, target_.bit, target_.wave_size, facts));
  }
  return first;
}

void Bench::Wave() { groups_.back().waves.emplace_back(); }

void Bench::Execute(uint32_t first, uint32_t last) {
  groups_.back().waves.back().runs.push_back({first, last});
}

void Bench::Touch(uint32_t op, const Lanes& lanes, bool lds) {
  WaveRecord& wave = groups_.back().waves.back();
  uint64_t address[kLanes] = {};
  for (int l = 0; l < lanes.count; ++l)
    address[l] = lanes.base + static_cast<uint64_t>(l * lanes.stride);
  Access access = {.run = static_cast<uint32_t>(wave.runs.size() - 1), .op = op, .lds = lds};
  const uint64_t mask = ~uint64_t{0} >> (kLanes - lanes.count);
  access.shape = shapes_.Intern(mask, address, lanes.bytes, code_[op].store, access.base);
  wave.accesses.push_back(access);
}

void Bench::Repeat(int count) {
  auto& waves = groups_.back().waves;
  while (static_cast<int>(waves.size()) < count) waves.push_back(waves.back());
}

UnitTime Bench::Time(int resident, uint32_t freed) {
  const std::vector<const WorkgroupRecord*> groups = PrepareWork(resident);
  work_.workgroups = groups;
  work_.hits = hits_;
  work_.freed = freed;
  return TimeUnit(work_);
}

XcdTime Bench::TimeOnXcd(int units, int resident, double mall_hits) {
  const std::vector<const WorkgroupRecord*> groups = PrepareWork(resident);
  work_.workgroups = groups;
  return TimeXcd(work_, units, mall_hits);
}

std::vector<const WorkgroupRecord*> Bench::PrepareWork(int resident) {
  std::vector<const WorkgroupRecord*> groups;
  for (const WorkgroupRecord& group : groups_) groups.push_back(&group);
  work_.machine = &machine_;
  work_.ops = code_;
  work_.shapes = &shapes_;
  work_.resident = resident;
  return groups;
}

}  // namespace gridwise::sim::time
