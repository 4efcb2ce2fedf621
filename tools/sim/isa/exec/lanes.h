// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "tools/sim/isa/bind/alu.h"
#include "tools/sim/isa/bind/binding.h"
#include "tools/sim/isa/exec/lane_values.h"
#include "tools/sim/isa/exec/lanewise.h"
#include "tools/sim/wave/uop.h"

/// Vector operations from scalar ones: a table line gives a lambda over the values of one lane. Its
/// parameter types (lane_values.h) say how operands are read, how constants are made and how the
/// result is written:
///
///   Valu("v_lshl_add_u32", [](u32 a, u32 b, u32 c) { return (a << (b & 31)) + c; }),

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

template <class F, class R, class... A>
constexpr Binding MakeValu(const char* name, R (F::*)(A...) const, uint32_t flags, BindFn bind) {
  OpTraits traits{
      .result = kTypeOf<R>, .args = {kTypeOf<A>...}, .arg_count = sizeof...(A), .flags = flags};
  if (__is_same(R, bool)) traits.result = ValueType::kMask;
  traits.second_mask = requires(R r) { r.mask; };
  return {name, OpClass::kValu, bind, &Step<&Lanewise<F, R, A...>::Run>, traits};
}

/// The binding on some targets only.
constexpr Binding On(uint8_t targets, Binding binding) {
  binding.targets = targets;
  return binding;
}

/// The binding with another handler than that of the lane function, which says what it computes.
constexpr Binding WithHandler(ExecFn handler, Binding binding) {
  binding.exec = handler;
  return binding;
}

/// An operation of one value per lane.
template <class F>
constexpr Binding Valu(const char* name, F, uint32_t flags = 0) {
  return MakeValu<F>(name, &F::operator(), flags, &BindValu);
}

/// v_pk_*: a lane function of 16-bit values applied to both halves.
template <class>
using AlwaysU32 = u32;
template <class>
using AlwaysU64 = u64;
template <class F, class T, class... A>
constexpr Binding MakePacked(const char* name, T (F::*)(A...) const, uint32_t flags) {
  constexpr ValueType kType = __is_same(T, f16) ? ValueType::kPkF16 : ValueType::kPkB16;
  const auto both = [](auto... packed) {
    const u32 low = Bits<u16>(F{}(Bits<A>(static_cast<u16>(packed))...));
    const u32 high = Bits<u16>(F{}(Bits<A>(static_cast<u16>(packed >> 16))...));
    return low | high << 16;
  };
  using Both = decltype(both);
  OpTraits traits{.result = kType, .args = {}, .arg_count = sizeof...(A), .flags = flags};
  for (size_t i = 0; i < sizeof...(A); ++i) traits.args[i] = kType;
  return {name, OpClass::kValu, &BindValu, &Step<&Lanewise<Both, u32, AlwaysU32<A>...>::Run>,
          traits};
}
template <class F>
constexpr Binding Packed(const char* name, F, uint32_t flags = 0) {
  return MakePacked<F>(name, &F::operator(), flags);
}

/// v_pk_*_f32: a lane function of floats applied to both registers of a pair.
template <class F, class... A>
constexpr Binding MakePackedF32(const char* name, f32 (F::*)(A...) const) {
  const auto both = [](auto... pair) {
    const u64 low = Bits<u32>(F{}(Bits<A>(static_cast<u32>(pair))...));
    const u64 high = Bits<u32>(F{}(Bits<A>(static_cast<u32>(pair >> 32))...));
    return low | high << 32;
  };
  using Both = decltype(both);
  OpTraits traits{.result = ValueType::kPkF32, .args = {}, .arg_count = sizeof...(A)};
  for (size_t i = 0; i < sizeof...(A); ++i) traits.args[i] = ValueType::kPkF32;
  return {name, OpClass::kValu, &BindValu, &Step<&Lanewise<Both, u64, AlwaysU64<A>...>::Run>,
          traits};
}
template <class F>
constexpr Binding PackedF32(const char* name, F) {
  return MakePackedF32<F>(name, &F::operator());
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
