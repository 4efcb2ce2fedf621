// The public API (instances/conv.h) as C functions of plain values, for programs in other languages
// that load this file's shared library: benchmarks/compare_cudnn.py.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "core/runtime/device.h"
#include "hip/hip_runtime_api.h"
#include "instances/conv.h"

namespace {

using gridwise::ConvProblem;

/// What is done with the sums, as bits: clamp at 0, add an f32 bias of the output's channels (d0),
/// add half of a tensor like the output (d0, or d1 behind a bias).
constexpr std::int64_t kRelu = 1, kBias = 2, kResidual = 4;

/// As the caller lays it out: 64-bit integers.
struct Request {
  std::int64_t direction, type, out_type;  // values of the enumerations; out_type -1: the operands'
  std::int64_t rank, groups, batch, c, k;
  std::int64_t dims[3][6];  // d, h, w: in, filter, stride, dilation, pads at both ends
  std::int64_t layout, weight_layout;
  std::int64_t epilogue, splits;
};

ConvProblem ProblemOf(const Request& request) {
  ConvProblem problem;
  problem.direction = static_cast<gridwise::Direction>(request.direction);
  problem.type = static_cast<gridwise::DataType>(request.type);
  if (request.out_type >= 0) problem.out_type = static_cast<gridwise::DataType>(request.out_type);
  problem.rank = static_cast<int>(request.rank);
  problem.groups = request.groups;
  problem.batch = request.batch;
  problem.c = request.c;
  problem.k = request.k;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& d = request.dims[i];
    problem.dims[i] = {d[0], d[1], d[2], d[3], d[4], d[5]};
  }
  problem.layout = static_cast<gridwise::Layout>(request.layout);
  problem.weight_layout = static_cast<gridwise::WeightLayout>(request.weight_layout);
  gridwise::Epilogue& epilogue = problem.epilogue;
  if ((request.epilogue & kRelu) != 0) epilogue.low = 0;
  const auto axes = problem.AxesOf(problem.out());
  if ((request.epilogue & kBias) != 0) {
    auto& d = epilogue.d[static_cast<std::size_t>(epilogue.tensors++)];
    d.type = gridwise::DataType::kF32;
    d.stride[4] = axes.size[5];
    d.stride[5] = 1;
  }
  if ((request.epilogue & kResidual) != 0) {
    auto& d = epilogue.d[static_cast<std::size_t>(epilogue.tensors++)];
    d.type = problem.output_type();
    d.scale = 0.5;
    d.stride = axes.stride;
  }
  return problem;
}

void Tell(std::string_view text, char* message, int bytes) {
  const std::size_t length = std::min(text.size(), static_cast<std::size_t>(bytes - 1));
  std::memcpy(message, text.data(), length);
  message[length] = '\0';
}

struct Conv {
  gridwise::Executable executable;
  std::string row;
  std::int64_t workspace_bytes;
};

absl::StatusOr<Conv> Load(const Request& request, const char* row) {
  const absl::StatusOr<gridwise::DeviceInfo> device = gridwise::CurrentDevice();
  if (!device.ok()) return device.status();
  const auto gfx = gridwise::ParseGfx(device->target);
  if (!gfx) return absl::NotFoundError(absl::StrCat("there are no kernels for ", device->target));
  const absl::StatusOr<gridwise::Plan> plan = gridwise::MakePlan(
      ProblemOf(request), *gfx, {.row = row, .splits = static_cast<int>(request.splits)});
  if (!plan.ok()) return plan.status();
  absl::StatusOr<gridwise::Executable> executable = gridwise::Executable::Load(*plan);
  if (!executable.ok()) return executable.status();
  return Conv{*std::move(executable), plan->row(), plan->workspace_bytes()};
}

}  // namespace

extern "C" {

/// A convolution on the calling thread's current device; null, and a sentence, if it has none.
/// `row` may be empty.
Conv* gridwise_conv_load(const Request* request, const char* row, char* message, int bytes) {
  absl::StatusOr<Conv> conv = Load(*request, row);
  if (conv.ok()) return new Conv(*std::move(conv));
  Tell(conv.status().message(), message, bytes);
  return nullptr;
}

void gridwise_conv_free(Conv* conv) { delete conv; }

const char* gridwise_conv_row(const Conv* conv) { return conv->row.c_str(); }

std::int64_t gridwise_conv_workspace_bytes(const Conv* conv) { return conv->workspace_bytes; }

/// 0, or 1 and a sentence.
int gridwise_conv_launch(const Conv* conv, const void* a, const void* b, void* out, const void* d0,
                         const void* d1, void* workspace, hipStream_t stream, char* message,
                         int bytes) {
  const absl::Status status = conv->executable.Launch(
      {.a = a, .b = b, .out = out, .d0 = d0, .d1 = d1}, workspace, conv->workspace_bytes, stream);
  if (status.ok()) return 0;
  Tell(status.message(), message, bytes);
  return 1;
}

/// The problem as tables have it (core/conv/problem_io.h).
void gridwise_conv_sizes(const Request* request, char* text, int bytes) {
  Tell(gridwise::ToString(ProblemOf(*request)), text, bytes);
}

/// The rows that compute a problem, the cheapest by their estimates first: the row, microseconds,
/// and the cycles that they consist of (core/launch/cost.h: matrix, memory, alone, fixed, rounds,
/// passes), a line.
int gridwise_conv_rows(const Request* request, const char* target, char* text, int bytes) {
  const auto gfx = gridwise::ParseGfx(target);
  if (!gfx) return 1;
  std::vector<gridwise::RowVerdict> verdicts = gridwise::ExplainRows(ProblemOf(*request), *gfx);
  std::erase_if(verdicts, [](const auto& verdict) { return verdict.reason.has_value(); });
  std::sort(verdicts.begin(), verdicts.end(),
            [](const auto& a, const auto& b) { return a.cost.cycles < b.cost.cycles; });
  std::string lines;
  for (const gridwise::RowVerdict& verdict : verdicts) {
    const double clock = gridwise::TraitsOf(*gfx).clock_ghz;
    const gridwise::Cost& cost = verdict.cost;
    absl::StrAppend(&lines, verdict.row, " ", cost.cycles / clock / 1000, " ", cost.matrix_cycles,
                    " ", cost.memory_cycles, " ", cost.alone_cycles, " ", cost.fixed_cycles, " ",
                    cost.rounds, " ", cost.pass_cycles, "\n");
  }
  Tell(lines, text, bytes);
  return 0;
}

}  // extern "C"
