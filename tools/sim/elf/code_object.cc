// SPDX-License-Identifier: MIT
#include "tools/sim/elf/code_object.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ELFTypes.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "tools/sim/elf/image.h"
#include "tools/sim/elf/kernel_info.h"
#include "tools/sim/isa/target.h"

namespace gridwise::sim {
namespace {

namespace elf = llvm::ELF;
using ElfFile = llvm::object::ELFFile<llvm::object::ELF64LE>;
using Object = llvm::object::ELFObjectFile<llvm::object::ELF64LE>;

constexpr uint64_t kPage = 4096;
constexpr uint64_t kMaxImage = uint64_t{4} << 30;  // a larger one is taken for garbage

absl::Status Bad(std::string_view what) { return absl::InvalidArgumentError(what); }

absl::Status FromLlvm(llvm::Error error, std::string_view doing) {
  return Bad(absl::StrFormat("%s: %s", doing, llvm::toString(std::move(error))));
}

// The bytes of the image's PT_LOAD segments at their places relative to `base`.
struct Mapping {
  std::byte* base = nullptr;  // where virtual address 0 of the ELF is
  uint64_t bytes = 0;

  bool Holds(uint64_t address, uint64_t size) const {
    return address <= bytes && size <= bytes - address;
  }
  uint64_t Address(uint64_t virtual_address) const {
    return reinterpret_cast<uint64_t>(base) + virtual_address;
  }
};

absl::StatusOr<Mapping> MapSegments(const ElfFile& file) {
  llvm::Expected<ElfFile::Elf_Phdr_Range> segments = file.program_headers();
  if (!segments) return FromLlvm(segments.takeError(), "the ELF's program headers cannot be read");
  uint64_t end = 0;
  for (const auto& segment : *segments) {
    if (segment.p_type != elf::PT_LOAD) continue;
    if (segment.p_offset > file.getBufSize() ||
        segment.p_filesz > file.getBufSize() - segment.p_offset ||
        segment.p_filesz > segment.p_memsz) {
      return Bad(absl::StrFormat("the ELF is truncated: a segment ends at byte %u of %u",
                                 segment.p_offset + segment.p_filesz, file.getBufSize()));
    }
    if (segment.p_vaddr > kMaxImage || segment.p_memsz > kMaxImage) {
      return Bad(
          absl::StrFormat("a segment of %u bytes at %#x is beyond what a code object may hold",
                          uint64_t{segment.p_memsz}, uint64_t{segment.p_vaddr}));
    }
    end = std::max<uint64_t>(end, segment.p_vaddr + segment.p_memsz);
  }
  if (end == 0) return Bad("the ELF has no segment to load");
  end = (end + kPage) / kPage * kPage;
  void* base = mmap(nullptr, end, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED)
    return absl::ResourceExhaustedError(absl::StrFormat("the host cannot map %u bytes", end));
  for (const auto& segment : *segments) {
    if (segment.p_type != elf::PT_LOAD) continue;
    std::memcpy(static_cast<std::byte*>(base) + segment.p_vaddr, file.base() + segment.p_offset,
                segment.p_filesz);
  }
  return Mapping{static_cast<std::byte*>(base), end};
}

absl::Status ApplyRelocation(const Mapping& image, uint32_t type, uint64_t offset, uint64_t value) {
  const uint32_t bytes = type == elf::R_AMDGPU_ABS64 || type == elf::R_AMDGPU_RELATIVE64 ? 8 : 4;
  if (!image.Holds(offset, bytes))
    return Bad(absl::StrFormat("a relocation at %#x is outside the image", offset));
  switch (type) {
    case elf::R_AMDGPU_ABS64:
    case elf::R_AMDGPU_RELATIVE64:
    case elf::R_AMDGPU_ABS32_LO:
      break;
    case elf::R_AMDGPU_ABS32_HI:
      value >>= 32;
      break;
    default:
      return absl::UnimplementedError(absl::StrFormat(
          "relocation type %d at %#x is not one that a loader knows", type, offset));
  }
  std::memcpy(image.base + offset, &value, bytes);
  return absl::OkStatus();
}

// The value of the dynamic symbol that a relocation refers to.
absl::StatusOr<uint64_t> SymbolValue(const ElfFile& file, const ElfFile::Elf_Shdr& relocations,
                                     uint32_t index) {
  auto table = file.getSection(relocations.sh_link);
  if (!table) return FromLlvm(table.takeError(), "the ELF's dynamic symbols cannot be read");
  auto symbols = file.symbols(*table);
  if (!symbols) return FromLlvm(symbols.takeError(), "the ELF's dynamic symbols cannot be read");
  if (index >= symbols->size())
    return Bad(absl::StrFormat("a relocation refers to symbol %u of %u", index, symbols->size()));
  const ElfFile::Elf_Sym& symbol = (*symbols)[index];
  if (symbol.st_shndx == elf::SHN_UNDEF) {
    auto names = file.getStringTableForSymtab(**table);
    if (!names) return FromLlvm(names.takeError(), "the ELF's dynamic symbol names cannot be read");
    auto name = symbol.getName(*names);
    if (!name) return FromLlvm(name.takeError(), "the ELF's dynamic symbol names cannot be read");
    return absl::NotFoundError(
        absl::StrFormat("the code object refers to '%s', which it does not define", name->str()));
  }
  return uint64_t{symbol.st_value};
}

absl::Status Relocate(const ElfFile& file, const Mapping& image) {
  auto sections = file.sections();
  if (!sections) return FromLlvm(sections.takeError(), "the ELF's section headers cannot be read");
  for (const auto& section : *sections) {
    if (section.sh_type != elf::SHT_RELA || !(section.sh_flags & elf::SHF_ALLOC)) continue;
    auto relocations = file.relas(section);
    if (!relocations)
      return FromLlvm(relocations.takeError(), "the ELF's relocations cannot be read");
    for (const auto& relocation : *relocations) {
      uint64_t value = image.Address(relocation.r_addend);
      const uint32_t type = relocation.getType(/*isMips64EL=*/false);
      if (type != elf::R_AMDGPU_RELATIVE64) {
        const absl::StatusOr<uint64_t> symbol =
            SymbolValue(file, section, relocation.getSymbol(/*isMips64EL=*/false));
        if (!symbol.ok()) return symbol.status();
        value += *symbol;
      }
      if (absl::Status status = ApplyRelocation(image, type, relocation.r_offset, value);
          !status.ok())
        return status;
    }
  }
  return absl::OkStatus();
}

// The kernels of all metadata notes: linking several objects into one keeps the note of each.
absl::StatusOr<std::vector<KernelMetadata>> ReadNotes(const ElfFile& file) {
  llvm::Expected<ElfFile::Elf_Phdr_Range> segments = file.program_headers();
  if (!segments) return FromLlvm(segments.takeError(), "the ELF's program headers cannot be read");
  std::vector<KernelMetadata> kernels;
  int notes = 0;
  for (const auto& segment : *segments) {
    if (segment.p_type != elf::PT_NOTE) continue;
    // An alignment of 0 or 1 is allowed, and stands for 4.
    const size_t alignment = std::max<size_t>(segment.p_align, 4);
    absl::Status status;
    llvm::Error error = llvm::Error::success();
    for (const auto& note : file.notes(segment, error)) {
      if (note.getType() != elf::NT_AMDGPU_METADATA || note.getName() != "AMDGPU") continue;
      absl::StatusOr<std::vector<KernelMetadata>> more =
          ReadMetadata(std::string_view(note.getDescAsStringRef(alignment)));
      status.Update(more.status());
      if (more.ok()) std::move(more->begin(), more->end(), std::back_inserter(kernels));
      ++notes;
    }
    if (error) return FromLlvm(std::move(error), "the ELF's notes cannot be read");
    if (!status.ok()) return status;
  }
  if (notes == 0) return Bad("the ELF has no AMDGPU metadata note, and so no kernels");
  return kernels;
}

struct Symbols {
  std::vector<Symbol> functions, objects;  // functions by address

