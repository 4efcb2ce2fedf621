// SPDX-License-Identifier: MIT
/// One visitor over the fields of a config, from which its name, parser and other views follow.
/// Device-usable.
///
/// A struct takes part by naming its fields once:
///
///   struct Waves {
///     int m = 1, n = 1;
///     static constexpr void Fields(auto& self, auto&& visit) {
///       auto& [m, n] = self;
///       visit("", m);
///       visit("", n);
///     }
///   };
///   struct Config {
///     DataType type = DataType::kF16;
///     Waves waves;
///     static constexpr void Fields(auto& self, auto&& visit) {
///       auto& [type, waves] = self;
///       visit("", type);
///       visit("w", waves);
///     }
///   };
///
/// The structured binding stops compiling when a field is added, and an unused binding is a
/// warning, so no field can be forgotten. The string is a tag that precedes the field in printed
/// names: Config{} prints as "f16_w1x1" (see fields_text.h).
///
/// A struct with `static constexpr bool kOmitDefault = true` is left out of a name, with its tag
/// and separator, if it has its default value.
#pragma once

#include <type_traits>

namespace gridwise {

/// A struct whose fields can be visited.
template <typename T>
concept HasFields = requires(T& value) { std::remove_const_t<T>::Fields(value, [](auto&&...) {}); };

/// A struct that names leave out if it has its default value.
template <typename T>
concept OmitsDefault = HasFields<T> && T::kOmitDefault;

/// Calls visit(tag, field) for each field of `value`, in order. The fields are const if `value` is.
template <HasFields T, typename Visit>
constexpr void ForEachField(T& value, Visit&& visit) {
  std::remove_const_t<T>::Fields(value, visit);
}

}  // namespace gridwise
