// SPDX-License-Identifier: MIT
#include "tools/sim/view/inspect.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/isa/facts/facts.h"
#include "tools/sim/machine/program.h"

namespace gridwise::sim {
namespace {

constexpr size_t kHistory = 32;  // instructions that a break shows

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void SayNotUnderstood(const char* variable, const absl::Status& status) {
  std::fprintf(stderr, "gridwise sim: %s: %s; ignored\n", variable,
               std::string(status.message()).c_str());
}

void SayMissed() { std::fputs(Inspection::Process()->Missed().c_str(), stderr); }

/// LDS around `address`: rows of 32 bytes.
std::string LdsText(const Wave& wave, uint32_t address) {
  constexpr uint32_t kRow = 32, kAround = 64;
  const uint32_t begin = (address > kAround ? address - kAround : 0) / kRow * kRow;
  std::string text;
  for (uint32_t row = begin; row <= address + kAround && row + 4 <= wave.lds_bytes; row += kRow) {
    absl::StrAppendFormat(&text, "  lds +0x%-5x", row);
    for (uint32_t at = row; at < row + kRow && at + 4 <= wave.lds_bytes; at += 4) {
      uint32_t word;
      std::memcpy(&word, wave.lds + at, sizeof(word));
      absl::StrAppendFormat(&text, " %08x", word);
    }
    absl::StrAppend(&text, "\n");
  }
  if (text.empty())
    return absl::StrFormat("  lds 0x%x is outside of the workgroup's %u bytes\n", address,
                           wave.lds_bytes);
  return text;
}

}  // namespace

Inspection* Inspection::Process() {
  // Never destroyed: it is asked at exit for what it has missed.
  static auto* const inspection = []() -> Inspection* {
    const std::string breaks = Environment("GRIDWISE_SIM_BREAK"),
                      trace = Environment("GRIDWISE_SIM_TRACE");
    std::vector<BreakPlace> places;
    for (const std::string_view text : absl::StrSplit(breaks, ';', absl::SkipWhitespace())) {
      absl::StatusOr<BreakPlace> place = ParseBreakPlace(text);
      if (place.ok()) {
        places.push_back(*std::move(place));
      } else {
        SayNotUnderstood("GRIDWISE_SIM_BREAK", place.status());
      }
    }
    if (places.empty() && trace.empty()) return nullptr;
    absl::StatusOr<InspectedWave> wave = ParseInspectedWave(Environment("GRIDWISE_SIM_WAVE"));
    if (!wave.ok()) SayNotUnderstood("GRIDWISE_SIM_WAVE", wave.status());
    std::atexit(&SayMissed);
    return new Inspection(std::move(places), trace, std::move(wave).value_or(InspectedWave()));
  }();
  return inspection;
}

Inspection::Inspection(std::vector<BreakPlace> places, const std::string& trace, InspectedWave wave)
    : places_(std::move(places)), wave_(std::move(wave)), reached_(places_.size()) {
  if (trace.empty()) return;
  trace_ = std::fopen(trace.c_str(), "w");
  if (trace_ == nullptr)
    std::fprintf(stderr, "gridwise sim: the trace %s cannot be written\n", trace.c_str());
}

Inspection::~Inspection() {
  if (trace_ != nullptr) std::fclose(trace_);
}

bool Inspection::Concerns(std::string_view kernel) const {
  return absl::StrContains(kernel, wave_.kernel) &&
         (traces() || std::any_of(places_.begin(), places_.end(), [&](const BreakPlace& place) {
            return absl::StrContains(kernel, place.kernel);
          }));
}

bool Inspection::Reached(size_t place) {
  const std::lock_guard lock(mutex_);
  return reached_[place]++ < wave_.hits;
}

void Inspection::WriteTrace(std::string_view text) {
  const std::lock_guard lock(mutex_);
  traced_ = true;
  std::fwrite(text.data(), 1, text.size(), trace_);
  std::fflush(trace_);
}

std::string Inspection::Missed() const {
  const std::lock_guard lock(mutex_);
  const std::string who = absl::StrFormat("workgroup (%u, %u, %u), wave %u%s%s", wave_.workgroup[0],
                                          wave_.workgroup[1], wave_.workgroup[2], wave_.wave,
                                          wave_.kernel.empty() ? "" : " of kernel ", wave_.kernel);
  std::string text;
  for (size_t i = 0; i < places_.size(); ++i) {
    if (reached_[i] == 0)
      absl::StrAppend(&text, "gridwise break: ", places_[i].text, " was not reached by ", who,
                      "\n");
  }
  if (traces() && !traced_) absl::StrAppend(&text, "gridwise trace: there was no ", who, "\n");
  return text;
}

/// Looks at one wave of the workgroups of one host thread.
class InspectProbe::Inspector final : public GroupProbe {
 public:
  explicit Inspector(InspectProbe& probe)
      : inspection_(probe.inspection_),
        source_line_(probe.source_line_),
        launch_(*probe.launch_),
        kernel_(*launch_.kernel) {}
  ~Inspector() override { FinishTraced(); }  // the launch may have faulted

