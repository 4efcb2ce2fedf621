// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/halo/args.h"
#include "hopper/halo/config.h"
#include "hopper/halo/rounded.h"
#include "hopper/halo/tile.h"
#include "hopper/kernel/roles.h"

/// The filter in shared memory.

namespace gridwise::hopper {

/// Where shared memory has the filter's element of a tap and of an output and a source channel of
/// the products, swizzled as RunsAlongK needs.
template <HaloConfig kC>
GRIDWISE_DEVICE char* FilterAddress(const HaloArgs& args, int tap, int out, int source) {
  const int byte = ((tap * kC.block() + out) * kC.channels + source) * SizeOf(kC.type);
  return dynamic_shared_memory + args.filter_at +
         (byte ^ ((byte >> 7 & (kC.run_bytes() / 16 - 1)) << 4));
}

/// The source channel, in its block, of an output channel's products.
template <HaloConfig kC>
GRIDWISE_DEVICE int SourceOfProduct(int out, int source) {
  return out / kC.channels * kC.channels + source;
}

/// FillFilter if 16 bytes of adjacent channels of w can be loaded at once: source channels in
/// forward, output channels in backward-data.
template <HaloConfig kC>
GRIDWISE_DEVICE void FillFilterByRuns(const HaloArgs& args, int block, bool is_zero) {
  using T = Element<kC.type>;
  constexpr bool kOfOutputs = kC.direction == Direction::kBackwardData;
  constexpr int kThreads = 128 * kC.warpgroups(), kBatch = 3;
  constexpr int kRun = 16 / SizeOf(kC.type), kOfTap = kC.block() / kRun * kC.channels;
  constexpr int kSources = kOfOutputs ? kC.channels : kC.channels / kRun;
  constexpr int kOut = kOfOutputs ? kRun : 1, kSource = kOfOutputs ? 1 : kRun;  // from run to run
  constexpr int kOfWord = 4 / SizeOf(kC.type);
  const int count = args.phase_end[kC.phases() - 1] * kOfTap;
#pragma clang loop unroll(disable)
  for (int first = ThreadId(); first < count; first += kBatch * kThreads) {
    Vec<unsigned, 4> value[kBatch];  // loads that do not wait for each other
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int at = first + i * kThreads;
      const int out = at % kOfTap / kSources * kOut, source = at % kSources * kSource;
      value[i] = Vec<unsigned, 4>{};
      if (at >= count || is_zero) continue;
      const T* const w = FilterOf<T>(args, args.tap[at / kOfTap], block * kC.block() + out,
                                     block * kC.block() + SourceOfProduct<kC>(out, source));
      if (w == nullptr) continue;
      value[i] = *reinterpret_cast<const Vec<unsigned, 4>*>(w);
#pragma unroll
      for (int word = 0; word < 4; ++word) value[i][word] = RoundedWord<kC.type>(value[i][word]);
    }
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int at = first + i * kThreads;
      const int out = at % kOfTap / kSources * kOut, source = at % kSources * kSource;
      if (at >= count) continue;
      if constexpr (kOfOutputs) {
#pragma unroll
        for (int e = 0; e < kRun; ++e) {
          const unsigned element = value[i][e / kOfWord] >> (e % kOfWord * 8 * SizeOf(kC.type));
          __builtin_memcpy(FilterAddress<kC>(args, at / kOfTap, out + e, source), &element,
                           SizeOf(kC.type));
        }
      } else {
        *reinterpret_cast<Vec<unsigned, 4>*>(FilterAddress<kC>(args, at / kOfTap, out, source)) =
            value[i];
      }
    }
  }
}

/// Puts zeros where the filter will be. Called by all consumer threads.
template <HaloConfig kC>
GRIDWISE_DEVICE void ZeroFilter(const HaloArgs& args, int taps) {
  constexpr int kThreads = 128 * kC.warpgroups();
  auto* const words = reinterpret_cast<Vec<unsigned, 4>*>(dynamic_shared_memory + args.filter_at);
  const int count = kC.filter_bytes(taps) / 16;
#pragma clang loop unroll(disable)
  for (int i = ThreadId(); i < count; i += kThreads) words[i] = Vec<unsigned, 4>{};
  WaitAt(StoreBarrier(6), kThreads);
}

/// Puts the filter of a block of channels into shared memory, [tap][output][source channel]. Called
/// by all consumer threads.
template <HaloConfig kC>
GRIDWISE_DEVICE void FillFilter(const HaloArgs& args, int block, bool is_zero) {
  using T = Element<kC.type>;
  constexpr int kRun = kC.channels, kThreads = 128 * kC.warpgroups(), kBatch = 18;
  constexpr int kLogRun = __builtin_ctz(kRun), kLogBlock = __builtin_ctz(kC.block());
  if (args.filter_runs && reinterpret_cast<unsigned long>(args.other_data) % 16 == 0) {
    FillFilterByRuns<kC>(args, block, is_zero);
    return;
  }
  const int taps = args.phase_end[kC.phases() - 1];
  // The source channels of a product that belong to the output channel's group; others are zeros.
  const int log_own = args.log_group < kLogRun ? args.log_group : kLogRun, own = 1 << log_own;
  if (own < kRun) ZeroFilter<kC>(args, taps);
  const int count = taps * kC.block() << log_own;
  struct FilterElement {
    int tap, out, source;
  };
  const auto element_of = [&](int at) -> FilterElement {
    const int out = at >> log_own & (kC.block() - 1);
    return {at >> (log_own + kLogBlock), out, (out & (kRun - 1) & -own) + (at & (own - 1))};
  };
#pragma clang loop unroll(disable)
  for (int first = ThreadId(); first < count; first += kBatch * kThreads) {
    T value[kBatch];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int at = first + i * kThreads;
      value[i] = 0;
      if (at >= count) continue;
      const auto [tap, out, source] = element_of(at);
      const T* const w = FilterOf<T>(args, args.tap[tap], block * kC.block() + out,
                                     block * kC.block() + SourceOfProduct<kC>(out, source));
      if (w != nullptr && !is_zero) value[i] = Rounded<kC.type>(*w);
    }
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int at = first + i * kThreads;
      if (at >= count) continue;
      const auto [tap, out, source] = element_of(at);
      *reinterpret_cast<T*>(FilterAddress<kC>(args, tap, out, source)) = value[i];
    }
  }
}

}  // namespace gridwise::hopper
