// SPDX-License-Identifier: MIT
#include "gridwise/planner/trees.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/base/prefetch.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"

namespace gridwise::model {
namespace {

constexpr std::size_t kMaxThresholds = std::numeric_limits<std::uint8_t>::max();
/// Thresholds of a feature are pieces of this size, the last of which is filled up with infinities.
constexpr std::size_t kPiece = 16;
static_assert(kMaxThresholds <= kPiece * kPiece);

/// Counts the thresholds of a piece that a value is not below, with vectors and without branches,
/// which would be mispredicted.
std::size_t CountOfPiece(const float* piece, float value) {
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < kPiece; ++i) count += value < piece[i] ? 0 : 1;
  return count;
}

/// Counts the thresholds that a value is not below. If they are several pieces, the first of
/// `pieces` has the last threshold of each but the last piece.
std::uint8_t CountNotBelow(std::span<const float> pieces, float value) {
  std::size_t before = 0;
  if (pieces.size() > kPiece) {
    const std::size_t whole = CountOfPiece(pieces.data(), value);
    pieces = pieces.subspan(kPiece);
    before = std::min(whole * kPiece, pieces.size() - kPiece);
  }
  const std::size_t count = before + CountOfPiece(&pieces[before], value);
  return static_cast<std::uint8_t>(std::min(count, kMaxThresholds));
}

/// Appends the pieces of ascending thresholds.
void AppendPieces(const std::vector<float>& thresholds, std::vector<float>& pieces) {
  const auto fill_up = [&] {
    pieces.resize((pieces.size() + kPiece - 1) / kPiece * kPiece,
                  std::numeric_limits<float>::infinity());
  };
  for (std::size_t end = kPiece; end < thresholds.size(); end += kPiece) {
    pieces.push_back(thresholds[end - 1]);
  }
  fill_up();
  pieces.insert(pieces.end(), thresholds.begin(), thresholds.end());
  fill_up();
}

/// The memory of tables.
struct Arrays {
  std::vector<std::uint32_t> ends;
  std::vector<float> thresholds;
  std::vector<TreeNode> nodes;
  std::vector<float> leaves;
};

}  // namespace

void Trees::SetBins(const Features& features, const Features* known, Bins& bins) const {
  for (std::size_t i = 0; i < tables_.ends.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : tables_.ends[i - 1], end = tables_.ends[i];
    if (begin == end) continue;  // no tree compares it
    if (known != nullptr && features[i] == (*known)[i]) continue;
    bins[i] = CountNotBelow(tables_.thresholds.subspan(begin, end - begin), features[i]);
  }
}

template <std::size_t kInstances, std::size_t kTrees>
void Trees::AddBlock(std::size_t begin, std::size_t end, const Bins* instances,
                     double* sums) const {
  // Leaves are fetched while the next trees are evaluated.
  constexpr std::size_t kUntilSummed = 16;
  std::array<std::array<const float*, kInstances>, kUntilSummed> leaves;
  const int depth = tables_.depth;
  const std::size_t width = std::size_t{1} << depth;
  while (begin + kTrees <= end) {
    const std::size_t trees = std::min((end - begin) / kTrees * kTrees, kUntilSummed);
    for (std::size_t tree = 0; tree < trees; tree += kTrees) {
      const std::size_t first = (begin + tree) * width;
      const TreeNode* const nodes = &tables_.nodes[first];
      std::array<std::array<std::size_t, kInstances>, kTrees> at;
      for (std::array<std::size_t, kInstances>& of_tree : at) of_tree.fill(1);
      // One level at a time and without branches: the steps of different paths are independent, and
      // there is no branch to mispredict.
      for (int level = 0; level < depth; ++level) {
        for (std::size_t t = 0; t < kTrees; ++t) {
          for (std::size_t i = 0; i < kInstances; ++i) {
            const TreeNode& node = nodes[t * width + at[t][i]];
            at[t][i] = 2 * at[t][i] + (instances[i][node.feature] > node.bin ? 1 : 0);
          }
        }
      }
      for (std::size_t t = 0; t < kTrees; ++t) {
        for (std::size_t i = 0; i < kInstances; ++i) {
          const float* const leaf = &tables_.leaves[first + t * width + at[t][i] - width];
          absl::PrefetchToLocalCache(leaf);
          leaves[tree + t][i] = leaf;
        }
      }
    }
    for (std::size_t tree = 0; tree < trees; ++tree) {
      for (std::size_t i = 0; i < kInstances; ++i) sums[i] += *leaves[tree][i];
    }
    begin += trees;
  }
  if constexpr (kTrees > 1) AddBlock<kInstances, 1>(begin, end, instances, sums);
}

