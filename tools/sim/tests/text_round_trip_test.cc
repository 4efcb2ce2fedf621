// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tools/build/code_object.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/isa/testing/assemble.h"
#include "tools/sim/isa/text/decode.h"
#include "tools/sim/memory/memory.h"
#include "tools/sim/tests/group_kernels_o0.h"
#include "tools/sim/tests/group_kernels_o3.h"
#include "tools/sim/tests/item_kernels_o1.h"

// The text that instructions are bound by says all of them: the assembler makes the same bytes of
// it again.

namespace gridwise::sim {
namespace {

using Bytes = std::vector<uint8_t>;

/// Bytes by text, of every instruction in `objects` for the target under test.
std::map<std::string, std::set<Bytes>> Instructions(gridwise::CodeObjects objects,
                                                    std::string_view gfx) {
  std::map<std::string, std::set<Bytes>> found;
  const auto decoder = Decoder::Create(gfx);
  EXPECT_TRUE(decoder.ok()) << decoder.status();
  for (const gridwise::CodeObject& object : objects) {
    if (object.gfx != gfx) continue;
    Memory memory;
    const auto loaded = CodeObject::Load(
        {reinterpret_cast<const std::byte*>(object.data.data()), object.data.size()}, memory, gfx);
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    if (!loaded.ok()) continue;
    for (const CodeSection& section : (*loaded)->code()) {
      const auto* code = reinterpret_cast<const uint8_t*>(section.bytes.data());
      for (uint64_t at = 0; at < section.bytes.size();) {
        const auto decoded = (*decoder)->Decode(code + at, section.bytes.size() - at, 0);
        const uint32_t bytes = decoded.ok() ? decoded->bytes : 4;  // padding between functions
        if (decoded.ok()) found[decoded->text].insert(Bytes(code + at, code + at + bytes));
        at += bytes;
      }
    }
  }
  return found;
}

TEST(TextRoundTrip, GivesTheSameBytes) {
  const char* const target = std::getenv("GRIDWISE_TEST_TARGET");
  const std::string gfx = target == nullptr ? "gfx942" : target;
  std::map<std::string, std::set<Bytes>> instructions;
  for (const gridwise::CodeObjects& objects :
       {GroupKernelsO0(), GroupKernelsO3(), ItemKernelsO1()}) {
    for (const auto& [text, bytes] : Instructions(objects, gfx))
      instructions[text].insert(bytes.begin(), bytes.end());
  }
  ASSERT_GT(instructions.size(), 5000u);
  std::vector<std::string> texts;
  for (const auto& [text, bytes] : instructions) texts.push_back(text);
  const std::vector<Bytes> assembled = Assemble(texts, gfx);
  ASSERT_EQ(assembled.size(), texts.size());
  int wrong = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (instructions[texts[i]].count(assembled[i]) == 0 && ++wrong <= 20) ADD_FAILURE() << texts[i];
  }
  EXPECT_EQ(wrong, 0) << "of " << texts.size();
}

}  // namespace
}  // namespace gridwise::sim
