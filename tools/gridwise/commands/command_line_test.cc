// SPDX-License-Identifier: MIT
/// The program as a user runs it: its words and flags, and its commands that compute nothing.

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/text/shell.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Support/JSON.h"
#include "tools/gridwise/cli/exit_code.h"
#include "tools/gridwise/cli/run_gridwise.h"

namespace gridwise {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(CommandLineTest, SaysWhichInstructionsTheSimulatorRefuses) {
  const ShellResult result = Gridwise("sim isa --target=gfx1201");
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out, AllOf(HasSubstr("gfx1201: "), HasSubstr("instructions have a handler"),
                                HasSubstr("\n  image_load\n"), Not(HasSubstr("\n  v_add_f32\n"))));
  ExpectRefusal("sim isa --target=gfx90", "'gfx90' is not a target of the simulator");
}

TEST(CommandLineTest, RefusesBadSizes) {
  ExpectRefusal("run bwd_data --problem=gemms9 --stride=0", "stride (h) is 0; must be >= 1");
  ExpectRefusal("run bwd_data --c=8 --k=9 --groups=2 --in=5x5 --filter=3",
                "k is 9; must be a multiple of groups");
  ExpectRefusal("run bwd_data --c=8 --k=8 --in=5x5 --filter=7", "must fit in the padded input");
  ExpectRefusal("run bwd_data --c=8 --k=8", "give --in, --filter");
  ExpectRefusal("run bwd_data --c=8 --k=8 --in=5x5 --filter=3x3x3", "spatial axes");
  ExpectRefusal("run bwd_data --problem=gemms9 --in=3y", "3y");
  ExpectRefusal("run bwd_data --problem=gemms9 --stride=2x",
                "--stride is '2x'; must be 1 to 3 integers");
  ExpectRefusal("run bwd_data --problem=gemms9 --n=many", "--n is 'many'; must be a whole number");
  ExpectRefusal("run bwd_data --problem=gemms9 --relu=perhaps",
                "--relu is 'perhaps'; must be true or false");
}

TEST(CommandLineTest, RefusesUnknownNames) {
  ExpectRefusal("--time", "--time is given and no command; `gridwise help` lists them");
  ExpectRefusal("run bwd_data --problem=gemms9 --device=gfx000",
                "the device is 'gfx000'; must be a GPU or a processor of one: ");
  // i32 is no type of operands.
  ExpectRefusal("run fwd --problem=gemms9 --type=fp64",
                "--type is 'fp64'; must be one of f16, bf16, f32, i8, f8e4m3fn, f8e4m3fnuz, "
                "f8e5m2, f8e5m2fnuz, tf32, f8 "
                "or bf8");
  ExpectRefusal("run fwd --problem=gemms9 --type=i32", "--type is 'i32'; must be one of f16, bf16");
  ExpectRefusal("run bwd_data --problem=nothing", "no problem is called 'nothing'");
  ExpectRefusal("run bwd_data --problem=gems9", "the nearest are gemms9, ");
  ExpectRefusal("run bwd_data --problem=gemms9 --instance=best",
                "instance is best; must be one of ");
  EXPECT_LT(Gridwise("run bwd_data --problem=gemms9 --instance=best").out.size(), 500u);
  ExpectRefusal("run bwd_data --problem=gemms9 --strode=2",
                "no flag is called --strode; the nearest is --stride");
  ExpectRefusal("list instances --family=fast", "no instance is of family 'fast'");
  ExpectRefusal("list support --family=fast", "no instance is of family 'fast'");
  ExpectRefusal("list support --device=gfx000", "the device is 'gfx000'; must be a GPU");
  ExpectRefusal("list support --direction=sideways", "'sideways'; must be one of fwd, bwd_data");
  ExpectRefusal("list support --type=bf16", "--type is given; list takes it only with --explain");
  ExpectRefusal("list support --family=ck --json", "support as a Markdown table only");
  ExpectRefusal("list instances --verify", "list takes no --verify; `gridwise help list`");
  ExpectRefusal("run sideways --problem=gemms9",
                "the direction is 'sideways'; must be one of fwd, bwd_data");
  ExpectRefusal("run", "run takes one direction");
  ExpectRefusal("walk", "'walk' is not understood");
  ExpectRefusal("isa fwd",
                "'isa fwd' is not understood; it is written `gridwise isa --instance=NAME`");
  ExpectRefusal("list --explain --device=gfx950", "--explain has no value");
  ExpectRefusal("instance", "the nearest command is instances");
  ExpectRefusal("help instance", "no help about 'instance'; the nearest command is instances");
  ExpectRefusal("validate",
                "no table is named; `gridwise sweep --time --all-instances --csv=TABLE`");
  ExpectRefusal("list colours", "nothing is called 'colours'");
}

