/// What the configs of several families are made of, see fields.h.
#pragma once

namespace gridwise {

/// Waves of a workgroup that multiply, along the rows and the columns of its tile.
struct Waves {
  int m = 0, n = 0;
  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [m, n] = self;
    visit("", m);
    visit("", n);
  }
  bool operator==(const Waves&) const = default;
};

/// How loads, LDS and matrix instructions take turns in the main loop. A family may have some of
/// them alone.
enum class Schedule : int {
  kSingle,   ///< one LDS buffer; `count` k tiles are on their way into registers
  kDouble,   ///< two LDS buffers; `count` k tiles are on their way
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

/// Names leave out the plain one.
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

/// A number or enumerator that names leave out where it is `kDefault`.
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
