// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/passes/plan_widen.h"
#include "core/passes/prepare.h"

namespace gridwise {

/// The form of its operands that a kernel needs (PartKernel::operands), which passes make. Forms
/// live as long as the program, and their address identifies them.
class OperandForm {
 public:
  virtual ~OperandForm() = default;
  OperandForm() = default;
  OperandForm(const OperandForm&) = delete;
  OperandForm& operator=(const OperandForm&) = delete;

  /// The steps by which `problem` is rewritten.
  Prepared Prepare(const ConvProblem& problem, Gfx gfx) const;

  /// The pixels of an operand (taps of w) that are copied to put them, or their groups, further
  /// apart than in `canonical`, which is Prepared::problem. Returns nullopt if they are not copied.
  virtual std::optional<Lines> PaddedPixels(const ConvProblem& /*canonical*/, Tensor /*tensor*/,
                                            Gfx /*gfx*/) const {
    return std::nullopt;
  }

  /// Whether B, in f32, is split into bf16 parts (core/arch/parts.h); B1 is B.
  virtual bool splits_b() const { return false; }

  /// Whether w of backward-data is copied with adjacent output channels: [g][z][y][x][c/g][k/g].
  virtual bool transposes_w(const ConvProblem& /*canonical*/) const { return false; }

  /// A form that is the same for this problem, so that it need not be prepared twice.
  virtual const OperandForm& Simplest(const ConvProblem& /*problem*/, Gfx /*gfx*/) const {
    return *this;
  }

 private:
  /// All of Prepared except `problem`.
  virtual Prepared PrepareSteps(const ConvProblem& problem, Gfx gfx) const = 0;
};

/// Few channels are folded, and taps are columns or rows where that pays.
const OperandForm& AdjacentChannels();
/// Operands are not copied.
const OperandForm& AsTheyAre();
/// Operands are not copied, except for a ConvertedType.
const OperandForm& Converted();

}  // namespace gridwise
