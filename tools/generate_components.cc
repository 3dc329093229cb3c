// Writes the *components* data of the benchmarks: a dirty price list and what a perfect import makes of it. Every row
// is a pure function of (seed, row number), so any size takes no more memory than the keys that the clean file sorts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::uint64_t kItems = 20'000;
constexpr std::uint64_t kSelsPerCat = 100;
constexpr std::uint64_t kBadPerMille = 10;
constexpr std::uint64_t kRepeatedPerMille = 20;
constexpr std::uint64_t kCodeNumbers = 1U << 20;  // component numbers within one item
constexpr std::size_t kBlockBytes = 1U << 20;

constexpr std::array<std::string_view, 8> kPrefixes = {"ACC", "ELC", "FIX", "LAB", "MAT", "PLT", "SUB", "TRN"};
constexpr std::array<std::string_view, 12> kAdjectives = {"Galvanised", "Reinforced", "Pre-cast",  "Oak",
                                                          "Heavy",      "Light",      "Coated",    "Insulated",
                                                          "Steel",      "Copper",     "Aluminium", "Fire-rated"};
constexpr std::array<std::string_view, 10> kNouns = {"beam",  "panel",   "pipe DN50", "cable tray", "door set",
                                                     "hinge", "bracket", "duct",      "window",     "fastener"};
constexpr std::array<std::string_view, 6> kUnits = {"m2", "m", "kg", "pc", "h", "l"};
constexpr std::array<std::string_view, 6> kActivities = {"Earthworks", "Carpentry", "Plumbing",
                                                         "Electrical", "Roofing",   "Masonry"};
constexpr std::array<std::string_view, 8> kRegions = {"North", "South", "East",  "West",
                                                      "Alps",  "Coast", "Metro", "Rhine"};
constexpr std::array<std::string_view, 8> kSuppliers = {"Acme Ltd",      "Müller & Söhne", "Nordbau AS",
                                                        "Pont SA",       "Ferro Italia",   "Holz Huber",
                                                        "BuildMart Inc", "Kovo s.r.o."};
constexpr std::array<std::string_view, 6> kBadNumbers = {"abc", "1.2.3", "12,5,0 EUR", "n/a", "--4", "1O.5"};

struct Options {
  std::uint64_t rows = 1'000'000;
  std::uint64_t seed = 1;
  std::uint64_t change_percent = 0;
  std::string out, clean_out, items_csv, items_sql;
};

// What is wrong with a row, nothing for most.
enum class Fault { none, bad_quantity, bad_price, missing_code, unknown_item };

struct Key {
  std::uint64_t item = 0;    // 0-based
  std::uint64_t prefix = 0;  // of kPrefixes
  std::uint64_t number = 0;
  // Orders like (item, code as text).
  std::uint64_t packed() const { return item << 32 | prefix << 24 | number; }
};

struct Row {
  Key key;
  Fault fault = Fault::none;
  std::string description, quantity, unit, unit_price, activity, region, waste, supplier, valid_from;
};

std::uint64_t mix(std::uint64_t value) {
  value += 0x9e37'79b9'7f4a'7c15;
  value = (value ^ value >> 30) * 0xbf58'476d'1ce4'e5b9;
  value = (value ^ value >> 27) * 0x94d0'49bb'1331'11eb;
  return value ^ value >> 31;
}

// The random numbers of one row, in a fixed order.
class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t row) : state_(mix(seed) ^ mix(row + 1)) {}
  std::uint64_t below(std::uint64_t limit) { return (state_ = mix(state_)) % limit; }
  template <std::size_t N>
  std::string_view pick(const std::array<std::string_view, N>& words) {
    return words[below(N)];
  }

 private:
  std::uint64_t state_;
};

Key own_key(const Options& options, std::uint64_t row) {
  const std::uint64_t item = row * kItems / options.rows;
  const std::uint64_t first = (item * options.rows + kItems - 1) / kItems;
  const std::uint64_t number = (row - first) * 611'953 % kCodeNumbers;  // odd factor: no number twice in an item
  return {item, mix(number + item * kCodeNumbers) % kPrefixes.size(), number};
}

Fault choose_fault(Dice& dice) {
  switch (dice.below(4)) {
    case 0: return Fault::bad_quantity;
    case 1: return Fault::bad_price;
    case 2: return Fault::missing_code;
    default: return Fault::unknown_item;
  }
}

