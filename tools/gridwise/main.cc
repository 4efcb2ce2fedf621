// SPDX-License-Identifier: MIT
/// gridwise: runs Gridwise's convolutions from a shell. `gridwise help` explains the commands.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/text/nearest.h"
#include "gridwise/version.h"
#include "tools/gridwise/arguments/our_arguments.h"
#include "tools/gridwise/cli/commands.h"
#include "tools/gridwise/cli/exit_code.h"
#include "tools/gridwise/cli/flags.h"
#include "tools/gridwise/cli/help.h"
#include "tools/gridwise/commands/compare_command.h"
#include "tools/gridwise/commands/compile_command.h"
#include "tools/gridwise/commands/explain_command.h"
#include "tools/gridwise/commands/import_command.h"
#include "tools/gridwise/commands/instances_command.h"
#include "tools/gridwise/commands/isa_command.h"
#include "tools/gridwise/commands/list_command.h"
#include "tools/gridwise/commands/network_command.h"
#include "tools/gridwise/commands/problems_command.h"
#include "tools/gridwise/commands/run_command.h"
#include "tools/gridwise/commands/sim_command.h"
#include "tools/gridwise/commands/sweep_command.h"
#include "tools/gridwise/commands/table_commands.h"
#include "tools/gridwise/problem/problem_flags.h"
#include "tools/gridwise/problem/problem_request.h"

using gridwise::Extents;
using gridwise::OperationCount;

ABSL_FLAG(std::string, problem, "",
          "name of a problem, or a line of another program: 'MIOpenDriver convfp16 -n 8 ...'; size "
          "flags override its sizes");
ABSL_FLAG(std::string, problems, "",
          "problem set: regressions, retinanet, transformers (for gemm), strided, a CSV file or a "
          "file of another program (`gridwise help import`); default: the first three");
ABSL_FLAG(std::optional<int64_t>, n, std::nullopt,
          "batch size; default 1; for gemm, the columns of C");
ABSL_FLAG(std::optional<int64_t>, c, std::nullopt, "input channels of all groups together");
ABSL_FLAG(std::optional<int64_t>, k, std::nullopt,
          "output channels of all groups together; for gemm, the number of products per sum");
ABSL_FLAG(std::optional<int64_t>, m, std::nullopt, "rows of C");
ABSL_FLAG(std::optional<int64_t>, batch, std::nullopt,
          "number of matrices; default 1; for import and network, images");
ABSL_FLAG(
    std::string, a, "",
    "order of A in memory: row or col, optionally with a leading dimension in elements, as in "
    "row:72; default row. For compare: a choice, as in family=ck,op=wavelet");
ABSL_FLAG(std::string, b, "", "like --a, for B");
ABSL_FLAG(std::string, out_order, "", "like --a, for C");
ABSL_FLAG(std::optional<int64_t>, groups, std::nullopt, "number of groups; default 1");
ABSL_FLAG(Extents, in, {},
          "input size, one value per axis, outermost first, as in 13x13 or (13, 13)");
ABSL_FLAG(Extents, filter, {}, "filter size; here and below, a single value applies to every axis");
ABSL_FLAG(Extents, stride, {}, "stride; default 1");
ABSL_FLAG(Extents, dilation, {}, "dilation; default 1");
ABSL_FLAG(Extents, pad, {}, "zero padding at both ends, or same, or valid; default 0");
ABSL_FLAG(Extents, pad_end, {}, "zero padding at the end; default: --pad");
ABSL_FLAG(Extents, output_padding, {},
          "conv_transpose: output pixels beyond the last that the input determines; default 0");
ABSL_FLAG(
    std::string, device, gridwise::kDefaultDevice,
    "GPU: a target such as gfx942, a product such as MI300A or rx7600, or a partition such as "
    "MI300X/CPX; `gridwise list targets` prints them");
ABSL_FLAG(std::string, target, "", "same as --device");
ABSL_FLAG(std::string, family, "",
          "restrict to the kernels of tile, direct, ck or hopper; default: all");
