// What becomes of each entity of a portion: its rows assembled, laid over its timeline, and the difference.
#include <fmt/format.h>

#include <algorithm>

#include "load/temporal_load.h"
#include "load/tuple_fields.h"

namespace lade::load {
namespace {

using analysis::kKeep;
using db::WireField;
using definition::Strategy;

model::Issue period_refusal(const analysis::EntryProgram& entry) {
  model::Issue issue;
  issue.code = "period_reversed";
  issue.message = fmt::format("the period for {} ends before it begins", entry.table.name);
  issue.hint = "correct the two dates; a period of one day has the same date twice";
  return issue;
}

model::Issue timeline_refusal(const analysis::EntryProgram& entry) {
  model::Issue issue;
  issue.code = "timeline_broken";
  issue.message = fmt::format("stored rows of {} hold for the same day, or have no period", entry.table.name);
  issue.hint = "correct the stored rows of this entity first";
  return issue;
}

}  // namespace

// Entities that have none yet get their ids, all at once.
Result<void> TemporalLoad::draw_ids() {
  if (period_.id_field < 0) return {};
  const auto at = static_cast<std::size_t>(period_.id_field);
  std::vector<Entity*> fresh;
  for (Entity& entity : entities_) {
    if (entity.slices > 0) {
      std::string_view tuple = stored_[entity.stored].tuple;
      for (std::size_t i = 0; i < at; ++i) db::take_field(tuple);
      scratch_.clear();
      append_whole(scratch_, db::take_field(tuple));
      entity.id = arena_.keep(scratch_);
    } else if (entity.id.empty() && !clips_) {
      fresh.push_back(&entity);
    }
  }
  if (fresh.empty()) return {};
  LADE_ASSIGN(const auto ids, timelines_.draw(entry_.fields[at].column, fresh.size()));
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    fresh[i]->id = arena_.keep(ids[i]);
    fresh[i]->drawn = true;
  }
  return {};
}

void TemporalLoad::skip(const Entity& entity, Action action) {
  for (std::uint32_t i = 0; i < entity.members; ++i) members_[entity.member + i].action = action;
}

void TemporalLoad::decide_entity(const Portion& portion, std::uint32_t index, std::vector<Refusal>& refusals) {
  const Entity& entity = entities_[index];
  if (entity.slices > 0 && entry_.strategy == Strategy::insert_only) return skip(entity, Action::skip_exists);
  if (entity.slices == 0 && clips_) return skip(entity, Action::skip_no_target);
  bool whole = true;
  for (std::uint32_t i = 0; i < entity.members; ++i)
    whole = assemble(portion, entity, members_[entity.member + i], refusals) && whole;
  if (!whole) return;
  const bool clipped = !is_root_ && portion.earlier[program_.root()]->clipped_periods(members_[entity.member].row);
  if (entity.members == 1 && entity.slices == 0 && !clipped) {
    insert_alone(index, members_[entity.member], refusals);
  } else {
    plan(portion, index, refusals);
  }
}

// The row's tuple for this table and its period; false when it has none.
bool TemporalLoad::assemble(const Portion& portion, const Entity& entity, Member& member,
                            std::vector<Refusal>& refusals) {
  split(portion.slice.rows[member.row].tuple, fields_);
  const auto from = days_.from(fields_[static_cast<std::size_t>(period_.from_slot)]);
  const auto until = days_.after(fields_[static_cast<std::size_t>(period_.to_slot)]);
  if (!from || !until || *from >= *until) {
    refusals.push_back({member.row, period_refusal(entry_)});
    return false;
  }
  member.period = {*from, *until};
  scratch_.clear();
  for (std::size_t at = 0; at < own_fields_; ++at) {
    if (static_cast<int>(at) == period_.id_field) {
      scratch_ += entity.id;
    } else if (static_cast<int>(at) == period_.from_field) {
      days_.append_from(scratch_, *from);
    } else if (static_cast<int>(at) == period_.until_field) {
      days_.append_until(scratch_, *until);
    } else {
      append_whole(scratch_, value_of(entry_.fields[at], portion, member.row));
    }
  }
  member.tuple = arena_.keep(scratch_);
  return true;
}

bool TemporalLoad::refuse_null(std::uint32_t row, const WireField* fields, std::vector<Refusal>& refusals) const {
  for (const std::size_t at : not_null_) {
    if (fields[at].length >= 0) continue;
    refusals.push_back({row, null_refusal(entry_, entry_.fields[at].column)});
    return true;
  }
  return false;
}

// A new entity of one row needs no plan.
void TemporalLoad::insert_alone(std::uint32_t entity, Member& member, std::vector<Refusal>& refusals) {
  split(member.tuple, pool_);
  if (refuse_null(member.row, pool_.data(), refusals)) return;
  std::string_view tuple = member.tuple;
  if (std::ranges::any_of(pool_, [](const WireField& field) { return field.length == kKeep; })) {
    scratch_.clear();
    for (WireField field : pool_) {
      if (field.length == kKeep) field.length = db::kNull;
      append_whole(scratch_, field);
    }
    tuple = arena_.keep(scratch_);
  }
  member.action = is_root_ ? Action::insert : Action::update;
  fresh_inserts_.push_back({member.row, entity, tuple, {}});
}

