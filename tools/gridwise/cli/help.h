// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <string_view>
#include <vector>

namespace gridwise {

/// The help of a command.
struct CommandHelp {
  std::string_view name;      // "sweep"
  std::string_view synopsis;  // "sweep FLAGS"
  std::string_view summary;   // one line
  std::string_view details;   // paragraphs and examples
  std::vector<std::string_view> flags;
};

/// Returns all commands, in the order of the help.
const std::vector<CommandHelp>& Commands();

/// Returns the command called `name`, or null if there is none.
const CommandHelp* FindCommand(std::string_view name);

/// Returns the flags of all commands, each once.
std::vector<std::string_view> AllFlags();

/// Prints an overview, with one line per command.
void PrintUsage(std::FILE* file);

/// Prints the help of a command: what it does, examples, flags.
void PrintHelp(std::FILE* file, const CommandHelp& command);

}  // namespace gridwise