ABSL_FLAG(
    std::string, op, "",
    "restrict to the kernels of this op of ck: wavelet, two_stage, explicit, cshuffle_v3, ...; "
    "default: all");
ABSL_FLAG(bool, json, false, "print one JSON document to stdout, and text for people to stderr");
ABSL_FLAG(std::string, instance, "",
          "kernel to use, from `gridwise list instances`; default: the planner's choice");
ABSL_FLAG(bool, verify, false, "compare the result with the CPU reference");
ABSL_FLAG(
    bool, time, false,
    "measure instead of computing: with events on a GPU, or with the simulator's clock, from a "
    "sample of the workgroups");
ABSL_FLAG(bool, all_instances, false, "use every kernel that accepts a problem");
ABSL_FLAG(
    int, first_instances, 0,
    "for each problem, use this many of the kernels that the planner ranks first; default: no "
    "limit");
ABSL_FLAG(int, random_instances, 0,
          "also use this many of the other kernels, chosen at random by --seed");
ABSL_FLAG(
    bool, best, false,
    "with --time, report only the fastest kernel of each problem, and stop timing kernels that "
    "cannot beat it");
ABSL_FLAG(bool, quick, false,
          "with --time, use a smaller sample, without limiter and interval; the default with "
          "--all-instances, --first-instances and --random-instances, unless --best is given");
ABSL_FLAG(bool, precise, false,
          "with --time and several kernels per problem, use the larger sample of --best, without "
          "limiter and interval");
ABSL_FLAG(std::string, shard, "",
          "part of the set: 2/8 is the second of every eight problems; `gridwise merge` merges the "
          "tables; default: all");
ABSL_FLAG(std::string, model, "",
          "file of a model from tools/tune/train.py; default: the built-in model");
ABSL_FLAG(std::string, against, "oracle",
          "what to compare with; oracle: the best kernel that was timed");
ABSL_FLAG(std::string, html, "",
          "file for an HTML page, - for stdout; for report the default is stdout");
ABSL_FLAG(std::string, compare, "", "a second device, to show beside --device");
ABSL_FLAG(
    std::string, direction, "",
    "fwd, bwd_data, bwd_weight or gemm; default: those that the set names for a problem; for isa, "
    "all");
ABSL_FLAG(OperationCount, max_flops, {},
          "leave out problems with more operations, as in 5e9 or 5G; default: no limit");
ABSL_FLAG(
    std::string, csv, "",
    "file for the results, - for stdout; runs that it already contains are not repeated, unless "
    "they ended with an error");
ABSL_FLAG(std::string, markdown, "", "file for the comparison as a Markdown table");
ABSL_FLAG(std::string, page, "", "file for the comparison as an HTML page");
ABSL_FLAG(std::string, published, "",
          "repeat a published comparison: sub_gemms, wavelet or classic_tile; sets --a, --b, "
          "--problems, --direction and --device");
ABSL_FLAG(std::string, explain, "", "a problem's name; more names may follow");
ABSL_FLAG(uint64_t, seed, 0, "seed of the random data for tensors without a file");
ABSL_FLAG(std::string, type, "",
          "type of the operands: f16, bf16, f32; for fwd also i8, f8e4m3fn, f8e4m3fnuz, f8e5m2, "
          "f8e5m2fnuz, or f8 (e4m3) and bf8 (e5m2) for the target's variant; default: that of the "
          "problem in its set, f16 if the set does not say");
ABSL_FLAG(
    std::string, out_type, "",
    "type of the output: --type or f32; for i8, i32 or f32; for f8, f32, f16 or bf16; default: "
    "--type, for i8 i32, for f8 f32");
ABSL_FLAG(int, splits, 0, "workgroups that share the K of a tile; default: the planner's choice");
ABSL_FLAG(bool, launch_per_sub_gemm, false,
          "backward-data: launch each sub-GEMM separately, for comparison");
