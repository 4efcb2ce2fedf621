// SPDX-License-Identifier: MIT
#include "tools/sim/check/device_bytes.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/sim/check/finding.h"
#include "tools/sim/check/origins.h"
#include "tools/sim/check/settings.h"

namespace gridwise::sim {
namespace {

/// Larger allocations count as defined: their pages alone would take 16 MB.
constexpr uint64_t kMaxTracked = uint64_t{4} << 30;

}  // namespace

DeviceBytes& DeviceBytes::Process() {
  static auto* const bytes = new DeviceBytes;
  return *bytes;
}

void DeviceBytes::Allocated(uint64_t address, uint64_t bytes) {
  if (!CurrentCheckSettings().Has(Category::kUninit) || bytes > kMaxTracked) return;
  const std::lock_guard lock(mutex_);
  Block block{address, address + bytes, std::vector<Page>((bytes + kPage - 1) / kPage), 0};
  block.undefined_pages = block.pages.size();
  blocks_[address] = std::move(block);
  tracks_ = true;
}

void DeviceBytes::Freed(uint64_t address) {
  if (!tracks_) return;
  const std::lock_guard lock(mutex_);
  blocks_.erase(address);
}

void DeviceBytes::Forget() {
  if (!tracks_) return;
  const std::lock_guard lock(mutex_);
  blocks_.clear();
  tracks_ = false;
}

DeviceBytes::Block* DeviceBytes::Find(uint64_t address) {
  auto next = blocks_.upper_bound(address);
  if (next == blocks_.begin()) return nullptr;
  Block& block = std::prev(next)->second;
  return address < block.end && block.undefined_pages != 0 ? &block : nullptr;
}

DeviceBytes::Detail* DeviceBytes::Open(Block& block, uint64_t page) {
  Page& state = block.pages[page];
  if (state.detail != nullptr || !state.never_written) return state.detail.get();
  const uint64_t begin = block.begin + page * kPage;
  const auto* memory = reinterpret_cast<const uint8_t*>(begin);
  const auto bytes = static_cast<uint32_t>(std::min(kPage, block.end - begin));
  if (std::any_of(memory, memory + bytes, [](uint8_t byte) { return byte != 0; })) {
    Close(block, page);
    return nullptr;
  }
  state.never_written = false;
  state.detail = std::make_unique<Detail>();
  std::memset(state.detail->bits, 0xff, bytes);
  state.detail->undefined = bytes;
  return state.detail.get();
}

void DeviceBytes::Close(Block& block, uint64_t page) {
  Page& state = block.pages[page];
  if (!state.never_written && state.detail == nullptr) return;
  state.never_written = false;
  state.detail.reset();
  --block.undefined_pages;
}

void DeviceBytes::StoreByte(Block& block, uint64_t address, uint8_t bits, uint32_t origin) {
  const uint64_t page = (address - block.begin) / kPage, at = (address - block.begin) % kPage;
  Detail* detail = Open(block, page);
  if (detail == nullptr) {
    if (bits == 0) return;
    detail = (block.pages[page].detail = std::make_unique<Detail>()).get();
    ++block.undefined_pages;
  }
  detail->undefined += (bits != 0) - (detail->bits[at] != 0);
  detail->bits[at] = bits;
  if (bits != 0) detail->origins[at / 4] = origin;
  if (detail->undefined == 0) Close(block, page);
}

void DeviceBytes::DefineLocked(uint64_t address, uint64_t bytes) {
  const uint64_t end = address + bytes;
  while (address < end) {
    Block* block = Find(address);
    if (block == nullptr) return;
    const uint64_t stop = std::min(end, block->end);
    const uint64_t page = (address - block->begin) / kPage;
    const uint64_t next = std::min(stop, block->begin + (page + 1) * kPage);
    const bool whole = address == block->begin + page * kPage &&
                       (next == block->begin + (page + 1) * kPage || next == block->end);
    if (whole) {
      Close(*block, page);
    } else {
      for (uint64_t a = address; a < next && Open(*block, page) != nullptr; ++a)
        StoreByte(*block, a, 0, 0);
    }
    address = next;
  }
}

void DeviceBytes::Written(uint64_t address, uint64_t bytes) {
  if (!tracks_) return;
  const std::lock_guard lock(mutex_);
  DefineLocked(address, bytes);
}

void DeviceBytes::Copied(uint64_t to, uint64_t from, uint64_t bytes) {
  if (!tracks_) return;
  const std::lock_guard lock(mutex_);
  Block* const target = blocks_.empty() ? nullptr : [&]() -> Block* {
    auto next = blocks_.upper_bound(to);
    if (next == blocks_.begin()) return nullptr;
    Block& block = std::prev(next)->second;
    return to < block.end ? &block : nullptr;
  }();
  if (target == nullptr) return;
  if (!MayBeUndefined(from, from + bytes)) return DefineLocked(to, bytes);
  for (uint64_t i = 0; i < bytes; ++i) {
    ShadowBytes shadow;
    Load(from + i, 1, shadow);
    StoreByte(*target, to + i, shadow.bits[0], shadow.origin);
  }
}

void DeviceBytes::ReadByHost(uint64_t address, uint64_t bytes) {
  if (!tracks_) return;
  std::unique_lock lock(mutex_);
  std::map<uint32_t, std::pair<uint64_t, uint64_t>> found;  // origin: first address, bytes
  for (uint64_t a = address; a < address + bytes;) {
    Block* block = Find(a);
    if (block == nullptr) break;
    const uint64_t page = (a - block->begin) / kPage;
    const uint64_t next = std::min(address + bytes, block->begin + (page + 1) * kPage);
    const Detail* detail = block->pages[page].detail.get();
    for (; detail != nullptr && a < next; ++a) {
      const uint64_t at = (a - block->begin) % kPage;
      if (detail->bits[at] == 0 || detail->origins[at / 4] == 0) continue;
      ++found.try_emplace(detail->origins[at / 4], a, 0).first->second.second;
    }
    a = next;
  }
  lock.unlock();
  for (const auto& [origin, where] : found) {
    std::optional<Finding> finding = Origins::Process().Store(origin);
    if (!finding) continue;
    finding->has_address = true;
    finding->address = where.first;
    absl::StrAppend(&finding->detail,
                    absl::StrFormat("; %u bytes of it, from address %#x on, are copied to the host",
                                    where.second, where.first));
    Findings::Get().Add(*std::move(finding));
  }
}

bool DeviceBytes::MayBeUndefined(uint64_t first, uint64_t last) {
  const Block* block = Find(first);
  if (block == nullptr) return false;
  const uint64_t stop = std::min(last, block->end);
  for (uint64_t page = (first - block->begin) / kPage; block->begin + page * kPage < stop; ++page) {
    const Page& state = block->pages[page];
    if (state.never_written || state.detail != nullptr) return true;
  }
  return false;
}

void DeviceBytes::Load(uint64_t address, uint32_t bytes, ShadowBytes& out) {
  Block* block = Find(address);
  if (block == nullptr) return;
  for (uint32_t i = 0; i < bytes && address + i < block->end; ++i) {
    const uint64_t at = address + i - block->begin;
    const Detail* detail = Open(*block, at / kPage);
    if (detail == nullptr) continue;
    out.bits[i] = detail->bits[at % kPage];
    if (out.bits[i] == 0 || out.any) continue;
    out.any = true;
    out.origin = detail->origins[at % kPage / 4];
  }
}

void DeviceBytes::Store(uint64_t address, uint32_t bytes, const uint8_t* bits, uint32_t origin) {
  auto next = blocks_.upper_bound(address);
  if (next == blocks_.begin()) return;
  Block& block = std::prev(next)->second;
  if (address >= block.end || (bits == nullptr && block.undefined_pages == 0)) return;
  for (uint32_t i = 0; i < bytes; ++i)
    StoreByte(block, address + i, bits == nullptr ? 0 : bits[i], origin);
}

}  // namespace gridwise::sim
