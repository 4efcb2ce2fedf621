// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "flatbuffers/flatbuffers.h"

/// Tables of FlatBuffers by the numbers of their fields, which are all that the format fixes.

namespace gridwise::hipdnn {

/// Where the offset of field `number` is in a table's vtable.
constexpr flatbuffers::voffset_t Field(int number) {
  return static_cast<flatbuffers::voffset_t>(4 + 2 * number);
}

/// A table that has at most `kFields` fields. A field that has its default value is not in a
/// buffer, so that a table which has more says something that this version does not know.
class Table : protected flatbuffers::Table {
 public:
  bool HasMoreThan(int fields) const {
    return flatbuffers::ReadScalar<flatbuffers::voffset_t>(GetVTable()) > Field(fields);
  }

 protected:
  using Numbers = flatbuffers::Vector<std::int64_t>;

  bool VerifyText(flatbuffers::Verifier& verifier, int field) const {
    return VerifyOffset(verifier, Field(field)) && verifier.VerifyString(TextAt(field));
  }
  bool VerifyNumbers(flatbuffers::Verifier& verifier, int field) const {
    return VerifyOffset(verifier, Field(field)) && verifier.VerifyVector(NumbersAt(field));
  }
  template <class T>
  bool VerifyTable(flatbuffers::Verifier& verifier, int field) const {
    return VerifyOffset(verifier, Field(field)) && verifier.VerifyTable(At<T>(field));
  }
  template <class T>
  bool VerifyTables(flatbuffers::Verifier& verifier, int field) const {
    return VerifyOffset(verifier, Field(field)) && verifier.VerifyVector(TablesAt<T>(field)) &&
           verifier.VerifyVectorOfTables(TablesAt<T>(field));
  }
  template <class T>
  bool VerifyScalar(flatbuffers::Verifier& verifier, int field) const {
    return VerifyField<T>(verifier, Field(field), sizeof(T));
  }

  template <class T>
  const T* At(int field) const {
    return GetPointer<const T*>(Field(field));
  }
  template <class T>
  const flatbuffers::Vector<flatbuffers::Offset<T>>* TablesAt(int field) const {
    return At<flatbuffers::Vector<flatbuffers::Offset<T>>>(field);
  }
  const flatbuffers::String* TextAt(int field) const { return At<flatbuffers::String>(field); }
  const Numbers* NumbersAt(int field) const { return At<Numbers>(field); }

  std::string Text(int field) const { return flatbuffers::GetString(TextAt(field)); }
  std::vector<std::int64_t> ReadNumbers(int field) const {
    const Numbers* const numbers = NumbersAt(field);
    return numbers == nullptr ? std::vector<std::int64_t>()
                              : std::vector<std::int64_t>(numbers->begin(), numbers->end());
  }
};

/// A copy of `bytes` at an address at which numbers of any size may be read.
inline std::vector<std::uint8_t> Aligned(std::span<const std::byte> bytes) {
  std::vector<std::uint8_t> copy(bytes.size());
  if (!bytes.empty()) std::memcpy(copy.data(), bytes.data(), bytes.size());
  return copy;
}

/// The root table of a buffer from Aligned(), or null if `buffer` is none.
template <class T>
const T* ReadRoot(const std::vector<std::uint8_t>& buffer) {
  flatbuffers::Verifier verifier(buffer.data(), buffer.size());
  return verifier.VerifyBuffer<T>() ? flatbuffers::GetRoot<T>(buffer.data()) : nullptr;
}

}  // namespace gridwise::hipdnn
