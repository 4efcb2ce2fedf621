#pragma once

#include <cstdint>
#include <optional>

#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"

/// What kernels compute in place of a problem where they load by TMA. Problems are
/// simplified ones, in NHWGC.

namespace gridwise {

/// What TMA loads at once, and where that may begin.
inline constexpr std::int64_t kCopyBytes = 16;
/// Channels that it loads at once. It is slower at filling in zeros than at loading them: what is
/// copied anyway is filled up.
inline constexpr std::int64_t kKTile = 64, kShortKTile = 32;

/// Sub-GEMMs times groups for which a kernel has a map of TMA each. Of more groups,
/// whose channels are no whole k tiles, operands are copied, but where groups are an axis of a map.
inline constexpr int kMaxMapsOfGroups = 9;

/// Whether groups of x, or of y in backward-data, can be an axis of a map: pixels have at most two
/// others, along which a map of so many axes knows only few pixels outside of the tensor.
inline constexpr int kMaxPixelsBesideGroups = 8;  // that a filter reaches over
bool HasAxisOfGroups(const ConvProblem& canonical);

/// Whether kernels load operands of the problem's type by TMA; of f32 those that want
/// parts.
bool HasTma(const ConvProblem& problem, Gfx gfx, Pixels pixels);

/// The type that B is multiplied in: of f32, that of its parts.
DataType TypeOfB(DataType type);
/// Elements of an operand that TMA loads at once, at least.
std::int64_t CopyElements(DataType type);

/// Whether pixels of few channels are copied for TMA.
bool CopiesPixels(Pixels pixels);

/// Patches that are further apart along h than TMA's boxes have steps for: a line of
/// patches is an image. x is the same in memory. In backward-data a line of each is a sub-GEMM.
ConvProblem WithImagesOfPatches(ConvProblem canonical);

/// What is computed where taps are not columns or rows: with more channels of x or y, which are
/// copied, or the problem itself.
ConvProblem WithKTiles(const ConvProblem& canonical);

/// Of f32 in forward and backward-data: groups of few channels that are neighbours, as many as a
/// power of two, become one, so that a k tile of 32 source channels has no zeros but in w, of whose
/// parts those of two different groups of the problem are. Channels stay where they are; the
/// problem itself where that cannot be.
ConvProblem WithMergedGroups(const ConvProblem& canonical);

/// How many neighbouring groups a tile of f32 backward-weight computes together: the largest power
/// of two that divides the groups and has at most 64 channels of x and of dy. The tile multiplies
/// all of them with each other, and stores the products of channels of the same group.
std::int64_t GroupsMultiplied(const ConvProblem& canonical);

/// Elements from one group to the next where groups are copied so that kernels compute several at a
/// time: as many of x as of y, a power of two. 0: they are not.
std::int64_t PowerApart(const ConvProblem& problem);

/// Elements from one group of x or y to the next, where it is copied. In backward-weight, groups,
/// or as many as are multiplied at a time, begin where TMA can load them.
std::int64_t GroupsApart(const ConvProblem& canonical, Tensor tensor, Pixels pixels);

}  // namespace gridwise
