// SPDX-License-Identifier: MIT
#include "tools/tune/filter.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/text/instance_fields.h"
#include "tools/tune/our_words.h"

namespace gridwise {
namespace {

using Values = ConfigSpace::Values;

/// What a part of the text says of a config: a number (conditions are 0 and 1) or a text.
struct Expression {
  std::function<std::int64_t(const Values&)> number;
  std::function<std::string_view(const Values&)> text;  // for texts

  bool is_text() const { return static_cast<bool>(text); }
};

Expression Number(std::function<std::int64_t(const Values&)> number) {
  return {.number = std::move(number), .text = nullptr};
}

/// Wraps, where numbers are too large.
std::int64_t Compute(std::string_view op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (op == "+") {
    __builtin_add_overflow(a, b, &result);
  } else if (op == "-") {
    __builtin_sub_overflow(a, b, &result);
  } else if (op == "*") {
    __builtin_mul_overflow(a, b, &result);
  } else if (b == -1) {  // processors cannot divide the least number by -1
    return op == "/" ? Compute("-", 0, a) : 0;
  } else if (b != 0) {
    result = op == "/" ? a / b : a % b;
  }
  return result;
}

template <class T>
bool Holds(std::string_view op, const T& a, const T& b) {
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  return op == ">" ? a > b : a >= b;
}

/// Fields of the tile engine's configs that have other names here.
constexpr std::pair<std::string_view, std::string_view> kElsewhere[] = {
    {"data_type", "type"},          {"dtype", "type"},
    {"wave_m", "waves_m"},          {"wave_n", "waves_n"},
    {"warp_tile_m", "mma_m"},       {"warp_tile_n", "mma_n"},
    {"warp_tile_k", "mma_k"},       {"vector_size_a", "patch_a_k"},
    {"vector_size_b", "patch_b_k"}, {"num_groups_to_merge", "merge_groups"}};

/// Limits of a filter, since parsing and applying it call themselves for each level and operator.
constexpr std::size_t kMaxCharacters = 4096;
constexpr int kMaxLevels = 100;

/// Recursive descent; the first failure sticks.
class Parser {
 public:
  Parser(std::string_view text, const std::vector<Trait>& traits) : text_(text), traits_(traits) {}

  absl::StatusOr<Filter> Parse() {
    Expression all = Or();
    Skip();
    if (at_ < text_.size()) Fail("its end or an operator");
    if (status_.ok() && all.is_text()) Fail("a condition, not a text");
    if (!status_.ok()) return status_;
    return [number = std::move(all.number)](const Values& values) { return number(values) != 0; };
  }

 private:
  Expression Or() {
    Expression left = And();
    while (Take("or") || Take("||")) {
      Expression right = And();
      left = Number([a = Condition(std::move(left)), b = Condition(std::move(right))](
                        const Values& v) { return a(v) != 0 || b(v) != 0; });
    }
    return left;
  }
  Expression And() {
    Expression left = Not();
    while (Take("and") || Take("&&")) {
      Expression right = Not();
      left = Number([a = Condition(std::move(left)), b = Condition(std::move(right))](
                        const Values& v) { return a(v) != 0 && b(v) != 0; });
    }
    return left;
  }
  Expression Not() {
    if (!Take("not")) return Comparison();
    return Number([a = Condition(Not())](const Values& v) { return a(v) == 0; });
  }
  Expression Comparison() {
    Expression left = Sum();
    for (const char* op : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (Take(op)) return Compared(op, left, Sum());
    }
    const bool is_not = Take("not");
    if (Take("in")) return OneOf(left, is_not);
    if (is_not) Fail("\"in\"");
    return left;
  }
  Expression Compared(std::string_view op, const Expression& left, const Expression& right) {
    if (left.is_text() != right.is_text()) Fail("two numbers or two texts to compare");
    if (!status_.ok()) return left;
    if (left.is_text()) {
      return Number([op, a = left.text, b = right.text](const Values& v) {
        return Holds<std::string_view>(op, a(v), b(v));
      });
    }
    return Number([op, a = left.number, b = right.number](const Values& v) {
      return Holds<std::int64_t>(op, a(v), b(v));
    });
  }
  /// Whether `left` is one of a list, or with `is_not` none of it.
  Expression OneOf(const Expression& left, bool is_not) {
    const bool is_tuple = Take("(");
    if (!is_tuple && !Take("[")) Fail("\"[\" or \"(\"");
    std::vector<std::function<std::int64_t(const Values&)>> equal;
    do {
      equal.push_back(Compared("==", left, Sum()).number);
    } while (Take(","));
    const char* const end = is_tuple ? ")" : "]";
    if (!Take(end)) Fail(absl::StrCat("\",\" or \"", end, "\""));
    return Number([equal = std::move(equal), is_not](const Values& v) -> std::int64_t {
      return is_not != std::any_of(equal.begin(), equal.end(),
                                   [&](const auto& same) { return same(v) != 0; });
    });
  }
  Expression Sum() {
    return Binary({"+", "-"},
                  [this] { return Binary({"*", "/", "%"}, [this] { return Atom(); }); });
  }
  Expression Binary(const std::vector<const char*>& ops, const std::function<Expression()>& part) {
    Expression left = part();
    for (;;) {
      const char* found = nullptr;
      for (const char* op : ops) {
        if (found == nullptr && Take(op)) found = op;
      }
      if (found == nullptr) return left;
      Expression right = part();
      left = Number([found, a = Condition(left), b = Condition(right)](const Values& v) {
        return Compute(found, a(v), b(v));
      });
    }
  }
  Expression Atom() {
    Skip();
    const std::string_view rest = text_.substr(at_);
    if (Take("(")) {
      if (++level_ > kMaxLevels)
        Fail(absl::StrCat("at most ", kMaxLevels, " levels of parentheses"));
      Expression inner = status_.ok() ? Or() : Expression();
      if (!Take(")")) Fail("\")\"");
      --level_;
      return inner;
    }
    if (rest.starts_with('\'') || rest.starts_with('"')) return Quoted(rest);
    std::size_t length = 0;
    while (length < rest.size() && (absl::ascii_isalnum(rest[length]) || rest[length] == '_')) {
      ++length;
    }
    const std::string_view word = rest.substr(0, length);
    std::int64_t value = 0;
    if (absl::SimpleAtoi(word, &value)) {
      at_ += length;
      return Number([value](const Values&) { return value; });
    }
    return Name(word);
  }
  Expression Quoted(std::string_view rest) {
    const std::size_t end = rest.find(rest[0], 1);
    if (end == std::string_view::npos) {
      Fail("a text that is closed");
      return {};
    }
    at_ += end + 1;
    return {.number = nullptr,
            .text = [text = OurWord(WordKind::kType, rest.substr(1, end - 1))](const Values&) {
              return std::string_view(text);
            }};
  }
  Expression Name(std::string_view word) {
    if (word == "c" && text_.substr(at_ + 1).starts_with('.')) {  // the config, in the tile engine
      at_ += 2;
      std::size_t end = at_;
      while (end < text_.size() && (absl::ascii_isalnum(text_[end]) || text_[end] == '_')) ++end;
      word = text_.substr(at_, end - at_);
    }
    const std::optional<std::size_t> index = FindTrait(word);
    if (!index && (word == "pipeline" || word == "scheduler") && FindTrait("pipeline_schedule")) {
      at_ += word.size();
      return Elsewhere(word == "pipeline");
    }
    if (!index) {
      std::vector<std::string> names;
      for (const Trait& trait : traits_) names.push_back(trait.name());
      Fail(absl::StrCat("a number, a text in quotes, or one of ", absl::StrJoin(names, ", ")),
           word.empty() ? absl::StatusCode::kInvalidArgument : absl::StatusCode::kNotFound);
      return {};
    }
    at_ += word.size();
    if (!traits_[*index].is_text()) {
      return Number([i = *index](const Values& v) { return v[i]; });
    }
    return {.number = nullptr,
            .text = [i = *index, names = traits_[*index].enumerators](const Values& v) {
              return std::string_view(names[static_cast<std::size_t>(v[i])]);
            }};
  }