ABSL_FLAG(
    std::optional<int64_t>, workspace_limit, std::nullopt,
    "bytes of workspace that a plan may need; default: prefer kernels whose workspace fits in the "
    "device's memory next to the tensors");
ABSL_FLAG(bool, atomic, false, "splits add their sums atomically, which is not deterministic");
ABSL_FLAG(std::string, layout, "", "layout of x and y: nhwgc, gnhwc or ngchw; default nhwgc");
ABSL_FLAG(std::string, weight_layout, "", "layout of w: gkyxc or kyxgc; default gkyxc");
ABSL_FLAG(double, alpha, 1, "factor of the convolution");
ABSL_FLAG(std::string, d0, "",
          "tensor to combine with the result: add or mul, then :channel for one value per channel, "
          "then :SCALE, as in add:channel:0.5");
ABSL_FLAG(std::string, d1, "", "like --d0, for a second tensor");
ABSL_FLAG(
    std::string, unary, "",
    "function of the result, before --low and --high: abs, leaky_relu, elu, sigmoid, tanh, swish, "
    "softplus or gelu, then :PARAMETER, as in leaky_relu:0.01");
ABSL_FLAG(std::optional<double>, a1, std::nullopt,
          "forward: use this factor times x, plus a second tensor, instead of x");
ABSL_FLAG(std::optional<double>, b1, std::nullopt,
          "forward: use this factor times w, plus a second tensor, instead of w");
ABSL_FLAG(bool, relu, false, "set negative results to 0");
ABSL_FLAG(std::optional<double>, low, std::nullopt, "lower bound of the result");
ABSL_FLAG(std::optional<double>, high, std::nullopt, "upper bound of the result");
ABSL_FLAG(std::string, x, "", ".npy file of x");
ABSL_FLAG(std::string, dy, "", ".npy file of dy");
ABSL_FLAG(std::string, w, "", ".npy file of the weights");
ABSL_FLAG(std::string, out, "", ".npy file for the output: y, dx or dw");
ABSL_FLAG(std::string, arch, "", "same as --device");
ABSL_FLAG(std::string, config, "",
          "JSON file of traits; may also follow the command without a flag");
ABSL_FLAG(
    std::string, where, "",
    "condition on traits, as in \"tile_n >= 128 and schedule == 'wavelet'\", or in the words of "
    "CK Tile's tile engine, \"c.pipeline == 'compv5'\"; default: all");
ABSL_FLAG(bool, list, false, "print the instances, one per line");
ABSL_FLAG(bool, count, false,
          "print the number of instances, and of rejected configurations by reason");
ABSL_FLAG(std::string, export, "", "JSON file for the instances, - for stdout");
ABSL_FLAG(std::string, instances, "", "JSON file of instances, from `gridwise instances --export`");
ABSL_FLAG(
    int, workers, 0,
    "number of worker processes, which do the runs, so that a crash affects one line of the table; "
    "default: none");
ABSL_FLAG(double, run_limit, 600, "seconds after which a worker is killed that does a run");
ABSL_FLAG(bool, runs_from_stdin, false,
          "do the runs whose numbers are lines of stdin, from 0, as a worker process does");
ABSL_FLAG(bool, training, false,
          "all directions of each layer, without the gradient of the first one's input");
ABSL_FLAG(std::string, use, "training", "use of the set: training, validation or test");
ABSL_FLAG(int, number, 1500, "number of problems");
ABSL_FLAG(int, jobs, 0, "number of kernels to compile at the same time; default: one per core");

