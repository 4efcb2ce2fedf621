#include "tools/sim/isa/exec/float.h"

/// What MODE does around an operation when it is not the usual one (Wave::careful): micro-ops
/// before and after the operation, which itself knows nothing of it. In MODE, bits 1:0 round floats
/// and 3:2 halves and doubles; 5:4 and 7:6 say of the same whether denormals that are read (low
/// bit) and written (high bit) are kept (CDNA3 ISA, "MODE register").

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

/// First bit of a type's rounding field; its denormal field is 4 bits higher.
template <class T>
inline constexpr u32 kField = sizeof(T) == 4 ? 0 : 2;

template <class T>
GRIDWISE_SIM_INLINE bool Keeps(const Wave& w, u32 written) {
  return (w.mode >> (4 + kField<T> + written) & 1) != 0;
}
/// A bit that the target does not have counts as `otherwise`.
GRIDWISE_SIM_INLINE bool Bit(const Wave& w, u32 bit, bool otherwise) {
  return (w.mode_bits & bit) != 0 ? (w.mode & bit) != 0 : otherwise;
}

template <class T>
GRIDWISE_SIM_INLINE T Flush(T x) {
  return Exponent(x) == 0 ? WithSign(T(0), Sign(x)) : x;
}

struct In {  // IEEE clear: a signaling NaN is as any other
  template <class T>
  GRIDWISE_SIM_INLINE static T Apply(T x, bool flush, bool ieee) {
    x = flush ? Flush(x) : x;
    return !ieee && IsSignaling(x) ? Quiet(x) : x;
  }
  static constexpr u32 kWritten = 0;
};
struct Out {
  template <class T>
  GRIDWISE_SIM_INLINE static T Apply(T x, bool flush, bool) {
    return flush ? Flush(x) : x;
  }
  static constexpr u32 kWritten = 1;
};

/// Applies F to the T in each lane of `kRows` rows; with kPacked to both halves of a dword.
template <class F, class T, int kRows, bool kPacked>
void Floats(Wave& w, const Uop& u) {
  const u32* src = Row(w, u.src[0]);
  const bool flush = !Keeps<T>(w, F::kWritten), ieee = Bit(w, kModeIeee, true);
  constexpr int kStep = Lane<T>::kRows;
  MaskedRows<kRows> result(w, u.dst);
  u32* out = result.out();
  for (int r = 0; r < kRows; r += kStep) {
    const int at = r * kLanes;
    GRIDWISE_SIM_FOR_LANES(l) {
      if constexpr (kPacked) {
        const u32 pair = src[at + l];
        const u32 low =
            Bits<u16>(F::template Apply<T>(Bits<T>(static_cast<u16>(pair)), flush, ieee));
        const u32 high =
            Bits<u16>(F::template Apply<T>(Bits<T>(static_cast<u16>(pair >> 16)), flush, ieee));
        out[at + l] = low | high << 16;
      } else {
        Lane<T>::Store(out + at, l, F::template Apply<T>(Lane<T>::Load(src + at, l), flush, ieee));
      }
    }
  }
  result.Commit();
}

template <class F, class T>
void Scalars(Wave& w, const Uop& u) {
  const bool flush = !Keeps<T>(w, F::kWritten), ieee = Bit(w, kModeIeee, true);
  if constexpr (sizeof(T) == 2) {
    const u16 bits = static_cast<u16>(*Row(w, u.src[0]));
    *Row(w, u.dst) = Bits<u16>(F::template Apply<T>(Bits<T>(bits), flush, ieee));
  } else {
    *Row(w, u.dst) = Bits<u32>(F::template Apply<T>(Bits<T>(*Row(w, u.src[0])), flush, ieee));
  }
}

/// max(min(x, 1), 0); a NaN is 0 if DX10_CLAMP is set.
struct ClampFloat {
  template <class T>
  GRIDWISE_SIM_INLINE static T Apply(T x, bool nan_is_zero) {
    const T clamped = x > T(0) ? (x < T(1) ? x : T(1)) : T(0);
    return IsNan(x) && !nan_is_zero ? x : clamped;
  }
};
template <class T, int kRows, bool kPacked>
void ClampFloats(Wave& w, const Uop& u) {
  const u32* src = Row(w, u.src[0]);
  const bool zero = Bit(w, kModeDx10Clamp, true);
  MaskedRows<kRows> result(w, u.dst);
  u32* out = result.out();
  for (int r = 0; r < kRows; r += Lane<T>::kRows) {
    const int at = r * kLanes;
    GRIDWISE_SIM_FOR_LANES(l) {
      if constexpr (kPacked) {
        const u32 pair = src[at + l];
        const u32 low = Bits<u16>(ClampFloat::Apply<T>(Bits<T>(static_cast<u16>(pair)), zero));
        const u32 high =
            Bits<u16>(ClampFloat::Apply<T>(Bits<T>(static_cast<u16>(pair >> 16)), zero));
        out[at + l] = low | high << 16;
      } else {
        Lane<T>::Store(out + at, l, ClampFloat::Apply<T>(Lane<T>::Load(src + at, l), zero));
      }
    }
  }
  result.Commit();
}

