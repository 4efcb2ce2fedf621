// SPDX-License-Identifier: MIT
/// From the values that users of other libraries write to our words (docs/coming-from.md).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/text/instance_fields.h"

namespace gridwise {

enum class WordKind { kType, kDirection, kLayout, kWeightLayout, kFamily, kOp };

/// Our word for `text`: "f16" for "fp16" and "half". Case, '-', '_' and spaces do not matter.
/// Unknown words are returned unchanged.
std::string OurWord(WordKind kind, std::string_view text);

/// A schedule of CK Tile, and those here with the same purpose.
struct PipelineElsewhere {
  std::string_view name;       // "compv4"
  std::string_view scheduler;  // "intrawave", "interwave"
  Pipeline pipeline;
};

/// All of them; a name may stand for several schedules, and a schedule have several names.
std::span<const PipelineElsewhere> PipelinesElsewhere();

/// The first of a schedule's names there.
PipelineElsewhere TranslatePipeline(Pipeline pipeline);

}  // namespace gridwise
