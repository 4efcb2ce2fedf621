// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "tools/sim/isa/bind/alu.h"
#include "tools/sim/isa/bind/binding.h"
#include "tools/sim/isa/exec/level.h"
#include "tools/sim/wave/uop.h"

/// Scalar operations from lambdas, as exec/lanes.h does for vector ones. A parameter SccIn reads
/// SCC and is no operand; a result WithScc writes the destination and SCC, Scc writes SCC alone,
/// anything else leaves SCC alone.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

struct SccIn {
  u32 value;
};
struct Scc {
  bool value;
};
template <class T>
struct WithScc {
  T value;
  bool scc;
};
template <class T>
GRIDWISE_SIM_INLINE constexpr WithScc<T> NonZero(T value) {
  return {value, value != 0};
}

template <class T>
GRIDWISE_SIM_INLINE T ReadScalar(Wave& w, Ref ref) {
  if constexpr (__is_same(T, SccIn)) {
    return {w.s[kScc]};
  } else if constexpr (sizeof(T) == 8) {
    return Bits<T>(Read64(w, ref));
  } else if constexpr (sizeof(T) == 2) {
    return Bits<T>(static_cast<u16>(*Row(w, ref)));
  } else {
    return Bits<T>(*Row(w, ref));
  }
}

template <class T>
GRIDWISE_SIM_INLINE void WriteScalar(Wave& w, Ref ref, T value) {
  if constexpr (sizeof(T) == 8) {
    Write64(w, ref, Bits<u64>(value));
  } else if constexpr (sizeof(T) == 2) {
    *Row(w, ref) = Bits<u16>(value);
  } else {
    *Row(w, ref) = Bits<u32>(value);
  }
}

template <class T>
GRIDWISE_SIM_INLINE void WriteResult(Wave& w, const Uop& u, WithScc<T> r) {
  WriteScalar(w, u.dst, r.value);
  w.s[kScc] = r.scc;
}
GRIDWISE_SIM_INLINE void WriteResult(Wave& w, const Uop&, Scc r) { w.s[kScc] = r.value; }
template <class T>
GRIDWISE_SIM_INLINE void WriteResult(Wave& w, const Uop& u, T r) {
  WriteScalar(w, u.dst, r);
}

template <class F, class R, class... A>
struct Scalar {
  template <size_t... kI>
  GRIDWISE_SIM_INLINE static void Apply(Wave& w, const Uop& u, std::index_sequence<kI...>) {
    WriteResult(w, u, F{}(ReadScalar<A>(w, u.src[kI])...));
  }
  static void Run(Wave& w, const Uop& u) { Apply(w, u, std::index_sequence_for<A...>()); }
};

template <class T>
constexpr ValueType ScalarType() {
  if constexpr (__is_same(T, SccIn) || __is_same(T, Scc)) {
    return ValueType::kNone;
  } else if constexpr (requires(T t) { t.scc; }) {
    return ScalarType<decltype(T::value)>();
  } else {
    return __is_same(T, i64)   ? ValueType::kI64
           : __is_same(T, f32) ? ValueType::kF32
           : __is_same(T, f16) ? ValueType::kF16
           : sizeof(T) == 8    ? ValueType::kB64
                               : ValueType::kB32;
  }
}

template <class F, class R, class... A>
constexpr Binding MakeSalu(const char* name, R (F::*)(A...) const, uint32_t flags, BindFn bind) {
  return {name,
          OpClass::kSalu,
          bind,
          &Step<&Scalar<F, R, A...>::Run>,
          {.result = ScalarType<R>(),
           .args = {ScalarType<A>()...},
           .arg_count = sizeof...(A),
           .flags = flags}};
}
template <class F>
constexpr Binding Salu(const char* name, F, uint32_t flags = 0) {
  return MakeSalu<F>(name, &F::operator(), flags, &BindSalu);
}
template <class F>
constexpr Binding SaluImmediate(const char* name, F, uint32_t flags = 0) {
  return MakeSalu<F>(name, &F::operator(), flags, &BindSaluImmediate);
}

/// EXEC, or with T = u32 its low half, becomes F of the operand and EXEC; the destination gets the
/// old value of EXEC, or with kWritesResult the new one; SCC says whether that has a bit.
template <class T, bool kWritesResult, class F>
void SaveExecHandler(Wave& w, const Uop& u) {
  const T a = ReadScalar<T>(w, u.src[0]);
  const T exec = static_cast<T>(Exec(w));
  const T result = static_cast<T>(F{}(a, exec) & w.all_lanes);
  WriteScalar(w, u.dst, kWritesResult ? result : exec);
  WriteScalar(w, ScalarRef(kExecLo), result);
  w.s[kScc] = result != 0;
}
template <class T, bool kWritesResult = false, class F>
constexpr Binding SaveExec(const char* name, F) {
  return {name,
          OpClass::kSalu,
          &BindSalu,
          &Step<&SaveExecHandler<T, kWritesResult, F>>,
          {.result = ScalarType<T>(), .args = {ScalarType<T>()}, .arg_count = 1}};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
