// SPDX-License-Identifier: MIT
#include "tools/sim/isa/bind/memory.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/bind/buffer_format.h"
#include "tools/sim/isa/bind/format.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/text/operand.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {
namespace {

bool IsAtomic(const Binding& binding) { return (binding.traits.flags & kMemoryAtomic) != 0; }

int ResultDwords(const Binding& binding) {
  return binding.traits.flags >> kResultDwordsShift & 0xf;
}

// Cache policy; whether an atomic returns the old value: sc0 on CDNA3 and CDNA4, glc on CDNA2 and
// RDNA3, th:..._RETURN on RDNA4 (where another policy is printed as its number, whose lowest bit
// says so).
bool TakeCachePolicy(Instruction& instruction) {
  for (const char* name : {"sc1", "nt", "slc", "scc", "dlc", "nv"}) instruction.TakeFlag(name);
  instruction.TakeText("scope");
  const bool sc0 = instruction.TakeFlag("sc0"), glc = instruction.TakeFlag("glc");
  const std::string_view hint = instruction.TakeText("th").value_or("");
  uint32_t number = 0;
  const bool hinted =
      absl::SimpleHexAtoi(hint, &number) ? (number & 1) != 0 : absl::StrContains(hint, "RETURN");
  return sc0 || glc || hinted;
}

// Takes operands one by one; what goes wrong first is in status().
class OperandReader {
 public:
  OperandReader(Binder& binder, const Instruction& instruction)
      : binder_(binder), operands_(instruction.operands) {}

  Ref Vector(int dwords) {
    return Read([&](const Operand& o) { return binder_.Vector(o, dwords); });
  }
  Ref VectorOrOff(int dwords) { return IsOff() ? kNoRef : Vector(dwords); }
  Ref Scalar(int dwords) {
    return Read([&](const Operand& o) { return binder_.Scalar(o, dwords); });
  }
  Ref ScalarOrOff(int dwords) { return IsOff() ? kNoRef : Scalar(dwords); }
  Ref ScalarDestination(int dwords) {
    return Read([&](const Operand& o) { return binder_.ScalarDestination(o, dwords); });
  }
  bool IsInteger() const {
    return next_ < operands_.size() && operands_[next_].kind == OperandKind::kInteger;
  }
  int64_t Integer() { return operands_[next_++].integer; }
  bool wave32() const { return binder_.wave32(); }

  // The first error, or that operands are left over.
  absl::Status Finish() const {
    if (!status_.ok() || next_ == operands_.size()) return status_;
    return binder_.Error("has more operands than its handler knows");
  }

 private:
  bool IsOff() {
    if (next_ >= operands_.size() || operands_[next_].kind != OperandKind::kOff) return false;
    ++next_;
    return true;
  }
  template <typename Function>
  Ref Read(const Function& read) {
    if (!status_.ok()) return kNoRef;
    if (next_ >= operands_.size()) {
      status_ = binder_.Error("has fewer operands than its handler knows");
      return kNoRef;
    }
    const absl::StatusOr<Ref> ref = read(operands_[next_++]);
    if (ref.ok()) return *ref;
    status_ = ref.status();
    return kNoRef;
  }

