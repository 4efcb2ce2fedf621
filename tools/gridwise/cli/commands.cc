// SPDX-License-Identifier: MIT
#include "tools/gridwise/cli/commands.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

namespace gridwise {
namespace {

template <class... Names>
constexpr std::array<std::string_view, sizeof...(Names)> Flags(Names... names) {
  return {names...};
}

template <std::size_t... kCounts>
constexpr auto Join(const std::array<std::string_view, kCounts>&... lists) {
  std::array<std::string_view, (kCounts + ...)> all;
  auto end = all.begin();
  ((end = std::copy(lists.begin(), lists.end(), end)), ...);
  return all;
}

constexpr auto kNamed = Flags("problem", "problems");
constexpr auto kSizes =
    Flags("n", "c", "k", "groups", "in", "filter", "stride", "dilation", "pad", "pad_end");
constexpr auto kTransposed = Flags("output_padding");
constexpr auto kMatrices = Flags("batch", "m", "a", "b", "out_order");
constexpr auto kVariant = Flags("type", "out_type", "layout", "weight_layout", "alpha", "d0", "d1",
                                "relu", "low", "high", "unary", "a1", "b1");
constexpr auto kChoice = Flags("device", "family", "op", "instance");

constexpr auto kRunFlags = Join(kNamed, kSizes, kTransposed, kMatrices, kVariant, kChoice,
                                Flags("splits", "atomic", "launch_per_sub_gemm", "workspace_limit",
                                      "verify", "time", "seed", "x", "w", "dy", "out", "json"));

constexpr CommandHelp kRun = {
    .name = "run",
    .synopsis = "run DIRECTION FLAGS",
    .summary = "compute a convolution or gemm on a device, and compare it with a reference",
    .details =
        R"(DIRECTION is fwd (y from x and w), bwd_data (dx from dy and w), bwd_weight (dw from dy and x), gemm, or conv_transpose.
gemm multiplies matrices: C (m x n) from A (m x k) and B (k x n). conv_transpose is a transposed convolution with the sizes of a
framework: --c and --in are those of its input, --k its output channels, --output-padding the pixels that stride leaves open, and
--pad=same has in * stride output pixels. The output says which bwd_data it is: its dy is the input, its dx the output.

Sizes may have the names of PyTorch and ONNX: --kernel-size, --padding, --pads=0,0,1,1, --auto-pad=SAME_UPPER, --strides. --problem may
be a layer as PyTorch or ONNX prints it, without sizes of images, or a command line of MIOpenDriver, also without quotes. DIRECTION may be
left out if the problem has one. Flags of sizes override those of the problem.

  gridwise run bwd_data --problem=almiopen-1959 --device=gfx942 --verify
  gridwise run bwd_data --n=32 --c=256 --k=36 --in=13x13 --filter=3x3 --pad=1 --verify
  gridwise run bwd_data --problem=almiopen-1959 --time
  gridwise run conv_transpose --n=8 --c=64 --k=32 --in=14x14 --filter=3 --stride=2 --pad=1 --output-padding=1 --verify
  gridwise run fwd --problem='Conv2d(64, 128, kernel_size=(3, 3), padding=same)' --n=32 --in=56x56 --verify
  gridwise run MIOpenDriver convfp16 -n 32 -c 64 -H 56 -W 56 -k 64 -p 1 -q 1 -F 1 --verify
  gridwise run gemm --batch=8 --m=512 --n=512 --k=64 --a=row --b=col --verify
  gridwise run bwd_data --dy=dy.npy --w=w.npy --stride=2 --pad=1 --out=dx.npy

Tensors in files are packed, in the order of --layout and --weight-layout. They are little-endian float16, float32 or int8:

  nhwgc  [n][in...][c] or [n][in...][g][c/g]     gkyxc  [k][filter...][c/g] or [g][k/g][filter...][c/g]
  gnhwc  [g][n][in...][c/g]                      kyxgc  [k/g][filter...][c] or [k/g][filter...][g][c/g]
  ngchw  [n][c][in...] or [n][g][c/g][in...]

Values from files are rounded to --type. The output file is int32 if the output's type is. It is float16 if the output's type
is float16 and the first operand's file is not float32. Otherwise it is float32.

Sizes that you do not give come from the files. If stride > 1 allows several input sizes, the smallest is used unless you give
--in.

Environment variables for simulated devices:
  GRIDWISE_SIM=check               finds races, missing waits and undefined values
  GRIDWISE_SIM_TIME_REPORT=PATH    with --time: writes a page of all launches (PATH.html) and a trace of each (PATH.1.trace.json)
)",
    .flags = kRunFlags};

constexpr auto kExplainFlags =
    Join(kNamed, kSizes, kTransposed, kMatrices, kVariant, kChoice, Flags("json"));

constexpr CommandHelp kExplain = {
    .name = "explain",
    .synopsis = "explain DIRECTION FLAGS",
    .summary = "show what each kernel would cost, or why it cannot run",
    .details =
        R"(Lists the instances that compute the problem with their estimates, cheapest first. Then lists the other instances with the
reason why they cannot. Marks the planner's choice. Needs no device.

  gridwise explain fwd --problem=l2.conv2b --device=gfx950
  gridwise explain fwd --problem='y = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (x, w)' --n=8 --c=64 --k=64 --in=56x56
  gridwise explain bwd_weight --c=64 --k=64 --groups=32 --in=56x56 --filter=3x3 --pad=1 --json
)",
    .flags = kExplainFlags};

