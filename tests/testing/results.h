#pragma once

#include <gtest/gtest.h>

#include "base/result.h"

// EXPECT_OK(expression) and ASSERT_OK(expression): a Result that must hold; a failure shows its error.
// EXPECT_FAILS(expression, code): a Result that must fail with this code.
namespace lade::testing {

template <class T>
::testing::AssertionResult is_ok(const char* expression, const Result<T>& result) {
  if (result) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << expression << " failed: " << result.error().code << ": "
                                       << result.error().message;
}

template <class T>
::testing::AssertionResult fails_with(const char* expression, const char*, const Result<T>& result,
                                      const std::string& code) {
  if (result) return ::testing::AssertionFailure() << expression << " succeeded instead of failing with " << code;
  if (result.error().code == code) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << expression << " failed with " << result.error().code << " ("
                                       << result.error().message << ") instead of " << code;
}

}  // namespace lade::testing

#define EXPECT_OK(expression) EXPECT_PRED_FORMAT1(::lade::testing::is_ok, expression)
#define ASSERT_OK(expression) ASSERT_PRED_FORMAT1(::lade::testing::is_ok, expression)
#define EXPECT_FAILS(expression, code) EXPECT_PRED_FORMAT2(::lade::testing::fails_with, expression, code)
#define ASSERT_FAILS(expression, code) ASSERT_PRED_FORMAT2(::lade::testing::fails_with, expression, code)
