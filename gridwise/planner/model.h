// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "gridwise/planner/features.h"
#include "gridwise/planner/trees.h"

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

/// Which instances are left out after a number of trees: all but `most`, and all that are slower
/// than the fastest by more than `margin`, in log2 of time. Later trees change little, so the
/// others are hardly ever the fastest.
struct Cut {
  std::size_t trees = 0;
  double margin = 0;
  std::size_t most = 0;
};

/// A model whose trees are tables already, so that no process reads their text: pack.cc makes it.
struct PackedModel {
  std::string_view lines;  // of the model's file, but for trees
  TreeTables trees;
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
  ///   tree NODE...                                 as TreeReader reads it
  ///   margin VALUE                                 optional; see margin()
  ///   cut TREES MARGIN MOST                        in the order of trees; see Cut
  ///
  /// Errors: kInvalidArgument, naming the line; kFailedPrecondition if the features differ from
  /// this library's.
  static absl::StatusOr<Model> Parse(std::string_view text);
  /// Makes a model of one that the build has packed, with the same errors.
  static absl::StatusOr<Model> Unpack(const PackedModel& packed);

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

  const Trees& trees() const { return trees_; }
  std::span<const Cut> cuts() const { return cuts_; }

 private:
  /// Reads lines. Trees go to `trees`; if it is null, there must be none.
  absl::Status AddLines(std::string_view lines, TreeReader* trees);
  absl::Status AddLine(std::string_view line, TreeReader* trees);
  /// Checks that a model has all it needs.
  absl::Status Check() const;

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
  std::vector<Cut> cuts_;
  Trees trees_;
  std::shared_ptr<const void> memory_;  // of the trees
};

/// Returns the built-in model of a target, or null if there is none for this library's features.
const Model* BuiltInModel(Gfx gfx);

}  // namespace gridwise::model
