#include "tools/sim/machine/program.h"

#include <algorithm>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/isa/matrix_mode.h"
#include "tools/sim/isa/operand.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/machine/fidelity.h"

namespace gridwise::sim {

namespace {

int IndexOf(CodeView view) { return (view.wave32 ? 1 : 0) + (view.careful ? 2 : 0); }

}  // namespace

Program::Program(const SimTarget& target, const Handlers& handlers, uint64_t address,
                 uint64_t bytes)
    : target_(target), handlers_(handlers), address_(address), bytes_(bytes) {}

absl::StatusOr<std::unique_ptr<Program>> Program::FromText(std::string_view gfx, uint64_t address,
                                                           uint64_t bytes,
                                                           const Handlers& handlers) {
  if (handlers.level() == 0) {
    return absl::FailedPreconditionError(
        "the simulator was built for x86 levels that this machine does not have "
        "(--//tools/sim/isa:levels)");
  }
  const SimTarget* target = FindTarget(gfx);
  if (target == nullptr) {
    return absl::UnimplementedError(absl::StrCat(
        "the simulator does not execute code for ", gfx, ", only for ",
        absl::StrJoin(kSimTargets, ", ",
                      [](std::string* out, const SimTarget& known) { out->append(known.gfx); })));
  }
  auto program = absl::WrapUnique(new Program(*target, handlers, address, bytes));
  const std::lock_guard lock(program->mutex_);
  // Tells now whether there is a decoder; the table of entries waits for a launch, because
  // libraries load megabytes of code that they never run.
  if (absl::Status status = program->PrepareViewLocked({.wave32 = target->wave_size == 32});
      !status.ok()) {
    return status;
  }
  return program;
}

absl::StatusOr<std::unique_ptr<Program>> Program::Decode(const CodeObject& object) {
  if (object.code().empty())
    return absl::InvalidArgumentError("the code object has no executable section");
  uint64_t begin = ~uint64_t{0}, end = 0;
  for (const CodeSection& section : object.code()) {
    begin = std::min(begin, section.address);
    end = std::max(end, section.address + section.bytes.size());
  }
  return FromText(object.gfx(), begin, end - begin);
}

absl::Status Program::PrepareViewLocked(CodeView which) {
  std::unique_ptr<Decoder>& decoder = decoders_[which.wave32 ? 1 : 0];
  View& view = views_[IndexOf(which)];
  view.target = target_;
  view.target.wave_size = which.wave32 ? 32 : 64;
  if (decoder == nullptr) {
    absl::StatusOr<std::unique_ptr<Decoder>> created =
        Decoder::Create(target_.gfx, view.target.wave_size);
    if (!created.ok()) return created.status();
    decoder = *std::move(created);
  }
  view.decoder = decoder.get();
  return absl::OkStatus();
}

absl::StatusOr<const Uop*> Program::Enter(uint64_t pc, CodeView which) {
  const uint64_t offset = pc - address_;
  if (offset >= bytes_ || offset % 4 != 0) {
    return absl::OutOfRangeError(
        absl::StrCat("address 0x", absl::Hex(pc), " is not code of this code object"));
  }
  View& view = views_[IndexOf(which)];
  if (ready_[IndexOf(which)].load(std::memory_order_acquire)) {
    if (const Uop* uop = view.entry[offset / 4].load(std::memory_order_acquire)) return uop;
  }
  const std::lock_guard lock(mutex_);
  if (!ready_[IndexOf(which)].load(std::memory_order_relaxed)) {
    if (absl::Status status = PrepareViewLocked(which); !status.ok()) return status;
    view.entry = std::make_unique<std::atomic<const Uop*>[]>(bytes_ / 4 + 1);
    ready_[IndexOf(which)].store(true, std::memory_order_release);
  }
  std::atomic<const Uop*>& entry = view.entry[offset / 4];
  if (const Uop* uop = entry.load(std::memory_order_relaxed)) return uop;
  // A wave that changes its view comes from inside a function, whose branches lead anywhere in it.
  uint64_t begin = pc;
  for (const Function& function : functions_) {
    if (function.begin < pc && pc < function.end) begin = function.begin;
  }
  if (absl::Status status = BindFunctionLocked(which, begin); !status.ok()) return status;
  if (entry.load(std::memory_order_relaxed) == nullptr) {
    if (absl::Status status = BindFunctionLocked(which, pc); !status.ok()) return status;
  }
  return entry.load(std::memory_order_relaxed);
}

void Program::BindInstructionLocked(Binder& binder, Decoder& decoder, uint64_t pc, uint32_t& bytes,
                                    bool& ends) {
  const auto index = static_cast<uint32_t>(instructions_.size());
  InstructionInfo& info = instructions_.emplace_back();
  info.pc = pc;
  bytes = 4;
  absl::Status status;
  const uint64_t available = address_ + bytes_ - pc;
  RegisterUses uses;
  absl::StatusOr<Decoder::Decoded> decoded = decoder.Decode(
      reinterpret_cast<const uint8_t*>(pc), available, pc,  // device addresses are host addresses
      observer_ != nullptr ? &uses : nullptr);
  const size_t uops = binder.uops().size(), branches = binder.branches().size();
  if (decoded.ok()) {
    bytes = decoded->bytes;
    info.text = decoded->text;
    if (observer_ != nullptr) {
      Uop before = observer_->Before(info.text, uses, pc, index);
      before.instruction = index;
      binder.uops().push_back(before);
    }
    Instruction instruction;
    status = ParseInstruction(info.text, instruction);
    if (status.ok()) status = binder.Bind(instruction, index, pc, bytes);
    info.op_class = binder.op_class();
    if (FidelityOf(instruction.mnemonic, target_.bit, GetMatrixMode()).has_value())
      recorded_.emplace_back(index, instruction.mnemonic);
    ends = instruction.mnemonic == "s_endpgm" || instruction.mnemonic == "s_setpc_b64" ||
           instruction.mnemonic == "s_branch";
  } else {
    status = decoded.status();
    ends = true;
  }
  if (!status.ok()) {
    binder.uops().resize(uops);
    binder.branches().resize(branches);
    messages_.emplace_back(status.message());
    binder.Trap(messages_.back().c_str(), index);
  }
}

absl::Status Program::BindFunctionLocked(CodeView which, uint64_t pc) {
  // A function is what follows its entry up to an instruction that does not go on and that no
  // earlier branch passes.
  const View& view = views_[IndexOf(which)];
  Binder binder(view.target, handlers_, constants_, which.careful);
  const uint64_t begin = pc;
  std::vector<std::pair<uint64_t, size_t>> starts;  // address, first micro-op
  uint64_t furthest = pc;
  for (bool ends = false; !ends && pc < address_ + bytes_;) {
    starts.emplace_back(pc, binder.uops().size());
    uint32_t bytes = 0;
    BindInstructionLocked(binder, *view.decoder, pc, bytes, ends);
    pc += bytes;
    if (!binder.branches().empty()) furthest = std::max(furthest, binder.branches().back().target);
    ends = ends && pc > furthest;
  }
  static constexpr const char* kBehindEnd = "runs past the end of the code";
  const auto behind_end = static_cast<uint32_t>(instructions_.size());
  instructions_.emplace_back().pc = pc;
  binder.Trap(kBehindEnd, behind_end);

  const size_t size = binder.uops().size();
  auto uops = std::make_unique<Uop[]>(size);
  std::copy(binder.uops().begin(), binder.uops().end(), uops.get());
  const auto find = [&](uint64_t target) -> const Uop* {
    const auto at =
        std::lower_bound(starts.begin(), starts.end(), std::make_pair(target, size_t{0}));
    return at != starts.end() && at->first == target ? &uops[at->second] : nullptr;
  };
  for (const Binder::Branch& branch : binder.branches()) {
    // A branch out of the function (none are known to be emitted) leads behind the end, which
    // faults.
    const Uop* target = find(branch.target);
    uops[branch.uop].target = target != nullptr ? target : &uops[size - 1];
  }
  for (const auto& [start, uop] : starts) {
    std::atomic<const Uop*>& entry = view.entry[(start - address_) / 4];
    if (entry.load(std::memory_order_relaxed) == nullptr)
      entry.store(&uops[uop], std::memory_order_release);
  }
  functions_.push_back({begin, pc, std::move(uops)});
  return absl::OkStatus();
}

Program::InstructionInfo Program::Describe(uint32_t instruction) const {
  const std::lock_guard lock(mutex_);
  return instruction < instructions_.size() ? instructions_[instruction] : InstructionInfo();
}

uint32_t Program::instructions() const {
  const std::lock_guard lock(mutex_);
  return static_cast<uint32_t>(instructions_.size());
}

std::vector<OpClass> Program::Classes() const {
  const std::lock_guard lock(mutex_);
  std::vector<OpClass> classes;
  for (const InstructionInfo& info : instructions_) classes.push_back(info.op_class);
  return classes;
}

void Program::RecordFidelity(const std::vector<int64_t>& executions) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [index, mnemonic] : recorded_) {
    if (index >= executions.size() || executions[index] == 0) continue;
    const Fidelity fidelity = *FidelityOf(mnemonic, target_.bit, GetMatrixMode());
    FidelityRecord::Process().Add(mnemonic, target_, fidelity, executions[index]);
  }
}

absl::StatusOr<std::vector<std::string>> Program::Unsupported(uint64_t pc, CodeView view) {
  if (absl::Status status = Enter(pc, view).status(); !status.ok()) return status;
  const std::lock_guard lock(mutex_);
  return std::vector<std::string>(messages_.begin(), messages_.end());
}

}  // namespace gridwise::sim