constexpr auto kSweepFlags =
    Join(kNamed, Flags("direction"), kSizes, kMatrices, kVariant, kChoice,
         Flags("all_instances", "first_instances", "random_instances", "best", "quick", "precise",
               "splits", "shard", "max_flops", "verify", "time", "seed", "csv", "json", "instances",
               "workers", "run_limit", "runs_from_stdin"));

constexpr CommandHelp kSweep = {
    .name = "sweep",
    .synopsis = "sweep FLAGS",
    .summary = "compute every problem of a set, into a CSV table",
    .details =
        R"(Computes every problem of a set in the directions that the set names. It uses the instance that the planner chooses, or with
--all-instances every instance that accepts the problem. Without a set, the sizes on the command line are the problem.

Each run prints a line. With --csv, it also writes a record to the file at once, so that an interrupted sweep can continue.
docs/tables.md explains the columns. The output ends with a summary: the slowest and the least efficient layers by the planner's
estimate, or with --time the fastest instance of each problem. For a single problem it lists all instances, fastest first.

With --time the table has these times, and what limits each run:
  - ms in long runs, with the interval that the uncertain parameters of the simulated machine allow
  - ms in short runs
  - TFLOP/s, and the fraction of the roofline

Samples of --time, from small to large:
  --all-instances              a small sample, without limiter and interval; also --first-instances and --random-instances
  --all-instances --precise    a larger sample, without limiter and interval
  --all-instances --best       the larger sample, but only the fastest instance is timed to the end; --quick: the small sample

--best times instances in the planner's order. An instance that takes longer than the best one so far is "slower" in the table,
with a lower bound of its time.

  gridwise sweep --problems=retinanet --direction=fwd --device=gfx942 --n=1 --max-flops=2G --verify --csv=out.csv
  gridwise sweep --problems=retinanet --device=gfx942 --n=32 --time --csv=time.csv
  gridwise sweep --problems=transformers --device=gfx942 --max-flops=1G --verify
  gridwise sweep --direction=bwd_data --n=32 --c=256 --k=256 --in=25x25 --filter=3x3 --pad=1 --stride=2 --all-instances --time
  gridwise sweep convfp16 -n 32 -c 64 -H 56 -W 56 -k 64 -p 1 -q 1 -F 0 --first-instances=3 --time
  gridwise sweep --problems=mine.csv --csv=- >out.csv
  gridwise sweep --problems=mine.csv --instances=instances.json --workers=8 --run-limit=60 --verify --csv=out.csv

With --workers other processes do the runs. A crash or a hang then affects only its own line of the table, which reports it.
)",
    .flags = kSweepFlags};

