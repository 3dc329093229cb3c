#include "analysis/evaluate.h"

#include <algorithm>

namespace lade::analysis {
namespace {

using definition::Expression;
using definition::Operation;
using definition::TypeKind;

constexpr int kDivisionDecimals = 12;

// A value inside an expression; numbers are number · 10^-scale.
struct Operand {
  enum class Kind { blank, number, text, boolean, date, timestamp, uuid } kind = Kind::blank;
  Int128 number = 0;
  int scale = 0;
  std::string_view text;
};

using Kind = Operand::Kind;

// The bytes as one number; its top bit is flipped, so that numbers sort like the bytes.
Int128 big_endian(const unsigned char (&bytes)[16]) {
  UInt128 number = 0;
  for (const unsigned char byte : bytes) number = number << 8 | byte;
  return static_cast<Int128>(number ^ (UInt128{1} << 127));
}

bool rescale(Operand& operand, int scale) {
  for (; operand.scale < scale; ++operand.scale)
    if (__builtin_mul_overflow(operand.number, Int128{10}, &operand.number)) return false;
  return true;
}

bool align(Operand& left, Operand& right) {
  const int scale = std::max(left.scale, right.scale);
  return rescale(left, scale) && rescale(right, scale);
}

class Evaluation {
 public:
  Evaluation(const CheckProgram& check, const Program& program, const std::vector<TypedColumn>& columns,
             std::size_t row)
      : check_(check), program_(program), columns_(columns), row_(row) {}

  bool truth(const Expression& e) {
    switch (e.operation) {
      case Operation::logical_and: return truth(e.operands[0]) && truth(e.operands[1]);
      case Operation::logical_or: return truth(e.operands[0]) || truth(e.operands[1]);
      case Operation::logical_not: return !truth(e.operands[0]);
      case Operation::is_blank: return value(e.operands[0]).kind == Kind::blank;
      case Operation::is_not_blank: return value(e.operands[0]).kind != Kind::blank;
      case Operation::equal:
      case Operation::not_equal:
      case Operation::less:
      case Operation::less_equal:
      case Operation::greater:
      case Operation::greater_equal: return compare(e);
      default: {
        const Operand operand = value(e);
        return operand.kind == Kind::boolean && operand.number != 0;
      }
    }
  }

 private:
  Operand column(const std::string& name) const {
    const auto found =
        std::find_if(check_.columns.begin(), check_.columns.end(), [&](const auto& c) { return c.first == name; });
    const auto index = static_cast<std::size_t>(found->second);
    const TypedColumn& typed = columns_[index];
    if (typed.states[row_] != CellState::value) return {};
    const definition::Type& type = program_.columns[index].type;
    const Cell& cell = typed.cells[row_];
    switch (type.kind) {
      case TypeKind::integer: return {Kind::number, cell.number, 0, {}};
      case TypeKind::decimal: return {Kind::number, cell.number, type.scale, {}};
      case TypeKind::boolean: return {Kind::boolean, cell.number, 0, {}};
      case TypeKind::date: return {Kind::date, cell.number, 0, {}};
      case TypeKind::timestamp: return {Kind::timestamp, cell.number, 0, {}};
      case TypeKind::text:
      case TypeKind::json: return {Kind::text, 0, 0, cell.text};
      case TypeKind::uuid: return {Kind::uuid, big_endian(cell.uuid), 0, {}};
    }
    return {};
  }

  static Operand literal(const std::string& digits) {
    static const NumberFormat plain = *NumberFormat::for_locale("");
    Operand operand{Kind::number, 0, 0, {}};
    const auto point = digits.find('.');
    operand.scale =
        point == std::string::npos ? 0 : static_cast<int>(std::min<std::size_t>(digits.size() - point - 1, 30));
    if (plain.decimal(digits, 38, operand.scale, operand.number)) return {};
    return operand;
  }

  Operand arithmetic(const Expression& e) {
    Operand left = value(e.operands[0]);
    Operand right = value(e.operands[1]);
    if (left.kind != Kind::number || right.kind != Kind::number) return {};
    bool overflow = false;
    switch (e.operation) {
      case Operation::add:
        overflow = !align(left, right) || __builtin_add_overflow(left.number, right.number, &left.number);
        break;
      case Operation::subtract:
        overflow = !align(left, right) || __builtin_sub_overflow(left.number, right.number, &left.number);
        break;
      case Operation::multiply:
        overflow = __builtin_mul_overflow(left.number, right.number, &left.number);
        left.scale += right.scale;
        break;
      default:
        if (right.number == 0 || !rescale(left, right.scale + kDivisionDecimals)) return {};
        left.number /= right.number;
        left.scale -= right.scale;
        break;
    }
    return overflow ? Operand{} : left;
  }

  Operand value(const Expression& e) {
    switch (e.operation) {
      case Operation::column: return column(e.text);
      case Operation::number: return literal(e.text);
      case Operation::text: return {Kind::text, 0, 0, e.text};
      case Operation::boolean_literal: return {Kind::boolean, e.text == "true", 0, {}};
      case Operation::negate: {
        Operand operand = value(e.operands[0]);
        operand.number = -operand.number;
        return operand.kind == Kind::number ? operand : Operand{};
      }
      case Operation::add:
      case Operation::subtract:
      case Operation::multiply:
      case Operation::divide: return arithmetic(e);
      default: return {Kind::boolean, truth(e), 0, {}};
    }
  }

  // A date, time or uuid beside a text literal: the literal is read as one.
  static void meet(const Operand& time, Operand& text) {
    static const DateFormat iso = *DateFormat::parse("");
    std::int32_t days = 0;
    std::int64_t microseconds = 0;
    if (time.kind == Kind::date && !iso.date(text.text, days)) text = {Kind::date, days, 0, {}};
    if (time.kind == Kind::timestamp && !iso.timestamp(text.text, microseconds))
      text = {Kind::timestamp, microseconds, 0, {}};
    Cell cell;
    if (time.kind == Kind::uuid && !uuid(text.text, cell.uuid)) text = {Kind::uuid, big_endian(cell.uuid), 0, {}};
  }

  bool compare(const Expression& e) {
    Operand left = value(e.operands[0]);
    Operand right = value(e.operands[1]);
    if (right.kind == Kind::text) meet(left, right);
    if (left.kind == Kind::text) meet(right, left);
    if (left.kind != right.kind || left.kind == Kind::blank) return false;
    int order = 0;
    if (left.kind == Kind::text) {
      order = left.text.compare(right.text);
    } else {
      if (!align(left, right)) return false;
      order = left.number < right.number ? -1 : left.number > right.number;
    }
    switch (e.operation) {
      case Operation::equal: return order == 0;
      case Operation::not_equal: return order != 0;
      case Operation::less: return order < 0;
      case Operation::less_equal: return order <= 0;
      case Operation::greater: return order > 0;
      default: return order >= 0;
    }
  }

  const CheckProgram& check_;
  const Program& program_;
  const std::vector<TypedColumn>& columns_;
  const std::size_t row_;
};

}  // namespace

CheckResult evaluate(const CheckProgram& check, const Program& program, const std::vector<TypedColumn>& columns,
                     std::size_t row) {
  for (const auto& [name, index] : check.columns)
    if (columns[static_cast<std::size_t>(index)].states[row] == CellState::bad) return CheckResult::unusable;
  return Evaluation(check, program, columns, row).truth(check.check->expr) ? CheckResult::holds : CheckResult::fails;
}

}  // namespace lade::analysis
