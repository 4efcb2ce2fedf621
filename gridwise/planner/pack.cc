// SPDX-License-Identifier: MIT
/// Writes the tables of a model's trees as C++, so that they are read when the library is built:
///
///   pack MODEL > PACKED.inc
///
/// The output defines `kModel`, a PackedModel.

#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gridwise/planner/trees.h"

namespace gridwise::model {
namespace {

/// A span named `name` of what `print` prints of each value. An array is not empty in C++.
template <class Value, class Print>
void PrintSpan(const char* name, const char* type, std::span<const Value> values, Print print) {
  std::printf("constexpr %s kArrayOf%s[] = {", type, name);
  for (const Value& value : values) print(value);
  std::printf("{}};\nconstexpr std::span<const %s> k%s(kArrayOf%s, %zu);\n", type, name, name,
              values.size());
}

absl::Status Pack(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  TreeReader reader;
  std::size_t features = 0;
  std::string lines;
  for (const std::string_view line : absl::StrSplit(text, '\n')) {
    features += line.starts_with("feature ") ? 1 : 0;
    if (!line.starts_with("tree ")) {
      absl::StrAppend(&lines, line, "\n");
      continue;
    }
    const std::vector<std::string_view> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    absl::Status status = reader.Add(std::span(words).subspan(1), features);
    if (!status.ok()) return status;
  }
  const absl::StatusOr<TreeReader::Filled> filled = reader.Fill();
  if (!filled.ok()) return filled.status();
  const TreeTables& tables = filled->tables;
  std::printf("constexpr float kInfinity = std::numeric_limits<float>::infinity();\n");
  PrintSpan("Ends", "std::uint32_t", tables.ends,
            [](std::uint32_t end) { std::printf("%u,", end); });
  PrintSpan("Thresholds", "float", tables.thresholds, [](float threshold) {
    const bool is_finite = threshold <= std::numeric_limits<float>::max();
    std::printf(is_finite ? "%af," : "kInfinity,", static_cast<double>(threshold));
  });
  PrintSpan("Nodes", "TreeNode", tables.nodes,
            [](TreeNode node) { std::printf("{%d,%d},", node.feature, node.bin); });
  PrintSpan("Leaves", "float", tables.leaves,
            [](float leaf) { std::printf("%af,", static_cast<double>(leaf)); });
  std::printf(
      "constexpr PackedModel kModel = {\n"
      "    .lines =\n%s,\n"
      "    .trees = {.depth = %d, .ends = kEnds, .thresholds = kThresholds,\n"
      "              .nodes = kNodes, .leaves = kLeaves}};\n",
      lines.c_str(), tables.depth);
  return absl::OkStatus();
}

}  // namespace
}  // namespace gridwise::model

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: pack MODEL > PACKED.inc\n");
    return 2;
  }
  const absl::Status status = gridwise::model::Pack(argv[1]);
  if (!status.ok()) std::fprintf(stderr, "%s: %s\n", argv[1], status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