constexpr auto kCompareFlags =
    Join(kNamed, Flags("a", "b", "published", "direction", "device"), kSizes, kVariant,
         Flags("max_flops", "verify", "time", "quick", "seed", "csv", "markdown", "page"));

constexpr CommandHelp kCompare = {
    .name = "compare",
    .synopsis = "compare --a=CHOICE --b=CHOICE",
    .summary = "compare families, ops or instances on a set",
    .details =
        R"(Compares two choices on every problem of a set by the planner's estimates, which are not measurements. With --time, compares
them by the device or the simulator's clock. With --verify, computes both and compares the results with the reference. In the
simulator, it then also counts vector instructions per matrix instruction.

A choice is a comma-separated list of family=, op= (several are joined by +), instance=, splits= and launches=per_sub_gemm. An
empty choice allows everything.

  gridwise compare --a=family=ck,op=wavelet --b=family=ck,op=cshuffle_v3 --problems=retinanet --direction=bwd_weight
  gridwise compare --a=family=ck --b=family=tile --problems=regressions --max-flops=100M --verify --csv=out.csv
  gridwise compare --published=sub_gemms --time --markdown=out.md --page=out.html

--published repeats a published comparison, on its device unless you name another. It prints the published measurement next to
each problem, and finally how many winners agree:
  sub_gemms       backward-data with strides: one launch per sub-GEMM against one launch
  wavelet         backward-weight of RetinaNet: wavelet against the other ops
  classic_tile    backward-data of RetinaNet: the family ck against tile
)",
    .flags = kCompareFlags};

constexpr auto kListFlags =
    Join(Flags("explain", "direction"), kSizes, kVariant, kChoice, Flags("problems", "json"));

constexpr CommandHelp kList = {.name = "list",
                               .synopsis = "list [targets|instances|problems|support]",
                               .summary = "list what is available",
                               .details = R"(Without an argument, lists everything in short form.

  gridwise list instances --device=gfx1100 --direction=fwd --family=tile
  gridwise list support --family=ck                which op computes what on which target, as a Markdown table;
                                                   --direction= and --device= restrict it, too
  gridwise list --explain almiopen-1959 gemms9     like explain, for named problems in the directions of their set
)",
                               .flags = kListFlags};

constexpr auto kIsaFlags = Flags("instance", "device", "direction", "family");

constexpr CommandHelp kIsa = {
    .name = "isa",
    .synopsis = "isa --instance=NAME",
    .summary = "disassemble a kernel, with its main loop marked",
    .details =
        R"(Shows the compiled kernel of an instance: registers, LDS, scratch, the instructions of its main loop, and the disassembly. Lines
of the main loop begin with a bar. With --direction, an instance that is not built in is compiled.

  gridwise isa --instance=f16_t128x128x32_w2x2_mfma32x32x8_a8x1_b8x1_o3 --direction=fwd --device=gfx942
)",
    .flags = kIsaFlags};

constexpr auto kInstancesFlags =
    Flags("config", "device", "arch", "where", "list", "count", "export");

constexpr CommandHelp kInstances = {
    .name = "instances",
    .synopsis = "instances FILE",
    .summary = "make instances from a file of traits",
    .details =
        R"(Makes the cross product of a file's traits, without the configurations that the target does not support. --count, the
default, prints the number of instances, and the number of rejected configurations by reason.

  gridwise instances tools/tune/examples/fwd.json --arch=gfx950
  gridwise instances traits.json --arch=gfx950 --where="tile_n >= 128 and schedule == 'wavelet'" --list
  gridwise instances traits.json --arch=gfx950 --export=instances.json

tools/tune/README.md describes the file. It may also be a file of CK Tile's tile engine, in that engine's words:

  gridwise instances forward_bf16.json --arch=gfx950 --filter="c.tile_n >= 128 and c.pipeline == 'compv5'" --count-only
)",
    .flags = kInstancesFlags};

constexpr auto kCompileFlags = Flags("family", "device", "arch", "direction", "instances", "jobs");

