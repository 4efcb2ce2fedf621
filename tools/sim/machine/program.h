// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/exec/handlers.h"
#include "tools/sim/isa/facts/facts.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/text/decode.h"
#include "tools/sim/machine/fidelity.h"
#include "tools/sim/wave/uop.h"

namespace gridwise::sim {

class CodeObject;
struct RunReport;

/// How code is executed. Code that is entered in several ways is bound once for each.
struct CodeView {
  bool wave32 = false;
  bool careful = false;       // under a MODE other than the usual one (Wave::careful)
  bool steps = false;         // with a micro-op before each instruction that calls Wave::before
  bool skips_vector = false;  // without vector and memory instructions (Wave::skips_vector)
};
inline constexpr int kCodeViews = 16;

/// The executable sections of a code object as micro-ops. Functions are decoded and bound when they
/// are first entered, by a launch or by a call, and then kept: code that never runs costs nothing.
/// A function of another code object that is called through a pointer is bound here again, so that
/// a launch uses one program's instructions and constants. Thread safe.
class Program {
 public:
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// `object` must outlive the program.
  static absl::StatusOr<std::unique_ptr<Program>> Decode(const CodeObject& object);

  /// The same for code that lies at [address, address + bytes) for one target, "gfx942"; the memory
  /// must outlive the program.
  static absl::StatusOr<std::unique_ptr<Program>> FromText(
      std::string_view gfx, uint64_t address, uint64_t bytes,
      const Handlers& handlers = BestHandlers());

  /// The micro-op at `pc`, in this program or in any other of the process for the same target;
  /// binds the function that starts there if need be. An instruction that cannot be decoded or
  /// bound becomes a micro-op that faults when it is executed.
  absl::StatusOr<const Uop*> Enter(uint64_t pc, CodeView view);

  /// Text, address and class of an instruction, for reports.
  struct InstructionInfo {
    uint64_t pc = 0;
    OpClass op_class = OpClass::kOther;
    std::string text;
  };
  InstructionInfo Describe(uint32_t instruction) const;
  /// Number of instructions bound so far.
  uint32_t instructions() const;
  /// Class of each of them.
  std::vector<OpClass> Classes() const;
  /// Adds what a launch of this program executed, with MODE as it begins, to
  /// FidelityRecord::Process().
  void RecordFidelity(const RunReport& report, uint32_t mode) const;
  /// The facts of an instruction that are known before it is executed. They are computed for a
  /// whole function at the first call, and live as long as the program. If two instructions are in
  /// one (v_dual), `parsed` is the first.
  const InstructionFacts& Facts(uint32_t instruction);

  const ConstantPool& constants() const { return constants_; }
  const SimTarget& target() const { return target_; }
  /// Unique among the programs of the process, also if other code later lies at the same addresses.
  uint64_t id() const { return own_.range.id; }

 private:
  /// The decoding state of one CodeView.
  struct View {
    Decoder* decoder = nullptr;
    SimTarget target;  // with the view's wave size
    CodeView which;
  };
  /// Code at [address, address + bytes). Other code that comes to lie there has another id.
  struct Range {
    uint64_t id, address, bytes;
    bool Has(uint64_t pc) const { return pc - address < bytes; }
  };
  struct Code {
    /// Null if nothing is bound there.
    const Uop* Find(uint64_t pc, CodeView view) const;

    Range range;
    std::unique_ptr<std::atomic<const Uop*>[]> entry[kCodeViews] = {};  // by (pc - address) / 4
    std::atomic<bool> ready[kCodeViews] = {};                           // whether there are entries
  };
  class Map;
  struct Function {
    uint64_t code;  // its id
    uint64_t begin, end;
    uint32_t first;  // its first instruction; the others follow
    CodeView view;
    std::unique_ptr<Uop[]> uops;
    std::unique_ptr<InstructionFacts[]> facts;  // null until they are asked for
  };

  Program(const SimTarget& target, const Handlers& handlers, uint64_t address, uint64_t bytes);
  absl::Status PrepareViewLocked(CodeView which);
  /// The code of `range`, which is added if it is new.
  Code& ForeignLocked(const Range& range);
  void BindFunctionLocked(CodeView which, Code& code, uint64_t pc);
  void FillFactsLocked(Function& function);
  void BindInstructionLocked(Binder& binder, const View& view, uint64_t pc, uint64_t end,
                             uint32_t& bytes, bool& ends);

  const SimTarget& target_;
  const Handlers& handlers_;
  Code own_;
  ConstantPool constants_;
  mutable std::mutex mutex_;              // guards what follows and the code, except Code::Find
  std::deque<Code> foreign_;              // what was called of other programs
  std::unique_ptr<Decoder> decoders_[2];  // wave64, wave32
  std::vector<Function> functions_;
  std::vector<InstructionInfo> instructions_;
  /// An instruction that FidelityRecord wants to hear of.
  struct Recorded {
    uint32_t index;
    std::string mnemonic;
    bool has_fidelity;
    NotKnown not_known;
  };
  std::vector<Recorded> recorded_;
  std::deque<std::string> messages_;  // trap micro-ops point at them
  View views_[kCodeViews];
};

}  // namespace gridwise::sim
