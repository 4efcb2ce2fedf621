// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "tools/sim/isa/bind/matrix_mode.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/text/operand.h"

namespace gridwise::sim {

/// How the results of an opcode compare with the hardware's.
enum class Fidelity : uint8_t { kExact, kOneUlp, kApproximate, kNotKnown };
const char* Name(Fidelity fidelity);  // "exact", "1 ulp", "approximate", "not known"

/// The fidelity of matrix, dot product and transcendental opcodes (without encoding suffix),
/// nullopt for all others, which are exact up to the payloads of NaN.
std::optional<Fidelity> FindFidelity(std::string_view mnemonic, TargetBit target, MatrixMode mode);

/// Whether public sources leave open what an instruction does: the rows of isa/README.md's "Not
/// known" that depend on its text. Those that depend on its operands are noted when it is executed
/// (NoteNotKnown in isa/exec/memory/access.h).
enum class NotKnown : uint8_t { kNo, kYes, kUnderSomeModes };
NotKnown FindNotKnown(const Instruction& instruction, TargetBit target);
/// The same for a wave whose MODE is `mode`.
bool IsNotKnown(NotKnown not_known, uint32_t mode);

/// The opcodes with a fidelity that a process executed. Thread safe.
class FidelityRecord {
 public:
  /// The process's record. If GRIDWISE_SIM_FIDELITY is set, the record is written when the process
  /// exits: as text to stderr if the variable is 1, else as JSON to the file that it names.
  static FidelityRecord& Process();

  void Add(std::string_view mnemonic, const SimTarget& target, Fidelity fidelity, int64_t count);
  std::string Text() const;
  /// [{"opcode": ..., "target": ..., "fidelity": ..., "executed": ...}, ...], sorted.
  std::string Json() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::tuple<std::string, std::string, Fidelity>, int64_t> counts_;  // opcode, target
};

}  // namespace gridwise::sim
