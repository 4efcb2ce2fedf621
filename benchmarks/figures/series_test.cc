// SPDX-License-Identifier: MIT
#include "benchmarks/figures/series.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Support/JSON.h"
#include "tools/page/page_data.h"

namespace gridwise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

FigureLine Line(double computed, double measured, const std::string& machine = "a") {
  return {.date = "2026-11-29",
          .commit = "0123abc",
          .machine = machine,
          .computed = {{"layer, us", computed}},
          .measured = {{"plan, us", measured}}};
}

std::vector<std::string> Sentences(const std::vector<FigureLine>& series, const FigureLine& line) {
  std::vector<std::string> sentences;
  for (const FigureChange& change : FindChanges(series, line))
    sentences.push_back(change.ToString());
  return sentences;
}

TEST(Series, IsReadAsWhatWasPrinted) {
  const FigureLine line = Line(216.25, 1.0 / 3, "a \"CPU\", 4 cores");
  const std::string text = PrintLine(line);
  EXPECT_EQ(text.find('\n'), text.npos);
  const absl::StatusOr<std::vector<FigureLine>> series =
      ParseSeries(absl::StrCat(text, "\n\n", PrintLine(Line(1, 2))));
  ASSERT_TRUE(series.ok()) << series.status();
  ASSERT_EQ(series->size(), 2u);
  const FigureLine& read = series->front();
  EXPECT_EQ(read.date, line.date);
  EXPECT_EQ(read.commit, line.commit);
  EXPECT_EQ(read.machine, line.machine);
  EXPECT_EQ(read.computed, line.computed);
  EXPECT_EQ(read.measured, line.measured);
}

TEST(Series, RefusesLinesThatAreNone) {
  const std::string good = PrintLine(Line(1, 2));
  for (const char* bad :
       {"{", "[]", "{}", R"({"date":"d","commit":"c","machine":"m"})",
        R"({"date":"d","commit":"c","machine":"m","computed":{"x":"1"},"measured":{}})"}) {
    const absl::Status status = ParseSeries(absl::StrCat(good, "\n", bad, "\n")).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_THAT(status.message(), HasSubstr("line 2: ")) << bad;
  }
}

TEST(Changes, OfComputedFiguresAreOfHalfAPercent) {
  const std::vector<FigureLine> series = {Line(100, 10), Line(102, 10)};
  for (const double same : {99.51, 100.0, 101.0, 102.5})
    EXPECT_THAT(Sentences(series, Line(same, 10)), IsEmpty()) << same;
  EXPECT_THAT(Sentences(series, Line(99.4, 10)),
              ElementsAre("layer, us: 99.4, and was 100 to 102 in the last 2 nights"));
  EXPECT_THAT(Sentences(series, Line(102.6, 10, "another machine")),
              ElementsAre("layer, us: 102.6, and was 100 to 102 in the last 2 nights"));
  EXPECT_THAT(Sentences({Line(100, 10)}, Line(101, 10)),
              ElementsAre("layer, us: 101, and was 100 in the last night"));
}

TEST(Changes, OfMeasuredFiguresAreOfAQuarterAndOfTheSameMachine) {
  const std::vector<FigureLine> series = {Line(1, 10), Line(1, 12), Line(1, 100, "b")};
  for (const double same : {7.6, 10.0, 14.9})
    EXPECT_THAT(Sentences(series, Line(1, same)), IsEmpty()) << same;
  EXPECT_THAT(Sentences(series, Line(1, 7.4)),
              ElementsAre("plan, us: 7.4, and was 10 to 12 in the last 2 nights"));
  EXPECT_THAT(Sentences(series, Line(1, 15.1)),
              ElementsAre("plan, us: 15.1, and was 10 to 12 in the last 2 nights"));
  EXPECT_THAT(Sentences(series, Line(1, 500, "b")), IsEmpty()) << "its second night";
  EXPECT_THAT(Sentences(series, Line(1, 500, "c")), IsEmpty()) << "its first night";
}

