// SPDX-License-Identifier: MIT
#include "tools/sim/machine/launch_probe.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "tools/build/code_object.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/machine/bank_probe.h"
#include "tools/sim/machine/dispatch.h"
#include "tools/sim/machine/launch.h"
#include "tools/sim/machine/program.h"
#include "tools/sim/memory/memory.h"
#include "tools/sim/tests/fault_kernels_o3.h"
#include "tools/sim/tests/gpu.h"
#include "tools/sim/wave/wave.h"

// What probes of a launch are told: steps, accesses and the memory they are to, straight runs, and
// where waves stop. Several may be attached, and the next launch is without them.

namespace gridwise::sim {
namespace {

constexpr size_t kScalars = 32;

struct Told {
  std::array<uint32_t, kScalars> first_scalars = {};  // in front of the first instruction
  std::vector<int64_t> steps, runs;                   // executions of each instruction, by either
  std::vector<MemoryAccess> accesses;
  int begun = 0, ended = 0, barriers = 0, stops_at_barriers = 0, stops_at_end = 0;
  int launches_ended = 0;
};

void Count(std::vector<int64_t>& counts, uint32_t first, uint32_t last) {
  counts.resize(std::max<size_t>(counts.size(), last + 1));
  for (uint32_t i = first; i <= last; ++i) ++counts[i];
}

class Recorder final : public LaunchProbe {
 public:
  explicit Recorder(ProbeWants wants) : wants_(wants) {}
  ProbeWants wants() const override { return wants_; }
  std::unique_ptr<GroupProbe> OfThread(std::span<Wave>) override {
    return std::make_unique<Group>(*this);
  }
  void End(const RunReport* report) override { told.launches_ended += report != nullptr; }

  Told told;

 private:
  class Group final : public GroupProbe {
   public:
    explicit Group(Recorder& recorder) : recorder_(recorder) {}
    void Begin(const std::array<uint32_t, 3>&, int) override { Lock(), ++told().begun; }
    bool Before(Wave& wave, const InstructionFacts& facts, const Uop*) override {
      const auto lock = Lock();
      if (told().steps.empty()) std::copy_n(wave.s, kScalars, told().first_scalars.begin());
      Count(told().steps, facts.index, facts.index);
      return true;
    }
    void Observe(Wave&, const Uop&, const MemoryAccess& access) override {
      Lock(), told().accesses.push_back(access);
    }
    void Ran(const Wave&, uint32_t first, uint32_t last) override {
      Lock(), Count(told().runs, first, last);
    }
    void Stopped(const Wave& wave) override {
      Lock(), ++(wave.state == WaveState::kEnded ? told().stops_at_end : told().stops_at_barriers);
    }
    void OpenBarrier() override { Lock(), ++told().barriers; }
    void End() override { Lock(), ++told().ended; }

   private:
    std::lock_guard<std::mutex> Lock() { return std::lock_guard(recorder_.mutex_); }
    Told& told() { return recorder_.told; }
    Recorder& recorder_;
  };

  const ProbeWants wants_;
  std::mutex mutex_;
};

/// ReadLds of two workgroups of 64 work-items: every lane loads a word, stores it to LDS, waits at
/// a barrier, loads it from there and stores it.
class Probes : public testing::Test {
 protected:
  static constexpr unsigned kWorkgroups = 2;

  void SetUp() override {
    const std::string gfx = TestTarget();
    for (const gridwise::CodeObject& embedded : FaultKernelsO3()) {
      if (embedded.gfx != gfx) continue;
      auto object = CodeObject::Load(std::as_bytes(std::span(embedded.data)), memory_, gfx);
      ASSERT_TRUE(object.ok()) << object.status();
      object_ = *std::move(object);
    }
    ASSERT_NE(object_, nullptr);
    auto program = Program::Decode(*object_);
    ASSERT_TRUE(program.ok()) << program.status();
    program_ = *std::move(program);
    ASSERT_TRUE(memory_.Register(in_.data(), sizeof(in_), "in").ok());
    ASSERT_TRUE(memory_.Register(out_.data(), sizeof(out_), "out").ok());
  }

  RunReport Launch(std::vector<LaunchProbe*> probes) {
    const absl::StatusOr<const KernelInfo*> kernel = object_->FindKernel("ReadLds");
    EXPECT_TRUE(kernel.ok()) << kernel.status();
    return Launch(**kernel, std::move(probes));
  }
  RunReport Launch(const KernelInfo& kernel, std::vector<LaunchProbe*> probes) {
    struct {
      const uint32_t* in;
      uint32_t* out;
      int at;
      std::array<std::byte, 256> hidden;
    } arguments = {in_.data(), out_.data(), 63, {}};
    EXPECT_TRUE(memory_.Register(&arguments, sizeof(arguments), "arguments").ok());
    RunOptions options;
    options.probes = std::move(probes);
    const absl::StatusOr<RunReport> report =
        sim::Run(*program_, kernel, {.workgroups = {kWorkgroups, 1, 1}, .block = {kLanes, 1, 1}},
                 &arguments, memory_, options);
    memory_.Unregister(&arguments).IgnoreError();
    EXPECT_TRUE(report.ok()) << report.status();
    return report.value_or(RunReport());
  }

