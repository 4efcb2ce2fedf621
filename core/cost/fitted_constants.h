// SPDX-License-Identifier: MIT
#pragma once

#include <any>
#include <typeinfo>
#include <vector>

namespace gridwise {

/// Constants of estimates that take the place of the built-in ones: a value of each type that a
/// family fits. Programs that fit constants (//benchmarks:fit) plan with them; all others have
/// none.
class FittedConstants {
 public:
  template <class Fit>
  void Set(const Fit& fit) {
    for (std::any& set : sets_) {
      if (set.type() == typeid(Fit)) {
        set = fit;
        return;
      }
    }
    sets_.emplace_back(fit);
  }

  /// The value of that type; null if there is none. It lives as long as this.
  template <class Fit>
  const Fit* Find() const {
    for (const std::any& set : sets_) {
      if (const Fit* fit = std::any_cast<Fit>(&set)) return fit;
    }
    return nullptr;
  }

 private:
  std::vector<std::any> sets_;
};

}  // namespace gridwise
