// SPDX-License-Identifier: MIT
#include "tools/gridwise/sweep/sweep_table.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "core/text/csv.h"
#include "tools/text/read_file.h"

namespace gridwise {
namespace {

using Result = SweepRecord::Result;
constexpr Result kResults[] = {Result::kPass,  Result::kFail,   Result::kUnverified,
                               Result::kTimed, Result::kSlower, Result::kError};

constexpr size_t kKeyColumns = 6;
constexpr size_t kResultColumn = 6;
constexpr size_t kMsColumn = 24;
constexpr const char* kColumns[] = {
    "problem", "device", "sizes", "instance", "seed", "splits", "result", "gflop", "estimate_us",
    "seconds", "max_abs", "max_ulps", "rel_norm", "of_tolerance", "workgroups", "waves", "mma",
    "valu", "salu", "lds", "vmem", "smem", "branch", "other", "ms", "low_ms", "high_ms", "burst_ms",
    "tflop_per_s", "bound_ms", "of_bound", "bound", "limiter", "ports_ms", "ports", "message",
    // The columns of CK Tile's tile engine, and the parts of a problem and an instance.
    "family", "direction", "type", "kernel", "problem_idx", "N", "C", "K", "G", "Di", "Hi", "Wi",
    "Z", "Y", "X", "stride_d", "stride_h", "stride_w", "pad_d", "pad_h", "pad_w", "dilation_d",
    "dilation_h", "dilation_w", "latency_ms", "tflops", "non_zero"};
static_assert(std::string_view(kColumns[kResultColumn]) == "result");
static_assert(std::string_view(kColumns[kMsColumn]) == "ms");
/// Columns of kColumns that are instruction classes of the simulator.
constexpr std::span kPhases = std::span(kColumns).subspan(16, 8);

std::string Number(double value) { return absl::StrFormat("%.6g", value); }

/// The columns that identify a record.
std::vector<std::string> KeyOf(const SweepRecord& record) {
  return {record.problem,
          record.device,
          record.sizes,
          record.instance,
          absl::StrCat(record.seed),
          record.splits > 0 ? absl::StrCat(record.splits) : ""};
}

/// Returns the sizes of a convolution. Returns nothing for matrices, whose sizes have other names.
std::vector<std::string> SizesOf(const SweepRecord& record) {
  const ConvProblem* const conv = record.shape ? std::get_if<ConvProblem>(&*record.shape) : nullptr;
  constexpr std::size_t kSizes = 4 + 5 * 3;
  if (conv == nullptr) return std::vector<std::string>(kSizes);
  std::vector<std::string> sizes;
  for (const std::int64_t size : {conv->batch, conv->c, conv->k, conv->groups}) {
    sizes.push_back(absl::StrCat(size));
  }
  for (const auto field : {&Dim::in, &Dim::filter, &Dim::stride, &Dim::pad_begin, &Dim::dilation}) {
    for (const Dim& dim : conv->dims) sizes.push_back(absl::StrCat(dim.*field));
  }
  return sizes;
}

/// Returns the values of the tile engine's columns (kColumns).
std::vector<std::string> FieldsElsewhere(const SweepRecord& record) {
  std::vector<std::string> fields = {record.family, "", "", record.instance,
                                     absl::StrCat(record.problem_index)};
  if (record.shape) {
    fields[1] = KindOf(*record.shape);
    fields[2] = std::visit([](const auto& p) { return Name(p.type); }, *record.shape);
  }
  for (std::string& size : SizesOf(record)) fields.push_back(std::move(size));
  const bool is_timed = record.result == Result::kTimed;
  fields.push_back(is_timed ? Number(record.timing->ms) : "");
  fields.push_back(is_timed ? Number(record.timing->tflop_per_s()) : "");
  fields.push_back(record.non_zero ? absl::StrCat(*record.non_zero) : "");
  return fields;
}

std::vector<std::string> FieldsOf(const SweepRecord& record) {
  std::vector<std::string> fields = KeyOf(record);
  for (std::string field : {std::string(Name(record.result)), Number(record.gflop),
                            record.estimate_us > 0 ? Number(record.estimate_us) : "",
                            record.seconds > 0 ? Number(record.seconds) : ""})
    fields.push_back(std::move(field));
  if (const auto& error = record.error) {
    for (double value : {error->max_abs, error->max_ulps, error->rel_norm, error->max_ratio})
      fields.push_back(Number(value));
  } else {
    fields.resize(fields.size() + 4);
  }
  if (const auto& sim = record.sim) {
    fields.push_back(absl::StrCat(sim->workgroups));
    fields.push_back(absl::StrCat(sim->waves));
    for (const std::string name : kPhases) {
      const auto counted = std::find_if(sim->instructions.begin(), sim->instructions.end(),
                                        [&](const auto& entry) { return entry.first == name; });
      fields.push_back(counted == sim->instructions.end() ? "" : absl::StrCat(counted->second));
    }
  } else {
    fields.resize(fields.size() + 2 + kPhases.size());
  }
  if (const auto& timing = record.timing) {
    for (const double value : {timing->ms, timing->low_ms, timing->high_ms, timing->burst_ms,
                               timing->tflop_per_s(), timing->roofline.ms(), timing->of_bound()})
      fields.push_back(Number(value));
    fields.push_back(timing->roofline.bound());
    fields.push_back(timing->Limit());
  } else {
    fields.resize(fields.size() + 9);
  }
  const double ports_ms = record.timing ? record.timing->ports_ms
                          : record.sim  ? record.sim->ports_ms
                                        : 0;
  fields.push_back(ports_ms > 0 ? Number(ports_ms) : "");
  fields.push_back(ports_ms == 0 ? "" : record.timing ? record.timing->ports : record.sim->ports);
  fields.push_back(absl::StrReplaceAll(record.message, {{"\n", " "}, {"\r", " "}}));
  for (std::string& field : FieldsElsewhere(record)) fields.push_back(std::move(field));
  return fields;
}

absl::Status CannotWrite(const std::string& path) {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", path));
}

}  // namespace

const char* Name(SweepRecord::Result result) {
  constexpr const char* kNames[] = {"pass", "fail", "unverified", "timed", "slower", "error"};
  return kNames[static_cast<int>(result)];
}

std::string SweepTable::Header() {
  return JoinCsvLine(std::vector<std::string>(std::begin(kColumns), std::end(kColumns)));
}

absl::StatusOr<SweepTable> SweepTable::Open(const std::string& path) {
  SweepTable table;
  table.path_ = path;
  std::string text;
  // Only a file can be continued. Reading a pipe would wait for its end.
  if (std::error_code error; std::filesystem::is_regular_file(path, error)) {
    absl::StatusOr<std::string> read = ReadFile(path);
    if (!read.ok()) return read.status();
    text = *std::move(read);
  }
  const std::string header = Header();
  const size_t complete = text.rfind('\n') + 1;  // 0 if there is no complete line
  if (complete == 0 && !header.starts_with(text)) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, " is not the table of a sweep; remove it or name another file with --csv"));
  }
  if (absl::Status status = table.Read(path, std::string_view(text).substr(0, complete));
      !status.ok())
    return status;
  if (complete < text.size()) {
    std::error_code error;
    std::filesystem::resize_file(path, complete, error);
    if (error) {
      return absl::InvalidArgumentError(
          absl::StrCat("cannot shorten ", path, ": ", error.message()));
    }
  }
  table.file_.reset(path == "-" ? stdout : std::fopen(path.c_str(), "ab"));
  if (table.file_ == nullptr) return CannotWrite(path);
  if (complete == 0 && (std::fprintf(table.file_.get(), "%s\n", header.c_str()) < 0 ||
                        std::fflush(table.file_.get()) != 0))
    return CannotWrite(path);
  return table;
}

