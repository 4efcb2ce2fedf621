// SPDX-License-Identifier: MIT
/// Convolutions of what other programs write: command lines, logs, traces, models.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/conv/problem_io.h"

namespace gridwise {

/// What a file says about convolutions.
struct ImportedSet {
  /// Different ones, in the order in which they first appear, each with the number of its
  /// occurrences. Those that differ in the direction alone are one problem if they occur equally
  /// often. Types and layouts are the source's. The note says where the first one is.
  std::vector<NamedProblem> problems = {};
  /// Lines for people: what was read, what was left out, and what is wrong, by line.
  std::vector<std::string> report = {};
};

/// A file to import.
struct ImportedFile {
  std::string name;     // for messages
  std::string content;  // it may be compressed by gzip and have a byte-order mark
};

/// Reads the convolutions of files. A file's content tells its kind:
///
///   MIOpenDriver command lines, and logs that have them    miopen_driver.h
///   MIOpen's find-db and perf-db                           miopen_find_db.h
///   ckProfiler command lines, Composable Kernel's examples ck_profiler.h
///   text of XLA, of StableHLO                              hlo.h, stablehlo.h
///   traces of PyTorch's profiler                           torch_trace.h
///   programs of torch.export and torch.fx as text          torch_program.h
///   graphs of cuDNN's front end and hipDNN, their logs     dnn_graph.h
///   logs of cuDNN, and of its front end before version 1   cudnn_log.h
///   models of ONNX                                         onnx_nodes.h
///
/// Lines of several kinds may be mixed. Lines of no kind are skipped. A wrong line or file, or one
/// that asks for what Gridwise does not have, is a line of the report.
///
/// `program` is argv[0], to find the program that reads ONNX.
///
/// Errors, if there is no convolution: kNotFound if all lines are of no kind, else
/// kInvalidArgument; the message has the first wrong line.
absl::StatusOr<ImportedSet> Import(std::vector<ImportedFile> files, const std::string& program);

}  // namespace gridwise