  Binder& binder_;
  const std::vector<Operand>& operands_;
  size_t next_ = 0;
  absl::Status status_;
};

absl::Status EmitChecked(Binder& binder, const OperandReader& reader, const Binding& binding,
                         Uop uop) {
  if (absl::Status status = reader.Finish(); !status.ok()) return status;
  uop.exec = binding.exec;
  binder.Emit(uop);
  return absl::OkStatus();
}

// A micro-op with the instruction's offset and no operands yet.
Uop WithOffset(Instruction& instruction) {
  Uop uop;
  uop.dst = kNoRef;
  uop.imm = static_cast<int32_t>(instruction.TakeNumber("offset", 0));
  return uop;
}

// Dwords of an access to LDS that are inside or outside of it together (Uop::data2).
uint64_t DwordsOfLds(const Binder& binder) { return binder.target().bit == kGfx1201 ? 1 : 0; }

// Address, data and result of flat, global and scratch instructions: loads "dst, address", stores
// "address, data", atomics "address, data" or with sc0 "dst, address, data"; `read_address` reads
// the address.
template <typename ReadAddress>
void ReadFlatOperands(OperandReader& reader, const Binding& binding, bool returns,
                      const ReadAddress& read_address, Uop& uop) {
  const OpTraits& traits = binding.traits;
  const int halves = (traits.flags & kLoadsMatrix) != 0 && !reader.wave32() ? 2 : 1;
  if (traits.flags & kMemoryLoad) uop.dst = reader.Vector(traits.dwords / halves);
  if (IsAtomic(binding) && returns) uop.dst = reader.Vector(ResultDwords(binding));
  uop.src[0] = read_address();
  if (!(traits.flags & kMemoryLoad)) uop.src[1] = reader.Vector(traits.dwords);
}

// Whether the address operand is 64 bits wide: without a scalar base.
bool HasScalarBase(const Instruction& instruction) {
  return !instruction.operands.empty() && instruction.operands.back().kind == OperandKind::kScalar;
}

// gfx90a's global and scratch loads to LDS are loads with a modifier, "global_load_dword v1, s[2:3]
// lds"; later targets have instructions for them, global_load_lds_dword. Null: there is none.
const Binding* FindLoadToLds(Binder& binder, std::string_view mnemonic) {
  constexpr std::string_view kLoad = "_load_";
  const size_t at = mnemonic.find(kLoad);
  if (at == mnemonic.npos) return nullptr;
  return binder.Find(
      absl::StrCat(mnemonic.substr(0, at), "_load_lds_", mnemonic.substr(at + kLoad.size())));
}

// Binds a load to LDS by `bind`.
absl::Status BindAsLoadToLds(Binder& binder, Instruction& instruction, BindFn bind) {
  const Binding* const to_lds = FindLoadToLds(binder, instruction.mnemonic);
  if (to_lds == nullptr) return binder.Error("cannot load to LDS");
  return bind(binder, *to_lds, instruction);
}

}  // namespace

absl::Status BindGlobal(Binder& binder, const Binding& binding, Instruction& instruction) {
  if (instruction.TakeFlag("lds")) return BindAsLoadToLds(binder, instruction, &BindGlobalToLds);
  const bool returns = TakeCachePolicy(instruction);
  OperandReader reader(binder, instruction);
  Uop uop = WithOffset(instruction);
  const int address_dwords = HasScalarBase(instruction) ? 1 : 2;
  ReadFlatOperands(reader, binding, returns, [&] { return reader.Vector(address_dwords); }, uop);
  uop.src[2] = reader.ScalarOrOff(2);
  return EmitChecked(binder, reader, binding, uop);
}

absl::Status BindGlobalAddTid(Binder& binder, const Binding& binding, Instruction& instruction) {
  TakeCachePolicy(instruction);
  OperandReader reader(binder, instruction);
  Uop uop = WithOffset(instruction);
  (binding.traits.flags & kMemoryLoad ? uop.dst : uop.src[1]) = reader.Vector(1);
  uop.src[2] = reader.ScalarOrOff(2);
  return EmitChecked(binder, reader, binding, uop);
}

absl::Status BindFlat(Binder& binder, const Binding& binding, Instruction& instruction) {
  const bool returns = TakeCachePolicy(instruction);
  OperandReader reader(binder, instruction);
  Uop uop = WithOffset(instruction);
  uop.data2 = DwordsOfLds(binder);
  ReadFlatOperands(reader, binding, returns, [&] { return reader.Vector(2); }, uop);
  return EmitChecked(binder, reader, binding, uop);
}

absl::Status BindScratch(Binder& binder, const Binding& binding, Instruction& instruction) {
  if (instruction.TakeFlag("lds")) return BindAsLoadToLds(binder, instruction, &BindScratchToLds);
  TakeCachePolicy(instruction);
  OperandReader reader(binder, instruction);
  Uop uop = WithOffset(instruction);
  ReadFlatOperands(reader, binding, false, [&] { return reader.VectorOrOff(1); }, uop);
  uop.src[2] = reader.ScalarOrOff(1);
  return EmitChecked(binder, reader, binding, uop);
}

