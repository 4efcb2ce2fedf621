// SPDX-License-Identifier: MIT
#include "tools/sim/elf/code_object.h"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/build/code_object.h"
#include "tools/sim/elf/code_object_test_objects.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/memory/memory.h"

namespace gridwise::sim {
namespace {

using ::testing::HasSubstr;

using Bytes = std::vector<std::byte>;

// For each target of the build.
class CodeObjectTest : public testing::TestWithParam<gridwise::CodeObject> {
 protected:
  static std::string Gfx() { return std::string(GetParam().gfx); }
  static bool IsGfx9() { return absl::StartsWith(Gfx(), "gfx9"); }
  static Bytes Elf() {
    const auto* data = reinterpret_cast<const std::byte*>(GetParam().data.data());
    return {data, data + GetParam().data.size()};
  }
};

INSTANTIATE_TEST_SUITE_P(Targets, CodeObjectTest, testing::ValuesIn(CodeObjectTestObjects()),
                         [](const auto& info) { return std::string(info.param.gfx); });

std::string LoadError(const Bytes& image, std::string_view gfx = "") {
  Memory memory;
  const auto object = CodeObject::Load(image, memory, gfx);
  return object.ok() ? "it loads" : std::string(object.status().message());
}

template <typename T>
T Read(uint64_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof(value));
  return value;
}

template <typename T>
void Append(Bytes& bytes, const T& value) {
  const auto* data = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), data, data + sizeof(value));
}

// An offload bundle with `elf` under `id`, written from clang's description of the format.
Bytes Bundle(const std::string& id, const Bytes& elf, uint64_t declared_bytes) {
  Bytes bundle;
  for (const char c : std::string("__CLANG_OFFLOAD_BUNDLE__")) Append(bundle, c);
  Append(bundle, uint64_t{2});
  const std::string host = "host-x86_64-unknown-linux--";
  for (const auto& [name, offset, bytes] : {std::tuple{host, uint64_t{4096}, uint64_t{0}},
                                            std::tuple{id, uint64_t{4096}, declared_bytes}}) {
    Append(bundle, offset);
    Append(bundle, bytes);
    Append(bundle, uint64_t{name.size()});
    for (const char c : name) Append(bundle, c);
  }
  bundle.resize(4096);
  bundle.insert(bundle.end(), elf.begin(), elf.end());
  return bundle;
}

TEST_P(CodeObjectTest, ReadsKernels) {
  Memory memory;
  const auto object = CodeObject::Load(Elf(), memory, Gfx());
  ASSERT_TRUE(object.ok()) << object.status();
  EXPECT_EQ((*object)->gfx(), Gfx());
  EXPECT_EQ((*object)->kernels().size(), 2u);
  const auto found = (*object)->FindKernel("Scale");
  ASSERT_TRUE(found.ok()) << found.status();
  const KernelInfo& kernel = **found;
  EXPECT_EQ(kernel.static_lds_bytes, 400u);
  EXPECT_EQ(kernel.max_workgroup, 128u);
  EXPECT_EQ(kernel.wave_size, IsGfx9() ? 64 : 32);
  EXPECT_EQ(kernel.private_bytes, 0u);
  EXPECT_FALSE(kernel.uses_dynamic_stack);
  EXPECT_GT(kernel.vgprs, 0);
  ASSERT_GE(kernel.args.size(), 3u);
  EXPECT_EQ(kernel.args[0].value_kind, "global_buffer");
  EXPECT_EQ(kernel.args[0].offset, 0u);
  EXPECT_EQ(kernel.args[1].value_kind, "by_value");
  EXPECT_EQ(kernel.args[1].offset, 8u);
  EXPECT_EQ(kernel.args[1].size, 4u);
  EXPECT_EQ(kernel.args[2].offset, 16u);
  EXPECT_EQ(kernel.args[2].size, 8u);
  EXPECT_GE(kernel.kernarg_bytes, 24u);
}

