// SPDX-License-Identifier: MIT
#include "tools/sim/check/finding.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "tools/sim/check/report.h"
#include "tools/sim/isa/facts/facts.h"

namespace gridwise::sim {
namespace {

/// GRIDWISE_SIM_EXITCODE: what the process exits with if there were findings. Runs after the
/// program's own exit handlers.
__attribute__((destructor)) void ExitWithCode() {
  const char* wanted = std::getenv("GRIDWISE_SIM_EXITCODE");
  int code = 0;
  if (wanted == nullptr || !absl::SimpleAtoi(wanted, &code) || Findings::Get().size() == 0) return;
  std::fflush(nullptr);
  std::_Exit(code);
}

}  // namespace

std::string Finding::ToString() const {
  std::string text(Name(category));
  if (!kernel.empty()) absl::StrAppend(&text, ": kernel ", kernel);
  if (source.line != 0) absl::StrAppend(&text, ", ", source.ToString());
  if (!instruction.empty())
    absl::StrAppendFormat(&text, ", pc %s, '%s'", OffsetText(pc), instruction);
  if (wave >= 0) {
    absl::StrAppendFormat(&text, ": workgroup (%u, %u, %u), wave %d", workgroup[0], workgroup[1],
                          workgroup[2], wave);
  }
  if (lane >= 0) absl::StrAppend(&text, ", lane ", lane);
  absl::StrAppend(&text, ": ", what, detail);
  return text;
}

Findings& Findings::Get() {
  static auto* const findings = new Findings;
  return *findings;
}

Findings::Key Findings::KeyOf(const Finding& finding) {
  if (finding.source.line == 0)
    return {finding.category, finding.kernel, OffsetText(finding.pc), finding.what};
  std::string what;
  for (const char c : finding.what) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) what += c;
  }
  return {finding.category, finding.kernel, finding.source.ToString(), what};
}

void Findings::Add(Finding finding) {
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = known_.try_emplace(KeyOf(finding), findings_.size());
  const bool is_new_place = places_.emplace(known->second, finding.pc).second;
  if (!is_new) {
    findings_[known->second].count += finding.count;
    findings_[known->second].instructions += is_new_place;
    return;
  }
  std::fprintf(stderr, "gridwise check: %s\n", finding.ToString().c_str());
  findings_.push_back(std::move(finding));
}

void Findings::EndLaunch(const std::string& kernel) {
  const std::lock_guard lock(mutex_);
  if (!kernel.empty()) checked_.insert(kernel);
  for (; summarized_ < findings_.size(); ++summarized_) {
    const Finding& finding = findings_[summarized_];
    if (finding.count == 1) continue;
    const std::string at =
        finding.instructions == 1
            ? absl::StrCat("pc ", OffsetText(finding.pc))
            : absl::StrCat(finding.source.ToString(), ", ", finding.instructions, " instructions");
    std::fprintf(stderr, "gridwise check: %s, %s, %s: %lld times in all\n",
                 std::string(Name(finding.category)).c_str(), finding.kernel.c_str(), at.c_str(),
                 static_cast<long long>(finding.count));
  }
  WriteReport();
}

void Findings::WriteReport() const {
  const char* const wanted = std::getenv("GRIDWISE_SIM_REPORT");
  if (wanted == nullptr) return;
  const std::string path = absl::StrReplaceAll(wanted, {{"%p", absl::StrCat(getpid())}});
  std::ofstream file(path);
  file << ReportFor(path, findings_, checked_) << '\n';
  if (!file) {
    std::fprintf(stderr, "gridwise check: the report %s cannot be written\n", path.c_str());
  }
}

void Findings::Clear() {
  const std::lock_guard lock(mutex_);
  known_.clear();
  places_.clear();
  findings_.clear();
  checked_.clear();
  summarized_ = 0;
}

std::vector<Finding> Findings::All() const {
  const std::lock_guard lock(mutex_);
  return findings_;
}

size_t Findings::size() const {
  const std::lock_guard lock(mutex_);
  return findings_.size();
}

}  // namespace gridwise::sim