absl::Status BindBuffer(Binder& binder, const Binding& binding, Instruction& instruction) {
  const Binding* effective = &binding;
  const bool to_lds = instruction.TakeFlag("lds");
  if (to_lds) {
    const std::string name = std::string(instruction.mnemonic) + " lds";
    effective = binder.Find(name);
    if (effective == nullptr) return binder.Error("cannot load to LDS");
  }
  const bool returns = TakeCachePolicy(instruction);
  const bool offen = instruction.TakeFlag("offen");
  const bool idxen = instruction.TakeFlag("idxen");
  OperandReader reader(binder, instruction);
  Uop uop = WithOffset(instruction);
  uop.data = (offen ? kBufferOffen : 0) | (idxen ? kBufferIdxen : 0) |
             (binder.target().bit & kRdna ? kBufferRdna : 0) |
             (binding.traits.flags & kFormatted ? kBufferFormat : 0);
  if (binding.traits.flags & kTyped) {
    const std::optional<BufferFormat> format = ParseBufferFormat(instruction.TakeText("format"));
    if (!format.has_value()) return binder.Error("has a format that is not understood");
    uop.data2 = Packed(*format);
  }
  if (!to_lds) {
    const Ref data = reader.Vector(binding.traits.dwords);
    if (!IsAtomic(binding)) uop.dst = data;
    if (IsAtomic(binding) && returns)
      uop.dst = data;  // a compare-swap returns in the first half of its operands
    if (!(binding.traits.flags & kMemoryLoad)) uop.src[1] = data;
  }
  uop.src[0] = reader.VectorOrOff((offen ? 1 : 0) + (idxen ? 1 : 0));
  uop.src[2] = reader.Scalar(4);
  uop.src[3] = reader.Scalar(1);
  return EmitChecked(binder, reader, *effective, uop);
}

absl::Status BindGlobalToLds(Binder& binder, const Binding& binding, Instruction& instruction) {
  TakeCachePolicy(instruction);
  OperandReader reader(binder, instruction);
  Uop uop = WithOffset(instruction);
  uop.src[0] = reader.Vector(HasScalarBase(instruction) ? 1 : 2);
  uop.src[2] = reader.ScalarOrOff(2);
  return EmitChecked(binder, reader, binding, uop);
}

absl::Status BindScratchToLds(Binder& binder, const Binding& binding, Instruction& instruction) {
  TakeCachePolicy(instruction);
  OperandReader reader(binder, instruction);
  Uop uop = WithOffset(instruction);
  uop.src[0] = reader.VectorOrOff(1);
  uop.src[2] = reader.ScalarOrOff(1);
  return EmitChecked(binder, reader, binding, uop);
}

absl::Status BindCacheControl(Binder& binder, const Binding&, Instruction& instruction) {
  TakeCachePolicy(instruction);
  return binder.ExpectOperands(0);
}

namespace {

/// s_load has an address of 2 dwords, s_buffer_load a resource of 4. Stores and atomics have the
/// data in place of the destination; an atomic that returns overwrites it.
absl::Status BindScalar(Binder& binder, const Binding& binding, Instruction& instruction,
                        int base_dwords) {
  const bool returns = TakeCachePolicy(instruction);
  OperandReader reader(binder, instruction);
  Uop uop = WithOffset(instruction);
  if (binding.traits.flags & kMemoryLoad) {
    uop.dst = reader.ScalarDestination(binding.traits.dwords);
  } else {
    uop.src[1] = reader.Scalar(binding.traits.dwords);
    if (IsAtomic(binding) && returns) uop.dst = uop.src[1];
  }
  uop.src[2] = reader.Scalar(base_dwords);
  uop.src[3] = kNoRef;
  if (reader.IsInteger()) {
    uop.imm += static_cast<int32_t>(reader.Integer());
  } else {
    uop.src[3] = reader.Scalar(1);
  }
  return EmitChecked(binder, reader, binding, uop);
}

}  // namespace

absl::Status BindScalarMemory(Binder& binder, const Binding& binding, Instruction& instruction) {
  return BindScalar(binder, binding, instruction, 2);
}

absl::Status BindScalarBuffer(Binder& binder, const Binding& binding, Instruction& instruction) {
  return BindScalar(binder, binding, instruction, 4);
}

absl::Status BindHint(Binder&, const Binding&, Instruction& instruction) {
  TakeCachePolicy(instruction);
  instruction.TakeNumber("offset", 0);
  return absl::OkStatus();
}

