// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/base/types.h"
#include "core/conv/problem.h"

/// The problems that kernels with TMA compute in place of the original. Problems are simplified, in
/// NHWGC.

namespace gridwise::hopper {

/// Bytes of the smallest TMA load, and the alignment of its address.
inline constexpr std::int64_t kCopyBytes = 16;
/// Channels that TMA loads at once. TMA is slower at filling in zeros than at loading them, so
/// operands that are copied anyway are filled up.
inline constexpr std::int64_t kKTile = 64, kShortKTile = 32;

/// Maximum of sub-GEMMs times groups for which a kernel has one tensor map each. With more groups
/// whose channels are no whole k tiles, operands are copied, unless groups are an axis of a map.
inline constexpr int kMaxMapsOfGroups = 9;

/// Whether groups of x (of y in backward-data) can be an axis of a map. Pixels then have at most
/// two other axes, and a map of so many axes knows only few pixels outside of the tensor.
inline constexpr int kMaxPixelsBesideGroups = 8;  // pixels that a filter may reach over
bool HasAxisOfGroups(const ConvProblem& canonical);

/// Whether TMA loads operands of the type, in canonical problems; `parts`: f32 too, whose B is in
/// parts.
bool HasTma(DataType type, bool parts);

/// The type in which B is multiplied; for f32, the type of its parts.
DataType TypeOfB(DataType type);
/// Minimum number of elements of an operand that TMA loads at once.
std::int64_t CopyElements(DataType type);

/// Whether the pixels of x, or of y in backward-data, are runs of channels that overlap
/// (WithKTiles).
bool PixelsOverlap(const ConvProblem& problem);
/// Whether TMA loads these runs to the end of their last k tile: into the pixels that follow, or
/// into what memory has after the last run. Only in backward-weight, and not in f32.
bool RunsGoOn(const ConvProblem& problem);

/// The problem to compute if taps are not columns or rows: with more channels of x or y, which are
/// copied, or the problem itself. `gathers`: for gather and weight instances, for which pixels of x
/// in backward-weight, and of y in backward-data of tf32, may be runs that overlap.
ConvProblem WithKTiles(const ConvProblem& canonical, bool gathers);

/// f32, forward and backward-data: merges a power of two of adjacent groups with few channels into
/// one. A k tile of 32 source channels then has zeros only in w, whose parts belong to different
/// groups of the problem. Channels stay in place. Returns the problem itself if that is impossible.
ConvProblem WithMergedGroups(const ConvProblem& canonical);

/// How many adjacent groups a tile of f32 backward-weight computes together: the largest power of
/// two that divides the groups and has at most 64 channels of x and of dy. The tile multiplies all
/// of them with each other, and stores the products of channels of the same group.
std::int64_t GroupsMultiplied(const ConvProblem& canonical);

/// Elements from one group to the next if groups are copied for kernels that compute several at a
/// time: the same for x and y, a power of two. 0: groups are not copied.
std::int64_t PowerApart(const ConvProblem& problem);

/// Elements from one tap of w to the next that TMA requires, or, in backward-data of one group, for
/// which a copy pays since taps then begin at sectors of the cache.
std::int64_t TapsApart(const ConvProblem& canonical);

/// Elements from one copied group of x or y to the next, if not PowerApart. In backward-weight,
/// groups, or the `multiplied` groups that are multiplied at a time, begin where TMA can load them.
std::int64_t GroupsApart(const ConvProblem& canonical, Tensor tensor, std::int64_t multiplied);

}  // namespace gridwise::hopper