namespace {

gridwise::ExitCode Refuse(const std::string& sentence) {
  return gridwise::Fail(absl::InvalidArgumentError(sentence));
}

gridwise::ProblemRequest MakeRequest(const std::string& program, const std::string& direction) {
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
                .pad_end = absl::GetFlag(FLAGS_pad_end),
                .output_padding = absl::GetFlag(FLAGS_output_padding)},
      .gemm = {.batch = absl::GetFlag(FLAGS_batch),
               .m = absl::GetFlag(FLAGS_m),
               .n = std::nullopt,
               .k = std::nullopt,
               .a = absl::GetFlag(FLAGS_a),
               .b = absl::GetFlag(FLAGS_b),
               .c = absl::GetFlag(FLAGS_out_order)},
      .variant = {.layout = absl::GetFlag(FLAGS_layout),
                  .weight_layout = absl::GetFlag(FLAGS_weight_layout),
                  .alpha = absl::GetFlag(FLAGS_alpha),
                  .relu = absl::GetFlag(FLAGS_relu),
                  .low = absl::GetFlag(FLAGS_low),
                  .high = absl::GetFlag(FLAGS_high),
                  .d0 = absl::GetFlag(FLAGS_d0),
                  .d1 = absl::GetFlag(FLAGS_d1),
                  .unary = absl::GetFlag(FLAGS_unary),
                  .a1 = absl::GetFlag(FLAGS_a1),
                  .b1 = absl::GetFlag(FLAGS_b1)},
      .device = absl::GetFlag(FLAGS_device),
  };
}

gridwise::ExitCode Run(const gridwise::ProblemRequest& request) {
  return gridwise::RunCommand({.request = request,
                               .family = absl::GetFlag(FLAGS_family),
                               .op = absl::GetFlag(FLAGS_op),
                               .instance = absl::GetFlag(FLAGS_instance),
                               .splits = absl::GetFlag(FLAGS_splits),
                               .atomic = absl::GetFlag(FLAGS_atomic),
                               .launch_per_sub_gemm = absl::GetFlag(FLAGS_launch_per_sub_gemm),
                               .workspace_limit = absl::GetFlag(FLAGS_workspace_limit),
                               .seed = absl::GetFlag(FLAGS_seed),
                               .verify = absl::GetFlag(FLAGS_verify),
                               .time = absl::GetFlag(FLAGS_time),
                               .x = absl::GetFlag(FLAGS_x),
                               .w = absl::GetFlag(FLAGS_w),
                               .dy = absl::GetFlag(FLAGS_dy),
                               .out = absl::GetFlag(FLAGS_out),
                               .json = absl::GetFlag(FLAGS_json)});
}

gridwise::ExplainOptions MakeExplainOptions(const gridwise::ProblemRequest& request) {
  return {.request = request,
          .family = absl::GetFlag(FLAGS_family),
          .op = absl::GetFlag(FLAGS_op),
          .instance = absl::GetFlag(FLAGS_instance),
          .json = absl::GetFlag(FLAGS_json)};
}

gridwise::ExitCode Sweep(const gridwise::ProblemRequest& request,
                         const std::vector<std::string>& arguments) {
  return gridwise::SweepCommand({.request = request,
                                 .family = absl::GetFlag(FLAGS_family),
                                 .op = absl::GetFlag(FLAGS_op),
                                 .instance = absl::GetFlag(FLAGS_instance),
                                 .splits = absl::GetFlag(FLAGS_splits),
                                 .all_instances = absl::GetFlag(FLAGS_all_instances),
                                 .first_instances = absl::GetFlag(FLAGS_first_instances),
                                 .random_instances = absl::GetFlag(FLAGS_random_instances),
                                 .best = absl::GetFlag(FLAGS_best),
                                 .quick = absl::GetFlag(FLAGS_quick),
                                 .precise = absl::GetFlag(FLAGS_precise),
                                 .shard = absl::GetFlag(FLAGS_shard),
                                 .max_flops = absl::GetFlag(FLAGS_max_flops).value,
                                 .verify = absl::GetFlag(FLAGS_verify),
                                 .time = absl::GetFlag(FLAGS_time),
                                 .csv = absl::GetFlag(FLAGS_csv),
                                 .seed = absl::GetFlag(FLAGS_seed),
                                 .json = absl::GetFlag(FLAGS_json),
                                 .instances = absl::GetFlag(FLAGS_instances),
                                 .workers = absl::GetFlag(FLAGS_workers),
                                 .run_limit_s = absl::GetFlag(FLAGS_run_limit),
                                 .runs_from_stdin = absl::GetFlag(FLAGS_runs_from_stdin),
                                 .arguments = arguments});
}