std::string describe(Dice& dice) {
  std::string text = fmt::format("{} {}", dice.pick(kAdjectives), dice.pick(kNouns));
  const std::uint64_t kind = dice.below(200);
  const std::uint64_t width = 10 + dice.below(190);
  if (kind < 6)
    text += fmt::format(", {} mm, grade A", width);
  else if (kind < 8)
    text += fmt::format(" {}\" \"wide\"", width);
  else if (kind < 9)
    text += fmt::format("\nsee note {}", width);
  else if (kind < 13)
    text.clear();
  else
    text += fmt::format(" {} x {} mm", width, 10 + dice.below(90));
  return text;
}

Row make_row(const Options& options, std::uint64_t number) {
  Dice dice(options.seed, number);
  Row row;
  const std::uint64_t kind = dice.below(1000);
  row.key = own_key(options, number);
  if (kind < kBadPerMille)
    row.fault = choose_fault(dice);
  else if (kind < kBadPerMille + kRepeatedPerMille && number > 0)
    row.key = own_key(options, dice.below(number));
  row.description = describe(dice);
  row.quantity = fmt::format("{}.{:02}", dice.below(500), dice.below(100));
  row.unit = dice.pick(kUnits);
  const std::uint64_t cents = 50 + dice.below(999'950);
  row.activity = dice.below(20) == 0 ? "" : dice.pick(kActivities);
  row.region = dice.pick(kRegions);
  if (dice.below(10) != 0) row.waste = fmt::format("{}.{}", dice.below(25), dice.below(10));
  row.supplier = fmt::format("{} {}", dice.pick(kSuppliers), 100 + dice.below(900));
  row.valid_from = fmt::format("20{:02}-{:02}-{:02}", 15 + dice.below(11), 1 + dice.below(12), 1 + dice.below(28));
  const bool changed = dice.below(100) < options.change_percent;
  row.unit_price = fmt::format("{}.{:02}", (cents + (changed ? 100 : 0)) / 100, cents % 100);
  if (row.fault == Fault::bad_quantity) row.quantity = dice.pick(kBadNumbers);
  if (row.fault == Fault::bad_price) row.unit_price = dice.pick(kBadNumbers);
  return row;
}

std::string cat_of(std::uint64_t item) {
  return fmt::format("C{:03}", 100 + item / kSelsPerCat);
}
std::string sel_of(std::uint64_t item) {
  return fmt::format("S{:03}", 100 + item % kSelsPerCat);
}
std::string code_of(const Key& key) {
  return fmt::format("{}-{:07}", kPrefixes[key.prefix], key.number);
}

// A file that collects blocks; ends the program when it cannot be written.
class Output {
 public:
  explicit Output(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb"), &std::fclose) {
    if (file_ == nullptr) stop();
  }
  ~Output() { flush(); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void text(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kBlockBytes) flush();
  }
  void field(std::string_view value) {
    if (value.find_first_of(",\"\n") == std::string_view::npos) return text(value);
    buffer_ += '"';
    for (const char c : value) {
      if (c == '"') buffer_ += '"';
      buffer_ += c;
    }
    buffer_ += '"';
  }
  void record(std::initializer_list<std::string_view> fields) {
    for (const std::string_view* at = fields.begin(); at != fields.end(); ++at) {
      if (at != fields.begin()) buffer_ += ',';
      field(*at);
    }
    text("\n");
  }

 private:
  void flush() {
    if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get()) != buffer_.size() || std::fflush(file_.get()) != 0)
      stop();
    buffer_.clear();
  }
  [[noreturn]] void stop() const {
    fmt::print(stderr, "generate_components: {}: {}\n", path_, std::strerror(errno));
    std::exit(3);
  }

  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::string buffer_;
};

struct Good {
  std::uint64_t key;
  std::uint64_t row;
};

// Writes the price list; gives the rows without fault.
std::vector<Good> write_price_list(const Options& options) {
  Output out(options.out);
  out.record({"Cat", "Sel", "Component Code", "Description", "Quantity", "Unit", "Unit Price", "Activity", "Region",
              "Waste Pct", "Supplier", "Valid From"});
  std::vector<Good> good;
  for (std::uint64_t number = 0; number < options.rows; ++number) {
    const Row row = make_row(options, number);
    const std::string cat = row.fault == Fault::unknown_item ? "C999" : cat_of(row.key.item);
    const std::string code = row.fault == Fault::missing_code ? "" : code_of(row.key);
    out.record({cat, sel_of(row.key.item), code, row.description, row.quantity, row.unit, row.unit_price, row.activity,
                row.region, row.waste, row.supplier, row.valid_from});
    if (row.fault == Fault::none) good.push_back({row.key.packed(), number});
  }
  return good;
}

