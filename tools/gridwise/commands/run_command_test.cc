// SPDX-License-Identifier: MIT
/// `gridwise run`, as a user runs it.

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/arch/device_facts.h"
#include "core/arch/parse_gfx.h"
#include "core/arch/target.h"
#include "core/text/shell.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Support/JSON.h"
#include "tools/gridwise/cli/exit_code.h"
#include "tools/gridwise/cli/run_gridwise.h"
#include "tools/page/page_data.h"
#include "tools/text/json.h"

namespace gridwise {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(RunCommand, TakesLinesOfOtherPrograms) {
  const ShellResult result = Gridwise(
      "run fwd --verify --n=1 --problem='MIOpenDriver convfp16 -n 8 -c 16 -H 9 -W 9 -k 32 "
      "-p 1 -q 1 -I NHWC -f NHWC -O NHWC -F 1'");
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out, HasSubstr("fwd f16 g1 n1 c16 k32 in 9x9 filter 3x3 stride 1x1 dilation "
                                    "1x1 pad 1x1 out 9x9"));
  ExpectRefusal("run fwd --problem='MIOpenDriver conv -n x'", "--problem:1: -n is 'x'");
  const ShellResult words = Gridwise(
      "run MIOpenDriver convfp16 -n 1 -c 16 -H 9 -W 9 -k 32 -p 1 -q 1 -I NHWC -f NHWC -O NHWC -F 1 "
      "--verify");
  EXPECT_EQ(words.status, kSuccess) << words.out;
  EXPECT_THAT(words.out, HasSubstr("problem    fwd f16 g1 n1 c16 k32 in 9x9 filter 3x3"));
  ExpectRefusal("run convfp16 -n 1", "one of 3 directions, fwd, bwd_data, bwd_weight; name one");
}

TEST(RunCommand, TakesLayersAsPyTorchPrintsThem) {
  const ShellResult conv = Gridwise(
      "run fwd --verify --problem='Conv2d(16, 32, kernel_size=(3, 3), padding=(1, 1))' --in=9x9");
  EXPECT_EQ(conv.status, kSuccess) << conv.out;
  EXPECT_THAT(conv.out, HasSubstr("problem    fwd f16 g1 n1 c16 k32 in 9x9 filter 3x3 stride 1x1 "
                                  "dilation 1x1 pad 1x1 out 9x9"));
  const ShellResult transposed = Gridwise(
      "run --verify --in 4x4 --problem='ConvTranspose2d(16, 32, kernel_size=(3, 3), stride=(1, "
      "1))'");
  EXPECT_EQ(transposed.status, kSuccess) << transposed.out;
  EXPECT_THAT(transposed.out, HasSubstr("problem    bwd_data f16 g1 n1 c32 k16 in 6x6 filter 3x3"));
}

TEST(RunCommand, VerifiesASmallProblem) {
  const ShellResult result = Gridwise(absl::StrCat(kSmall, "--verify"));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(
      result.out,
      AllOf(HasSubstr("problem    bwd_data f16 g1 n2 c24 k20 in 9x7"), HasSubstr("instance "),
            HasSubstr("sub-GEMMs  2"), HasSubstr("instructions: "), HasSubstr("mma "),
            HasSubstr("GFLOP/s per core"), HasSubstr("ports      on the GPU at least "),
            HasSubstr("ulps"), HasSubstr("relative norm"), HasSubstr("\nPASS\n")));
}

TEST(RunCommand, RunsANamedProblemWithItsSizesReplaced) {
  const ShellResult result =
      Gridwise("run bwd_data --problem=gemms9 --n=1 --c=8 --k=16 --verify --seed=3");
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out, AllOf(HasSubstr("n1 c8 k16 in 28x28"), HasSubstr("PASS")));
}

