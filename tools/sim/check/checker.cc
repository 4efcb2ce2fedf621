// SPDX-License-Identifier: MIT
#include "tools/sim/check/checker.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/machine/abi.h"

namespace gridwise::sim {
namespace {

/// Targets whose atomic stores have no cache policy, so that they look like others.
constexpr unsigned kPlainAtomicStores = kGfx90a | kGfx1100;

bool IsLds(const MemoryAccess& access) { return access.space == AddressSpace::kLds; }

}  // namespace

Finding LaunchCheck::MakeFinding(Category category, uint32_t instruction) const {
  const Program::InstructionInfo info = program->Describe(instruction);
  Finding finding;
  finding.category = category;
  finding.kernel = kernel;
  if (source_line) finding.source = source_line(info.pc, LineOf::kInstruction);
  finding.instruction = info.text;
  finding.pc = info.pc - entry;
  return finding;
}

void LaunchCheck::ReportWatched() const {
  for (const WatchedRange& range : watched) {
    const auto bad = std::find_if(range.writes.begin(), range.writes.end(),
                                  [](uint8_t count) { return count != 1; });
    if (bad == range.writes.end()) continue;
    const size_t at = static_cast<size_t>(bad - range.writes.begin());
    Finding finding;
    if (*bad != 0) {
      finding = MakeFinding(Category::kWatch, range.instructions[at]);
    } else {
      finding.category = Category::kWatch;
      finding.kernel = kernel;
    }
    finding.has_address = true;
    finding.address = range.begin + at;
    finding.what =
        *bad == 0 ? "a watched byte is never written" : "a watched byte is written again";
    const auto wrong = std::count_if(range.writes.begin(), range.writes.end(),
                                     [](uint8_t count) { return count != 1; });
    finding.detail = absl::StrFormat(
        ": byte %u of %u at %#x was written %d times; %d bytes were not written exactly once", at,
        range.writes.size(), finding.address, *bad, wrong);
    Findings::Get().Add(std::move(finding));
  }
}

WaveCheck::WaveCheck(GroupCheck& group, Wave& wave)
    : group_(group),
      launch_(group.launch()),
      wave_(wave),
      exec_at_start_(Exec(wave)),
      waits_(launch_.target) {
  if (launch_.settings.Has(Category::kHazards))
    hazards_ = MakeHazardTracker(launch_.target, wave.all_lanes >> 32 != 0);
  const std::vector<uint32_t> nothing(static_cast<size_t>(group.wave_count()));
  if (launch_.settings.Has(Category::kUninit))
    uninit_.emplace(wave, launch_.initial_scalars, group.lds_shadow(), launch_.origins);
  if (launch_.settings.has_values())
    values_.emplace(wave, launch_.target, launch_.settings, launch_.float_ops);
  clocks_ = {
      group.number(), wave.index_in_group, {nothing, nothing, nothing, nothing, nothing}, nullptr};
}

void WaveCheck::Report(Category category, std::string what, std::string detail, int lane,
                       std::optional<uint64_t> address) {
  if (!launch_.settings.Has(category)) return;
  Findings::Get().Add(Make(category, std::move(what), std::move(detail), lane, address));
}

Finding WaveCheck::Make(Category category, std::string what, std::string detail, int lane,
                        std::optional<uint64_t> address) const {
  Finding finding = launch_.MakeFinding(category, current_->index);
  finding.workgroup = group_.id();
  finding.wave = wave_.index_in_group;
  finding.lane = lane;
  finding.has_address = address.has_value();
  finding.address = address.value_or(0);
  finding.what = std::move(what);
  finding.detail = std::move(detail);
  return finding;
}

std::string WaveCheck::Describe(uint32_t instruction) const {
  const Program::InstructionInfo info = launch_.program->Describe(instruction);
  return absl::StrFormat("'%s' (pc %s)", info.text, OffsetText(info.pc - launch_.entry));
}

void WaveCheck::Before(const InstructionFacts& facts, const Uop* first) {
  if (values_ && current_ != nullptr) values_->After(*this);
  current_ = &facts;
  waits_.Before(facts, launch_.settings.Has(Category::kWaits), *this);
  if (hazards_) hazards_->Before(facts, *this);
  if (facts.barrier_wait) {
    ++barriers_;
    if (Exec(wave_) != exec_at_start_) {
      Report(
          Category::kBarriers, "waits at a barrier in divergent control flow",
          absl::StrFormat(": EXEC is 0x%x, the wave began with 0x%x", Exec(wave_), exec_at_start_),
          -1, std::nullopt);
    }
  }
  if (facts.memory) observed_.fill(0);
  if (uninit_) uninit_->Before(facts, first, *this);
  if (values_) values_->Before(facts);
  if (facts.counters != 0) waits_.Issue(facts, ++clock_);
}

void WaveCheck::Observe(const MemoryAccess& access) {
  if (access.lanes == 0) return;
  if (uninit_) uninit_->Observe(*current_, access, observed_, IsWatched(access), *this);
  if (access.space != AddressSpace::kScratch) ObserveShared(access);
  // A load to LDS is seen twice: where it goes and where it comes from.
  if (current_->to_lds && access.writes) return;
  for (uint64_t left = access.lanes; left != 0; left &= left - 1) {
    uint8_t& bytes = observed_[static_cast<size_t>(__builtin_ctzll(left))];
    bytes = static_cast<uint8_t>(bytes + access.bytes);
  }
}

void WaveCheck::ObserveShared(const MemoryAccess& access) {
  if (IsLds(access)) CheckPendingToLds(access);
  if (access.writes) {
    for (WatchedRange& range : launch_.watched) {
      for (uint64_t left = access.lanes; left != 0; left &= left - 1) {
        const uint64_t first = access.base + access.offset[__builtin_ctzll(left)];
        range.Note(first, first + access.bytes, current_->index);
      }
    }
  }
  if (launch_.settings.Has(Category::kRaces)) CheckRaces(access);
}

bool WaveCheck::IsWatched(const MemoryAccess& access) const {
  if (launch_.watched.empty() || access.space == AddressSpace::kScratch) return false;
  const uint64_t first = access.base + access.offset[__builtin_ctzll(access.lanes)];
  return std::any_of(
      launch_.watched.begin(), launch_.watched.end(),
      [&](const WatchedRange& range) { return first >= range.begin && first < range.end; });
}

void WaveCheck::CheckPendingToLds(const MemoryAccess& access) {
  const uint64_t lds = reinterpret_cast<uint64_t>(wave_.lds);
  const auto offset = [&](int lane) {
    return static_cast<uint32_t>(access.base + access.offset[lane] - lds);
  };
  for (uint64_t left = access.lanes; left != 0; left &= left - 1) {
    const int lane = __builtin_ctzll(left);
    const std::optional<WaitTracker::ToLds> pending =
        waits_.PendingToLds(offset(lane), offset(lane) + access.bytes);
    if (!pending || current_->to_lds) continue;
    Report(Category::kWaits, "touches LDS that a load to LDS has yet to write",
           absl::StrCat(": ", Describe(pending->load->index), " needs ",
                        WaitText(launch_.target, WaitCounter::kLoad, pending->limit)),
           lane, offset(lane));
    break;
  }
  if (!current_->to_lds || !access.writes) return;
  const int first = __builtin_ctzll(access.lanes), last = 63 - __builtin_clzll(access.lanes);
  waits_.IssueToLds(offset(first), offset(last) + access.bytes);
}

GroupClocks WaveCheck::Completed() const {
  // On gfx9 the waves of a workgroup see memory in one order; elsewhere a store must have been
  // waited for before a barrier. A wave that has ended has completed everything.
  const auto before = [&](uint32_t oldest) { return std::min(clock_, oldest - 1); };
  const bool ended = wave_.state == WaveState::kEnded;
  const uint32_t stores = ended ? clock_ : before(waits_.OldestStore());
  GroupClocks completed = clocks_.own;
  const auto me = static_cast<size_t>(wave_.index_in_group);
  completed.memory[me] = stores;
  completed.local[me] = (launch_.target & kGfx9) != 0 ? clock_ : stores;
  completed.lds[me] = ended ? clock_ : before(waits_.OldestLds());
  completed.lds_reads[me] = (launch_.target & kGfx9) != 0 ? clock_ : completed.lds[me];
  completed.to_lds[me] = ended ? clock_ : before(waits_.OldestToLds());
  return completed;
}

Clocks WaveCheck::Known(bool by_lds) const {
  Clocks known;
  if (clocks_.others != nullptr) known = *clocks_.others;
  GroupClocks& own = known[clocks_.group] = Completed();
  // LDS instructions of a wave are executed in their order.
  if (by_lds) {
    const auto me = static_cast<size_t>(wave_.index_in_group);
    own.lds[me] = own.lds_reads[me] = clock_;
  }
  return known;
}

void WaveCheck::Learn(const Clocks& published) {
  std::shared_ptr<Clocks> others;
  for (const auto& [group, known] : published) {
    if (group == clocks_.group) {
      clocks_.own.Join(known);
      continue;
    }
    if (others == nullptr) {
      others = clocks_.others == nullptr ? std::make_shared<Clocks>()
                                         : std::make_shared<Clocks>(*clocks_.others);
    }
    (*others)[group].Join(known);
  }
  if (others != nullptr) clocks_.others = std::move(others);
}

void WaveCheck::LearnFromStore(int wave, uint32_t clock) {
  Clocks known = group_.CheckOf(wave).Known(true);
  GroupClocks& own = known[clocks_.group];
  // It may have gone on since.
  for (std::vector<uint32_t>* clocks :
       {&own.memory, &own.local, &own.lds, &own.lds_reads, &own.to_lds}) {
    uint32_t& newest = (*clocks)[static_cast<size_t>(wave)];
    newest = std::min(newest, clock);
  }
  Learn(known);
}

void WaveCheck::ReportRace(const Conflict& conflict, const MemoryAccess& access, int lane,
                           uint64_t address) {
  const bool lds = IsLds(access), same_group = conflict.group == clocks_.group;
  const char* where = lds ? " LDS that " : " memory that ";
  const char* who = same_group ? "another wave" : "another workgroup";
  const uint64_t at = lds ? address - reinterpret_cast<uint64_t>(wave_.lds) : address;
  Report(Category::kRaces,
         absl::StrCat(access.writes ? "writes" : "reads", where, who,
                      conflict.writes ? " wrote" : " read", ", with nothing that orders the two"),
         absl::StrCat(": ", lds ? "byte " : "address ", absl::StrFormat("%#x", at), ", ",
                      Describe(conflict.instruction),
                      same_group ? absl::StrCat(" of wave ", conflict.wave) : ""),
         lane, at);
}

bool WaveCheck::Repeats(const MemoryAccess& access, int lane) const {
  const InstructionFacts& facts = *current_;
  if (!facts.store || facts.data.empty() || facts.mnemonic.find("format") != facts.mnemonic.npos)
    return false;
  const auto* there = reinterpret_cast<const uint8_t*>(access.base + access.offset[lane]);
  for (uint32_t i = 0; i < access.bytes; ++i) {
    const uint32_t at = observed_[static_cast<size_t>(lane)] + i + (facts.data_high() ? 2 : 0);
    if (at / 4 >= facts.data.size() || facts.data[at / 4] < kFirstVector) return false;
    const uint32_t value = wave_.v[facts.data[at / 4] - kFirstVector][lane];
    if (there[i] != static_cast<uint8_t>(value >> at % 4 * 8)) return false;
  }
  return true;
}

void WaveCheck::CheckRaces(const MemoryAccess& access) {
  // A store that releases others is one of a few lanes; that all stores do so would be slow.
  constexpr int kMaxReleasing = 8;
  const bool lds = IsLds(access);
  AccessHistory& history = lds ? group_.lds_history() : launch_.memory_history;
  SyncAddresses& sync = lds ? group_.lds_sync() : launch_.memory_sync;
  AccessHistory::Access mine{
      .group = clocks_.group,
      .wave = static_cast<uint16_t>(wave_.index_in_group),
      .writes = access.writes,
      .atomic = current_->atomic || (!lds && current_->device_scope),
      .may_be_atomic = (launch_.target & kPlainAtomicStores) != 0 && !lds && current_->store,
      .compares = current_->compares,
      .to_lds = lds && current_->to_lds,
      .polls = lds && current_->polls,
      .clock = clock_,
      .instruction = current_->index};
  const bool releases = mine.may_be_atomic && __builtin_popcountll(access.lanes) <= kMaxReleasing;
  const bool publishes = access.writes && (mine.atomic || releases);
  const bool learns = mine.atomic && access.reads && !current_->writes.empty();
  const Clocks known = publishes ? Known(lds) : Clocks();
  bool reported = false;
  for (uint64_t left = access.lanes; left != 0; left &= left - 1) {
    const int lane = __builtin_ctzll(left);
    const uint64_t address = access.base + access.offset[lane];
    Conflict conflict = history.Note(clocks_, address, access.bytes, mine, lds);
    // A store of the value that is already there changes nothing.
    if (conflict.found && conflict.writes && !access.reads && Repeats(access, lane))
      conflict.found = false;
    if (conflict.found && (launch_.target & kRdna) != 0 && RecycledMemory::Process().Holds(address))
      conflict.found = false;
    if (conflict.found && !std::exchange(reported, true))
      ReportRace(conflict, access, lane, address);
    if (conflict.polled >= 0) LearnFromStore(conflict.polled, conflict.polled_clock);
    if (const Clocks* published = learns ? sync.Find(address) : nullptr) Learn(*published);
    if (publishes) sync.Publish(address, known);
  }
}

void GroupCheck::Begin(const std::array<uint32_t, 3>& id, int waves) {
  id_ = id;
  number_ = ++launch_.groups;
  lds_history_.Clear();
  lds_sync_.Clear();
  if (launch_.settings.Has(Category::kUninit)) lds_shadow_ = ByteShadow(waves_[0].lds_bytes);
  checks_.clear();
  for (Wave& wave : waves_.first(static_cast<size_t>(waves)))
    checks_.push_back(std::make_unique<WaveCheck>(*this, wave));
}

bool GroupCheck::Before(Wave& wave, const InstructionFacts& facts, const Uop* first) {
  CheckOf(wave.index_in_group).Before(facts, first);
  return true;
}

void GroupCheck::Observe(Wave& wave, const Uop&, const MemoryAccess& access) {
  CheckOf(wave.index_in_group).Observe(access);
}

void GroupCheck::OpenBarrier() {
  GroupClocks all = checks_.front()->Completed();
  std::shared_ptr<const Clocks> others = checks_.front()->clocks().others;
  for (size_t i = 1; i < checks_.size(); ++i) {
    all.Join(checks_[i]->Completed());
    const std::shared_ptr<const Clocks>& more = checks_[i]->clocks().others;
    if (more == nullptr || more == others) continue;
    auto joined =
        others == nullptr ? std::make_shared<Clocks>() : std::make_shared<Clocks>(*others);
    for (const auto& [group, known] : *more) (*joined)[group].Join(known);
    others = std::move(joined);
  }
  for (const auto& check : checks_) {
    check->clocks().own = all;
    check->clocks().others = others;
  }
}

void GroupCheck::End() {
  for (const auto& check : checks_) {
    if (check->barriers() == checks_.front()->barriers()) continue;
    check->Report(Category::kBarriers,
                  "waves of a workgroup end after different numbers of barriers",
                  absl::StrFormat(": this one passed %d, wave 0 passed %d", check->barriers(),
                                  checks_.front()->barriers()),
                  -1, std::nullopt);
    break;
  }
}

CheckProbe::CheckProbe(const CheckSettings& settings, SourceLineFn source_line) {
  check_.settings = settings;
  check_.source_line = std::move(source_line);
}

void CheckProbe::Begin(const Launch& launch) {
  check_.program = launch.program;
  check_.kernel = launch.kernel->shown_name;
  check_.entry = launch.kernel->entry_address;
  check_.target = launch.program->target().bit;
  check_.initial_scalars = InitialScalars(*launch.kernel);
  if (check_.settings.Has(Category::kWatch)) check_.watched = TakeWatchedRanges();
}

std::unique_ptr<GroupProbe> CheckProbe::OfThread(std::span<Wave> waves) {
  return std::make_unique<GroupCheck>(check_, waves);
}

void CheckProbe::Faulted(const Wave& wave, const std::string& sentence) {
  const Fault& fault = wave.fault;
  if (!fault.has_address || !check_.settings.Has(Category::kBounds)) return;
  Finding finding = check_.MakeFinding(Category::kBounds, fault.uop->instruction);
  std::copy_n(wave.workgroup_id, 3, finding.workgroup.begin());
  finding.wave = wave.index_in_group;
  finding.lane = fault.lane;
  finding.has_address = true;
  finding.address = fault.address;
  finding.what = fault.what;
  finding.detail = sentence.substr(sentence.find(fault.what) + finding.what.size());
  Findings::Get().Add(std::move(finding));
}

void CheckProbe::End(const RunReport* report) {
  if (report != nullptr) check_.ReportWatched();
  Findings::Get().EndLaunch(check_.kernel);
}

}  // namespace gridwise::sim
