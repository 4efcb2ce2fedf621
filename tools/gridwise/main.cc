/// gridwise: runs Gridwise's convolutions from a shell. `gridwise help` says how.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/reflection.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "instances/ck/family.h"
#include "instances/families.h"
#include "tools/gridwise/exit_code.h"
#include "tools/gridwise/explain_command.h"
#include "tools/gridwise/list_command.h"
#include "tools/gridwise/problem_flags.h"
#include "tools/gridwise/problem_request.h"
#include "tools/gridwise/run_command.h"
#include "tools/gridwise/sim_command.h"
#include "tools/gridwise/sweep_command.h"

using gridwise::Extents;

ABSL_FLAG(std::string, problem, "", "name of a problem; sizes given beside it replace its own");
ABSL_FLAG(std::string, problems, "",
          "where the problem is looked up: regressions, retinanet or a CSV file; default: both of "
          "the former");
ABSL_FLAG(std::optional<int64_t>, n, std::nullopt, "batch size; default 1");
ABSL_FLAG(std::optional<int64_t>, c, std::nullopt, "input channels of all groups together");
ABSL_FLAG(std::optional<int64_t>, k, std::nullopt, "output channels of all groups together");
ABSL_FLAG(std::optional<int64_t>, groups, std::nullopt, "number of groups; default 1");
ABSL_FLAG(Extents, in, {}, "input size, one value per axis, outermost first, as in 13x13");
ABSL_FLAG(Extents, filter, {}, "filter size; here and below a single value stands for every axis");
ABSL_FLAG(Extents, stride, {}, "stride; default 1");
ABSL_FLAG(Extents, dilation, {}, "dilation; default 1");
ABSL_FLAG(Extents, pad, {}, "zero padding of both ends; default 0");
ABSL_FLAG(Extents, pad_end, {}, "zero padding of the far end, where it differs from --pad");
ABSL_FLAG(std::string, device, "gfx942", "GPU target to run on");
ABSL_FLAG(std::string, target, "", "the same, of `sim isa`");
ABSL_FLAG(std::string, family, "",
          "kernels to choose from: those of tile, direct or ck; default: all");
ABSL_FLAG(std::string, op, "",
          "and of them those of this op of ck: wavelet, two_stage, explicit, cshuffle_v3, ...; "
          "default: all");
ABSL_FLAG(std::string, row, "",
          "kernel to use, one of `gridwise list rows`; default: the planner's choice");
ABSL_FLAG(bool, verify, false, "compare the result with the CPU reference");
ABSL_FLAG(bool, all_rows, false, "sweep: on every kernel that accepts a problem");
ABSL_FLAG(std::string, direction, "",
          "of sweep and list: fwd, bwd_data or bwd_weight; default: those that the set names for a "
          "problem");
ABSL_FLAG(double, max_flops, 0, "sweep: larger problems are left out; default: none is");
ABSL_FLAG(
    std::string, csv, "",
    "sweep: file of the results; what it already holds is not repeated, unless it is an error");
ABSL_FLAG(std::string, explain, "", "list: a problem's name; more names may follow");
ABSL_FLAG(uint64_t, seed, 0, "of the random data that stands for a tensor without a file");
ABSL_FLAG(
    std::string, type, "f16",
    "of the operands: f16, bf16, f32; forward also i8, f8e4m3fn, f8e4m3fnuz, or f8 for the one of "
    "these two that the target has");
ABSL_FLAG(
    std::string, out_type, "",
    "of the output: f32, of i8 also i32, of f8 also f16 and bf16; if not given, --type, of i8 i32, "
    "of f8 f32");
ABSL_FLAG(int, splits, 0, "workgroups that share the K of a tile; default: the planner's choice");
ABSL_FLAG(bool, atomic, false, "splits add up their sums as they come: not deterministic");
ABSL_FLAG(std::string, layout, "", "of x and y: nhwgc, gnhwc or ngchw; default nhwgc");
ABSL_FLAG(std::string, weight_layout, "", "gkyxc or kyxgc; default gkyxc");
ABSL_FLAG(double, alpha, 1, "factor of the convolution");
ABSL_FLAG(std::string, d0, "",
          "tensor that is combined with the result: add or mul, then :channel for a value per "
          "channel, then :SCALE, as in add:channel:0.5");
ABSL_FLAG(std::string, d1, "", "a second one");
ABSL_FLAG(bool, relu, false, "results below 0 become 0");
ABSL_FLAG(std::optional<double>, low, std::nullopt, "least value of the result");
ABSL_FLAG(std::optional<double>, high, std::nullopt, "largest value of the result");
ABSL_FLAG(std::string, x, "", ".npy file of x: [n][in...][c] or [n][in...][g][c/g]");
ABSL_FLAG(std::string, dy, "", ".npy file of dy: [n][out...][k] or [n][out...][g][k/g]");
ABSL_FLAG(std::string, w, "",
          ".npy file of the weights: [k][filter...][c/g] or [g][k/g][filter...][c/g]");
