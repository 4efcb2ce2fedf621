#include "tools/gridwise/cli/help.h"

#include <algorithm>
#include <string>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/gridwise/cli/flags.h"
#include "tools/gridwise/cli/terminal.h"

namespace gridwise {
namespace {

using Flags = std::vector<std::string_view>;

Flags Join(std::initializer_list<Flags> lists) {
  Flags all;
  for (const Flags& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

const Flags kNamed = {"problem", "problems"};
const Flags kSizes = {"n",      "c",      "k",        "groups", "in",
                      "filter", "stride", "dilation", "pad",    "pad_end"};
const Flags kMatrices = {"batch", "m", "a", "b", "out_order"};
const Flags kVariant = {"type", "out_type", "layout", "weight_layout", "alpha", "d0", "d1",
                        "relu", "low",      "high",   "unary",         "a1",    "b1"};
const Flags kChoice = {"device", "family", "op", "instance"};

constexpr std::string_view kRunDetails =
    R"(DIRECTION is fwd (y from x and w), bwd_data (dx from dy and w) or bwd_weight (dw from dy and x), or gemm: matrices, C from A
and B, m x n from m x k and k x n.

  gridwise run bwd_data --problem=almiopen-1959 --device=gfx942 --verify
  gridwise run bwd_data --n=32 --c=256 --k=36 --in=13x13 --filter=3x3 --pad=1 --verify
  gridwise run bwd_data --problem=almiopen-1959 --time
  gridwise run gemm --batch=8 --m=512 --n=512 --k=64 --a=row --b=col --verify
  gridwise run bwd_data --dy=dy.npy --w=w.npy --stride=2 --pad=1 --out=dx.npy

Tensors of files are packed, in the order of --layout and --weight-layout, little-endian float16, float32 or int8:

  nhwgc  [n][in...][c] or [n][in...][g][c/g]     gkyxc  [k][filter...][c/g] or [g][k/g][filter...][c/g]
  gnhwc  [g][n][in...][c/g]                      kyxgc  [k/g][filter...][c] or [k/g][filter...][g][c/g]
  ngchw  [n][c][in...] or [n][g][c/g][in...]

Files are rounded to --type, and the output is written as int32 where that is its type, as float16 where that is and the
first operand's file is not float32, else as float32. Sizes that are not given are taken from the files; where
stride > 1 leaves a choice of input sizes, the smallest is, unless --in says.

On simulated devices GRIDWISE_SIM=check in the environment looks for races, missing waits and undefined values, and with
--time GRIDWISE_SIM_TIME_REPORT=PATH writes a page (PATH.1.html) and a trace (PATH.1.trace.json) of each launch.
)";

constexpr std::string_view kExplainDetails =
    R"(The instances that compute the problem, the cheapest first, with their estimate, and the reasons of those that cannot. The
planner's choice is marked. Needs no device.

  gridwise explain fwd --problem=l2.conv2b --device=gfx950
  gridwise explain bwd_weight --c=64 --k=64 --groups=32 --in=56x56 --filter=3x3 --pad=1 --json
)";

constexpr std::string_view kSweepDetails =
    R"(Computes every problem of a set in the directions that the set names, the planner's instance of each or, with --all-instances,
every instance that accepts it. Each ends as a line, and with --csv as a record that reaches the file at once: a sweep that was
interrupted goes on where it was. At last come the slowest and the least efficient layers, by the planner's estimate; of times
the fastest instance of each problem, and of a single problem all instances, the fastest first. Sizes without a set are a problem of their own.
docs/tables.md says what the columns are.

With --time the table says how long each takes: ms in long runs, with the interval that the simulated machine's
uncertain parameters leave, ms in short ones, TFLOP/s, the part of the roofline's bound, and what limits it. With --all-instances too it is
quicker, from a smaller sample, and leaves out limiter and interval; with --precise only these. With --best as well
instances are timed in the order in which the planner ranks them, and of those that take longer than the best one so far no more than that is
found out: "slower" in the table, with a bound of their time. Its sample is larger, so that times are more precise, unless --quick asks for that of --all-instances.

  gridwise sweep --problems=retinanet --direction=fwd --device=gfx942 --n=1 --max-flops=2G --verify --csv=out.csv
  gridwise sweep --problems=retinanet --device=gfx942 --n=32 --time --csv=time.csv
  gridwise sweep --problems=transformers --device=gfx942 --max-flops=1G --verify
  gridwise sweep --direction=bwd_data --n=32 --c=256 --k=256 --in=25x25 --filter=3x3 --pad=1 --stride=2 --all-instances --time
  gridwise sweep --problems=mine.csv --csv=- >out.csv
  gridwise sweep --problems=mine.csv --instances=instances.json --workers=8 --run-limit=60 --verify --csv=out.csv

With --workers every run is a process of its own: one that crashes or hangs is one line of the table, which says so.
)";

constexpr std::string_view kCompareDetails =
    R"(Two choices on every problem of a set, by the planner's estimates, which are no measurements, or with --time by the
device or the simulator's clock. With --verify both are computed: results are compared with the reference, and in the simulator the
vector instructions for each matrix instruction are counted. A choice is family=, op= (several: joined by +), instance=, splits= or
launches=per_sub_gemm, joined by commas; none is all that there is.

