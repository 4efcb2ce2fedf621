// SPDX-License-Identifier: MIT
#include "tools/sim/time/engine/scoreboard.h"

#include <algorithm>
#include <limits>

namespace gridwise::sim::time {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

bool ReadsAddress(OpKind kind) {
  return kind == OpKind::kMemory || kind == OpKind::kLds || kind == OpKind::kScalarMemory;
}

/// From the issue of a producer to the first issue of `reader`.
double Distance(const Machine& machine, Producer producer, const Op& reader) {
  const bool scalar = reader.kind == OpKind::kScalar || reader.kind == OpKind::kBranch;
  switch (producer) {
    case Producer::kScalar:
      return scalar ? machine.salu_latency : machine.salu_to_vector;
    case Producer::kTrans:
      return machine.trans_latency;
    case Producer::kF64:
      return machine.f64_latency;
    case Producer::kVector:
      break;
  }
  return ReadsAddress(reader.kind) ? machine.valu_to_address : machine.valu_latency;
}

}  // namespace

Scoreboard::Scoreboard(const Machine& machine) : machine_(machine) {
  issued_.fill(kNever);
  for (auto& orders : last_) orders.fill(kNever);
}

double Scoreboard::OperandsReady(const Op& op) const {
  double ready = kNever;
  for (const uint16_t reg : op.reads) {
    if (issued_[reg] == kNever) continue;
    ready = std::max(ready, issued_[reg] + Distance(machine_, producer_[reg], op));
  }
  return ready;
}

double Scoreboard::LimitReached(int counter, size_t limit) const {
  const std::vector<double>& pending = outstanding_[static_cast<size_t>(counter)];
  return pending.size() <= limit ? kNever : pending[pending.size() - limit - 1];
}

double Scoreboard::CountersReady(const Op& op, int& counted_by) const {
  double ready = kNever;
  const auto take = [&](int counter, size_t limit) {
    const double reached = LimitReached(counter, limit);
    if (reached <= ready) return;
    ready = reached;
    counted_by = counter;
  };
  if (op.waits) {
    for (int counter = 0; counter < kWaitCounters; ++counter) {
      if (op.limits[counter] != kNoLimit) take(counter, op.limits[counter]);
    }
  }
  // A wave's queue of vector memory instructions has an end.
  if (op.kind == OpKind::kMemory) {
    const auto most = static_cast<size_t>(machine_.wave_outstanding);
    for (int counter = 0; counter < kWaitCounters; ++counter) {
      if ((op.counters >> counter & 1) != 0) take(counter, most - 1);
    }
  }
  return ready;
}

void Scoreboard::Issue(const Op& op, double t, double done) {
  for (const uint16_t reg : op.writes) {
    issued_[reg] = t;
    producer_[reg] = op.producer;
  }
  for (size_t counter = 0; counter < kWaitCounters; ++counter) {
    if ((op.counters >> counter & 1) == 0) continue;
    std::vector<double>& pending = outstanding_[counter];
    pending.erase(pending.begin(), std::upper_bound(pending.begin(), pending.end(), t));
    if (op.order != Order::kNone) {
      double& last = last_[counter][static_cast<size_t>(op.order)];
      done = last = std::max(last, done);
    }
    pending.insert(std::upper_bound(pending.begin(), pending.end(), done), done);
  }
}

}  // namespace gridwise::sim::time
