// SPDX-License-Identifier: MIT
#include "tools/sim/isa/exec/float.h"
#include "tools/sim/isa/exec/lane_values.h"
#include "tools/sim/isa/exec/lanewise.h"
#include "tools/sim/isa/exec/scalar/scalar.h"

/// What MODE does around an operation when it is not the usual one (Wave::careful): micro-ops
/// before and after the operation, which itself knows nothing of it. In MODE, bits 1:0 round floats
/// and 3:2 halves and doubles; 5:4 and 7:6 say of the same whether denormals that are read (low
/// bit) and written (high bit) are kept; with bit 23, FP16_OVFL, a half that is infinite though no
/// source is, division by zero included, becomes the largest one (CDNA3 ISA, "MODE register";
/// where that is silent, what rocm-systems' rocjitsu has measured on a gfx1201). Flags of an
/// operation (bind/alu.h) say what of this it is not subject to.

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

/// The result if it is too large to be scaled: infinity, or the largest number if MODE's rounding
/// or FP16_OVFL says so.
template <class T>
GRIDWISE_SIM_INLINE T Overflow(const Wave& w, bool negative) {
  const u32 rounding = w.mode >> kField<T> & 3;
  const bool saturates = sizeof(T) == 2 && (w.mode & kModeFp16Overflow) != 0;
  const bool infinite = !saturates && (rounding == 0 || rounding == (negative ? 2u : 1u));
  using Int = typename FloatFormat<T>::Int;
  return WithSign(Bits<T>(static_cast<Int>(Bits<Int>(Infinity<T>()) - (infinite ? 0 : 1))),
                  negative);
}

/// Output modifiers: x times the factor src[1]. Denormals and -0 become 0 before, denormals zeros
/// of their sign after. gfx12 always has them (imm), others with IEEE clear and denormals flushed
/// (CDNA3 ISA, "Output Modifiers"; measured on gfx1030, gfx1100 and gfx1201, rocjitsu's
/// output_modifier.h).
template <class T>
void ScaleFloats(Wave& w, const Uop& u) {
  const u32* src = Row(w, u.src[0]);
  const u32* factor = Row(w, u.src[1]);
  const bool ignored = u.imm == 0 && (Keeps<T>(w, 1) || Bit(w, kModeIeee, false));
  const T above = Overflow<T>(w, false), below = Overflow<T>(w, true);
  MaskedRows<Lane<T>::kRows> result(w, u.dst);
  u32* out = result.out();
  GRIDWISE_SIM_FOR_LANES(l) {
    const T x = Lane<T>::Load(src, l);
    const T product = Flush(static_cast<T>(x * Lane<T>::Load(factor, l)));
    const T scaled = IsInfinite(product) && !IsInfinite(x) ? (Sign(x) ? below : above) : product;
    Lane<T>::Store(out, l, ignored ? x : Exponent(x) == 0 ? T(0) : scaled);
  }
  result.Commit();
}

/// Adds to the halves in dst that are noted those of `data` if the float in src is infinite; with
/// kPacked src has two, each for its own half or, with imm, for all.
template <class T, bool kPacked>
void NoteInfinite(Wave& w, const Uop& u) {
  const u32* src = Row(w, u.src[0]);
  u32* dst = Row(w, u.dst);
  const u32 halves = static_cast<u32>(u.data);
  GRIDWISE_SIM_FOR_LANES(l) {
    if constexpr (kPacked) {
      const u32 low = (src[l] & 0x7fff) == 0x7c00 ? 0xffffu : 0u;
      const u32 high = (src[l] & 0x7fff0000) == 0x7c000000 ? 0xffff0000u : 0u;
      dst[l] |= u.imm == 0 ? low | high : (low | high) != 0 ? halves : 0u;
    } else {
      dst[l] |= IsInfinite(Lane<T>::Load(src, l)) ? halves : 0u;
    }
  }
}
void NoteNothing(Wave& w, const Uop& u) { __builtin_memset(Row(w, u.dst), 0, kRowBytes); }

/// Infinite halves of src become the largest ones if FP16_OVFL is set, but where src[1] has noted
/// an infinite source.
GRIDWISE_SIM_INLINE u32 LimitHalves(u32 halves, u32 noted) {
  const u32 low = (halves & 0x7fff) == 0x7c00 ? 1u : 0u;
  const u32 high = (halves & 0x7fff0000) == 0x7c000000 ? 0x10000u : 0u;
  return halves - ((low | high) & ~noted);
}
void Overflows(Wave& w, const Uop& u) {
  const u32 *src = Row(w, u.src[0]), *noted = Row(w, u.src[1]);
  const bool saturates = (w.mode & kModeFp16Overflow) != 0;
  MaskedRows<1> result(w, u.dst);
  u32* out = result.out();
  GRIDWISE_SIM_FOR_LANES(l) out[l] = saturates ? LimitHalves(src[l], noted[l]) : src[l];
  result.Commit();
}

/// The same for scalars.
template <class T>
void ScalarNoteInfinite(Wave& w, const Uop& u) {
  if (IsInfinite(ReadScalar<T>(w, u.src[0]))) *Row(w, u.dst) = 0xffff;
}
void ScalarNoteNothing(Wave& w, const Uop& u) { *Row(w, u.dst) = 0; }
void ScalarOverflows(Wave& w, const Uop& u) {
  if ((w.mode & kModeFp16Overflow) != 0)
    *Row(w, u.dst) = LimitHalves(*Row(w, u.src[0]), *Row(w, u.src[1]));
}

/// Source modifiers of a scalar: dst = (src & data[31:0]) ^ data[63:32].
void ScalarSign(Wave& w, const Uop& u) {
  *Row(w, u.dst) = (*Row(w, u.src[0]) & static_cast<u32>(u.data)) ^ static_cast<u32>(u.data >> 32);
}

/// The host's rounding mode from the field of MODE at bit imm: nearest, up, down, towards zero. And
/// whether it flushes denormals that it writes, which it does as the GPU does: what would be one
/// even with an exponent without bounds is flushed, though it be rounded to the smallest normal
/// number. (Halves are no type of the host's arithmetic: they are flushed when they have been
/// rounded.)
constexpr u32 kHostRounding = 0x6000, kHostFlush = 0x8000;
void RoundBegin(Wave& w, const Uop& u) {
  const u32 mode = w.mode >> u.imm & 3;
  const u32 host = mode == 1 ? 2 : mode == 2 ? 1 : mode;
  const u32 flush = (w.mode >> (u.imm + 5) & 1) != 0 ? 0 : kHostFlush;
  _mm_setcsr((_mm_getcsr() & ~(kHostRounding | kHostFlush)) | host << 13 | flush);
}
void RoundEnd(Wave&, const Uop&) { _mm_setcsr(_mm_getcsr() & ~(kHostRounding | kHostFlush)); }

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
      Mode("@note_nothing", &Step<&NoteNothing>),
      Mode("@note_infinite_f16", &Step<&NoteInfinite<f16, false>>),
      Mode("@note_infinite_f32", &Step<&NoteInfinite<f32, false>>),
      Mode("@note_infinite_pk_f16", &Step<&NoteInfinite<f16, true>>),
      Mode("@mode_overflow", &Step<&Overflows>),
      Mode("@scalar_note_nothing", &Step<&ScalarNoteNothing>),
      Mode("@scalar_note_infinite_f16", &Step<&ScalarNoteInfinite<f16>>),
      Mode("@scalar_note_infinite_f32", &Step<&ScalarNoteInfinite<f32>>),
      Mode("@scalar_overflow", &Step<&ScalarOverflows>),
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
