// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/sim/isa/bind/binding.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/text/operand.h"
#include "tools/sim/wave/uop.h"

namespace gridwise::sim {

/// Rows of constants that micro-ops refer to (Wave::base[1]). Rows never move, so a program may
/// grow while waves run; growing is for one thread at a time.
class ConstantPool {
 public:
  ConstantPool();
  ~ConstantPool();
  ConstantPool(const ConstantPool&) = delete;
  ConstantPool& operator=(const ConstantPool&) = delete;

  /// `dwords` (1, 2 or 4) consecutive rows with the dwords of `value` in every lane; equal
  /// constants share rows.
  absl::StatusOr<Ref> VectorConstant(uint64_t value, int dwords);
  /// The 64-bit value as two consecutive dwords.
  absl::StatusOr<Ref> ScalarConstant(uint64_t value);
  /// A row with kLanes given values.
  absl::StatusOr<Ref> Table(const uint32_t* values);
  std::byte* base() const { return base_; }

 private:
  absl::StatusOr<Ref> Allocate(size_t bytes);

  std::byte* base_ = nullptr;
  size_t used_ = 0;
  absl::flat_hash_map<std::pair<uint64_t, int>, Ref> interned_;
};

/// The handlers of one x86 level, by mnemonic.
class Handlers {
 public:
  /// `level` is 1, 3 or 4 (exec/handlers.h), or 0 if there are no handlers.
  Handlers(int level, std::span<const BindingTable> tables);

  const Binding* Find(std::string_view mnemonic, TargetBit target) const;
  /// Every entry for `target`.
  std::vector<const Binding*> All(TargetBit target) const;
  int level() const { return level_; }
  /// Mnemonics that several entries have for one target; the last one holds. There should be none.
  const std::vector<std::string_view>& duplicates() const { return duplicates_; }

 private:
  int level_;
  std::vector<std::string_view> duplicates_;
  absl::flat_hash_map<std::pair<std::string_view, TargetBit>, const Binding*> bindings_;
};

/// What a bind function turns an instruction into micro-ops with: operand resolution and the list
/// of micro-ops.
class Binder {
 public:
  /// `careful`: for waves whose MODE is not the usual one (Wave::careful). `skips_vector`: without
  /// vector and memory instructions, of which nothing is emitted (Wave::skips_vector).
  Binder(const SimTarget& target, const Handlers& handlers, ConstantPool& pool,
         bool careful = false, bool skips_vector = false)
      : target_(target),
        handlers_(handlers),
        pool_(pool),
        careful_(careful),
        skips_vector_(skips_vector) {}

  /// Binds one instruction: finds its binding, calls it, and checks that it took every modifier.
  absl::Status Bind(Instruction& instruction, uint32_t index, uint64_t pc, uint32_t bytes);

  /// --- For bind functions ---

  const Instruction& instruction() const { return *instruction_; }
  uint64_t pc() const { return pc_; }  // address of the instruction
  uint64_t next_pc() const { return pc_ + bytes_; }
  const SimTarget& target() const { return target_; }
  bool is_rdna() const { return (target_.bit & kRdna) != 0; }
  bool wave32() const { return target_.wave_size == 32; }
  bool careful() const { return careful_; }
  /// The entry for a mnemonic on this target, or null.
  const Binding* Find(std::string_view mnemonic) const {
    return handlers_.Find(mnemonic, target_.bit);
  }

  /// An error that quotes the instruction.
  absl::Status Error(std::string_view what) const;
  /// Fails unless the instruction has exactly `count` operands.
  absl::Status ExpectOperands(size_t count) const;

  /// The rows of a vector register operand of exactly `dwords` whole registers.
  absl::StatusOr<Ref> Vector(const Operand& operand, int dwords) const;
  /// The first register number of the same (AGPRs from kAgprBase).
  absl::StatusOr<int> VectorIndex(const Operand& operand, int dwords) const;
  /// A scalar source: register or constant of `dwords` (1 or 2; wider ones are registers only).
  absl::StatusOr<Ref> Scalar(const Operand& operand, int dwords,
                             ValueType type = ValueType::kB32) const;
  /// A scalar destination: a register that may be written, or `null`.
  absl::StatusOr<Ref> ScalarDestination(const Operand& operand, int dwords) const;
  /// A lane mask as a source and as a destination.
  absl::StatusOr<Ref> Mask(const Operand& operand) const;
  absl::StatusOr<Ref> MaskDestination(const Operand& operand) const;
  /// Any vector source as rows: a VGPR where it is, a constant of `type` from the pool, and an SGPR
  /// by a micro-op before this one that spreads it over temp rows `temp`, temp + 1.
  absl::StatusOr<Ref> VectorSource(const Operand& operand, ValueType type, int temp);
  /// The integer of an immediate operand.
  absl::StatusOr<int64_t> Immediate(const Operand& operand) const;

  /// Rows with the dwords of `bits` in every lane.
  absl::StatusOr<Ref> VectorConstant(uint64_t bits, int dwords);

  /// Appends a micro-op; `uop.instruction` is filled in.
  Uop& Emit(Uop uop);
  /// Appends a micro-op of a helper handler, "@spread32" (exec/vector/prepare.cc).
  Uop& Helper(std::string_view name, Uop uop);

  /// Which operands s_set_gpr_idx_on has made relative to M0 (bits 0..2: sources, 3: destination).
  /// Followed in the order of the text: the compiler emits it around single instructions.
  int gpr_index_mode() const { return gpr_index_mode_; }
  void set_gpr_index_mode(int mode) { gpr_index_mode_ = mode; }
  /// Rows with the 64 lanes' values `values`.
  absl::StatusOr<Ref> Table(const uint32_t* values);

  /// --- For the program ---

  /// Appends a micro-op that faults with `message`, which must outlive it.
  void Trap(const char* message, uint32_t index);

  /// Micro-ops bound so far. Direct branches have Uop::data = address of the target until the
  /// program links them; their positions are in branches().
  std::vector<Uop>& uops() { return uops_; }
  /// Marks the micro-op emitted last as a direct branch to `target` (an address).
  void BranchTo(uint64_t target);
  struct Branch {
    size_t uop;
    uint64_t target;
  };
  std::vector<Branch>& branches() { return branches_; }
  /// Class of the instruction bound last.
  OpClass op_class() const { return op_class_; }

 private:
  absl::Status BindOne(Instruction& instruction);
  absl::Status BindDual(Instruction& first);
  absl::StatusOr<Ref> ScalarRegister(const Operand& operand) const;

  const SimTarget& target_;
  const Handlers& handlers_;
  ConstantPool& pool_;
  const bool careful_, skips_vector_;
  Instruction* instruction_ = nullptr;
  uint32_t index_ = 0;
  uint64_t pc_ = 0;
  uint32_t bytes_ = 0;
  OpClass op_class_ = OpClass::kOther;
  int gpr_index_mode_ = 0;
  std::vector<Uop> uops_;
  std::vector<Branch> branches_;
};

}  // namespace gridwise::sim
