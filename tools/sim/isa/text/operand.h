// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace gridwise::sim {

enum class OperandKind : uint8_t {
  kVector,   // v5, v[2:3], a[0:15]: index is the register, AGPRs from kAgprBase
  kScalar,   // s4, vcc, exec_lo, m0, src_scc, ...: index as in ScalarRegister
  kInteger,  // 12, -5, 0x40, lit(0xffffffff)
  kFloat,    // 1.0, -0.5, 0.15915494
  kOff,      // off: no address register, no SGPR
  kText,     // hwreg(...), sendmsg(...), gpr_idx(...), quad names: for the instruction to interpret
};

enum class Half : uint8_t { kNone, kLow, kHigh };

struct Operand {
  OperandKind kind = OperandKind::kText;
  uint16_t index = 0;
  uint16_t count = 1;        // registers
  Half half = Half::kNone;   // v1.l, v1.h: half of a register (gfx11's "true 16 bits")
  bool negate = false;       // -v1, neg(v1)
  bool absolute = false;     // |v1|
  bool sign_extend = false;  // sext(v1), SDWA only
  bool literal = false;      // a 32-bit literal constant by its size: not an inline constant
  int64_t integer = 0;
  double real = 0;
  std::string_view text;  // as printed
};

/// `name`, `name:value` or `name:[a,b,...]` after the operands.
struct Modifier {
  std::string_view name;
  std::string_view value;        // text after the colon, empty if there is none
  std::vector<int64_t> numbers;  // value as numbers, if it is one or a list of them
  bool taken = false;
};

/// Encoding that the mnemonic's suffix names.
enum class Encoding : uint8_t { kPlain, kE32, kE64, kDpp, kSdwa };

/// The text of one instruction, as LLVM prints it, in parts. Views point into `text`.
struct Instruction {
  std::string text;
  std::string_view mnemonic;  // without _e32, _e64, _dpp, _sdwa, _e64_dpp
  Encoding encoding = Encoding::kPlain;
  std::vector<Operand> operands;
  std::vector<Modifier> modifiers;
  /// Text of the second half of "v_dual_x ... :: v_dual_y ...", which executes at the same time.
  std::string_view dual;

  /// Takes the modifier `name`: true if it is there. A modifier that no one takes is a bind error,
  /// so that nothing is skipped silently.
  bool TakeFlag(std::string_view name);
  /// The number of `name:number`, or `otherwise` if the modifier is not there.
  int64_t TakeNumber(std::string_view name, int64_t otherwise);
  /// The numbers of `name:[...]`, or nullopt.
  std::optional<std::vector<int64_t>> TakeList(std::string_view name);
  /// The text of `name:TEXT`, or nullopt.
  std::optional<std::string_view> TakeText(std::string_view name);

  Instruction() = default;
  Instruction(const Instruction&) = delete;  // the views point into this object
  Instruction& operator=(const Instruction&) = delete;
};

/// Takes `text` ("v_add_u32_e32 v0, 1, v2") apart. Errors quote the text and the part that is not
/// understood.
absl::Status ParseInstruction(std::string_view text, Instruction& out);

}  // namespace gridwise::sim
