// SPDX-License-Identifier: MIT
#include "tools/sim/machine/fidelity.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace gridwise::sim {
namespace {

/// Hardware documents 1 ulp for these, of f16 and f32.
constexpr std::string_view kOneUlpPrefixes[] = {"v_exp_",  "v_log_", "v_rcp_",      "v_rsq_",
                                                "v_sqrt_", "v_s_",   "v_rcp_iflag_"};

/// Whether a matrix instruction multiplies f16 or bf16. Names end in the type of the factors.
bool MultipliesHalves(std::string_view mnemonic) {
  return absl::EndsWith(mnemonic, "_f16") || absl::EndsWith(mnemonic, "_bf16");
}

/// The order of additions is public of gfx90a's and gfx942's dense products, and of those of RDNA3
/// and RDNA4 on f16 and bf16. gfx90a's are always added in that order.
Fidelity MatrixFidelity(std::string_view mnemonic, TargetBit target, MatrixMode mode) {
  if (absl::StrContains(mnemonic, "_i32_")) return Fidelity::kExact;
  const bool sparse = absl::StartsWith(mnemonic, "v_s");
  if (target == kGfx90a) return Fidelity::kExact;
  const bool measured = (target & kRdna) != 0 ? MultipliesHalves(mnemonic) : target == kGfx942;
  if (sparse || !measured) return Fidelity::kApproximate;
  const bool sequential = absl::EndsWith(mnemonic, "_f64") ||
                          (absl::EndsWith(mnemonic, "_f32") && !absl::EndsWith(mnemonic, "xf32"));
  return sequential || mode == MatrixMode::kExact ? Fidelity::kExact : Fidelity::kApproximate;
}

Fidelity DotFidelity(std::string_view mnemonic, TargetBit target) {
  const bool integers =
      absl::StrContains(mnemonic, "_i32_") || absl::StrContains(mnemonic, "_u32_");
  const bool measured = (target & kRdna) != 0 && MultipliesHalves(mnemonic);
  return integers || measured ? Fidelity::kExact : Fidelity::kApproximate;
}

const Modifier* Find(const Instruction& in, std::string_view name) {
  for (const Modifier& modifier : in.modifiers) {
    if (modifier.name == name) return &modifier;
  }
  return nullptr;
}
int64_t Number(const Instruction& in, std::string_view name) {
  const Modifier* const modifier = Find(in, name);
  return modifier == nullptr || modifier->numbers.empty() ? 0 : modifier->numbers[0];
}
bool HasConstant(const Instruction& in, OperandKind kind) {
  return std::any_of(in.operands.begin(), in.operands.end(),
                     [kind](const Operand& operand) { return operand.kind == kind; });
}

/// A comparison with DPP (not DPP8), of lanes without a source, with bound_ctrl 0.
bool IsComparisonThatKeepsOrClears(const Instruction& in) {
  const bool permutes = in.encoding == Encoding::kDpp && Find(in, "dpp8") == nullptr;
  return permutes && absl::StartsWith(in.mnemonic, "v_cmp") && Number(in, "bound_ctrl") == 0;
}
bool HasEqualOffsets(const Instruction& in) {
  return Number(in, "offset0") == Number(in, "offset1");
}
bool HasIntegerConstant(const Instruction& in) { return HasConstant(in, OperandKind::kInteger); }
bool HasAnyConstant(const Instruction& in) {
  return HasIntegerConstant(in) || HasConstant(in, OperandKind::kFloat);
}
/// A wave64's transposing load, or one of bytes.
bool IsUnconfirmedTransposition(const Instruction& in) {
  return absl::EndsWith(in.mnemonic, "_b64") || in.operands[0].count == 2;
}

/// Rows of the table, by mnemonics of gfx9 where it has them.
struct Open {
  std::string_view prefix, suffix;
  uint8_t targets = kAllTargets;
  bool (*when)(const Instruction&) = nullptr;
  NotKnown as = NotKnown::kYes;
};
constexpr Open kOpen[] = {
    {"v_rcp_f64", ""},
    {"v_rsq_f64", ""},
    {"v_sqrt_f64", ""},
    {"v_sin_f32", ""},
    {"v_cos_f32", ""},
    {"v_dot2", "_f32_f16", kGfx942},
    {"v_dot2", "_f32_bf16", kGfx950},
    {"v_dot2", "", kGfx1201, &HasAnyConstant},
    {"v_fma_mixlo_f16", ""},
    {"v_fma_mixhi_f16", ""},
    {"v_min", "_f32", kGfx9 | kGfx1100, nullptr, NotKnown::kUnderSomeModes},
    {"v_max", "_f32", kGfx9 | kGfx1100, nullptr, NotKnown::kUnderSomeModes},
    {"v_med3_f32", "", kGfx9 | kGfx1100, nullptr, NotKnown::kUnderSomeModes},
    {"v_cvt_rpi_i32_f32", ""},
    {"v_cvt_flr_i32_f32", ""},
    {"v_cvt_norm", ""},
    {"v_cvt_pknorm", ""},
    {"ds_write2", "", kAllTargets, &HasEqualOffsets},
    {"v_pk_fmac_f16", "", kRdna, &HasIntegerConstant},
    {"v_mullit_f32", ""},
    {"global_atomic_add_f32", ""},
    {"flat_atomic_add_f32", ""},
    {"buffer_atomic_add_f32", ""},
    {"global_load_tr_b", "", kGfx1201, &IsUnconfirmedTransposition},
    {"s_waitcnt", "s_waitcnt", kGfx1201},
};

void WriteAtExit() {
  const FidelityRecord& record = FidelityRecord::Process();
  const std::string_view where = std::getenv("GRIDWISE_SIM_FIDELITY");
  if (where == "1") {
    std::fputs(record.Text().c_str(), stderr);
    return;
  }
  const std::string path(where);
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    std::fprintf(stderr,
                 "gridwise sim: GRIDWISE_SIM_FIDELITY names '%s', which cannot be written\n",
                 path.c_str());
    return;
  }
  std::fputs(record.Json().c_str(), file);
  std::fclose(file);
}

}  // namespace

