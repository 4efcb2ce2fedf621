// SPDX-License-Identifier: MIT
/// Fields shared by the configs of several families, see fields.h.
#pragma once

namespace gridwise {

/// Waves per workgroup that multiply, along the rows and the columns of its tile.
struct Waves {
  int m = 0, n = 0;
  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [m, n] = self;
    visit("", m);
    visit("", n);
  }
  bool operator==(const Waves&) const = default;
};

/// How the main loop overlaps loads, LDS and matrix instructions. A family may have only some of
/// them.
enum class Schedule : int {
  kSingle,   ///< one LDS buffer; `count` k tiles are in flight to registers
  kDouble,   ///< two LDS buffers; `count` k tiles are in flight
  kWavelet,  ///< two LDS buffers; `count` waves only load, and the others only multiply
  kDirect,   ///< `count` LDS buffers, which loads fill without passing through registers
};

constexpr const char* Name(Schedule schedule) {
  switch (schedule) {
    case Schedule::kSingle:
      return "single";
    case Schedule::kDouble:
      return "double";
    case Schedule::kWavelet:
      return "wavelet";
    case Schedule::kDirect:
      return "direct";
  }
  return "?";
}

/// Names leave out the default one.
struct Pipeline {
  Schedule schedule = Schedule::kSingle;
  int count = 1;
  static constexpr bool kOmitDefault = true;
  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [schedule, count] = self;
    visit("", schedule);
    visit("", count);
  }
  bool operator==(const Pipeline&) const = default;
};

/// A number or enumerator that names leave out if it is `kDefault`.
template <auto kDefault>
struct Omittable {
  decltype(kDefault) value = kDefault;
  static constexpr bool kOmitDefault = true;
  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [value] = self;
    visit("", value);
  }
  constexpr operator decltype(kDefault)() const { return value; }
  bool operator==(const Omittable&) const = default;
};

}  // namespace gridwise
