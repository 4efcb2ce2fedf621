/// Runs the program as a user does, and checks its exit status and what it says.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/arch/parse_gfx.h"
#include "core/arch/target.h"
#include "core/base/shell.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "tools/gridwise/exit_code.h"
#include "tools/gridwise/npy.h"

namespace gridwise {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Target() {
  const char* target = std::getenv("GRIDWISE_TEST_TARGET");
  return target == nullptr ? "" : target;
}

/// stdout and stderr of the program with these arguments, on the target under test unless they name
/// one.
ShellResult Gridwise(const std::string& arguments) {
  const bool runs = (arguments.starts_with("run ") || arguments.starts_with("sweep")) &&
                    arguments.find("--device") == std::string::npos;
  const std::string device = runs ? absl::StrCat(" --device=", Target()) : "";
  return Shell(absl::StrCat("tools/gridwise/gridwise ", arguments, device, " 2>&1"));
}

/// A file for what a test does not look at.
std::string Unread() { return testing::TempDir() + "/unread.txt"; }

constexpr char kSmall[] =
    "run bwd_data --n=2 --c=24 --k=20 --in=9x7 --filter=3x2 --stride=2x1 --pad=1 ";

/// A bad command line: one sentence that says what is wrong, and the status of bad usage.
void ExpectRefusal(const std::string& arguments, const std::string& sentence) {
  const ShellResult result = Gridwise(arguments);
  EXPECT_EQ(result.status, kBadUsage) << arguments;
  EXPECT_THAT(result.out, HasSubstr(sentence)) << arguments;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1) << result.out;
}

TEST(CommandLineTest, VerifiesASmallProblem) {
  const ShellResult result = Gridwise(absl::StrCat(kSmall, "--verify"));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("problem    bwd_data f16 g1 n2 c24 k20 in 9x7"), HasSubstr("row "),
                    HasSubstr("sub-GEMMs  2"), HasSubstr("instructions: "), HasSubstr("mma "),
                    HasSubstr("GFLOP/s per core"), HasSubstr("ports      on the GPU at least "),
                    HasSubstr("ulps"), HasSubstr("relative norm"), HasSubstr("\nPASS\n")));
}

TEST(CommandLineTest, RunsANamedProblemWithItsSizesReplaced) {
  const ShellResult result =
      Gridwise("run bwd_data --problem=gemms9 --n=1 --c=8 --k=16 --verify --seed=3");
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out, AllOf(HasSubstr("n1 c8 k16 in 28x28"), HasSubstr("PASS")));
}

TEST(CommandLineTest, MultipliesMatrices) {
  const std::string sizes = "gemm --batch=2 --m=70 --n=40 --k=56 --a=row:64 --b=col ";
  const ShellResult result = Gridwise("run " + sizes + "--d0=add:channel --relu --verify");
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(
      result.out,
      AllOf(HasSubstr("problem    gemm f16 batch 2 m 70 n 40 k 56 a row:64 b col c row add 1"),
            HasSubstr("row        batched_gemm_f16_t"), HasSubstr("1 x (M 70, N 40, K 56)"),
            HasSubstr("\nPASS\n")));
  const ShellResult columns = Gridwise("run " + sizes + "--out_order=col --type=bf16 --verify");
  EXPECT_EQ(columns.status, kSuccess) << columns.out;
  EXPECT_THAT(Gridwise("explain " + sizes).out,
              AllOf(HasSubstr(" rows compute it\n* ck batched_gemm_f16_"),
                    HasSubstr("elements at a time next to each other along")));
  const ShellResult named = Gridwise("run gemm --problem=transposed --batch=1 --splits=2 --verify");
  EXPECT_EQ(named.status, kSuccess) << named.out;
  EXPECT_THAT(named.out, AllOf(HasSubstr("m 96 n 160 k 224 a col b col c row"),
                               HasSubstr("2 workgroups share the K of a tile")));
  ExpectRefusal("run gemm --m=8 --n=8", "give --m, --n and --k, or --problem");
  ExpectRefusal("run gemm --m=8 --n=8 --k=0", "k is 0; must be 1 to 8388608");
  ExpectRefusal("run gemm --m=8 --n=8 --k=8 --a=up", "--a: 'up' is no order; must be row or col");
  ExpectRefusal("run gemm --m=8 --n=8 --k=8 --layout=ngchw", "are of convolutions");
  ExpectRefusal("run gemm --m=8 --n=8 --k=8 --out=c.npy",
                "'c.npy' is a file, and gemm computes on");
  ExpectRefusal("run gemm --problem=gemms9", "no problem is called 'gemms9' in transformers");
}

TEST(CommandLineTest, SweepsASetOfMatrices) {
  const std::string path = testing::TempDir() + "/gemms.csv";
  std::ofstream(path) << "name,batch,M,N,K,a,b\nx,2,40,24,32,row,col\ny,1,9,70,33,col,row\n";
  const ShellResult result = Gridwise(absl::StrCat("sweep --problems=", path, " --verify"));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("[2/2] y batched_gemm_"), HasSubstr("2 runs: 2 passed, 0 failed")));
}

