#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace gridwise::sim {

/// Bytes to text, by LLVM's disassembler for one target.
class Decoder {
 public:
  /// `gfx` is a processor name that LLVM knows, "gfx942".
  static absl::StatusOr<std::unique_ptr<Decoder>> Create(std::string_view gfx);
  ~Decoder();

  struct Decoded {
    std::string text;  // "v_add_u32_e32 v0, v1, v2"
    uint32_t bytes = 0;
  };
  /// The instruction at `code`, of which `available` bytes may be read; its address (for
  /// pc-relative text) is `pc`.
  absl::StatusOr<Decoded> Decode(const uint8_t* code, uint64_t available, uint64_t pc);

 private:
  struct Llvm;
  explicit Decoder(std::unique_ptr<Llvm> llvm);
  std::unique_ptr<Llvm> llvm_;
};

}  // namespace gridwise::sim
