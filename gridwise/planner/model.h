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

/// A model of how much slower than the best instance of a problem each is: gradient-boosted trees,
/// which tools/tune/train.py makes of tables of times.

namespace gridwise::model {

/// Problems of a device, a direction and a type: what a model is validated on, and used for.
struct Group {
  Gfx gfx = Gfx::k942;
  Direction direction = Direction::kForward;
  DataType type = DataType::kF16;
  int problems = 0;  // that trees were tried on which had not been trained on them
  /// The best instance's time by that of the first one, the mean of the problems: of the estimates,
  /// and of the model.
  double of_estimates = 0, of_model = 0;

  bool model_is_better() const { return of_model > of_estimates; }
};

/// Trees whose sum, with log2 of an instance's estimate by its problem's least estimate, is log2 of
/// the instance's time by that of the problem's best instance. Immutable.
class Model {
 public:
  /// Reads a model file, whose lines are "key value": of what it is (date, trainer, instances,
  /// training and sample, SHA-256s), "group DEVICE DIRECTION TYPE PROBLEMS OF_ESTIMATES OF_MODEL",
  /// "family NAME", "feature NAME LOW HIGH" as FeatureNames() has them, and "tree NODE...", nodes
  /// in preorder: a leaf its value, others FEATURE<THRESHOLD, with what is below first; and where
  /// there is one "margin", see below.
  /// kInvalidArgument, naming the line; kFailedPrecondition if its features are others than this
  /// library's.
  static absl::StatusOr<Model> Parse(std::string_view text);

  /// "2026-11-23, XGBoost 1.7.4, 60 trees, 2400 times, of training set 1f0c7a22..."
  const std::string& about() const { return about_; }
  std::span<const Group> groups() const { return groups_; }
  const Group* Find(Gfx gfx, Direction direction, DataType type) const;

  /// Whether it was trained on instances of the family.
  bool KnowsFamily(std::string_view family) const;
  /// The first feature that is far from those of the training set: more than a tenth of their range
  /// outside of it. Nothing: none is.
  std::optional<std::string> FarFeature(const Features& features) const;

  /// What trees must find an instance faster by than the one of least estimate, log2, to be put
  /// before it: times of a real device are uncertain, and so are trees where they know little.
  double margin() const { return margin_; }
  /// The furthest from a problem's least estimate that an instance may be, log2, for trees to know
  /// it.
  double furthest_estimate() const { return furthest_estimate_; }

  std::size_t trees() const { return trees_.size(); }
  /// Adds what the trees from `begin` to `end` say of each instance to its sum: the more trees, the
  /// more exact it is.
  void AddTrees(std::size_t begin, std::size_t end, std::span<const Features* const> instances,
                std::span<double> sums) const;

 private:
  /// `below` and `above` are nodes from this one to the next, where the feature is below the
  /// threshold, or is not; 0 of leaves, where steps stay.
  struct Node {
    float threshold = 0;  // of a leaf its value
    std::uint8_t feature = 0;
    std::uint8_t below = 0;
    std::uint16_t above = 0;
  };
  struct Tree {
    std::size_t root = 0;
    int depth = 0;  // steps to the farthest leaf
  };
  /// AddTrees to the sums of `kInstances` instances, so many trees at a time.
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
  std::vector<Range> ranges_;            // of the features
  std::vector<float> lowest_, highest_;  // that are not far from them
  double furthest_estimate_ = std::numeric_limits<double>::infinity();
  double margin_ = 0;
  std::vector<Node> nodes_;
  std::vector<Tree> trees_;
};

/// The one of a target that is compiled in; null if there is none for this library's features.
const Model* BuiltInModel(Gfx gfx);

}  // namespace gridwise::model
