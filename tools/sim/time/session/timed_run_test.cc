// SPDX-License-Identifier: MIT
#include "tools/sim/time/session/timed_run.h"

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/arch/infinity_cache.h"
#include "gtest/gtest.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "tools/build/code_object.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/time/report/json.h"
#include "tools/sim/time/report/text.h"
#include "tools/sim/time/session/session.h"
#include "tools/sim/time/session/time_kernels.h"

// Launches of compiled kernels in time mode: what of them is executed, and that the time is one.

namespace gridwise::sim::time {
namespace {

constexpr uint32_t kItems = 256;

class TimedRunTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string gfx = std::getenv("GRIDWISE_TEST_TARGET");
    machine_ = FindMachine(gfx);
    ASSERT_NE(machine_, nullptr);
    for (const gridwise::CodeObject& embedded : TimeKernels()) {
      if (embedded.gfx != gfx) continue;
      auto object = CodeObject::Load(std::as_bytes(std::span(embedded.data)), memory_, gfx);
      ASSERT_TRUE(object.ok()) << object.status();
      object_ = *std::move(object);
    }
    ASSERT_NE(object_, nullptr);
    auto program = Program::Decode(*object_);
    ASSERT_TRUE(program.ok()) << program.status();
    program_ = *std::move(program);
  }

  TimedRun Time(const char* name, uint32_t workgroups, int n = 0,
                std::vector<WaveEvent>* events = nullptr,
                double limit_ms = std::numeric_limits<double>::infinity(), bool xcd = false,
                size_t spare = 0, int64_t stratum = TimeOptions().stratum) {
    in_.assign(size_t{workgroups} * kItems + spare, 3);
    out_.assign(in_.size() + 1, 0);
    const struct {
      const uint32_t* in;
      uint32_t* out;
      int n;
    } arguments = {in_.data(), out_.data(), n};
    EXPECT_TRUE(memory_.Register(in_.data(), in_.size() * 4, "in").ok());
    EXPECT_TRUE(memory_.Register(out_.data(), out_.size() * 4, "out").ok());
    EXPECT_TRUE(memory_.Register(&arguments, sizeof(arguments), "arguments").ok());
    const absl::StatusOr<const KernelInfo*> kernel = object_->FindKernel(name);
    EXPECT_TRUE(kernel.ok()) << kernel.status();
    absl::StatusOr<TimedRun> run =
        RunTimed(*machine_, *program_, **kernel,
                 {.workgroups = {workgroups, 1, 1}, .block = {kItems, 1, 1}}, &arguments, memory_,
                 {}, {.stratum = stratum, .limit_ms = limit_ms, .events = events, .xcd = xcd});
    for (const void* shown :
         {static_cast<const void*>(in_.data()), static_cast<const void*>(out_.data()),
          static_cast<const void*>(&arguments)}) {
      EXPECT_TRUE(memory_.Unregister(shown).ok());
    }
    EXPECT_TRUE(run.ok()) << run.status();
    return run.ok() ? *std::move(run) : TimedRun();
  }

  /// The arguments of a launch of Copy with three workgroups, all known to memory_.
  std::vector<std::byte> ArgumentsOfCopy() {
    in_.assign(3 * kItems, 3);
    out_.assign(in_.size(), 0);
    std::vector<std::byte> arguments((*object_->FindKernel("Copy"))->kernarg_bytes);
    const void* const buffers[] = {in_.data(), out_.data()};
    EXPECT_GE(arguments.size(), sizeof(buffers) + sizeof(int));
    std::memcpy(arguments.data(), buffers, sizeof(buffers));
    EXPECT_TRUE(memory_.Register(in_.data(), in_.size() * 4, "in").ok());
    EXPECT_TRUE(memory_.Register(out_.data(), out_.size() * 4, "out").ok());
    EXPECT_TRUE(memory_.Register(arguments.data(), arguments.size(), "arguments").ok());
    return arguments;
  }

