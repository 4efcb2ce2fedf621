// SPDX-License-Identifier: MIT
#include "tools/sim/time/trace/shape.h"

#include <algorithm>
#include <array>
#include <bit>

#include "tools/sim/machine/lds_banks.h"

namespace gridwise::sim::time {
namespace {

/// Bytes of a row of LDS banks at most (gfx950: 64 banks of 4 bytes).
constexpr uint64_t kBankRow = 256;
constexpr int kPlaceBits = 32;  // of a place in a row of banks, or in lines of all tag RAMs

uint64_t KeyOf(uint32_t shape, uint64_t place) { return uint64_t{shape} << kPlaceBits | place; }

void MakeUnique(std::vector<int32_t>& lines) {
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
}

}  // namespace

uint32_t Shapes::Intern(uint64_t lanes, const uint64_t* address, uint32_t bytes, bool writes,
                        uint64_t& base) {
  base = lanes == 0 ? 0 : address[std::countr_zero(lanes)];
  scratch_.bytes = bytes;
  scratch_.writes = writes;
  scratch_.lanes = lanes;
  scratch_.offset.clear();
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1)
    scratch_.offset.push_back(static_cast<int64_t>(address[std::countr_zero(rest)] - base));
  const auto [entry, added] = index_.try_emplace(scratch_, static_cast<uint32_t>(shapes_.size()));
  if (added) shapes_.push_back(&entry->first);
  return entry->second;
}

bool Shapes::Is(const Shape& shape, uint64_t lanes, const uint64_t* address, uint32_t bytes,
                bool writes) {
  if (shape.lanes != lanes || shape.bytes != bytes || shape.writes != writes) return false;
  const uint64_t base = address[std::countr_zero(lanes)];
  if (lanes == ~uint64_t{0}) {  // without branches: most accesses are of all lanes
    uint64_t different = 0;
    for (int lane = 0; lane < kLanes; ++lane)
      different |=
          static_cast<uint64_t>(shape.offset[static_cast<size_t>(lane)]) ^ (address[lane] - base);
    return different == 0;
  }
  size_t next = 0;
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    if (shape.offset[next++] != static_cast<int64_t>(address[std::countr_zero(rest)] - base))
      return false;
  }
  return true;
}

Shapes Shapes::On(const Machine& machine) const {
  Shapes shapes(machine, target_);
  shapes.shapes_ = shapes_;
  return shapes;
}

const MemoryCost& Shapes::MemoryCostOf(uint32_t shape, uint64_t base) {
  const uint64_t place = base % static_cast<uint64_t>(machine_.line_bytes * machine_.tag_banks);
  const auto [entry, added] = memory_.try_emplace(KeyOf(shape, place));
  if (added) entry->second = ComputeMemory(*shapes_[shape], place);
  return entry->second;
}

const LdsCost& Shapes::LdsCostOf(uint32_t shape, uint64_t base) {
  const uint64_t place = base % kBankRow;
  const auto [entry, added] = lds_.try_emplace(KeyOf(shape, place));
  if (added) entry->second = ComputeLds(*shapes_[shape], place);
  return entry->second;
}

/// Lines of the tag RAM that has most of `lines`; a line's lowest bits say which one has it.
double Shapes::OfFullestTagRam(const std::vector<int32_t>& lines, int64_t first_line) const {
  const auto banks = static_cast<int64_t>(machine_.tag_banks);
  int64_t fullest = 0;
  for (int64_t bank = 0; bank < banks; ++bank) {
    fullest =
        std::max<int64_t>(fullest, std::count_if(lines.begin(), lines.end(), [&](int64_t line) {
                            return (line + first_line - bank) % banks == 0;
                          }));
  }
  return static_cast<double>(fullest);
}

// The wave in groups of consecutive lanes; each looks its distinct lines up, each tag RAM some a
// clock, and an idle group takes its clock too. Groups do not share lines.
MemoryCost Shapes::ComputeMemory(const Shape& shape, uint64_t place) const {
  const auto line_bytes = static_cast<int64_t>(machine_.line_bytes);
  const auto base = static_cast<int64_t>(place) % line_bytes;
  const int64_t first_line = static_cast<int64_t>(place) / line_bytes;
  const int group = static_cast<int>(machine_.address_lanes);
  const int lanes = machine_.cdna() || shape.lanes >> 32 != 0 ? kLanes : kLanes / 2;
  MemoryCost cost;
  std::vector<int32_t> of_group;
  size_t next = 0;
  for (int first = 0; first < lanes; first += group) {
    of_group.clear();
    for (int lane = first; lane < first + group; ++lane) {
      if ((shape.lanes >> lane & 1) == 0) continue;
      const int64_t begin = shape.offset[next++] + base;
      // Rounds down for what lies before the first lane, too.
      const auto line_of = [&](int64_t at) {
        return static_cast<int32_t>((at - (at < 0 ? line_bytes - 1 : 0)) / line_bytes);
      };
      const int32_t last = line_of(begin + std::max<int64_t>(shape.bytes, 1) - 1);
      for (int32_t line = line_of(begin); line <= last; ++line) of_group.push_back(line);
    }
    MakeUnique(of_group);
    cost.address_clk +=
        std::max(1.0, OfFullestTagRam(of_group, first_line) / machine_.address_lines);
    cost.lines.insert(cost.lines.end(), of_group.begin(), of_group.end());
  }
  MakeUnique(cost.lines);
  cost.bytes = static_cast<double>(shape.offset.size()) * shape.bytes;
  const double rate = shape.writes ? machine_.l1_write_bytes : machine_.l1_read_bytes;
  cost.address_clk = std::max(cost.address_clk, cost.bytes / rate);
  return cost;
}

LdsCost Shapes::ComputeLds(const Shape& shape, uint64_t base) const {
  std::array<uint32_t, kLanes> offset = {};
  int64_t least = 0;
  for (const int64_t o : shape.offset) least = std::min(least, o);
  size_t next = 0;
  for (uint64_t rest = shape.lanes; rest != 0; rest &= rest - 1)
    offset[static_cast<size_t>(std::countr_zero(rest))] =
        static_cast<uint32_t>(shape.offset[next++] - least);
  // Banks repeat: only the place in a row of them matters.
  const uint64_t lowest = (base + static_cast<uint64_t>(least + (int64_t{1} << 32))) % kBankRow;
  const MemoryAccess access = {.space = AddressSpace::kLds,
                               .bytes = shape.bytes,
                               .reads = !shape.writes,
                               .writes = shape.writes,
                               .base = lowest,
                               .offset = offset.data(),
                               .lanes = shape.lanes};
  LdsCost cost;
  cost.conflicts = BankConflicts(target_, access, 0);
  const double banks = target_ == kGfx950 ? 64 : 32;
  // A lane gets a dword at least: banks and registers have no less.
  const double bytes = static_cast<double>(shape.offset.size()) * std::max(shape.bytes, 4u);
  const double rate = shape.writes ? machine_.lds_write_bytes : machine_.lds_read_bytes;
  // Banks and the way to the registers work side by side. Every SIMD pair of RDNA has banks of its
  // own, as many as CDNA's unit.
  const double moved = std::max(bytes / rate, 1.0);
  const double banked = bytes / (banks * 4) + cost.conflicts * machine_.lds_conflict_clk;
  cost.clk = std::max(moved, banked);
  cost.port_clk = std::max(cost.clk, moved * machine_.lds_ports);
  return cost;
}

}  // namespace gridwise::sim::time