TEST(CommandLineTest, SaysWhichInstructionsTheSimulatorRefuses) {
  const ShellResult result = Gridwise("sim isa --target=gfx1201");
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out, AllOf(HasSubstr("gfx1201: "), HasSubstr("instructions have a handler"),
                                HasSubstr("\n  image_load\n"), Not(HasSubstr("\n  v_add_f32\n"))));
  ExpectRefusal("sim isa --target=gfx90", "'gfx90' is not a target of the simulator");
}

TEST(CommandLineTest, TellsTimes) {
  const ShellResult result = Gridwise(absl::StrCat(kSmall, "--time"));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out, AllOf(HasSubstr("gridwise time: kernel"), HasSubstr("where waves wait"),
                                HasSubstr("\ntime  "), HasSubstr(" ms at "), HasSubstr("TFLOP/s"),
                                HasSubstr("% of the bound of"), HasSubstr("limited by"),
                                Not(HasSubstr("instructions: "))));
  ExpectRefusal(absl::StrCat(kSmall, "--time --verify"), "excludes --verify");
}

TEST(CommandLineTest, WithoutVerifyThereIsNoVerdict) {
  const ShellResult result = Gridwise(kSmall);
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out, Not(HasSubstr("PASS")));
}

void Write(const std::string& path, std::vector<int64_t> shape, const std::vector<float>& values) {
  NpyArray array{.type = DataType::kF32, .shape = std::move(shape), .data = {}};
  array.data.resize(values.size() * sizeof(float));
  std::memcpy(array.data.data(), values.data(), array.data.size());
  ASSERT_TRUE(WriteNpy(path, array).ok());
}

// One axis, one channel: dx[i] = sum of dy[o] w[y] over i = 2 o + y. By hand: dy = [1, 2], w = [3,
// 5, 7] gives dx = [3, 5, 7 + 6, 10, 14].
TEST(CommandLineTest, ComputesOnTensorsOfFiles) {
  const std::string folder = testing::TempDir();
  Write(folder + "/dy.npy", {1, 2, 1}, {1, 2});
  Write(folder + "/w.npy", {1, 3, 1}, {3, 5, 7});
  const ShellResult result =
      Gridwise(absl::StrCat("run bwd_data --stride=2 --verify --dy=", folder,
                            "/dy.npy --w=", folder, "/w.npy --out=", folder, "/dx.npy"));
  ASSERT_EQ(result.status, kSuccess) << result.out;
  const auto dx = ReadNpy(folder + "/dx.npy");
  ASSERT_TRUE(dx.ok()) << dx.status();
  EXPECT_EQ(dx->type, DataType::kF32);
  EXPECT_THAT(dx->shape, ElementsAre(1, 5, 1));
  std::vector<float> values(5);
  std::memcpy(values.data(), dx->data.data(), dx->data.size());
  EXPECT_THAT(values, ElementsAre(3, 5, 13, 10, 14));
}

std::vector<float> ReadFloats(const std::string& path) {
  const auto array = ReadNpy(path);
  if (!array.ok()) return {};
  std::vector<float> values(array->data.size() / sizeof(float));
  std::memcpy(values.data(), array->data.data(), array->data.size());
  return values;
}

// y[o] = x[2 o] w[0] + x[2 o + 1] w[1] + x[2 o + 2] w[2], and dw[t] = sum of dy[o] x[2 o + t].
TEST(CommandLineTest, ComputesForwardAndBackwardWeightOnTensorsOfFiles) {
  const std::string folder = testing::TempDir();
  Write(folder + "/x.npy", {1, 5, 1}, {1, 2, 3, 4, 5});
  Write(folder + "/w.npy", {1, 3, 1}, {3, 5, 7});
  Write(folder + "/dy.npy", {1, 2, 1}, {1, 2});
  for (const char* type : {"f16", "bf16"}) {  // every target has them
    const ShellResult forward =
        Gridwise(absl::StrCat("run fwd --stride=2 --verify --type=", type, " --x=", folder,
                              "/x.npy --w=", folder, "/w.npy --out=", folder, "/y.npy"));
    ASSERT_EQ(forward.status, kSuccess) << forward.out;
    EXPECT_THAT(ReadFloats(folder + "/y.npy"), ElementsAre(34, 64));
    const ShellResult weight = Gridwise(
        absl::StrCat("run bwd_weight --stride=2 --filter=3 --verify --type=", type, " --x=", folder,
                     "/x.npy --dy=", folder, "/dy.npy --out=", folder, "/dw.npy"));
    ASSERT_EQ(weight.status, kSuccess) << weight.out;
    EXPECT_THAT(ReadFloats(folder + "/dw.npy"), ElementsAre(7, 10, 13));
  }
  ExpectRefusal(
      absl::StrCat("run bwd_weight --filter=3 --x=", folder, "/x.npy --w=", folder, "/w.npy"),
      "--w is no operand of bwd_weight, which takes --dy and --x");
}

