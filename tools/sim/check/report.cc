// SPDX-License-Identifier: MIT
#include "tools/sim/check/report.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/text/html.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "tools/sim/isa/facts/facts.h"

namespace gridwise::sim {
namespace {

/// The description of a category, for viewers that show rules.
constexpr std::array<const char*, kCategories> kDescriptions = {
    "A result is used before the wait for it",
    "The hardware needs more instructions in between",
    "An address outside of what the kernel may touch",
    "Accesses of waves that nothing orders",
    "Waves meet different barriers, or with other lanes",
    "A watched output is not written exactly once",
    "An undefined value decides something",
    "Operations that nobody waits for",
    "Finite numbers become an infinity or a NaN",
    "A number is too large for its format",
    "A sum has no significant bits left",
};

std::string Text(llvm::json::Value value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << value;
  return stream.str();
}

llvm::json::Object PropertiesOf(const Finding& f) {
  llvm::json::Object object{
      {"pc", static_cast<int64_t>(f.pc)},
      {"instruction", f.instruction},
      {"workgroup", llvm::json::Array{f.workgroup[0], f.workgroup[1], f.workgroup[2]}},
      {"wave", f.wave},
      {"lane", f.lane},
      {"instructions", f.instructions}};
  if (f.has_address) object["address"] = absl::StrFormat("%#x", f.address);
  return object;
}

/// The file's path below GRIDWISE_SIM_SOURCE_ROOT or, without that, the working directory; or all
/// of it.
std::string PathOf(const SourceLine& source) {
  std::error_code error;
  const char* const root = std::getenv("GRIDWISE_SIM_SOURCE_ROOT");
  const std::filesystem::path folder = root != nullptr && *root != 0
                                           ? std::filesystem::path(root).lexically_normal()
                                           : std::filesystem::current_path(error);
  const std::filesystem::path file = source.file;
  if (error || !file.is_absolute()) return file.lexically_normal().string();
  const std::filesystem::path below = file.lexically_relative(folder);
  return below.empty() || *below.begin() == ".." ? file.string() : below.string();
}

/// RFC 3986: what is not an unreserved character of a path is written by its bytes.
std::string UriOf(std::string_view path) {
  std::string uri = absl::StartsWith(path, "/") ? "file://" : "";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(byte) || absl::StrContains("/-._~", c)) {
      uri += c;
    } else {
      absl::StrAppendFormat(&uri, "%%%02X", byte);
    }
  }
  return uri;
}

llvm::json::Object LocationOf(const Finding& f) {
  llvm::json::Object location;
  if (!f.kernel.empty()) {
    location["logicalLocations"] =
        llvm::json::Array{llvm::json::Object{{"name", f.kernel}, {"kind", "function"}}};
  }
  if (f.source.line != 0) {
    const std::string uri = UriOf(PathOf(f.source));
    llvm::json::Object artifact{{"uri", uri}};
    if (!absl::StartsWith(uri, "file:")) artifact["uriBaseId"] = "%SRCROOT%";
    location["physicalLocation"] =
        llvm::json::Object{{"artifactLocation", std::move(artifact)},
                           {"region", llvm::json::Object{{"startLine", f.source.line}}}};
  }
  return location;
}

/// A test case of JUnit without its end: "<testcase ...".
std::string TestCase(std::string_view kernel, std::string_view name) {
  return absl::StrFormat("    <testcase classname=\"%s\" name=\"%s\" time=\"0\"",
                         EscapeHtml(kernel.empty() ? "program" : kernel), EscapeHtml(name));
}

std::string FailedCase(const Finding& f) {
  const std::string source = f.source.ToString(), category(Name(f.category));
  std::string text = TestCase(f.kernel, absl::StrCat(category, source.empty() ? "" : " ", source,
                                                     " pc ", OffsetText(f.pc), ": ", f.what));
  if (f.source.line != 0) {
    absl::StrAppendFormat(&text, " file=\"%s\" line=\"%d\"", EscapeHtml(PathOf(f.source)),
                          f.source.line);
  }
  absl::StrAppendFormat(&text, ">\n      <failure type=\"%s\" message=\"%s\">%s</failure>\n",
                        category, EscapeHtml(absl::StrCat(f.what, f.detail)),
                        EscapeHtml(absl::StrCat(f.ToString(), ", ", f.count, " times in all")));
  return absl::StrCat(text, "    </testcase>\n");
}

}  // namespace

std::string ToJson(const std::vector<Finding>& findings) {
  llvm::json::Array list;
  for (const Finding& f : findings) {
    llvm::json::Object object = PropertiesOf(f);
    object["category"] = std::string(Name(f.category));
    object["kernel"] = f.kernel;
    object["source"] = f.source.ToString();
    object["what"] = f.what + f.detail;
    object["count"] = f.count;
    list.push_back(std::move(object));
  }
  return Text(llvm::json::Object{{"findings", std::move(list)}});
}

std::string ToSarif(const std::vector<Finding>& findings) {
  llvm::json::Array rules, results;
  for (size_t i = 0; i < kDescriptions.size(); ++i) {
    rules.push_back(
        llvm::json::Object{{"id", std::string(kCategoryNames[i])},
                           {"shortDescription", llvm::json::Object{{"text", kDescriptions[i]}}}});
  }
  for (const Finding& f : findings) {
    const auto category = static_cast<int>(f.category);
    results.push_back(
        llvm::json::Object{{"ruleId", std::string(Name(f.category))},
                           {"ruleIndex", category},
                           {"level", category < kUsualCategories ? "error" : "warning"},
                           {"message", llvm::json::Object{{"text", f.ToString()}}},
                           {"locations", llvm::json::Array{LocationOf(f)}},
                           {"occurrenceCount", f.count},
                           {"properties", PropertiesOf(f)}});
  }
  llvm::json::Object driver{{"name", "gridwise check"}, {"rules", std::move(rules)}};
  llvm::json::Object run{{"tool", llvm::json::Object{{"driver", std::move(driver)}}},
                         {"results", std::move(results)}};
  return Text(llvm::json::Object{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                                 {"version", "2.1.0"},
                                 {"runs", llvm::json::Array{std::move(run)}}});
}

std::string ToJunit(const std::vector<Finding>& findings, const std::set<std::string>& checked) {
  std::string cases;
  std::set<std::string> passed = checked;
  for (const Finding& f : findings) {
    absl::StrAppend(&cases, FailedCase(f));
    passed.erase(f.kernel);
  }
  for (const std::string& kernel : passed)
    absl::StrAppend(&cases, TestCase(kernel, "nothing found"), "/>\n");
  const std::string counts = absl::StrFormat(
      "name=\"gridwise check\" tests=\"%d\" failures=\"%d\" errors=\"0\" time=\"0\"",
      findings.size() + passed.size(), findings.size());
  return absl::StrCat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites ", counts,
                      ">\n  <testsuite ", counts, ">\n", cases, "  </testsuite>\n</testsuites>");
}

std::string ReportFor(std::string_view path, const std::vector<Finding>& findings,
                      const std::set<std::string>& checked) {
  if (absl::EndsWith(path, ".xml")) return ToJunit(findings, checked);
  if (absl::EndsWith(path, ".sarif") || absl::EndsWith(path, ".sarif.json"))
    return ToSarif(findings);
  return ToJson(findings);
}

}  // namespace gridwise::sim
