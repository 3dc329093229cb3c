// S25: the definition of a job in the shape of Statbus' snapshot.
#include "jobs/definition_snapshot.h"

#include <boost/json.hpp>

#include "testing/analysed.h"

namespace lade::jobs {
namespace {

namespace json = boost::json;

TEST(DefinitionSnapshot, HasEveryPartWithItsNames) {
  const auto definition = testing::definition_of(
      "name: Units\nmode: legal_unit\nstrategy: insert_or_replace\nvalid_time_from: job_provided\n"
      "steps:\n"
      "  valid_time: {priority: 10}\n"
      "  legal_unit: {priority: 20, kind: table, prefix: u_, columns: {name: {from: [Name, Title]}, kind: {value: "
      "x}}}\n");
  const json::object plain = json::parse(definition_snapshot(definition)).as_object();
  EXPECT_FALSE(plain.contains("time_context"));
  const TimeContext year{"2024", "The year", "2024-01-01", "2024-12-31"};
  const json::object snapshot = json::parse(definition_snapshot(definition, year)).as_object();
  std::vector<std::string> keys;
  for (const auto& member : snapshot) keys.emplace_back(member.key());
  EXPECT_EQ(keys,
            (std::vector<std::string>{"import_definition", "time_context", "import_step_list",
                                      "import_data_column_list", "import_source_column_list", "import_mapping_list"}));
  EXPECT_EQ(json::serialize(snapshot.at("import_definition")),
            R"({"slug":"test","name":"Units","note":null,"strategy":"insert_or_replace","mode":"legal_unit",)"
            R"("valid_time_from":"job_provided","valid":true,"validation_error":null})");
  EXPECT_EQ(json::serialize(snapshot.at("time_context")),
            R"({"ident":"2024","name":"The year","valid_from":"2024-01-01","valid_to":"2024-12-31"})");
  EXPECT_EQ(json::serialize(snapshot.at("import_step_list").as_array().at(1)),
            R"({"code":"legal_unit","name":"legal_unit","priority":20,"kind":"table","analyse_procedure":null,)"
            R"("process_procedure":null,"options":{"prefix":"u_"}})");
  EXPECT_EQ(json::serialize(snapshot.at("import_source_column_list")),
            R"([{"column_name":"Name","priority":1},{"column_name":"Title","priority":2}])");
  const json::array& mappings = snapshot.at("import_mapping_list").as_array();
  ASSERT_EQ(mappings.size(), 3U);
  EXPECT_EQ(json::serialize(mappings[1]),
            R"({"mapping":{"source_column_name":"Title","source_value":null,"source_expression":null,)"
            R"("target_data_column_name":"name"},"source_column":{"column_name":"Title","priority":2},)"
            R"("target_data_column":{"step_code":"legal_unit","column_name":"name","column_type":"TEXT",)"
            R"("purpose":"source_input","is_nullable":true,"default_value":null,"is_uniquely_identifying":false}})");
  EXPECT_TRUE(mappings[2].at("source_column").is_null());
  EXPECT_EQ(mappings[2].at("mapping").at("source_value").as_string(), "x");
}

}  // namespace
}  // namespace lade::jobs