void WriteBytes(const std::string& path, std::vector<int64_t> shape,
                const std::vector<int8_t>& values) {
  NpyArray array{.type = DataType::kI8, .shape = std::move(shape), .data = {}};
  array.data.resize(values.size());
  std::memcpy(array.data.data(), values.data(), array.data.size());
  ASSERT_TRUE(WriteNpy(path, array).ok());
}

// y[o] = x[o] w[0] + x[o + 1] w[1]: x = [100, -128, 127], w = [127, -128] gives 29084 and -32512.
TEST(CommandLineTest, ComputesOnIntegers) {
  const std::string folder = testing::TempDir();
  WriteBytes(folder + "/x8.npy", {1, 3, 1}, {100, -128, 127});
  WriteBytes(folder + "/w8.npy", {1, 2, 1}, {127, -128});
  const std::string run =
      absl::StrCat("run fwd --type=i8 --verify --x=", folder, "/x8.npy --w=", folder, "/w8.npy");
  const ShellResult sums = Gridwise(absl::StrCat(run, " --out=", folder, "/y32.npy"));
  ASSERT_EQ(sums.status, kSuccess) << sums.out;
  const auto y = ReadNpy(folder + "/y32.npy");
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->type, DataType::kI32);
  std::vector<int32_t> values(2);
  ASSERT_EQ(y->data.size(), 8u);
  std::memcpy(values.data(), y->data.data(), 8);
  EXPECT_THAT(values, ElementsAre(29084, -32512));
  const ShellResult scaled =
      Gridwise(absl::StrCat(run, " --out_type=f32 --alpha=0.5 --relu --out=", folder, "/y.npy"));
  ASSERT_EQ(scaled.status, kSuccess) << scaled.out;
  EXPECT_THAT(scaled.out, HasSubstr("problem    fwd i8->f32 g1 n1 c1 k1"));
  EXPECT_THAT(ReadFloats(folder + "/y.npy"), ElementsAre(14542, 0));
  ExpectRefusal(run + " --relu", "the output's type is i32, which has the sums as they are");
  ExpectRefusal("run bwd_data --type=i8 --problem=gemms9", "type is i8; bwd_data takes f16, bf16");
}

