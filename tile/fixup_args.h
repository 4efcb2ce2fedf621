// SPDX-License-Identifier: MIT
#pragma once

namespace gridwise::tile {

/// Where workgroups that share the K of a tile join their sums (epilogue/fixup.h).
struct FixupArgs {
  char* workspace = nullptr;  // [tile][wave] words of 8 bytes, and from sums_at on the sums
  unsigned long sums_at = 0;  // bytes
  unsigned long launch = 0;   // a number that neither another launch has, nor the 255 numbers after
                              // it
  int splits = 1;             // 1: there is nothing to join
};

}  // namespace gridwise::tile
