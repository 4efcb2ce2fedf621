#pragma once

#include <optional>
#include <string_view>

namespace gridwise {

/// The GPU targets. Everything that differs between them is in TraitsOf, and code asks for traits,
/// not for names.
enum class Gfx : int { k942 };

inline constexpr Gfx kAllGfx[] = {Gfx::k942};

/// Facts of a target.
struct TargetTraits {
  const char* name;        // as the compiler spells it
  const char* product;     // a GPU that has it
  int wave_size;           // lanes
  int lds_bytes;           // per workgroup
  int lds_banks;           // 4 bytes each
  int vgprs;               // 32-bit registers per lane, architectural and accumulation together
  int compute_units;       // of `product`
  int simds_per_unit;      //
  double clock_ghz;        // peak engine clock of `product`
  double memory_gb_per_s;  // peak, of `product`
  unsigned buffer_format;  // word 3 of an untyped buffer resource
};

/// Sources: AMD CDNA3 ISA (sections 2 and 9) and the MI300X data sheet.
constexpr TargetTraits TraitsOf(Gfx gfx) {
  switch (gfx) {
    case Gfx::k942:
      return {.name = "gfx942",
              .product = "MI300X",
              .wave_size = 64,
              .lds_bytes = 64 << 10,
              .lds_banks = 32,
              .vgprs = 512,
              .compute_units = 304,
              .simds_per_unit = 4,
              .clock_ghz = 2.1,
              .memory_gb_per_s = 5300,
              .buffer_format = 0x00027000};
  }
  return {};
}

constexpr const char* Name(Gfx gfx) { return TraitsOf(gfx).name; }

/// The target that is called `name`, e.g. "gfx942"; nothing if there is none.
constexpr std::optional<Gfx> ParseGfx(std::string_view name) {
  for (Gfx gfx : kAllGfx) {
    if (name == Name(gfx)) return gfx;
  }
  return std::nullopt;
}

}  // namespace gridwise