  const Symbol* FunctionAt(uint64_t address) const {
    const auto found = std::lower_bound(
        functions.begin(), functions.end(), address,
        [](const Symbol& symbol, uint64_t wanted) { return symbol.address < wanted; });
    return found != functions.end() && found->address == address ? &*found : nullptr;
  }
};

absl::StatusOr<Symbols> ReadSymbols(const Object& object, const Mapping& image) {
  Symbols result;
  const bool stripped = object.symbols().empty();
  const auto range = stripped ? object.getDynamicSymbolIterators() : object.symbols();
  for (const llvm::object::ELFSymbolRef symbol : range) {
    auto name = symbol.getName();
    auto value = symbol.getValue();
    if (!name) return FromLlvm(name.takeError(), "the ELF's symbols cannot be read");
    if (!value) return FromLlvm(value.takeError(), "the ELF's symbols cannot be read");
    const uint8_t type = symbol.getELFType();
    if ((type != elf::STT_FUNC && type != elf::STT_OBJECT) ||
        !image.Holds(*value, symbol.getSize()))
      continue;
    auto& list = type == elf::STT_FUNC ? result.functions : result.objects;
    list.push_back({name->str(), image.Address(*value), symbol.getSize()});
  }
  std::sort(result.functions.begin(), result.functions.end(),
            [](const Symbol& a, const Symbol& b) { return a.address < b.address; });
  return result;
}

// `descriptor` is nullptr when the ELF has none.
absl::StatusOr<KernelInfo> CompleteKernel(KernelMetadata metadata, const Symbol* descriptor,
                                          const Symbols& symbols, const Mapping& image) {
  KernelInfo info = std::move(metadata.info);
  if (descriptor == nullptr || descriptor->bytes != 64) {
    return Bad(absl::StrFormat("kernel %s: the ELF has no 64-byte descriptor %s", info.name,
                               metadata.symbol));
  }
  info.descriptor_address = descriptor->address;
  ReadDescriptor(info);
  if (!image.Holds(info.entry_address - image.Address(0), 4)) {
    return Bad(absl::StrFormat("kernel %s: its entry is outside the image", info.name));
  }
  const Symbol* const function = symbols.FunctionAt(info.entry_address);
  info.code_bytes = function == nullptr ? 0 : function->bytes;
  return info;
}

absl::StatusOr<std::vector<KernelInfo>> CompleteKernels(std::vector<KernelMetadata> metadata,
                                                        const Symbols& symbols,
                                                        const Mapping& image) {
  absl::flat_hash_map<std::string_view, const Symbol*> descriptors;
  for (const Symbol& object : symbols.objects) descriptors.emplace(object.name, &object);
  absl::flat_hash_set<uint64_t> known;
  std::vector<KernelInfo> kernels;
  for (KernelMetadata& kernel : metadata) {
    const auto found = descriptors.find(kernel.symbol);
    const Symbol* const descriptor = found == descriptors.end() ? nullptr : found->second;
    absl::StatusOr<KernelInfo> info = CompleteKernel(std::move(kernel), descriptor, symbols, image);
    if (!info.ok()) return info.status();
    if (known.insert(info->descriptor_address).second) kernels.push_back(*std::move(info));
  }
  return kernels;
}

std::vector<CodeSection> FindCode(const ElfFile& file, const Mapping& image) {
  std::vector<CodeSection> code;
  auto sections = file.sections();
  if (!sections) {
    llvm::consumeError(sections.takeError());
    return code;
  }
  for (const auto& section : *sections) {
    if (!(section.sh_flags & elf::SHF_EXECINSTR) || !image.Holds(section.sh_addr, section.sh_size))
      continue;
    code.push_back(
        {image.Address(section.sh_addr), {image.base + section.sh_addr, section.sh_size}});
  }
  return code;
}

// The processor that the ELF is for, as LLVM spells it. LLVM is not asked for numbers that it has
// no name for: what it returns for them is undefined.
std::string ProcessorName(const Object& object) {
  // EF_AMDGPU_MACH; source: LLVM AMDGPUUsage, "AMDGPU ELF Header e_flags".
  constexpr uint32_t kFirst = 0x20, kLast = 0x5f;
  constexpr uint32_t kReserved[] = {0x27, 0x40, 0x4b, 0x4d, 0x50, 0x56,
                                    0x57, 0x5b, 0x5c, 0x5d, 0x5e};
  const uint32_t number = object.getPlatformFlags() & elf::EF_AMDGPU_MACH;
  const bool named =
      number >= kFirst && number <= kLast &&
      std::find(std::begin(kReserved), std::end(kReserved), number) == std::end(kReserved);
  const std::optional<llvm::StringRef> name = named ? object.tryGetCPUName() : std::nullopt;
  return name ? name->str() : absl::StrFormat("an unknown GPU (processor %#x)", number);
}

absl::StatusOr<std::unique_ptr<Object>> OpenElf(std::span<const std::byte> bytes,
                                                std::string_view gfx) {
  const llvm::StringRef data(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (data.size() > elf::EI_DATA &&
      (data[elf::EI_CLASS] != elf::ELFCLASS64 || data[elf::EI_DATA] != elf::ELFDATA2LSB)) {
    return Bad("the ELF is not a 64-bit little-endian one");
  }
  auto object = Object::create(llvm::MemoryBufferRef(data, "code object"));
  if (!object)
    return FromLlvm(object.takeError(), "the ELF cannot be read, perhaps it is truncated");
  const auto& header = object->getELFFile().getHeader();
  if (header.e_machine != elf::EM_AMDGPU) {
    return Bad(absl::StrFormat("the ELF is for machine %d; AMD GPU code is machine %d",
                               header.e_machine, elf::EM_AMDGPU));
  }
  if (header.e_type == elf::ET_REL)
    return Bad("the ELF is a relocatable object; ld.lld -shared makes a code object of it");
  if (header.e_ident[elf::EI_OSABI] != elf::ELFOSABI_AMDGPU_HSA) {
    return Bad(absl::StrFormat("the ELF has OS ABI %d; only amdhsa (%d) is supported",
                               header.e_ident[elf::EI_OSABI], elf::ELFOSABI_AMDGPU_HSA));
  }
  const std::string name = ProcessorName(*object);
  if (!gfx.empty() && !RunsCodeFor(gfx, name)) {
    return absl::FailedPreconditionError(
        absl::StrFormat("the code object is for %s and the device is a %s", name, gfx));
  }
  return std::make_unique<Object>(std::move(*object));
}

}  // namespace

absl::StatusOr<std::unique_ptr<CodeObject>> CodeObject::Load(std::span<const std::byte> image,
                                                             Memory& memory, std::string_view gfx) {
  ImageStorage storage;
  const absl::StatusOr<std::span<const std::byte>> bytes = SelectElf(image, gfx, storage);
  if (!bytes.ok()) return bytes.status();
  const absl::StatusOr<std::unique_ptr<Object>> object = OpenElf(*bytes, gfx);
  if (!object.ok()) return object.status();
  const ElfFile& file = (*object)->getELFFile();
  absl::StatusOr<std::vector<KernelMetadata>> metadata = ReadNotes(file);
  if (!metadata.ok()) return metadata.status();
  const absl::StatusOr<Mapping> mapping = MapSegments(file);
  if (!mapping.ok()) return mapping.status();

  std::unique_ptr<CodeObject> result(
      new CodeObject);  // from here on its destructor unmaps the image
  result->memory_ = &memory;
  const std::string name = ProcessorName(**object);
  result->gfx_ = gfx.empty() ? DeviceFor(name) : gfx;
  result->mapping_ = mapping->base;
  result->mapping_bytes_ = mapping->bytes;
  if (absl::Status status = Relocate(file, *mapping); !status.ok()) return status;
  absl::StatusOr<Symbols> symbols = ReadSymbols(**object, *mapping);
  if (!symbols.ok()) return symbols.status();
  absl::StatusOr<std::vector<KernelInfo>> kernels =
      CompleteKernels(*std::move(metadata), *symbols, *mapping);
  if (!kernels.ok()) return kernels.status();
  result->kernels_ = *std::move(kernels);
  for (const KernelInfo& kernel : result->kernels_)
    result->kernel_by_name_.emplace(kernel.name, &kernel);
  result->functions_ = std::move(symbols->functions);
  result->globals_ = std::move(symbols->objects);
  result->code_ = FindCode(file, *mapping);
  for (const auto& segment : llvm::cantFail(file.program_headers())) {
    if (segment.p_type != elf::PT_LOAD || segment.p_memsz == 0) continue;
    std::byte* const begin = mapping->base + segment.p_vaddr;
    const std::string label =
        absl::StrFormat("segment at offset %#x of a code object", uint64_t{segment.p_vaddr});
    if (absl::Status status = memory.Register(begin, segment.p_memsz, label); !status.ok())
      return status;
    result->registered_.push_back(begin);
  }
  return result;
}

CodeObject::~CodeObject() {
  for (void* segment : registered_) memory_->Unregister(segment).IgnoreError();
  munmap(mapping_, mapping_bytes_);
}

absl::StatusOr<const KernelInfo*> CodeObject::FindKernel(std::string_view name) const {
  const auto found = kernel_by_name_.find(name);
  if (found != kernel_by_name_.end()) return found->second;
  constexpr size_t kListed = 8;
  std::vector<std::string_view> names;
  for (const KernelInfo& kernel : kernels_) {
    if (names.size() < kListed) names.push_back(kernel.name);
  }
  const std::string more =
      kernels_.size() > kListed ? absl::StrFormat(" and %d more", kernels_.size() - kListed) : "";
  return absl::NotFoundError(absl::StrFormat("the code object has no kernel '%s'; it has: %s%s",
                                             name, absl::StrJoin(names, ", "), more));
}

absl::StatusOr<Symbol> CodeObject::FindGlobal(std::string_view name) const {
  for (const Symbol& symbol : globals_) {
    if (symbol.name == name) return symbol;
  }
  return absl::NotFoundError(absl::StrFormat("the code object has no variable '%s'", name));
}

const Symbol* CodeObject::FindFunction(uint64_t pc) const {
  auto next = std::upper_bound(
      functions_.begin(), functions_.end(), pc,
      [](uint64_t address, const Symbol& symbol) { return address < symbol.address; });
  if (next == functions_.begin()) return nullptr;
  const Symbol& symbol = *--next;
  return pc - symbol.address < std::max<uint64_t>(symbol.bytes, 1) ? &symbol : nullptr;
}

}  // namespace gridwise::sim
