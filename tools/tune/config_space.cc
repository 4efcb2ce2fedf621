// SPDX-License-Identifier: MIT
#include "tools/tune/config_space.h"

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "ck/gemm/config.h"
#include "ck/gemm/reject.h"
#include "ck/ops/kernels.h"
#include "ck/ops/op.h"
#include "core/base/fields.h"
#include "core/launch/instance_symbol.h"
#include "core/text/fields_text.h"
#include "direct/config.h"
#include "direct/kernels.h"
#include "hopper/base/config.h"
#include "hopper/base/reject.h"
#include "hopper/kernels.h"
#include "tile/config.h"
#include "tile/plan/kernels.h"
#include "tile/reject.h"

namespace gridwise {
namespace {

// What stands for the hash of an instance that is compiled on demand, the only one of its source.
constexpr char kRequested[] = "requested";

/// What a group of traits is called, and its parts: one group for each field of a config, in order.
struct Group {
  const char* name;
  std::vector<const char*> parts;
};

template <class E>
std::vector<std::string> Enumerators() {
  std::vector<std::string> names;
  for (int i = 0; i < 256; ++i) {
    const std::string_view name = Name(static_cast<E>(i));
    if (name == "?") break;
    names.emplace_back(absl::StripSuffix(name, "-"));  // "-" only separates it from a number
  }
  return names;
}

/// Calls visit(number) for each number in a field, by reference.
template <class T>
void VisitNumbers(T& field, auto&& visit) {
  if constexpr (HasFields<T>) {
    ForEachField(field, [&](const char*, auto& part) { VisitNumbers(part, visit); });
  } else {
    visit(field);
  }
}

template <class Config>
constexpr std::size_t FieldCount() {
  std::size_t count = 0;
  const Config config;
  ForEachField(config, [&count](const char*, const auto&) { ++count; });
  return count;
}

/// The traits of a config, of which `groups` names the fields.
template <class Config>
std::vector<Trait> TraitsFrom(std::span<const Group> groups) {
  std::vector<Trait> traits;
  auto group = groups.begin();
  Config config;
  ForEachField(config, [&](const char*, auto& field) {
    std::size_t part = 0;
    VisitNumbers(field, [&]<class T>(T& number) {
      Trait trait = {.group = group->name,
                     .part = group->parts.empty() ? "" : group->parts[part++],
                     .enumerators = {}};
      trait.fallback = static_cast<int>(number);
      if constexpr (std::is_enum_v<T>) trait.enumerators = Enumerators<T>();
      if constexpr (std::is_same_v<T, bool>) trait.least = 0, trait.most = 1;
      traits.push_back(std::move(trait));
    });
    ++group;
  });
  return traits;
}

template <class Config>
Config ConfigFrom(std::span<const int> values) {
  Config config;
  std::size_t i = 0;
  VisitNumbers(config, [&]<class T>(T& number) { number = static_cast<T>(values[i++]); });
  return config;
}

template <class Config>
ConfigSpace::Values ValuesOf(const Config& config) {
  ConfigSpace::Values values;
  VisitNumbers(config, [&](const auto& number) { values.push_back(static_cast<int>(number)); });
  return values;
}

template <class Config>
class SpaceOf : public ConfigSpace {
 protected:
  template <std::size_t kFields>
  SpaceOf(const Group (&groups)[kFields], bool is_nvidia = false) : ConfigSpace(is_nvidia) {
    static_assert(kFields == FieldCount<Config>(), "a group for each field of the config");
    traits_ = TraitsFrom<Config>(groups);
  }

