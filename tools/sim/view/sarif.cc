// SPDX-License-Identifier: MIT
#include "tools/sim/view/sarif.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "llvm/Support/raw_ostream.h"
#include "tools/sim/check/report.h"
#include "tools/text/json.h"

namespace gridwise::sim {
namespace {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

std::string TextOf(const Value& value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << value;
  return stream.str();
}

std::string ReadString(const Object& object, llvm::StringRef key) {
  return object.getString(key).value_or("").str();
}

std::string MessageOf(const Object& result) {
  const Object* const message = result.getObject("message");
  return message == nullptr ? "" : ReadString(*message, "text");
}

int64_t ReadCount(const Object& result) {
  constexpr int64_t kMaxCount = int64_t{1} << 40;  // so that sums do not overflow
  return std::clamp<int64_t>(result.getInteger("occurrenceCount").value_or(1), 1, kMaxCount);
}

/// Results with the same key are the same.
std::string KeyOf(const Object& result) {
  const Value* const locations = result.get("locations");
  const Object* const properties = result.getObject("properties");
  return absl::StrCat(ReadString(result, "ruleId"), "\n",
                      locations == nullptr ? "" : TextOf(*locations), "\n",
                      properties == nullptr ? "" : ReadString(*properties, "instruction"));
}

/// The path that a URI of a report means (RFC 3986), the other way round than report.cc's UriOf.
std::string PathOf(std::string_view uri) {
  absl::ConsumePrefix(&uri, "file://");
  std::string path;
  for (size_t i = 0; i < uri.size(); ++i) {
    uint32_t byte = 0;
    if (uri[i] == '%' && i + 2 < uri.size() && absl::SimpleHexAtoi(uri.substr(i + 1, 2), &byte)) {
      path += static_cast<char>(byte);
      i += 2;
    } else {
      path += uri[i];
    }
  }
  return path;
}

/// "file=...,line=...," of the result's place; "" if it has none.
std::string GithubPlace(const Object& result) {
  const Array* const locations = result.getArray("locations");
  const Object* const first =
      locations == nullptr || locations->empty() ? nullptr : locations->front().getAsObject();
  const Object* const physical = first == nullptr ? nullptr : first->getObject("physicalLocation");
  if (physical == nullptr) return "";
  const Object* const artifact = physical->getObject("artifactLocation");
  const Object* const region = physical->getObject("region");
  if (artifact == nullptr || region == nullptr) return "";
  // Characters that properties of a command must not contain: actions/toolkit, command.ts.
  const std::string file =
      absl::StrReplaceAll(PathOf(ReadString(*artifact, "uri")),
                          {{"%", "%25"}, {"\r", "%0D"}, {"\n", "%0A"}, {":", "%3A"}, {",", "%2C"}});
  return absl::StrCat("file=", file, ",line=", region->getInteger("startLine").value_or(1), ",");
}

}  // namespace

absl::Status SarifReports::Add(std::string_view text) {
  const absl::StatusOr<Value> log = ParseJson(text);
  if (!log.ok()) return log.status();
  const Object* const object = log->getAsObject();
  const Array* const runs = object == nullptr ? nullptr : object->getArray("runs");
  std::vector<Object> read;
  for (const Value& run : runs == nullptr ? Array() : *runs) {
    const Object* const fields = run.getAsObject();
    const Array* const results = fields == nullptr ? nullptr : fields->getArray("results");
    if (results == nullptr) return absl::InvalidArgumentError("a run has no list of results");
    for (const Value& result : *results) {
      if (result.getAsObject() == nullptr || MessageOf(*result.getAsObject()).empty()) {
        return absl::InvalidArgumentError(
            absl::StrCat("a result has no message: ", TextOf(result)));
      }
      read.push_back(*result.getAsObject());
    }
  }
  if (runs == nullptr)
    return absl::InvalidArgumentError("it has no list of runs, so it is no SARIF");
  for (Object& result : read) {
    const auto [known, is_new] = known_.try_emplace(KeyOf(result), results_.size());
    if (is_new) {
      results_.push_back(std::move(result));
    } else {
      Object& earlier = results_[known->second];
      earlier["occurrenceCount"] = ReadCount(earlier) + ReadCount(result);
    }
  }
  return absl::OkStatus();
}

std::string SarifReports::Text() const {
  std::string text;
  for (const Object& result : results_) {
    const int64_t count = ReadCount(result);
    absl::StrAppend(&text, MessageOf(result),
                    count == 1 ? "" : absl::StrCat(", ", count, " times in all"), "\n");
  }
  return text;
}

std::string SarifReports::Sarif() const {
  // The log of nothing has the tool and its rules.
  Value log = *ParseJson(ToSarif({}));
  Array results;
  for (const Object& result : results_) results.push_back(Object(result));
  (*(*log.getAsObject()->getArray("runs"))[0].getAsObject())["results"] = std::move(results);
  return TextOf(log);
}

std::string SarifReports::GithubCommands() const {
  std::string text;
  for (const Object& result : results_) {
    const bool is_error = ReadString(result, "level") == "error";
    absl::StrAppend(
        &text, is_error ? "::error " : "::warning ", GithubPlace(result), "title=gridwise check ",
        ReadString(result, "ruleId"),
        "::", absl::StrReplaceAll(MessageOf(result), {{"%", "%25"}, {"\r", "%0D"}, {"\n", "%0A"}}),
        "\n");
  }
  return text;
}

}  // namespace gridwise::sim
