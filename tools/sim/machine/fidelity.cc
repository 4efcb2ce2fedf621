#include "tools/sim/machine/fidelity.h"

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

Fidelity MatrixFidelity(std::string_view mnemonic, TargetBit target, MatrixMode mode) {
  if (absl::StrContains(mnemonic, "_i32_")) return Fidelity::kExact;
  // The order of additions is public of gfx942's dense products alone.
  if (target != kGfx942 || absl::StartsWith(mnemonic, "v_smfmac_")) return Fidelity::kApproximate;
  const bool sequential = absl::EndsWith(mnemonic, "_f64") ||
                          (absl::EndsWith(mnemonic, "_f32") && !absl::EndsWith(mnemonic, "xf32"));
  return sequential || mode == MatrixMode::kExact ? Fidelity::kExact : Fidelity::kApproximate;
}

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
  constexpr const char* kNames[] = {"exact", "1 ulp", "approximate"};
  return kNames[static_cast<int>(fidelity)];
}

std::optional<Fidelity> FidelityOf(std::string_view mnemonic, TargetBit target, MatrixMode mode) {
  for (const std::string_view prefix : {"v_mfma_", "v_wmma_", "v_smfmac_", "v_swmmac_"}) {
    if (absl::StartsWith(mnemonic, prefix)) return MatrixFidelity(mnemonic, target, mode);
  }
  if (absl::StartsWith(mnemonic, "v_dot"))
    return absl::StrContains(mnemonic, "_i32_") || absl::StrContains(mnemonic, "_u32_")
               ? Fidelity::kExact
               : Fidelity::kApproximate;
  if (absl::StartsWith(mnemonic, "v_sin_") || absl::StartsWith(mnemonic, "v_cos_"))
    return Fidelity::kApproximate;
  for (const std::string_view prefix : kOneUlpPrefixes) {
    if (!absl::StartsWith(mnemonic, prefix)) continue;
    return absl::EndsWith(mnemonic, "_f64") ? Fidelity::kApproximate : Fidelity::kOneUlp;
  }
  return std::nullopt;
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
