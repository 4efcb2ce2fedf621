// SPDX-License-Identifier: MIT
#include "gridwise/planner/model.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

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

absl::StatusOr<Cut> ParseCut(std::span<const std::string_view> words) {
  Cut cut;
  if (words.size() == 3 && absl::SimpleAtoi(words[0], &cut.trees) &&
      absl::SimpleAtod(words[1], &cut.margin) && absl::SimpleAtoi(words[2], &cut.most) &&
      cut.margin >= 0 && cut.most > 0) {
    return cut;
  }
  return absl::InvalidArgumentError("a cut is a number of trees, a margin and a number above 0");
}

}  // namespace

absl::StatusOr<Model> Model::Parse(std::string_view text) {
  Model model;
  TreeReader reader;
  if (absl::Status status = model.AddLines(text, &reader); !status.ok()) return status;
  absl::StatusOr<TreeReader::Filled> trees = reader.Fill();
  if (!trees.ok()) return trees.status();
  model.trees_ = Trees(trees->tables);
  model.memory_ = std::move(trees->memory);
  if (absl::Status status = model.Check(); !status.ok()) return status;
  return model;
}

absl::StatusOr<Model> Model::Unpack(const PackedModel& packed) {
  Model model;
  if (absl::Status status = model.AddLines(packed.lines, nullptr); !status.ok()) return status;
  model.trees_ = Trees(packed.trees);
  if (absl::Status status = model.Check(); !status.ok()) return status;
  return model;
}

absl::Status Model::Check() const {
  if (ranges_.size() != FeatureNames().size()) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "the model has %d features, and this library %d", ranges_.size(), FeatureNames().size()));
  }
  if (trees_.size() == 0) return absl::InvalidArgumentError("the model has no tree");
  std::size_t before = 0;
  for (const Cut& cut : cuts_) {
    if (cut.trees < before || cut.trees > trees_.size()) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "there is a cut after %d of %d trees; must be after the last cut's %d or more", cut.trees,
          trees_.size(), before));
    }
    before = cut.trees;
  }
  return absl::OkStatus();
}

absl::Status Model::AddLines(std::string_view lines, TreeReader* trees) {
  int number = 0;
  for (const std::string_view line : absl::StrSplit(lines, '\n')) {
    ++number;
    if (line.empty() || line.starts_with('#') || line == kBegin || line == kEnd) continue;
    if (absl::Status status = AddLine(line, trees); !status.ok()) {
      return absl::Status(status.code(), absl::StrFormat("line %d: %s", number, status.message()));
    }
  }
  return absl::OkStatus();
}

absl::Status Model::AddLine(std::string_view line, TreeReader* trees) {
  const Words words = absl::StrSplit(line, ' ', absl::SkipEmpty());
  if (words.empty()) return absl::OkStatus();
  const std::span<const std::string_view> rest = std::span(words).subspan(1);
  const std::string_view key = words[0];
  if (key == "tree" && trees != nullptr) return trees->Add(rest, ranges_.size());
  if (key == "group") {
    const absl::StatusOr<Group> group = ParseGroup(rest);
    if (group.ok()) groups_.push_back(*group);
    return group.status();
  }
  if (key == "margin" && rest.size() == 1 && absl::SimpleAtod(rest[0], &margin_)) {
    return absl::OkStatus();
  }
  if (key == "cut") {
    const absl::StatusOr<Cut> cut = ParseCut(rest);
    if (cut.ok()) cuts_.push_back(*cut);
    return cut.status();
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

}  // namespace gridwise::model
