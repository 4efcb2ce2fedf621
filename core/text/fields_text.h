// SPDX-License-Identifier: MIT
/// Names of configs: printed from their fields (see fields.h), and parsed back to the same value.
///
/// Fields are joined by '_' and each follows its tag; the numbers of a nested struct are joined by
/// 'x' and follow an enumerator directly. A part is an integer, a bool (0 or 1), or an enumerator,
/// printed by the function Name() of its type, which gives "?" for values that are not enumerators.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/base/fields.h"

namespace gridwise {
namespace fields_internal {

/// Reads a name from front to back; the first failure sticks.
class NameReader {
 public:
  explicit NameReader(std::string_view text) : text_(text), rest_(text) {}

  bool ok() const { return status_.ok(); }
  /// Consumes `literal`.
  void Expect(std::string_view literal);
  /// Consumes an integer in [low, high].
  int64_t ReadInt(int64_t low, int64_t high);
  /// Consumes the longest of the names name(0) .. name(255) that matches, and returns its index.
  int ReadName(const char* (*name)(int));
  /// OK if everything was consumed and `printed`, the name of the parsed value, is the text.
  absl::Status Finish(std::string_view printed);

 private:
  void Fail(std::string_view expected);

  std::string_view text_, rest_;
  absl::Status status_;
};

/// Whether a part has no separator after it: enumerators within nested structs.
template <typename Part>
constexpr bool JoinsNext(char separator) {
  return separator == 'x' && std::is_enum_v<std::remove_cvref_t<Part>>;
}

template <typename T>
void Append(std::string& text, const T& field, char separator) {
  if constexpr (HasFields<T>) {
    bool first = true;
    ForEachField(field, [&]<typename Part>(const char* tag, const Part& part) {
      if constexpr (OmitsDefault<Part>) {
        if (part == Part{}) return;
      }
      if (!first) text += separator;
      first = JoinsNext<decltype(part)>(separator);
      text += tag;
      Append(text, part, 'x');
    });
  } else if constexpr (std::is_enum_v<T>) {
    text += Name(field);
  } else {
    absl::StrAppend(&text, static_cast<int64_t>(field));
  }
}

template <typename T>
void Read(NameReader& reader, T& field, char separator) {
  if constexpr (HasFields<T>) {
    bool first = true;
    ForEachField(field, [&]<typename Part>(const char* tag, Part& part) {
      const NameReader before = reader;
      if (!first) reader.Expect({&separator, 1});
      reader.Expect(tag);
      Read(reader, part, 'x');
      if constexpr (OmitsDefault<Part>) {
        if (before.ok() && !reader.ok()) {  // it is absent
          reader = before;
          part = Part{};
          return;
        }
      }
      first = JoinsNext<Part>(separator);
    });
  } else if constexpr (std::is_enum_v<T>) {
    field = static_cast<T>(reader.ReadName([](int i) { return Name(static_cast<T>(i)); }));
  } else {
    static_assert(std::is_integral_v<T> && sizeof(T) <= 4,
                  "a field is an integer of up to 32 bits");
    field = static_cast<T>(reader.ReadInt(static_cast<int64_t>(std::numeric_limits<T>::min()),
                                          static_cast<int64_t>(std::numeric_limits<T>::max())));
  }
}

}  // namespace fields_internal

/// The name of `value`. Different values have different names.
template <HasFields T>
std::string PrintFields(const T& value) {
  std::string text;
  fields_internal::Append(text, value, '_');
  return text;
}

/// The value whose name is `text`: PrintFields(*ParseFields<T>(text)) == text. Errors quote the
/// text, the place where it stops being a name, and what is expected there.
template <HasFields T>
absl::StatusOr<T> ParseFields(std::string_view text) {
  fields_internal::NameReader reader(text);
  T value{};
  fields_internal::Read(reader, value, '_');
  if (absl::Status s = reader.Finish(PrintFields(value)); !s.ok()) return s;
  return value;
}

}  // namespace gridwise
