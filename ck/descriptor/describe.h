// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "ck/descriptor/descriptor.h"

namespace gridwise::ck {

/// A sentence: "an embedding ends inside of its axis: 14, where the bound is 13". Empty if there is
/// no mistake.
std::string ToString(const Mistake& mistake);

}  // namespace gridwise::ck