 public:
  std::string NameOf(const Values& values, Direction) const override {
    return PrintFields(ConfigFrom<Config>(values));
  }
  absl::StatusOr<Values> Parse(std::string_view name, Direction) const override {
    const absl::StatusOr<Config> config = ParseFields<Config>(name);
    if (!config.ok()) return config.status();
    return ValuesOf(*config);
  }
};

class TileSpace final : public SpaceOf<tile::TileConfig> {
 public:
  TileSpace()
      : SpaceOf({{"type", {}},
                 {"tile", {"m", "n", "k"}},
                 {"waves", {"m", "n"}},
                 {"mma", {"unit", "m", "n", "k"}},
                 {"patch_a", {"k", "n"}},
                 {"patch_b", {"k", "n"}},
                 {"occupancy", {}},
                 {"pipeline", {"schedule", "count"}},
                 {"merge", {"groups"}},
                 {"halo", {"pixels"}},
                 {"stride", {"of_pixels"}},
                 {"taps_in_lds", {"of_row"}},
                 {"pixel", {"elements"}},
                 {"fixup", {"max"}}}) {
    for (Trait& trait : std::span(traits_).last(5)) {  // from halo on
      if (trait.group != "stride") trait.least = 0;
    }
  }
  std::string_view family() const override { return "tile"; }
  const char* Reject(const Values& values, Direction, Gfx gfx) const override {
    return tile::Reject(ConfigFrom<tile::TileConfig>(values), gfx);
  }
  std::string_view Macro(Direction direction) const override {
    return direction == Direction::kForward        ? "FORWARD"
           : direction == Direction::kBackwardData ? "BACKWARD_DATA"
                                                   : "BACKWARD_WEIGHT";
  }
  std::shared_ptr<const PartKernel> MakeKernel(const Values& values, Direction direction, Gfx,
                                               KernelCode code) const override {
    const auto config = ConfigFrom<tile::TileConfig>(values);
    return direction == Direction::kBackwardWeight
               ? tile::MakeBwdWeightKernel(config, std::move(code))
               : tile::MakeGatherKernel(config, std::move(code));
  }
};

class DirectSpace final : public SpaceOf<direct::DirectConfig> {
 public:
  DirectSpace()
      : SpaceOf({{"type", {}},
                 {"channels", {}},
                 {"pixels", {}},
                 {"taps", {}},
                 {"stride", {}},
                 {"rows", {"of_lane"}},
                 {"resident", {"workgroups"}}}) {
    for (Trait& trait : std::span(traits_).last(3)) trait.least = 0;
  }
  std::string_view family() const override { return "direct"; }
  const char* Reject(const Values& values, Direction direction, Gfx gfx) const override {
    const auto config = ConfigFrom<direct::DirectConfig>(values);
    if (!TakesType(direction, config.type)) return "the direction does not take the type";
    if (direction == Direction::kBackwardData && config.stride > 1) {
      return "in backward-data adjacent pixels have adjacent pixels of dy";
    }
    return direct::Reject(config, gfx);
  }
  std::string_view Macro(Direction direction) const override {
    return direction == Direction::kBackwardWeight ? "WEIGHT" : "GATHER";
  }
  std::shared_ptr<const PartKernel> MakeKernel(const Values& values, Direction direction, Gfx gfx,
                                               KernelCode code) const override {
    const auto config = ConfigFrom<direct::DirectConfig>(values);
    return direction == Direction::kBackwardWeight
               ? direct::MakeWeightKernel(config, gfx, std::move(code))
               : direct::MakeGatherKernel(config, gfx, std::move(code));
  }
};

/// An op, and the config of its kernel.
class ClassicSpace final : public SpaceOf<ck::GemmConfig> {
 public:
  ClassicSpace()
      : SpaceOf({{"type", {}},
                 {"tile", {"m", "n", "k"}},
                 {"waves", {"m", "n"}},
                 {"mma", {"unit", "m", "n", "k"}},
                 {"a", {"walk", "k", "rows"}},
                 {"b", {"walk", "k", "rows"}},
                 {"occupancy", {}},
                 {"pipeline", {"schedule", "count"}},
                 {"merge", {"groups"}},
                 {"operands", {"function"}}}) {
    traits_.insert(traits_.begin(),
                   {.group = "op", .part = "", .enumerators = Enumerators<ck::Op>()});
  }
  std::string_view family() const override { return "ck"; }
  std::string NameOf(const Values& values, Direction) const override {
    return absl::StrCat(traits()[0].enumerators[static_cast<std::size_t>(values[0])], "_",
                        PrintFields(MakeConfig(values)));
  }
  absl::StatusOr<Values> Parse(std::string_view name, Direction) const override {
    const std::vector<std::string>& ops = traits()[0].enumerators;
    for (std::size_t op = 0; op < ops.size(); ++op) {
      const std::string prefix = ops[op] + "_";
      if (!name.starts_with(prefix)) continue;
      const auto config = ParseFields<ck::GemmConfig>(name.substr(prefix.size()));
      if (!config.ok()) return config.status();
      Values values = ValuesOf(*config);
      values.insert(values.begin(), static_cast<int>(op));
      return values;
    }
    return absl::InvalidArgumentError(
        absl::StrFormat("name \"%s\" must begin with one of %s", name, absl::StrJoin(ops, ", ")));
  }
  const char* Reject(const Values& values, Direction direction, Gfx gfx) const override {
    const auto op = static_cast<ck::Op>(values[0]);
    if (op == ck::Op::kBatchedGemm) return "the op is of matrices, not of convolutions";
    if (direction != ck::DirectionOf(op)) return "the op is of another direction";
    const ck::GemmConfig config = MakeConfig(values);
    if (const char* reason = ck::Reject(op, config)) return reason;
    return ck::Reject(config, gfx);
  }
  std::string_view Macro(Direction) const override { return "INSTANCE"; }
  std::size_t MacroArguments() const override { return 1; }
  std::shared_ptr<const PartKernel> MakeKernel(const Values& values, Direction, Gfx,
                                               KernelCode code) const override {
    return ck::MakeKernel(static_cast<ck::Op>(values[0]), MakeConfig(values), std::move(code));
  }