TEST_P(CodeObjectTest, CodeIsInKnownMemory) {
  Memory memory;
  const auto object = CodeObject::Load(Elf(), memory);
  ASSERT_TRUE(object.ok()) << object.status();
  ASSERT_EQ((*object)->code().size(), 1u);
  const CodeSection& code = (*object)->code().front();
  for (const KernelInfo& kernel : (*object)->kernels()) {
    EXPECT_GE(kernel.entry_address, code.address);
    EXPECT_LE(kernel.entry_address + kernel.code_bytes, code.address + code.bytes.size());
    EXPECT_EQ(kernel.entry_address % 256, 0u);
    EXPECT_TRUE(memory.Find(kernel.entry_address));
    EXPECT_GT(kernel.code_bytes, 0u);
    ASSERT_NE((*object)->FindFunction(kernel.entry_address + 2), nullptr);
    EXPECT_EQ((*object)->FindFunction(kernel.entry_address + 2)->name, kernel.name);
  }
  EXPECT_EQ((*object)->FindFunction(code.address - 1), nullptr);
  const uint32_t s_endpgm = IsGfx9() ? 0xbf810000 : 0xbfb00000;
  EXPECT_EQ(Read<uint32_t>((*(*object)->FindKernel("Empty"))->entry_address), s_endpgm);
}

TEST_P(CodeObjectTest, RelocatesGlobals) {
  Memory memory;
  const auto object = CodeObject::Load(Elf(), memory);
  ASSERT_TRUE(object.ok()) << object.status();
  const auto table = (*object)->FindGlobal("table");
  const auto pointer = (*object)->FindGlobal("pointer_into_table");
  const auto zeroed = (*object)->FindGlobal("zeroed");
  ASSERT_TRUE(table.ok() && pointer.ok() && zeroed.ok());
  EXPECT_EQ(table->bytes, 16u);
  EXPECT_EQ(Read<int>(table->address + 12), 4);
  EXPECT_EQ(Read<uint64_t>(pointer->address), table->address + 8);
  EXPECT_EQ(zeroed->bytes, 1200u);
  EXPECT_EQ(Read<int>(zeroed->address + 1196), 0);
  EXPECT_TRUE(memory.Find(zeroed->address + 1199));
  EXPECT_THAT((*object)->FindGlobal("nothing").status().message(),
              HasSubstr("no variable 'nothing'"));
}

TEST_P(CodeObjectTest, IsUnknownToMemoryOnceDestroyed) {
  Memory memory;
  auto object = CodeObject::Load(Elf(), memory);
  ASSERT_TRUE(object.ok());
  const uint64_t address = (*object)->code().front().address;
  EXPECT_TRUE(memory.Find(address));
  object->reset();
  EXPECT_FALSE(memory.Find(address));
}

