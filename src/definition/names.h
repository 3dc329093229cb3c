#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "definition/definition.h"

namespace lade::definition {

// How a value of an enumeration is written in a definition. Reading, writing and messages use the same tables.
template <class Enumeration>
struct Named {
  std::string_view name;
  Enumeration value;
};

template <class Enumeration>
inline constexpr Named<Enumeration> kNames[] = {};

template <>
inline constexpr Named<TypeKind> kNames<TypeKind>[] = {
    {"text", TypeKind::text},       {"integer", TypeKind::integer}, {"decimal", TypeKind::decimal},
    {"boolean", TypeKind::boolean}, {"date", TypeKind::date},       {"timestamp", TypeKind::timestamp},
    {"uuid", TypeKind::uuid},       {"json", TypeKind::json}};
template <>
inline constexpr Named<Severity> kNames<Severity>[] = {{"error", Severity::error}, {"warning", Severity::warning}};
template <>
inline constexpr Named<BlankPolicy> kNames<BlankPolicy>[] = {{"null", BlankPolicy::null},
                                                             {"keep", BlankPolicy::keep},
                                                             {"clear", BlankPolicy::clear},
                                                             {"error", BlankPolicy::error}};
template <>
inline constexpr Named<MissingPolicy> kNames<MissingPolicy>[] = {
    {"error", MissingPolicy::error}, {"warning", MissingPolicy::warning}, {"null", MissingPolicy::null}};
template <>
inline constexpr Named<ManyPolicy> kNames<ManyPolicy>[] = {
    {"error", ManyPolicy::error}, {"warning", ManyPolicy::warning}, {"first", ManyPolicy::first}};
template <>
inline constexpr Named<DataColumn::SourceExpression> kNames<DataColumn::SourceExpression>[] = {
    {"now", DataColumn::SourceExpression::now}, {"default", DataColumn::SourceExpression::default_value}};
template <>
inline constexpr Named<Strategy> kNames<Strategy>[] = {{"append", Strategy::append},
                                                       {"insert_only", Strategy::insert_only},
                                                       {"insert_or_replace", Strategy::insert_or_replace},
                                                       {"insert_or_update", Strategy::insert_or_update},
                                                       {"replace_only", Strategy::replace_only},
                                                       {"update_only", Strategy::update_only},
                                                       {"replace_set", Strategy::replace_set}};
template <>
inline constexpr Named<DuplicatePolicy> kNames<DuplicatePolicy>[] = {{"first", DuplicatePolicy::first},
                                                                     {"last", DuplicatePolicy::last},
                                                                     {"reject", DuplicatePolicy::reject},
                                                                     {"merge", DuplicatePolicy::merge}};
template <>
inline constexpr Named<Aggregate> kNames<Aggregate>[] = {
    {"last", Aggregate::last}, {"first", Aggregate::first}, {"sum", Aggregate::sum},  {"min", Aggregate::min},
    {"max", Aggregate::max},   {"count", Aggregate::count}, {"join", Aggregate::join}};
template <>
inline constexpr Named<Partition> kNames<Partition>[] = {
    {"range", Partition::range}, {"hash", Partition::hash}, {"single", Partition::single}};
template <>
inline constexpr Named<Commit> kNames<Commit>[] = {{"per_bucket", Commit::per_bucket},
                                                   {"all_or_nothing", Commit::all_or_nothing}};
template <>
inline constexpr Named<FailWhen> kNames<FailWhen>[] = {
    {"never", FailWhen::never}, {"any_failed", FailWhen::any_failed}, {"all_failed", FailWhen::all_failed}};
template <>
inline constexpr Named<Review> kNames<Review>[] = {
    {"never", Review::never}, {"always", Review::always}, {"on_issues", Review::on_issues}};
template <>
inline constexpr Named<Lock> kNames<Lock>[] = {{"none", Lock::none}, {"target", Lock::target}};
template <>
inline constexpr Named<RaggedPolicy> kNames<RaggedPolicy>[] = {{"error", RaggedPolicy::error},
                                                               {"pad", RaggedPolicy::pad}};
template <>
inline constexpr Named<MergedPolicy> kNames<MergedPolicy>[] = {{"first", MergedPolicy::first},
                                                               {"repeat", MergedPolicy::repeat}};

template <>
inline constexpr Named<DataColumn::Purpose> kNames<DataColumn::Purpose>[] = {
    {"source_input", DataColumn::Purpose::source_input},
    {"internal", DataColumn::Purpose::internal},
    {"pk_id", DataColumn::Purpose::pk_id}};
template <>
inline constexpr Named<Mode> kNames<Mode>[] = {{"legal_unit", Mode::legal_unit},
                                               {"establishment_formal", Mode::establishment_formal},
                                               {"establishment_informal", Mode::establishment_informal},
                                               {"generic_unit", Mode::generic_unit}};
template <>
inline constexpr Named<ValidTimeFrom> kNames<ValidTimeFrom>[] = {{"job_provided", ValidTimeFrom::job_provided},
                                                                 {"source_columns", ValidTimeFrom::source_columns}};

template <class Enumeration>
std::string_view name_of(Enumeration value) {
  for (const auto& named : kNames<Enumeration>)
    if (named.value == value) return named.name;
  return {};
}

template <class Enumeration>
std::vector<std::string_view> names_of() {
  std::vector<std::string_view> names;
  for (const auto& named : kNames<Enumeration>) names.push_back(named.name);
  return names;
}

}  // namespace lade::definition
