// SPDX-License-Identifier: MIT
#include "tools/gridwise/cli/flags.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/reflection.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "core/text/nearest.h"

namespace gridwise {
namespace {

/// Returns what a value of the flag must be, to follow "must be". Empty if the flag's parser says
/// it.
std::string_view MustBe(const absl::CommandLineFlag& flag) {
  if (flag.IsOfType<std::optional<int64_t>>() || flag.IsOfType<int>()) return "a whole number";
  if (flag.IsOfType<uint64_t>()) return "a whole number, 0 or more";
  if (flag.IsOfType<double>() || flag.IsOfType<std::optional<double>>()) return "a number";
  if (flag.IsOfType<bool>()) return "true or false";
  return "";
}

absl::Status SetFlag(absl::CommandLineFlag& flag, const std::string& value) {
  std::string error;
  if (flag.ParseFrom(value, &error)) return absl::OkStatus();
  const std::string_view must_be = MustBe(flag);
  const size_t reason =
      error.rfind("; ");  // in "Illegal value '3y' specified for flag 'in'; 3y..."
  return absl::InvalidArgumentError(absl::StrCat(
      Spelling(flag.Name()), " is '", value, "'; ", must_be.empty() ? "" : "must be ",
      !must_be.empty() ? must_be
                       : std::string_view(error).substr(reason == error.npos ? 0 : reason + 2)));
}

}  // namespace

bool AbslParseFlag(absl::string_view text, OperationCount* count, std::string* error) {
  double factor = 1;
  constexpr std::string_view kPrefixes = "kMGTP";
  if (const size_t at = text.empty() ? kPrefixes.npos : kPrefixes.find(text.back());
      at != kPrefixes.npos) {
    factor = std::pow(1000.0, static_cast<double>(at + 1));
    text.remove_suffix(1);
  }
  if (absl::SimpleAtod(text, &count->value) && count->value >= 0) {
    count->value *= factor;
    return true;
  }
  *error = "must be a number, 0 or more, as in 5e9 or 5G";
  return false;
}

std::string AbslUnparseFlag(const OperationCount& count) { return absl::StrCat(count.value); }

std::string Spelling(std::string_view flag) {
  return absl::StrCat("--", absl::StrReplaceAll(flag, {{"_", "-"}}));
}

absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& arguments,
                                             const std::vector<std::string_view>& known) {
  CommandLine line;
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string_view argument = arguments[i];
    if (i == 0 || !absl::ConsumePrefix(&argument, "--")) {
      line.words.emplace_back(argument);
      continue;
    }
    if (argument.empty()) {
      line.words.insert(line.words.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                        arguments.end());
      break;
    }
    const size_t equals = argument.find('=');
    const std::string name = absl::StrReplaceAll(argument.substr(0, equals), {{"-", "_"}});
    absl::CommandLineFlag* const flag = absl::FindCommandLineFlag(name);
    if (flag == nullptr || std::find(known.begin(), known.end(), name) == known.end()) {
      const std::vector<std::string> nearest =
          NearestNames(name, {known.begin(), known.end()}, /*count=*/1);
      return absl::InvalidArgumentError(absl::StrCat("no flag is called ", Spelling(name),
                                                     "; the nearest is ", Spelling(nearest.front()),
                                                     ", and `gridwise help` lists them"));
    }
    std::string value = "true";
    if (equals != argument.npos) {
      value = argument.substr(equals + 1);
    } else if (!flag->IsOfType<bool>()) {
      ++i;
      if (i == arguments.size() || absl::StartsWith(arguments[i], "--")) {
        return absl::InvalidArgumentError(absl::StrCat(Spelling(name), " has no value"));
      }
      value = arguments[i];
    }
    if (absl::Status status = SetFlag(*flag, value); !status.ok()) return status;
    line.flags.push_back(name);
  }
  return line;
}

}  // namespace gridwise