  gridwise compare --a=family=ck,op=wavelet --b=family=ck,op=cshuffle_v3 --problems=retinanet --direction=bwd_weight
  gridwise compare --a=family=ck --b=family=tile --problems=regressions --max-flops=100M --verify --csv=out.csv
  gridwise compare --published=sub_gemms --time --markdown=out.md --page=out.html

--published repeats a comparison on the device that it is of, if no other is named, and says beside each problem what others
have measured, and at the end how many winners are the same: sub_gemms (backward-data with strides, a launch per sub-GEMM against one),
wavelet (backward-weight of RetinaNet against the other ops), classic_tile (its backward-data by the families ck and tile).
)";

constexpr std::string_view kListDetails =
    R"(Without a word, all of it in short.

  gridwise list instances --device=gfx1100 --direction=fwd --family=tile
  gridwise list support --family=ck                which op computes what on which target, as a Markdown table
  gridwise list --explain almiopen-1959 gemms9     as explain, for problems by name, in their directions
)";

constexpr std::string_view kIsaDetails =
    R"(The kernel of an instance as the compiler made it: registers, LDS, scratch, what its main loop consists of, and the
disassembly, in which lines of the main loop begin with a bar. With --direction, an instance that is not built in is compiled.

  gridwise isa --instance=f16_t128x128x32_w2x2_mfma32x32x8_a8x1_b8x1_o3 --direction=fwd --device=gfx942
)";

constexpr std::string_view kInstancesDetails =
    R"(The cross product of a file's traits, less what cannot be compiled for the target: how much of it, by reason, says
--count, which is what happens without --list and --export.

  gridwise instances tools/tune/examples/fwd.json --arch=gfx950
  gridwise instances traits.json --arch=gfx950 --where="tile_n >= 128 and schedule == 'wavelet'" --list
  gridwise instances traits.json --arch=gfx950 --export=instances.json

tools/tune/README.md describes the file, which may also be one of CK Tile's tile engine, with its own words:

  gridwise instances forward_bf16.json --arch=gfx950 --filter="c.tile_n >= 128 and c.pipeline == 'compv5'" --count-only
)";

constexpr std::string_view kCompileDetails =
    R"(Kernels of any config, built in or not, by the compiler of this machine. What was compiled is kept in
$XDG_CACHE_HOME/gridwise or ~/.cache/gridwise; `run --instance=NAME` finds it there, or compiles it. (bazelw looks for its
own packages there too, unless BAZELW_HOME says where they are.)

  gridwise compile f16_t128x64x64_w2x2_mfma32x32x8_a8x1_b8x1_o2 --direction=fwd --device=gfx942
  gridwise compile --instances=instances.json --jobs=8
)";

constexpr std::string_view kProblemsDetails =
    R"(Layers of published networks and of ones like them, and as many synthetic ones; sets of different uses share no
geometry, whatever their batches. The same flags write the same file on every machine.

  gridwise problems --use=training --direction=bwd_data --number=1500 --csv=training.csv
  gridwise problems --use=test --direction=bwd_data --number=300 --seed=7 --max-flops=50G --csv=test.csv

A list of MIOpenDriver's command lines, as MIOpen publishes of networks, becomes the set of its problems:

  gridwise problems --miopen=Resnet50_v1_FP16_BS64.txt --csv=resnet50.csv
  gridwise sweep --problems=resnet50.csv --time
)";

constexpr std::string_view kValidateDetails =
    R"(Of each problem that several kernels were timed on, the best one's time by that of the planner's choice, as it is now, of
the least estimate, of the model's first wherever it has been trained, and of the largest tile: mean, median, tenth percentile and minimum of
that; how often the first is the best kernel, or one of the first three is, and the mean of the fastest of the first three.

  gridwise problems --use=test --number=20 --max-flops=2G --csv=test.csv
  gridwise sweep --problems=test.csv --all-instances --time --csv=times.csv
  gridwise validate times.csv --against=oracle
)";

constexpr std::string_view kFeaturesDetails =
    R"(A line for each time: the problem, the instance, the planner's estimate, the time and the numbers that models are told.

  gridwise features times.csv more.csv --csv=features.csv

tools/tune/train.py calls it.
)";

constexpr std::string_view kReportDetails =
    R"(The best kernel of each problem, how near every kernel comes to it on every problem, the wins by family, and how the
efficiency of the planner's choices is distributed. The page needs nothing but itself.

  gridwise report times.csv --html=report.html
)";

constexpr std::string_view kMergeDetails =
    R"(Of several records of a problem on an instance with one result, the first one counts.

  gridwise sweep --problems=test.csv --time --all-instances --chunk=1/2 --csv=1.csv
  gridwise sweep --problems=test.csv --time --all-instances --chunk=2/2 --csv=2.csv
  gridwise merge 1.csv 2.csv --csv=times.csv
)";

