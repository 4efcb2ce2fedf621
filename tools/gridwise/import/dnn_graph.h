// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "llvm/Support/JSON.h"
#include "tools/gridwise/import/line.h"

namespace gridwise {

/// Whether a document is a graph of cuDNN's front end (`Graph::serialize`, `print`, and its log) or
/// of hipDNN (files of HIPDNN_LOG_GRAPH_DIR).
bool IsDnnGraph(const llvm::json::Value& document);

/// Calls visit(name, what it says) for the nodes of a graph: CONV_FPROP, CONV_DGRAD and CONV_WGRAD
/// of cuDNN, Convolution{Fwd,Bwd,Wrw}Attributes of hipDNN. Other nodes are skipped: what is fused
/// to a convolution is left out.
///
/// The number of groups is that of the channels of x over those of the weights, as both libraries
/// define it.
void ForEachDnnNode(const llvm::json::Value& graph,
                    const std::function<void(const std::string& name, ImportedLine)>& visit);

/// Calls visit(line, text) for the objects of JSON that are graphs of such a library by their
/// words, in a log. `line` is the number of the line in which an object begins.
void ForEachDnnGraph(std::string_view log,
                     const std::function<void(int line, std::string_view text)>& visit);

}  // namespace gridwise
