#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "definition/parse.h"

namespace lade::definition {

// A faulty definition and what must be said about it.
struct FaultCase {
  std::string_view name;
  std::string yaml;
  std::string_view code;
  int line;
  int column;
  std::string_view message;     // a part of it
  bool schema_sees_it = false;  // structure alone shows the fault
};

inline void PrintTo(const FaultCase& fault_case, std::ostream* out) {
  *out << fault_case.name;
}
inline std::string case_name(const ::testing::TestParamInfo<FaultCase>& info) {
  return std::string(info.param.name);
}

// A definition whose columns begin on line 4 at column 3.
inline std::string document(std::string_view columns, std::string_view rest = "load: [{table: t, key: a}]") {
  return "lade: 1\ndefinition: d\ncolumns:\n" + std::string(columns) + "\n" + std::string(rest) + "\n";
}

// The fault must be found with its place, alone, and the schema must agree with it.
inline void expect_fault(const FaultCase& expected) {
  const Parsed parsed = parse_definition(expected.yaml);
  const std::string all = expected.yaml + "\n" + describe(parsed.faults, "case.yaml");
  ASSERT_EQ(parsed.faults.size(), 1U) << all;
  const Fault& fault = parsed.faults.front();
  EXPECT_EQ(fault.code, expected.code) << all;
  EXPECT_EQ(fault.line, expected.line) << all;
  EXPECT_EQ(fault.column, expected.column) << all;
  EXPECT_THAT(fault.message, ::testing::HasSubstr(std::string(expected.message)));
  EXPECT_EQ(parsed.valid(), fault.warning);
  const auto opinion = check_schema(expected.yaml);
  EXPECT_EQ(!opinion.empty(), expected.schema_sees_it) << all << describe(opinion, "schema");
}

}  // namespace lade::definition