gridwise::ExitCode Network(const std::vector<std::string>& words) {
  if (words.size() > 3) return Refuse("network takes one file, as in `gridwise network model.hlo`");
  gridwise::ProblemRequest request = MakeRequest(words[0], absl::GetFlag(FLAGS_direction));
  if (words.size() == 3) request.problems = words[2];
  request.sizes.n = request.gemm.batch;
  request.gemm = {};
  request.training = absl::GetFlag(FLAGS_training);
  return gridwise::NetworkCommand({.request = request,
                                   .family = absl::GetFlag(FLAGS_family),
                                   .op = absl::GetFlag(FLAGS_op),
                                   .time = absl::GetFlag(FLAGS_time),
                                   .json = absl::GetFlag(FLAGS_json),
                                   .html = absl::GetFlag(FLAGS_html),
                                   .compare = absl::GetFlag(FLAGS_compare)});
}

bool IsGiven(const gridwise::CommandLine& line, const char* flag) {
  return std::find(line.flags.begin(), line.flags.end(), flag) != line.flags.end();
}

gridwise::ExitCode Compare(const gridwise::CommandLine& line, gridwise::ProblemRequest request) {
  if (!IsGiven(line, "device")) request.device.clear();
  return gridwise::CompareCommand({.request = request,
                                   .a = absl::GetFlag(FLAGS_a),
                                   .b = absl::GetFlag(FLAGS_b),
                                   .max_flops = absl::GetFlag(FLAGS_max_flops).value,
                                   .verify = absl::GetFlag(FLAGS_verify),
                                   .time = absl::GetFlag(FLAGS_time),
                                   .quick = absl::GetFlag(FLAGS_quick),
                                   .csv = absl::GetFlag(FLAGS_csv),
                                   .markdown = absl::GetFlag(FLAGS_markdown),
                                   .page = absl::GetFlag(FLAGS_page),
                                   .seed = absl::GetFlag(FLAGS_seed),
                                   .published = absl::GetFlag(FLAGS_published)});
}

gridwise::ExitCode List(const gridwise::CommandLine& line) {
  const std::vector<std::string>& words = line.words;
  if (const std::string first = absl::GetFlag(FLAGS_explain); !first.empty()) {
    std::vector<std::string> names = {first};
    names.insert(names.end(), words.begin() + 2, words.end());
    return gridwise::ExplainNamed(
        MakeExplainOptions(MakeRequest(words[0], absl::GetFlag(FLAGS_direction))), names);
  }
  constexpr std::string_view kOfLists[] = {"device", "direction", "family", "problems", "json"};
  for (const std::string& flag : line.flags) {
    if (std::ranges::find(kOfLists, flag) != std::end(kOfLists)) continue;
    return Refuse(absl::StrFormat("%s is given; list takes it only with --explain",
                                  gridwise::Spelling(flag)));
  }
  // The default device of other commands does not restrict the list.
  const bool of_device = IsGiven(line, "device");
  return gridwise::ListCommand(words.size() == 3 ? words[2] : "",
                               {.device = of_device ? absl::GetFlag(FLAGS_device) : "",
                                .direction = absl::GetFlag(FLAGS_direction),
                                .family = absl::GetFlag(FLAGS_family)},
                               absl::GetFlag(FLAGS_problems), words[0], absl::GetFlag(FLAGS_json));
}

std::string DeviceOrArch() {
  const std::string arch = absl::GetFlag(FLAGS_arch);
  return arch.empty() ? absl::GetFlag(FLAGS_device) : arch;
}

