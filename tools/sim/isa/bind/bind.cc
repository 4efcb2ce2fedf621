// SPDX-License-Identifier: MIT
#include "tools/sim/isa/bind/bind.h"

#include <sys/mman.h>

#include <cstring>

#include "absl/strings/str_cat.h"
#include "tools/sim/isa/bind/constants.h"
#include "tools/sim/isa/text/rename.h"

namespace gridwise::sim {
namespace {

/// Reserved, not used: 64 MB of rows are 262,144 distinct constants.
constexpr size_t kPoolBytes = size_t{64} << 20;

/// Temp row of a dual instruction's first result: bind/valu.cc uses those below.
constexpr int kDualTemp = 10;

}  // namespace

ConstantPool::ConstantPool() {
  void* memory = mmap(nullptr, kPoolBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  base_ = memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

ConstantPool::~ConstantPool() {
  if (base_ != nullptr) munmap(base_, kPoolBytes);
}

absl::StatusOr<Ref> ConstantPool::Allocate(size_t bytes) {
  if (base_ == nullptr || used_ + bytes > kPoolBytes) {
    return absl::ResourceExhaustedError(
        "the code object has more distinct constants than the simulator's pool holds");
  }
  const Ref ref{static_cast<uint32_t>(used_) | kConstantBit};
  used_ += bytes;
  return ref;
}

absl::StatusOr<Ref> ConstantPool::VectorConstant(uint64_t value, int dwords) {
  const auto key = std::make_pair(value, dwords);
  if (const auto found = interned_.find(key); found != interned_.end()) return found->second;
  absl::StatusOr<Ref> ref = Allocate(static_cast<size_t>(dwords) * kRowBytes);
  if (!ref.ok()) return ref;
  auto* rows = reinterpret_cast<uint32_t*>(base_ + (ref->bits & ~kConstantBit));
  for (int i = 0; i < dwords * kLanes; ++i) {
    rows[i] = static_cast<uint32_t>(i < kLanes ? value : value >> 32);
  }
  return interned_[key] = *ref;
}

absl::StatusOr<Ref> ConstantPool::ScalarConstant(uint64_t value) {
  const auto key = std::make_pair(value, 0);
  if (const auto found = interned_.find(key); found != interned_.end()) return found->second;
  absl::StatusOr<Ref> ref = Allocate(kRowBytes);
  if (!ref.ok()) return ref;
  std::memcpy(base_ + (ref->bits & ~kConstantBit), &value, sizeof(value));
  return interned_[key] = *ref;
}

absl::StatusOr<Ref> ConstantPool::Table(const uint32_t* values) {
  absl::StatusOr<Ref> ref = Allocate(kRowBytes);
  if (ref.ok()) std::memcpy(base_ + (ref->bits & ~kConstantBit), values, kRowBytes);
  return ref;
}

Handlers::Handlers(int level, std::span<const BindingTable> tables) : level_(level) {
  for (const BindingTable& table : tables) {
    for (size_t i = 0; i < table.size; ++i) {
      const Binding& entry = table.entries[i];
      for (const SimTarget& target : kSimTargets) {
        if ((entry.targets & target.bit) == 0) continue;
        const Binding*& known = bindings_[{entry.mnemonic, target.bit}];
        if (known != nullptr) duplicates_.push_back(entry.mnemonic);
        known = &entry;
      }
    }
  }
}

const Binding* Handlers::Find(std::string_view mnemonic, TargetBit target) const {
  const auto found = bindings_.find({mnemonic, target});
  return found == bindings_.end() ? nullptr : found->second;
}

std::vector<const Binding*> Handlers::All(TargetBit target) const {
  std::vector<const Binding*> all;
  for (const auto& [key, binding] : bindings_) {
    if (key.second == target) all.push_back(binding);
  }
  return all;
}

absl::Status Binder::Bind(Instruction& instruction, uint32_t index, uint64_t pc, uint32_t bytes) {
  index_ = index;
  pc_ = pc;
  bytes_ = bytes;
  op_class_ = OpClass::kOther;
  const size_t before = uops_.size();
  const absl::Status status =
      instruction.dual.empty() ? BindOne(instruction) : BindDual(instruction);
  const bool vector = op_class_ == OpClass::kValu || op_class_ == OpClass::kMma ||
                      op_class_ == OpClass::kLds || op_class_ == OpClass::kVmem;
  if (skips_vector_ && vector) uops_.resize(before);
  return status;
}

absl::Status Binder::BindOne(Instruction& instruction) {
  instruction_ = &instruction;
  instruction.mnemonic = CanonicalName(instruction.mnemonic, target_.bit);
  const Binding* binding = Find(instruction.mnemonic);
  // v_cmpx_lt_u32 is v_cmp_lt_u32 whose result is EXEC: its bind function asks for the mnemonic.
  if (binding == nullptr && instruction.mnemonic.starts_with("v_cmpx_"))
    binding = Find(absl::StrCat("v_cmp_", instruction.mnemonic.substr(7)));
  if (binding == nullptr || instruction.mnemonic.starts_with('@')) return Error("has no handler");
  op_class_ = binding->op_class;
  if (absl::Status status = binding->bind(*this, *binding, instruction); !status.ok())
    return status;
  for (const Modifier& m : instruction.modifiers) {
    if (!m.taken)
      return Error(
          absl::StrCat("has the modifier '", m.name, "', which its handler does not know"));
  }
  return absl::OkStatus();
}

absl::Status Binder::BindDual(Instruction& first) {
  // Both halves read before either writes (RDNA3 ISA, "VOPD"). If the second half reads what the
  // first one writes, the first result waits in a temp row.
  Instruction second;
  if (absl::Status status = ParseInstruction(first.dual, second); !status.ok()) return status;
  if (absl::Status status = BindOne(first); !status.ok()) return status;
  absl::StatusOr<int> written = VectorIndex(first.operands[0], 1);
  if (!written.ok()) return written.status();
  bool reads = false;
  for (size_t i = 1; i < second.operands.size(); ++i) {
    const Operand& source = second.operands[i];
    reads = reads || (source.kind == OperandKind::kVector && source.index == *written);
  }
  if (reads) uops_.back().dst = TempRef(kDualTemp);
  if (absl::Status status = BindOne(second); !status.ok()) return status;
  if (reads) Helper("@commit", {.dst = VectorRef(*written), .src = {TempRef(kDualTemp)}});
  return absl::OkStatus();
}

absl::Status Binder::Error(std::string_view what) const {
  return absl::UnimplementedError(absl::StrCat("instruction '", instruction_->text, "' ", what));
}

absl::Status Binder::ExpectOperands(size_t count) const {
  if (instruction_->operands.size() == count) return absl::OkStatus();
  return Error(absl::StrCat("has ", instruction_->operands.size(),
                            " operands, its handler expects ", count));
}

absl::StatusOr<int> Binder::VectorIndex(const Operand& operand, int dwords) const {
  if (operand.kind != OperandKind::kVector || operand.negate || operand.absolute ||
      operand.sign_extend || operand.half != Half::kNone) {
    return Error(absl::StrCat("needs a vector register in place of '", operand.text, "'"));
  }
  if (operand.count != dwords) {
    return Error(absl::StrCat("needs ", dwords, " registers in place of '", operand.text, "'"));
  }
  return operand.index;
}

absl::StatusOr<Ref> Binder::Vector(const Operand& operand, int dwords) const {
  absl::StatusOr<int> index = VectorIndex(operand, dwords);
  if (!index.ok()) return index.status();
  return VectorRef(*index);
}

absl::StatusOr<Ref> Binder::ScalarRegister(const Operand& operand) const {
  if (wave32() && operand.index == kExecLo && operand.count != 1) {
    return Error("writes EXEC as 64 bits in a wave of 32 lanes");
  }
  return ScalarRef(wave32() && operand.index == kExecLo + 1 ? kFreeExecHi : operand.index);
}

absl::StatusOr<Ref> Binder::Scalar(const Operand& operand, int dwords, ValueType type) const {
  if (operand.negate || operand.absolute || operand.sign_extend)
    return Error("has modifiers on a scalar operand");
  if (operand.kind == OperandKind::kScalar) {
    if (operand.index == kNull) return pool_.ScalarConstant(0);
    if (operand.count != dwords) {
      return Error(
          absl::StrCat("needs ", dwords, " scalar registers in place of '", operand.text, "'"));
    }
    // The device libraries read EXEC as a mask of 64 lanes whatever a wave has: there are none
    // above 31. What code has put into EXEC_HI itself, which nobody does and then reads so, is not
    // seen.
    if (wave32() && operand.index == kExecLo && dwords == 2) return ScalarRef(kExecLo);
    return ScalarRegister(operand);
  }
  if (operand.kind != OperandKind::kInteger && operand.kind != OperandKind::kFloat) {
    return Error(absl::StrCat("needs a scalar in place of '", operand.text, "'"));
  }
  if (dwords > 2) return Error("has a constant in place of scalar registers");
  return pool_.ScalarConstant(ConstantBits(operand, type));
}

absl::StatusOr<Ref> Binder::ScalarDestination(const Operand& operand, int dwords) const {
  const bool plain = operand.kind == OperandKind::kScalar && !operand.negate && !operand.absolute;
  if (plain && operand.index == kNull && dwords <= 4) return ScalarRef(kSink);
  if (!plain || operand.index >= kSharedBase || operand.index == kNull || operand.count != dwords) {
    return Error(absl::StrCat("needs ", dwords, " writable scalar registers in place of '",
                              operand.text, "'"));
  }
  return ScalarRegister(operand);
}

absl::StatusOr<Ref> Binder::Mask(const Operand& operand) const {
  return Scalar(operand, wave32() ? 1 : 2, ValueType::kB64);
}

absl::StatusOr<Ref> Binder::MaskDestination(const Operand& operand) const {
  return ScalarDestination(operand, wave32() ? 1 : 2);
}

absl::StatusOr<Ref> Binder::VectorConstant(uint64_t bits, int dwords) {
  return pool_.VectorConstant(bits, dwords);
}

absl::StatusOr<Ref> Binder::VectorSource(const Operand& operand, ValueType type, int temp) {
  const int dwords = Dwords(type);
  if (operand.kind == OperandKind::kVector) return Vector(operand, dwords);
  if (operand.kind == OperandKind::kInteger || operand.kind == OperandKind::kFloat) {
    if (operand.negate || operand.absolute || operand.sign_extend)
      return Error("has modifiers on a constant");
    return pool_.VectorConstant(ConstantBits(operand, type), dwords);
  }
  absl::StatusOr<Ref> scalar = Scalar(operand, dwords, type);
  if (!scalar.ok()) return scalar;
  Helper(dwords == 2 ? "@spread64" : "@spread32", {.dst = TempRef(temp), .src = {*scalar}});
  return TempRef(temp);
}

absl::StatusOr<int64_t> Binder::Immediate(const Operand& operand) const {
  if (operand.kind != OperandKind::kInteger) {
    return Error(absl::StrCat("needs an integer in place of '", operand.text, "'"));
  }
  return operand.integer;
}

absl::StatusOr<Ref> Binder::Table(const uint32_t* values) { return pool_.Table(values); }

Uop& Binder::Emit(Uop uop) {
  uop.instruction = index_;
  return uops_.emplace_back(uop);
}

Uop& Binder::Helper(std::string_view name, Uop uop) {
  uop.exec = Find(name)->exec;
  return Emit(uop);
}

void Binder::Trap(const char* message, uint32_t index) {
  index_ = index;
  Helper("@trap", {.data = reinterpret_cast<uint64_t>(message)});
}

void Binder::BranchTo(uint64_t target) { branches_.push_back({uops_.size() - 1, target}); }

}  // namespace gridwise::sim
