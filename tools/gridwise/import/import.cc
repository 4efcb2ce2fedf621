// SPDX-License-Identifier: MIT
#include "tools/gridwise/import/import.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tools/gridwise/import/ck_profiler.h"
#include "tools/gridwise/import/collector.h"
#include "tools/gridwise/import/content.h"
#include "tools/gridwise/import/cudnn_log.h"
#include "tools/gridwise/import/dnn_graph.h"
#include "tools/gridwise/import/hlo.h"
#include "tools/gridwise/import/line.h"
#include "tools/gridwise/import/miopen_driver.h"
#include "tools/gridwise/import/miopen_find_db.h"
#include "tools/gridwise/import/onnx_model.h"
#include "tools/gridwise/import/onnx_nodes.h"
#include "tools/gridwise/import/stablehlo.h"
#include "tools/gridwise/import/torch_program.h"
#include "tools/gridwise/import/torch_trace.h"
#include "tools/text/json.h"

namespace gridwise {
namespace {

/// Whether the next line continues this one: programs of XLA and StableHLO that people write have
/// operations of several lines.
bool IsContinued(std::string_view line) {
  const bool is_stable = absl::StrContains(line, "stablehlo.convolution(");
  if (is_stable) return !absl::StrContains(line, "-> tensor<");
  const bool is_hlo =
      absl::StrContains(line, " convolution(") || absl::StrContains(line, " custom-call(");
  return is_hlo && absl::StripAsciiWhitespace(line).ends_with(',');
}

void ImportLines(std::string_view text, Collector& collector) {
  const LineReader readers[] = {ReadMIOpenDriver,  ReadCkProfiler,       ReadCkExample,
                                ReadMIOpenFindDb,  CudnnLogReader(),     CudnnFrontendReader(),
                                StableHloReader(), TorchProgramReader(), HloReader()};
  constexpr int kMaxContinued = 40;
  int number = 0, first = 0, continued = 0;
  std::string whole;
  for (std::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripSuffix(line, "\r");
    if (line.starts_with('#')) continue;
    if (continued == 0) first = number;
    if (continued > 0 || IsContinued(line)) {
      absl::StrAppend(&whole, continued > 0 ? " " : "", absl::StripAsciiWhitespace(line));
      if (++continued < kMaxContinued && IsContinued(whole)) continue;
      line = whole;
    }
    for (const LineReader& reader : readers) {
      const ImportedLine read = reader(line);
      if (read.ok() && !read->has_value()) continue;
      collector.Add("line", absl::StrCat(first), read);
      break;
    }
    continued = 0;
    whole.clear();
  }
  for (const LineReader& reader : readers) {
    const ImportedLine read = reader(kEndOfText);
    if (!read.ok() || read->has_value()) collector.Add("line", absl::StrCat(number), read);
  }
}

/// Graphs of cuDNN and hipDNN in a log.
void ImportGraphs(std::string_view text, Collector& collector) {
  ForEachDnnGraph(text, [&](int line, std::string_view object) {
    const absl::StatusOr<llvm::json::Value> graph = ParseJson(object);
    if (!graph.ok()) return collector.Add("line", absl::StrCat(line), graph.status());
    ForEachDnnNode(*graph, [&](const std::string& name, const ImportedLine& read) {
      collector.Add("line", absl::StrCat(line, ", node ", name), read);
    });
  });
}

absl::Status ImportJson(const llvm::json::Value& document, Collector& collector) {
  if (IsTrace(document)) {
    ForEachOperator(document, [&](int number, const ImportedLine& read) {
      collector.Add("event", absl::StrCat(number), read);
    });
    return absl::OkStatus();
  }
  if (IsDnnGraph(document)) {
    ForEachDnnNode(document, [&](const std::string& name, const ImportedLine& read) {
      collector.Add("node", name, read);
    });
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "its JSON is no trace of PyTorch's profiler, and no graph of cuDNN or hipDNN");
}

/// What to import in place of a file that is of no kind.
absl::Status CheckKind(std::string_view content) {
  if (content.starts_with("PK\x03\x04")) {
    return absl::InvalidArgumentError(
        "it is a zip archive. If torch.export.save wrote it, import the text that "
        "`print(torch.export.load(FILE))` prints");
  }
  if (content.starts_with("SQLite format 3")) {
    return absl::InvalidArgumentError(
        "it is an SQLite database. If it is MIOpen's, print its table config as command lines: "
        "tools/gridwise/README.md has the command");
  }
  return absl::OkStatus();
}

absl::Status ImportModel(const std::string& bytes, const std::string& program,
                         Collector& collector) {
  const absl::StatusOr<llvm::json::Value> model = ReadOnnxModel(bytes, program);
  if (!model.ok()) return model.status();
  ForEachNode(*model, [&](const std::string& name, const ImportedLine& read) {
    collector.Add("node", name, read);
  });
  const llvm::json::Object* const object = model->getAsObject();
  if (object == nullptr) return absl::OkStatus();
  if (const llvm::json::Object* const others = object->getObject("others")) {
    for (const auto& [op, count] : *others) {
      collector.Skip(llvm::StringRef(op).str(), count.getAsInteger().value_or(0));
    }
  }
  const auto error = object->getString("inference_error").value_or("");
  return error.empty() ? absl::OkStatus()
                       : absl::InvalidArgumentError(
                             absl::StrCat("ONNX's shape inference ended early: ", error.str()));
}

absl::Status ImportFile(std::string content, const std::string& program, Collector& collector) {
  const absl::StatusOr<std::string> text = DecodeContent(std::move(content));
  if (!text.ok()) return text.status();
  if (absl::Status status = CheckKind(*text); !status.ok()) return status;
  if (IsBinary(*text)) return ImportModel(*text, program, collector);
  absl::Status not_json;
  if (LooksLikeJson(*text)) {
    const absl::StatusOr<llvm::json::Value> document = ParseJson(*text);
    if (document.ok()) return ImportJson(*document, collector);
    not_json = document.status();  // or a log that begins with a bracket: "[rank0]: ..."
  }
  const std::int64_t before = collector.found();
  ImportLines(*text, collector);
  ImportGraphs(*text, collector);
  return collector.found() == before ? not_json : absl::OkStatus();
}

}  // namespace

absl::StatusOr<ImportedSet> Import(std::vector<ImportedFile> files, const std::string& program) {
  Collector collector;
  for (ImportedFile& file : files) {
    collector.Begin(file.name);
    absl::Status status = ImportFile(std::move(file.content), program, collector);
    if (!status.ok()) collector.AddFault(status);
  }
  return collector.Finish();
}

}  // namespace gridwise