gridwise::ExitCode Instances(const std::vector<std::string>& words) {
  const std::string config = absl::GetFlag(FLAGS_config);
  if (words.size() > 3 || (words.size() == 3 && !config.empty())) {
    return Refuse("instances takes one file of traits, as in `gridwise instances FILE`");
  }
  return gridwise::InstancesCommand({.config = words.size() == 3 ? words[2] : config,
                                     .device = DeviceOrArch(),
                                     .where = absl::GetFlag(FLAGS_where),
                                     .list = absl::GetFlag(FLAGS_list),
                                     .count = absl::GetFlag(FLAGS_count),
                                     .export_ = absl::GetFlag(FLAGS_export)});
}

gridwise::ExitCode Problems() {
  return gridwise::ProblemsCommand({.use = absl::GetFlag(FLAGS_use),
                                    .direction = absl::GetFlag(FLAGS_direction),
                                    .seed = absl::GetFlag(FLAGS_seed),
                                    .number = absl::GetFlag(FLAGS_number),
                                    .max_flops = absl::GetFlag(FLAGS_max_flops).value,
                                    .csv = absl::GetFlag(FLAGS_csv)});
}

gridwise::ExitCode Compile(const std::vector<std::string>& words) {
  return gridwise::CompileCommand({.program = words[0],
                                   .names = {words.begin() + 2, words.end()},
                                   .family = absl::GetFlag(FLAGS_family),
                                   .device = DeviceOrArch(),
                                   .direction = absl::GetFlag(FLAGS_direction),
                                   .instances = absl::GetFlag(FLAGS_instances),
                                   .jobs = absl::GetFlag(FLAGS_jobs)});
}

bool AsksForHelp(const std::string& argument) {
  return argument == "help" || argument == "--help" || argument == "-h" || argument == "-help";
}

/// Returns "it is written `gridwise isa --instance=NAME`" for a command. For any other word,
/// returns the command with the nearest name.
std::string WhatIsUnderstood(const std::string& word) {
  if (const gridwise::CommandHelp* command = gridwise::FindCommand(word)) {
    return absl::StrFormat("it is written `gridwise %s`", command->synopsis);
  }
  std::vector<std::string_view> names;
  for (const gridwise::CommandHelp& command : gridwise::Commands()) names.push_back(command.name);
  return absl::StrFormat("the nearest command is %s",
                         gridwise::NearestNames(word, names, /*count=*/1).front());
}

/// Handles "help", "help sweep" and "sweep --help".
gridwise::ExitCode Help(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (const gridwise::CommandHelp* command = gridwise::FindCommand(argument)) {
      gridwise::PrintHelp(stdout, *command);
      return gridwise::kSuccess;
    }
  }
  if (arguments.size() == 3 && arguments[1] == "help" && !AsksForHelp(arguments[2])) {
    return Refuse(absl::StrFormat("there is no help about '%s'; %s", arguments[2],
                                  WhatIsUnderstood(arguments[2])));
  }
  gridwise::PrintUsage(stdout);
  return gridwise::kSuccess;
}