const char* Name(Fidelity fidelity) {
  constexpr const char* kNames[] = {"exact", "1 ulp", "approximate", "not known"};
  return kNames[static_cast<int>(fidelity)];
}

std::optional<Fidelity> FindFidelity(std::string_view mnemonic, TargetBit target, MatrixMode mode) {
  for (const std::string_view prefix : {"v_mfma_", "v_wmma_", "v_smfmac_", "v_swmmac_"}) {
    if (absl::StartsWith(mnemonic, prefix)) return MatrixFidelity(mnemonic, target, mode);
  }
  if (absl::StartsWith(mnemonic, "v_dot")) return DotFidelity(mnemonic, target);
  if (absl::StartsWith(mnemonic, "v_sin_") || absl::StartsWith(mnemonic, "v_cos_"))
    return Fidelity::kApproximate;
  for (const std::string_view prefix : kOneUlpPrefixes) {
    if (!absl::StartsWith(mnemonic, prefix)) continue;
    return absl::EndsWith(mnemonic, "_f64") ? Fidelity::kApproximate : Fidelity::kOneUlp;
  }
  return std::nullopt;
}

NotKnown FindNotKnown(const Instruction& instruction, TargetBit target) {
  if (IsComparisonThatKeepsOrClears(instruction)) return NotKnown::kYes;
  for (const Open& open : kOpen) {
    if ((open.targets & target) == 0 || !absl::StartsWith(instruction.mnemonic, open.prefix))
      continue;
    if (!absl::EndsWith(instruction.mnemonic, open.suffix)) continue;
    if (open.when == nullptr || open.when(instruction)) return open.as;
  }
  return NotKnown::kNo;
}

bool IsNotKnown(NotKnown not_known, uint32_t mode) {
  // FP_DENORM of f32: denormals are read and not written.
  const bool reads_only = (mode >> 4 & 3) == 1;
  return not_known == NotKnown::kYes || (not_known == NotKnown::kUnderSomeModes && reads_only);
}

FidelityRecord& FidelityRecord::Process() {
  // Never destroyed: it is written at exit.
  static auto* const record = [] {
    if (std::getenv("GRIDWISE_SIM_FIDELITY") != nullptr) std::atexit(&WriteAtExit);
    return new FidelityRecord();
  }();
  return *record;
}

void FidelityRecord::Add(std::string_view mnemonic, const SimTarget& target, Fidelity fidelity,
                         int64_t count) {
  const std::lock_guard lock(mutex_);
  counts_[{std::string(mnemonic), target.gfx, fidelity}] += count;
}

std::string FidelityRecord::Text() const {
  const std::lock_guard lock(mutex_);
  std::string text = "gridwise sim: opcodes whose results may differ from the hardware's\n";
  for (const auto& [key, count] : counts_) {
    const auto& [mnemonic, target, fidelity] = key;
    absl::StrAppendFormat(&text, "%-12s %-8s %-40s %14d\n", Name(fidelity), target, mnemonic,
                          count);
  }
  return text;
}

std::string FidelityRecord::Json() const {
  llvm::json::Array entries;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, count] : counts_) {
      const auto& [mnemonic, target, fidelity] = key;
      entries.push_back(llvm::json::Object{{"opcode", mnemonic},
                                           {"target", target},
                                           {"fidelity", Name(fidelity)},
                                           {"executed", count}});
    }
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::json::Value(std::move(entries)) << "\n";
  return text;
}

}  // namespace gridwise::sim