ABSL_FLAG(
    std::string, out, "",
    ".npy file that y [n][out...][k], dx [n][in...][c] or dw [k][filter...][c/g] is written to");

namespace {

constexpr char kUsage[] = R"(gridwise: grouped convolutions on AMD GPUs, simulated or real

  gridwise run fwd FLAGS                       compute y from x and w
  gridwise run bwd_data FLAGS                  compute dx from dy and w
  gridwise run bwd_weight FLAGS                compute dw from dy and x
  gridwise explain DIRECTION FLAGS             tell what each kernel would cost, or why it cannot
  gridwise sweep FLAGS                         compute every problem of a set, into a CSV table
  gridwise list [targets | rows | problems]    say what there is
  gridwise list --explain PROBLEM...           as explain, for problems by name
  gridwise sim isa --target=gfx950             say which instructions the simulator cannot execute
  gridwise help                                print this

Examples
  gridwise run bwd_data --problem=almiopen-1959 --device=gfx942 --verify
  gridwise run bwd_data --n=32 --c=256 --k=36 --in=13x13 --filter=3x3 --pad=1 --verify
  gridwise run bwd_data --dy=dy.npy --w=w.npy --stride=2 --pad=1 --out=dx.npy
  gridwise sweep --problems=retinanet --direction=bwd_weight --device=gfx950 --n=2 --verify --csv=out.csv

Tensors are packed and in the order of the shapes below, little-endian float16, float32 or int8. Files are rounded to --type,
and the output is written as int32 where that is its type, as float16 where that is and the first operand's file is not
float32, else as float32.
Sizes that are not given are taken from the files; where stride > 1 leaves a choice of input sizes, the smallest is,
unless --in says.

Exit status
  0  done, and the result is right if --verify was given
  1  the result is wrong; of sweep: some result is wrong or could not be computed
  2  bad usage: a flag, a file, or a problem that is invalid or that no kernel accepts
  3  no such device, or the device failed

Flags
)";

constexpr const char* kFlagOrder[] = {
    "problem", "problems", "n",   "c",         "k",        "groups",    "in",     "filter",
    "stride",  "dilation", "pad", "pad_end",   "type",     "out_type",  "layout", "weight_layout",
    "alpha",   "d0",       "d1",  "relu",      "low",      "high",      "device", "target",
    "family",  "op",       "row", "splits",    "atomic",   "verify",    "seed",   "x",
    "w",       "dy",       "out", "direction", "all_rows", "max_flops", "csv",    "explain"};

void PrintUsage(std::FILE* file) {
  std::fputs(kUsage, file);
  for (const char* name : kFlagOrder) {
    const absl::CommandLineFlag* flag = absl::FindCommandLineFlag(name);
    const std::string spelling = absl::StrReplaceAll(name, {{"_", "-"}});
    absl::FPrintF(file, "  --%-13s %s\n", spelling, flag->Help());
  }
}

/// Abseil spells flags with underscores; --pad-end is --pad_end.
std::vector<std::string> WithUnderscores(int argc, char** argv) {
  std::vector<std::string> arguments(argv, argv + argc);
  for (std::string& argument : arguments) {
    if (!absl::StartsWith(argument, "--")) continue;
    const size_t end = std::min(argument.find('='), argument.size());
    std::replace(argument.begin() + 2, argument.begin() + static_cast<std::ptrdiff_t>(end), '-',
                 '_');
  }
  return arguments;
}

// Abseil ends the program with status 1, here "the result is wrong", when it cannot parse a flag's
// value.
bool parsing_flags = false;
void ExitForBadFlag() {
  if (!parsing_flags) return;
  std::fflush(nullptr);
  std::_Exit(gridwise::kBadUsage);
}

/// The arguments that are not flags, argv[0] first; nothing, after a sentence on stderr, when a
/// flag is unknown.
std::optional<std::vector<std::string>> ParseFlags(std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  std::vector<char*> positional;
  std::vector<absl::UnrecognizedFlag> unknown;
  std::atexit(ExitForBadFlag);
  parsing_flags = true;
  absl::ParseAbseilFlagsOnly(static_cast<int>(pointers.size()), pointers.data(), positional,
                             unknown);
  parsing_flags = false;
  if (!unknown.empty()) {
    absl::FPrintF(stderr, "gridwise: no flag is called --%s; `gridwise help` lists them\n",
                  absl::StrReplaceAll(unknown[0].flag_name, {{"_", "-"}}));
    return std::nullopt;
  }
  return std::vector<std::string>(positional.begin(), positional.end());
}