absl::StatusOr<Result> SweepTable::Remember(std::string_view line, std::string_view where) {
  std::optional<std::vector<std::string>> fields = SplitCsvLine(line);
  if (!fields || fields->size() != std::size(kColumns)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%sthe line does not have the %d fields of a sweep record", where, std::size(kColumns)));
  }
  const auto* result = std::find_if(std::begin(kResults), std::end(kResults), [&](Result known) {
    return (*fields)[kResultColumn] == Name(known);
  });
  if (result == std::end(kResults)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%sresult is '%s'; must be pass, fail, unverified, timed, slower or error",
                        where, (*fields)[kResultColumn]));
  }
  double ms = 0;
  if (!absl::SimpleAtod((*fields)[kMsColumn], &ms)) ms = 0;
  fields->resize(kKeyColumns);
  done_.insert_or_assign({*std::move(fields), *result}, ms);
  return *result;
}

absl::Status SweepTable::Read(const std::string& path, std::string_view text) {
  for (int line = 1; !text.empty(); ++line) {
    const size_t end = text.find('\n');
    const std::string_view content = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line == 1) {
      if (content == Header()) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(path,
                       " has different columns from those of this program; remove it or name "
                       "another file with --csv"));
    }
    const absl::StatusOr<Result> result = Remember(content, absl::StrFormat("%s:%d: ", path, line));
    if (!result.ok()) return result.status();
  }
  return absl::OkStatus();
}

std::optional<Result> SweepTable::Find(const SweepRecord& record,
                                       std::span<const Result> wanted) const {
  const std::vector<std::string> key = KeyOf(record);
  for (const Result result : wanted) {
    if (done_.contains({key, result})) return result;
  }
  return std::nullopt;
}

std::optional<double> SweepTable::FindMs(const SweepRecord& record) const {
  const auto found = done_.find({KeyOf(record), Result::kTimed});
  return found == done_.end() ? std::nullopt : std::optional(found->second);
}

absl::Status SweepTable::Add(const SweepRecord& record) {
  done_.insert_or_assign({KeyOf(record), record.result}, record.timing ? record.timing->ms : 0);
  return Write(JoinCsvLine(FieldsOf(record)));
}

absl::StatusOr<Result> SweepTable::AddLine(const std::string& line) {
  absl::StatusOr<Result> result = Remember(line, "");
  if (!result.ok()) return result;
  if (absl::Status status = Write(line); !status.ok()) return status;
  return result;
}

absl::StatusOr<bool> SweepTable::AddNewLine(const std::string& line) {
  const std::size_t known = done_.size();
  const absl::StatusOr<Result> result = Remember(line, "");
  if (!result.ok()) return result.status();
  if (done_.size() == known) return false;
  if (absl::Status status = Write(line); !status.ok()) return status;
  return true;
}

absl::Status SweepTable::Write(const std::string& line) {
  if (file_ == nullptr) return absl::OkStatus();
  const std::string text = line + "\n";
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() ||
      std::fflush(file_.get()) != 0)
    return CannotWrite(path_);
  return absl::OkStatus();
}

}  // namespace gridwise
