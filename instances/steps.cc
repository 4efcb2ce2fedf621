#include "instances/steps.h"

#include <span>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "core/conv/fold.h"
#include "core/conv/simplify.h"
#include "instances/tile/bwd_weight_code.h"
#include "instances/tile/direct_code.h"
#include "instances/tile/direct_rows.h"
#include "instances/tile/gather_code.h"
#include "instances/tile/passes_code.h"
#include "instances/tile/rows.h"
#include "tile/plan_reduce.h"
#include "tile/plan_transpose.h"
#include "tile/plan_widen.h"

namespace gridwise {
namespace {

DataType TypeOf(const ConvProblem& problem, Tensor tensor) {
  return tensor == problem.out() ? problem.output_type() : problem.type;
}

constexpr std::int64_t kAlignment = 256;  // of the workspace's parts

/// Appends `bytes` to the workspace and returns where they begin.
std::int64_t Reserve(Steps& steps, std::int64_t bytes) {
  const std::int64_t at = AlignUp(steps.workspace_bytes, kAlignment);
  steps.workspace_bytes = at + bytes;
  return at;
}

template <class Args>
std::vector<std::byte> BytesOf(const Args& args) {
  const auto bytes = std::as_bytes(std::span(&args, 1));
  return {bytes.begin(), bytes.end()};
}

/// Where a tensor is.
struct Place {
  Memory memory;
  std::int64_t offset = 0;  // bytes from its start
};

/// The tensors of a row's launch.
struct Places {
  Place a = {Memory::kA}, b = {Memory::kB}, out = {Memory::kOut};
  Place d[2] = {{Memory::kD0}, {Memory::kD1}};
};

/// Those of a part: `out_bytes` is the size of an element of what `whole.out` is.
Places PlacesOf(const ConvPart& part, const Places& whole, std::int64_t out_bytes) {
  const std::int64_t bytes = SizeOf(part.problem.type);
  Places places = whole;
  places.a.offset += part.a * bytes;
  places.b.offset += part.b * bytes;
  places.out.offset += part.out * out_bytes;
  for (std::size_t i = 0; i < 2; ++i) {
    places.d[i].offset += part.d[i] * SizeOf(part.problem.epilogue.d[i].type);
  }
  return places;
}

/// Where the output and the tensors are that the epilogue at byte `at` of the arguments combines.
std::vector<Step::Address> EpilogueAddresses(std::size_t at, const tile::EpilogueArgs& args,
                                             const Place& out, const Place (&d)[2]) {
  std::vector<Step::Address> addresses = {
      {at + offsetof(tile::EpilogueArgs, out), out.memory, out.offset}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(args.tensors); ++i) {
    addresses.push_back({at + offsetof(tile::EpilogueArgs, tensor) +
                             i * sizeof(tile::EpilogueTensor) +
                             offsetof(tile::EpilogueTensor, data),
                         d[i].memory, d[i].offset});
  }
  return addresses;
}

/// Where the data is of a direct kernel's tensor, at byte `at` of the arguments.
Step::Address DataOf(std::size_t at, const Place& place) {
  static_assert(offsetof(tile::DirectTensor, data) == 0 &&
                offsetof(tile::DirectWeights, data) == 0);
  return {at, place.memory, place.offset};
}

/// A row's launch. The table of sub-GEMMs is at byte `table` of the workspace.
Step MakeRowStep(Direction direction, int row, const KernelPlan& plan, const Places& places,
                 std::int64_t table) {
  RowKernel kernel = KernelOf(direction, row);
  Step step = {.table = kernel.table,
               .row = kernel.row,
               .symbol = std::move(kernel.symbol),
               .shape = {},
               .arguments = {},
               .addresses = {}};
  const auto set_shape = [&](const tile::LaunchPlan& launch) {
    step.shape = {.workgroups = {launch.workgroups[0], launch.workgroups[1], launch.workgroups[2]},
                  .threads = {launch.threads, 1, 1}};
  };
  if (const auto* weight = std::get_if<tile::BwdWeightPlan>(&plan)) {
    using Args = tile::BwdWeightArgs;
    set_shape(*weight);
    step.arguments = BytesOf(weight->args);
    step.addresses =
        EpilogueAddresses(offsetof(Args, epilogue), weight->args.epilogue, places.out, places.d);
    step.addresses.push_back(
        {offsetof(Args, dy) + offsetof(tile::CellTensor, data), places.a.memory, places.a.offset});
    step.addresses.push_back(
        {offsetof(Args, x) + offsetof(tile::CellTensor, data), places.b.memory, places.b.offset});
    return step;
  }
  if (const auto* weight = std::get_if<tile::DirectWeightPlan>(&plan)) {
    using Args = tile::DirectWeightArgs;
    set_shape(*weight);
    step.arguments = BytesOf(weight->args);
    step.addresses = {DataOf(offsetof(Args, dy), places.a), DataOf(offsetof(Args, x), places.b),
                      DataOf(offsetof(Args, dw), places.out)};
    return step;
  }
  if (const auto* gather = std::get_if<tile::DirectGatherPlan>(&plan)) {
    using Args = tile::DirectGatherArgs;
    set_shape(*gather);
    step.arguments = BytesOf(gather->args);
    step.addresses = {DataOf(offsetof(Args, source), places.a), DataOf(offsetof(Args, w), places.b),
                      DataOf(offsetof(Args, out), places.out)};
    if (gather->table_bytes > 0)
      step.addresses.push_back({offsetof(Args, table), Memory::kWorkspace, table});
    return step;
  }
  using Args = tile::GatherArgs;
  const auto& gather = std::get<tile::GatherPlan>(plan);
  set_shape(gather);
  step.arguments = BytesOf(gather.args);
  step.addresses =
      EpilogueAddresses(offsetof(Args, epilogue), gather.args.epilogue, places.out, places.d);
  step.addresses.push_back({offsetof(Args, source), places.a.memory, places.a.offset});
  step.addresses.push_back({offsetof(Args, w), places.b.memory, places.b.offset});
  if (gather.table_bytes > 0) {
    step.addresses.push_back({offsetof(Args, table), Memory::kWorkspace, table});
  }
  return step;
}

/// Appends the launches that add up `splits` sums, which are at byte `partial_offset` of the
/// workspace.
void AddReduceSteps(const ConvProblem& problem, int splits, std::int64_t partial_offset,
                    const Places& places, Steps& steps) {
  for (const tile::ReducePlan& plan : tile::PlanReduce(problem, splits)) {
    Places part = places;
    part.out.offset += plan.first * SizeOf(problem.output_type());
    for (std::size_t i = 0; i < 2; ++i) part.d[i].offset += plan.tensor_first[i];
    Step& step = steps.steps.emplace_back(
        Step{.table = KernelTable::kPasses,
             .row = 0,
             .symbol = tile::ReduceSymbol(problem.output_type()),
             .shape = {.workgroups = {tile::ReduceWorkgroups(plan.args), 1, 1},
                       .threads = {tile::kReduceThreads, 1, 1}},
             .arguments = BytesOf(plan.args),
             .addresses = EpilogueAddresses(offsetof(tile::ReduceArgs, epilogue),
                                            plan.args.epilogue, part.out, part.d)});
    step.addresses.push_back(
        {offsetof(tile::ReduceArgs, partial), Memory::kWorkspace, partial_offset + plan.first * 4});
  }
}

/// The matrices, cells by channels, that a tensor of x or y is in NHWGC, one for each image. In
/// NGCHW they are transposed.
tile::Matrices MatricesOf(const ConvProblem& problem, Tensor tensor) {
  const PerAxis size = problem.AxesOf(tensor).size;
  return {.count = size[0], .rows = size[1] * size[2] * size[3], .columns = size[4] * size[5]};
}

/// Whether a tensor is not as the rows have it.
bool IsTransposed(const ConvProblem& problem, Tensor tensor) {
  if (problem.layout != Layout::kNGCHW || tensor == Tensor::kW) return false;
  const tile::Matrices matrices = MatricesOf(problem, tensor);
  return matrices.rows > 1 && matrices.columns > 1;
}

Step MakeTransposeStep(DataType type, const tile::Matrices& matrices, const Place& from,
                       const Place& to) {
  return {.table = KernelTable::kPasses,
          .row = 0,
          .symbol = tile::TransposeSymbol(type),
          .shape = {.workgroups = {tile::TransposeWorkgroups(matrices), 1, 1},
                    .threads = {tile::kTransposeThreads, 1, 1}},
          .arguments = BytesOf(tile::PlanTranspose(matrices)),
          .addresses = {{offsetof(tile::TransposeArgs, from), from.memory, from.offset},
                        {offsetof(tile::TransposeArgs, to), to.memory, to.offset}}};
}

tile::Matrices Transposed(const tile::Matrices& matrices) {
  return {.count = matrices.count, .rows = matrices.columns, .columns = matrices.rows};
}

ConvProblem WithoutTranspositions(ConvProblem problem) {
  if (problem.layout == Layout::kNGCHW) problem.layout = Layout::kNHWGC;
  return problem;
}

/// The lines of x along w that are copied with their padding; nothing if they are not.
std::optional<tile::Lines> WidenedLines(const ConvProblem& problem) {
  const ConvProblem simple = Simplify(WithoutTranspositions(problem));
  const std::optional<Folded> folded = Fold(simple);
  if (!folded || !folded->copies) return std::nullopt;
  const PerAxis size = simple.AxesOf(Tensor::kX).size;
  return tile::Lines{.count = size[0] * size[1] * size[2],
                     .from_line = size[3] * simple.c,
                     .to_line = folded->to_cells * simple.c,
                     .before = folded->pad * simple.c};
}

Step MakeWidenStep(DataType type, const tile::Lines& lines, const Place& from, const Place& to) {
  return {.table = KernelTable::kPasses,
          .row = 0,
          .symbol = tile::WidenSymbol(type),
          .shape = {.workgroups = {tile::WidenWorkgroups(lines), 1, 1},
                    .threads = {tile::kWidenThreads, 1, 1}},
          .arguments = BytesOf(tile::PlanWiden(lines)),
          .addresses = {{offsetof(tile::WidenArgs, from), from.memory, from.offset},
                        {offsetof(tile::WidenArgs, to), to.memory, to.offset}}};
}

/// The tile rows of a direction, which come before the direct ones.
std::span<const tile::TileConfig> TileRowsOf(Direction direction) {
  if (direction == Direction::kBackwardWeight) return tile::kBwdWeightRows;
  return tile::kGatherRows;
}

CodeObjects CodeOf(KernelTable table) {
  switch (table) {
    case KernelTable::kGather:
      return GatherCode();
    case KernelTable::kBwdWeight:
      return BwdWeightCode();
    case KernelTable::kDirect:
      return DirectCode();
    case KernelTable::kPasses:
      return PassesCode();
  }
  return {};
}

}  // namespace

int RowCount(Direction direction) {
  return static_cast<int>(TileRowsOf(direction).size() + tile::kDirectRows.size());
}

Row RowAt(Direction direction, int index) {
  const std::span<const tile::TileConfig> tile_rows = TileRowsOf(direction);
  const auto at = static_cast<std::size_t>(index);
  if (at < tile_rows.size()) return tile_rows[at];
  return tile::kDirectRows[at - tile_rows.size()];
}

RowKernel KernelOf(Direction direction, int index) {
  const int direct = index - static_cast<int>(TileRowsOf(direction).size());
  if (direct >= 0) return {KernelTable::kDirect, direct, tile::DirectSymbol(direction, direct)};
  if (direction == Direction::kBackwardWeight)
    return {KernelTable::kBwdWeight, index, tile::BwdWeightSymbol(index)};
  return {KernelTable::kGather, index, tile::GatherSymbol(index)};
}

ConvProblem RowProblem(const ConvProblem& problem) {
  const ConvProblem simple = Simplify(WithoutTranspositions(problem));
  const std::optional<Folded> folded = Fold(simple);
  return folded ? folded->problem : simple;
}

double CopyCycles(const ConvProblem& problem, Gfx gfx) {
  double cycles = 0;
  for (const Tensor tensor : {problem.a(), problem.b(), problem.out()}) {
    if (!IsTransposed(problem, tensor)) continue;
    const double elements = static_cast<double>(problem.AxesOf(tensor).Elements());
    cycles += tile::PassCycles(TraitsOf(gfx), 2 * elements * SizeOf(TypeOf(problem, tensor)));
  }
  if (const std::optional<tile::Lines> lines = WidenedLines(problem)) {
    const double elements = static_cast<double>(lines->ToElements());
    cycles += tile::PassCycles(TraitsOf(gfx), 2 * elements * SizeOf(problem.type));
  }
  return cycles;
}

namespace {

/// The sub-GEMMs that a launch reads from device memory.
std::span<const SubGemm> TableOf(const KernelPlan& plan) {
  return std::visit(
      []<class Plan>(const Plan& kernel) -> std::span<const SubGemm> {
        if constexpr (requires { kernel.table; }) {
          if (kernel.table_bytes > 0) return kernel.table;
        }
        return {};
      },
      plan);
}

/// Appends the launches of `plan`'s parts to `steps`, with sums that are terms of the output in the
/// workspace, and of their addition.
void AddRowSteps(const ConvProblem& row_problem, int row, const RowPlan& plan, const Places& places,
                 Steps& steps) {
  const bool partial = plan.splits * plan.terms > 1 || plan.sums_only;
  const int slots = plan.adds ? 1 : plan.splits * plan.terms;
  const std::int64_t slot_bytes = row_problem.out_elements() * 4;
  Places outs = places;
  if (partial) outs.out = {Memory::kWorkspace, Reserve(steps, slots * slot_bytes)};
  if (partial && (plan.adds || plan.has_gaps)) {
    steps.zero_at = outs.out.offset;
    steps.zero_bytes = slots * slot_bytes;
  }
  const std::int64_t out_bytes = partial ? 4 : SizeOf(row_problem.output_type());
  for (const auto& [part, kernel, term] : plan.parts) {
    const auto table = std::as_bytes(TableOf(kernel));
    const auto table_at = static_cast<std::int64_t>(steps.upload.size());
    steps.upload.insert(steps.upload.end(), table.begin(), table.end());
    Places part_places = PlacesOf(part, outs, out_bytes);
    if (!plan.adds) part_places.out.offset += term * plan.splits * slot_bytes;
    steps.steps.push_back(MakeRowStep(row_problem.direction, row, kernel, part_places, table_at));
  }
  if (partial) {
    AddReduceSteps(row_problem, slots, outs.out.offset, places, steps);
  }
}

/// Bytes of the tables of sub-GEMMs that the workspace begins with.
std::int64_t TableBytes(const RowPlan& plan) {
  std::int64_t bytes = 0;
  for (const RowPlan::Part& part : plan.parts) {
    bytes += static_cast<std::int64_t>(TableOf(part.kernel).size_bytes());
  }
  return bytes;
}

}  // namespace

Steps MakeSteps(const ConvProblem& problem, int row, const RowPlan& plan) {
  Steps steps;
  Reserve(steps, TableBytes(plan));
  Places places;
  // Makes `place` of a tensor a copy in the workspace; returns where it was.
  const auto move = [&](Tensor tensor, Place& place) {
    const std::int64_t bytes = problem.AxesOf(tensor).Elements() * SizeOf(TypeOf(problem, tensor));
    return std::exchange(place, Place{Memory::kWorkspace, Reserve(steps, bytes)});
  };
  for (auto [tensor, place] : {std::pair(problem.a(), &places.a), {problem.b(), &places.b}}) {
    if (!IsTransposed(problem, tensor)) continue;
    const Place from = move(tensor, *place);
    steps.steps.push_back(
        MakeTransposeStep(problem.type, Transposed(MatricesOf(problem, tensor)), from, *place));
  }
  if (const std::optional<tile::Lines> lines = WidenedLines(problem)) {
    const Place from = std::exchange(
        places.a,
        Place{Memory::kWorkspace, Reserve(steps, lines->ToElements() * SizeOf(problem.type))});
    steps.steps.push_back(MakeWidenStep(problem.type, *lines, from, places.a));
  }
  const bool transposes_out = IsTransposed(problem, problem.out());
  const Place out = transposes_out ? move(problem.out(), places.out) : places.out;
  AddRowSteps(RowProblem(problem), row, plan, places, steps);
  if (transposes_out) {
    steps.steps.push_back(MakeTransposeStep(problem.output_type(),
                                            MatricesOf(problem, problem.out()), places.out, out));
  }
  return steps;
}

absl::StatusOr<std::string_view> FindCode(KernelTable table, Gfx gfx, int row) {
  std::vector<std::string_view> shards;  // which take rows in turn
  for (const CodeObject& object : CodeOf(table)) {
    if (object.gfx == Name(gfx)) shards.push_back(object.data);
  }
  if (shards.empty()) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "this program was built without kernels for %s; build it with --//tools/config:targets=%s",
        Name(gfx), Name(gfx)));
  }
  return shards[static_cast<std::size_t>(row) % shards.size()];
}

}  // namespace gridwise
