#include "core/launch/kernel_needs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/arch/machine_facts.h"

namespace gridwise {
namespace {

// ELF-64 Object File Format, version 1.5: offsets within the file's header, a section's and a
// symbol's.
constexpr std::size_t kSections = 0x28, kSectionCount = 0x3c, kSectionBytes = 64;
constexpr std::size_t kSectionType = 4, kSectionAddress = 16, kSectionOffset = 24;
constexpr std::size_t kSectionSize = 32, kSectionLink = 40;
constexpr std::uint32_t kDynamicSymbols = 11;
constexpr std::size_t kSymbolBytes = 24, kSymbolSection = 6, kSymbolAddress = 8;

/// A file's fields, of which none lies beyond its end.
class Elf {
 public:
  explicit Elf(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T At(std::uint64_t offset) const {
    T value = {};
    if (offset < bytes_.size() && bytes_.size() - offset >= sizeof(T))
      std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

  /// Where the section's header is.
  std::uint64_t Section(std::uint64_t number) const {
    return At<std::uint64_t>(kSections) + number * kSectionBytes;
  }

  /// Where what the dynamic symbol `name` names is in the file.
  std::optional<std::uint64_t> Find(std::string_view name) const {
    for (std::uint64_t i = 0; i < At<std::uint16_t>(kSectionCount); ++i) {
      const std::uint64_t section = Section(i);
      if (At<std::uint32_t>(section + kSectionType) != kDynamicSymbols) continue;
      const auto first = At<std::uint64_t>(section + kSectionOffset);
      const auto names =
          At<std::uint64_t>(Section(At<std::uint32_t>(section + kSectionLink)) + kSectionOffset);
      const auto size =
          std::min<std::uint64_t>(At<std::uint64_t>(section + kSectionSize), bytes_.size());
      for (std::uint64_t at = first; at + kSymbolBytes <= first + size; at += kSymbolBytes) {
        if (!IsNamed(names + At<std::uint32_t>(at), name)) continue;
        const std::uint64_t of = Section(At<std::uint16_t>(at + kSymbolSection));
        return At<std::uint64_t>(of + kSectionOffset) + At<std::uint64_t>(at + kSymbolAddress) -
               At<std::uint64_t>(of + kSectionAddress);
      }
    }
    return std::nullopt;
  }

 private:
  bool IsNamed(std::uint64_t offset, std::string_view name) const {
    return offset < bytes_.size() && absl::StartsWith(bytes_.substr(offset), name) &&
           At<char>(offset + name.size()) == 0;
  }

  std::string_view bytes_;
};

}  // namespace

KernelNeeds NeedsOf(std::string_view object, std::string_view symbol) {
  constexpr std::size_t kBytes = 64, kRegisters = 48, kLds = 0;  // of the descriptor
  constexpr std::uint32_t kGranules = 0x3f;                      // less 1, of 8 registers
  if (!absl::StartsWith(object,
                        "\x7f"
                        "ELF\x02"))
    return {};
  const Elf elf(object);
  const std::optional<std::uint64_t> descriptor = elf.Find(absl::StrCat(symbol, ".kd"));
  if (!descriptor || *descriptor > object.size() || object.size() - *descriptor < kBytes) return {};
  const auto granules = elf.At<std::uint32_t>(*descriptor + kRegisters) & kGranules;
  return {.registers = 8 * (static_cast<int>(granules) + 1),
          .lds_bytes = static_cast<int>(elf.At<std::uint32_t>(*descriptor + kLds))};
}

double ResidentWorkgroups(const DeviceFacts& device, const KernelNeeds& needs, int waves) {
  const MachineFacts machine = MachineFactsOf(device.gfx);
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