TEST(CommandLineTest, ComputesInTypesOfOperandsAndOutput) {
  const std::string shape = " --c=40 --k=24 --in=9x7 --filter=3 --pad=1";
  const std::string sizes = shape + " --verify ";
  const ShellResult weight = Gridwise("run bwd_weight --type=bf16 --out_type=f32" + sizes);
  EXPECT_EQ(weight.status, kSuccess) << weight.out;
  EXPECT_THAT(weight.out, HasSubstr("problem    bwd_weight bf16->f32 g1"));
  if (Target() == "gfx1100") {
    ExpectRefusal("run fwd --type=f8" + sizes,
                  "it has no instructions that multiply f8e4m3fn, but f16 bf16 f32 i8");
    ExpectRefusal("explain fwd --type=f8 --device=gfx1100" + shape,
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

TEST(CommandLineTest, RunsFunctionsOfOperandsAndResults) {
  const ShellResult fused = Gridwise(
      "run fwd --c=40 --k=24 --in=9x7 --filter=3 --pad=1 --a1=0.5 --b1=2 --d0=add:channel "
      "--unary=swish:0.5 --verify");
  EXPECT_EQ(fused.status, kSuccess) << fused.out;
  EXPECT_THAT(fused.out, HasSubstr("a = a * 0.5 + a1 b = b * 2 + b1"));
  EXPECT_THAT(fused.out, HasSubstr("swish 0.5"));
  EXPECT_THAT(fused.out, HasSubstr("scaleadd"));
  ExpectRefusal("run bwd_data --c=40 --k=24 --in=9x7 --filter=3 --a1=2",
                "operand_sums[0] adds tensors of f16 in bwd_data; must be f16, bf16 or f32 in fwd");
  ExpectRefusal("run gemm --m=8 --n=8 --k=8 --a1=2", "--a1 and --b1 are of forward convolutions");
  EXPECT_THAT(Gridwise("run fwd --c=40 --k=24 --in=9x7 --filter=3 --a1=2 --family=tile").out,
              HasSubstr("operands are sums of two tensors, which the row does not add"));
}

TEST(CommandLineTest, RefusesBadSizes) {
  ExpectRefusal("run bwd_data --problem=gemms9 --stride=0", "stride (h) is 0; must be >= 1");
  ExpectRefusal("run bwd_data --c=8 --k=9 --groups=2 --in=5x5 --filter=3",
                "k is 9; must be a multiple of groups");
  ExpectRefusal("run bwd_data --c=8 --k=8 --in=5x5 --filter=7", "must fit in the padded input");
  ExpectRefusal("run bwd_data --c=8 --k=8", "give --in, --filter");
  ExpectRefusal("run bwd_data --c=8 --k=8 --in=5x5 --filter=3x3x3", "spatial axes");
  ExpectRefusal("run bwd_data --problem=gemms9 --in=3y", "3y");
  ExpectRefusal("run bwd_data --problem=gemms9 --n=many", "--n is 'many'; must be a whole number");
  ExpectRefusal("run bwd_data --problem=gemms9 --relu=perhaps",
                "--relu is 'perhaps'; must be true or false");
}

TEST(CommandLineTest, RefusesUnknownNames) {
  ExpectRefusal("run bwd_data --problem=gemms9 --device=gfx000",
                "--device is 'gfx000'; must be one of gfx942 (MI300X), ");
  // i32 is no type of operands.
  ExpectRefusal("run fwd --problem=gemms9 --type=fp16",
                "--type is 'fp16'; must be one of f16, bf16, f32, i8, f8e4m3fn, f8e4m3fnuz, "
                "f8e5m2, f8e5m2fnuz, f8 "
                "or bf8");
  ExpectRefusal("run fwd --problem=gemms9 --type=i32", "--type is 'i32'; must be one of f16, bf16");
  ExpectRefusal("run bwd_data --problem=nothing", "no problem is called 'nothing'");
  ExpectRefusal("run bwd_data --problem=gems9", "the nearest are gemms9, ");
  ExpectRefusal("run bwd_data --problem=gemms9 --row=best", "row is best; must be one of ");
  EXPECT_LT(Gridwise("run bwd_data --problem=gemms9 --row=best").out.size(), 500u);
  ExpectRefusal("run bwd_data --problem=gemms9 --strode=2",
                "no flag is called --strode; the nearest is --stride");
  ExpectRefusal("list rows --family=fast", "no row is of family 'fast'");
  ExpectRefusal("list rows --verify", "list takes no --verify; `gridwise help list`");
  ExpectRefusal("run sideways --problem=gemms9",
                "the direction is 'sideways'; must be one of fwd, bwd_data");
  ExpectRefusal("run", "run takes one direction");
  ExpectRefusal("walk", "'walk' is not understood");
  ExpectRefusal("list colours", "nothing is called 'colours'");
}

TEST(CommandLineTest, RefusesBadFiles) {
  const std::string folder = testing::TempDir();
  std::ofstream(folder + "/broken.csv") << "name,ndim\n\"x";
  std::ofstream(folder + "/broken.npy") << "not an array";
  Write(folder + "/small.npy", {1, 2, 1}, {1, 2});
  ExpectRefusal("run bwd_data --problem=x --problems=/no/such.csv", "/no/such.csv");
  ExpectRefusal(absl::StrCat("run bwd_data --problem=x --problems=", folder, "/broken.csv"),
                "broken.csv");
  ExpectRefusal(absl::StrCat("run bwd_data --dy=", folder, "/broken.npy"),
                "does not begin with NumPy's signature");
  ExpectRefusal("run bwd_data --dy=/no/such.npy", "cannot read /no/such.npy");
  ExpectRefusal(absl::StrCat("run bwd_data --problem=gemms9 --dy=", folder, "/small.npy"),
                "has the shape [1, 2, 1]; the problem needs [4, 10, 10, 128]");
}

// Before it runs.
TEST(CommandLineTest, AnUnwritableOutputIsAnError) {
  ExpectRefusal(absl::StrCat(kSmall, "--out=/no/such/dx.npy"), "cannot write /no/such/dx.npy");
  ExpectRefusal(absl::StrCat(kSmall, "--out=", testing::TempDir()), "cannot write ");
}

// By hand, two channels in two groups, three cells: y[k] is x of the channel times 10 or 100. In
// ngchw the cells of a channel are neighbours.
TEST(CommandLineTest, FilesAreInTheirLayouts) {
  const std::string folder = testing::TempDir();
  Write(folder + "/x_ngchw.npy", {1, 2, 3}, {1, 2, 3, 4, 5, 6});
  Write(folder + "/w_gkyxc.npy", {2, 1, 1}, {10, 100});
  const ShellResult result = Gridwise(
      absl::StrCat("run fwd --groups=2 --layout=ngchw --verify --x=", folder,
                   "/x_ngchw.npy --w=", folder, "/w_gkyxc.npy --out=", folder, "/y_ngchw.npy"));
  ASSERT_EQ(result.status, kSuccess) << result.out;
  const auto y = ReadNpy(folder + "/y_ngchw.npy");
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_THAT(y->shape, ElementsAre(1, 2, 3));
  EXPECT_THAT(ReadFloats(folder + "/y_ngchw.npy"), ElementsAre(10, 20, 30, 400, 500, 600));
  // The same weights with the groups inside, and x with the groups outside.
  Write(folder + "/x_gnhwc.npy", {2, 1, 3, 1}, {1, 2, 3, 4, 5, 6});
  Write(folder + "/w_kyxgc.npy", {1, 1, 2}, {10, 100});
  const ShellResult other = Gridwise(
      absl::StrCat("run fwd --layout=gnhwc --weight-layout=kyxgc --verify --x=", folder,
                   "/x_gnhwc.npy --w=", folder, "/w_kyxgc.npy --out=", folder, "/y_gnhwc.npy"));
  ASSERT_EQ(other.status, kSuccess) << other.out;
  EXPECT_THAT(ReadFloats(folder + "/y_gnhwc.npy"), ElementsAre(10, 20, 30, 400, 500, 600));
  ExpectRefusal(absl::StrCat("run fwd --layout=gnhwc --in=3x3 --x=", folder, "/x_ngchw.npy"),
                "has the shape [1, 2, 3]");
}

TEST(CommandLineTest, DevicesHaveTheNamesOfTheirProducts) {
  const std::string product = TraitsOf(*ParseGfx(Target())).product;
  const ShellResult result = Gridwise(absl::StrCat(kSmall, "--verify --device='", product, "'"));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  const std::string squeezed = absl::StrReplaceAll(product, {{" ", ""}});
  EXPECT_EQ(Gridwise(absl::StrCat("explain fwd --problem=gemms9 --device=", squeezed)).status,
            kSuccess);
}

/// A problem set of three small layers, the second in one direction only.
std::string SmallSet() {
  const std::string path = testing::TempDir() + "/small_set.csv";
  std::ofstream(path) << "name,ndim,G,N,K,C,Z,Y,X,Di,Hi,Wi,stride_d,stride_h,stride_w,dil_d,dil_h,"
                         "dil_w,pad_d,pad_h,"
                         "pad_w,directions\n"
                         "a,2,1,1,16,16,1,3,3,1,8,8,1,1,1,1,1,1,0,1,1,fwd bwd_data bwd_weight\n"
                         "b,2,1,1,8,24,1,1,1,1,9,7,1,1,1,1,1,1,0,0,0,bwd_weight\n"
                         "c,2,2,1,16,16,1,3,3,1,8,8,1,2,2,1,1,1,0,1,1,fwd bwd_data bwd_weight\n";
  return path;
}

/// A document of --json; null after a failure.
llvm::json::Value Json(const std::string& arguments) {
  const std::string device =
      arguments.starts_with("list") ? "" : absl::StrCat(" --device=", Target());
  const ShellResult result =
      Shell(absl::StrCat("tools/gridwise/gridwise ", arguments, device, " --json 2>", Unread()));
  EXPECT_EQ(result.status, kSuccess) << arguments;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(result.out);
  if (value) return *std::move(value);
  ADD_FAILURE() << llvm::toString(value.takeError()) << "\n" << result.out;
  return nullptr;
}

TEST(CommandLineTest, ProgramsReadJson) {
  const llvm::json::Value run = Json(absl::StrCat(kSmall, "--verify"));
  ASSERT_NE(run.getAsObject(), nullptr);
  const llvm::json::Object* verified = run.getAsObject()->getObject("verified");
  ASSERT_NE(verified, nullptr);
  EXPECT_EQ(verified->getBoolean("pass"), true);
  EXPECT_EQ(run.getAsObject()->getObject("problem")->getInteger("c"), 24);
  EXPECT_GT(run.getAsObject()->getObject("run")->getObject("instructions")->getInteger("valu"), 0);
  const auto row = run.getAsObject()->getObject("plan")->getString("row");
  ASSERT_TRUE(row.has_value());

  const llvm::json::Value explained = Json(absl::StrCat("explain ", std::string(kSmall).substr(4)));
  ASSERT_NE(explained.getAsObject(), nullptr);
  const llvm::json::Array& rows = *explained.getAsObject()->getArray("rows");
  ASSERT_GE(rows.size(), 2u);
  EXPECT_EQ(rows[0].getAsObject()->getString("row"), row);
  EXPECT_EQ(rows[0].getAsObject()->getBoolean("chosen"), true);

  const llvm::json::Value list = Json("list");
  ASSERT_NE(list.getAsObject(), nullptr);
  EXPECT_EQ(list.getAsObject()->getArray("targets")->front().getAsObject()->getString("name"),
            "gfx942");

  const llvm::json::Value swept =
      Json(absl::StrCat("sweep --problems=", SmallSet(), " --problem=b --verify"));
  ASSERT_NE(swept.getAsObject(), nullptr);
  const llvm::json::Array& runs = *swept.getAsObject()->getArray("runs");
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].getAsObject()->getString("result"), "pass");
}

TEST(CommandLineTest, DisassemblesARow) {
  const llvm::json::Value run = Json(kSmall);
  ASSERT_NE(run.getAsObject(), nullptr);
  const std::string row = run.getAsObject()->getObject("plan")->getString("row")->str();
  const ShellResult result =
      Gridwise(absl::StrCat("isa --row=", row, " --direction=bwd_data --device=", Target()));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out, AllOf(HasSubstr("row        " + row), HasSubstr("registers  "),
                                HasSubstr(" bytes of LDS"), HasSubstr("main loop  pc 0x"),
                                HasSubstr("\n|  "), HasSubstr("s_endpgm")));
  const llvm::json::Value gemm = Json("run gemm --m=64 --n=64 --k=64 --b=col");
  ASSERT_NE(gemm.getAsObject(), nullptr);
  const std::string of_matrices = gemm.getAsObject()->getObject("plan")->getString("row")->str();
  EXPECT_THAT(
      Gridwise(absl::StrCat("isa --direction=gemm --row=", of_matrices, " --device=", Target()))
          .out,
      AllOf(HasSubstr("row        " + of_matrices), HasSubstr("s_endpgm")));
  ExpectRefusal(absl::StrCat("isa --row=best --device=", Target()),
                "--row is 'best'; must be one of ");
}

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