TEST_P(CodeObjectTest, UnknownKernelListsTheKnownOnes) {
  Memory memory;
  const auto object = CodeObject::Load(Elf(), memory);
  const auto kernel = (*object)->FindKernel("Scael");
  EXPECT_EQ(kernel.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(kernel.status().message(), HasSubstr("no kernel 'Scael'"));
  EXPECT_THAT(kernel.status().message(), HasSubstr("Scale"));
  EXPECT_THAT(kernel.status().message(), HasSubstr("Empty"));
}

// Metadata without kernels, as msgpack.
constexpr std::string_view kNoKernels =
    "\x81\xae"
    "amdhsa.kernels"
    "\x90";

// The header of the segment with the notes.
Elf64_Phdr* NoteSegment(Bytes& elf) {
  Elf64_Ehdr header;
  std::memcpy(&header, elf.data(), sizeof(header));
  auto* const segments = reinterpret_cast<Elf64_Phdr*>(elf.data() + header.e_phoff);
  return std::find_if(segments, segments + header.e_phnum,
                      [](const Elf64_Phdr& segment) { return segment.p_type == PT_NOTE; });
}

// `elf` with a second metadata note before or after its own.
Bytes WithSecondNote(Bytes elf, bool before, std::string_view description = kNoKernels) {
  Elf64_Phdr& segment = *NoteSegment(elf);
  const Bytes own(elf.begin() + segment.p_offset,
                  elf.begin() + segment.p_offset + segment.p_filesz);
  Bytes other;
  for (const uint32_t word : {uint32_t{7}, static_cast<uint32_t>(description.size()), 32u})
    Append(other, word);
  for (const char c : absl::StrCat(std::string_view("AMDGPU\0\0", 8), description))
    Append(other, c);
  other.resize((other.size() + 3) / 4 * 4);
  const size_t end = (elf.size() + 3) / 4 * 4;
  segment.p_offset = end;
  segment.p_filesz = own.size() + other.size();
  elf.resize(end);
  for (const Bytes& note : {before ? other : own, before ? own : other})
    elf.insert(elf.end(), note.begin(), note.end());
  return elf;
}

TEST_P(CodeObjectTest, NotesAreAlignedTo4BytesAtLeast) {
  for (const uint64_t alignment : {0, 1, 4}) {
    Bytes elf = Elf();
    NoteSegment(elf)->p_align = alignment;
    Memory memory;
    const auto object = CodeObject::Load(elf, memory, Gfx());
    ASSERT_TRUE(object.ok()) << object.status();
    EXPECT_EQ((*object)->kernels().size(), 2u) << alignment;
  }
  Bytes elf = Elf();
  NoteSegment(elf)->p_align = 16;
  EXPECT_THAT(LoadError(elf), HasSubstr("alignment (16) is not 4 or 8"));
}

TEST_P(CodeObjectTest, ReadsTheKernelsOfAllNotes) {
  for (const bool before : {true, false}) {
    Memory memory;
    const auto object = CodeObject::Load(WithSecondNote(Elf(), before), memory, Gfx());
    ASSERT_TRUE(object.ok()) << object.status();
    EXPECT_EQ((*object)->kernels().size(), 2u) << before;
    EXPECT_TRUE((*object)->FindKernel("Scale").ok()) << before;
  }
}

TEST_P(CodeObjectTest, RefusesMetadataThatEndsInAMap) {
  const std::string_view maps[] = {
      "\x82\x01\x02\x03",  // {1: 2, 3: and no more
      "\x81\x01\xd9\x09",  // {1: a string of 9 bytes that are not there
  };
  for (const std::string_view map : maps) {
    EXPECT_THAT(LoadError(WithSecondNote(Elf(), /*before=*/true, map)),
                HasSubstr("metadata note is not a msgpack map with scalars as keys"))
        << absl::CHexEscape(map);
  }
  Memory memory;
  const std::string_view scalars("\x83\x01\x90\xc0\x80\xa1k\xc3");  // {1: [], nil: {}, "k": true}
  const auto object = CodeObject::Load(WithSecondNote(Elf(), /*before=*/true, scalars), memory);
  EXPECT_TRUE(object.ok()) << object.status();
}

TEST_P(CodeObjectTest, TakesSizesFromTheMetadataWhereTheDescriptorHasNone) {
  Bytes elf = Elf();
  Memory memory;
  uint64_t offset = 0;  // where Scale's descriptor is in the file
  uint32_t kernarg = 0;
  {
    const auto object = CodeObject::Load(elf, memory);
    ASSERT_TRUE(object.ok()) << object.status();
    const KernelInfo& kernel = **(*object)->FindKernel("Scale");
    kernarg = kernel.kernarg_bytes;
    Bytes descriptor(64);
    std::memcpy(descriptor.data(), reinterpret_cast<const void*>(kernel.descriptor_address), 64);
    const auto found = std::search(elf.begin(), elf.end(), descriptor.begin(), descriptor.end());
    ASSERT_NE(found, elf.end());
    offset = static_cast<uint64_t>(found - elf.begin());
  }
  std::fill_n(elf.begin() + static_cast<ptrdiff_t>(offset), 12, std::byte{0});
  const auto object = CodeObject::Load(elf, memory);
  ASSERT_TRUE(object.ok()) << object.status();
  const KernelInfo& kernel = **(*object)->FindKernel("Scale");
  EXPECT_EQ(kernel.static_lds_bytes, 400u);
  EXPECT_EQ(kernel.kernarg_bytes, kernarg);
}

TEST_P(CodeObjectTest, ReadsBundles) {
  const Bytes elf = Elf();
  Memory memory;
  const Bytes bundle =
      Bundle(absl::StrCat("hipv4-amdgcn-amd-amdhsa--", Gfx(), ":sramecc+:xnack-"), elf, elf.size());
  EXPECT_TRUE(CodeObject::Load(bundle, memory, Gfx()).ok());
  EXPECT_TRUE(CodeObject::Load(bundle, memory).ok());
  const std::string shorter = Gfx().substr(0, Gfx().size() - 1);
  EXPECT_THAT(LoadError(bundle, shorter), HasSubstr("holds 0 code objects for " + shorter));
  EXPECT_THAT(LoadError(bundle, "gfx908"), HasSubstr(Gfx() + ":sramecc+"));
  EXPECT_THAT(LoadError(Bundle("hip-amdgcn-amd-amdhsa--" + Gfx(), elf, elf.size() + 1)),
              HasSubstr("truncated"));
  const auto extent = ImageExtent(bundle.data());
  ASSERT_TRUE(extent.ok());
  EXPECT_EQ(extent->size(), bundle.size());
}

// Code for all of the target's family, of which only the header differs here.
TEST_P(CodeObjectTest, ReadsGenericCode) {
  const SimTarget* const target = FindTarget(Gfx());
  ASSERT_NE(target, nullptr);
  const absl::flat_hash_map<std::string_view, std::byte> machines = {
      // EF_AMDGPU_MACH; source: LLVM AMDGPUUsage, "AMDGPU ELF Header e_flags"
      {"gfx9-4-generic", std::byte{0x5f}},
      {"gfx11-generic", std::byte{0x54}},
      {"gfx12-generic", std::byte{0x59}},
      {"gfx90a", std::byte{0x3f}}};  // a processor of no family
  Bytes elf = Elf();
  elf[offsetof(Elf64_Ehdr, e_flags)] = machines.at(target->generic);
  Memory memory;
  const auto object = CodeObject::Load(elf, memory, Gfx());
  ASSERT_TRUE(object.ok()) << object.status();
  EXPECT_EQ((*object)->gfx(), Gfx());
  EXPECT_TRUE((*object)->FindKernel("Scale").ok());
  const auto any = CodeObject::Load(elf, memory);
  ASSERT_TRUE(any.ok()) << any.status();
  EXPECT_EQ((*any)->gfx(), DeviceFor(target->generic));
  const std::string id = absl::StrCat("hipv4-amdgcn-amd-amdhsa--", target->generic);
  EXPECT_TRUE(CodeObject::Load(Bundle(id, elf, elf.size()), memory, Gfx()).ok());
  const std::string other = Gfx() == "gfx1201" ? "gfx1100" : "gfx1201";
  EXPECT_THAT(LoadError(elf, other),
              HasSubstr(absl::StrCat("for ", target->generic, " and the device is a ", other)));
}

TEST_P(CodeObjectTest, ExtentOfElf) {
  const Bytes elf = Elf();
  const auto extent = ImageExtent(elf.data());
  ASSERT_TRUE(extent.ok());
  EXPECT_EQ(extent->size(), elf.size());
  EXPECT_THAT(ImageExtent(nullptr).status().message(), HasSubstr("null"));
  EXPECT_THAT(ImageExtent("something quite different").status().message(),
              HasSubstr("neither an ELF"));
}

TEST_P(CodeObjectTest, RefusesWhatIsNotACodeObject) {
  EXPECT_THAT(LoadError({}), HasSubstr("0 bytes is neither an ELF nor an offload bundle"));
  EXPECT_THAT(LoadError(Bytes(100)), HasSubstr("neither an ELF nor"));
  EXPECT_THAT(LoadError(Elf(), "gfx908"),
              HasSubstr("for " + Gfx() + " and the device is a gfx908"));
  Bytes elf = Elf();
  elf[18] = std::byte{62};  // e_machine: x86-64
  EXPECT_THAT(LoadError(elf), HasSubstr("machine 62"));
  elf = Elf();
  elf[16] = std::byte{1};  // e_type: relocatable
  EXPECT_THAT(LoadError(elf), HasSubstr("is a relocatable object; ld.lld -shared makes"));
  elf = Elf();
  elf[7] = std::byte{0};
  EXPECT_THAT(LoadError(elf), HasSubstr("OS ABI 0"));
  elf = Elf();
  elf[4] = std::byte{1};
  EXPECT_THAT(LoadError(elf), HasSubstr("not a 64-bit"));
  for (const int number : {0, 0x27, 0x40, 0x5e, 0x60, 0xff}) {  // of no processor
    elf = Elf();
    elf[offsetof(Elf64_Ehdr, e_flags)] = static_cast<std::byte>(number);
    EXPECT_THAT(LoadError(elf, Gfx()),
                HasSubstr(absl::StrFormat(
                    "for an unknown GPU (processor %#x) and the device is a %s", number, Gfx())));
  }
}

TEST_P(CodeObjectTest, RefusesEveryTruncation) {
  const Bytes elf = Elf();
  for (size_t bytes = 0; bytes < elf.size(); bytes += 97) {
    EXPECT_NE(LoadError(Bytes(elf.begin(), elf.begin() + bytes)), "it loads")
        << bytes << " of " << elf.size();
  }
}

}  // namespace
}  // namespace gridwise::sim