TEST(RunCommand, MultipliesMatrices) {
  const std::string sizes = "gemm --batch=2 --m=70 --n=40 --k=56 --a=row:64 --b=col ";
  const ShellResult result = Gridwise("run " + sizes + "--d0=add:channel --relu --verify");
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(
      result.out,
      AllOf(HasSubstr("problem    gemm f16 batch 2 m 70 n 40 k 56 a row:64 b col c row add 1"),
            HasSubstr("instance   batched_gemm_f16_t"), HasSubstr("1 x (M 70, N 40, K 56)"),
            HasSubstr("\nPASS\n")));
  const ShellResult columns = Gridwise("run " + sizes + "--out_order=col --type=bf16 --verify");
  EXPECT_EQ(columns.status, kSuccess) << columns.out;
  EXPECT_THAT(Gridwise("explain " + sizes).out,
              AllOf(HasSubstr(" instances compute it\n* ck batched_gemm_f16_"),
                    HasSubstr("elements at a time next to each other along")));
  const ShellResult named = Gridwise("run gemm --problem=transposed --batch=1 --splits=2 --verify");
  EXPECT_EQ(named.status, kSuccess) << named.out;
  EXPECT_THAT(named.out, AllOf(HasSubstr("m 96 n 160 k 224 a col b col c row"),
                               HasSubstr("2 workgroups share the K of a tile")));
  ExpectRefusal("run gemm --m=8 --n=8", "give --m, --n and --k, or --problem");
  ExpectRefusal("run gemm --m=8 --n=8 --k=0", "k is 0; must be 1 to 8388608");
  ExpectRefusal("run gemm --m=8 --n=8 --k=8 --a=up", "--a: 'up' is no order; must be row or col");
  ExpectRefusal("run gemm --m=8 --n=8 --k=8 --layout=ngchw", "apply only to convolutions");
  ExpectRefusal("run gemm --m=8 --n=8 --k=8 --out=c.npy",
                "'c.npy' is a file; gemm computes only on");
  ExpectRefusal("run gemm --problem=gemms9", "no problem is called 'gemms9' in transformers");
}

TEST(RunCommand, ATransposedConvolutionIsABackwardDataProblem) {
  const std::string sizes =
      "conv_transpose --c=24 --k=20 --in=5x4 --filter=3 --stride=2 --pad=1 --output-padding=1 ";
  const ShellResult result = Gridwise("run " + sizes + "--verify");
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out, AllOf(HasSubstr("bwd_data f16 g1 n1 c20 k24 in 10x8 filter 3x3"),
                                HasSubstr("out 5x4"), HasSubstr("\nPASS\n")));
  EXPECT_EQ(Gridwise("explain " + sizes).status, kSuccess);
  ExpectRefusal("run conv_transpose --problem=gemms9", "conv_transpose takes sizes");
  ExpectRefusal("sweep --direction=conv_transpose", "must be one of fwd, bwd_data, bwd_weight");
}

TEST(RunCommand, RefusesWhatMemoryHasNoRoomFor) {
  // x and y have 256 * 256 * 10^6 elements of 4 bytes each: more than any device has.
  ExpectRefusal(
      "run fwd --type=f32 --n=256 --c=256 --k=256 --in=1000x1000 --filter=3 --pad=1 --splits=1",
      "tensors and workspace need 524.3 GB, and ");
  ExpectRefusal(
      "run fwd --n=8 --c=64 --k=64 --in=56x56 --filter=3 --layout=ngchw --workspace_limit=99",
      "in a workspace of 99 bytes; the least is ");
}

TEST(RunCommand, ComputesAnEmptyBatch) {
  for (const char* const direction : {"fwd", "bwd_data", "bwd_weight"}) {
    const ShellResult result = Gridwise(
        absl::StrCat("run ", direction, " --n=0 --c=24 --k=20 --in=9x7 --filter=3 --verify"));
    EXPECT_EQ(result.status, kSuccess) << result.out;
    EXPECT_THAT(result.out, AllOf(HasSubstr("the batch is 0"), HasSubstr("\nPASS\n")));
  }
}

