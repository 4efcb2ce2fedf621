#pragma once

#include <cstdio>
#include <string_view>
#include <vector>

namespace gridwise {

/// A command as its help describes it.
struct CommandHelp {
  std::string_view name;      // "sweep"
  std::string_view synopsis;  // "sweep FLAGS"
  std::string_view summary;   // a line
  std::string_view details;   // paragraphs and examples
  std::vector<std::string_view> flags;
};

/// All commands, in the order of the help.
const std::vector<CommandHelp>& Commands();

/// The command called `name`; null if there is none.
const CommandHelp* FindCommand(std::string_view name);

/// The flags of all commands, each once.
std::vector<std::string_view> AllFlags();

/// Prints what there is, and each command in a line.
void PrintUsage(std::FILE* file);

/// Prints all about a command: what it does, examples, its flags.
void PrintHelp(std::FILE* file, const CommandHelp& command);

}  // namespace gridwise
