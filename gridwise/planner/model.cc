// SPDX-License-Identifier: MIT
#include "gridwise/planner/model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "core/arch/parse_gfx.h"
#include "core/base/parse_type.h"

namespace gridwise::model {
namespace {

using Words = std::vector<std::string_view>;

// The file's first and last lines make it a C++ string.
constexpr std::string_view kBegin = "R\"model(", kEnd = ")model\"";

absl::StatusOr<Group> ParseGroup(std::span<const std::string_view> words) {
  Group group;
  if (words.size() == 6) {
    const auto gfx = ParseGfx(words[0]);
    const auto direction = ParseDirection(words[1]);
    const auto type = ParseDataType(words[2]);
    if (gfx && direction && type && absl::SimpleAtoi(words[3], &group.problems) &&
        absl::SimpleAtod(words[4], &group.of_estimates) &&
        absl::SimpleAtod(words[5], &group.of_model)) {
      group.gfx = *gfx;
      group.direction = *direction;
      group.type = *type;
      return group;
    }
  }
  return absl::InvalidArgumentError("a group is a device, a direction, a type and three numbers");
}

}  // namespace

absl::StatusOr<Model> Model::Parse(std::string_view text) {
  Model model;
  int number = 0;
  for (const std::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (line.empty() || line.starts_with('#') || line == kBegin || line == kEnd) continue;
    if (absl::Status status = model.AddLine(line); !status.ok()) {
      return absl::Status(status.code(), absl::StrFormat("line %d: %s", number, status.message()));
    }
  }
  if (model.ranges_.size() != FeatureNames().size()) {
    return absl::FailedPreconditionError(
        absl::StrFormat("the model has %d features, and this library %d", model.ranges_.size(),
                        FeatureNames().size()));
  }
  if (model.trees_.empty()) return absl::InvalidArgumentError("the model has no tree");
  return model;
}

absl::Status Model::AddLine(std::string_view line) {
  const Words words = absl::StrSplit(line, ' ', absl::SkipEmpty());
  if (words.empty()) return absl::OkStatus();
  const std::span<const std::string_view> rest = std::span(words).subspan(1);
  const std::string_view key = words[0];
  if (key == "tree") return AddTree(rest);
  if (key == "group") {
    const absl::StatusOr<Group> group = ParseGroup(rest);
    if (group.ok()) groups_.push_back(*group);
    return group.status();
  }
  if (key == "margin" && rest.size() == 1 && absl::SimpleAtod(rest[0], &margin_)) {
    return absl::OkStatus();
  }
  if (key == "family" && rest.size() == 1) {
    families_.emplace_back(rest[0]);
    return absl::OkStatus();
  }
  if (key == "feature") {
    Range range;
    if (rest.size() != 3 || !absl::SimpleAtof(rest[1], &range.low) ||
        !absl::SimpleAtof(rest[2], &range.high)) {
      return absl::InvalidArgumentError("a feature is a name and two numbers");
    }
    const std::span<const std::string_view> names = FeatureNames();
    if (ranges_.size() >= names.size() || names[ranges_.size()] != rest[0]) {
      return absl::FailedPreconditionError(
          absl::StrFormat("feature %d is %s, and in this library %s", ranges_.size(), rest[0],
                          ranges_.size() < names.size() ? names[ranges_.size()] : "none"));
    }
    // The file stores six digits.
    const float rounding = 1e-5f * std::max(std::abs(range.low), std::abs(range.high));
    const float margin = 0.1f * (range.high - range.low) + rounding;
    ranges_.push_back(range);
    lowest_.push_back(range.low - margin);
    highest_.push_back(range.high + margin);
    if (rest[0] == "log2_of_least") furthest_estimate_ = highest_.back();
    return absl::OkStatus();
  }
  for (const std::string_view known : {"date", "trainer", "instances", "training", "sample"}) {
    if (key != known) continue;
    if (key == "sample") return absl::OkStatus();  // for the test that the model is current
    const std::string_view value = line.substr(std::min(key.size() + 1, line.size()));
    absl::StrAppend(&about_, about_.empty() ? "" : ", ", key == "training" ? "training set " : "",
                    value, key == "instances" ? " times" : "");
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrFormat("\"%s\" is no line of a model", key));
}

absl::StatusOr<Model::Node> Model::ParseNode(std::string_view text) const {
  Node node;
  const std::size_t less = text.find('<');
  const bool is_inner = less != text.npos;
  unsigned feature = 0;
  if (!absl::SimpleAtof(is_inner ? text.substr(less + 1) : text, &node.threshold) ||
      (is_inner &&
       (!absl::SimpleAtoi(text.substr(0, less), &feature) || feature >= ranges_.size()))) {
    return absl::InvalidArgumentError(absl::StrFormat("\"%s\" is no node of a tree", text));
  }
  node.feature = static_cast<std::uint8_t>(feature);
  node.below = is_inner;
  return node;
}

absl::Status Model::AddTree(std::span<const std::string_view> nodes) {
  struct Open {
    std::size_t node;
    int depth;
  };
  Tree tree = {.root = nodes_.size()};
  std::vector<Open> open;  // inner nodes whose subtree above the threshold follows
  int depth = 0;           // depth of the next node
  bool complete = false;
  for (const std::string_view text : nodes) {
    if (complete) return absl::InvalidArgumentError("a tree goes on after its last leaf");
    const absl::StatusOr<Node> node = ParseNode(text);
    if (!node.ok()) return node.status();
    nodes_.push_back(*node);
    if (node->below != 0) {
      open.push_back({nodes_.size() - 1, depth++});
      continue;
    }
    tree.depth = std::max(tree.depth, depth);
    complete = open.empty();
    if (complete) continue;
    const std::size_t distance = nodes_.size() - open.back().node;
    if (distance > std::numeric_limits<std::uint16_t>::max()) {
      return absl::InvalidArgumentError("a tree has too many nodes");
    }
    nodes_[open.back().node].above = static_cast<std::uint16_t>(distance);
    depth = open.back().depth + 1;
    open.pop_back();
  }
  if (!complete) return absl::InvalidArgumentError("a tree lacks leaves");
  trees_.push_back(tree);
  return absl::OkStatus();
}

const Group* Model::Find(Gfx gfx, Direction direction, DataType type) const {
  for (const Group& group : groups_) {
    if (group.gfx == gfx && group.direction == direction && group.type == type) return &group;
  }
  return nullptr;
}

bool Model::KnowsFamily(std::string_view family) const {
  return std::find(families_.begin(), families_.end(), family) != families_.end();
}

std::optional<std::string> Model::FarFeature(const Features& features) const {
  const auto is_far = [&](std::size_t i) {
    return static_cast<int>(features[i] < lowest_[i]) | static_cast<int>(features[i] > highest_[i]);
  };
  int far = 0;  // usually stays 0, so several features are checked at a time
  for (std::size_t i = 0; i < ranges_.size(); ++i) far += is_far(i);
  if (far == 0) return std::nullopt;
  std::size_t first = 0;
  while (is_far(first) == 0) ++first;
  return absl::StrFormat("%s is %g, and %g to %g in the training set", FeatureNames()[first],
                         features[first], ranges_[first].low, ranges_[first].high);
}

template <std::size_t kInstances, std::size_t kTrees>
void Model::AddTreesTo(std::span<const Tree> trees, const Features* const* instances,
                       double* sums) const {
  std::array<const float*, kInstances> features;
  for (std::size_t instance = 0; instance < kInstances; ++instance)
    features[instance] = instances[instance]->data();
  for (; trees.size() >= kTrees; trees = trees.subspan(kTrees)) {
    std::array<std::array<const Node*, kInstances>, kTrees> at;
    int depth = 0;
    for (std::size_t tree = 0; tree < kTrees; ++tree) {
      at[tree].fill(&nodes_[trees[tree].root]);
      depth = std::max(depth, trees[tree].depth);
    }
    // One level at a time and without branches: the steps of different instances are independent,
    // and there is no branch to mispredict.
    for (int level = 0; level < depth; ++level) {
      for (std::array<const Node*, kInstances>& of_tree : at) {
        for (std::size_t instance = 0; instance < kInstances; ++instance) {
          const Node& node = *of_tree[instance];
          const bool is_below = features[instance][node.feature] < node.threshold;
          const unsigned change = node.below ^ node.above;
          of_tree[instance] += node.above ^ (change & (0u - static_cast<unsigned>(is_below)));
        }
      }
    }
    for (const std::array<const Node*, kInstances>& of_tree : at) {
      for (std::size_t instance = 0; instance < kInstances; ++instance)
        sums[instance] += of_tree[instance]->threshold;
    }
  }
  if constexpr (kTrees > 1) AddTreesTo<kInstances, 1>(trees, instances, sums);
}

void Model::AddTrees(std::size_t begin, std::size_t end, std::span<const Features* const> instances,
                     std::span<double> sums) const {
  constexpr std::size_t kInstancesAtOnce = 4, kTreesAtOnce = 2;
  const std::span trees = std::span(trees_).subspan(begin, end - begin);
  std::size_t instance = 0;
  for (; instance + kInstancesAtOnce <= instances.size(); instance += kInstancesAtOnce) {
    AddTreesTo<kInstancesAtOnce, kTreesAtOnce>(trees, &instances[instance], &sums[instance]);
  }
  for (; instance < instances.size(); ++instance)
    AddTreesTo<1, kTreesAtOnce>(trees, &instances[instance], &sums[instance]);
}

}  // namespace gridwise::model