 private:
  static ck::GemmConfig MakeConfig(const Values& values) {
    return ConfigFrom<ck::GemmConfig>(std::span(values).subspan(1));
  }
};

/// Hopper's configs name their direction, which the macro gives.
class HopperSpace final : public SpaceOf<hopper::Config> {
 public:
  HopperSpace()
      : SpaceOf({{"direction", {}},
                 {"type", {}},
                 {"consumers", {}},
                 {"pingpong", {}},
                 {"reps", {}},
                 {"columns", {}},
                 {"stages", {}},
                 {"epilogue_columns", {}},
                 {"k_tile", {}},
                 {"resident", {}},
                 {"lanes", {}},
                 {"x_is_a", {}},
                 {"w_is_a", {}}},
                /*is_nvidia=*/true) {
    for (Trait& trait : std::span(traits_).last(2)) trait.least = 0;
    traits_.erase(traits_.begin());
  }
  std::string_view family() const override { return "hopper"; }
  std::string NameOf(const Values& values, Direction direction) const override {
    return PrintFields(MakeConfig(values, direction));
  }
  absl::StatusOr<Values> Parse(std::string_view name, Direction direction) const override {
    const auto config = ParseFields<hopper::Config>(name);
    if (!config.ok()) return config.status();
    if (config->direction != direction) {
      return absl::InvalidArgumentError(
          absl::StrFormat("name \"%s\" is of another direction than %s", name, Name(direction)));
    }
    Values values = ValuesOf(*config);
    values.erase(values.begin());
    return values;
  }
  const char* Reject(const Values& values, Direction direction, Gfx) const override {
    return hopper::Reject(MakeConfig(values, direction));
  }
  std::string_view Macro(Direction direction) const override {
    return direction == Direction::kForward        ? "FORWARD"
           : direction == Direction::kBackwardData ? "BACKWARD_DATA"
                                                   : "WEIGHT";
  }
  std::shared_ptr<const PartKernel> MakeKernel(const Values& values, Direction direction, Gfx,
                                               KernelCode code) const override {
    return hopper::MakeKernel(MakeConfig(values, direction), std::move(code));
  }

