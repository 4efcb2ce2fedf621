// SPDX-License-Identifier: MIT
#include "tools/sim/hip/host/device_printf.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise::sim {
namespace {

using ::testing::HasSubstr;

/// A message as device code makes it.
class Message {
 public:
  explicit Message(std::string_view format) { String(format); }

  Message& String(std::string_view text) {
    std::vector<uint64_t> words(text.size() / 8 + 1);
    std::memcpy(words.data(), text.data(), text.size());
    words_.insert(words_.end(), words.begin(), words.end());
    return *this;
  }
  Message& Word(uint64_t word) {
    words_.push_back(word);
    return *this;
  }
  Message& Double(double value) { return Word(std::bit_cast<uint64_t>(value)); }

  std::string Text() const { return FormatDevicePrintf(words_).value_or("an error"); }
  std::string Error() const { return std::string(FormatDevicePrintf(words_).status().message()); }

 private:
  std::vector<uint64_t> words_;
};

TEST(FormatDevicePrintf, IntegersHaveTheBitsOfTheirLength) {
  // Device code fills up with zeros, also what is negative.
  EXPECT_EQ(Message("%d %i").Word(0xffffffff).Word(7).Text(), "-1 7");
  EXPECT_EQ(Message("%hhd %hd").Word(0xfe).Word(0xfffd).Text(), "-2 -3");
  EXPECT_EQ(Message("%hhu %hu").Word(0x1fe).Word(0x1fffd).Text(), "254 65533");
  EXPECT_EQ(Message("%u %x %X %o").Word(0x1ffffffff).Word(255).Word(255).Word(8).Text(),
            "4294967295 ff FF 10");
  for (const char* length : {"l", "ll", "z", "j", "t"}) {
    const std::string format = std::string("%") + length + "d %" + length + "u";
    EXPECT_EQ(Message(format).Word(~uint64_t{0}).Word(~uint64_t{0}).Text(),
              "-1 18446744073709551615");
  }
}

TEST(FormatDevicePrintf, FloatsTextsAndPointers) {
  EXPECT_EQ(Message("%.1f %e %g %a").Double(0.25).Double(1.5).Double(1e100).Double(1).Text(),
            "0.2 1.500000e+00 1e+100 0x1p+0");
  EXPECT_EQ(Message("%s,%c,%s,%p").String("").Word('x').String("12345678").Word(0x10).Text(),
            ",x,12345678,0x10");
  EXPECT_EQ(Message("100%%").Text(), "100%");
  EXPECT_EQ(Message("").Text(), "");
}

TEST(FormatDevicePrintf, WidthAndPrecisionMayBeArguments) {
  EXPECT_EQ(Message("[%*d]").Word(5).Word(42).Text(), "[   42]");
  EXPECT_EQ(Message("[%*d]").Word(0xfffffffb).Word(42).Text(), "[42   ]");  // width -5
  EXPECT_EQ(Message("[%-*.*f]").Word(7).Word(2).Double(1.5).Text(), "[1.50   ]");
  EXPECT_EQ(Message("[%+05d] [%#x]").Word(3).Word(3).Text(), "[+0003] [0x3]");
}

TEST(FormatDevicePrintf, SaysWhatIsWrong) {
  EXPECT_EQ(Message("%d %d").Word(1).Error(),
            "format '%d %d': there is no argument for a conversion to 'd'");
  EXPECT_EQ(Message("%*d").Word(1).Error(),
            "format '%*d': there is no argument for a conversion to 'd'");
  EXPECT_THAT(Message("%n").Word(1).Error(), HasSubstr("a conversion to 'n' is not supported"));
  EXPECT_THAT(Message("%s").Word(~uint64_t{0}).Error(), HasSubstr("no argument"));  // no end
  EXPECT_THAT(Message("%hqd").Word(1).Error(), HasSubstr("is not one of C's"));
  const uint64_t endless = ~uint64_t{0};
  EXPECT_EQ(FormatDevicePrintf({&endless, 1}).status().message(), "the format does not end");
  EXPECT_EQ(FormatDevicePrintf({}).status().message(), "the format does not end");
}

}  // namespace
}  // namespace gridwise::sim
