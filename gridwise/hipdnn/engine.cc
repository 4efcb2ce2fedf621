// SPDX-License-Identifier: MIT
#include "gridwise/hipdnn/engine.h"

#include <algorithm>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "core/launch/launch_shape.h"
#include "flatbuffers/flatbuffers.h"
#include "gridwise/hipdnn/tables.h"

namespace gridwise::hipdnn {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::Verifier;
using Text = flatbuffers::String;

/// The kinds of a knob's value, and of its bounds.
enum class Kind : std::uint8_t { kNone = 0, kInt = 1, kFloat = 2, kText = 3 };

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

/// BehaviorNote: a graph can capture launches.
constexpr std::int32_t kSupportsGraphCapture = 2;

class IntTable : public Table {
 public:
  bool Verify(Verifier& verifier) const {
    return VerifyTableStart(verifier) && VerifyScalar<std::int64_t>(verifier, 0) &&
           verifier.EndTable();
  }
  std::int64_t value() const { return GetField<std::int64_t>(Field(0), 0); }
};

class TextTable : public Table {
 public:
  bool Verify(Verifier& verifier) const {
    return VerifyTableStart(verifier) && VerifyText(verifier, 0) && verifier.EndTable();
  }
  std::string value() const { return Text(0); }
};

class SettingTable : public Table {
 public:
  bool Verify(Verifier& verifier) const {
    return VerifyTableStart(verifier) && VerifyText(verifier, 0) &&
           VerifyScalar<std::uint8_t>(verifier, 1) && VerifyValue(verifier) && verifier.EndTable();
  }
  std::string knob() const { return Text(0); }
  std::optional<std::int64_t> AsInt() const {
    if (kind() != Kind::kInt || At<IntTable>(2) == nullptr) return std::nullopt;
    return At<IntTable>(2)->value();
  }
  std::optional<std::string> AsText() const {
    if (kind() != Kind::kText || At<TextTable>(2) == nullptr) return std::nullopt;
    return At<TextTable>(2)->value();
  }