gridwise::ProblemRequest RequestOf(const std::string& program, const std::string& direction) {
  return {
      .program = program,
      .direction = direction,
      .type = absl::GetFlag(FLAGS_type),
      .out_type = absl::GetFlag(FLAGS_out_type),
      .problem = absl::GetFlag(FLAGS_problem),
      .problems = absl::GetFlag(FLAGS_problems),
      .sizes = {.n = absl::GetFlag(FLAGS_n),
                .c = absl::GetFlag(FLAGS_c),
                .k = absl::GetFlag(FLAGS_k),
                .groups = absl::GetFlag(FLAGS_groups),
                .in = absl::GetFlag(FLAGS_in),
                .filter = absl::GetFlag(FLAGS_filter),
                .stride = absl::GetFlag(FLAGS_stride),
                .dilation = absl::GetFlag(FLAGS_dilation),
                .pad = absl::GetFlag(FLAGS_pad),
                .pad_end = absl::GetFlag(FLAGS_pad_end)},
      .variant = {.layout = absl::GetFlag(FLAGS_layout),
                  .weight_layout = absl::GetFlag(FLAGS_weight_layout),
                  .alpha = absl::GetFlag(FLAGS_alpha),
                  .relu = absl::GetFlag(FLAGS_relu),
                  .low = absl::GetFlag(FLAGS_low),
                  .high = absl::GetFlag(FLAGS_high),
                  .d0 = absl::GetFlag(FLAGS_d0),
                  .d1 = absl::GetFlag(FLAGS_d1)},
      .device = absl::GetFlag(FLAGS_device),
  };
}

gridwise::ExitCode Run(const gridwise::ProblemRequest& request) {
  return gridwise::RunCommand({.request = request,
                               .family = absl::GetFlag(FLAGS_family),
                               .op = absl::GetFlag(FLAGS_op),
                               .row = absl::GetFlag(FLAGS_row),
                               .splits = absl::GetFlag(FLAGS_splits),
                               .atomic = absl::GetFlag(FLAGS_atomic),
                               .seed = absl::GetFlag(FLAGS_seed),
                               .verify = absl::GetFlag(FLAGS_verify),
                               .x = absl::GetFlag(FLAGS_x),
                               .w = absl::GetFlag(FLAGS_w),
                               .dy = absl::GetFlag(FLAGS_dy),
                               .out = absl::GetFlag(FLAGS_out)});
}

gridwise::ExitCode Sweep(const gridwise::ProblemRequest& request) {
  return gridwise::SweepCommand({.request = request,
                                 .row = absl::GetFlag(FLAGS_row),
                                 .all_rows = absl::GetFlag(FLAGS_all_rows),
                                 .max_flops = absl::GetFlag(FLAGS_max_flops),
                                 .verify = absl::GetFlag(FLAGS_verify),
                                 .csv = absl::GetFlag(FLAGS_csv),
                                 .seed = absl::GetFlag(FLAGS_seed)});
}

gridwise::ExitCode List(const std::vector<std::string>& words) {
  if (const std::string first = absl::GetFlag(FLAGS_explain); !first.empty()) {
    std::vector<std::string> names = {first};
    names.insert(names.end(), words.begin() + 2, words.end());
    return gridwise::ExplainNamed(RequestOf(words[0], absl::GetFlag(FLAGS_direction)), names);
  }
  return gridwise::ListCommand(words.size() == 3 ? words[2] : "", absl::GetFlag(FLAGS_problems),
                               words[0]);
}

bool AsksForHelp(const std::string& argument) {
  return argument == "help" || argument == "--help" || argument == "-h" || argument == "-help";
}

}  // namespace

int main(int argc, char** argv) {
  if (const absl::Status status = gridwise::RegisterFamily(gridwise::ck::Family()); !status.ok()) {
    absl::FPrintF(stderr, "gridwise: %s\n", status.message());
    return gridwise::kBadUsage;
  }
  std::vector<std::string> arguments = WithUnderscores(argc, argv);
  if (std::any_of(arguments.begin() + 1, arguments.end(), AsksForHelp)) {
    PrintUsage(stdout);
    return gridwise::kSuccess;
  }
  const std::optional<std::vector<std::string>> words = ParseFlags(std::move(arguments));
  if (!words) return gridwise::kBadUsage;
  const std::string command = words->size() > 1 ? (*words)[1] : "";
  if (command == "run" || command == "explain") {
    if (words->size() != 3) {
      absl::FPrintF(stderr, "gridwise: %s takes one direction, as in `gridwise %s bwd_data`\n",
                    command, command);
      return gridwise::kBadUsage;
    }
    const gridwise::ProblemRequest request = RequestOf((*words)[0], (*words)[2]);
    return command == "run" ? Run(request) : gridwise::ExplainCommand(request);
  }
  if (command == "sweep" && words->size() == 2) {
    return Sweep(RequestOf((*words)[0], absl::GetFlag(FLAGS_direction)));
  }
  if (command == "list" && (words->size() <= 3 || !absl::GetFlag(FLAGS_explain).empty()))
    return List(*words);
  if (command == "sim" && words->size() == 3 && (*words)[2] == "isa") {
    const std::string target = absl::GetFlag(FLAGS_target);
    return gridwise::SimIsaCommand(target.empty() ? absl::GetFlag(FLAGS_device) : target);
  }
  if (command.empty()) {
    PrintUsage(stderr);
  } else {
    absl::FPrintF(stderr, "gridwise: '%s' is not understood; `gridwise help` tells what is\n",
                  absl::StrJoin(words->begin() + 1, words->end(), " "));
  }
  return gridwise::kBadUsage;
}