absl::Status BindLds(Binder& binder, const Binding& binding, Instruction& instruction) {
  OperandReader reader(binder, instruction);
  Uop uop = WithOffset(instruction);
  uop.data2 = DwordsOfLds(binder);
  ReadFlatOperands(reader, binding, false, [&] { return reader.Vector(1); }, uop);
  return EmitChecked(binder, reader, binding, uop);
}

absl::Status BindLdsTwo(Binder& binder, const Binding& binding, Instruction& instruction) {
  const OpTraits& traits = binding.traits;
  const int64_t unit = 4 * traits.dwords * (traits.flags & kLdsStride64 ? 64 : 1);
  OperandReader reader(binder, instruction);
  Uop uop = WithOffset(instruction);
  uop.imm = static_cast<int32_t>(instruction.TakeNumber("offset0", 0) * unit);
  uop.data = static_cast<uint64_t>(instruction.TakeNumber("offset1", 0) * unit);
  uop.data2 = DwordsOfLds(binder);
  if (traits.flags & kMemoryLoad) uop.dst = reader.Vector(2 * traits.dwords);
  uop.src[0] = reader.Vector(1);
  if (traits.flags & kMemoryStore) {
    uop.src[1] = reader.Vector(traits.dwords);
    uop.src[2] = reader.Vector(traits.dwords);
  }
  // Two adjacent values that are read are one wide value, whose halves may be outside of LDS
  // apart.
  const bool adjacent = uop.data == static_cast<uint64_t>(uop.imm) + 4u * traits.dwords;
  if ((traits.flags & kMemoryLoad) && !(traits.flags & kMemoryStore) && adjacent) {
    if (uop.data2 == 0) uop.data2 = traits.dwords;
    return EmitChecked(binder, reader,
                       *binder.Find(traits.dwords == 1 ? "ds_read_b64" : "ds_read_b128"), uop);
  }
  return EmitChecked(binder, reader, binding, uop);
}

absl::Status BindLdsAddTid(Binder& binder, const Binding& binding, Instruction& instruction) {
  OperandReader reader(binder, instruction);
  Uop uop = WithOffset(instruction);
  (binding.traits.flags & kMemoryLoad ? uop.dst : uop.src[1]) = reader.Vector(1);
  return EmitChecked(binder, reader, binding, uop);
}

absl::Status BindLdsDirect(Binder& binder, const Binding& binding, Instruction& instruction) {
  for (const char* name : {"wait_vdst", "wait_va_vdst", "wait_vm_vsrc"})
    instruction.TakeNumber(name, 0);
  OperandReader reader(binder, instruction);
  Uop uop;
  uop.dst = reader.Vector(1);
  return EmitChecked(binder, reader, binding, uop);
}

absl::Status BindLdsAtomic(Binder& binder, const Binding& binding, Instruction& instruction) {
  const OpTraits& traits = binding.traits;
  OperandReader reader(binder, instruction);
  Uop uop = WithOffset(instruction);
  if (traits.flags & kLdsReturns) uop.dst = reader.Vector(traits.dwords);
  uop.src[0] = reader.Vector(1);
  uop.src[1] = reader.Vector(traits.dwords);
  if (traits.flags & kLdsTwoOperands) uop.src[2] = reader.Vector(traits.dwords);
  if (traits.flags & kLdsNewValueFirst) std::swap(uop.src[1], uop.src[2]);
  return EmitChecked(binder, reader, binding, uop);
}

absl::Status BindLdsPermute(Binder& binder, const Binding& binding, Instruction& instruction) {
  OperandReader reader(binder, instruction);
  Uop uop = WithOffset(instruction);
  uop.dst = reader.Vector(1);
  uop.src[0] = reader.Vector(1);
  uop.src[1] = reader.Vector(1);
  return EmitChecked(binder, reader, binding, uop);
}

absl::Status BindWaveSync(Binder& binder, const Binding& binding, Instruction& instruction) {
  instruction.TakeFlag("gds");
  OperandReader reader(binder, instruction);
  Uop uop = WithOffset(instruction);
  uop.src[0] = binding.traits.dwords == 0 ? kNoRef : reader.Vector(1);
  return EmitChecked(binder, reader, binding, uop);
}

}  // namespace gridwise::sim
