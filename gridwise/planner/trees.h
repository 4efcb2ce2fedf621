// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

/// Gradient-boosted trees, as tables that are small and fast to evaluate: 600 kB for 400 trees of
/// depth 8, of which a problem's instances read a sixth.

namespace gridwise::model {

inline constexpr std::size_t kMaxFeatures = 88;
using Features = std::array<float, kMaxFeatures>;
/// For each feature, how many of its thresholds it is not below: trees compare only these.
using Bins = std::array<std::uint8_t, kMaxFeatures>;

/// An inner node. An instance goes on to the first child unless its bin is above `bin`.
struct TreeNode {
  std::uint8_t feature = 0;
  std::uint8_t bin = 0;
};

/// Trees, all of them filled up to the same depth: a tree has 2^depth nodes, the first of which is
/// unused, and as many leaves. Node i has the children 2 i and 2 i + 1.
struct TreeTables {
  int depth = 0;
  std::span<const std::uint32_t> ends;  // of each feature's thresholds
  std::span<const float> thresholds;    // of the features one after the other, in pieces
  std::span<const TreeNode> nodes;
  std::span<const float> leaves;
};

/// Evaluates trees. What the tables are views of must outlive it.
class Trees {
 public:
  Trees() = default;
  explicit Trees(const TreeTables& tables) : tables_(tables) {}

  std::size_t size() const { return tables_.leaves.size() >> tables_.depth; }
  /// Sets the bins of features. If `known` is not null, they are already those of `known`, which
  /// may agree in most features.
  void SetBins(const Features& features, const Features* known, Bins& bins) const;
  /// Adds the values of the trees in [begin, end) for each instance to the instance's sum, one
  /// tree after the other.
  void Add(std::size_t begin, std::size_t end, std::span<const Bins> instances,
           std::span<double> sums) const;

 private:
  /// Add for `kInstances` instances, `kTrees` trees at a time, so that steps overlap.
  template <std::size_t kInstances, std::size_t kTrees>
  void AddBlock(std::size_t begin, std::size_t end, const Bins* instances, double* sums) const;

  TreeTables tables_;
};

/// Reads trees from text and fills up the tables.
class TreeReader {
 public:
  /// Reads a tree, whose nodes are in preorder. A leaf is its value. Any other node is
  /// FEATURE<THRESHOLD, followed by the subtree below the threshold and then by the other one.
  ///
  /// Error: kInvalidArgument if that is no tree of at most kMaxDepth levels and `features`
  /// features.
  absl::Status Add(std::span<const std::string_view> nodes, std::size_t features);

  /// Tables, and what they are views of.
  struct Filled {
    TreeTables tables;
    std::shared_ptr<const void> memory;
  };
  /// Error: kInvalidArgument if a feature has more thresholds than bins can count.
  absl::StatusOr<Filled> Fill() const;

  static constexpr int kMaxDepth = 10;

 private:
  struct Node {
    float value = 0;   // a threshold, or a leaf's value
    int feature = -1;  // -1: a leaf
  };
  struct Tree {
    std::vector<Node> nodes;  // in preorder
    int depth = 0;
  };
  static absl::StatusOr<Node> ParseNode(std::string_view text, std::size_t features);

  std::vector<Tree> trees_;
};

}  // namespace gridwise::model