TEST(CommandLineTest, ProgramsReadJson) {
  const llvm::json::Value run = Json(absl::StrCat(kSmall, "--verify"));
  ASSERT_NE(run.getAsObject(), nullptr);
  const llvm::json::Object* verified = run.getAsObject()->getObject("verified");
  ASSERT_NE(verified, nullptr);
  EXPECT_EQ(verified->getBoolean("pass"), true);
  EXPECT_EQ(run.getAsObject()->getObject("problem")->getInteger("c"), 24);
  EXPECT_GT(run.getAsObject()->getObject("run")->getObject("instructions")->getInteger("valu"), 0);
  const auto instance = run.getAsObject()->getObject("plan")->getString("instance");
  ASSERT_TRUE(instance.has_value());

  const llvm::json::Value explained = Json(absl::StrCat("explain ", std::string(kSmall).substr(4)));
  ASSERT_NE(explained.getAsObject(), nullptr);
  const llvm::json::Array& instances = *explained.getAsObject()->getArray("instances");
  ASSERT_GE(instances.size(), 2u);
  EXPECT_EQ(instances[0].getAsObject()->getString("instance"), instance);
  EXPECT_EQ(instances[0].getAsObject()->getBoolean("chosen"), true);

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

TEST(CommandLineTest, DisassemblesAnInstance) {
  const llvm::json::Value run = Json(kSmall);
  ASSERT_NE(run.getAsObject(), nullptr);
  const std::string instance = run.getAsObject()->getObject("plan")->getString("instance")->str();
  const ShellResult result = Gridwise(
      absl::StrCat("isa --instance=", instance, " --direction=bwd_data --device=", Target()));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out, AllOf(HasSubstr("instance   " + instance), HasSubstr("registers  "),
                                HasSubstr(" bytes of LDS"), HasSubstr("main loop  pc 0x"),
                                HasSubstr("\n|  "), HasSubstr("s_endpgm")));
  const llvm::json::Value gemm = Json("run gemm --m=64 --n=64 --k=64 --b=col");
  ASSERT_NE(gemm.getAsObject(), nullptr);
  const std::string of_matrices =
      gemm.getAsObject()->getObject("plan")->getString("instance")->str();
  EXPECT_THAT(Gridwise(absl::StrCat("isa --direction=gemm --instance=", of_matrices,
                                    " --device=", Target()))
                  .out,
              AllOf(HasSubstr("instance   " + of_matrices), HasSubstr("s_endpgm")));
  ExpectRefusal(absl::StrCat("isa --instance=best --device=", Target()),
                "--instance is 'best'; must be one of ");
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
  for (size_t at = 0; (at = result.out.find(" instances compute it\n* ", at)) != std::string::npos;
       ++at)
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
  EXPECT_THAT(Gridwise("list instances").out,
              AllOf(HasSubstr("instances gfx942 fwd: "),
                    HasSubstr("instances gfx1201 bwd_weight: "), HasSubstr("\n  f16_t")));
  EXPECT_THAT(Gridwise("list instances --device=MI300X --direction=fwd --family=tile").out,
              AllOf(HasSubstr("instances gfx942 fwd: "), Not(HasSubstr("gfx950")),
                    Not(HasSubstr("bwd_data")), Not(HasSubstr("(ck)"))));
  EXPECT_THAT(Gridwise("list support --device=MI300X --direction=gemm").out,
              AllOf(HasSubstr("| type | gfx942 |\n"), HasSubstr("| gemm | f16 | "),
                    Not(HasSubstr("| fwd |"))));
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
                AllOf(HasSubstr("--max-flops"), HasSubstr("--csv=-"), Not(HasSubstr("--atomic"))))
        << arguments;
  }
  const ShellResult version = Shell("tools/gridwise/gridwise --version");
  EXPECT_EQ(version.status, kSuccess);
  EXPECT_THAT(version.out, AllOf(HasSubstr("gridwise 0."), Not(HasSubstr("uild"))));
}

}  // namespace
}  // namespace gridwise
