// SPDX-License-Identifier: MIT
#include "gridwise/plan_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/arch/device_facts.h"
#include "core/arch/product_list.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/epilogue.h"
#include "core/conv/layouts.h"
#include "gridwise/version.h"

namespace gridwise {
namespace {

using Op = EpilogueTensor::Op;

// Conversions of values to text and back. After Read returns false, the value is unspecified.

std::string Text(double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return std::string(text.data(), end);
}
bool Read(std::string_view text, double& value) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  return error == std::errc() && stop == end;
}

template <class T>
  requires std::is_integral_v<T>
std::string Text(T value) {
  return absl::StrCat(static_cast<std::int64_t>(value));
}
template <class T>
  requires std::is_integral_v<T>
bool Read(std::string_view text, T& value) {
  std::int64_t read = 0;
  if (!absl::SimpleAtoi(text, &read)) return false;
  value = static_cast<T>(read);
  return static_cast<std::int64_t>(value) == read;
}

template <class T>
  requires std::is_enum_v<T>
std::string Text(T value) {
  return Name(value);
}
template <class T, class All>
bool ReadEnumerator(std::string_view text, const All& all, T& value) {
  for (const T each : all) {
    if (text != Name(each)) continue;
    value = each;
    return true;
  }
  return false;
}
bool Read(std::string_view text, Direction& value) {
  return ReadEnumerator(text, kAllDirections, value);
}
bool Read(std::string_view text, DataType& value) {
  return ReadEnumerator(text, kAllDataTypes, value);
}
bool Read(std::string_view text, Layout& value) { return ReadEnumerator(text, kAllLayouts, value); }
bool Read(std::string_view text, WeightLayout& value) {
  return ReadEnumerator(text, kAllWeightLayouts, value);
}
bool Read(std::string_view text, Unary& value) { return ReadEnumerator(text, kAllUnary, value); }
bool Read(std::string_view text, Gfx& value) { return ReadEnumerator(text, kAllGfx, value); }

std::string Text(const std::string& value) { return value; }
bool Read(std::string_view text, std::string& value) {
  value = text;
  return true;
}

std::string Text(const std::optional<DataType>& value) { return value ? Text(*value) : ""; }
bool Read(std::string_view text, std::optional<DataType>& value) {
  return Read(text, value.emplace());
}

/// One number per axis: "1x16x16".
template <class Dims>
struct PerDim {
  Dims& dims;
  std::int64_t Dim::* member;
};
template <class Dims>
std::string Text(const PerDim<Dims>& value) {
  const auto& [d, h, w] = value.dims;
  return absl::StrCat(d.*value.member, "x", h.*value.member, "x", w.*value.member);
}
template <class Dims>
bool Read(std::string_view text, const PerDim<Dims>& value) {
  const std::vector<std::string_view> parts = absl::StrSplit(text, 'x');
  if (parts.size() != value.dims.size()) return false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!Read(parts[i], value.dims[i].*value.member)) return false;
  }
  return true;
}

/// A tensor of an epilogue, as operation, scale, type and strides: "add:1:f16:0,0,0,0,0,1". Empty
/// if the epilogue has fewer tensors.
template <class E>
struct Slot {
  E& epilogue;
  int index;
};
template <class E>
std::string Text(const Slot<E>& slot) {
  if (slot.index >= slot.epilogue.tensors) return "";
  const EpilogueTensor& tensor = slot.epilogue.d[static_cast<std::size_t>(slot.index)];
  return absl::StrCat(tensor.op == Op::kAdd ? "add" : "mul", ":", Text(tensor.scale), ":",
                      Name(tensor.type), ":", absl::StrJoin(tensor.stride, ","));
}
template <class E>
bool Read(std::string_view text, const Slot<E>& slot) {
  const std::vector<std::string_view> parts = absl::StrSplit(text, ':');
  if (parts.size() != 4 || slot.epilogue.tensors != slot.index) return false;
  EpilogueTensor& tensor = slot.epilogue.d[static_cast<std::size_t>(slot.epilogue.tensors++)];
  const std::vector<std::string_view> strides = absl::StrSplit(parts[3], ',');
  if ((parts[0] != "add" && parts[0] != "mul") || strides.size() != tensor.stride.size()) {
    return false;
  }
  tensor.op = parts[0] == "add" ? Op::kAdd : Op::kMultiply;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    if (!Read(strides[i], tensor.stride[i])) return false;
  }
  return Read(parts[1], tensor.scale) && Read(parts[2], tensor.type);
}

