// SPDX-License-Identifier: MIT
#pragma once

/// Declares the variant of an entry point that programs with -fgpu-default-stream=per-thread call.
/// Work is done when a call returns, so the default stream of a thread and of all are the same.
#define GRIDWISE_PER_THREAD(NAME) decltype(NAME) NAME##_spt __attribute__((alias(#NAME)))
