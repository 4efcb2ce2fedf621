// SPDX-License-Identifier: MIT
#include "tools/tune/on_demand.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/launch/code.h"
#include "core/planning/family.h"
#include "core/planning/parts_family.h"
#include "gridwise/families.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SHA256.h"
#include "tools/text/json.h"
#include "tools/text/read_file.h"
#include "tools/tune/config_space.h"

namespace gridwise {
namespace {

namespace fs = std::filesystem;

/// The file of the first folder that has it.
absl::StatusOr<fs::path> Find(const std::vector<std::string>& roots, const std::string& path) {
  for (const std::string& root : roots) {
    if (fs::exists(fs::path(root) / path)) return fs::path(root) / path;
  }
  return absl::NotFoundError(
      absl::StrCat("there is no ", path, " in ", absl::StrJoin(roots, " or ")));
}

/// SHA-256 of several texts, in hexadecimal.
std::string Digest(const std::vector<std::string>& texts) {
  llvm::SHA256 sha;
  for (const std::string& text : texts) {
    // The digest also depends on where texts end.
    sha.update(absl::StrCat(text.size(), "\n"));
    sha.update(text);
  }
  return llvm::toHex(sha.final(), /*LowerCase=*/true);
}

/// A path beside `path` that no other process has.
std::string Temporary(const std::string& path, std::string_view suffix) {
  return absl::StrFormat("%s.%d%s", path, getpid(), suffix);
}

/// A name's config, of one family or of any.
struct Instance {
  const ConfigSpace* space = nullptr;
  ConfigSpace::Values values;
};

absl::StatusOr<Instance> FindInstance(std::string_view family, std::string_view name,
                                      Direction direction, Gfx gfx) {
  std::vector<std::string> reasons;
  for (const ConfigSpace* space : ConfigSpaces()) {
    if (!family.empty() ? space->family() != family : !space->HasTarget(gfx)) continue;
    const absl::StatusOr<ConfigSpace::Values> values = space->Parse(name, direction);
    if (!values.ok()) {
      reasons.push_back(absl::StrCat(space->family(), ": ", values.status().message()));
      continue;
    }
    const absl::Status status = space->Check(*values, direction, gfx);
    if (status.ok()) return Instance{space, *values};
    return absl::InvalidArgumentError(
        absl::StrFormat("instance %s of %s cannot be compiled for %s: %s", name, space->family(),
                        Name(gfx), status.message()));
  }
  if (reasons.empty()) return FindConfigSpace(family).status();
  return absl::InvalidArgumentError(absl::StrFormat("instance %s is no config's name:\n  %s", name,
                                                    absl::StrJoin(reasons, "\n  ")));
}

std::vector<std::string> ReadTexts(const llvm::json::Value& list) {
  std::vector<std::string> texts;
  for (const llvm::json::Value& text : *list.getAsArray())
    texts.push_back(text.getAsString().value_or("").str());
  return texts;
}

}  // namespace

absl::StatusOr<Compiler> Compiler::Open(const std::string& json, std::string cache,
                                        std::string headers) {
  const absl::StatusOr<std::string> text = ReadFile(json);
  if (!text.ok()) return text.status();
  const absl::StatusOr<llvm::json::Value> parsed = ParseJson(*text);
  const llvm::json::Object* const object = parsed.ok() ? parsed->getAsObject() : nullptr;
  if (object == nullptr || object->getArray("headers") == nullptr ||
      object->getArray("scripts") == nullptr || object->getObject("commands") == nullptr ||
      object->getObject("env") == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(json, " is no gpu_compiler's file"));
  }
  Compiler compiler;
  compiler.cache_ = std::move(cache);
  if (!headers.empty()) compiler.roots_.push_back(std::move(headers));
  compiler.roots_.push_back(fs::absolute(json).parent_path().parent_path().parent_path());
  std::vector<std::string> contents;
  for (const auto& [name, value] : *object->getObject("env")) {
    compiler.environment_.push_back(
        absl::StrCat(name.str(), "=", value.getAsString().value_or("").str()));
    contents.push_back(compiler.environment_.back());
  }
  for (const char* kind : {"headers", "scripts"}) {
    for (const std::string& name : ReadTexts(*object->get(kind))) {
      const absl::StatusOr<fs::path> path = Find(compiler.roots_, name);
      if (!path.ok()) return path.status();
      const absl::StatusOr<std::string> content = ReadFile(*path);
      if (!content.ok()) return content.status();
      contents.insert(contents.end(), {name, *content});
      if (std::string_view(kind) == "scripts") compiler.scripts_[name] = path->string();
    }
  }
  for (const auto& [gfx, words] : *object->getObject("commands"))
    compiler.commands_[gfx.str()] = ReadTexts(words);
  compiler.digest_ = Digest(contents);
  std::error_code error;
  fs::create_directories(compiler.cache_, error);
  if (error) {
    return absl::FailedPreconditionError(
        absl::StrFormat("cannot create %s: %s", compiler.cache_, error.message()));
  }
  return compiler;
}