int64_t CountLines(const std::string& path) {
  const std::string text = ReadText(path);
  return std::count(text.begin(), text.end(), '\n');
}

TEST(CommandLineTest, SweepsASetAndGoesOnWhereItWas) {
  const std::string csv = testing::TempDir() + "/sweep.csv";
  std::remove(csv.c_str());
  const std::string sweep = absl::StrCat("sweep --problems=", SmallSet(),
                                         " --direction=bwd_weight --n=2 --verify --csv=", csv);
  const ShellResult whole = Gridwise(sweep);
  EXPECT_EQ(whole.status, kSuccess) << whole.out;
  EXPECT_THAT(whole.out, AllOf(HasSubstr("[1/3] a "), HasSubstr("[3/3] c "), HasSubstr(": pass, "),
                               HasSubstr("3 runs: 3 passed, 0 failed")));
  const std::string text = ReadText(csv);
  EXPECT_EQ(CountLines(csv), 4);
  EXPECT_THAT(text, AllOf(HasSubstr("b," + Target() + ",bwd_weight f16 g1 n2 c24 k8"),
                          HasSubstr(",pass,")));
  // Interrupted in the third line.
  std::ofstream(csv, std::ios::binary) << text.substr(0, text.rfind(",pass,"));
  const ShellResult rest = Gridwise(sweep);
  EXPECT_EQ(rest.status, kSuccess) << rest.out;
  EXPECT_THAT(rest.out, AllOf(HasSubstr("[3/3] c "), Not(HasSubstr("[1/3]")), HasSubstr("3 passed"),
                              HasSubstr("2 of them earlier")));
  EXPECT_EQ(CountLines(csv), 4);
  EXPECT_THAT(ReadText(csv), HasSubstr(text.substr(0, text.rfind(",pass,"))));
}

