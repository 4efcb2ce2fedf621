// SPDX-License-Identifier: MIT
#include "hopper/operands/tma_operands.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/arch/mma_shape.h"
#include "core/base/math.h"
#include "core/conv/sub_gemms.h"
#include "core/passes/plan_widen.h"
#include "core/rewrite/fold.h"
#include "hopper/fit/fit.h"

namespace gridwise::hopper {
namespace {

/// Whether tensors are packed, in the layouts that copies have.
bool IsPlain(const ConvProblem& canonical) {
  return canonical.layout == Layout::kNHWGC && canonical.weight_layout == WeightLayout::kGKYXC &&
         canonical.strides == decltype(canonical.strides){};
}

/// Whether y of backward-data is copied with a whole k tile of channels: if TMA does not load it,
/// or in tf32, for gather instances, if its last k tile can overlap none before it. TMA would fill
/// up that k tile of y and of all columns of w for each tap, which takes longer than a copy unless
/// there are few taps.
bool FillsKTile(const ConvProblem& canonical, bool gathers) {
  constexpr std::int64_t kFewTaps = 4;
  const std::int64_t product =
      gathers && canonical.type == DataType::kTF32 && canonical.filter_taps() > kFewTaps
          ? WgmmaK(canonical.type)
          : CopyElements(canonical.type);
  return canonical.direction == Direction::kBackwardData && canonical.groups == 1 &&
         canonical.k < kKTile && canonical.k % product != 0 && IsPlain(canonical) &&
         canonical.batch * canonical.out_pixels() < kMaxWidened / kKTile;
}

/// tf32, backward-data of few channels that are copied anyway: the convolution of a copy of y with
/// its padding, in which the pixels that a pixel of dx meets along w, the last tap's first, are one
/// run of channels. Runs overlap, and fill more of their k tiles than the pixels do.
std::optional<ConvProblem> WithRunsOfY(const ConvProblem& canonical) {
  const Dim& w = canonical.dims[2];
  if (canonical.type != DataType::kTF32 || w.filter == 1 || w.stride != 1 || w.dilation != 1 ||
      w.pad_begin >= w.filter) {
    return std::nullopt;
  }
  const std::int64_t pixel = AlignUp<std::int64_t>(canonical.k, WgmmaK(canonical.type));
  const std::int64_t line = (w.in + w.filter - 1) * pixel;
  const std::int64_t slice = canonical.dims[1].out() * line,
                     image = canonical.dims[0].out() * slice;
  if (canonical.batch * image >= kMaxWidened) return std::nullopt;
  ConvProblem runs = canonical;
  runs.k = w.filter * pixel;
  runs.dims[2] = Dim{.in = w.in};
  runs.strides[static_cast<std::size_t>(Tensor::kY)] = {image, slice, line, pixel, runs.k, 1};
  return runs;
}

/// Forward with few channels: the convolution of a copy of x whose pixels are what output pixels
/// see along w, filled up to a k tile of channels. (Overlapping runs of x need no copy, see Fold,
/// but end within a k tile.) Returns nullopt if it cannot be folded or is too large.
std::optional<ConvProblem> WithRuns(const ConvProblem& canonical) {
  if (!Fold(canonical)) return std::nullopt;
  const Dim& w = canonical.dims[2];
  ConvProblem runs = canonical;
  runs.layout = Layout::kNHWGC;
  runs.weight_layout = WeightLayout::kGKYXC;
  runs.c =
      AlignUp(canonical.c * w.filter, canonical.c * w.filter > kShortKTile ? kKTile : kShortKTile);
  runs.dims[2] = Dim{.in = w.out()};
  if (runs.AxesOf(Tensor::kX).Elements() >= kMaxWidened) return std::nullopt;
  return runs;
}

/// Whether runs of x (WithRunsOfWeight) pay, whose pixels overlap in the copy: cycles of all blocks
/// of columns, as taps and as runs, and of the copy. A block takes as long as TMA takes for its
/// line (longer, by `filled_x` of hopper/fit/fit.h, if it is filled up), or as its products with
/// the rows of dw: six of f32's parts for one, and tf32's at half the rate. The other costs are
/// rough ones of an H200.
bool RunsPay(const ConvProblem& canonical, std::int64_t copied) {
  constexpr double kUnits = 132, kLine = 3, kFilled = 5.5, kPairsOfCycle = 2048 * 0.7;
  constexpr double kCopy = 8000, kCopiedOfCycle = 375;
  const std::int64_t block = canonical.type == DataType::kTF32 ? kShortKTile : kKTile;
  const std::int64_t taps = canonical.dims[2].filter, c = canonical.c;
  const auto lines = static_cast<double>(canonical.filter_taps() / taps);
  const auto as_taps = static_cast<double>(taps * CeilDiv(c, block));
  const auto as_runs = static_cast<double>(CeilDiv(taps * c, block));
  const double products = canonical.type == DataType::kF32    ? 6
                          : canonical.type == DataType::kTF32 ? 2
                                                              : 1;
  const double matrix = static_cast<double>(block * AlignUp(canonical.k, kKTile)) * products;
  const double filled = c % block == 0 ? 0 : kFilled / static_cast<double>(CeilDiv(c, block));
  const double of_tap = std::max(kLine + filled, matrix / kPairsOfCycle);
  const double of_run = std::max(kLine, matrix / kPairsOfCycle);
  const auto pixels = static_cast<double>(canonical.batch * canonical.out_pixels());
  return pixels * lines * (as_taps * of_tap - as_runs * of_run) / kUnits >
         kCopy + static_cast<double>(copied) / kCopiedOfCycle;
}

/// Backward-weight with few channels and many taps: what pixels of dy see of x along w, as the
/// channels of one pixel, so that dw has as many channels as a filter line in memory. With fewer
/// taps, halo instances take less time.
///
/// If TMA loads the channels of x, these runs lie in a copy of x with its padding, where pixels
/// overlap. A run there goes on to the end of a k tile, in pixels that follow: nothing is filled
/// up, and the columns of dw that do not exist are not stored. Otherwise the copy has all pixels of
/// all runs, only as far apart as TMA requires.
std::optional<ConvProblem> WithRunsOfWeight(const ConvProblem& canonical, bool may_overlap) {
  constexpr std::int64_t kManyTaps = 9, kTapsOfHalo = 3;
  const std::int64_t least = CopyElements(canonical.type);
  const Dim& w = canonical.dims[2];
  const bool overlap =
      may_overlap && canonical.c % least == 0 && w.stride < w.filter && w.filter > kTapsOfHalo;
  if (canonical.direction != Direction::kBackwardWeight || canonical.groups != 1 || w.filter == 1 ||
      w.dilation != 1 || (!overlap && canonical.c >= least) ||
      canonical.filter_taps() <= kManyTaps || !IsPlain(canonical) ||
      canonical.epilogue.tensors > 0) {
    return std::nullopt;
  }
  ConvProblem runs = canonical;
  runs.c = canonical.c * w.filter;
  runs.dims[2] = Dim{.in = w.out()};
  const std::int64_t pixel = overlap ? w.stride * canonical.c : AlignUp(runs.c, least);
  const std::int64_t last = overlap ? AlignUp(AlignUp(runs.c, kKTile), pixel) : pixel;
  const std::int64_t line = (w.out() - 1) * pixel + last;
  const std::int64_t slice = canonical.dims[1].in * line, image = canonical.dims[0].in * slice;
  if (canonical.batch * image >= kMaxWidened) return std::nullopt;
  if (overlap && !RunsPay(canonical, canonical.batch * image)) return std::nullopt;
  runs.strides[static_cast<std::size_t>(Tensor::kX)] = {image, slice, line, pixel, runs.c, 1};
  return runs;
}

constexpr std::int64_t kSectorElements = 16;  // of 16 bits, in a sector of the cache

/// Rough cycles of a pass that copies, on an H200. (PassCycles needs the device's facts, which
/// forms do not have.)
double CopyCycles(std::int64_t elements) {
  constexpr double kLaunch = 4000, kElementsOfCycle = 400;
  return kLaunch + static_cast<double>(elements) / kElementsOfCycle;
}

/// Rough cycles that are lost on an H200 because `within` of the lines begin within sectors. There
/// are `others` besides, and products of `pairs` of elements hide a part of the loads.
double LongerCycles(double within, double others, double pairs) {
  constexpr double kUnits = 132, kPairsOfCycle = 2048 * 0.75;
  constexpr Fit kFit;
  const double products = pairs / kPairsOfCycle, aligned = (within + others) * kFit.line;
  const double loads = aligned + within * kFit.unaligned_line;
  return (std::max(loads, products) - std::max(aligned, products)) / kUnits;
}

/// The k tiles of all rows of gather instances, for which a line of A each is loaded.
double KTilesOfRows(const ConvProblem& canonical, std::int64_t channels) {
  return static_cast<double>(canonical.batch * canonical.out_pixels() * canonical.filter_taps() *
                             CeilDiv(channels, kKTile));
}

/// Whether gather instances compute `whole`, whose operands are copies with whole sectors, in less
/// time. One launch makes both copies.
bool SectorsPay(const ConvProblem& canonical, const ConvProblem& whole) {
  constexpr double kRows = 128, kColumns = 256;
  const bool forward = canonical.direction == Direction::kForward;
  // Of 49 training problems in backward-data, the 24 whose gain by this estimate is less than 1.3
  // times the cost took 4 % longer with copies.
  const double min_gain = forward ? 1 : 1.3;
  const auto columns = static_cast<double>(forward ? canonical.k : canonical.c);
  const double rows = KTilesOfRows(canonical, forward ? whole.c : whole.k);
  const double lines = rows * (std::ceil(columns / kColumns) + columns / kRows);
  return LongerCycles(lines, 0, rows * kKTile * columns) >
         min_gain * CopyCycles(whole.a_elements() + whole.w_elements());
}

/// 16-bit types, for gather instances: the convolution of a copy of x (in backward-data, of y) with
/// as many more channels as make pixels multiples of a sector. The last k tile can then overlap the
/// one before in whole products. Returns nullopt if that does not pay. (If TMA cannot load the
/// pixels, they are copied anyway.)
std::optional<ConvProblem> WithWholeSectors(const ConvProblem& canonical) {
  const bool forward = canonical.direction == Direction::kForward;
  const std::int64_t channels = forward ? canonical.c : canonical.k;
  if (SizeOf(canonical.type) != 2 || canonical.direction == Direction::kBackwardWeight ||
      canonical.groups != 1 || channels < kKTile || channels % kSectorElements == 0 ||
      !IsPlain(canonical)) {
    return std::nullopt;
  }
  ConvProblem whole = canonical;
  (forward ? whole.c : whole.k) = AlignUp(channels, kSectorElements);
  if (whole.a_elements() >= kMaxWidened) return std::nullopt;
  const bool is_copied = channels % CopyElements(canonical.type) != 0;
  if (!is_copied && !SectorsPay(canonical, whole)) return std::nullopt;
  return whole;
}

/// Whether kernels compute several groups at a time without a copy.
bool AreSeveral(const ConvProblem& problem) {
  const std::int64_t c = problem.c_per_group(), k = problem.k_per_group();
  return c == k && c <= kKTile && (c & (c - 1)) == 0;
}

/// The channels of y that it is copied with. In tf32, the last k tile of gather instances overlaps
/// the one before in whole products, if there is one.
std::int64_t FilledChannels(const ConvProblem& canonical, bool gathers) {
  if (canonical.type != DataType::kTF32) return kKTile;
  const bool is_one = gathers && canonical.k <= kShortKTile;
  return AlignUp<std::int64_t>(canonical.k, is_one ? kShortKTile : WgmmaK(canonical.type));
}

/// The channels of a group's operand that gather instances use: whole k tiles; for i8, the existing
/// ones.
std::int64_t WholeChannels(DataType type, std::int64_t channels) {
  if (type == DataType::kI8) return AlignUp(channels, kCopyBytes);
  if (SizeOf(type) == 4) return AlignUp(channels, kShortKTile);
  return AlignUp(channels, channels > kShortKTile ? kKTile : kShortKTile);
}

/// Whether TMA loads groups of x (in backward-data, of y and lines of w) as fast as copies that are
/// filled up. It is slow at groups that begin within a sector of the cache; copies pay if much is
/// loaded several times.
bool GroupsAreLoaded(const ConvProblem& canonical) {
  constexpr std::int64_t kSectorBytes = 32, kSeveralTimes = 4;
  const bool forward = canonical.direction == Direction::kForward;
  const std::int64_t much = forward ? 500'000 : 800'000;  // w is copied as well
  const std::int64_t bytes = SizeOf(canonical.type);
  const std::int64_t channels = forward ? canonical.c_per_group() : canonical.k_per_group();
  const std::int64_t least = CopyElements(canonical.type);
  if (channels % least != 0) return false;
  if (!forward && canonical.c_per_group() % least != 0) return false;
  const std::int64_t pixels = forward ? canonical.in_pixels() : canonical.out_pixels();
  const std::int64_t loads = canonical.out_pixels() * canonical.filter_taps();
  const std::int64_t lines = canonical.batch * loads * canonical.groups * CeilDiv(channels, kKTile);
  return channels * bytes % kSectorBytes == 0 || loads < kSeveralTimes * pixels || lines < much;
}

/// For many groups: those of x (in backward-data, of y) filled up to WholeChannels, except for
/// groups that are computed several at a time. Returns nullopt if they are not filled up.
std::optional<ConvProblem> WithWholeGroups(const ConvProblem& canonical) {
  const std::int64_t c = canonical.c_per_group(), k = canonical.k_per_group();
  const bool has_maps = canonical.type != DataType::kI8 && GroupsAreLoaded(canonical) &&
                        (SubGemmCount(canonical) * canonical.groups <= kMaxMapsOfGroups ||
                         HasAxisOfGroups(canonical));
  if (canonical.direction == Direction::kBackwardWeight || canonical.groups == 1 ||
      AreSeveral(canonical) || has_maps || !IsPlain(canonical)) {
    return std::nullopt;
  }
  ConvProblem whole = canonical;
  const bool forward = canonical.direction == Direction::kForward;
  (forward ? whole.c : whole.k) = canonical.groups * WholeChannels(canonical.type, forward ? c : k);
  if (whole == canonical || whole.a_elements() >= kMaxWidened) return std::nullopt;
  return whole;
}

}  // namespace

bool HasAxisOfGroups(const ConvProblem& canonical) {
  const auto is_near = [](const Dim& dim) {
    return dim.dilated_filter() <= kMaxPixelsBesideGroups && dim.stride <= kMaxPixelsBesideGroups &&
           std::max(dim.pad_begin, dim.pad_end) < kMaxPixelsBesideGroups;
  };
  return canonical.dims[0] == Dim{} && is_near(canonical.dims[1]) && is_near(canonical.dims[2]);
}

bool HasTma(DataType type, bool parts) {
  if (type == DataType::kF32) return parts;
  return SizeOf(type) == 2 || type == DataType::kI8 || type == DataType::kTF32;
}

DataType TypeOfB(DataType type) { return type == DataType::kF32 ? DataType::kBF16 : type; }

std::int64_t CopyElements(DataType type) { return kCopyBytes / SizeOf(TypeOfB(type)); }

bool PixelsOverlap(const ConvProblem& problem) {
  if (problem.groups != 1) return false;
  const bool of_y = problem.direction == Direction::kBackwardData;
  const TensorAxes source = problem.AxesOf(of_y ? Tensor::kY : Tensor::kX);
  return source.size[3] > 1 && source.stride[3] < source.size[5];
}

bool RunsGoOn(const ConvProblem& problem) {
  return problem.direction == Direction::kBackwardWeight && PixelsOverlap(problem) &&
         problem.type != DataType::kF32;
}

ConvProblem WithKTiles(const ConvProblem& canonical, bool gathers) {
  ConvProblem deeper = canonical;
  if (FillsKTile(canonical, gathers)) {
    const std::optional<ConvProblem> of_y = gathers ? WithRunsOfY(canonical) : std::nullopt;
    if (of_y) return *of_y;
    deeper.k = FilledChannels(canonical, gathers);
  } else if (const std::optional<ConvProblem> whole = WithWholeGroups(canonical)) {
    deeper = *whole;
  } else if (const std::optional<ConvProblem> runs = WithRuns(canonical)) {
    deeper = *runs;
  } else if (const std::optional<ConvProblem> of_weight =
                 WithRunsOfWeight(canonical, /*may_overlap=*/gathers)) {
    deeper = *of_weight;
  } else if (const std::optional<ConvProblem> sectors =
                 gathers ? WithWholeSectors(canonical) : std::nullopt) {
    deeper = *sectors;
  }
  return deeper;
}

std::int64_t TapsApart(const ConvProblem& canonical) {
  const std::int64_t c = canonical.c_per_group();
  const std::int64_t least = AlignUp(c, CopyElements(canonical.type));
  if (SizeOf(canonical.type) != 2 || canonical.direction != Direction::kBackwardData ||
      canonical.groups != 1 || c <= kKTile || c % kSectorElements == 0) {
    return least;
  }
  // Of 186 training problems, those that gain less by this estimate take longer.
  constexpr double kMinGain = 2.5;
  // Tiles of 128 rows and 192 columns load 64 columns of a source channel at a time.
  const double rows = KTilesOfRows(canonical, canonical.k);
  const double of_a = rows * static_cast<double>(CeilDiv<std::int64_t>(c, 192));
  const double of_b = rows * static_cast<double>(CeilDiv(c, kKTile)) * kKTile / 128;
  const double longer = LongerCycles(of_b, of_a, rows * static_cast<double>(kKTile * c));
  const bool pays = least != c || longer > kMinGain * CopyCycles(canonical.w_elements());
  return pays ? AlignUp(c, kSectorElements) : least;
}

ConvProblem WithMergedGroups(const ConvProblem& canonical) {
  const bool forward = canonical.direction == Direction::kForward;
  if (canonical.direction == Direction::kBackwardWeight || !IsPlain(canonical)) return canonical;
  const TensorAxes out = canonical.AxesOf(canonical.out());
  for (int i = 0; i < canonical.epilogue.tensors; ++i) {  // channels of all groups are adjacent
    const PerAxis& stride = canonical.epilogue.d[static_cast<std::size_t>(i)].stride;
    if (stride[4] != out.size[5] * stride[5]) return canonical;
  }
  const std::int64_t c = canonical.c_per_group(), k = canonical.k_per_group();
  const std::int64_t sources = forward ? c : k, others = forward ? k : c;
  std::int64_t merged = 1;
  while (2 * merged * sources <= kShortKTile && 2 * merged * others <= kKTile &&
         canonical.groups % (2 * merged) == 0) {
    merged *= 2;
  }
  const std::int64_t least = CopyElements(canonical.type);
  if (merged * c % least != 0 || merged * k % least != 0) return canonical;
  ConvProblem problem = canonical;
  problem.groups /= merged;
  for (EpilogueTensor& tensor : problem.epilogue.d) tensor.stride[4] *= merged;
  return problem;
}

std::int64_t GroupsMultiplied(const ConvProblem& canonical) {
  const std::int64_t most = std::max(canonical.c_per_group(), canonical.k_per_group());
  std::int64_t groups = 1;
  while (2 * groups * most <= kKTile && canonical.groups % (2 * groups) == 0) groups *= 2;
  return groups;
}

std::int64_t PowerApart(const ConvProblem& problem) {
  const std::int64_t most = std::max(problem.c_per_group(), problem.k_per_group());
  if (problem.groups == 1 || AreSeveral(problem)) return 0;
  auto apart = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(most)));
  // Pixels must also be multiples of what TMA loads.
  while (problem.groups * apart % CopyElements(problem.type) != 0) apart *= 2;
  // At most a line of 128 bytes in shared memory.
  return apart <= (problem.type == DataType::kTF32 ? kShortKTile : kKTile) ? apart : 0;
}

std::int64_t GroupsApart(const ConvProblem& canonical, Tensor tensor, std::int64_t multiplied) {
  const std::int64_t channels = canonical.AxesOf(tensor).size[5],
                     least = CopyElements(canonical.type);
  const bool begins_aligned = multiplied * canonical.c_per_group() % least == 0 &&
                              multiplied * canonical.k_per_group() % least == 0;
  const bool is_loaded = canonical.direction != Direction::kBackwardWeight ||
                         canonical.groups == 1 || AreSeveral(canonical) || begins_aligned;
  return is_loaded ? channels : AlignUp(channels, least);
}

}  // namespace gridwise::hopper
