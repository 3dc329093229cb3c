#include "steps/kinds.h"

namespace lade::steps {
namespace {

using definition::DataColumn;
using definition::Step;

class EditInfoKind final : public StepKind {
 public:
  std::string_view name() const override { return "edit_info"; }
  std::span<const std::string_view> options() const override {
    static constexpr std::string_view kOptions[] = {"user", "at"};
    return kOptions;
  }
  Result<void> expand(const Step& step, Expansion& expansion) const override {
    DataColumn user;
    user.name = option(step, "user", "edit_by_user_id");
    user.value = definition::FixedValue{"user_id", true};
    user.type.kind = definition::TypeKind::integer;
    user.type_given = true;
    user.purpose = DataColumn::Purpose::internal;
    expansion.add_column(step, std::move(user));
    DataColumn at;
    at.name = option(step, "at", "edit_at");
    at.expression = DataColumn::SourceExpression::now;
    at.type.kind = definition::TypeKind::timestamp;
    at.purpose = DataColumn::Purpose::internal;
    expansion.add_column(step, std::move(at));
    return {};
  }
};

class MetadataKind final : public StepKind {
 public:
  std::string_view name() const override { return "metadata"; }
};

}  // namespace

const StepKind& edit_info() {
  static const EditInfoKind kKind;
  return kKind;
}

const StepKind& metadata() {
  static const MetadataKind kKind;
  return kKind;
}

}  // namespace lade::steps