  Memory memory_;
  std::unique_ptr<CodeObject> object_;
  std::unique_ptr<Program> program_;
  std::array<uint32_t, kLanes> in_ = {}, out_ = {};
};

// The scalar register after the workgroup's ids, of a descriptor that asks for it: waves of the
// workgroup, the wave's index, on gfx9 whether it is the first.
TEST_F(Probes, WorkgroupInformation) {
  KernelInfo kernel = **object_->FindKernel("ReadLds");
  kernel.rsrc2 |= 1u << 10;
  Recorder recorder({.steps = true});
  Launch(kernel, {&recorder});
  const std::string gfx = TestTarget();
  if (gfx == "gfx1201") return;  // has none
  const auto at = static_cast<size_t>((kernel.rsrc2 >> 1 & 31) +
                                      static_cast<uint32_t>(std::popcount(kernel.rsrc2 >> 7 & 7)));
  const uint32_t waves = gfx == "gfx1100" ? 2 : 0x80000001;
  EXPECT_EQ(recorder.told.first_scalars.at(at), waves);
}

TEST_F(Probes, RunsAreWhatIsExecuted) {
  Recorder recorder({.runs = true});
  const RunReport report = Launch({&recorder});
  ASSERT_FALSE(recorder.told.runs.empty());
  recorder.told.runs.resize(report.executions.size());
  EXPECT_EQ(recorder.told.runs, report.executions);
  EXPECT_TRUE(recorder.told.steps.empty());
  EXPECT_TRUE(recorder.told.accesses.empty());
}

TEST_F(Probes, StepsAreRunsAndCodeIsAsItWasAfterwards) {
  const RunReport before = Launch({});
  Recorder steps({.steps = true}), runs({.runs = true});
  const RunReport report = Launch({&steps, &runs});
  steps.told.steps.resize(report.executions.size());
  runs.told.runs.resize(report.executions.size());
  EXPECT_EQ(steps.told.steps, report.executions);
  EXPECT_EQ(runs.told.runs, report.executions);
  const RunReport after = Launch({});
  EXPECT_EQ(steps.told.begun, static_cast<int>(kWorkgroups));
  EXPECT_EQ(after.instructions, before.instructions);
  EXPECT_EQ(report.instructions, before.instructions);
}

// Whether an instruction names LDS or comes to it by a flat address, some lanes at a time.
TEST_F(Probes, AccessesSayWhatMemoryTheyAreTo) {
  Recorder recorder({.accesses = true});
  Launch({&recorder});
  int lds_reads = 0, lds_writes = 0, global_writes = 0;
  for (const MemoryAccess& access : recorder.told.accesses) {
    const bool lds = access.space == AddressSpace::kLds;
    const int lanes = std::popcount(access.lanes);
    lds_reads += lds && access.reads ? lanes : 0;
    lds_writes += lds && access.writes ? lanes : 0;
    global_writes += access.space == AddressSpace::kGlobal && access.writes ? lanes : 0;
    EXPECT_NE(access.space, AddressSpace::kScratch);
  }
  constexpr int kItems = kWorkgroups * kLanes;
  EXPECT_EQ(lds_reads, kItems);
  EXPECT_EQ(lds_writes, kItems);
  EXPECT_EQ(global_writes, kItems);
}

TEST_F(Probes, StopsAndBarriers) {
  Recorder recorder({});
  const RunReport report = Launch({&recorder});
  const Told& told = recorder.told;
  EXPECT_EQ(told.begun, static_cast<int>(kWorkgroups));
  EXPECT_EQ(told.ended, static_cast<int>(kWorkgroups));
  EXPECT_EQ(told.stops_at_end, report.waves);
  EXPECT_EQ(told.launches_ended, 1);
  // A workgroup of one wave needs no barrier instruction: compilers leave it out.
  EXPECT_EQ(told.stops_at_barriers > 0, told.barriers > 0);
}

TEST_F(Probes, BankConflictsCountBesideOthers) {
  BankProbe banks;
  Recorder recorder({.accesses = true});
  Launch({&banks, &recorder});
  EXPECT_TRUE(banks.conflicts().empty());  // consecutive words
  EXPECT_FALSE(recorder.told.accesses.empty());
}

TEST_F(Probes, FactsAreThereForEveryInstructionOfALaunch) {
  Recorder recorder({.runs = true});
  const RunReport report = Launch({&recorder});
  bool lds = false, ends = false;
  for (uint32_t i = 0; i < report.executions.size(); ++i) {
    if (report.executions[i] == 0) continue;
    const InstructionFacts& facts = program_->Facts(i);
    EXPECT_EQ(facts.index, i);
    EXPECT_EQ(facts.pc, program_->Describe(i).pc);
    EXPECT_FALSE(facts.mnemonic.empty());
    lds = lds || facts.lds;
    ends = ends || facts.ends;
  }
  EXPECT_TRUE(lds);
  EXPECT_TRUE(ends);
}

}  // namespace
}  // namespace gridwise::sim
