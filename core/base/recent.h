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
  /// other keys have been asked for as are kept.
  template <class Make>
  const Value& Get(const Key& key, Make make) {
    for (const std::optional<std::pair<Key, Value>>& known : known_) {
      if (known && known->first == key) return known->second;
    }
    std::optional<std::pair<Key, Value>>& oldest = known_[next_++ % kKept];
    oldest.emplace(key, make());
    return oldest->second;
  }

 private:
  std::array<std::optional<std::pair<Key, Value>>, kKept> known_;
  std::size_t next_ = 0;
};

}  // namespace gridwise
