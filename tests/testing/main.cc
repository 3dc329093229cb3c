#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

int main(int count, char** words) {
  std::signal(SIGPIPE, SIG_IGN);  // as the program does
  testing::InitGoogleMock(&count, words);
  return RUN_ALL_TESTS();
}