TEST(CommandLineTest, SweepsTimes) {
  const std::string csv = testing::TempDir() + "/times.csv";
  std::remove(csv.c_str());
  const std::string sweep = absl::StrCat("sweep --problems=", SmallSet(),
                                         " --direction=bwd_weight --n=2 --time --csv=", csv);
  const ShellResult whole = Gridwise(sweep);
  EXPECT_EQ(whole.status, kSuccess) << whole.out;
  EXPECT_THAT(whole.out,
              AllOf(HasSubstr("[1/3] a "), HasSubstr(": timed, "), HasSubstr("% of the bound"),
                    HasSubstr(" 0 unverified, 3 timed"), HasSubstr("most above their bound")));
  EXPECT_EQ(CountLines(csv), 4);
  EXPECT_THAT(ReadText(csv), HasSubstr(",timed,"));
  EXPECT_THAT(Gridwise(sweep).out, HasSubstr("3 of them earlier"));
  ExpectRefusal(absl::StrCat("sweep --problems=", SmallSet(), " --time --verify"), "--time");
}

TEST(CommandLineTest, SweepsDirectionsAndRows) {
  const std::string sweep = absl::StrCat("sweep --problems=", SmallSet(), " ");
  const ShellResult all = Gridwise(sweep);  // a and c in three directions, b in one
  EXPECT_EQ(all.status, kSuccess) << all.out;
  EXPECT_THAT(all.out, HasSubstr("7 runs: 0 passed, 0 failed, 0 not computed, 7 unverified"));
  const ShellResult one = Gridwise(sweep + "--problem=a --direction=fwd --all-rows --verify");
  EXPECT_EQ(one.status, kSuccess) << one.out;
  EXPECT_THAT(one.out, AllOf(HasSubstr("[2/"), HasSubstr(" passed, 0 failed")));
  const ShellResult small = Gridwise(sweep + "--direction=bwd_weight --max-flops=50k");
  EXPECT_THAT(small.out, AllOf(HasSubstr("1 problems have more than"), HasSubstr("2 runs: ")));
}