  /// Workgroups that a launch of a session executes: none of one that it knows.
  int64_t ExecutedInSession(Program& program, std::byte* arguments) {
    const absl::StatusOr<const KernelInfo*> kernel = object_->FindKernel("Copy");
    EXPECT_TRUE(kernel.ok()) << kernel.status();
    const absl::StatusOr<RunReport> report =
        Launch(*machine_, program, **kernel, {.workgroups = {3, 1, 1}, .block = {kItems, 1, 1}},
               std::span(arguments, (*kernel)->kernarg_bytes), arguments, memory_, {}, nullptr);
    EXPECT_TRUE(report.ok()) << report.status();
    return report.ok() ? report->workgroups : -1;
  }

  const Machine* machine_ = nullptr;
  Memory memory_;
  std::unique_ptr<CodeObject> object_;
  std::unique_ptr<Program> program_;
  std::vector<uint32_t> in_, out_;
};

TEST_F(TimedRunTest, ASmallLaunchIsExecutedWhole) {
  const TimedRun run = Time("Copy", 3);
  EXPECT_EQ(run.time.sampled, 3);
  EXPECT_EQ(std::count(out_.begin(), out_.end(), 3u), 3 * kItems);
  // At least a load from L2 and the launch; not more than a few of both.
  EXPECT_GT(run.time.clk, machine_->l2_latency);
  EXPECT_LT(run.time.clk, 20 * machine_->l2_latency);
  EXPECT_GT(run.time.ms.burst, machine_->launch_us / 1000);
  EXPECT_LE(run.time.ms.burst, run.time.ms.sustained());
}

TEST_F(TimedRunTest, OfALargeLaunchASampleIs) {
  constexpr uint32_t kWorkgroups = 12'000;  // twice as many fit into every MALL
  const TimedRun run = Time("Copy", kWorkgroups);
  EXPECT_LT(run.time.sampled, kWorkgroups / 4);
  EXPECT_LT(std::count(out_.begin(), out_.end(), 3u), kWorkgroups * kItems / 4);
  const TimedRun twice = Time("Copy", 2 * kWorkgroups);
  EXPECT_NEAR(twice.time.clk, 2 * run.time.clk, 0.2 * twice.time.clk);
  // Copying takes at least the time of the bytes at the MALL's rate.
  const double bytes = 2.0 * kWorkgroups * kItems * 4;
  EXPECT_GT(run.time.clk / machine_->burst_mhz * 1e-6, 0.9 * bytes / (machine_->mall_gbs * 1e9));
}