TEST(Changes, AreToldOnceAndAfterSevenNightsAgain) {
  std::vector<FigureLine> series(7, Line(100, 1));
  series.push_back(Line(110, 1));
  EXPECT_THAT(Sentences(series, Line(110, 1)), IsEmpty());
  EXPECT_THAT(Sentences(series, Line(100, 1)), IsEmpty()) << "within what there was";
  series.insert(series.end(), 6, Line(110, 1));
  EXPECT_THAT(Sentences(series, Line(100, 1)),
              ElementsAre("layer, us: 100, and was 110 in the last 7 nights"));
}

TEST(Changes, AreFiguresThatAreMissing) {
  FigureLine line = Line(1, 2);
  line.computed = {{"another layer, us", 5}};
  EXPECT_THAT(Sentences({Line(1, 2)}, line),
              ElementsAre("layer, us: missing, and was 1 in the last night"));
}

TEST(Changes, PassOverLinesThatHaveNoSuchFigure) {
  FigureLine of_device = Line(1, 2, "H200");
  of_device.computed.clear();
  EXPECT_THAT(Sentences({Line(1, 2), of_device}, Line(2, 2)),
              ElementsAre("layer, us: 2, and was 1 in the last night"));
  EXPECT_THAT(Sentences({}, Line(1, 2)), IsEmpty());
}

TEST(Benchmarks, HaveMediansOfCounters) {
  const char report[] = R"({"context": {"num_cpus": 4}, "benchmarks": [
    {"name": "plan/a", "run_name": "plan/a", "run_type": "iteration", "per_problem": 9e-6},
    {"name": "plan/a_mean", "run_name": "plan/a", "aggregate_name": "mean", "per_problem": 8e-6},
    {"name": "plan/a_median", "run_name": "plan/a", "aggregate_name": "median", "per_problem": 7e-6},
    {"name": "Gemm_median", "run_name": "Gemm", "aggregate_name": "median", "flops": 5e10},
    {"name": "v_add_median", "run_name": "v_add", "aggregate_name": "median", "instructions": 2e8},
    {"name": "other_median", "run_name": "other", "aggregate_name": "median", "real_time": 3}]})";
  Figures figures = {{"build, s", 1}};
  ASSERT_TRUE(AddBenchmarks(report, figures).ok());
  EXPECT_THAT(figures, UnorderedElementsAre(Pair("build, s", 1), Pair("plan/a, us", 7),
                                            Pair("Gemm, GFLOP/s", 50),
                                            Pair("v_add, M instructions/s", 200)));
}

TEST(Benchmarks, ThatFailedAreErrors) {
  Figures figures;
  EXPECT_THAT(AddBenchmarks(R"({"benchmarks": [{"name": "plan/a", "error_occurred": true,
                                "error_message": "no plan"}]})",
                            figures)
                  .message(),
              HasSubstr("plan/a: no plan"));
  for (const char* none : {"", "[]", "{}", "{\"benchmarks\": []}"})
    EXPECT_EQ(AddBenchmarks(none, figures).code(), absl::StatusCode::kInvalidArgument) << none;
  EXPECT_THAT(figures, IsEmpty());
}

TEST(Page, HasLinesAndChanges) {
  const std::vector<FigureLine> series = {Line(100, 1), Line(200, 1)};
  const absl::StatusOr<llvm::json::Value> data =
      PageData(SeriesPage(series, FindChanges({series.front()}, series.back())));
  ASSERT_TRUE(data.ok()) << data.status();
  const llvm::json::Object& object = *data->getAsObject();
  EXPECT_EQ(object.getArray("lines")->size(), 2u);
  ASSERT_EQ(object.getArray("changes")->size(), 1u);
  EXPECT_EQ((*object.getArray("changes"))[0].getAsString()->str(),
            "layer, us: 200, and was 100 in the last night");
}

}  // namespace
}  // namespace gridwise