constexpr CommandHelp kCompile = {
    .name = "compile",
    .synopsis = "compile NAME... | --instances=FILE",
    .summary = "compile kernels that are not built in",
    .details =
        R"(Compiles kernels of any config, built in or not, with the compiler of this machine. The kernels are kept in
$XDG_CACHE_HOME/gridwise or ~/.cache/gridwise. `run --instance=NAME` finds a kernel there, or compiles it. (bazelw keeps its own
packages in the same folder, unless BAZELW_HOME names another.)

  gridwise compile f16_t128x64x64_w2x2_mfma32x32x8_a8x1_b8x1_o2 --direction=fwd --device=gfx942
  gridwise compile --instances=instances.json --jobs=8
)",
    .flags = kCompileFlags};

constexpr auto kImportFlags = Flags("batch", "csv");

constexpr CommandHelp kImport = {
    .name = "import",
    .synopsis = "import FILE...",
    .summary = "make a problem set of logs, traces and programs of other libraries",
    .details =
        R"(Finds the convolutions of files of other programs and writes them as a problem set, equal ones once with their number. Prints to
stderr what was read, what was left out, and what is wrong, by line. The content of a file tells its kind:
  command lines of MIOpenDriver, ckProfiler and Composable Kernel's examples, alone or in a log
  logs of MIOPEN_ENABLE_LOGGING_CMD=1
  find-db and perf-db of MIOpen, in text form
  text of XLA (--xla_dump_to) and StableHLO (lower().as_text() of JAX)
  traces of PyTorch's profiler with record_shapes=True (export_chrome_trace), also compressed
  programs of torch.export and logs of torch.compile's aot_graphs, as text
  graphs of cuDNN's front end and of hipDNN in JSON, and logs that have them
  logs of cuDNN (CUDNN_LOGLEVEL_DBG=3) and of its front end (CUDNN_FRONTEND_LOG_INFO=1)
  ONNX models, with one image where the model leaves their number open, or --batch

Types and layouts are those of the file. Where a layout has no counterpart, the nearest one is taken and the note says so. All
other commands that take --problems read such files, too.

  MIOPEN_ENABLE_LOGGING_CMD=1 python train.py 2>miopen.log
  gridwise import miopen.log --csv=problems.csv
  gridwise sweep --problems=miopen.log --device=MI300X
)",
    .flags = kImportFlags};

constexpr auto kNetworkFlags = Join(Flags("problems", "direction", "training", "batch", "time",
                                          "json", "html", "device", "compare", "family", "op"),
                                    kVariant);

constexpr CommandHelp kNetwork = {
    .name = "network",
    .synopsis = "network FILE",
    .summary = "show what the convolutions of a network take, layer by layer and together",
    .details =
        R"(Prints the convolutions of a network in their order: how often each occurs, which kernel computes it, how long that takes by the
planner's estimate, its share of the whole, its part of the roofline, and what limits it. Then prints what all take together.
With --time, the times are those of the device or of the simulator's clock.

FILE is any problem set or file that `gridwise help import` lists. Types, layouts and batch sizes are those of the file, unless
flags give others.

With --html, it also writes a page that needs nothing but itself: what would help most, the layers as a chart and as a table that
sorts and filters, and their roofline. --compare shows a second device beside the first, in the table, in JSON and on the page.

  gridwise network resnet50.onnx --device=MI355X --batch=32 --type=f16 --layout=nhwgc
  gridwise network resnet50.onnx --device=MI355X --compare=MI300X --batch=32 --type=f16 --layout=nhwgc --html=page.html
  gridwise network module.hlo.txt --device=MI300X --batch=32 --type=bf16 --layout=nhwgc --training
  gridwise network retinanet --device=gfx950 --json
)",
    .flags = kNetworkFlags};

constexpr auto kProblemsFlags = Flags("use", "direction", "seed", "number", "max_flops", "csv");