absl::StatusOr<std::string> Compiler::Compile(const std::string& source, Gfx gfx) const {
  const auto command = commands_.find(std::string_view(Name(gfx)));
  if (command == commands_.end()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("this program has no compiler for %s", Name(gfx)));
  }
  std::vector<std::string> arguments = command->second;
  const std::string key = Digest({digest_, absl::StrJoin(arguments, " "), source});
  const std::string stem = (fs::path(cache_) / key).string();
  std::string path = stem + (gfx == Gfx::kSm90a ? ".ptx" : ".hsaco");
  if (fs::exists(path)) return path;

  const std::string input = Temporary(stem, ".hip"), output = Temporary(stem, ".o");
  const std::string messages = Temporary(stem, ".txt");
  std::ofstream(input) << source;
  for (std::string& word : arguments) {
    if (const auto script = scripts_.find(word); script != scripts_.end()) word = script->second;
  }
  for (const std::string& root : roots_) arguments.insert(arguments.end(), {"-iquote", root});
  arguments.insert(arguments.end(), {input, "-o", output});
  const std::vector<llvm::StringRef> words(arguments.begin(), arguments.end());
  const std::vector<llvm::StringRef> environment(environment_.begin(), environment_.end());
  std::string why;
  const int exit_code = llvm::sys::ExecuteAndWait(
      words.front(), words, llvm::ArrayRef<llvm::StringRef>(environment),
      {std::nullopt, std::nullopt, llvm::StringRef(messages)}, /*SecondsToWait=*/0,
      /*MemoryLimit=*/0, &why);
  const std::string said = ReadFile(messages).value_or("");
  std::error_code ignored;
  fs::remove(input, ignored);
  fs::remove(messages, ignored);
  if (exit_code != 0) {
    fs::remove(output, ignored);
    return absl::InvalidArgumentError(
        absl::StrFormat("%s ended with %d: %s%s", arguments.front(), exit_code, why, said));
  }
  std::error_code error;
  fs::rename(output, path, error);  // whole, whatever other processes do
  if (error) {
    return absl::FailedPreconditionError(
        absl::StrFormat("cannot write %s: %s", path, error.message()));
  }
  return path;
}

std::string DefaultKernelCache() {
  for (const auto& [variable, folder] :
       {std::pair("XDG_CACHE_HOME", "gridwise"), {"HOME", ".cache/gridwise"}}) {
    const char* const value = std::getenv(variable);
    if (value != nullptr && *value != 0) return fs::path(value) / folder;
  }
  return fs::temp_directory_path() / "gridwise";
}

bool HasInstance(std::string_view family, std::string_view name, Direction direction, Gfx gfx) {
  for (const KernelFamily* each : Families()) {
    if (!family.empty() && each->name() != family) continue;
    for (const InstanceInfo& instance : each->Instances(direction, gfx)) {
      if (instance.name == name) return true;
    }
  }
  return false;
}

bool IsInstanceName(std::string_view family, std::string_view name, Direction direction) {
  for (const ConfigSpace* space : ConfigSpaces()) {
    if (!family.empty() && space->family() != family) continue;
    if (space->Parse(name, direction).ok()) return true;
  }
  return false;
}

absl::StatusOr<CompiledInstance> CompileInstance(const Compiler& compiler, std::string_view family,
                                                 std::string_view name, Direction direction,
                                                 Gfx gfx) {
  const absl::StatusOr<Instance> instance = FindInstance(family, name, direction, gfx);
  if (!instance.ok()) return instance.status();
  const absl::StatusOr<std::string> path =
      compiler.Compile(instance->space->Source(instance->values, direction), gfx);
  if (!path.ok()) return path.status();
  return CompiledInstance{.family = std::string(instance->space->family()),
                          .name = std::string(name),
                          .path = *path,
                          .symbol = instance->space->Symbol()};
}

absl::Status AddInstance(const Compiler& compiler, std::string_view family, std::string_view name,
                         Direction direction, Gfx gfx) {
  if (HasInstance(family, name, direction, gfx)) return absl::OkStatus();
  const absl::StatusOr<Instance> instance = FindInstance(family, name, direction, gfx);
  if (!instance.ok()) return instance.status();
  const absl::StatusOr<CompiledInstance> compiled =
      CompileInstance(compiler, instance->space->family(), name, direction, gfx);
  if (!compiled.ok()) return compiled.status();
  absl::StatusOr<std::string> object = ReadFile(compiled->path);
  if (!object.ok()) return object.status();
  // Both stay, as embedded code objects and families do.
  const auto* const code = new std::string(*std::move(object));
  auto* const instances = new PartsFamily(compiled->family);
  instances->Add(direction, gfx,
                 instance->space->MakeKernel(instance->values, direction, gfx,
                                             ReadKernelCode(*code, compiled->symbol)));
  return RegisterInstances(*instances);
}

}  // namespace gridwise