/// Runs a command. Requires that the flags are set from the program's arguments.
gridwise::ExitCode RunCommandLine(const gridwise::CommandLine& line,
                                  const std::vector<std::string>& arguments) {
  const std::vector<std::string>& words = line.words;
  const std::string& command = words[1];
  const std::string direction = absl::GetFlag(FLAGS_direction);
  if (command == "run" || command == "explain") {
    // Without a direction, that of the problem.
    const bool has_problem = !absl::GetFlag(FLAGS_problem).empty();
    if (words.size() != 3 && !(words.size() == 2 && has_problem)) {
      return Refuse(absl::StrFormat("%s takes one direction or gemm, as in `gridwise %s bwd_data`",
                                    command, command));
    }
    const gridwise::ProblemRequest request =
        MakeRequest(words[0], words.size() == 3 ? words[2] : "");
    return command == "run" ? Run(request) : gridwise::ExplainCommand(MakeExplainOptions(request));
  }
  if (command == "sweep" && words.size() == 2)
    return Sweep(MakeRequest(words[0], direction), arguments);
  if (command == "compare" && words.size() == 2)
    return Compare(line, MakeRequest(words[0], direction));
  if (command == "list" && (words.size() <= 3 || !absl::GetFlag(FLAGS_explain).empty()))
    return List(line);
  if (command == "isa" && words.size() == 2) {
    return gridwise::IsaCommand({.program = words[0],
                                 .instance = absl::GetFlag(FLAGS_instance),
                                 .family = absl::GetFlag(FLAGS_family),
                                 .device = absl::GetFlag(FLAGS_device),
                                 .direction = direction});
  }
  if (command == "instances") return Instances(words);
  if (command == "compile") return Compile(words);
  const std::vector<std::string> files(words.begin() + 2, words.end());
  if (command == "validate") {
    return gridwise::ValidateCommand({.tables = files,
                                      .model = absl::GetFlag(FLAGS_model),
                                      .against = absl::GetFlag(FLAGS_against)});
  }
  if (command == "features") {
    return gridwise::FeaturesCommand(files, absl::GetFlag(FLAGS_csv));
  }
  if (command == "report") return gridwise::ReportCommand(files, absl::GetFlag(FLAGS_html));
  if (command == "merge") return gridwise::MergeCommand(files, absl::GetFlag(FLAGS_csv));
  if (command == "problems" && words.size() == 2) return Problems();
  if (command == "network") return Network(words);
  if (command == "import") {
    return gridwise::ImportCommand({.program = words[0],
                                    .files = files,
                                    .batch = absl::GetFlag(FLAGS_batch),
                                    .csv = absl::GetFlag(FLAGS_csv)});
  }
  if (command == "sim" && words.size() == 3 && words[2] == "isa") {
    const std::string target = absl::GetFlag(FLAGS_target);
    return gridwise::SimIsaCommand(target.empty() ? absl::GetFlag(FLAGS_device) : target);
  }
  return Refuse(absl::StrFormat(
      "'%s' is not understood; %s, and `gridwise help` lists the commands",
      absl::StrJoin(words.begin() + 1, words.end(), " "), WhatIsUnderstood(command)));
}

}  // namespace

int main(int argc, char** argv) {
  const absl::StatusOr<std::vector<std::string>> ours =
      gridwise::InOurWords(std::vector<std::string>(argv, argv + argc));
  if (!ours.ok()) return gridwise::Fail(ours.status());
  const std::vector<std::string>& arguments = *ours;
  if (std::any_of(arguments.begin() + 1, arguments.end(), AsksForHelp)) return Help(arguments);
  if (argc == 2 && arguments[1] == "--version") {
    absl::PrintF("gridwise %s\n", gridwise::kVersion);
    return gridwise::kSuccess;
  }
  const absl::StatusOr<gridwise::CommandLine> line =
      gridwise::ParseCommandLine(arguments, gridwise::AllFlags());
  if (!line.ok()) return gridwise::Fail(line.status());
  if (line->words.size() < 2) {
    if (!line->flags.empty()) {
      return Refuse(absl::StrFormat("%s is given and no command; `gridwise help` lists them",
                                    gridwise::Spelling(line->flags.front())));
    }
    gridwise::PrintUsage(stderr);
    return gridwise::kBadUsage;
  }
  if (const gridwise::CommandHelp* command = gridwise::FindCommand(line->words[1])) {
    for (const std::string& flag : line->flags) {
      if (std::find(command->flags.begin(), command->flags.end(), flag) != command->flags.end())
        continue;
      return Refuse(absl::StrFormat("%s takes no %s; `gridwise help %s` lists its flags",
                                    command->name, gridwise::Spelling(flag), command->name));
    }
  }
  return RunCommandLine(*line, arguments);
}