TEST(RunCommand, TellsTimes) {
  const ShellResult result = Gridwise(absl::StrCat(kSmall, "--time"));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out, AllOf(HasSubstr("gridwise time: kernel"), HasSubstr("where waves wait"),
                                HasSubstr("\ntime  "), HasSubstr(" ms at "), HasSubstr("TFLOP/s"),
                                HasSubstr("% of the bound of"), HasSubstr("limited by"),
                                Not(HasSubstr("instructions: "))));
  ExpectRefusal(absl::StrCat(kSmall, "--time --verify"), "excludes --verify");
}

/// The page of the clock has its document, which names the problem and the instance.
TEST(RunCommand, TimesHaveAPage) {
  const std::string report = testing::TempDir() + "/time";
  const ShellResult result =
      Shell(absl::StrCat("GRIDWISE_SIM_TIME_REPORT=", report, " tools/gridwise/gridwise ", kSmall,
                         "--time --device=", Target(), " 2>&1"));
  ASSERT_EQ(result.status, kSuccess) << result.out;
  const absl::StatusOr<llvm::json::Value> document = ParseJson(ReadText(report + ".json"));
  ASSERT_TRUE(document.ok()) << document.status();
  const absl::StatusOr<llvm::json::Value> data = PageData(ReadText(report + ".html"));
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_EQ(*data, *document);
  const std::string what((*data->getAsArray())[0].getAsObject()->getString("what").value_or(""));
  EXPECT_THAT(what, AllOf(HasSubstr("bwd_data f16 g1 n2 c24 k20 in 9x7"), HasSubstr(" by f16_")));
  EXPECT_GT(CountLines(ReadText(report + ".html")), 100);
}

// The run ends as without it.
TEST(RunCommand, SaysOnceThatAReportCannotBeWritten) {
  const ShellResult result =
      Shell(absl::StrCat("GRIDWISE_SIM_TIME_REPORT=/no/such/folder tools/gridwise/gridwise ",
                         kSmall, "--time --device=", Target(), " 2>&1"));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  const std::string sentence = "GRIDWISE_SIM_TIME_REPORT: cannot write /no/such/folder.";
  EXPECT_THAT(result.out, HasSubstr(sentence));
  EXPECT_THAT(result.out, HasSubstr("No such file or directory"));
  EXPECT_EQ(result.out.find(sentence), result.out.rfind(sentence));
}

TEST(RunCommand, WithoutVerifyThereIsNoVerdict) {
  const ShellResult result = Gridwise(kSmall);
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out, Not(HasSubstr("PASS")));
}

TEST(RunCommand, ComputesInTypesOfOperandsAndOutput) {
  const std::string shape = " --c=40 --k=24 --in=9x7 --filter=3 --pad=1";
  const std::string sizes = shape + " --verify ";
  const ShellResult weight = Gridwise("run bwd_weight --type=bf16 --out_type=f32" + sizes);
  EXPECT_EQ(weight.status, kSuccess) << weight.out;
  EXPECT_THAT(weight.out, HasSubstr("problem    bwd_weight bf16->f32 g1"));
  if (Target() == "gfx1100" || Target() == "gfx90a") {
    ExpectRefusal("run fwd --type=f8" + sizes,
                  "it has no instructions that multiply f8e4m3fn, but f16 bf16 f32 i8");
    ExpectRefusal("explain fwd --type=f8 --device=" + Target() + shape,
                  "it has no instructions that multiply f8e4m3fn, but f16 bf16 f32 i8");
    return;
  }
  const ShellResult bytes = Gridwise("run fwd --type=f8" + sizes);
  EXPECT_EQ(bytes.status, kSuccess) << bytes.out;
  EXPECT_THAT(bytes.out,
              HasSubstr(Target() == "gfx942" ? "fwd f8e4m3fnuz->f32 g1" : "fwd f8e4m3fn->f32 g1"));
  const ShellResult wide = Gridwise("run fwd --type=bf8" + sizes);
  EXPECT_EQ(wide.status, kSuccess) << wide.out;
  EXPECT_THAT(wide.out,
              HasSubstr(Target() == "gfx942" ? "fwd f8e5m2fnuz->f32 g1" : "fwd f8e5m2->f32 g1"));
  const ShellResult half = Gridwise("run fwd --type=f8 --out_type=f16 --relu" + sizes);
  EXPECT_EQ(half.status, kSuccess) << half.out;
}