 private:
  Kind kind() const { return static_cast<Kind>(GetField<std::uint8_t>(Field(1), 0)); }
  bool VerifyValue(Verifier& verifier) const {
    if (kind() == Kind::kInt) return VerifyTable<IntTable>(verifier, 2);
    if (kind() == Kind::kText) return VerifyTable<TextTable>(verifier, 2);
    return VerifyOffset(verifier, Field(2));
  }
};

class ConfigTable : public Table {
 public:
  bool Verify(Verifier& verifier) const {
    return VerifyTableStart(verifier) && VerifyScalar<std::int64_t>(verifier, 0) &&
           VerifyTables<SettingTable>(verifier, 1) && verifier.EndTable();
  }
  std::int64_t engine() const { return GetField<std::int64_t>(Field(0), 0); }
  const auto* settings() const { return TablesAt<SettingTable>(1); }
};

/// The value of a knob of whole numbers from 0 to `most`.
absl::StatusOr<std::int64_t> ReadInt(const SettingTable& setting, std::int64_t most) {
  const std::optional<std::int64_t> value = setting.AsInt();
  if (value && *value >= 0 && *value <= most) return *value;
  return absl::InvalidArgumentError(
      absl::StrFormat("knob %s is %s; must be a whole number from 0 to %d", setting.knob(),
                      value ? absl::StrFormat("%d", *value) : "of another type", most));
}

absl::Status Apply(const SettingTable& setting, EngineConfig& config) {
  const std::string knob = setting.knob();
  PlanOptions& options = config.options;
  if (knob == kInstanceKnob) {
    const std::optional<std::string> value = setting.AsText();
    if (!value) return absl::InvalidArgumentError(absl::StrFormat("knob %s must be text", knob));
    options.instance = *value;
    return absl::OkStatus();
  }
  const bool is_workspace = knob == kWorkspaceKnob, is_splits = knob == kSplitsKnob;
  if (!is_workspace && !is_splits && knob != kDeterministicKnob) {
    if (absl::StartsWith(knob, "gridwise.")) {
      return absl::InvalidArgumentError(absl::StrFormat("knob %s does not exist; %s and %s do",
                                                        knob, kInstanceKnob, kSplitsKnob));
    }
    config.ignored.push_back(knob);
    return absl::OkStatus();
  }
  const absl::StatusOr<std::int64_t> value = ReadInt(setting, is_workspace ? kNoLimit
                                                              : is_splits  ? kMaxWorkgroupsYz
                                                                           : 1);
  if (!value.ok()) return value.status();
  if (is_splits) {
    options.splits = static_cast<int>(*value);
  } else if (!is_workspace) {
    options.atomic = *value == 0;
  } else if (*value != kNoLimit) {
    options.workspace_limit = *value;
  }
  return absl::OkStatus();
}

/// Writes a table: `add` adds its fields.
template <class Add>
Offset<void> WriteTable(FlatBufferBuilder& builder, const Add& add) {
  const flatbuffers::uoffset_t start = builder.StartTable();
  add();
  return Offset<void>(builder.EndTable(start));
}

/// Writes a Knob.
Offset<void> WriteKnob(FlatBufferBuilder& builder, const char* name, const char* description,
                       Kind kind, Offset<void> value, Offset<void> bounds) {
  const Offset<Text> name_text = builder.CreateString(name);
  const Offset<Text> description_text = builder.CreateString(description);
  return WriteTable(builder, [&] {
    builder.AddOffset(Field(0), name_text);
    builder.AddOffset(Field(1), description_text);
    builder.AddElement(Field(2), static_cast<std::uint8_t>(kind), std::uint8_t{0});
    builder.AddOffset(Field(3), value);
    builder.AddElement(Field(4), static_cast<std::uint8_t>(kind), std::uint8_t{0});
    builder.AddOffset(Field(5), bounds);
  });
}

Offset<void> WriteIntKnob(FlatBufferBuilder& builder, const char* name, const char* description,
                          std::int64_t value, std::int64_t most) {
  const Offset<void> number =
      WriteTable(builder, [&] { builder.AddElement(Field(0), value, std::int64_t{0}); });
  const Offset<void> bounds =
      WriteTable(builder, [&] { builder.AddElement(Field(1), most, std::int64_t{0}); });
  return WriteKnob(builder, name, description, Kind::kInt, number, bounds);
}

Offset<void> WriteInstanceKnob(FlatBufferBuilder& builder, std::span<const std::string> instances) {
  std::vector<std::string> values = {""};
  values.insert(values.end(), instances.begin(), instances.end());
  std::size_t longest = 0;
  for (const std::string& name : values) longest = std::max(longest, name.size());
  const auto names = builder.CreateVectorOfStrings(values);
  const Offset<void> bounds = WriteTable(builder, [&] {
    builder.AddElement(Field(0), static_cast<std::int32_t>(longest), 0);
    builder.AddOffset(Field(1), names);
  });
  const Offset<Text> none = builder.CreateString("");
  const Offset<void> text = WriteTable(builder, [&] { builder.AddOffset(Field(0), none); });
  return WriteKnob(builder, kInstanceKnob,
                   "The kernel, fastest estimate first; empty: the planner chooses", Kind::kText,
                   text, bounds);
}

}  // namespace

absl::StatusOr<EngineConfig> ParseEngineConfig(std::span<const std::byte> bytes) {
  const std::vector<std::uint8_t> buffer = Aligned(bytes);
  const ConfigTable* const table = ReadRoot<ConfigTable>(buffer);
  if (table == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the %d bytes are no serialised engine configuration", bytes.size()));
  }
  EngineConfig config = {.engine = table->engine()};
  if (config.engine != kEngineId) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the engine is %d; must be %d, %s", config.engine, kEngineId, kEngineName));
  }
  if (table->settings() == nullptr) return config;
  for (const SettingTable* const setting : *table->settings()) {
    if (absl::Status status = Apply(*setting, config); !status.ok()) return status;
  }
  return config;
}

std::vector<std::byte> SerializeEngineDetails(std::span<const std::string> instances) {
  FlatBufferBuilder builder;
  const std::vector<Offset<void>> all = {
      WriteIntKnob(builder, kDeterministicKnob, "0: sums of K may be added atomically", 1, 1),
      WriteIntKnob(builder, kWorkspaceKnob, "Bytes of workspace that a plan may need", kNoLimit,
                   kNoLimit),
      WriteInstanceKnob(builder, instances),
      WriteIntKnob(builder, kSplitsKnob, "Workgroups that share a tile; 0: the planner chooses", 0,
                   kMaxWorkgroupsYz)};
  const auto knobs = builder.CreateVector(all);
  const auto notes = builder.CreateVector(std::vector<std::int32_t>{kSupportsGraphCapture});
  const Offset<Text> name = builder.CreateString(kEngineName);
  builder.Finish(WriteTable(builder, [&] {
    builder.AddElement(Field(0), kEngineId, std::int64_t{0});
    builder.AddOffset(Field(1), knobs);
    builder.AddOffset(Field(2), notes);
    builder.AddOffset(Field(3), name);
  }));
  const auto bytes = std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
  return {bytes.begin(), bytes.end()};
}

}  // namespace gridwise::hipdnn
