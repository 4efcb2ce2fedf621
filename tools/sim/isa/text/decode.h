// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {

/// Scalar and vector registers in one numbering: scalar ones as in ScalarRegister, row r of the
/// vector file (AGPRs from kAgprBase) as kFirstVector + r.
inline constexpr int kFirstVector = 256;
inline constexpr int kAllRegisters = kFirstVector + kVectorRegisters;

/// The registers that an instruction reads and writes, those that its encoding implies (EXEC, VCC,
/// SCC, M0) included, as LLVM's instruction tables have them.
struct RegisterUses {
  std::vector<uint16_t> reads, writes;
};

/// Bytes to text, by LLVM's disassembler for one target.
class Decoder {
 public:
  /// `gfx` is a processor name that LLVM knows, "gfx942". RDNA's code is for waves of 32 or of 64
  /// lanes; `wave_size` 0 is the target's usual one.
  static absl::StatusOr<std::unique_ptr<Decoder>> Create(std::string_view gfx, int wave_size = 0);
  ~Decoder();

  struct Decoded {
    std::string text;  // "v_add_u32_e32 v0, v1, v2"
    uint32_t bytes = 0;
  };
  /// The instruction at `code`, of which `available` bytes may be read; its address (for
  /// pc-relative text) is `pc`.
  /// `uses`, if it is not null, is filled in as well.
  absl::StatusOr<Decoded> Decode(const uint8_t* code, uint64_t available, uint64_t pc,
                                 RegisterUses* uses = nullptr);

 private:
  struct Llvm;
  explicit Decoder(std::unique_ptr<Llvm> llvm);
  std::unique_ptr<Llvm> llvm_;
};

}  // namespace gridwise::sim
