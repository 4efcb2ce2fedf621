// SPDX-License-Identifier: MIT
#pragma once

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

/// Ends the program with a sentence when a HIP call fails.
#define CHECK_HIP(CALL)                                                  \
  do {                                                                   \
    const hipError_t check_hip_error = (CALL);                           \
    if (check_hip_error != hipSuccess) {                                 \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #CALL, \
                   hipGetErrorString(check_hip_error));                  \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

/// Ends the program when something is not as it should be.
#define CHECK(CONDITION)                                                            \
  do {                                                                              \
    if (!(CONDITION)) {                                                             \
      std::fprintf(stderr, "%s:%d: %s is false\n", __FILE__, __LINE__, #CONDITION); \
      std::exit(1);                                                                 \
    }                                                                               \
  } while (false)