/// Call visit(key, field) for the fields of a problem, of a device, and of options.
template <class Problem>
void VisitProblem(Problem& problem, auto&& visit) {
  visit("direction", problem.direction);
  visit("type", problem.type);
  visit("out_type", problem.out_type);
  visit("rank", problem.rank);
  visit("groups", problem.groups);
  visit("batch", problem.batch);
  visit("c", problem.c);
  visit("k", problem.k);
  visit("in", PerDim{problem.dims, &Dim::in});
  visit("filter", PerDim{problem.dims, &Dim::filter});
  visit("stride", PerDim{problem.dims, &Dim::stride});
  visit("dilation", PerDim{problem.dims, &Dim::dilation});
  visit("pad", PerDim{problem.dims, &Dim::pad_begin});
  visit("pad_end", PerDim{problem.dims, &Dim::pad_end});
  visit("layout", problem.layout);
  visit("weight_layout", problem.weight_layout);
  visit("alpha", problem.epilogue.alpha);
  visit("d0", Slot{problem.epilogue, 0});
  visit("d1", Slot{problem.epilogue, 1});
  visit("unary", problem.epilogue.unary);
  visit("unary_parameter", problem.epilogue.unary_parameter);
  visit("low", problem.epilogue.low);
  visit("high", problem.epilogue.high);
  visit("adds_a1", problem.operand_sums[0].adds);
  visit("scale_a", problem.operand_sums[0].scale);
  visit("adds_b1", problem.operand_sums[1].adds);
  visit("scale_b", problem.operand_sums[1].scale);
}
template <class Device>
void VisitDevice(Device& device, auto&& visit) {
  visit("device", device.gfx);
  visit("units", device.compute_units);
  visit("xcds", device.xcds);
  visit("clock", device.clock_ghz);
  visit("memory", device.memory_gb_per_s);
  visit("memory_bytes", device.memory_bytes);
}
template <class Options>
void VisitOptions(Options& options, auto&& visit) {
  visit("family", options.family);
  visit("instance", options.instance);
  visit("splits", options.splits);
  visit("offset_limit", options.offset_limit);
  visit("atomic", options.atomic);
  visit("launch_per_sub_gemm", options.launch_per_sub_gemm);
}

/// The content of a line.
struct Recipe {
  ConvProblem problem;
  DeviceFacts device = Gfx::k942;
  std::string product = "";  // empty: the one that the target stands for
  PlanOptions options;
};

std::string ProductOf(const DeviceFacts& device) {
  return std::string(device.product == DeviceFacts(device.gfx).product ? "" : device.product->name);
}

/// Gives the recipe's device the facts of its product that a line does not have.
absl::Status CompleteDevice(Recipe& recipe) {
  DeviceFacts& device = recipe.device;
  for (const Product& product : ProductsOf(device.gfx)) {
    if (!recipe.product.empty() && recipe.product != product.name) continue;
    const DeviceFacts complete(device.gfx, product, device.compute_units);
    device.product = complete.product;
    device.machine = complete.machine;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrFormat("product is \"%s\", which %s has not", recipe.product, Name(device.gfx)));
}

template <class R>
void VisitRecipe(R& recipe, auto&& visit) {
  VisitProblem(recipe.problem, visit);
  VisitDevice(recipe.device, visit);
  visit("product", recipe.product);
  VisitOptions(recipe.options, visit);
}

using Tokens = std::vector<std::pair<std::string_view, std::string>>;

/// Collects visited fields as text.
auto Into(Tokens& tokens) {
  return [&tokens](const char* key, const auto& field) { tokens.emplace_back(key, Text(field)); };
}

/// Returns the tokens that differ from those of the same key in `defaults`, and those in `always`.
std::string Join(const Tokens& tokens, const Tokens& defaults,
                 const std::vector<std::string_view>& always) {
  std::string text;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto& [key, value] = tokens[i];
    if (value == defaults[i].second &&
        std::find(always.begin(), always.end(), key) == always.end()) {
      continue;
    }
    absl::StrAppend(&text, text.empty() ? "" : " ", key, "=", value);
  }
  return text;
}

