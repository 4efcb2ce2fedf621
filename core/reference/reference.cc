// SPDX-License-Identifier: MIT
#include "core/reference/reference.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "core/base/math.h"
#include "core/conv/problem.h"
#include "core/conv/validate.h"
#include "core/reference/reference_tile.h"

namespace gridwise {
namespace {

constexpr int64_t kTileRows = ReferenceTile::kRows;
constexpr int64_t kTileCols = ReferenceTile::kCols;
constexpr int64_t kMaxSteps = ReferenceTile::kMaxSteps;

using Pixel = std::array<int64_t, 3>;  // d, h, w

/// The convolution's own relation on one axis, i = o * stride + tap * dilation - pad_begin, as a
/// table: for a pixel on one side and a tap, the pixel on the other side, or -1.
struct AxisTable {
  int64_t pixels;                ///< on the side that is looked up
  std::vector<int64_t> partner;  ///< [tap][pixel]

  int64_t At(int64_t tap, int64_t pixel) const { return partner[tap * pixels + pixel]; }
};

/// Looks up input pixels by output pixel, or with `by_input` output pixels by input pixel.
AxisTable MakeAxisTable(const Dim& dim, bool by_input) {
  AxisTable table{.pixels = by_input ? dim.in : dim.out(), .partner = {}};
  table.partner.assign(static_cast<size_t>(dim.filter * table.pixels), -1);
  for (int64_t o = 0; o < dim.out(); ++o) {
    for (int64_t tap = 0; tap < dim.filter; ++tap) {
      const int64_t i = o * dim.stride + tap * dim.dilation - dim.pad_begin;
      if (i < 0 || i >= dim.in) continue;
      table.partner[tap * table.pixels + (by_input ? i : o)] = by_input ? o : i;
    }
  }
  return table;
}

/// Shared by the tiles of one call.
struct Job {
  explicit Job(const ConvProblem& problem) : p(problem) {
    const bool by_input = p.direction == Direction::kBackwardData;
    for (size_t axis = 0; axis < 3; ++axis) {
      tables[axis] = MakeAxisTable(p.dims[axis], by_input);
      source_pixels[axis] = by_input ? p.dims[axis].out() : p.dims[axis].in;
    }
  }

  Pixel TapOf(int64_t tap) const {
    const int64_t x = p.dims[2].filter, y = p.dims[1].filter;
    return {tap / x / y, tap / x % y, tap % x};
  }

  /// Index within an image of the pixel that `tap` pairs with `pixel`, or -1.
  int64_t Source(const Pixel& pixel, const Pixel& tap) const {
    int64_t index = 0;
    for (size_t axis = 0; axis < 3; ++axis) {
      const int64_t partner = tables[axis].At(tap[axis], pixel[axis]);
      if (partner < 0) return -1;
      index = index * source_pixels[axis] + partner;
    }
    return index;
  }
  int64_t source_image() const { return source_pixels[0] * source_pixels[1] * source_pixels[2]; }

  ConvProblem p;
  std::array<AxisTable, 3> tables;
  Pixel source_pixels;
};

/// Pixels first + step * j, 0 <= j < count, per axis, in every image. In backward-data, pixels that
/// are a stride apart meet the same taps, so a tile of them skips the other taps.
struct Lattice {
  Pixel first = {0, 0, 0}, step = {1, 1, 1}, count;