// A pipe is not read, and has nothing but the table.
TEST(CommandLineTest, ASweepWritesToAPipe) {
  for (const char* csv : {"-", "/dev/stdout"}) {
    const ShellResult result = Shell(absl::StrCat(
        "timeout 50 tools/gridwise/gridwise sweep --problems=", SmallSet(),
        " --direction=bwd_weight --device=", Target(), " --csv=", csv, " 2>", Unread(), " | cat"));
    EXPECT_THAT(result.out,
                AllOf(HasSubstr("problem,device,sizes,row,seed,splits,result,gflop,estimate_us"),
                      HasSubstr("\nb," + Target()), HasSubstr("\nc," + Target())))
        << csv;
    if (csv[0] == '-') EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 4);
  }
}

TEST(CommandLineTest, ASweepEndsWithTheSlowestLayers) {
  const ShellResult result =
      Gridwise(absl::StrCat("sweep --problems=", SmallSet(), " --direction=fwd"));
  EXPECT_THAT(result.out, AllOf(HasSubstr("slowest, by the planner's estimate\n"),
                                HasSubstr("least efficient, by the planner's estimate\n"),
                                HasSubstr("TFLOP/s  problem\n")));
}

TEST(CommandLineTest, ASweepReportsWhatFails) {
  const std::string csv = testing::TempDir() + "/failing.csv";
  std::remove(csv.c_str());
  const std::string sweep =
      absl::StrCat("sweep --problems=", SmallSet(), " --direction=bwd_weight --verify --csv=", csv);
  const ShellResult refused = Gridwise(sweep + " --row=none");
  EXPECT_EQ(refused.status, kVerificationFailed) << refused.out;
  EXPECT_THAT(refused.out, AllOf(HasSubstr("[1/3] a : error"), HasSubstr("row is none"),
                                 HasSubstr("3 not computed")));
  EXPECT_THAT(ReadText(csv), HasSubstr(",error,"));
  // A result that was wrong earlier is still wrong.
  ASSERT_EQ(Gridwise(sweep).status, kSuccess);
  std::string text = ReadText(csv);
  text.replace(text.rfind(",pass,"), 6, ",fail,");
  std::ofstream(csv, std::ios::binary) << text;
  const ShellResult again = Gridwise(sweep);
  EXPECT_EQ(again.status, kVerificationFailed) << again.out;
  EXPECT_THAT(again.out, HasSubstr("3 runs: 2 passed, 1 failed, 0 not computed, 0 unverified; 3 of "
                                   "them earlier"));
}

TEST(CommandLineTest, ASweepRefusesBadFlags) {
  ExpectRefusal("sweep --problems=retinanet --direction=up", "the direction is 'up'");
  ExpectRefusal("sweep --problems=retinanet --type=f7", "--type is 'f7'");
  ExpectRefusal("sweep --problems=retinanet --device=gfx000", "--device is 'gfx000'");
  ExpectRefusal("sweep --problems=/no/such.csv", "/no/such.csv");
  ExpectRefusal("sweep --problems=retinanet --c=8", "sweep takes no --c");
  ExpectRefusal("sweep --problem=gemms9 --json --csv=-", "both want stdout");
  ExpectRefusal("sweep --problems=retinanet --n=0", "batch is 0; must be >= 1");
  ExpectRefusal("sweep --problem=nothing", "no problem is called 'nothing'");
  ExpectRefusal("sweep --problems=retinanet --row=x --all-rows", "exclude each other");
  ExpectRefusal("sweep --problems=retinanet --max-flops=-1",
                "--max-flops is '-1'; must be a number, 0");
  ExpectRefusal("sweep --problem=gemms9 --csv=/no/such/folder.csv", "cannot write /no/such/folder");
  ExpectRefusal("sweep retinanet", "'sweep retinanet' is not understood");
}

TEST(CommandLineTest, ComparesTwoChoices) {
  const std::string compare =
      absl::StrCat("compare --problems=", SmallSet(), " --device=", Target(), " ");
  const std::string csv = testing::TempDir() + "/compare.csv";
  const ShellResult result = Gridwise(absl::StrCat(
      compare, "--a=family=ck --b=family=tile --direction=bwd_weight --verify --csv=", csv));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out, AllOf(HasSubstr(" valu/mma)"), HasSubstr("3 problems, of which both"),
                                HasSubstr("geometric mean of a/b: "),
                                HasSubstr("estimates, not measurements; all results are right.")));
  EXPECT_EQ(CountLines(csv), 4);
  const ShellResult same = Gridwise(compare + "--a=splits=1 --b=splits=1");
  EXPECT_THAT(same.out, AllOf(HasSubstr("equal on 7"), HasSubstr("geometric mean of a/b: 1.000")));
  const ShellResult none = Gridwise(compare + "--a=row=best --direction=bwd_weight --problem=a");
  EXPECT_THAT(none.out, HasSubstr("a: row is best; must be one of "));
  ExpectRefusal(compare + "--a=fastest", "a choice is 'fastest'; must be family=, op=");
}

