// SPDX-License-Identifier: MIT
#include "tools/sim/machine/program.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/isa/bind/matrix_mode.h"
#include "tools/sim/isa/facts/facts.h"
#include "tools/sim/isa/facts/polls.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/text/operand.h"
#include "tools/sim/machine/fidelity.h"
#include "tools/sim/machine/launch.h"

namespace gridwise::sim {

namespace {

int IndexOf(CodeView view) {
  return (view.wave32 ? 1 : 0) + (view.careful ? 2 : 0) + (view.steps ? 4 : 0) +
         (view.skips_vector ? 8 : 0);
}

/// The micro-op before an instruction whose facts `data` points at.
const Uop* BeforeInstruction(Wave& w, const Uop* u) {
  const Uop* const next = u + 1;
  if (w.before != nullptr &&
      !w.before(w, *reinterpret_cast<const InstructionFacts*>(u->data), next)) {
    w.pc = u;
    return nullptr;
  }
  GRIDWISE_SIM_MUSTTAIL return next->exec(w, next);
}

}  // namespace

/// The code of all programs of the process.
class Program::Map {
 public:
  /// Never destroyed: programs may be later than other static objects.
  static Map& Get() {
    static auto* const map = new Map();
    return *map;
  }

  /// Returns the id.
  uint64_t Add(const SimTarget& target, uint64_t address, uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    all_.push_back({target.bit, {++last_, address, bytes}});
    return last_;
  }
  void Remove(uint64_t id) {
    const std::lock_guard lock(mutex_);
    std::erase_if(all_, [id](const Entry& entry) { return entry.range.id == id; });
  }
  /// The range of code for `target` that has `pc`.
  std::optional<Range> Find(const SimTarget& target, uint64_t pc) {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : all_) {
      if (entry.target == target.bit && entry.range.Has(pc)) return entry.range;
    }
    return std::nullopt;
  }

 private:
  struct Entry {
    TargetBit target;
    Range range;
  };
  std::mutex mutex_;
  uint64_t last_ = 0;
  std::vector<Entry> all_;
};

const Uop* Program::Code::Find(uint64_t pc, CodeView view) const {
  const int index = IndexOf(view);
  if (!ready[index].load(std::memory_order_acquire)) return nullptr;
  return entry[index][(pc - range.address) / 4].load(std::memory_order_acquire);
}

Program::Program(const SimTarget& target, const Handlers& handlers, uint64_t address,
                 uint64_t bytes)
    : target_(target),
      handlers_(handlers),
      own_{.range = {Map::Get().Add(target, address, bytes), address, bytes}} {}

Program::~Program() { Map::Get().Remove(own_.range.id); }

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
  view.which = which;
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

Program::Code& Program::ForeignLocked(const Range& range) {
  for (Code& known : foreign_) {
    if (known.range.id == range.id) return known;
  }
  Code& code = foreign_.emplace_back();
  code.range = range;
  return code;
}

absl::StatusOr<const Uop*> Program::Enter(uint64_t pc, CodeView which) {
  const bool own = own_.range.Has(pc) && pc % 4 == 0;
  if (own) {
    if (const Uop* uop = own_.Find(pc, which)) return uop;
  }
  const std::optional<Range> foreign = own ? std::nullopt : Map::Get().Find(target_, pc);
  if (pc % 4 != 0 || (!own && !foreign.has_value())) {
    return absl::OutOfRangeError(
        absl::StrCat("address 0x", absl::Hex(pc), " is not code for ", target_.gfx));
  }
  const std::lock_guard lock(mutex_);
  Code& code = own ? own_ : ForeignLocked(*foreign);
  const int index = IndexOf(which);
  if (!code.ready[index].load(std::memory_order_relaxed)) {
    if (absl::Status status = PrepareViewLocked(which); !status.ok()) return status;
    code.entry[index] = std::make_unique<std::atomic<const Uop*>[]>(code.range.bytes / 4 + 1);
    code.ready[index].store(true, std::memory_order_release);
  }
  if (const Uop* uop = code.Find(pc, which)) return uop;
  // A wave that changes its view comes from inside a function, whose branches lead anywhere in it.
  uint64_t begin = pc;
  for (const Function& function : functions_) {
    if (function.code == code.range.id && function.begin < pc && pc < function.end)
      begin = function.begin;
  }
  BindFunctionLocked(which, code, begin);
  if (code.Find(pc, which) == nullptr) BindFunctionLocked(which, code, pc);
  return code.Find(pc, which);
}