constexpr CommandHelp kProblems = {
    .name = "problems",
    .synopsis = "problems --use=USE",
    .summary = "make a problem set, by a seeded generator",
    .details =
        R"(Generates layers of published and similar networks, and an equal number of synthetic layers. Sets of different uses share no
geometry, whatever their batch sizes. The same flags write the same file on every machine.

  gridwise problems --use=training --direction=bwd_data --number=1500 --csv=training.csv
  gridwise problems --use=test --direction=bwd_data --number=300 --seed=7 --max-flops=50G --csv=test.csv
)",
    .flags = kProblemsFlags};

constexpr auto kValidateFlags = Flags("model", "against");

constexpr CommandHelp kValidate = {
    .name = "validate",
    .synopsis = "validate TABLE...",
    .summary = "compare the planner's choices with the best kernels of sweeps",
    .details =
        R"(For each problem with several timed kernels, computes (best time) / (time of the chosen kernel) for four ways to choose:
  planner                  the planner's current choice
  estimates                the kernel of least estimate
  model wherever trained   the kernel that the model ranks first, in every group that it was trained on
  largest tile             the kernel with the largest tile

The columns are the mean, median, tenth percentile and minimum of that ratio; how often the first choice is the best kernel; how
often one of the first three is; and the mean for the fastest of the first three.

  gridwise problems --use=test --number=20 --max-flops=2G --csv=test.csv
  gridwise sweep --problems=test.csv --all-instances --time --csv=times.csv
  gridwise validate times.csv --against=oracle
)",
    .flags = kValidateFlags};

constexpr auto kFeaturesFlags = Flags("csv");

constexpr CommandHelp kFeatures = {
    .name = "features",
    .synopsis = "features TABLE...",
    .summary = "write the training data of models",
    .details =
        R"(Writes one line per time: the problem, the instance, the planner's estimate, the time and the features for the model.

  gridwise features times.csv more.csv --csv=features.csv

tools/tune/train.py calls this command.
)",
    .flags = kFeaturesFlags};

constexpr auto kReportFlags = Flags("html");

constexpr CommandHelp kReport = {
    .name = "report",
    .synopsis = "report TABLE...",
    .summary = "write a page about the times of sweeps",
    .details =
        R"(Writes a page that needs nothing but itself: the best kernel of each problem, as a table that sorts and filters. If problems
have several times, it also shows how close every other kernel comes to the best, the wins by family, and the efficiency of the
planner's choices.

  gridwise report times.csv --html=report.html
)",
    .flags = kReportFlags};

constexpr auto kMergeFlags = Flags("csv");

constexpr CommandHelp kMerge = {
    .name = "merge",
    .synopsis = "merge TABLE...",
    .summary = "merge the tables of a sweep's shards",
    .details =
        R"(If several records have the same problem, instance and result, the first one counts.

  gridwise sweep --problems=test.csv --time --all-instances --shard=1/2 --csv=1.csv
  gridwise sweep --problems=test.csv --time --all-instances --shard=2/2 --csv=2.csv
  gridwise merge 1.csv 2.csv --csv=times.csv
)",
    .flags = kMergeFlags};

constexpr auto kSimFlags = Flags("target", "device");

constexpr CommandHelp kSim = {.name = "sim",
                              .synopsis = "sim isa",
                              .summary = "list the instructions that the simulator cannot execute",
                              .details = R"(  gridwise sim isa --target=gfx950
)",
                              .flags = kSimFlags};

constexpr CommandHelp kCommands[] = {kRun,       kExplain, kSweep,  kCompare, kList,     kIsa,
                                     kInstances, kCompile, kImport, kNetwork, kProblems, kValidate,
                                     kFeatures,  kReport,  kMerge,  kSim};

}  // namespace

std::span<const CommandHelp> Commands() { return kCommands; }

const CommandHelp* FindCommand(std::string_view name) {
  const auto* const found = std::ranges::find(kCommands, name, &CommandHelp::name);
  return found == std::end(kCommands) ? nullptr : found;
}

std::vector<std::string_view> AllFlags() {
  std::vector<std::string_view> all;
  for (const CommandHelp& command : kCommands) {
    for (const std::string_view flag : command.flags) {
      if (std::find(all.begin(), all.end(), flag) == all.end()) all.push_back(flag);
    }
  }
  return all;
}

}  // namespace gridwise
