// SPDX-License-Identifier: MIT
#include "core/launch/kernel_needs.h"

#include <elf.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/arch/device_facts.h"

namespace gridwise {
namespace {

/// A file's structures; beyond its end they read as zeros.
class Elf {
 public:
  explicit Elf(std::string_view bytes) : bytes_(bytes), header_(At<Elf64_Ehdr>(0)) {}

  template <class T>
  T At(std::uint64_t offset) const {
    T value = {};
    if (offset < bytes_.size() && bytes_.size() - offset >= sizeof(T))
      std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

  /// The file offset of the dynamic symbol `name`.
  std::optional<std::uint64_t> Find(std::string_view name) const {
    for (std::uint64_t i = 0; i < header_.e_shnum; ++i) {
      const Elf64_Shdr section = Section(i);
      if (section.sh_type != SHT_DYNSYM) continue;
      const std::uint64_t names = Section(section.sh_link).sh_offset;
      const std::uint64_t symbols =
          std::min<std::uint64_t>(section.sh_size, bytes_.size()) / sizeof(Elf64_Sym);
      for (std::uint64_t k = 0; k < symbols; ++k) {
        const auto symbol = At<Elf64_Sym>(section.sh_offset + k * sizeof(Elf64_Sym));
        if (!IsNamed(names + symbol.st_name, name)) continue;
        const Elf64_Shdr of = Section(symbol.st_shndx);
        return of.sh_offset + symbol.st_value - of.sh_addr;
      }
    }
    return std::nullopt;
  }

 private:
  Elf64_Shdr Section(std::uint64_t number) const {
    return At<Elf64_Shdr>(header_.e_shoff + number * sizeof(Elf64_Shdr));
  }
  bool IsNamed(std::uint64_t offset, std::string_view name) const {
    return offset < bytes_.size() && absl::StartsWith(bytes_.substr(offset), name) &&
           At<char>(offset + name.size()) == 0;
  }

  std::string_view bytes_;
  Elf64_Ehdr header_;
};

/// The file offset of a kernel's descriptor in an AMD code object.
std::optional<std::uint64_t> FindDescriptor(std::string_view object, std::string_view symbol) {
  if (!absl::StartsWith(object, ELFMAG) || object.size() <= EI_CLASS ||
      object[EI_CLASS] != ELFCLASS64) {
    return std::nullopt;
  }
  return Elf(object).Find(absl::StrCat(symbol, ".kd"));
}

}  // namespace

bool HasKernel(std::string_view object, std::string_view symbol) {
  if (absl::StartsWith(object, ELFMAG)) return FindDescriptor(object, symbol).has_value();
  return absl::StrContains(object, absl::StrCat(".entry ", symbol, "("));
}

KernelNeeds ReadKernelNeeds(std::string_view object, std::string_view symbol) {
  constexpr std::size_t kBytes = 64, kRegisters = 48, kLds = 0;  // of the descriptor
  constexpr std::uint32_t kGranules = 0x3f;                      // less 1, of 8 registers
  const std::optional<std::uint64_t> descriptor = FindDescriptor(object, symbol);
  if (!descriptor || *descriptor > object.size() || object.size() - *descriptor < kBytes) return {};
  const Elf elf(object);
  const auto granules = elf.At<std::uint32_t>(*descriptor + kRegisters) & kGranules;
  return {.registers = 8 * (static_cast<int>(granules) + 1),
          .lds_bytes = static_cast<int>(elf.At<std::uint32_t>(*descriptor + kLds))};
}

double ResidentWorkgroups(const DeviceFacts& device, const KernelNeeds& needs, int waves) {
  const MachineFacts& machine = device.machine;
  const TargetTraits target = TraitsOf(device.gfx);
  const auto rounded = [](double value, double granule) {
    return std::ceil(value / granule) * granule;
  };
  const double of_simd =
      std::min(machine.waves_of_simd,
               std::floor(machine.registers_of_simd /
                          rounded(std::max(needs.registers, 1), machine.register_granule)));
  const double by_registers = std::floor(of_simd * target.simds_per_unit / std::max(waves, 1));
  const double by_lds =
      needs.lds_bytes == 0
          ? by_registers
          : std::floor(target.unit_lds_bytes / rounded(needs.lds_bytes, machine.lds_granule));
  return std::max(1.0, std::min(by_registers, by_lds));
}

}  // namespace gridwise
