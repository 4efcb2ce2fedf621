// SPDX-License-Identifier: MIT
#pragma once

/// Hopper's instructions that C++ lacks. On the host, tests run functions of the same names.

#if defined(__NVPTX__)
#include "core/arch/hopper/access.h"
#include "core/arch/hopper/barrier.h"
#include "core/arch/hopper/cluster.h"
#include "core/arch/hopper/tma.h"
#include "core/arch/hopper/warp.h"
#else
#include "core/arch/hopper/on_host.h"
#endif
