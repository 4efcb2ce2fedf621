// SPDX-License-Identifier: MIT
#include "tools/sim/time/engine/cache.h"

#include <algorithm>
#include <bit>

namespace gridwise::sim::time {
namespace {

constexpr uint32_t kNone = ~0u;

}  // namespace

Cache::Cache(double bytes, double line_bytes, double ways, SetsBy sets_by)
    : ways_(static_cast<uint32_t>(ways)),
      sets_by_(sets_by),
      sets_(std::max<size_t>(1, static_cast<size_t>(bytes / (line_bytes * ways))),
            {.newest = kNone, .oldest = kNone}) {
  const int bits = std::max(1, static_cast<int>(std::bit_width(sets_.size() * ways_)));
  chains_.assign(size_t{1} << bits, kNone);
  chain_shift_ = 64 - bits;
}

uint32_t Cache::SetOf(uint64_t number) const {
  uint64_t set = number;
  if (sets_by_ == SetsBy::kXor) {
    const int bits = std::max(1, static_cast<int>(std::bit_width(sets_.size() - 1)));
    for (uint64_t rest = number >> bits; rest != 0; rest >>= bits) set ^= rest;
    set &= (uint64_t{1} << bits) - 1;
  }
  return static_cast<uint32_t>(set % sets_.size());
}

uint32_t& Cache::ChainOf(uint64_t number) {
  constexpr uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;  // Knuth's multiplicative hash
  return chains_[number * kGoldenRatio >> chain_shift_];
}

void Cache::Unlink(const Line& line) {
  Set& set = sets_[line.set];
  (line.newer == kNone ? set.newest : lines_[line.newer].older) = line.older;
  (line.older == kNone ? set.oldest : lines_[line.older].newer) = line.newer;
}

void Cache::MakeNewest(uint32_t at) {
  Set& set = sets_[lines_[at].set];
  lines_[at].newer = kNone;
  lines_[at].older = set.newest;
  (set.newest == kNone ? set.oldest : lines_[set.newest].newer) = at;
  set.newest = at;
}

void Cache::Clear() {
  if (lines_.empty()) return;
  lines_.clear();
  std::fill(sets_.begin(), sets_.end(), Set{.newest = kNone, .oldest = kNone});
  std::fill(chains_.begin(), chains_.end(), kNone);
}

Cache::Line* Cache::Find(uint64_t number) {
  uint32_t at = ChainOf(number);
  while (at != kNone && lines_[at].number != number) at = lines_[at].next;
  if (at == kNone) return nullptr;
  Line& line = lines_[at];
  if (line.newer != kNone) {
    Unlink(line);
    MakeNewest(at);
  }
  return &line;
}

void Cache::Insert(uint64_t number, double ready) {
  const uint32_t set_index = SetOf(number);
  Set& set = sets_[set_index];
  auto at = static_cast<uint32_t>(lines_.size());
  if (set.size < ways_) {
    ++set.size;
    lines_.emplace_back();
  } else {
    at = set.oldest;
    Unlink(lines_[at]);
    uint32_t* link = &ChainOf(lines_[at].number);
    while (*link != at) link = &lines_[*link].next;
    *link = lines_[at].next;
  }
  uint32_t& chain = ChainOf(number);
  lines_[at] = {.number = number, .ready = ready, .set = set_index, .next = chain};
  chain = at;
  MakeNewest(at);
}

bool KeptLines::Take(uint64_t line) {
  if (part_ <= 0 || !seen_.insert(line).second) return false;
  due_ += part_;
  if (due_ < 1) return false;
  due_ -= 1;
  return true;
}

}  // namespace gridwise::sim::time