/// Reads the tokens of `text` into the fields that `visit_all` visits.
absl::Status ReadTokens(std::string_view text, auto&& visit_all) {
  std::vector<std::pair<std::string_view, std::string_view>> tokens;
  for (const std::string_view token : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const std::size_t at = token.find('=');
    if (at == std::string_view::npos) {
      return absl::InvalidArgumentError(absl::StrFormat("\"%s\" is not key=value", token));
    }
    tokens.emplace_back(token.substr(0, at), token.substr(at + 1));
  }
  absl::Status status;
  visit_all([&](const char* key, auto&& field) {
    const auto found = std::find_if(tokens.begin(), tokens.end(),
                                    [key](const auto& token) { return token.first == key; });
    if (found == tokens.end() || !status.ok()) return;
    if (!Read(found->second, field)) {
      status = absl::InvalidArgumentError(
          absl::StrFormat("%s is \"%s\", which is not a valid value", key, found->second));
    }
    tokens.erase(found);
  });
  if (!status.ok() || tokens.empty()) return status;
  return absl::InvalidArgumentError(
      absl::StrFormat("%s is given twice or is unknown", tokens.front().first));
}

constexpr std::string_view kMagic = "gridwise=", kSum = " sum=";

/// Returns the 32-bit FNV-1a hash.
std::string Checksum(std::string_view text) {
  std::uint32_t sum = 2166136261u;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 16777619u;
  return absl::StrFormat("%08x", sum);
}

}  // namespace

std::string PrintPlan(const Plan& plan) {
  const Recipe defaults;
  Tokens tokens, default_tokens;
  VisitProblem(plan.problem(), Into(tokens));
  VisitDevice(plan.device(), Into(tokens));
  tokens.emplace_back("product", Text(ProductOf(plan.device())));
  VisitOptions(plan.options(), Into(tokens));
  VisitRecipe(defaults, Into(default_tokens));
  const std::string line = absl::StrCat(kMagic, kVersion, " ",
                                        Join(tokens, default_tokens,
                                             {"direction", "type", "device", "units", "xcds",
                                              "clock", "memory", "family", "instance"}));
  return absl::StrCat(line, kSum, Checksum(line));
}

absl::StatusOr<Plan> ParsePlan(std::string_view line) {
  const std::size_t sum_at = line.rfind(kSum);
  if (!line.starts_with(kMagic) || sum_at == std::string_view::npos) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "the line is \"%s\"; must begin with \"%s\" and end with a checksum", line, kMagic));
  }
  const std::string_view text = line.substr(0, sum_at), sum = line.substr(sum_at + kSum.size());
  if (sum != Checksum(text)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "the line is damaged: its checksum is %s, but the line says %s", Checksum(text), sum));
  }
  const std::size_t version_end = std::min(text.find(' '), text.size());
  const std::string_view version = text.substr(kMagic.size(), version_end - kMagic.size());
  if (version != kVersion) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "the plan is of version %s of Gridwise, and this is %s; make the plan again", version,
        kVersion));
  }
  Recipe recipe;
  absl::Status status =
      ReadTokens(text.substr(version_end), [&recipe](auto&& visit) { VisitRecipe(recipe, visit); });
  if (!status.ok()) return status;
  if (recipe.options.instance.empty() && recipe.problem.batch > 0) {
    return absl::InvalidArgumentError("the line names no instance");
  }
  if (status = CompleteDevice(recipe); !status.ok()) return status;
  return MakePlan(recipe.problem, recipe.device, recipe.options);
}

std::string PrintProblemPart(const ConvProblem& problem) {
  const ConvProblem defaults;
  Tokens tokens, default_tokens;
  VisitProblem(problem, Into(tokens));
  VisitProblem(defaults, Into(default_tokens));
  return Join(tokens, default_tokens, {"direction", "type"});
}

absl::StatusOr<ConvProblem> ParseProblemPart(std::string_view text) {
  ConvProblem problem;
  absl::Status status =
      ReadTokens(text, [&problem](auto&& visit) { VisitProblem(problem, visit); });
  if (!status.ok()) return status;
  return problem;
}

}  // namespace gridwise
