// SPDX-License-Identifier: MIT
#include "tools/sim/elf/kernel_name.h"

#include <cstdlib>
#include <memory>

#include "llvm/Demangle/Demangle.h"

namespace gridwise::sim {
namespace {

constexpr size_t kLongest = 120;

/// `name` with "<...>" for each template argument list within another one.
std::string WithoutInnerArguments(const std::string& name) {
  std::string shown;
  int depth = 0;
  for (const char c : name) {
    if (c == '<' && ++depth == 2) shown += "<...>";
    if (depth < 2) shown += c;
    if (c == '>') --depth;
  }
  return depth == 0 ? shown : name;  // operator< and its like
}

std::string Shortened(std::string name) {
  if (name.size() > kLongest) name = WithoutInnerArguments(name);
  if (name.size() > kLongest) name = name.substr(0, kLongest) + "...";
  return name;
}

}  // namespace

std::string ShownName(const std::string& name) {
  llvm::ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(name.c_str()) || !demangler.isFunction()) return name;
  const std::unique_ptr<char, decltype(&std::free)> text(
      demangler.getFunctionName(nullptr, nullptr), &std::free);
  return text == nullptr ? name : Shortened(text.get());
}

}  // namespace gridwise::sim