// Sorts by key and keeps the last row of each.
void keep_last(std::vector<Good>& rows) {
  std::sort(rows.begin(), rows.end(),
            [](const Good& a, const Good& b) { return a.key != b.key ? a.key < b.key : a.row > b.row; });
  rows.erase(std::unique(rows.begin(), rows.end(), [](const Good& a, const Good& b) { return a.key == b.key; }),
             rows.end());
}

void write_clean(const Options& options, const std::vector<Good>& rows) {
  Output out(options.clean_out);
  out.text(
      "item_id,component_code,description,quantity,unit,unit_price,activity,region,waste_pct,supplier,valid_from\n");
  for (const Good& good : rows) {
    const Row row = make_row(options, good.row);
    out.record({fmt::to_string(row.key.item + 1), code_of(row.key), row.description, row.quantity, row.unit,
                row.unit_price, row.activity, row.region, row.waste, row.supplier, row.valid_from});
  }
}

void write_items_csv(const std::string& path) {
  Output out(path);
  out.text("id,cat,sel\n");
  for (std::uint64_t item = 0; item < kItems; ++item)
    out.record({fmt::to_string(item + 1), cat_of(item), sel_of(item)});
}

void write_items_sql(const std::string& path) {
  Output out(path);
  out.text(
      "CREATE TABLE price_list_item (\n  id integer PRIMARY KEY,\n  cat text NOT NULL,\n  sel text NOT NULL,\n  UNIQUE "
      "(cat, sel)\n"
      ");\nINSERT INTO price_list_item (id, cat, sel) VALUES\n");
  for (std::uint64_t item = 0; item < kItems; ++item)
    out.text(fmt::format("({},'{}','{}'){}\n", item + 1, cat_of(item), sel_of(item), item + 1 == kItems ? ";" : ","));
}

[[noreturn]] void explain() {
  fmt::print(
      stderr,
      "usage: generate_components --out FILE [--rows N] [--seed S] [--clean-out FILE] [--items-csv FILE]\n"
      "                           [--items-sql FILE] [--change-percent P]\n"
      "Writes a dirty price list (1 %% bad rows, 2 %% repeated keys), the clean rows in key order (the last of each "
      "key),\n"
      "and the 20,000 items it refers to; --change-percent changes the price of P %% of the rows of the same seed.\n");
  std::exit(1);
}

Options parse(int count, char** words) {
  Options options;
  for (int at = 1; at < count; at += 2) {
    const std::string_view name = words[at];
    if (at + 1 == count) explain();
    const std::string value = words[at + 1];
    if (name == "--rows")
      options.rows = std::strtoull(value.c_str(), nullptr, 10);
    else if (name == "--seed")
      options.seed = std::strtoull(value.c_str(), nullptr, 10);
    else if (name == "--change-percent")
      options.change_percent = std::strtoull(value.c_str(), nullptr, 10);
    else if (name == "--out")
      options.out = value;
    else if (name == "--clean-out")
      options.clean_out = value;
    else if (name == "--items-csv")
      options.items_csv = value;
    else if (name == "--items-sql")
      options.items_sql = value;
    else
      explain();
  }
  if (options.out.empty() || options.rows == 0 || options.rows / kItems >= kCodeNumbers) explain();
  return options;
}

}  // namespace

int main(int count, char** words) {
  const Options options = parse(count, words);
  std::vector<Good> rows = write_price_list(options);
  const std::uint64_t good = rows.size();
  keep_last(rows);
  if (!options.clean_out.empty()) write_clean(options, rows);
  if (!options.items_csv.empty()) write_items_csv(options.items_csv);
  if (!options.items_sql.empty()) write_items_sql(options.items_sql);
  fmt::print("{{\"rows\":{},\"failed\":{},\"skipped\":{},\"clean\":{}}}\n", options.rows, options.rows - good,
             good - rows.size(), rows.size());
}