void Program::BindInstructionLocked(Binder& binder, const View& view, uint64_t pc, uint64_t end,
                                    uint32_t& bytes, bool& ends) {
  const auto index = static_cast<uint32_t>(instructions_.size());
  InstructionInfo& info = instructions_.emplace_back();
  info.pc = pc;
  bytes = 4;
  absl::Status status;
  absl::StatusOr<Decoder::Decoded> decoded =
      view.decoder->Decode(reinterpret_cast<const uint8_t*>(pc), end - pc,
                           pc);  // device addresses are host addresses
  const size_t uops = binder.uops().size(), branches = binder.branches().size();
  if (decoded.ok()) {
    if (view.which.steps)
      binder.uops().push_back({.exec = &BeforeInstruction, .instruction = index});
    bytes = decoded->bytes;
    info.text = decoded->text;
    Instruction instruction;
    status = ParseInstruction(info.text, instruction);
    if (status.ok()) status = binder.Bind(instruction, index, pc, bytes);
    info.op_class = binder.op_class();
    const bool has_fidelity =
        FindFidelity(instruction.mnemonic, target_.bit, GetMatrixMode()).has_value();
    const NotKnown not_known = FindNotKnown(instruction, target_.bit);
    if (has_fidelity || not_known != NotKnown::kNo)
      recorded_.push_back({index, std::string(instruction.mnemonic), has_fidelity, not_known});
    ends = instruction.mnemonic == "s_endpgm" || instruction.mnemonic == "s_setpc_b64" ||
           instruction.mnemonic == "s_branch";
  } else {
    status = decoded.status();
    ends = true;
  }
  const bool skipped = view.which.skips_vector && view.which.steps && status.ok() &&
                       binder.uops().size() == uops + 1;
  if (skipped) binder.uops().resize(uops);  // nothing happens before what does not happen
  if (!status.ok()) {
    binder.uops().resize(uops);
    binder.branches().resize(branches);
    messages_.emplace_back(status.message());
    binder.Trap(messages_.back().c_str(), index);
  }
}

void Program::FillFactsLocked(Function& function) {
  if (function.facts != nullptr) return;
  Decoder& decoder = *decoders_[function.view.wave32 ? 1 : 0];
  size_t count = 0;
  while (instructions_[function.first + count].pc < function.end) ++count;
  // One more for what follows the function.
  function.facts = std::make_unique<InstructionFacts[]>(count + 1);
  for (size_t i = 0; i <= count; ++i) {
    InstructionFacts& facts = function.facts[i];
    facts.index = function.first + static_cast<uint32_t>(i);
    facts.pc = instructions_[facts.index].pc;
    if (i == count) break;
    RegisterUses uses;
    const absl::StatusOr<Decoder::Decoded> decoded = decoder.Decode(
        reinterpret_cast<const uint8_t*>(facts.pc), function.end - facts.pc, facts.pc, &uses);
    if (decoded.ok()) FillFacts(target_.bit, decoded->text, uses, facts);
  }
  MarkPolls({function.facts.get(), count});
}

const InstructionFacts& Program::Facts(uint32_t instruction) {
  const std::lock_guard lock(mutex_);
  const auto behind = std::upper_bound(
      functions_.begin(), functions_.end(), instruction,
      [](uint32_t index, const Function& function) { return index < function.first; });
  Function& function = *std::prev(behind);
  FillFactsLocked(function);
  return function.facts[instruction - function.first];
}

void Program::BindFunctionLocked(CodeView which, Code& code, uint64_t pc) {
  // A function is what follows its entry up to an instruction that does not go on and that no
  // earlier branch passes.
  const View& view = views_[IndexOf(which)];
  Binder binder(view.target, handlers_, constants_, which.careful, which.skips_vector);
  const auto first = static_cast<uint32_t>(instructions_.size());
  const uint64_t begin = pc, end_of_code = code.range.address + code.range.bytes;
  std::vector<std::pair<uint64_t, size_t>> starts;  // address, first micro-op
  uint64_t furthest = pc;
  for (bool ends = false; !ends && pc < end_of_code;) {
    starts.emplace_back(pc, binder.uops().size());
    uint32_t bytes = 0;
    BindInstructionLocked(binder, view, pc, end_of_code, bytes, ends);
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
  for (const Binder::Branch& branch : binder.branches()) {
    // A branch out of the function (none are known to be emitted) leads after the end, which
    // faults.
    const auto at =
        std::lower_bound(starts.begin(), starts.end(), std::make_pair(branch.target, size_t{0}));
    const bool inside = at != starts.end() && at->first == branch.target;
    Uop& uop = uops[branch.uop];
    uop.target = inside ? &uops[at->second] : &uops[size - 1];
    uop.imm = static_cast<int32_t>(inside ? first + static_cast<uint32_t>(at - starts.begin())
                                          : behind_end);
  }
  for (const auto& [start, uop] : starts) {
    std::atomic<const Uop*>& entry = code.entry[IndexOf(which)][(start - code.range.address) / 4];
    if (entry.load(std::memory_order_relaxed) == nullptr)
      entry.store(&uops[uop], std::memory_order_release);
  }
  Function& function = functions_.emplace_back(
      Function{code.range.id, begin, pc, first, which, std::move(uops), {}});
  if (!which.steps) return;
  FillFactsLocked(function);
  for (Uop& uop : std::span(function.uops.get(), size)) {
    if (uop.exec == &BeforeInstruction)
      uop.data = reinterpret_cast<uint64_t>(&function.facts[uop.instruction - first]);
  }
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

void Program::RecordFidelity(const RunReport& report, uint32_t mode) const {
  const std::lock_guard lock(mutex_);
  FidelityRecord& record = FidelityRecord::Process();
  for (const auto& [index, mnemonic, has_fidelity, not_known] : recorded_) {
    const int64_t count = index < report.executions.size() ? report.executions[index] : 0;
    if (count == 0) continue;
    if (has_fidelity)
      record.Add(mnemonic, target_, *FindFidelity(mnemonic, target_.bit, GetMatrixMode()), count);
    if (IsNotKnown(not_known, mode)) record.Add(mnemonic, target_, Fidelity::kNotKnown, count);
  }
  for (const auto& [index, count] : report.not_known) {
    const std::string_view text = instructions_[index].text;
    record.Add(text.substr(0, text.find(' ')), target_, Fidelity::kNotKnown, count);
  }
}

}  // namespace gridwise::sim
