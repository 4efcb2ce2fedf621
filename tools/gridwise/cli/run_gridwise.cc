// SPDX-License-Identifier: MIT
#include "tools/gridwise/cli/run_gridwise.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Support/Error.h"
#include "tools/gridwise/cli/exit_code.h"

namespace gridwise {

std::string Target() {
  const char* target = std::getenv("GRIDWISE_TEST_TARGET");
  return target == nullptr ? "" : target;
}

ShellResult Gridwise(const std::string& arguments) {
  const bool runs = (arguments.starts_with("run ") || arguments.starts_with("sweep")) &&
                    arguments.find("--device") == std::string::npos;
  const std::string device = runs ? absl::StrCat(" --device=", Target()) : "";
  return Shell(absl::StrCat("XDG_CACHE_HOME=", testing::TempDir(), " tools/gridwise/gridwise ",
                            arguments, device, " 2>&1"));
}

void ExpectRefusal(const std::string& arguments, const std::string& sentence) {
  const ShellResult result = Gridwise(arguments);
  EXPECT_EQ(result.status, kBadUsage) << arguments;
  EXPECT_THAT(result.out, testing::HasSubstr(sentence)) << arguments;
  EXPECT_EQ(CountLines(result.out), 1) << result.out;
}

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

std::string Unread() { return testing::TempDir() + "/unread.txt"; }

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

int CountLines(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace gridwise