// The entity's stored slices, for the planner; false when they are no timeline.
bool TemporalLoad::add_stored(const Entity& entity) {
  plan_stored_.clear();
  for (std::uint32_t i = 0; i < entity.slices; ++i) {
    const StoredSlice& slice = stored_[entity.stored + i];
    const bool overlaps = !plan_stored_.empty() && plan_stored_.back().until > slice.from;
    if (slice.from >= slice.until || overlaps) return false;
    const std::size_t at = i * entry_.fields.size();
    std::string_view tuple = slice.tuple;
    for (std::size_t f = 0; f < entry_.fields.size(); ++f) pool_[at + f] = db::take_field(tuple);
    plan_stored_.push_back({slice.from, slice.until, pool_.data() + at});
  }
  return true;
}

void TemporalLoad::add_incoming(const Portion& portion, const Entity& entity) {
  plan_incoming_.clear();
  TableLoad* root = is_root_ ? nullptr : portion.earlier[program_.root()];
  for (std::uint32_t i = 0; i < entity.members; ++i) {
    const Member& member = members_[entity.member + i];
    const std::size_t at = (entity.slices + i) * entry_.fields.size();
    std::string_view tuple = member.tuple;
    for (std::size_t f = 0; f < own_fields_; ++f) pool_[at + f] = db::take_field(tuple);
    const std::vector<Period>* clipped = root == nullptr ? nullptr : root->clipped_periods(member.row);
    const std::span<const Period> periods = clipped == nullptr ? std::span(&member.period, 1) : std::span(*clipped);
    for (const Period& period : periods) plan_incoming_.push_back({{period.from, period.until, pool_.data() + at}, i});
  }
}

void TemporalLoad::plan(const Portion& portion, std::uint32_t index, std::vector<Refusal>& refusals) {
  const Entity& entity = entities_[index];
  pool_.assign((entity.slices + entity.members) * entry_.fields.size(), WireField{kKeep, nullptr});
  if (!add_stored(entity)) {
    for (std::uint32_t i = 0; i < entity.members; ++i)
      refusals.push_back({members_[entity.member + i].row, timeline_refusal(entry_)});
    return;
  }
  add_incoming(portion, entity);
  planner_.plan(plan_stored_, plan_incoming_, entity.members);
  for (const TimelineEdit& edit : planner_.edits()) add_edit(index, edit, refusals);
  set_actions(entity);
}

void TemporalLoad::add_edit(std::uint32_t index, const TimelineEdit& edit, std::vector<Refusal>& refusals) {
  const Entity& entity = entities_[index];
  const std::uint32_t row = members_[entity.member + edit.row].row;
  const bool is_insert = edit.kind == TimelineEdit::Kind::insert;
  const std::string_view before = is_insert ? std::string_view() : stored_[entity.stored + edit.stored].tuple;
  if (edit.kind == TimelineEdit::Kind::remove) {
    deletes_.push_back({row, index, {}, before});
    return;
  }
  const WireField* values = planner_.values(edit);
  if (refuse_null(row, values, refusals)) return;
  const bool fresh = is_insert && !edit.has_origin;
  scratch_.clear();
  for (std::size_t at = 0; at < (fresh ? own_fields_ : entry_.fields.size()); ++at) {
    if (static_cast<int>(at) == period_.from_field) {
      days_.append_from(scratch_, edit.from);
    } else if (static_cast<int>(at) == period_.until_field) {
      days_.append_until(scratch_, edit.until);
    } else {
      append_whole(scratch_, values[at]);
    }
  }
  auto& changes = fresh ? fresh_inserts_ : is_insert ? inserts_ : updates_;
  changes.push_back({row, index, arena_.keep(scratch_), before});
}

// The row that founds a new entity is the first in time of those that count.
void TemporalLoad::set_actions(const Entity& entity) {
  Member* founder = nullptr;
  for (std::uint32_t i = 0; i < entity.members; ++i) {
    Member& member = members_[entity.member + i];
    switch (planner_.feedback()[i]) {
      case RowFeedback::no_target: member.action = Action::skip_no_target; break;
      case RowFeedback::eclipsed: member.action = Action::skip_eclipsed; break;
      case RowFeedback::identical: member.action = Action::unchanged; break;
      case RowFeedback::applied:
        member.action = Action::update;
        if (founder == nullptr || member.period.from < founder->period.from) founder = &member;
    }
  }
  if (is_root_ && entity.slices == 0 && founder != nullptr) founder->action = Action::insert;
}

// A row's period within what is stored, touching parts as one.
const std::vector<TableLoad::Period>* TemporalLoad::clipped_periods(std::size_t row) {
  if (!clips_ || carrier_[row - begin_] == 0) return nullptr;
  const Member& member = members_[carrier_[row - begin_] - 1];
  const Entity& entity = entities_[member.entity];
  clipped_.clear();
  for (std::uint32_t i = 0; i < entity.slices; ++i) {
    const StoredSlice& slice = stored_[entity.stored + i];
    const Period part{std::max(slice.from, member.period.from), std::min(slice.until, member.period.until)};
    if (part.from >= part.until) continue;
    if (!clipped_.empty() && clipped_.back().until == part.from) {
      clipped_.back().until = part.until;
    } else {
      clipped_.push_back(part);
    }
  }
  return &clipped_;
}

}  // namespace lade::load
