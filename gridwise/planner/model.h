// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "gridwise/planner/features.h"

/// A model of how much slower each instance is than the best instance of a problem. It consists of
/// gradient-boosted trees, which tools/tune/train.py trains on tables of times.

namespace gridwise::model {

/// The problems of one device, direction and type. A model is validated and used per group.
struct Group {
  Gfx gfx = Gfx::k942;
  Direction direction = Direction::kForward;
  DataType type = DataType::kF16;
  int problems = 0;  // problems that the validated trees had not been trained on
  /// The mean over the problems of (time of the best instance) / (time of the instance ranked
  /// first), if the estimates rank and if the model does.
  double of_estimates = 0, of_model = 0;

  bool model_is_better() const { return of_model > of_estimates; }
};

/// Predicts log2(t / t_best) = log2(e / e_min) + sum of trees(features). Here t is an instance's
/// time, t_best that of the problem's best instance, e the instance's estimate, and e_min the
/// problem's least estimate. Immutable.
class Model {
 public:
  /// Reads a model file. Its lines are "key value":
  ///
  ///   date, trainer, instances, training, sample   what the model is; SHA-256s of its sources
  ///   group DEVICE DIRECTION TYPE PROBLEMS OF_ESTIMATES OF_MODEL
  ///   family NAME
  ///   feature NAME LOW HIGH                        in the order of FeatureNames()
  ///   tree NODE...                                 nodes in preorder
  ///   margin VALUE                                 optional; see margin()
  ///
  /// A leaf is its value. Any other node is FEATURE<THRESHOLD, followed by the subtree below the
  /// threshold and then by the other one.
  ///
  /// Errors: kInvalidArgument, naming the line; kFailedPrecondition if the features differ from
  /// this library's.
  static absl::StatusOr<Model> Parse(std::string_view text);

  /// Returns a description: "2026-11-23, XGBoost 1.7.4, 60 trees, 2400 times, of training set
  /// 1f0c7a22..."
  const std::string& about() const { return about_; }
  std::span<const Group> groups() const { return groups_; }
  /// Returns the group, or null if the model was not trained on it.
  const Group* Find(Gfx gfx, Direction direction, DataType type) const;

  /// Returns whether the model was trained on instances of the family.
  bool KnowsFamily(std::string_view family) const;
  /// Returns the first feature that is far from the training set: outside of the set's range by
  /// more than a tenth of that range. Returns nullopt if there is none.
  std::optional<std::string> FarFeature(const Features& features) const;

  /// Returns the least lead, in log2 of time, by which an instance must beat the one of least
  /// estimate to rank before it. Times of a real device are uncertain, and so are trees trained on
  /// few times.
  double margin() const { return margin_; }
  /// Returns the largest log2(e / e_min) of an instance that the trees were trained on.
  double furthest_estimate() const { return furthest_estimate_; }

  std::size_t trees() const { return trees_.size(); }
  /// Adds the values of the trees in [begin, end) for each instance to the instance's sum. More
  /// trees give a more exact sum.
  void AddTrees(std::size_t begin, std::size_t end, std::span<const Features* const> instances,
                std::span<double> sums) const;

 private:
  /// `below` is the offset to the next node if the feature is below the threshold, `above` the
  /// offset otherwise. Both are 0 in a leaf, so that further steps stay there.
  struct Node {
    float threshold = 0;  // in a leaf, its value
    std::uint8_t feature = 0;
    std::uint8_t below = 0;
    std::uint16_t above = 0;
  };
  struct Tree {
    std::size_t root = 0;
    int depth = 0;  // steps to the farthest leaf
  };
  /// AddTrees for `kInstances` instances, `kTrees` trees at a time.
  template <std::size_t kInstances, std::size_t kTrees>
  void AddTreesTo(std::span<const Tree> trees, const Features* const* instances,
                  double* sums) const;
  absl::Status AddLine(std::string_view line);
  absl::StatusOr<Node> ParseNode(std::string_view text) const;
  absl::Status AddTree(std::span<const std::string_view> nodes);

  std::string about_;
  std::vector<Group> groups_;
  std::vector<std::string> families_;
  struct Range {
    float low, high;
  };
  std::vector<Range> ranges_;            // of the features, in the training set
  std::vector<float> lowest_, highest_;  // limits of features that are not far from it
  double furthest_estimate_ = std::numeric_limits<double>::infinity();
  double margin_ = 0;
  std::vector<Node> nodes_;
  std::vector<Tree> trees_;
};

/// Returns the built-in model of a target, or null if there is none for this library's features.
const Model* BuiltInModel(Gfx gfx);

}  // namespace gridwise::model
