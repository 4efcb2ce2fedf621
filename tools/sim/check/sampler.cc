// SPDX-License-Identifier: MIT
#include "tools/sim/check/sampler.h"

#include <cstring>

namespace gridwise::sim {
namespace {

const Uop* Stop(Wave&, const Uop*) { return nullptr; }

/// A copy of what an execution may change.
class Snapshot {
 public:
  Snapshot(const Wave& wave, std::span<const uint16_t> touched) : touched_(touched) {
    std::memcpy(scalars_, wave.s, sizeof(scalars_));
    std::memcpy(state_, &wave.base, sizeof(state_));
    for (const uint16_t reg : touched) {
      if (reg < kFirstVector) continue;
      const uint32_t* row = wave.v[reg - kFirstVector];
      rows_.insert(rows_.end(), row, row + kLanes);
    }
  }
  void Restore(Wave& wave) const {
    std::memcpy(wave.s, scalars_, sizeof(scalars_));
    std::memcpy(static_cast<void*>(&wave.base), state_, sizeof(state_));
    const uint32_t* row = rows_.data();
    for (const uint16_t reg : touched_) {
      if (reg < kFirstVector) continue;
      std::memcpy(wave.v[reg - kFirstVector], row, kRowBytes);
      row += kLanes;
    }
  }

 private:
  std::span<const uint16_t> touched_;
  uint32_t scalars_[kScalarRegisters];
  std::byte state_[sizeof(Wave) - offsetof(Wave, base)];
  std::vector<uint32_t> rows_;
};

uint32_t Hash(uint32_t a, uint32_t b) {
  uint32_t h = a * 0x9e3779b1u + b * 0x85ebca77u + 0x27d4eb2fu;
  h = (h ^ h >> 15) * 0x2c1b3c6du;
  return h ^ h >> 12;
}

/// The values tried for undefined bits of a register: the inverted bits of `value`, noise, all 0,
/// all 1, numbers that are large in every format, and the value of another register, which decides
/// comparisons.
uint32_t FillOf(int fill, uint32_t value, uint32_t other, int reg, int lane) {
  switch (fill) {
    case 0:
      return ~value;
    case 1:
      return Hash(static_cast<uint32_t>(reg), static_cast<uint32_t>(lane));
    case 2:
      return 0;
    case 3:
      return ~0u;
    case 4:
      return 0x7bff7bff;
    case 5:
      return 0xfbfffbff;
    case 6:
      return other;
    default:
      return 0x3c003c00;
  }
}

uint32_t& Register(Wave& wave, int reg, int lane) {
  return reg < kFirstVector ? wave.s[reg] : wave.v[reg - kFirstVector][lane];
}

/// The value of the next of `touched` after number `i`, for the other side of a comparison.
uint32_t Other(Wave& wave, std::span<const uint16_t> touched, size_t i, int lane) {
  for (size_t n = 1; n < touched.size(); ++n) {
    const uint16_t reg = touched[(i + n) % touched.size()];
    if (reg != kExecLo && reg != kExecLo + 1) return Register(wave, reg, lane);
  }
  return 0;
}

struct Filling {
  int fill;
  const uint32_t* constant;  // instead, if it is not null
};

void Fill(Wave& wave, std::span<const uint16_t> touched, const RegisterShadow& shadow,
          const Filling& filling) {
  for (size_t i = 0; i < touched.size(); ++i) {
    const int reg = touched[i];
    for (uint64_t left = shadow.dirty(reg); left != 0; left &= left - 1) {
      const int lane = __builtin_ctzll(left);
      const uint32_t bits = shadow.Bits(reg, lane);
      uint32_t& value = Register(wave, reg, lane);
      const uint32_t with =
          filling.constant != nullptr
              ? *filling.constant
              : FillOf(filling.fill, value, Other(wave, touched, i, lane), reg, lane);
      value = (value & ~bits) | (with & bits);
    }
  }
}

/// False: the instruction cannot be executed.
bool Execute(Wave& wave, const Uop* uop) {
  wave.before = nullptr;
  wave.observe = nullptr;
  wave.ran = nullptr;
  wave.outside_lds = nullptr;
  while (uop != nullptr) uop = uop->exec(wave, uop);
  return wave.state != WaveState::kFaulted;
}

using Values = Sampler::Differences;
Values ReadValues(Wave& wave, std::span<const uint16_t> results) {
  Values values(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i] < kFirstVector) {
      values[i][0] = wave.s[results[i]];
    } else {
      std::memcpy(values[i].data(), wave.v[results[i] - kFirstVector], kRowBytes);
    }
  }
  return values;
}

}  // namespace

std::span<const Uop> FindUops(const Uop* first) {
  size_t count = 0;
  while (first[count].instruction == first->instruction) ++count;
  return {first, count};
}

Sampler::Differences Sampler::Run(Wave& wave, std::span<const Uop> uops,
                                  std::span<const uint16_t> touched,
                                  std::span<const uint16_t> results, const RegisterShadow& shadow,
                                  std::span<const UndefinedByte> memory,
                                  std::span<const uint32_t> others, int fills) {
  std::vector<Uop> alone(uops.begin(), uops.end());
  alone.emplace_back().exec = &Stop;
  const Snapshot before(wave, touched);
  std::vector<std::byte> bytes;
  for (const UndefinedByte& byte : memory) bytes.push_back(*byte.at);
  bool ok = Execute(wave, alone.data());
  const Values actual = ReadValues(wave, results);
  Differences differences(results.size());
  const int runs = fills + static_cast<int>(fills == kForAll ? others.size() : 0);
  for (int run = 0; run < runs && ok; ++run) {
    before.Restore(wave);
    Fill(wave, touched, shadow,
         {run, run < fills ? nullptr : &others[static_cast<size_t>(run - fills)]});
    // Several lanes may load one byte.
    for (size_t i = 0; i < memory.size(); ++i) *memory[i].at = bytes[i] ^ std::byte{memory[i].bits};
    ok = Execute(wave, alone.data());
    for (size_t i = 0; i < memory.size(); ++i) *memory[i].at = bytes[i];
    const Values values = ReadValues(wave, results);
    for (size_t i = 0; i < results.size(); ++i) {
      for (size_t lane = 0; lane < kLanes; ++lane)
        differences[i][lane] |= values[i][lane] ^ actual[i][lane];
    }
  }
  before.Restore(wave);
  if (!ok) differences.clear();
  return differences;
}

}  // namespace gridwise::sim
