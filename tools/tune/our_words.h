// SPDX-License-Identifier: MIT
/// What users of other libraries write for a value, in our words (docs/coming-from.md).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/text/instance_fields.h"

namespace gridwise {

enum class WordKind { kType, kDirection, kLayout, kWeightLayout, kFamily, kOp };

/// Our word for `text`, of which neither case nor '-', '_' and spaces matter: "f16" for "fp16" and
/// "half". What is none of the known ones is returned as it is.
std::string OurWord(WordKind kind, std::string_view text);

/// A schedule of CK Tile, and those here that do what it is for.
struct PipelineElsewhere {
  std::string_view name;       // "compv4"
  std::string_view scheduler;  // "intrawave", "interwave"
  Pipeline pipeline;
};

/// All of them; a name may stand for several schedules, and a schedule have several names.
std::span<const PipelineElsewhere> PipelinesElsewhere();

/// What a schedule is called there: by the first of its names.
PipelineElsewhere ElsewhereOf(Pipeline pipeline);

}  // namespace gridwise
