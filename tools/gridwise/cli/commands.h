// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace gridwise {

/// The help of a command.
struct CommandHelp {
  std::string_view name;      // "sweep"
  std::string_view synopsis;  // "sweep FLAGS"
  std::string_view summary;   // one line
  std::string_view details;   // paragraphs and examples
  std::span<const std::string_view> flags;
};

/// Returns all commands, in the order of the help.
std::span<const CommandHelp> Commands();

/// Returns the command called `name`, or null if there is none.
const CommandHelp* FindCommand(std::string_view name);

/// Returns the flags of all commands, each once.
std::vector<std::string_view> AllFlags();

}  // namespace gridwise
