#include "core/passes/copy_engine.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "core/base/math.h"
#include "core/conv/sub_gemms.h"
#include "core/passes/plan_widen.h"
#include "core/rewrite/fold.h"

namespace gridwise {
namespace {

/// Whether tensors are packed, in the layouts that copies are made of.
bool IsPlain(const ConvProblem& simple) {
  return simple.layout == Layout::kNHWGC && simple.weight_layout == WeightLayout::kGKYXC &&
         simple.strides == decltype(simple.strides){};
}

/// Whether y of backward-data is copied with a whole slab of channels.
bool FillsSlab(const ConvProblem& simple) {
  return simple.direction == Direction::kBackwardData && simple.groups == 1 && simple.k < kSlab &&
         simple.k % CopyElements(simple.type) != 0 && IsPlain(simple) &&
         simple.batch * simple.out_cells() < kMostWidened / kSlab;
}

/// Of forward of few channels: the convolution of a copy of x whose cells are what output cells see
/// along w, filled up to a slab of channels. (Runs of x that overlap need no copy, see Fold, but
/// end within a slab.) Nothing if it cannot be folded or is too large.
std::optional<ConvProblem> WithRuns(const ConvProblem& simple) {
  if (!Fold(simple)) return std::nullopt;
  const Dim& w = simple.dims[2];
  ConvProblem runs = simple;
  runs.layout = Layout::kNHWGC;
  runs.weight_layout = WeightLayout::kGKYXC;
  runs.c = AlignUp(simple.c * w.filter, simple.c * w.filter > kShortSlab ? kSlab : kShortSlab);
  runs.dims[2] = Dim{.in = w.out()};
  if (runs.AxesOf(Tensor::kX).Elements() >= kMostWidened) return std::nullopt;
  return runs;
}

/// Of backward-weight of few channels and many taps: the same copy of x, whose cells are only as
/// far apart as the copy engine wants them, so that dw has as many channels as a filter line in
/// memory.
std::optional<ConvProblem> WithRunsOfWeight(const ConvProblem& simple) {
  constexpr std::int64_t kManyTaps = 9;
  const std::int64_t least = CopyElements(simple.type);
  const Dim& w = simple.dims[2];
  if (simple.direction != Direction::kBackwardWeight || simple.groups != 1 || w.filter == 1 ||
      w.dilation != 1 || simple.c >= least || simple.filter_taps() <= kManyTaps ||
      !IsPlain(simple) || simple.epilogue.tensors > 0) {
    return std::nullopt;
  }
  ConvProblem runs = simple;
  runs.c = simple.c * w.filter;
  runs.dims[2] = Dim{.in = w.out()};
  const std::int64_t cell = AlignUp(runs.c, least), line = w.out() * cell;
  const std::int64_t slice = simple.dims[1].in * line, image = simple.dims[0].in * slice;
  if (simple.batch * image >= kMostWidened) return std::nullopt;
  runs.strides[static_cast<std::size_t>(Tensor::kX)] = {image, slice, line, cell, runs.c, 1};
  return runs;
}

/// Whether kernels compute several groups at a time as they are.
bool AreSeveral(const ConvProblem& problem) {
  const std::int64_t c = problem.c_per_group(), k = problem.k_per_group();
  return c == k && c <= kSlab && (c & (c - 1)) == 0;
}

/// The channels of a group's operand that gather instances have a use for: whole slabs, of i8
/// whatever the copy engine finds.
std::int64_t WholeChannels(DataType type, std::int64_t channels) {
  if (type == DataType::kI8) return AlignUp(channels, kCopyBytes);
  if (type == DataType::kF32) return AlignUp(channels, kShortSlab);
  return AlignUp(channels, channels > kShortSlab ? kSlab : kShortSlab);
}

/// Whether the copy engine loads groups of x, or of y in backward-data, and there lines of w, as
/// fast as copies that are filled up: it is slow at groups that begin within a sector of the cache,
/// and copies pay where much is loaded several times.
bool GroupsAreLoaded(const ConvProblem& simple) {
  constexpr std::int64_t kSectorBytes = 32, kSeveralTimes = 4;
  const bool forward = simple.direction == Direction::kForward;
  const std::int64_t much = forward ? 500'000 : 800'000;  // w is copied as well
  const std::int64_t bytes = SizeOf(simple.type);
  const std::int64_t channels = forward ? simple.c_per_group() : simple.k_per_group();
  const std::int64_t least = CopyElements(simple.type);
  if (channels % least != 0) return false;
  if (!forward && simple.c_per_group() % least != 0) return false;
  const std::int64_t cells = forward ? simple.in_cells() : simple.out_cells();
  const std::int64_t loads = simple.out_cells() * simple.filter_taps();
  const std::int64_t lines = simple.batch * loads * simple.groups * CeilDiv(channels, kSlab);
  return channels * bytes % kSectorBytes == 0 || loads < kSeveralTimes * cells || lines < much;
}

/// Of many groups: those of x, or of y in backward-data, filled up to WholeChannels, but for groups
/// that are computed several at a time. Nothing if they are not filled up.
std::optional<ConvProblem> WithWholeGroups(const ConvProblem& simple) {
  const std::int64_t c = simple.c_per_group(), k = simple.k_per_group();
  const bool has_maps =
      simple.type != DataType::kI8 && GroupsAreLoaded(simple) &&
      (SubGemmCount(simple) * simple.groups <= kMostMapsOfGroups || HasAxisOfGroups(simple));
  if (simple.direction == Direction::kBackwardWeight || simple.groups == 1 || AreSeveral(simple) ||
      has_maps || !IsPlain(simple)) {
    return std::nullopt;
  }
  ConvProblem whole = simple;
  const bool forward = simple.direction == Direction::kForward;
  (forward ? whole.c : whole.k) = simple.groups * WholeChannels(simple.type, forward ? c : k);
  if (whole == simple || whole.a_elements() >= kMostWidened) return std::nullopt;
  return whole;
}

}  // namespace

bool HasAxisOfGroups(const ConvProblem& simple) {
  const auto is_near = [](const Dim& dim) {
    return dim.dilated_filter() <= kMostCellsBesideGroups && dim.stride <= kMostCellsBesideGroups &&
           std::max(dim.pad_begin, dim.pad_end) < kMostCellsBesideGroups;
  };
  return simple.dims[0] == Dim{} && is_near(simple.dims[1]) && is_near(simple.dims[2]);
}

DataType TypeOfB(DataType type) { return type == DataType::kF32 ? DataType::kBF16 : type; }

std::int64_t CopyElements(DataType type) { return kCopyBytes / SizeOf(TypeOfB(type)); }

bool HasCopyEngine(const ConvProblem& problem, Gfx gfx, Cells cells) {
  const bool loads_type = problem.type == DataType::kF32
                              ? cells == Cells::kParts
                              : SizeOf(problem.type) == 2 || problem.type == DataType::kI8;
  return TraitsOf(gfx).mma_unit == MmaUnit::kWgmma && loads_type;
}

bool CopiesCells(Cells cells) {
  return cells != Cells::kAsTheyAre && cells != Cells::kFloatsAsTheyAre;
}

ConvProblem WithImagesOfPatches(ConvProblem simple) {
  constexpr std::int64_t kMostSteps = 8;
  auto& [d, h, w] = simple.dims;
  const bool cuts = h.stride > kMostSteps && h.filter == h.stride && h.in == h.out() * h.filter &&
                    h.pad_begin == 0 && h.dilation == 1;
  if (!cuts || d != Dim{} || simple.direction == Direction::kBackwardData ||
      simple.strides != decltype(simple.strides){}) {
    return simple;
  }
  const bool forward = simple.direction == Direction::kForward;
  for (int i = 0; forward && i < simple.epilogue.tensors; ++i) {
    const PerAxis& stride = simple.epilogue.d[static_cast<std::size_t>(i)].stride;
    if (stride[0] != stride[2] * h.out()) return simple;
  }
  for (EpilogueTensor& tensor : simple.epilogue.d) {
    if (forward) tensor.stride[0] = tensor.stride[2];
  }
  simple.batch *= h.out();
  h = Dim{.in = h.filter, .filter = h.filter};
  return simple;
}

ConvProblem WithSlabs(const ConvProblem& simple) {
  ConvProblem deeper = simple;
  if (FillsSlab(simple)) {
    deeper.k = kSlab;
  } else if (const std::optional<ConvProblem> whole = WithWholeGroups(simple)) {
    deeper = *whole;
  } else if (const std::optional<ConvProblem> runs = WithRuns(simple)) {
    deeper = *runs;
  } else if (const std::optional<ConvProblem> of_weight = WithRunsOfWeight(simple)) {
    deeper = *of_weight;
  }
  return deeper;
}

ConvProblem WithMergedGroups(const ConvProblem& simple) {
  const bool forward = simple.direction == Direction::kForward;
  if (simple.direction == Direction::kBackwardWeight || !IsPlain(simple)) return simple;
  const TensorAxes out = simple.AxesOf(simple.out());
  for (int i = 0; i < simple.epilogue.tensors; ++i) {  // channels of all groups are neighbours
    const PerAxis& stride = simple.epilogue.d[static_cast<std::size_t>(i)].stride;
    if (stride[4] != out.size[5] * stride[5]) return simple;
  }
  const std::int64_t c = simple.c_per_group(), k = simple.k_per_group();
  const std::int64_t sources = forward ? c : k, others = forward ? k : c;
  std::int64_t merged = 1;
  while (2 * merged * sources <= kShortSlab && 2 * merged * others <= kSlab &&
         simple.groups % (2 * merged) == 0) {
    merged *= 2;
  }
  const std::int64_t least = CopyElements(simple.type);
  if (merged * c % least != 0 || merged * k % least != 0) return simple;
  ConvProblem problem = simple;
  problem.groups /= merged;
  for (EpilogueTensor& tensor : problem.epilogue.d) tensor.stride[4] *= merged;
  return problem;
}

std::int64_t GroupsMultiplied(const ConvProblem& simple) {
  const std::int64_t most = std::max(simple.c_per_group(), simple.k_per_group());
  std::int64_t groups = 1;
  while (2 * groups * most <= kSlab && simple.groups % (2 * groups) == 0) groups *= 2;
  return groups;
}

std::int64_t PowerApart(const ConvProblem& problem) {
  const std::int64_t most = std::max(problem.c_per_group(), problem.k_per_group());
  if (problem.groups == 1 || AreSeveral(problem)) return 0;
  auto apart = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(most)));
  // And cells are multiples of what the copy engine loads.
  while (problem.groups * apart % CopyElements(problem.type) != 0) apart *= 2;
  return apart <= kSlab ? apart : 0;
}

std::int64_t GroupsApart(const ConvProblem& simple, Tensor tensor, Cells cells) {
  const std::int64_t power = cells == Cells::kGroupsApart ? PowerApart(simple) : 0;
  if (power > 0) return power;
  const std::int64_t channels = simple.AxesOf(tensor).size[5], least = CopyElements(simple.type);
  const std::int64_t groups = cells == Cells::kParts ? GroupsMultiplied(simple) : 1;
  const bool begins_aligned =
      groups * simple.c_per_group() % least == 0 && groups * simple.k_per_group() % least == 0;
  const bool is_loaded = simple.direction != Direction::kBackwardWeight || simple.groups == 1 ||
                         AreSeveral(simple) || begins_aligned;
  return is_loaded ? channels : AlignUp(channels, least);
}

}  // namespace gridwise
