// SPDX-License-Identifier: MIT
#include "tools/isa_report/kernel_code.h"

#include <cstdint>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tools/sim/isa/text/decode.h"

namespace gridwise {

absl::StatusOr<const sim::KernelInfo*> KernelCodes::Find(const InstanceInfo& instance) {
  if (instance.code.object.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("this program was built without kernels for ", Name(instance.gfx)));
  }
  std::unique_ptr<sim::CodeObject>& object = objects_[instance.code.object.data()];
  if (object == nullptr) {
    absl::StatusOr<std::unique_ptr<sim::CodeObject>> loaded = sim::CodeObject::Load(
        std::as_bytes(std::span(instance.code.object)), memory_, Name(instance.gfx));
    if (!loaded.ok()) return loaded.status();
    object = *std::move(loaded);
  }
  return object->FindKernel(instance.code.symbol);
}

absl::StatusOr<std::vector<CodeLine>> Disassemble(const sim::KernelInfo& kernel, Gfx gfx) {
  absl::StatusOr<std::unique_ptr<sim::Decoder>> decoder =
      sim::Decoder::Create(Name(gfx), kernel.wave_size);
  if (!decoder.ok()) return decoder.status();
  std::vector<CodeLine> lines;
  // Device addresses are host addresses.
  const auto* code = reinterpret_cast<const std::uint8_t*>(kernel.entry_address);
  for (std::uint64_t pc = 0; pc < kernel.code_bytes;) {
    absl::StatusOr<sim::Decoder::Decoded> decoded =
        (*decoder)->Decode(code + pc, kernel.code_bytes - pc, pc);
    if (!decoded.ok()) return decoded.status();
    lines.push_back({.pc = pc, .bytes = decoded->bytes, .text = std::move(decoded->text)});
    pc += decoded->bytes;
  }
  return lines;
}

}  // namespace gridwise