TEST(CommandLineTest, RepeatsAPublishedComparison) {
  const std::string compare =
      absl::StrCat("compare --published=sub_gemms --problem=2x2.s2.d2 --device=", Target(), " ");
  const std::string page = testing::TempDir() + "/compare.html";
  const ShellResult verified = Gridwise(absl::StrCat(compare, "--verify --page=", page));
  EXPECT_EQ(verified.status, kSuccess) << verified.out;
  EXPECT_THAT(verified.out, AllOf(HasSubstr("all results are right"),
                                  HasSubstr("Published: of 25 shapes with stride > 1")));
  EXPECT_GT(CountLines(page), 5);
  const ShellResult timed = Gridwise(compare + "--time");
  EXPECT_EQ(timed.status, kSuccess) << timed.out;
  EXPECT_THAT(timed.out, HasSubstr("by the simulator's clock, not measurements"));
  ExpectRefusal(compare + "--time --verify", "--time computes a part of the result at most");
  ExpectRefusal("compare --published=best", "--published is 'best'; must be one of sub_gemms");
}

TEST(CommandLineTest, ExplainsNamedProblems) {
  const ShellResult result =
      Gridwise(absl::StrCat("list --problems=", SmallSet(), " --explain a b"));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out, AllOf(HasSubstr("problem    fwd f16 g1 n1 c16 k16"),
                                HasSubstr("problem    bwd_weight f16 g1 n1 c16 k16"),
                                HasSubstr("problem    bwd_weight f16 g1 n1 c24 k8"),
                                Not(HasSubstr("problem    fwd f16 g1 n1 c24 k8")),
                                HasSubstr("ranked by  the "), HasSubstr("rounds x (max(")));
  // The chosen one of each of the four, which is the first.
  int chosen = 0;
  for (size_t at = 0; (at = result.out.find(" rows compute it\n* ", at)) != std::string::npos; ++at)
    ++chosen;
  EXPECT_EQ(chosen, 4) << result.out;
  ExpectRefusal("list --explain nothing", "no problem is called 'nothing'");
}

// The simulator says on a line of its own why there is no device.
TEST(CommandLineTest, WithoutADeviceThereIsASentence) {
  const ShellResult result = Shell(absl::StrCat(
      "GRIDWISE_SIM_DEVICES=none tools/gridwise/gridwise ", kSmall, "2>&1 >", Unread()));
  EXPECT_EQ(result.status, kDeviceError) << result.out;
  EXPECT_THAT(result.out, HasSubstr("gridwise: cannot list the devices: the HIP runtime finds no "
                                    "usable GPU and driver on this machine (hipErrorNoDevice)\n"));
}

TEST(CommandLineTest, ListsAndHelps) {
  const ShellResult list = Gridwise("list");
  EXPECT_EQ(list.status, kSuccess);
  EXPECT_THAT(list.out, AllOf(HasSubstr("gfx942"), HasSubstr("bwd_data"),
                              HasSubstr("problem set retinanet")));
  EXPECT_THAT(Gridwise("list rows").out,
              AllOf(HasSubstr("rows gfx942 fwd: "), HasSubstr("rows gfx1201 bwd_weight: "),
                    HasSubstr("\n  f16_t")));
  EXPECT_THAT(Gridwise("list rows --device=MI300X --direction=fwd --family=tile").out,
              AllOf(HasSubstr("rows gfx942 fwd: "), Not(HasSubstr("gfx950")),
                    Not(HasSubstr("bwd_data")), Not(HasSubstr("(ck)"))));
  EXPECT_THAT(Gridwise("list problems").out, HasSubstr("almiopen-1959"));
  for (const char* arguments : {"help", "--help", "run --help"}) {
    const ShellResult help = Gridwise(arguments);
    EXPECT_EQ(help.status, kSuccess) << arguments;
    EXPECT_THAT(help.out,
                AllOf(HasSubstr("gridwise run"), HasSubstr(" fwd"), HasSubstr("bwd_data")))
        << arguments;
  }
  EXPECT_THAT(Gridwise("help").out, AllOf(HasSubstr("Examples"), HasSubstr("Exit status")));
  EXPECT_THAT(Gridwise("run --help").out, HasSubstr("--pad-end"));
  for (const char* arguments : {"help sweep", "sweep --help"}) {
    EXPECT_THAT(Gridwise(arguments).out,
                AllOf(HasSubstr("--max-flops"), HasSubstr("--csv=-"), Not(HasSubstr("--splits"))))
        << arguments;
  }
  const ShellResult version = Shell("tools/gridwise/gridwise --version");
  EXPECT_EQ(version.status, kSuccess);
  EXPECT_THAT(version.out, AllOf(HasSubstr("gridwise 0."), Not(HasSubstr("uild"))));
}

}  // namespace
}  // namespace gridwise