/// Output modifiers: x times the factor src[1], denormals and -0 becoming 0; ignored with IEEE set
/// or denormals kept.
template <class T>
void ScaleFloats(Wave& w, const Uop& u) {
  const u32* src = Row(w, u.src[0]);
  const u32* factor = Row(w, u.src[1]);
  const bool ignored = Keeps<T>(w, 1) || Bit(w, kModeIeee, false);
  MaskedRows<Lane<T>::kRows> result(w, u.dst);
  u32* out = result.out();
  GRIDWISE_SIM_FOR_LANES(l) {
    const T x = Lane<T>::Load(src, l);
    const T scaled = Flush(static_cast<T>(x * Lane<T>::Load(factor, l)));
    Lane<T>::Store(out, l, ignored ? x : scaled == T(0) ? T(0) : scaled);
  }
  result.Commit();
}

/// Source modifiers of a scalar: dst = (src & data[31:0]) ^ data[63:32].
void ScalarSign(Wave& w, const Uop& u) {
  *Row(w, u.dst) = (*Row(w, u.src[0]) & static_cast<u32>(u.data)) ^ static_cast<u32>(u.data >> 32);
}

/// The host's rounding mode from the field of MODE at bit imm: nearest, up, down, towards zero.
void RoundBegin(Wave& w, const Uop& u) {
  const u32 mode = w.mode >> u.imm & 3;
  const u32 host = mode == 1 ? 2 : mode == 2 ? 1 : mode;
  _mm_setcsr((_mm_getcsr() & ~0x6000u) | host << 13);
}
void RoundEnd(Wave&, const Uop&) { _mm_setcsr(_mm_getcsr() & ~0x6000u); }

constexpr Binding Mode(const char* name, ExecFn exec) {
  return {name, OpClass::kOther, nullptr, exec};
}

}  // namespace

BindingTable ModeTable() {
  static constexpr Binding kTable[] = {
      Mode("@mode_in_f32", &Step<&Floats<In, f32, 1, false>>),
      Mode("@mode_in_f64", &Step<&Floats<In, f64, 2, false>>),
      Mode("@mode_in_f16", &Step<&Floats<In, f16, 1, false>>),
      Mode("@mode_in_pk_f16", &Step<&Floats<In, f16, 1, true>>),
      Mode("@mode_in_pk_f32", &Step<&Floats<In, f32, 2, false>>),
      Mode("@mode_out_f32", &Step<&Floats<Out, f32, 1, false>>),
      Mode("@mode_out_f64", &Step<&Floats<Out, f64, 2, false>>),
      Mode("@mode_out_f16", &Step<&Floats<Out, f16, 1, false>>),
      Mode("@mode_out_pk_f16", &Step<&Floats<Out, f16, 1, true>>),
      Mode("@mode_out_pk_f32", &Step<&Floats<Out, f32, 2, false>>),
      Mode("@mode_clamp_f32", &Step<&ClampFloats<f32, 1, false>>),
      Mode("@mode_clamp_f64", &Step<&ClampFloats<f64, 2, false>>),
      Mode("@mode_clamp_f16", &Step<&ClampFloats<f16, 1, false>>),
      Mode("@mode_clamp_pk_f16", &Step<&ClampFloats<f16, 1, true>>),
      Mode("@mode_clamp_pk_f32", &Step<&ClampFloats<f32, 2, false>>),
      Mode("@scale_f32", &Step<&ScaleFloats<f32>>),
      Mode("@scale_f64", &Step<&ScaleFloats<f64>>),
      Mode("@scale_f16", &Step<&ScaleFloats<f16>>),
      Mode("@scalar_in_f32", &Step<&Scalars<In, f32>>),
      Mode("@scalar_in_f16", &Step<&Scalars<In, f16>>),
      Mode("@scalar_out_f32", &Step<&Scalars<Out, f32>>),
      Mode("@scalar_out_f16", &Step<&Scalars<Out, f16>>),
      Mode("@scalar_sign", &Step<&ScalarSign>),
      Mode("@round_begin", &Step<&RoundBegin>),
      Mode("@round_end", &Step<&RoundEnd>),
  };
  return {kTable, sizeof(kTable) / sizeof(kTable[0])};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
