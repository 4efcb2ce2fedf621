// SPDX-License-Identifier: MIT
#include "tools/gridwise/problem/npy.h"

#include <cstring>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// What numpy.save(f, numpy.arange(6, dtype='<f4').reshape(2, 3)) of NumPy 1.24 writes before the
// data: 128 bytes.
std::string NumpyFile() {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  header.append(117 - header.size(), ' ');
  std::string file = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n";
  for (float value : {0.f, 1.f, 2.f, 3.f, 4.f, 5.f}) {
    file.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  return file;
}

std::string WithHeader(absl::string_view header, int data_bytes) {
  const char length[] = {static_cast<char>(header.size()), 0};
  return absl::StrCat(absl::string_view("\x93NUMPY\x01\x00", 8), absl::string_view(length, 2),
                      header, std::string(static_cast<size_t>(data_bytes), '\0'));
}

std::string ErrorOf(absl::string_view bytes) {
  const absl::StatusOr<NpyArray> array = ParseNpy("f.npy", bytes);
  return array.ok() ? "no error" : std::string(array.status().message());
}

TEST(NpyTest, ReadsWhatNumpyWrites) {
  ASSERT_EQ(NumpyFile().size(), 128 + 24);
  const absl::StatusOr<NpyArray> array = ParseNpy("f.npy", NumpyFile());
  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_EQ(array->type, DataType::kF32);
  EXPECT_THAT(array->shape, ElementsAre(2, 3));
  float last = 0;
  std::memcpy(&last, array->data.data() + 20, sizeof(last));
  EXPECT_EQ(last, 5.f);
}

TEST(NpyTest, WritesWhatNumpyWrites) {
  const absl::StatusOr<NpyArray> array = ParseNpy("f.npy", NumpyFile());
  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_EQ(NpyHeader(*array), NumpyFile().substr(0, 128));
}

TEST(NpyTest, RoundTripsThroughAFile) {
  const std::string path = testing::TempDir() + "/round_trip.npy";
  NpyArray array{.type = DataType::kF16, .shape = {3}, .data = {}};
  for (int i = 0; i < 6; ++i) array.data.push_back(static_cast<std::byte>(i));
  ASSERT_TRUE(WriteNpy(path, array).ok());
  const absl::StatusOr<NpyArray> read = ReadNpy(path);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->type, DataType::kF16);
  EXPECT_THAT(read->shape, ElementsAre(3));
  EXPECT_EQ(read->data, array.data);
}

TEST(NpyTest, ScalarHasOneElement) {
  const absl::StatusOr<NpyArray> array =
      ParseNpy("f.npy", WithHeader("{'descr': '<f2', 'fortran_order': False, 'shape': (), }", 2));
  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_EQ(array->elements(), 1);
}

TEST(NpyTest, NamesWhatIsWrong) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("signature"));
  EXPECT_THAT(ErrorOf("PK\x03\x04 this is a zip file, as .npz files are"), HasSubstr("signature"));
  EXPECT_THAT(ErrorOf(NumpyFile().substr(0, 40)), HasSubstr("within its header"));
  EXPECT_THAT(ErrorOf(NumpyFile().substr(0, 140)),
              HasSubstr("[2, 3] of f32 needs 24 bytes of data and it has 12"));
  EXPECT_THAT(ErrorOf(NumpyFile() + "x"), HasSubstr("needs 24 bytes of data and it has 25"));
  EXPECT_THAT(ErrorOf(WithHeader("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", 8)),
              HasSubstr("'<f8'"));
  EXPECT_THAT(ErrorOf(WithHeader("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", 4)),
              HasSubstr("'>f4'"));
  EXPECT_THAT(ErrorOf(WithHeader("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", 4)),
              HasSubstr("Fortran order"));
  EXPECT_THAT(ErrorOf(WithHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", 4)),
              HasSubstr("'-1'"));
  EXPECT_THAT(
      ErrorOf(WithHeader(
          "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", 4)),
      HasSubstr("extent '4294967296'"));
  EXPECT_THAT(ErrorOf(WithHeader("{'descr': '<f4', 'fortran_order': False}", 4)),
              HasSubstr("no shape"));
  EXPECT_THAT(ErrorOf(WithHeader("{}", 4)), HasSubstr("missing"));
}

TEST(NpyTest, EveryTruncationIsAnErrorAndNotACrash) {
  const std::string file = NumpyFile();
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(ParseNpy("f.npy", absl::string_view(file).substr(0, size)).ok()) << size;
  }
}

TEST(NpyTest, UnreadablePathsAreNamed) {
  EXPECT_THAT(ReadNpy("/no/such/file.npy").status().message(),
              HasSubstr("/no/such/file.npy: No such file"));
  EXPECT_THAT(ReadNpy("/").status().message(), HasSubstr("cannot read /"));
  EXPECT_THAT(WriteNpy("/no/such/folder/x.npy", {}).message(),
              HasSubstr("cannot write /no/such/folder/x.npy"));
}

}  // namespace
}  // namespace gridwise