void Trees::Add(std::size_t begin, std::size_t end, std::span<const Bins> instances,
                std::span<double> sums) const {
  std::size_t i = 0;
  for (; i + 4 <= instances.size(); i += 4) AddBlock<4, 1>(begin, end, &instances[i], &sums[i]);
  for (; i + 2 <= instances.size(); i += 2) AddBlock<2, 2>(begin, end, &instances[i], &sums[i]);
  if (i < instances.size()) AddBlock<1, 4>(begin, end, &instances[i], &sums[i]);
}

absl::StatusOr<TreeReader::Node> TreeReader::ParseNode(std::string_view text,
                                                       std::size_t features) {
  Node node;
  const std::size_t less = text.find('<');
  const bool is_inner = less != text.npos;
  unsigned feature = 0;
  if (!absl::SimpleAtof(is_inner ? text.substr(less + 1) : text, &node.value) ||
      (is_inner && (!absl::SimpleAtoi(text.substr(0, less), &feature) ||
                    feature >= std::min(features, kMaxFeatures))) ||
      std::isnan(node.value)) {
    return absl::InvalidArgumentError(absl::StrFormat("\"%s\" is no node of a tree", text));
  }
  if (is_inner) node.feature = static_cast<int>(feature);
  return node;
}

absl::Status TreeReader::Add(std::span<const std::string_view> nodes, std::size_t features) {
  Tree tree;
  std::vector<int> open;  // depths of the inner nodes whose subtree above the threshold follows
  int depth = 0;          // of the next node
  bool complete = false;
  for (const std::string_view text : nodes) {
    if (complete) return absl::InvalidArgumentError("a tree goes on after its last leaf");
    const absl::StatusOr<Node> node = ParseNode(text, features);
    if (!node.ok()) return node.status();
    tree.nodes.push_back(*node);
    if (node->feature >= 0) {
      open.push_back(depth++);
      if (depth <= kMaxDepth) continue;
      return absl::InvalidArgumentError(
          absl::StrFormat("a tree has more than %d levels", kMaxDepth));
    }
    tree.depth = std::max(tree.depth, depth);
    complete = open.empty();
    if (complete) continue;
    depth = open.back() + 1;
    open.pop_back();
  }
  if (!complete) return absl::InvalidArgumentError("a tree lacks leaves");
  trees_.push_back(std::move(tree));
  return absl::OkStatus();
}

absl::StatusOr<TreeReader::Filled> TreeReader::Fill() const {
  std::array<std::vector<float>, kMaxFeatures> thresholds;
  int depth = 0;
  for (const Tree& tree : trees_) {
    depth = std::max(depth, tree.depth);
    for (const Node& node : tree.nodes) {
      if (node.feature >= 0)
        thresholds[static_cast<std::size_t>(node.feature)].push_back(node.value);
    }
  }
  const auto arrays = std::make_shared<Arrays>();
  for (std::size_t feature = 0; feature < kMaxFeatures; ++feature) {
    std::vector<float>& of = thresholds[feature];
    std::ranges::sort(of);
    of.erase(std::unique(of.begin(), of.end()), of.end());
    if (of.size() > kMaxThresholds) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "feature %d has %d thresholds; must be at most %d", feature, of.size(), kMaxThresholds));
    }
    AppendPieces(of, arrays->thresholds);
    arrays->ends.push_back(static_cast<std::uint32_t>(arrays->thresholds.size()));
  }
  const std::size_t width = std::size_t{1} << depth;
  arrays->nodes.resize(trees_.size() * width);
  arrays->leaves.resize(trees_.size() * width);
  for (std::size_t i = 0; i < trees_.size(); ++i) {
    std::span<const Node> left = trees_[i].nodes;
    // Fills in the subtree of the next node, whose place is `at` in the level of `levels` levels
    // above the leaves. Below a leaf, all leaves are the same.
    const auto fill = [&](const auto& self, std::size_t at, int levels) -> void {
      const Node node = left.front();
      left = left.subspan(1);
      if (node.feature < 0) {
        const std::size_t first = (at << levels) - width, count = std::size_t{1} << levels;
        std::fill_n(arrays->leaves.begin() + static_cast<std::ptrdiff_t>(i * width + first), count,
                    node.value);
        return;
      }
      const std::vector<float>& of = thresholds[static_cast<std::size_t>(node.feature)];
      const auto bin = std::ranges::lower_bound(of, node.value) - of.begin();
      arrays->nodes[i * width + at] = {static_cast<std::uint8_t>(node.feature),
                                       static_cast<std::uint8_t>(bin)};
      self(self, 2 * at, levels - 1);
      self(self, 2 * at + 1, levels - 1);
    };
    fill(fill, 1, depth);
  }
  return Filled{.tables = {.depth = depth,
                           .ends = arrays->ends,
                           .thresholds = arrays->thresholds,
                           .nodes = arrays->nodes,
                           .leaves = arrays->leaves},
                .memory = arrays};
}

}  // namespace gridwise::model
