// SPDX-License-Identifier: MIT
#include "tools/gridwise/sweep/sweep_worker.h"

#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace gridwise {
namespace {

std::vector<std::string> WorkerArguments(std::vector<std::string> sweep) {
  sweep.insert(sweep.end(), {"--runs-from-stdin", "--csv=-", "--workers=0"});
  return sweep;
}

/// Returns the last nonempty line of a text.
std::string_view LastLine(std::string_view text) {
  text = absl::StripTrailingAsciiWhitespace(text);
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

SweepWorker::SweepWorker(std::vector<std::string> sweep)
    : arguments_(WorkerArguments(std::move(sweep))) {}

absl::StatusOr<std::string> SweepWorker::Run(std::size_t number, double limit_s) {
  bool has_started = process_ != nullptr;
  if (!has_started) {
    absl::StatusOr<std::unique_ptr<Subprocess>> process = Subprocess::Start(arguments_, limit_s);
    if (!process.ok()) return process.status();
    process_ = *std::move(process);
    has_started = process_->ReadLine().has_value();  // the header of the table
  }
  if (has_started) {
    process_->WriteLine(absl::StrCat(number), limit_s);
    if (std::optional<std::string> line = process_->ReadLine()) return *std::move(line);
  }
  const Ending ending = process_->Wait();
  process_.reset();
  const std::string_view last = LastLine(ending.last_words);
  return absl::AbortedError(
      absl::StrCat("the process ", ending.ToString(), last.empty() ? "" : ": ", last));
}

void SweepWorker::End() {
  if (process_ != nullptr) process_->Wait();
  process_.reset();
}

}  // namespace gridwise
