// SPDX-License-Identifier: MIT
#include "tools/sim/elf/kernel_info.h"

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise::sim {
namespace {

using ::testing::HasSubstr;

// Pieces of msgpack, written from its specification. Strings have up to 15 and 31 bytes here.
std::string Map(int entries) { return {static_cast<char>(0x80 + entries)}; }
std::string Array(int elements) { return {static_cast<char>(0x90 + elements)}; }
std::string Text(const std::string& text) {
  return static_cast<char>(0xa0 + static_cast<int>(text.size())) + text;
}
std::string Number(int number) { return {static_cast<char>(number)}; }

std::string Error(const std::string& metadata) {
  const absl::StatusOr<std::vector<KernelMetadata>> kernels = ReadMetadata(metadata);
  return kernels.ok() ? "it is read" : std::string(kernels.status().message());
}

TEST(ReadMetadata, ReadsKernelsBetweenOtherValues) {
  const std::string kernel = Map(3) + Text(".name") + Text("k") + Text(".symbol") + Text("k.kd") +
                             Text(".kernarg_segment_size") + Number(24);
  const absl::StatusOr<std::vector<KernelMetadata>> kernels =
      ReadMetadata(Map(4) + Number(7) + Array(2) + Map(0) + Array(0) +  // numbers are keys, too
                   Text("amdhsa.kernels") + Array(1) + kernel +         //
                   Text("amdhsa.version") + Array(2) + Number(1) + Number(2) +  //
                   Text("empty") + Map(0));
  ASSERT_TRUE(kernels.ok()) << kernels.status();
  ASSERT_EQ(kernels->size(), 1u);
  EXPECT_EQ(kernels->front().info.name, "k");
  EXPECT_EQ(kernels->front().symbol, "k.kd");
  EXPECT_EQ(kernels->front().info.kernarg_bytes, 24u);
}

TEST(ReadMetadata, RefusesKeysThatAreNoScalars) {
  constexpr std::string_view kRule = "is not a msgpack map with scalars as keys";
  for (const std::string& key : {Array(0), Map(0), Array(1) + Number(1)}) {
    EXPECT_THAT(Error(Map(1) + key + Number(1)), HasSubstr(kRule));
    EXPECT_THAT(Error(Map(1) + Text("a") + Array(1) + Map(1) + key + Number(1)), HasSubstr(kRule));
    EXPECT_EQ(Error(Map(1) + Text("a") + key), "it is read") << "as a value";
  }
}

TEST(ReadMetadata, RefusesWhatIsNoWholeMap) {
  constexpr std::string_view kRule = "is not a msgpack map with scalars as keys";
  EXPECT_THAT(Error(""), HasSubstr(kRule));
  EXPECT_THAT(Error(Number(1)), HasSubstr(kRule));
  EXPECT_THAT(Error(Array(1) + Number(1)), HasSubstr(kRule));
  EXPECT_THAT(Error(Map(2) + Text("a") + Number(1)), HasSubstr(kRule)) << "an entry is missing";
  EXPECT_THAT(Error(Map(1) + Text("a")), HasSubstr(kRule)) << "a value is missing";
}

}  // namespace
}  // namespace gridwise::sim