  int64_t rows(int64_t batch) const { return batch * count[0] * count[1] * count[2]; }
  /// Whether the tap leads from these pixels to pixels of the source, inside or outside of it.
  bool Meets(const ConvProblem& p, const Pixel& tap) const {
    if (p.direction != Direction::kBackwardData) return true;
    for (size_t axis = 0; axis < 3; ++axis) {
      const Dim& dim = p.dims[axis];
      const int64_t steps = first[axis] + dim.pad_begin - tap[axis] * dim.dilation;
      if (steps % dim.stride != 0) return false;
    }
    return true;
  }
};

std::vector<Lattice> MakeLattices(const ConvProblem& p) {
  const auto& [d, h, w] = p.dims;
  if (p.direction == Direction::kForward) return {{.count = {d.out(), h.out(), w.out()}}};
  std::vector<Lattice> lattices;
  for (int64_t a = 0; a < std::min(d.stride, d.in); ++a) {
    for (int64_t b = 0; b < std::min(h.stride, h.in); ++b) {
      for (int64_t c = 0; c < std::min(w.stride, w.in); ++c) {
        lattices.push_back({.first = {a, b, c},
                            .step = {d.stride, h.stride, w.stride},
                            .count = {CeilDiv(d.in - a, d.stride), CeilDiv(h.in - b, h.stride),
                                      CeilDiv(w.in - c, w.stride)}});
      }
    }
  }
  return lattices;
}

/// Calls body(tile, item) for each item in [0, items), each once, on `threads` threads.
template <typename Body>
void ParallelFor(int64_t items, int threads, const Body& body) {
  std::atomic<int64_t> next = 0;
  const auto work = [&] {
    ReferenceTile tile;
    for (int64_t item; (item = next.fetch_add(1)) < items;) body(tile, item);
  };
  const int64_t cores = threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> helpers;
  for (int64_t i = 1; i < std::min(cores, items); ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
}

// ---- Forward and backward-data: a row of the tile is a pixel of y or dx, a column is one of its
// channels, and the terms are taps times the channels of the source (x or dy).

struct PixelOperands {
  const float* source;                    ///< x or dy
  const float* filter;                    ///< w
  double* out;                            ///< y or dx
  int64_t source_channels, out_channels;  ///< per group
};

struct RowPixel {
  int64_t n = 0;
  Pixel pixel = {};
  int64_t out_index = 0;  ///< of the pixel in the output tensor
};

RowPixel LocateRow(const Job& job, const Lattice& lattice, int64_t row) {
  RowPixel result;
  for (size_t axis = 3; axis-- > 0;) {
    result.pixel[axis] = lattice.first[axis] + lattice.step[axis] * (row % lattice.count[axis]);
    row /= lattice.count[axis];
  }
  result.n = result.out_index = row;
  for (size_t axis = 0; axis < 3; ++axis) {
    result.out_index = result.out_index * job.tables[axis].pixels + result.pixel[axis];
  }
  return result;
}

/// Adds the terms of one tap and channels [c0, c0 + count) of the source. `rows` are null where
/// the source pixel is padding.
void AddTapTerms(const Job& job, const PixelOperands& t, std::span<const float* const> rows,
                 int64_t group, int64_t first_col, int64_t cols, int64_t tap, int64_t c0,
                 int64_t count, ReferenceTile& tile) {
  const int step = tile.AddSteps(static_cast<int>(count));
  std::array<const float*, kTileRows> starts;
  for (size_t row = 0; row < rows.size(); ++row) starts[row] = rows[row] ? rows[row] + c0 : nullptr;
  tile.a().SetSteps(step, {starts.data(), rows.size()}, static_cast<int>(count));

  const auto filter_row = [&](int64_t k) {  // w[group][k][tap]
    return t.filter +
           ((group * job.p.k_per_group() + k) * job.p.filter_taps() + tap) * job.p.c_per_group();
  };
  if (job.p.direction == Direction::kForward) {
    std::array<const float*, kTileCols> lines;
    for (int64_t col = 0; col < cols; ++col) lines[col] = filter_row(first_col + col) + c0;
    tile.b().SetSteps(step, {lines.data(), static_cast<size_t>(cols)}, static_cast<int>(count));
  } else {
    for (int64_t i = 0; i < count; ++i) {
      tile.b().SetLines(step + static_cast<int>(i), 0, filter_row(c0 + i) + first_col,
                        static_cast<int>(cols));
    }
  }
}

void PixelTile(const Job& job, const PixelOperands& t, const Lattice& lattice, int64_t first_row,
               int64_t group, int64_t first_col, ReferenceTile& tile) {
  const int64_t row_count = std::min(kTileRows, lattice.rows(job.p.batch) - first_row);
  const int64_t cols = std::min(kTileCols, t.out_channels - first_col);
  std::array<RowPixel, kTileRows> rows;
  for (int64_t row = 0; row < row_count; ++row) {
    rows[row] = LocateRow(job, lattice, first_row + row);
  }
  tile.Reset(static_cast<int>(row_count), static_cast<int>(cols));
  for (int64_t tap = 0; tap < job.p.filter_taps(); ++tap) {
    const Pixel tap_pixel = job.TapOf(tap);
    if (!lattice.Meets(job.p, tap_pixel)) continue;
    std::array<const float*, kTileRows> starts;
    for (int64_t row = 0; row < row_count; ++row) {
      const int64_t pixel = job.Source(rows[row].pixel, tap_pixel);
      const int64_t at = rows[row].n * job.source_image() + pixel;
      starts[row] =
          pixel < 0 ? nullptr : t.source + (at * job.p.groups + group) * t.source_channels;
    }
    for (int64_t c0 = 0; c0 < t.source_channels; c0 += kMaxSteps) {
      AddTapTerms(job, t, {starts.data(), static_cast<size_t>(row_count)}, group, first_col, cols,
                  tap, c0, std::min(kMaxSteps, t.source_channels - c0), tile);
    }
  }
  tile.Multiply();
  for (int64_t row = 0; row < row_count; ++row) {
    double* to = t.out + (rows[row].out_index * job.p.groups + group) * t.out_channels + first_col;
    for (int col = 0; col < cols; ++col) to[col] = tile.At(static_cast<int>(row), col);
  }
}

void RunPixels(const Job& job, const PixelOperands& t, int threads) {
  struct RowTile {
    const Lattice* lattice;
    int64_t first_row;
  };
  const std::vector<Lattice> lattices = MakeLattices(job.p);
  std::vector<RowTile> row_tiles;
  for (const Lattice& lattice : lattices) {
    for (int64_t row = 0; row < lattice.rows(job.p.batch); row += kTileRows) {
      row_tiles.push_back({&lattice, row});
    }
  }
  const int64_t col_tiles = CeilDiv(t.out_channels, kTileCols);
  const int64_t per_row_tile = job.p.groups * col_tiles;
  const int64_t items = static_cast<int64_t>(row_tiles.size()) * per_row_tile;
  ParallelFor(items, threads, [&](ReferenceTile& tile, int64_t item) {
    const RowTile& rows = row_tiles[item / per_row_tile];
    const int64_t rest = item % per_row_tile;
    PixelTile(job, t, *rows.lattice, rows.first_row, rest / col_tiles, rest % col_tiles * kTileCols,
              tile);
  });
}

// ---- Backward-weight: a row of the tile is an output channel, its columns are strips of input
// channels, each of one tap, and the terms are the output pixels of all images.

struct Strip {
  int64_t tap, first_channel, channels;
  int first_col;  ///< in the tile; a multiple of the register block
};

/// Cuts the taps times the channels of a group into tiles of strips.
std::vector<std::vector<Strip>> MakeStripTiles(const ConvProblem& p) {
  std::vector<std::vector<Strip>> tiles(1);
  int col = 0;
  for (int64_t tap = 0; tap < p.filter_taps(); ++tap) {
    for (int64_t c0 = 0; c0 < p.c_per_group(); c0 += kTileCols) {
      const int64_t channels = std::min(kTileCols, p.c_per_group() - c0);
      const int width = AlignUp(static_cast<int>(channels), ReferenceTile::kBlockCols);
      if (col + width > kTileCols) {
        tiles.emplace_back();
        col = 0;
      }
      tiles.back().push_back({tap, c0, channels, col});
      col += width;
    }
  }
  return tiles;
}

void WeightTile(const Job& job, std::span<const Strip> strips, const float* dy, const float* x,
                int64_t group, int64_t first_row, double* dw, ReferenceTile& tile) {
  const ConvProblem& p = job.p;
  const int rows = static_cast<int>(std::min(kTileRows, p.k_per_group() - first_row));
  tile.Reset(rows, strips.back().first_col + static_cast<int>(strips.back().channels));
  const Lattice outs = {.count = {p.dims[0].out(), p.dims[1].out(), p.dims[2].out()}};
  std::vector<Pixel> taps;
  for (const Strip& strip : strips) taps.push_back(job.TapOf(strip.tap));
  for (int64_t term = 0; term < outs.rows(p.batch); ++term) {
    const RowPixel at = LocateRow(job, outs, term);
    const int step = tile.AddSteps(1);
    tile.a().SetLines(step, 0, dy + (term * p.groups + group) * p.k_per_group() + first_row, rows);
    for (size_t i = 0; i < strips.size(); ++i) {
      const int64_t pixel = job.Source(at.pixel, taps[i]);
      const float* start = nullptr;
      if (pixel >= 0) {
        const int64_t element = at.n * job.source_image() + pixel;
        start = x + (element * p.groups + group) * p.c_per_group() + strips[i].first_channel;
      }
      tile.b().SetLines(step, strips[i].first_col, start, static_cast<int>(strips[i].channels));
    }
  }
  tile.Multiply();
  for (int row = 0; row < rows; ++row) {
    for (const Strip& strip : strips) {
      const int64_t k = group * p.k_per_group() + first_row + row;
      double* to = dw + (k * p.filter_taps() + strip.tap) * p.c_per_group() + strip.first_channel;
      for (int c = 0; c < strip.channels; ++c) to[c] = tile.At(row, strip.first_col + c);
    }
  }
}

void RunWeights(const Job& job, const float* dy, const float* x, double* dw, int threads) {
  const std::vector<std::vector<Strip>> tiles = MakeStripTiles(job.p);
  const int64_t strip_tiles = static_cast<int64_t>(tiles.size());
  const int64_t row_tiles = CeilDiv(job.p.k_per_group(), kTileRows);
  ParallelFor(job.p.groups * row_tiles * strip_tiles, threads,
              [&](ReferenceTile& tile, int64_t item) {
                const int64_t rest = item / strip_tiles;
                WeightTile(job, tiles[item % strip_tiles], dy, x, rest / row_tiles,
                           rest % row_tiles * kTileRows, dw, tile);
              });
}

absl::Status CheckSize(const char* operand, size_t size, int64_t elements) {
  if (size == static_cast<size_t>(elements)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("%s has %d elements; must have %d", operand, size, elements));
}

}  // namespace

absl::Status Reference(const ConvProblem& problem, std::span<const float> a,
                       std::span<const float> b, std::span<double> out, int threads) {
  if (absl::Status s = Validate(problem); !s.ok()) return s;
  if (absl::Status s = CheckSize("a", a.size(), problem.a_elements()); !s.ok()) return s;
  if (absl::Status s = CheckSize("b", b.size(), problem.b_elements()); !s.ok()) return s;
  if (absl::Status s = CheckSize("out", out.size(), problem.out_elements()); !s.ok()) return s;
  const Job job(problem);
  const int64_t c = problem.c_per_group(), k = problem.k_per_group();
  switch (problem.direction) {
    case Direction::kForward:
      RunPixels(job, {a.data(), b.data(), out.data(), c, k}, threads);
      break;
    case Direction::kBackwardData:
      RunPixels(job, {a.data(), b.data(), out.data(), k, c}, threads);
      break;
    case Direction::kBackwardWeight:
      RunWeights(job, a.data(), b.data(), out.data(), threads);
      break;
  }
  return absl::OkStatus();
}

}  // namespace gridwise
