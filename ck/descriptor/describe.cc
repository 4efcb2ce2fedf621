// SPDX-License-Identifier: MIT
#include "ck/descriptor/describe.h"

#include <string>

#include "absl/strings/str_format.h"
#include "ck/descriptor/descriptor.h"

namespace gridwise::ck {

std::string ToString(const Mistake& mistake) {
  if (mistake.rule == nullptr) return "";
  return absl::StrFormat("%s: %d, where the bound is %d", mistake.rule, mistake.number,
                         mistake.bound);
}

}  // namespace gridwise::ck