  /// What CK Tile calls the schedule, or its scheduler.
  Expression Elsewhere(bool wants_pipeline) const {
    return {.number = nullptr,
            .text = [wants_pipeline, schedule = *FindTrait("pipeline_schedule"),
                     count = *FindTrait("pipeline_count")](const Values& v) {
              const PipelineElsewhere found =
                  TranslatePipeline({static_cast<Schedule>(v[schedule]), v[count]});
              return wants_pipeline ? found.name : found.scheduler;
            }};
  }

  /// By its name, by the part that only one trait has, or by its name in the tile engine.
  std::optional<std::size_t> FindTrait(std::string_view word) const {
    for (const auto& [elsewhere, ours] : kElsewhere) {
      if (word == elsewhere) word = ours;
    }
    std::optional<std::size_t> by_part;
    int count = 0;
    for (std::size_t i = 0; i < traits_.size(); ++i) {
      if (traits_[i].name() == word) return i;
      if (traits_[i].part != word && traits_[i].group != word) continue;
      by_part = i;
      ++count;
    }
    return count == 1 ? by_part : std::nullopt;
  }

  std::function<std::int64_t(const Values&)> Condition(Expression expression) {
    if (expression.is_text()) Fail("a number or a condition, not a text");
    return std::move(expression.number);
  }
  void Skip() {
    while (at_ < text_.size() && absl::ascii_isspace(text_[at_])) ++at_;
  }
  /// Consumes `token`, a whole word if it is one.
  bool Take(std::string_view token) {
    Skip();
    const std::string_view rest = text_.substr(at_);
    if (!status_.ok() || !rest.starts_with(token)) return false;
    const bool is_word = absl::ascii_isalpha(token[0]);
    if (is_word && rest.size() > token.size() &&
        (absl::ascii_isalnum(rest[token.size()]) || rest[token.size()] == '_')) {
      return false;
    }
    at_ += token.size();
    return true;
  }
  void Fail(std::string_view expected, absl::StatusCode code = absl::StatusCode::kInvalidArgument) {
    if (!status_.ok()) return;
    status_ = absl::Status(
        code, absl::StrFormat("filter \"%s\" has \"%s\" at character %d; must have %s there", text_,
                              text_.substr(at_), at_, expected));
  }

  const std::string_view text_;
  const std::vector<Trait>& traits_;
  std::size_t at_ = 0;
  int level_ = 0;  // nested parentheses
  absl::Status status_;
};

}  // namespace

absl::StatusOr<Filter> ParseFilter(std::string_view text, const std::vector<Trait>& traits) {
  if (text.size() > kMaxCharacters) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "the filter has %d characters; at most %d are read", text.size(), kMaxCharacters));
  }
  return Parser(text, traits).Parse();
}

}  // namespace gridwise
