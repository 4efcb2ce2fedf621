// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/tune/config_space.h"

namespace gridwise {

/// A condition on a config:
///
///   tile_n >= 128 and pipeline_schedule == 'wavelet'
///   not (type == 'f32' or tile_m * tile_n > 64 * 64)
///   tile_m in [64, 128] and type not in ['f32']
///
/// Names are traits. The name of a group stands for its only trait; the end of a trait's name
/// stands for the trait if that is unique: schedule. Integers, texts in quotes, + - * / % (by zero:
/// 0), == != < <= > >=, in and not in before a list, and (&&), or (||), not, parentheses. As in CK
/// Tile's tile engine, names may begin with "c.", be its own (wave_m, warp_tile_m, ...), and
/// pipeline and scheduler are what it calls the schedule (our_words.h):
/// c.tile_n >= 128 and c.pipeline == 'compv5'.
using Filter = std::function<bool(const ConfigSpace::Values&)>;

/// Errors: kInvalidArgument with the position at which parsing stopped; kNotFound if a name there
/// is no trait.
absl::StatusOr<Filter> ParseFilter(std::string_view text, const std::vector<Trait>& traits);

}  // namespace gridwise
