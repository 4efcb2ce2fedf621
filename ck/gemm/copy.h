// SPDX-License-Identifier: MIT
#pragma once

#include "ck/gemm/k_table.h"
#include "ck/gemm/k_tile.h"
#include "ck/gemm/lane_coordinate.h"
#include "core/arch/memory.h"
#include "core/arch/sync.h"
#include "core/arch/this_target.h"

namespace gridwise::ck {

/// Copies an operand's k tiles from memory through registers to LDS. Load starts a load; Store
/// waits for it and writes. `OfElement` is applied to elements on their way (functions.h).
template <GemmConfig kC, Side kSide, class OfElement>
class Copy {
 public:
  static constexpr int kTensors = OfElement::kTensors;
  using KTile = KTileOf<kC, kSide, kTensors>;

  /// Copies the tensors `data`, which have the same layout. Rows count from `first_row`, steps from
  /// term `first_term`; `thread` is the index among the lanes that load.
  GRIDWISE_DEVICE Copy(Constant<ViewArgs>* view, const OperandArgs& data, int first_row,
                       int first_term, int thread, char* lds, const OfElement& function)
      : units_of_lane_{kC.units(kSide) < kC.load_threads() ? thread % kC.units(kSide) : thread},
        has_units_(thread < kC.units(kSide)),
        table_(view, first_term, thread, lds),
        last_(LaneCoordinate::Of(view->last)),
        function_(function) {
    const auto buffer = [&](const void* tensor) {
      return Buffer::From<kThisTarget>(static_cast<const char*>(tensor) + BlockIdY() * view->batch);
    };
    buffer_[0] = buffer(data.data);
    if constexpr (kTensors == 2) buffer_[1] = buffer(data.added);
    for (int i = 0; i < kC.row_slots(kSide); ++i) {
      row_[i] = HasUnits() ? CoordinateOfRow(view, first_row + units_of_lane_.Row(i))
                           : LaneCoordinate::Outside<kO.walk>();
    }
    if constexpr (!kO.has_table()) {
      unit_ = view->axis[1].digit[AxisArgs::kDigits - 1].unit.offset;
      at_ = first_term * unit_;
      terms_left_ = view->axis[1].length - first_term;
      for (int i = 0; i < kC.row_slots(kSide); ++i) row_[i].offset += units_of_lane_.K(0) * unit_;
    }
  }

  /// How many of the next `steps` k tiles are whole: K ends after them.
  GRIDWISE_DEVICE int WholeKTiles(int steps) const {
    if constexpr (kO.has_table()) return steps;  // entries past the end lead nowhere
    const int whole = terms_left_ > 0 ? terms_left_ / kC.tile.k : 0;
    return whole < steps ? whole : steps;
  }

  /// Starts the loads of k tile `step`; steps are loaded in sequence. `kWhole`: it is one of
  /// WholeKTiles.
  template <bool kWhole = false>
  GRIDWISE_DEVICE void Load(int step, KTile& k_tile) {
    table_.Step(step);
    if constexpr (kO.has_table()) {
      if (kLoadsAlways || HasUnits()) LoadByTable(step, k_tile);
    } else {
      if (kLoadsAlways || HasUnits()) LoadEvenly<kWhole>(k_tile);
      at_ += kC.tile.k * unit_;
      terms_left_ -= kC.tile.k;
    }
  }

  /// Writes a k tile to the operand's tile at `lds`.
  GRIDWISE_DEVICE void Store(const KTile& k_tile, char* lds) const {
    if (!HasUnits()) return;
    for (int k = 0; k < kC.k_slots(kSide); ++k) {
      for (int r = 0; r < kC.row_slots(kSide); ++r) {
        const int unit = k * kC.row_slots(kSide) + r;
        for (int row = 0; row < (kO.reads_transposed() ? 1 : kO.rows); ++row) {
          StoreRun(k_tile, unit, row, units_of_lane_.Row(r) + row, units_of_lane_.K(k), lds);
        }
      }
    }
  }

 private:
  static constexpr auto& kO = kC.operand(kSide);
  using T = typename KTile::T;
  using Load1 = typename KTile::Load;
  using Unit = typename KTile::Unit;

  /// Starts load `at` of a unit, for each tensor.
  GRIDWISE_DEVICE void StartLoad(KTile& k_tile, int unit, int at, unsigned offset,
                                 int uniform) const {
    for (int t = 0; t < kTensors; ++t) {
      k_tile.unit[t][unit][at] = buffer_[t].template Load<Load1>(offset, uniform);
    }
  }

