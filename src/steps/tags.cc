#include "steps/kinds.h"

namespace lade::steps {
namespace {

using definition::DataColumn;
using definition::LoadEntry;
using definition::Step;

class TagsKind final : public StepKind {
 public:
  std::string_view name() const override { return "tags"; }
  std::span<const std::string_view> options() const override {
    static constexpr std::string_view kOptions[] = {"tags", "table", "column"};
    return kOptions;
  }

  Result<void> expand(const Step& step, Expansion& expansion) const override {
    const std::string path = option(step, "column", "tag_path");
    DataColumn given;
    given.name = path;
    expansion.add_column(step, std::move(given));
    DataColumn tag;
    tag.name = "tag_id";
    tag.purpose = DataColumn::Purpose::internal;
    tag.lookup = definition::Lookup{.table = option(step, "tags", "tag"),
                                    .match = {{path, "path"}},
                                    .take = "id",
                                    .missing = definition::MissingPolicy::warning};
    expansion.add_column(step, std::move(tag));
    for (const std::string& unit : units_of(expansion.definition())) {
      LoadEntry entry;
      entry.table = option(step, "table", "tag_for_unit");
      entry.key = {unit + "_id", "tag_id"};
      entry.strategy = expansion.strategy_of_parts();
      entry.columns = {Expansion::unit_reference(unit), {"tag_id", "tag_id", {}, {}}};
      entry.with = {"tag_id"};
      entry.temporal = expansion.temporal();
      entry.temporal->id = "id";
      for (const std::string& audit : entry.temporal->audit) entry.columns.push_back({audit, audit, {}, {}});
      expansion.add_entry(step, std::move(entry), Expansion::Rank::parts);
    }
    return {};
  }
};

}  // namespace

const StepKind& tags() {
  static const TagsKind kKind;
  return kKind;
}

}  // namespace lade::steps
