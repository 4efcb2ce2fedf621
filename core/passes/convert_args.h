// SPDX-License-Identifier: MIT
#pragma once

namespace gridwise {

/// Lanes per workgroup of the converting kernel, and adjacent elements that each lane makes.
inline constexpr int kConvertThreads = 256;
inline constexpr int kConvertElements = 8;

/// Kernel arguments of a copy in another type.
struct ConvertArgs {
  const void* from;
  void* to;
  long elements;
};

}  // namespace gridwise
