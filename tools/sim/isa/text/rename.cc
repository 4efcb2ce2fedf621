// SPDX-License-Identifier: MIT
#include "tools/sim/isa/text/rename.h"

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

namespace gridwise::sim {
namespace {

struct Rename {
  std::string_view name;       // RDNA's, or gfx90a's
  std::string_view canonical;  // gfx942's
};

constexpr Rename kScalar[] = {
    {"s_and_not1_b32", "s_andn2_b32"},
    {"s_and_not1_b64", "s_andn2_b64"},
    {"s_or_not1_b32", "s_orn2_b32"},
    {"s_or_not1_b64", "s_orn2_b64"},
    {"s_and_not1_saveexec_b32", "s_andn2_saveexec_b32"},
    {"s_and_not1_saveexec_b64", "s_andn2_saveexec_b64"},
    {"s_or_not1_saveexec_b32", "s_orn2_saveexec_b32"},
    {"s_or_not1_saveexec_b64", "s_orn2_saveexec_b64"},
    {"s_and_not0_saveexec_b32", "s_andn1_saveexec_b32"},
    {"s_and_not0_saveexec_b64", "s_andn1_saveexec_b64"},
    {"s_or_not0_saveexec_b32", "s_orn1_saveexec_b32"},
    {"s_or_not0_saveexec_b64", "s_orn1_saveexec_b64"},
    {"s_and_not0_wrexec_b32", "s_andn1_wrexec_b32"},
    {"s_and_not0_wrexec_b64", "s_andn1_wrexec_b64"},
    {"s_and_not1_wrexec_b32", "s_andn2_wrexec_b32"},
    {"s_and_not1_wrexec_b64", "s_andn2_wrexec_b64"},
    {"s_clz_i32_u32", "s_flbit_i32_b32"},
    {"s_clz_i32_u64", "s_flbit_i32_b64"},
    {"s_cls_i32", "s_flbit_i32"},
    {"s_cls_i32_i64", "s_flbit_i32_i64"},
    {"s_ctz_i32_b32", "s_ff1_i32_b32"},
    {"s_ctz_i32_b64", "s_ff1_i32_b64"},
    {"s_add_co_u32", "s_add_u32"},
    {"s_sub_co_u32", "s_sub_u32"},
    {"s_add_co_i32", "s_add_i32"},
    {"s_sub_co_i32", "s_sub_i32"},
    {"s_add_co_ci_u32", "s_addc_u32"},
    {"s_sub_co_ci_u32", "s_subb_u32"},
    {"s_addk_co_i32", "s_addk_i32"},
    {"s_load_b32", "s_load_dword"},
    {"s_load_b64", "s_load_dwordx2"},
    {"s_load_b128", "s_load_dwordx4"},
    {"s_load_b256", "s_load_dwordx8"},
    {"s_load_b512", "s_load_dwordx16"},
    {"s_buffer_load_b32", "s_buffer_load_dword"},
    {"s_buffer_load_b64", "s_buffer_load_dwordx2"},
    {"s_buffer_load_b128", "s_buffer_load_dwordx4"},
    {"s_buffer_load_b256", "s_buffer_load_dwordx8"},
    {"s_buffer_load_b512", "s_buffer_load_dwordx16"},
};

constexpr Rename kVector[] = {
    {"v_add_nc_u32", "v_add_u32"},
    {"v_sub_nc_u32", "v_sub_u32"},
    {"v_subrev_nc_u32", "v_subrev_u32"},
    {"v_add_nc_i32", "v_add_i32"},
    {"v_sub_nc_i32", "v_sub_i32"},
    {"v_add_nc_u16", "v_add_u16"},
    {"v_sub_nc_u16", "v_sub_u16"},
    {"v_add_nc_i16", "v_add_i16"},
    {"v_sub_nc_i16", "v_sub_i16"},
    {"v_add_co_ci_u32", "v_addc_co_u32"},
    {"v_sub_co_ci_u32", "v_subb_co_u32"},
    {"v_subrev_co_ci_u32", "v_subbrev_co_u32"},
    {"v_mad_co_u64_u32", "v_mad_u64_u32"},
    {"v_mad_co_i64_i32", "v_mad_i64_i32"},
    {"v_clz_i32_u32", "v_ffbh_u32"},
    {"v_cls_i32", "v_ffbh_i32"},
    {"v_ctz_i32_b32", "v_ffbl_b32"},
    {"v_mul_dx9_zero_f32", "v_mul_legacy_f32"},
    {"v_cvt_floor_i32_f32", "v_cvt_flr_i32_f32"},
    {"v_cvt_nearest_i32_f32", "v_cvt_rpi_i32_f32"},
    {"v_cvt_pk_rtz_f16_f32", "v_cvt_pkrtz_f16_f32"},
    {"v_cvt_pk_norm_i16_f32", "v_cvt_pknorm_i16_f32"},
    {"v_cvt_pk_norm_u16_f32", "v_cvt_pknorm_u16_f32"},
    {"v_cvt_pk_norm_i16_f16", "v_cvt_pknorm_i16_f16"},
    {"v_cvt_pk_norm_u16_f16", "v_cvt_pknorm_u16_f16"},
    {"v_dot2acc_f32_f16", "v_dot2c_f32_f16"},
    {"v_dot2acc_f32_bf16", "v_dot2c_f32_bf16"},
    {"v_cmp_t_f16", "v_cmp_tru_f16"},
    {"v_cmp_t_f32", "v_cmp_tru_f32"},
    {"v_cmp_t_f64", "v_cmp_tru_f64"},
    {"v_cmpx_t_f16", "v_cmpx_tru_f16"},
    {"v_cmpx_t_f32", "v_cmpx_tru_f32"},
    {"v_cmpx_t_f64", "v_cmpx_tru_f64"},
};

constexpr Rename kLds[] = {
    {"ds_load_b32", "ds_read_b32"},
    {"ds_load_b64", "ds_read_b64"},
    {"ds_load_b96", "ds_read_b96"},
    {"ds_load_b128", "ds_read_b128"},
    {"ds_load_u8", "ds_read_u8"},
    {"ds_load_i8", "ds_read_i8"},
    {"ds_load_u16", "ds_read_u16"},
    {"ds_load_i16", "ds_read_i16"},
    {"ds_load_u8_d16", "ds_read_u8_d16"},
    {"ds_load_u8_d16_hi", "ds_read_u8_d16_hi"},
    {"ds_load_i8_d16", "ds_read_i8_d16"},
    {"ds_load_i8_d16_hi", "ds_read_i8_d16_hi"},
    {"ds_load_u16_d16", "ds_read_u16_d16"},
    {"ds_load_u16_d16_hi", "ds_read_u16_d16_hi"},
    {"ds_load_2addr_b32", "ds_read2_b32"},
    {"ds_load_2addr_b64", "ds_read2_b64"},
    {"ds_load_2addr_stride64_b32", "ds_read2st64_b32"},
    {"ds_load_2addr_stride64_b64", "ds_read2st64_b64"},
    {"ds_load_addtid_b32", "ds_read_addtid_b32"},
    {"ds_store_b8", "ds_write_b8"},
    {"ds_store_b16", "ds_write_b16"},
    {"ds_store_b32", "ds_write_b32"},
    {"ds_store_b64", "ds_write_b64"},
    {"ds_store_b96", "ds_write_b96"},
    {"ds_store_b128", "ds_write_b128"},
    {"ds_store_b8_d16_hi", "ds_write_b8_d16_hi"},
    {"ds_store_b16_d16_hi", "ds_write_b16_d16_hi"},
    {"ds_store_2addr_b32", "ds_write2_b32"},
    {"ds_store_2addr_b64", "ds_write2_b64"},
    {"ds_store_2addr_stride64_b32", "ds_write2st64_b32"},
    {"ds_store_2addr_stride64_b64", "ds_write2st64_b64"},
    {"ds_store_addtid_b32", "ds_write_addtid_b32"},
    {"ds_storexchg_rtn_b32", "ds_wrxchg_rtn_b32"},
    {"ds_storexchg_rtn_b64", "ds_wrxchg_rtn_b64"},
    {"ds_storexchg_2addr_rtn_b32", "ds_wrxchg2_rtn_b32"},
    {"ds_storexchg_2addr_rtn_b64", "ds_wrxchg2_rtn_b64"},
    {"ds_storexchg_2addr_stride64_rtn_b32", "ds_wrxchg2st64_rtn_b32"},
    {"ds_storexchg_2addr_stride64_rtn_b64", "ds_wrxchg2st64_rtn_b64"},
};

/// Names after global_, flat_, scratch_, buffer_ and tbuffer_.
constexpr Rename kMemory[] = {
    {"load_d16_format_x", "load_format_d16_x"},
    {"load_d16_format_xy", "load_format_d16_xy"},
    {"load_d16_format_xyz", "load_format_d16_xyz"},
    {"load_d16_format_xyzw", "load_format_d16_xyzw"},
    {"load_d16_hi_format_x", "load_format_d16_hi_x"},
    {"store_d16_format_x", "store_format_d16_x"},
    {"store_d16_format_xy", "store_format_d16_xy"},
    {"store_d16_format_xyz", "store_format_d16_xyz"},
    {"store_d16_format_xyzw", "store_format_d16_xyzw"},
    {"store_d16_hi_format_x", "store_format_d16_hi_x"},
    {"load_u8", "load_ubyte"},
    {"load_i8", "load_sbyte"},
    {"load_u16", "load_ushort"},
    {"load_i16", "load_sshort"},
    {"load_b32", "load_dword"},
    {"load_b64", "load_dwordx2"},
    {"load_b96", "load_dwordx3"},
    {"load_b128", "load_dwordx4"},
    {"load_d16_u8", "load_ubyte_d16"},
    {"load_d16_hi_u8", "load_ubyte_d16_hi"},
    {"load_d16_i8", "load_sbyte_d16"},
    {"load_d16_hi_i8", "load_sbyte_d16_hi"},
    {"load_d16_b16", "load_short_d16"},
    {"load_d16_hi_b16", "load_short_d16_hi"},
    {"store_b8", "store_byte"},
    {"store_b16", "store_short"},
    {"store_b32", "store_dword"},
    {"store_b64", "store_dwordx2"},
    {"store_b96", "store_dwordx3"},
    {"store_b128", "store_dwordx4"},
    {"store_d16_hi_b8", "store_byte_d16_hi"},
    {"store_d16_hi_b16", "store_short_d16_hi"},
    {"atomic_swap_b32", "atomic_swap"},
    {"atomic_swap_b64", "atomic_swap_x2"},
    {"atomic_cmpswap_b32", "atomic_cmpswap"},
    {"atomic_cmpswap_b64", "atomic_cmpswap_x2"},
    {"atomic_add_u32", "atomic_add"},
    {"atomic_add_u64", "atomic_add_x2"},
    {"atomic_sub_u32", "atomic_sub"},
    {"atomic_sub_u64", "atomic_sub_x2"},
    {"atomic_min_i32", "atomic_smin"},
    {"atomic_min_i64", "atomic_smin_x2"},
    {"atomic_max_i32", "atomic_smax"},
    {"atomic_max_i64", "atomic_smax_x2"},
    {"atomic_min_u32", "atomic_umin"},
    {"atomic_min_u64", "atomic_umin_x2"},
    {"atomic_max_u32", "atomic_umax"},
    {"atomic_max_u64", "atomic_umax_x2"},
    {"atomic_and_b32", "atomic_and"},
    {"atomic_and_b64", "atomic_and_x2"},
    {"atomic_or_b32", "atomic_or"},
    {"atomic_or_b64", "atomic_or_x2"},
    {"atomic_xor_b32", "atomic_xor"},
    {"atomic_xor_b64", "atomic_xor_x2"},
    {"atomic_inc_u32", "atomic_inc"},
    {"atomic_inc_u64", "atomic_inc_x2"},
    {"atomic_dec_u32", "atomic_dec"},
    {"atomic_dec_u64", "atomic_dec_x2"},
};

/// Halves of dual instructions: v_dual_<name> is v_<name>.
constexpr std::string_view kDual[] = {
    "fmac_f32",   "fmaak_f32",   "fmamk_f32",   "mul_f32",          "add_f32",
    "sub_f32",    "subrev_f32",  "mov_b32",     "mul_dx9_zero_f32", "cndmask_b32",
    "max_f32",    "min_f32",     "max_num_f32", "min_num_f32",      "dot2acc_f32_f16",
    "add_nc_u32", "lshlrev_b32", "and_b32",     "dot2acc_f32_bf16",
};

/// gfx90a's matrix instructions, without v_mfma_, and as gfx942 calls them or would: with the
/// number of blocks (LLVM, VOP3PInstructions.td; AMD Instinct MI200 ISA, section 7).
constexpr Rename kMatrix[] = {
    {"f32_32x32x2f32", "f32_32x32x2_f32"},         {"f32_16x16x4f32", "f32_16x16x4_f32"},
    {"f32_32x32x1f32", "f32_32x32x1_2b_f32"},      {"f32_16x16x1f32", "f32_16x16x1_4b_f32"},
    {"f32_4x4x1f32", "f32_4x4x1_16b_f32"},         {"f32_32x32x8f16", "f32_32x32x8_f16"},
    {"f32_16x16x16f16", "f32_16x16x16_f16"},       {"f32_32x32x4f16", "f32_32x32x4_2b_f16"},
    {"f32_16x16x4f16", "f32_16x16x4_4b_f16"},      {"f32_4x4x4f16", "f32_4x4x4_16b_f16"},
    {"f32_32x32x8bf16_1k", "f32_32x32x8_bf16"},    {"f32_16x16x16bf16_1k", "f32_16x16x16_bf16"},
    {"f32_32x32x4bf16_1k", "f32_32x32x4_2b_bf16"}, {"f32_16x16x4bf16_1k", "f32_16x16x4_4b_bf16"},
    {"f32_4x4x4bf16_1k", "f32_4x4x4_16b_bf16"},    {"f32_32x32x4bf16", "f32_32x32x4_bf16"},
    {"f32_16x16x8bf16", "f32_16x16x8_bf16"},       {"f32_32x32x2bf16", "f32_32x32x2_2b_bf16"},
    {"f32_16x16x2bf16", "f32_16x16x2_4b_bf16"},    {"f32_4x4x2bf16", "f32_4x4x2_16b_bf16"},
    {"i32_32x32x8i8", "i32_32x32x8_i8"},           {"i32_16x16x16i8", "i32_16x16x16_i8"},
    {"i32_32x32x4i8", "i32_32x32x4_2b_i8"},        {"i32_16x16x4i8", "i32_16x16x4_4b_i8"},
    {"i32_4x4x4i8", "i32_4x4x4_16b_i8"},           {"f64_16x16x4f64", "f64_16x16x4_f64"},
    {"f64_4x4x4f64", "f64_4x4x4_4b_f64"},
};

using Names = absl::flat_hash_map<std::string, std::string>;

const Names& MatrixNames() {
  static const Names* const kNames = [] {
    auto* names = new Names();
    for (const Rename& r : kMatrix)
      names->emplace(absl::StrCat("v_mfma_", r.name), absl::StrCat("v_mfma_", r.canonical));
    return names;
  }();
  return *kNames;
}

const Names& RdnaNames() {
  static const Names* const kNames = [] {
    auto* names = new Names();
    for (const Rename& r : kScalar) names->emplace(r.name, r.canonical);
    for (const Rename& r : kVector) names->emplace(r.name, r.canonical);
    for (const Rename& r : kLds) names->emplace(r.name, r.canonical);
    for (const std::string_view space : {"global_", "flat_", "scratch_", "buffer_", "tbuffer_"}) {
      for (const Rename& r : kMemory) {
        names->emplace(absl::StrCat(space, r.name), absl::StrCat(space, r.canonical));
      }
    }
    for (const std::string_view name : kDual) {
      const std::string single = absl::StrCat("v_", name);
      const auto renamed = names->find(single);
      const std::string canonical = renamed == names->end() ? single : renamed->second;
      names->emplace(absl::StrCat("v_dual_", name), canonical);
    }
    return names;
  }();
  return *kNames;
}

}  // namespace

std::string_view CanonicalName(std::string_view mnemonic, TargetBit target) {
  if ((target & kGfx94) != 0) return mnemonic;
  const Names& names = target == kGfx90a ? MatrixNames() : RdnaNames();
  const auto found = names.find(mnemonic);
  return found == names.end() ? mnemonic : std::string_view(found->second);
}

}  // namespace gridwise::sim
