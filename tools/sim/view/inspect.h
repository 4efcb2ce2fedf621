// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/sim/check/source_line.h"
#include "tools/sim/machine/launch.h"
#include "tools/sim/machine/launch_probe.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {

/// A place where a wave is shown: an instruction, by its offset from the kernel's entry, or a line.
struct BreakPlace {
  std::string text;     // as the user wrote it
  std::string kernel;   // empty of a line
  uint64_t offset = 0;  // modulo 2^64
  SourceLine source;

  bool Is(const SourceLine& line) const;
};
/// "gemm.hip:40", where the file may have some of its folders; "Gemm+0x40", where the kernel's name
/// may be a part of it.
absl::StatusOr<BreakPlace> ParseBreakPlace(std::string_view text);

/// How registers are shown.
enum class ShownAs { kHex, kI32, kF32, kF16 };

/// The wave that is shown, and what is shown of it.
struct InspectedWave {
  std::string kernel;  // a part of its name
  std::array<uint32_t, 3> workgroup = {0, 0, 0};
  uint32_t wave = 0;
  std::optional<uint32_t> lds;  // an address to show LDS around
  uint32_t hits = 1;            // stops at each place; later ones are passed over
  ShownAs as = ShownAs::kHex;
};
/// "kernel=Gemm workgroup=1,0,0 wave=2 lds=0x100 hits=3 as=f32", each of which may be missing.
absl::StatusOr<InspectedWave> ParseInspectedWave(std::string_view text);

/// All registers of the wave, those that the kernel has: scalar ones, EXEC, vector ones.
std::string RegistersText(const Wave& wave, const KernelInfo& kernel, ShownAs as);
/// One of them, numbered as in RegisterUses: "v5 = 0 1 2 ...", all lanes.
std::string RegisterText(const Wave& wave, int reg, ShownAs as);

/// Shows waves of a process at chosen places, like a debugger that only prints. Thread safe.
class Inspection {
 public:
  /// The process's inspection, from the environment: GRIDWISE_SIM_BREAK has places, separated by
  /// semicolons; GRIDWISE_SIM_TRACE names the file for a wave's instructions; GRIDWISE_SIM_WAVE
  /// chooses the wave. Null without the first two. Text that is not understood is reported once and
  /// left out. Places that were not reached are named when the process exits.
  static Inspection* Process();

  /// `trace` may be empty.
  Inspection(std::vector<BreakPlace> places, const std::string& trace, InspectedWave wave);
  ~Inspection();

  const InspectedWave& wave() const { return wave_; }
  std::span<const BreakPlace> places() const { return places_; }
  bool traces() const { return trace_ != nullptr; }
  bool Concerns(std::string_view kernel) const;

  /// Whether a place is to be shown now that the wave has come to it; counts it.
  bool Reached(size_t place);
  void WriteTrace(std::string_view text);
  /// Sentences about what was never reached.
  std::string Missed() const;

 private:
  const std::vector<BreakPlace> places_;
  const InspectedWave wave_;
  std::FILE* trace_ = nullptr;
  mutable std::mutex mutex_;
  std::vector<uint32_t> reached_;  // by place
  bool traced_ = false;
};

/// Shows a launch's wave. Break goes to stderr.
class InspectProbe final : public LaunchProbe {
 public:
  /// The arguments must outlive the probe; `source_line` may be null.
  InspectProbe(Inspection& inspection, const SourceLineFn& source_line)
      : inspection_(inspection), source_line_(source_line) {}

  ProbeWants wants() const override { return {.steps = true}; }
  void Begin(const Launch& launch) override { launch_ = &launch; }
  std::unique_ptr<GroupProbe> OfThread(std::span<Wave> waves) override;

 private:
  class Inspector;

  Inspection& inspection_;
  const SourceLineFn& source_line_;
  const Launch* launch_ = nullptr;
};

}  // namespace gridwise::sim
