#pragma once

#include "core/launch/family.h"

namespace gridwise::ck {

/// The classic family with the rows of this folder's <target>.inc. Lives as long as the program.
const KernelFamily& Family();

}  // namespace gridwise::ck