TEST_F(TimedRunTest, WhatALaunchLeavesAloneIsNotInItsWay) {
  constexpr uint32_t kWorkgroups = 12'000;
  Machine machine = *machine_;
  machine_ = &machine;
  machine.mall_bytes = Parameter(2.01 * kWorkgroups * kItems * 4, "what is read and written");
  constexpr double kLong = std::numeric_limits<double>::infinity();
  EXPECT_EQ(
      Time("Copy", kWorkgroups, 0, nullptr, kLong, false, 4 * kWorkgroups * kItems).time.mall_hits,
      1);
  // Waves that are too long to be recorded whole: those across the grid tell what is touched.
  EXPECT_EQ(Time("ReadAgain", kWorkgroups, 20'000, nullptr, kLong, false, 4 * kWorkgroups * kItems)
                .time.mall_hits,
            1);
  machine.mall_bytes = Parameter(1.5 * kWorkgroups * kItems * 4, "less");
  EXPECT_LT(Time("Copy", kWorkgroups).time.mall_hits, 0.9);
}

// The last workgroup is then on some XCD, and in the middle of what the launch touches.
TEST_F(TimedRunTest, WhereXcdsHaveRunsTheLastXcdReachesFurthest) {
  const auto xcds = static_cast<int>(machine_->xcds);
  const uint32_t whole = 12'000 / xcds * xcds;  // whose last one is on the last XCD
  Machine machine = *machine_;
  machine_ = &machine;
  machine.mall_bytes = Parameter(1.2e7, "half of what is read and written");
  EXPECT_NEAR(Time("CopyByRuns", whole + 1, xcds).time.mall_hits,
              Time("CopyByRuns", whole, xcds).time.mall_hits, 0.02);
}

TEST_F(TimedRunTest, WhatIsLoadedAgainIsNotReadFromMemoryForWhatIsStored) {
  constexpr uint32_t kWorkgroups = 12'000;
  Machine machine = *machine_;
  machine_ = &machine;
  // Much more than the MALL holds is stored, and next to nothing loaded, by all workgroups.
  machine.mall_bytes = Parameter(0.1 * kWorkgroups * kItems * 4, "little");
  EXPECT_GT(Time("Fill", kWorkgroups).time.mall_hits, 0.99);
}

TEST_F(TimedRunTest, WhereAllRunAtOnceTheUnitThatAccessesMostEndsLast) {
  const auto xcds = static_cast<int>(machine_->xcds);
  const auto workgroups = static_cast<uint32_t>(machine_->units);  // one a unit
  const double none = Time("OneReadsAgain", workgroups, -1).time.clk;
  const double first = Time("OneReadsAgain", workgroups, 0).time.clk;
  EXPECT_GT(first, 4 * none);
  EXPECT_NEAR(Time("OneReadsAgain", workgroups, 5 * xcds).time.clk, first, 0.1 * first);
}

TEST_F(TimedRunTest, WhatIsSureToTakeTooLongIsGivenUp) {
  constexpr uint32_t kWorkgroups = 12'000;
  const TimedRun whole = Time("Copy", kWorkgroups);
  EXPECT_FALSE(whole.time.given_up);
  const double kernel_ms = whole.time.ms.sustained() - machine_->launch_us / 1000;
  // Buffers are elsewhere, so that it takes about the same time.
  const TimedRun timed = Time("Copy", kWorkgroups, 0, nullptr, 1.2 * kernel_ms);
  EXPECT_FALSE(timed.time.given_up);
  EXPECT_NEAR(timed.time.clk, whole.time.clk, 0.1 * whole.time.clk);
  const TimedRun given_up = Time("Copy", kWorkgroups, 0, nullptr, 1e-6 * kernel_ms);
  EXPECT_TRUE(given_up.time.given_up);
  EXPECT_GT(given_up.time.ms.sustained(), machine_->launch_us / 1000);
  EXPECT_LT(given_up.time.ms.sustained(), whole.time.ms.sustained());
  EXPECT_LT(given_up.report.workgroups, whole.report.workgroups / 2);
}

TEST_F(TimedRunTest, ItsFirstXcdAgreesWithASampleOfUnits) {
  constexpr uint32_t kWorkgroups = 12'000;
  const auto first_xcd = static_cast<uint64_t>(kWorkgroups / machine_->xcds);
  constexpr double kLong = std::numeric_limits<double>::infinity();
  const TimedRun run = Time("Copy", kWorkgroups, 0, nullptr, kLong, true);
  ASSERT_TRUE(run.time.xcd);
  EXPECT_EQ(run.time.xcd->units, machine_->units_per_xcd());
  EXPECT_GE(run.time.xcd->instructions, first_xcd * (kItems / 64) * 5);
  // One L2 for all has a little of what is read and written from the launch before.
  const double of_tensor = 4.0 * kItems * kWorkgroups;
  const double kept = machine_->xcds > 1 ? 0 : FractionCached(2 * of_tensor, machine_->l2_bytes);
  EXPECT_GE(run.time.xcd->misses, (1 - kept) * static_cast<double>(first_xcd) * kItems * 4 / 128);
  EXPECT_NEAR(run.time.xcd->clk, run.time.clk, 0.1 * run.time.clk);
  EXPECT_NE(Text(run.time, run.ops, 0).find("its first XCD in detail"), std::string::npos);
  EXPECT_FALSE(Time("Copy", kWorkgroups).time.xcd);
  // The same of those that are executed whole anyway.
  const TimedRun numbers = Time("TakeNumbers", 2000, 0, nullptr, kLong, true);
  ASSERT_TRUE(numbers.time.xcd);
  EXPECT_EQ(numbers.report.workgroups, 2000);
  EXPECT_EQ(out_[0], 2000 * kItems);
  // Too many instructions.
  EXPECT_FALSE(Time("Steps", 60'000, 200, nullptr, kLong, true).time.xcd);
}

// Code that is loaded later may lie where another kernel's was, and ask for the same.
TEST_F(TimedRunTest, ASessionKnowsTheLaunchesOfAProgram) {
  std::vector<std::byte> arguments = ArgumentsOfCopy();
  EXPECT_EQ(ExecutedInSession(*program_, arguments.data()), 3);
  EXPECT_EQ(ExecutedInSession(*program_, arguments.data()), 0);
  auto other = Program::Decode(*object_);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(ExecutedInSession(**other, arguments.data()), 3);
}

// A sweep times many thousand launches. The facts of their instructions would take more than
// is allowed here.
TEST_F(TimedRunTest, ASessionKeepsLittleOfALaunch) {
  std::vector<std::byte> arguments = ArgumentsOfCopy();
  const auto bytes_in_use = [] {
    const struct mallinfo2 now = mallinfo2();
    return now.uordblks + now.hblkhd;
  };
  constexpr int kLaunches = 40;
  size_t before = 0;
  for (int i = -10; i < kLaunches; ++i) {  // the first make what all share
    if (i == 0) before = bytes_in_use();
    std::memcpy(arguments.data() + 2 * sizeof(void*), &i, sizeof(i));
    ASSERT_EQ(ExecutedInSession(*program_, arguments.data()), 3);
  }
  EXPECT_LT(bytes_in_use(), before + kLaunches * size_t{2048});
}

TEST_F(TimedRunTest, WorkgroupsThatDependOnEachOtherAreAllExecuted) {
  constexpr uint32_t kWorkgroups = 2000;
  const TimedRun run = Time("TakeNumbers", kWorkgroups);
  EXPECT_EQ(run.report.workgroups, kWorkgroups);
  EXPECT_EQ(out_[0], kWorkgroups * kItems);
  EXPECT_GT(run.time.clk, 0);
}

// Who ends last of those that run at once, and has the rest to do, is nowhere in particular: not on
// the XCD that the last workgroups are on.
TEST_F(TimedRunTest, ThoseThatRunAtOnceEndInNoOrder) {
  const auto at_once =
      static_cast<uint32_t>(machine_->units * Time("TakeTurns", 1).time.occupancy.workgroups);
  Time("TakeTurns", 2 * at_once);
  ASSERT_EQ(out_[0], 2 * at_once);
  const auto first = out_.begin() + 1, half = first + at_once, last = half + at_once;
  uint32_t falls = 0;
  for (auto turn = first + 1; turn < last; ++turn) falls += turn[0] < turn[-1];
  EXPECT_GT(falls, at_once / 2);
  // But the second half waits for the first one's places.
  const double halves = std::accumulate(half, last, 0.0) - std::accumulate(first, half, 0.0);
  EXPECT_NEAR(halves / at_once, at_once, 0.1 * at_once);
}

TEST_F(TimedRunTest, WhatABranchLeadsToIsExecutedEachTime) {
  constexpr int kTimes = 50;
  const TimedRun run = Time("LoopOfNops", 1, kTimes);
  int64_t nops = 0;
  for (size_t i = 0; i < run.ops.size(); ++i) {
    if (run.ops[i].text == "s_nop 7") nops += run.report.executions[i];
  }
  EXPECT_EQ(nops, kTimes * run.report.waves);
}

TEST_F(TimedRunTest, WhatWaitsForOthersIsAllExecuted) {
  constexpr uint32_t kWorkgroups = 3000;
  EXPECT_EQ(Time("WaitFor3", kWorkgroups).report.workgroups, kWorkgroups);
  EXPECT_LT(Time("ReadAgain", kWorkgroups, 5).report.workgroups, kWorkgroups);
}

TEST_F(TimedRunTest, LongWavesAreCutAndTakeTimeForAllTheirSteps) {
  const TimedRun some = Time("Steps", 4, 50);
  const TimedRun more = Time("Steps", 4, 5000);
  EXPECT_GT(more.time.clk, 60 * some.time.clk);
  EXPECT_LT(more.time.clk, 140 * some.time.clk);
}

// If the waves of a workgroup are long, only the first one is executed to its end.
TEST_F(TimedRunTest, TheFirstOfLongWavesTellsHowLongAllAre) {
  constexpr double kForever = std::numeric_limits<double>::infinity();
  struct Case {
    const char* kernel;
    uint32_t workgroups;
    int steps;
  };
  for (const auto& [kernel, workgroups, steps] : {Case{"Steps", 2, 1000},
                                                  {"Steps", 3000, 300},
                                                  {"UnevenSteps", 2, 1000},
                                                  {"UnevenSteps", 2, -1000}}) {
    SCOPED_TRACE(testing::Message() << kernel << " " << workgroups << " " << steps);
    const TimedRun whole = Time(kernel, workgroups, steps);
    const TimedRun some = Time(kernel, workgroups, steps, nullptr, kForever, false, 0, 1500);
    EXPECT_NEAR(some.time.clk, whole.time.clk, 0.03 * whole.time.clk);
    EXPECT_NEAR(some.time.bound.clk, whole.time.bound.clk, 0.03 * whole.time.bound.clk);
    EXPECT_EQ(some.time.mall_hits, whole.time.mall_hits);
    const auto all = [](const TimedRun& run) {
      return std::accumulate(run.report.instructions.begin(), run.report.instructions.end(),
                             int64_t{0});
    };
    // The first and the last workgroup are executed this way. Of 2 there is nothing else to
    // execute, of 3000 mostly two units in detail.
    if (workgroups == 2) EXPECT_LT(all(some), 0.7 * static_cast<double>(all(whole)));
  }
}

// But where it cannot, for what others leave in LDS is where it stores, all are.
TEST_F(TimedRunTest, AWaveThatNeedsTheOthersIsNotLeftAlone) {
  constexpr double kForever = std::numeric_limits<double>::infinity();
  const TimedRun whole = Time("StoresWhereOthersSay", 4, 1000);
  const TimedRun some =
      Time("StoresWhereOthersSay", 4, 1000, nullptr, kForever, false, 0, /*stratum=*/1500);
  EXPECT_GT(std::count(out_.begin(), out_.end(), 3u), 0);
  EXPECT_NEAR(some.time.clk, whole.time.clk, 0.03 * whole.time.clk);
}

/// Events of a thread follow each other, with nothing in two of them, and all have some length or
/// their successor begins with them.
void ExpectOrderedTrace(const std::string& trace, size_t events) {
  auto parsed = llvm::json::parse(trace);
  ASSERT_TRUE(static_cast<bool>(parsed)) << llvm::toString(parsed.takeError());
  const llvm::json::Array* list = parsed->getAsObject()->getArray("traceEvents");
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(list->size(), events);
  using Span = std::pair<double, double>;
  std::map<std::pair<int64_t, int64_t>, std::vector<Span>> threads;
  for (const llvm::json::Value& value : *list) {
    const llvm::json::Object& event = *value.getAsObject();
    const double begin = *event.getNumber("ts"), length = *event.getNumber("dur");
    EXPECT_GE(length, 0);
    threads[{*event.getInteger("pid"), *event.getInteger("tid")}].emplace_back(begin,
                                                                               begin + length);
  }
  size_t lengths = 0;
  for (auto& [thread, spans] : threads) {
    std::sort(spans.begin(), spans.end());
    for (size_t i = 0; i < spans.size(); ++i) {
      lengths += spans[i].second > spans[i].first ? 1 : 0;
      if (i > 0) EXPECT_LE(spans[i - 1].second, spans[i].first) << "of thread " << thread.second;
    }
  }
  EXPECT_GT(lengths, events * 9 / 10);
}

/// The document says what the launch's time says.
void ExpectDocument(const std::string& text, const LaunchTime& time) {
  auto parsed = llvm::json::parse(text);
  ASSERT_TRUE(static_cast<bool>(parsed)) << llvm::toString(parsed.takeError());
  const llvm::json::Object& launch = *parsed->getAsObject();
  EXPECT_EQ(launch.getString("what"), "steps, \"named\"");
  EXPECT_EQ(launch.getInteger("scratch_bytes"), 0);
  EXPECT_EQ(launch.getObject("sustained")->getNumber("ms"), time.ms.sustained());
  double waiting = 0, all = 0;
  for (const llvm::json::Value& op : *launch.getArray("instructions")) {
    EXPECT_GT(op.getAsObject()->getInteger("executions").value_or(0), 0);
    for (const auto& [reason, clk] : *op.getAsObject()->getObject("stalled"))
      waiting += *clk.getAsNumber();
  }
  for (const OpTime& op : time.unit.ops) all += op.total();
  EXPECT_GT(waiting, 0);
  EXPECT_NEAR(waiting, all, 1e-9 * all);
  // Parts of steps, weighted by their lengths, are the clocks for which a resource was busy.
  const llvm::json::Array& clocks = *launch.getObject("progress")->getArray("clocks");
  ASSERT_GT(clocks.size(), 2u);
  EXPECT_EQ(clocks.back().getAsNumber(), time.unit.progress.back().clk);
  const llvm::json::Array* issue =
      launch.getObject("progress")->getObject("parts")->getArray("instruction issue");
  ASSERT_NE(issue, nullptr);
  ASSERT_EQ(issue->size(), clocks.size());
  double busy = 0, before = 0;
  for (size_t i = 0; i < clocks.size(); ++i) {
    busy += *(*issue)[i].getAsNumber() * (*clocks[i].getAsNumber() - before);
    before = *clocks[i].getAsNumber();
  }
  const double expected = time.unit.progress.back().busy[static_cast<size_t>(Resource::kIssue)];
  EXPECT_NEAR(busy, expected, 0.02 * expected);
  EXPECT_EQ(launch.getArray("levels")->size(), 3u);
  EXPECT_EQ(launch.getObject("work")->getNumber("of"), time.unit.clk);
}

TEST_F(TimedRunTest, ReportsSayWhatWavesWaitedFor) {
  std::vector<WaveEvent> events;
  const TimedRun run = Time("Steps", 4, 50, &events);
  const uint64_t entry = (*object_->FindKernel("Steps"))->entry_address;
  const std::string text = Text(run.time, run.ops, entry);
  for (const char* part : {"kernel Steps", "barrier", "limited by", "MHz"})
    EXPECT_NE(text.find(part), text.npos) << part << " is not in:\n" << text;
  ExpectDocument(Json(run.time, run.ops, entry, 1, "steps, \"named\""), run.time);
  ASSERT_FALSE(events.empty());
  ExpectOrderedTrace(ChromeTrace(events, run.ops), events.size());
  // The interval has the value in it, and is one: some parameters are uncertain.
  EXPECT_LT(run.time.low.sustained(), run.time.ms.sustained());
  EXPECT_GT(run.time.high.sustained(), run.time.ms.sustained());
  EXPECT_GT(*std::max_element(run.time.utilisation.begin(), run.time.utilisation.end()), 0);
}

}  // namespace
}  // namespace gridwise::sim::time