  /// Tiles may be too small for all lanes to have a share. If several k tiles are in flight, lanes
  /// without a share load out of range: the number of loads is then the same for all lanes, and the
  /// compiler knows which of them to wait for.
  static constexpr bool kLoadsAlways = kC.k_tiles_in_flight() > 1;
  GRIDWISE_DEVICE bool HasUnits() const {
    return kC.units(kSide) >= kC.load_threads() || has_units_;
  }

  GRIDWISE_DEVICE static LaneCoordinate CoordinateOfRow(Constant<ViewArgs>* view, int row) {
    int digit[AxisArgs::kDigits];
    FindDigits(&view->axis[0], row, digit);
    const LaneCoordinate coordinate =
        LaneCoordinate::Of(view->origin) + LaneCoordinate::Of(&view->axis[0], digit);
    return row < view->axis[0].length ? coordinate : LaneCoordinate::Outside<kO.walk>();
  }

  GRIDWISE_DEVICE void LoadByTable(int step, KTile& k_tile) const {
    for (int k = 0; k < kC.k_slots(kSide); ++k) {
      for (int i = 0; i < kC.loads_of_unit(kSide); ++i) {
        const LaneCoordinate term = table_.Read(step, units_of_lane_.K(k) / kO.k_of_entry() + i);
        for (int r = 0; r < kC.row_slots(kSide); ++r) {
          StartLoad(k_tile, k * kC.row_slots(kSide) + r, i, OffsetAt<kO.walk>(row_[r], term, last_),
                    0);
        }
      }
    }
  }

  /// All lanes move by the same distance, which the load itself adds. If K ends within the k tile,
  /// terms past the end are masked, in separate code so that other k tiles pay no instruction.
  template <bool kWhole>
  GRIDWISE_DEVICE void LoadEvenly(KTile& k_tile) const {
    if (kWhole || terms_left_ >= kC.tile.k) {
      ForEachEven([&](int r, int at, int, unsigned offset, int uniform) {
        StartLoad(k_tile, r, at, offset, uniform);
      });
    } else {
      ForEachEven([&](int r, int at, int term, unsigned offset, int uniform) {
        offset |= term < terms_left_ ? 0 : Buffer::kOutOfRange;
        StartLoad(k_tile, r, at, offset, uniform);
      });
      SchedulingFence();  // otherwise the compiler merges both paths
    }
  }
  /// Calls visit(unit, load, first term, offset of the lane, offset of the wave) for each load.
  template <class Visit>
  GRIDWISE_DEVICE void ForEachEven(Visit visit) const {
    for (int k = 0; k < kC.k_slots(kSide); ++k) {
      for (int i = 0; i < kC.loads_of_unit(kSide); ++i) {
        const int behind = k * UnitsOfLane<kC, kSide>::kSlotK + i * kO.k_of_entry();
        for (int r = 0; r < kC.row_slots(kSide); ++r) {
          visit(k * kC.row_slots(kSide) + r, i, units_of_lane_.K(0) + behind, row_[r].offset,
                at_ + behind * unit_);
        }
      }
    }
  }

  /// Writes a run of a unit: its elements in row `i`, or in the only k.
  GRIDWISE_DEVICE void StoreRun(const KTile& k_tile, int index, int i, int row, int k,
                                char* lds) const {
    constexpr int kRun = kC.run(kSide);
    const Unit& unit = k_tile.unit[0][index];
    Vec<T, kRun> run;
    if constexpr (kTensors == 2) {
      for (int e = 0; e < kRun; ++e) {
        run[e] = static_cast<T>(
            function_(static_cast<float>(KTile::ElementOf(unit, i, e)),
                      static_cast<float>(KTile::ElementOf(k_tile.unit[1][index], i, e))));
      }
    } else if constexpr (kC.loads_of_unit(kSide) == 1 && kO.vector() == kRun) {
      run = unit[0];
    } else if constexpr (sizeof(T) == 1) {
      run = KTile::template RunOfBytes<kRun>(unit, i);
    } else {
      for (int e = 0; e < kRun; ++e) run[e] = KTile::ElementOf(unit, i, e);
    }
    *reinterpret_cast<Vec<T, kRun>*>(lds + kC.OffsetOfRun(kSide, row, k)) = run;
  }

  Buffer buffer_[kTensors];
  const UnitsOfLane<kC, kSide> units_of_lane_;
  const bool has_units_;
  KTable<kC, kSide> table_;
  const LaneCoordinate last_;
  const OfElement function_;
  LaneCoordinate row_[kC.row_slots(kSide)];
  int unit_ = 0, at_ = 0, terms_left_ = 0;  // for an operand that walks evenly
};

}  // namespace gridwise::ck