  bool Watches(const std::array<uint32_t, 3>& id) override {
    return id == inspection_.wave().workgroup;
  }
  void Begin(const std::array<uint32_t, 3>&, int) override { recent_.clear(); }
  bool Before(Wave& wave, const InstructionFacts& facts, const Uop*) override {
    if (static_cast<uint32_t>(wave.index_in_group) != inspection_.wave().wave) return true;
    if (inspection_.traces()) Trace(wave, facts);
    for (size_t i = 0; i < inspection_.places().size(); ++i) {
      if (IsAt(inspection_.places()[i], facts) && inspection_.Reached(i)) Show(wave, facts);
    }
    recent_.push_back(&facts);
    if (recent_.size() > kHistory) recent_.pop_front();
    return true;
  }
  void End() override { FinishTraced(); }

 private:
  const SourceLine& LineOf(const InstructionFacts& facts) {
    const auto [entry, is_new] = lines_.try_emplace(facts.index);
    if (is_new && source_line_) entry->second = source_line_(facts.pc, LineOf::kInstruction);
    return entry->second;
  }

  /// A line is come to once, not with each of its instructions.
  bool IsAt(const BreakPlace& place, const InstructionFacts& facts) {
    if (!place.kernel.empty()) {
      return facts.pc - kernel_.entry_address == place.offset &&
             absl::StrContains(kernel_.shown_name, place.kernel);
    }
    return place.Is(LineOf(facts)) && (recent_.empty() || !place.Is(LineOf(*recent_.back())));
  }

  std::string InstructionText(const InstructionFacts& facts) {
    return absl::StrFormat("%-9s %-24s %s\n", OffsetText(facts.pc - kernel_.entry_address),
                           LineOf(facts).ToString(), launch_.program->Describe(facts.index).text);
  }

  std::string WaveText(const Wave& wave) const {
    return absl::StrFormat("workgroup (%u, %u, %u), wave %d", wave.workgroup_id[0],
                           wave.workgroup_id[1], wave.workgroup_id[2], wave.index_in_group);
  }

  void Show(const Wave& wave, const InstructionFacts& facts) {
    const InspectedWave& shown = inspection_.wave();
    const std::string line = LineOf(facts).ToString();
    std::string text = absl::StrFormat("gridwise break: kernel %s%s%s, pc %s, '%s': %s\n",
                                       kernel_.shown_name, line.empty() ? "" : ", ", line,
                                       OffsetText(facts.pc - kernel_.entry_address),
                                       launch_.program->Describe(facts.index).text, WaveText(wave));
    absl::StrAppend(&text, RegistersText(wave, kernel_, shown.as));
    if (shown.lds) absl::StrAppend(&text, LdsText(wave, *shown.lds));
    absl::StrAppend(&text, "  the last ", recent_.size(), " instructions:\n");
    for (const InstructionFacts* before : recent_)
      absl::StrAppend(&text, "    ", InstructionText(*before));
    std::fputs(text.c_str(), stderr);
  }

  /// Writes what the instruction before has left in its registers, and this instruction.
  void Trace(const Wave& wave, const InstructionFacts& facts) {
    if (traced_ == nullptr) {
      inspection_.WriteTrace(absl::StrCat("kernel ", kernel_.shown_name, ": ", WaveText(wave), "\n",
                                          RegistersText(wave, kernel_, inspection_.wave().as)));
    }
    FinishTraced();
    inspection_.WriteTrace(InstructionText(facts));
    traced_ = &facts;
    wave_ = &wave;
  }

  void FinishTraced() {
    if (traced_ == nullptr) return;
    std::string text;
    for (const uint16_t reg : traced_->writes)
      absl::StrAppend(&text, RegisterText(*wave_, reg, inspection_.wave().as));
    inspection_.WriteTrace(text);
    traced_ = nullptr;
  }

  Inspection& inspection_;
  const SourceLineFn& source_line_;
  const Launch& launch_;
  const KernelInfo& kernel_;
  std::map<uint32_t, SourceLine> lines_;        // by instruction
  std::deque<const InstructionFacts*> recent_;  // instructions that the wave has executed
  const InstructionFacts* traced_ = nullptr;    // the last one
  const Wave* wave_ = nullptr;
};

std::unique_ptr<GroupProbe> InspectProbe::OfThread(std::span<Wave>) {
  return std::make_unique<Inspector>(*this);
}

}  // namespace gridwise::sim
