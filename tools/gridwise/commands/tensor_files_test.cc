// SPDX-License-Identifier: MIT
/// `gridwise run` on tensors of files.

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/types.h"
#include "core/text/shell.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/gridwise/cli/exit_code.h"
#include "tools/gridwise/cli/run_gridwise.h"
#include "tools/gridwise/problem/npy.h"

namespace gridwise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

void Write(const std::string& path, std::vector<int64_t> shape, const std::vector<float>& values) {
  NpyArray array{.type = DataType::kF32, .shape = std::move(shape), .data = {}};
  array.data.resize(values.size() * sizeof(float));
  std::memcpy(array.data.data(), values.data(), array.data.size());
  ASSERT_TRUE(WriteNpy(path, array).ok());
}

std::vector<float> ReadFloats(const std::string& path) {
  const auto array = ReadNpy(path);
  if (!array.ok()) return {};
  std::vector<float> values(array->data.size() / sizeof(float));
  std::memcpy(values.data(), array->data.data(), array->data.size());
  return values;
}

// One axis, one channel: dx[i] = sum of dy[o] w[y] over i = 2 o + y. By hand: dy = [1, 2], w = [3,
// 5, 7] gives dx = [3, 5, 7 + 6, 10, 14].
TEST(TensorFiles, ComputesOnTensorsOfFiles) {
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

// y[o] = x[2 o] w[0] + x[2 o + 1] w[1] + x[2 o + 2] w[2], and dw[t] = sum of dy[o] x[2 o + t].
TEST(TensorFiles, ComputesForwardAndBackwardWeightOnTensorsOfFiles) {
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
      "--w is not an operand of bwd_weight, which takes --dy and --x");
}

void WriteBytes(const std::string& path, std::vector<int64_t> shape,
                const std::vector<int8_t>& values) {
  NpyArray array{.type = DataType::kI8, .shape = std::move(shape), .data = {}};
  array.data.resize(values.size());
  std::memcpy(array.data.data(), values.data(), array.data.size());
  ASSERT_TRUE(WriteNpy(path, array).ok());
}

// y[o] = x[o] w[0] + x[o + 1] w[1]: x = [100, -128, 127], w = [127, -128] gives 29084 and -32512.
TEST(TensorFiles, ComputesOnIntegers) {
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

// By hand, two channels in two groups, three pixels: y[k] is x of the channel times 10 or 100. In
// ngchw the pixels of a channel are adjacent.
TEST(TensorFiles, FilesAreInTheirLayouts) {
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

TEST(TensorFiles, RefusesBadFiles) {
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

}  // namespace
}  // namespace gridwise
