// SPDX-License-Identifier: MIT
#include "core/text/parse_device.h"

#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "core/arch/find_product.h"
#include "core/text/nearest.h"

namespace gridwise {
namespace {

/// `text` in lower case, without spaces and hyphens.
std::string Squeezed(std::string_view text) {
  return absl::StrReplaceAll(absl::AsciiStrToLower(text), {{" ", ""}, {"-", ""}});
}

std::vector<std::string_view> NamesOf(const Product& product) {
  std::vector<std::string_view> names = absl::StrSplit(product.other_names, ',', absl::SkipEmpty());
  names.insert(names.begin(), {product.name, product.full_name});
  return names;
}

std::optional<DeviceFacts> FindDevice(std::string_view name) {
  if (const Processor* processor = FindProcessor(name))
    return DeviceFacts(processor->gfx, ProductLike(*processor, "", 0));
  for (const Gfx gfx : kAllGfx) {
    for (const Product& product : ProductsOf(gfx)) {
      for (const std::string_view known : NamesOf(product)) {
        if (Squeezed(known) == Squeezed(name)) return DeviceFacts(gfx, product);
      }
    }
  }
  return std::nullopt;
}

absl::Status NoSuchDevice(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Processor& processor : kProcessors) known.push_back(processor.name);
  for (const Gfx gfx : kAllGfx) {
    for (const Product& product : ProductsOf(gfx)) known.push_back(product.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the device is '", name,
                   "'; must be a GPU or a processor of one: ", NearestList(name, known)));
}

/// The modes of partitions, and how many partitions a product then has.
std::array<std::pair<std::string_view, int>, 5> ModesOf(const Product& product) {
  return {{{"spx", 1}, {"cpx", product.xcds}, {"dpx", 2}, {"tpx", 3}, {"qpx", 4}}};
}

absl::StatusOr<DeviceFacts> PartitionOf(const DeviceFacts& device, std::string_view mode) {
  const std::string wanted = Squeezed(mode);
  int parts = 0;
  for (const auto& [name, number] : ModesOf(*device.product)) {
    if (wanted == name) parts = number;
  }
  if (parts == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("the partition mode is '", mode, "'; must be one of SPX, DPX, TPX, QPX, CPX"));
  }
  if (device.xcds % parts != 0 || (parts > 1 && device.xcds == 1)) {
    return absl::InvalidArgumentError(absl::StrCat("the partition mode is ", mode, ", and ",
                                                   device.product->name, " has ", device.xcds,
                                                   " XCDs; they must divide by ", parts));
  }
  return DeviceFacts(device.gfx, *device.product, device.compute_units / parts);
}

}  // namespace

absl::StatusOr<DeviceFacts> ParseDevice(std::string_view name) {
  const std::size_t slash = name.find('/');
  const std::optional<DeviceFacts> device = FindDevice(name.substr(0, slash));
  if (!device) return NoSuchDevice(name);
  if (slash == std::string_view::npos) return *device;
  return PartitionOf(*device, name.substr(slash + 1));
}

std::string NameOf(const DeviceFacts& device) {
  const Product& product = *device.product;
  for (const auto& [mode, parts] : ModesOf(product)) {
    if (parts > 1 && device.compute_units * parts == product.compute_units &&
        device.xcds * parts == product.xcds)
      return absl::StrCat(product.name, "/", absl::AsciiStrToUpper(mode));
  }
  return std::string(&product == &ProductsOf(device.gfx).front() ? Name(device.gfx) : product.name);
}

std::string CalibrationNote(const DeviceFacts& device) {
  const Product& product = *device.product;
  const std::string name = NameOf(device);
  const bool is_partition = absl::StrContains(name, '/');
  if (product.like.empty() && !is_partition) return "";
  return absl::StrCat("not calibrated for ", is_partition ? name : product.name, ": by facts of ",
                      product.like.empty() ? product.name : product.like,
                      " where no others are known");
}

}  // namespace gridwise