constexpr std::string_view kSimDetails =
    R"(  gridwise sim isa --target=gfx950
)";

}  // namespace

const std::vector<CommandHelp>& Commands() {
  static const auto* const commands = new std::vector<CommandHelp>{
      {"run", "run DIRECTION FLAGS",
       "compute a convolution or gemm on a device, and compare it with a reference", kRunDetails,
       Join({kNamed,
             kSizes,
             kMatrices,
             kVariant,
             kChoice,
             {"splits", "atomic", "launch_per_sub_gemm", "workspace_limit", "verify", "time",
              "seed", "x", "w", "dy", "out", "json"}})},
      {"explain", "explain DIRECTION FLAGS", "tell what each kernel would cost, or why it cannot",
       kExplainDetails, Join({kNamed, kSizes, kMatrices, kVariant, kChoice, {"json"}})},
      {"sweep", "sweep FLAGS", "compute every problem of a set, into a CSV table", kSweepDetails,
       Join({kNamed,
             {"direction"},
             kSizes,
             kMatrices,
             kVariant,
             kChoice,
             {"all_instances", "first_instances", "random_instances", "best", "quick", "precise",
              "chunk", "max_flops", "verify", "time", "seed", "csv", "json", "instances", "workers",
              "run_limit"}})},
      {"compare", "compare --a=CHOICE --b=CHOICE", "two families, ops or instances on a set",
       kCompareDetails,
       Join({kNamed,
             {"a", "b", "published", "direction", "device"},
             kSizes,
             kVariant,
             {"max_flops", "verify", "time", "quick", "seed", "csv", "markdown", "page"}})},
      {"list", "list [targets|instances|problems|support]", "say what there is", kListDetails,
       Join({{"explain", "direction"}, kSizes, kVariant, kChoice, {"problems", "json"}})},
      {"isa",
       "isa --instance=NAME",
       "disassemble a kernel, with its main loop marked",
       kIsaDetails,
       {"instance", "device", "direction", "family"}},
      {"instances",
       "instances FILE",
       "make instances of a file of traits",
       kInstancesDetails,
       {"config", "device", "arch", "where", "list", "count", "export"}},
      {"compile",
       "compile NAME... | --instances=FILE",
       "compile kernels that are not built in",
       kCompileDetails,
       {"family", "device", "arch", "direction", "instances", "jobs"}},
      {"problems",
       "problems --use=USE",
       "make a problem set, by a seeded generator or of MIOpenDriver's command lines",
       kProblemsDetails,
       {"use", "direction", "seed", "number", "max_flops", "miopen", "csv"}},
      {"validate",
       "validate TABLE...",
       "compare the planner's choices with the best kernels of sweeps",
       kValidateDetails,
       {"model", "against"}},
      {"features",
       "features TABLE...",
       "write what models are trained on",
       kFeaturesDetails,
       {"csv"}},
      {"report",
       "report TABLE...",
       "write a page about the times of sweeps",
       kReportDetails,
       {"html"}},
      {"merge",
       "merge TABLE...",
       "put the tables of a sweep's chunks together",
       kMergeDetails,
       {"csv"}},
      {"sim",
       "sim isa",
       "say which instructions the simulator cannot execute",
       kSimDetails,
       {"target", "device"}}};
  return *commands;
}

const CommandHelp* FindCommand(std::string_view name) {
  for (const CommandHelp& command : Commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

std::vector<std::string_view> AllFlags() {
  Flags all;
  for (const CommandHelp& command : Commands()) {
    for (const std::string_view flag : command.flags) {
      if (std::find(all.begin(), all.end(), flag) == all.end()) all.push_back(flag);
    }
  }
  return all;
}

void PrintUsage(std::FILE* file) {
  absl::FPrintF(file,
                "gridwise: grouped convolutions and matrix multiplications on AMD GPUs, simulated "
                "or real\n\n");
  for (const CommandHelp& command : Commands()) {
    absl::FPrintF(file, "  gridwise %-37s %s\n", command.synopsis, command.summary);
  }
  std::fputs(R"(
  gridwise help COMMAND                          all about a command, its flags and examples

Examples
  gridwise run bwd_data --problem=almiopen-1959 --device=gfx942 --verify
  gridwise explain fwd --n=8 --c=64 --k=64 --in=56x56 --filter=3x3 --pad=1

Exit status
  0  done, and the result is right if --verify was given
  1  the result is wrong; of sweep: some result is wrong or could not be computed
  2  bad usage: a flag, a file, or a problem that is invalid or that no kernel accepts
  3  no such device, or the device failed
)",
             file);
}

void PrintHelp(std::FILE* file, const CommandHelp& command) {
  absl::FPrintF(file, "%s: %s\n\n%s%s", Bold(file, absl::StrCat("gridwise ", command.synopsis)),
                command.summary, command.details, command.flags.empty() ? "" : "\nFlags\n");
  for (const std::string_view name : command.flags) {
    absl::FPrintF(file, "  %-15s %s\n", Spelling(name), absl::FindCommandLineFlag(name)->Help());
  }
}

}  // namespace gridwise
