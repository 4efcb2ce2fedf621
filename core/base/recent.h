// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace gridwise {

/// The values of the last few keys. Comparing keys must take less time than making a value.
template <class Key, class Value, std::size_t kKept = 4>
class Recent {
 public:
  /// Returns the value of `key`, or if it is not known, what make() returns. Valid until as many
  /// other keys have been asked for as are kept. A tuple of references may stand for a key of
  /// values, which are copied only if it is not known.
  template <class Known, class Make>
  const Value& Get(const Known& key, Make make) {
    for (std::size_t i = 0; i < kKept; ++i) {  // the key that was asked for last is the likeliest
      const std::size_t at = (last_ + i) % kKept;
      if (!known_[at] || known_[at]->first != key) continue;
      last_ = at;
      return known_[at]->second;
    }
    last_ = next_++ % kKept;
    known_[last_].emplace(key, make());
    return known_[last_]->second;
  }

 private:
  std::array<std::optional<std::pair<Key, Value>>, kKept> known_;
  std::size_t next_ = 0;  // modulo kKept, the oldest
  std::size_t last_ = 0;  // where the key is that was asked for last
};

}  // namespace gridwise