TEST(RunCommand, RunsFunctionsOfOperandsAndResults) {
  const ShellResult fused = Gridwise(
      "run fwd --c=40 --k=24 --in=9x7 --filter=3 --pad=1 --a1=0.5 --b1=2 --d0=add:channel "
      "--unary=swish:0.5 --verify");
  EXPECT_EQ(fused.status, kSuccess) << fused.out;
  EXPECT_THAT(fused.out, HasSubstr("a = a * 0.5 + a1 b = b * 2 + b1"));
  EXPECT_THAT(fused.out, HasSubstr("swish 0.5"));
  EXPECT_THAT(fused.out, HasSubstr("scaleadd"));
  ExpectRefusal("run bwd_data --c=40 --k=24 --in=9x7 --filter=3 --a1=2",
                "operand_sums[0] adds tensors of f16 in bwd_data; must be f16, bf16 or f32 in fwd");
  ExpectRefusal("run gemm --m=8 --n=8 --k=8 --a1=2",
                "--a1 and --b1 apply only to forward convolutions");
  EXPECT_THAT(Gridwise("run fwd --c=40 --k=24 --in=9x7 --filter=3 --a1=2 --family=tile").out,
              HasSubstr("operands are sums of two tensors; the instance does not add operands"));
}

TEST(RunCommand, DevicesHaveTheNamesOfTheirProducts) {
  const std::string product = std::string(ProductsOf(*ParseGfx(Target())).front().name);
  const ShellResult result = Gridwise(absl::StrCat(kSmall, "--verify --device='", product, "'"));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  const std::string squeezed = absl::StrReplaceAll(product, {{" ", ""}});
  EXPECT_EQ(Gridwise(absl::StrCat("explain fwd --problem=gemms9 --device=", squeezed)).status,
            kSuccess);
}

// The second product of each target has the processor of the first: it runs the same code.
TEST(RunCommand, TimesOfOtherProductsAreNotCalibrated) {
  const Gfx gfx = *ParseGfx(Target());
  const Product& first = ProductsOf(gfx)[0];
  const Product& other = ProductsOf(gfx)[1];
  ASSERT_EQ(other.processor, first.processor);
  const std::string note = absl::StrCat("not calibrated for ", other.name);
  const std::string device = absl::StrCat("--device='", other.name, "'");
  const ShellResult run = Gridwise(absl::StrCat(kSmall, "--verify ", device));
  EXPECT_EQ(run.status, kSuccess) << run.out;
  EXPECT_THAT(run.out, AllOf(HasSubstr(note), HasSubstr("; not calibrated); --time"),
                             HasSubstr("\nPASS\n")));
  EXPECT_THAT(Gridwise(absl::StrCat(kSmall, "--time ", device)).out, HasSubstr(note));
  const std::string explain = "explain fwd --problem=gemms9 ";
  EXPECT_THAT(Gridwise(explain + device).out, HasSubstr(note));
  if (first.like.empty()) {
    EXPECT_THAT(Gridwise(explain + "--device=" + Target()).out, Not(HasSubstr("not calibrated")));
  }
  EXPECT_NE(Gridwise(explain + device).out, Gridwise(explain + "--device=" + Target()).out);
}

// Before it runs.
TEST(RunCommand, AnUnwritableOutputIsAnError) {
  ExpectRefusal(absl::StrCat(kSmall, "--out=/no/such/dx.npy"), "cannot write /no/such/dx.npy");
  ExpectRefusal(absl::StrCat(kSmall, "--out=", testing::TempDir()), "cannot write ");
}

}  // namespace
}  // namespace gridwise
