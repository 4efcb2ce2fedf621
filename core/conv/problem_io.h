// SPDX-License-Identifier: MIT
/// Reads problem sets from CSV files, and prints problems.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/conv/problem.h"

namespace gridwise {

/// A row of a problem set.
struct NamedProblem {
  std::string name;
  ConvProblem problem;  ///< the direction has its default: `directions` are those to run
  std::vector<Direction> directions;  ///< in the set's order
  std::string note = {};
  int64_t count = 1;  ///< occurrences in what the set describes, such as a network
};

/// Parses CSV text whose first line names the columns, in any order:
///
///   name  ndim  G N K C  Z Y X  Di Hi Wi  stride_{d,h,w}  dil_{d,h,w}  pad_{d,h,w}  directions
///   and optionally  pad_end_{d,h,w} (where absent, the same as pad_)  type  out_type  layout
///   weight_layout  count  note
///
/// An empty field of the last six is the default of ConvProblem, and 1 for count. C and K count all
/// groups together. Fields may be quoted ("" is a quote), but not span lines; empty lines are
/// skipped. `directions` is a list separated by spaces. Every problem is validated, and names must
/// differ. Errors start with "<source>:<line>: " and name the column and the value.
absl::StatusOr<std::vector<NamedProblem>> ParseProblems(std::string_view csv,
                                                        std::string_view source);

/// Prints problems without epilogues and operand sums as ParseProblems() reads them. Optional
/// columns after pad_end_ are printed if a problem differs from their default.
std::string PrintProblems(const std::vector<NamedProblem>& problems);

/// ParseProblems() of a file.
absl::StatusOr<std::vector<NamedProblem>> ReadProblems(const std::string& path);

/// Parses sizes along the axes of a problem, outermost first: "13x15" -> {13, 15}. One to three
/// integers; Validate() checks their range.
absl::StatusOr<std::vector<int64_t>> ParseSizes(std::string_view text);

/// The settings that are not the defaults: " alpha 2 mul 1 f32 [0 0 0 0 1 1] clamp [0, inf]".
std::string ToString(const Epilogue& epilogue);

/// One line: "bwd_data f16 g1 n16 c128 k256 in 40x175 filter 5x5 stride 2x2 dilation 1x1 pad 2x2
/// out 20x88". Asymmetric pads print as begin:end, "pad 0x1:1x1". Layouts and an epilogue that are
/// not the defaults follow: "ngchw kyxgc alpha 2 mul 1 f32 [0 0 0 0 1 1] clamp [0, inf]".
std::string ToString(const ConvProblem& problem);

/// Parses a valid problem without an epilogue, as ToString prints it. Returns kInvalidArgument for
/// anything else.
absl::StatusOr<ConvProblem> ParseProblem(std::string_view text);

}  // namespace gridwise