 private:
  static hopper::Config MakeConfig(Values values, Direction direction) {
    values.insert(values.begin(), static_cast<int>(direction));
    return ConfigFrom<hopper::Config>(values);
  }
};

}  // namespace

absl::StatusOr<int> ParseValue(const Trait& trait, std::string_view text) {
  for (std::size_t i = 0; i < trait.enumerators.size(); ++i) {
    if (trait.enumerators[i] == text) return static_cast<int>(i);
  }
  int value = 0;
  if (!trait.is_text() && absl::SimpleAtoi(text, &value)) return value;
  return absl::InvalidArgumentError(absl::StrFormat(
      "%s is %s; must be %s", trait.name(), text,
      trait.is_text() ? "one of " + absl::StrJoin(trait.enumerators, ", ") : "an integer"));
}

std::string PrintValue(const Trait& trait, int value) {
  return trait.is_text() ? trait.enumerators[static_cast<std::size_t>(value)] : absl::StrCat(value);
}

absl::Status ConfigSpace::Check(const Values& values, Direction direction, Gfx gfx) const {
  if (!HasTarget(gfx)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("family %s has no kernels for %s", family(), Name(gfx)));
  }
  for (std::size_t i = 0; i < traits_.size(); ++i) {  // Reject divides by some of them
    const Trait& trait = traits_[i];
    if (trait.is_text()) continue;
    if (values[i] >= trait.least && values[i] <= trait.most) continue;
    return absl::InvalidArgumentError(absl::StrFormat("%s is %d; must be %d to %d", trait.name(),
                                                      values[i], trait.least, trait.most));
  }
  if (const char* reason = Reject(values, direction, gfx)) {
    return absl::InvalidArgumentError(reason);
  }
  return absl::OkStatus();
}

std::string ConfigSpace::Source(const Values& values, Direction direction) const {
  // Every number converts itself to the type of its field.
  std::string text = absl::StrFormat(
      "#include \"instances/%s/compile_instances.h\"\n"
      "namespace gridwise {\nstruct Number {\n  int value;\n  template <class T>\n"
      "  constexpr operator T() const { return static_cast<T>(value); }\n};\n"
      "}  // namespace gridwise\n#define GRIDWISE_INSTANCE_HASH %s\n#line 1 \"instance\"\n%s(",
      family(), kRequested, Macro(direction));
  std::size_t i = 0;
  for (; i < MacroArguments(); ++i) absl::StrAppend(&text, PrintValue(traits_[i], values[i]), ", ");
  std::vector<std::string> fields;
  while (i < traits_.size()) {
    const std::string& group = traits_[i].group;
    const bool has_parts = !traits_[i].part.empty();
    std::vector<std::string> numbers;
    for (; i < traits_.size() && traits_[i].group == group; ++i) {
      numbers.push_back(absl::StrCat("Number{", values[i], "}"));
    }
    fields.push_back(absl::StrFormat(".%s = %s%s%s", group, has_parts ? "{" : "",
                                     absl::StrJoin(numbers, ", "), has_parts ? "}" : ""));
  }
  absl::StrAppend(&text, absl::StrJoin(fields, ", "), ")\n");
  return text;
}

std::string ConfigSpace::Symbol() const { return InstanceSymbol(family(), kRequested); }

std::span<const ConfigSpace* const> ConfigSpaces() {
  static const ConfigSpace* const spaces[] = {new TileSpace, new DirectSpace, new ClassicSpace,
                                              new HopperSpace};
  return spaces;
}

absl::StatusOr<const ConfigSpace*> FindConfigSpace(std::string_view family) {
  std::vector<std::string_view> names;
  for (const ConfigSpace* space : ConfigSpaces()) {
    if (space->family() == family) return space;
    names.push_back(space->family());
  }
  return absl::InvalidArgumentError(
      absl::StrFormat("family is %s; must be one of %s", family, absl::StrJoin(names, ", ")));
}

}  // namespace gridwise
