// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/memory/pool.h"

namespace gridwise::sim {

/// The pool of a handle; nullptr if it is not live.
std::shared_ptr<ihipMemPoolHandle_t> FindPool(hipMemPool_t pool);

}  // namespace gridwise::sim
