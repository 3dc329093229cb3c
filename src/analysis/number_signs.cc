#include "analysis/number_signs.h"

#include <fmt/format.h>

#include <algorithm>

namespace lade::analysis {
namespace {

// ISO 4217, those in use and those that files of the last decades have.
constexpr std::string_view kCodes =
    "AED AFN ALL AMD ANG AOA ARS ATS AUD AWG AZN BAM BBD BDT BEF BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD "
    "CDF "
    "CHF CLP CNY COP CRC CUP CVE CYP CZK DEM DJF DKK DOP DZD EEK EGP ERN ESP ETB EUR FIM FJD FKP FRF GBP GEL GHS GIP "
    "GMD "
    "GNF GRD GTQ GYD HKD HNL HRK HTG HUF IDR IEP ILS INR IQD IRR ISK ITL JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD "
    "KZT "
    "LAK LBP LKR LRD LSL LTL LUF LVL LYD MAD MDL MGA MKD MMK MNT MOP MRU MTL MUR MVR MWK MXN MYR MZN NAD NGN NIO NLG "
    "NOK "
    "NPR NZD OMR PAB PEN PGK PHP PKR PLN PTE PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SIT SKK SLE SOS SRD "
    "SSP "
    "STN SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW "
    "ZWL";

struct CurrencySign {
  std::string_view sign;
  std::string_view codes;
};

// Longer signs stand before those that they begin or end with.
constexpr CurrencySign kSigns[] = {
    {"US$", "USD"},
    {"AU$", "AUD"},
    {"CA$", "CAD"},
    {"NZ$", "NZD"},
    {"HK$", "HKD"},
    {"NT$", "TWD"},
    {"MX$", "MXN"},
    {"A$", "AUD"},
    {"C$", "CAD"},
    {"R$", "BRL"},
    {"S$", "SGD"},
    {"$",
     "USD ARS AUD BBD BMD BND BSD BZD CAD CLP COP FJD GYD HKD JMD KYD LRD MXN NAD NZD SBD SGD SRD TTD TWD UYU XCD"},
    {"€", "EUR"},
    {"£", "GBP EGP FKP GIP LBP SHP SYP"},
    {"¥", "JPY CNY"},
    {"￥", "JPY CNY"},
    {"元", "CNY TWD"},
    {"円", "JPY"},
    {"₹", "INR"},
    {"₽", "RUB"},
    {"₺", "TRY"},
    {"₩", "KRW KPW"},
    {"₪", "ILS"},
    {"₫", "VND"},
    {"₦", "NGN"},
    {"₴", "UAH"},
    {"₱", "PHP"},
    {"฿", "THB"},
    {"₡", "CRC"},
    {"₲", "PYG"},
    {"₸", "KZT"},
    {"₼", "AZN"},
    {"₾", "GEL"},
    {"₵", "GHS"},
    {"₭", "LAK"},
    {"₮", "MNT"},
    {"kr.", "DKK ISK NOK SEK"},
    {"kr", "DKK ISK NOK SEK EEK"},
    {"SFr.", "CHF"},
    {"Fr.", "CHF"},
    {"Kčs", "CZK"},
    {"Kč", "CZK"},
    {"zł", "PLN"},
    {"Ft", "HUF"},
    {"lei", "RON MDL"},
    {"лв.", "BGN"},
    {"лв", "BGN"},
    {"руб.", "RUB"},
    {"грн", "UAH"},
    {"kn", "HRK"},
    {"KM", "BAM"},
    {"DM", "DEM"},
    {"Rs.", "INR PKR LKR NPR MUR"},
    {"Rs", "INR PKR LKR NPR MUR"},
    {"Rp", "IDR"},
    {"RM", "MYR"},
    {"TL", "TRY"},
    {"R", "ZAR"},
};

constexpr std::string_view kSpaces[] = {" ", "\t", "\u00A0", "\u2009", "\u202F"};
constexpr std::string_view kMinus[] = {"-", "\u2212"};

bool take_front(std::string_view& text, std::string_view part) {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
}

bool take_back(std::string_view& text, std::string_view part) {
  if (!text.ends_with(part)) return false;
  text.remove_suffix(part.size());
  return true;
}

void trim(std::string_view& text) {
  for (bool more = true; more;)
    more = std::any_of(std::begin(kSpaces), std::end(kSpaces),
                       [&](std::string_view space) { return take_front(text, space) || take_back(text, space); });
}

char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return upper(x) == upper(y); });
}

// Codes stand four characters apart.
bool has_code(std::string_view codes, std::string_view code) {
  for (std::size_t at = 0; at + 3 <= codes.size(); at += 4)
    if (equal_ignoring_case(codes.substr(at, 3), code)) return true;
  return false;
}

// Removes what stands around a number from outside in.
class SignTaker {
 public:
  SignTaker(std::string_view text, const NumberSigns& signs, BareNumber& bare)
      : text_(text), signs_(signs), bare_(bare) {}

  bool take() {
    do trim(text_);
    while (take_sign() || (signs_.accounting && take_accounting()) || (signs_.percent && take_percent()) ||
           (signs_.currency && take_currency()));
    bare_.digits = text_;
    return !text_.empty() && !text_.starts_with('-') && !text_.starts_with('+');
  }

 private:
  bool take_sign() {
    if (signed_) return false;
    bare_.negative = std::any_of(std::begin(kMinus), std::end(kMinus),
                                 [&](std::string_view minus) { return take_front(text_, minus); });
    return signed_ = bare_.negative || take_front(text_, "+");
  }

  bool take_accounting() {
    if (signed_) return false;
    const bool closed = text_.starts_with('(') && text_.ends_with(')');
    if (closed) {
      text_.remove_prefix(1);
      text_.remove_suffix(1);
    }
    bare_.negative = closed || std::any_of(std::begin(kMinus), std::end(kMinus),
                                           [&](std::string_view minus) { return take_back(text_, minus); });
    return signed_ = bare_.negative;
  }

  bool take_percent() {
    if (bare_.percent) return false;
    return bare_.percent = take_back(text_, "%") || take_front(text_, "%");
  }

  bool take_currency() {
    if (!bare_.currency.empty()) return false;
    // Codes first: some end or begin like a sign (EUR, R).
    if (take_text(3, [](std::string_view found) { return has_code(kCodes, found); })) return true;
    return std::any_of(std::begin(kSigns), std::end(kSigns), [&](const CurrencySign& known) {
      return take_text(known.sign.size(),
                       [&](std::string_view found) { return equal_ignoring_case(found, known.sign); });
    });
  }

  // Takes `size` bytes from the front or the back as the currency when they are one.
  template <class IsCurrency>
  bool take_text(std::size_t size, const IsCurrency& is_currency) {
    if (text_.size() <= size) return false;
    if (const std::string_view front = text_.substr(0, size); is_currency(front)) {
      bare_.currency = front;
      text_.remove_prefix(size);
    } else if (const std::string_view back = text_.substr(text_.size() - size); is_currency(back)) {
      bare_.currency = back;
      text_.remove_suffix(size);
    }
    return !bare_.currency.empty();
  }

  std::string_view text_;
  const NumberSigns& signs_;
  BareNumber& bare_;
  bool signed_ = false;
};

}  // namespace

Result<NumberSigns> NumberSigns::parse(std::span<const std::string> formats) {
  NumberSigns signs;
  for (const std::string& format : formats) {
    const bool with_code = format.size() == 13 && format.starts_with("currency(") && format.ends_with(')') &&
                           has_code(kCodes, std::string_view(format).substr(9, 3));
    if (format == "accounting") {
      signs.accounting = true;
    } else if (format == "percent") {
      signs.percent = true;
    } else if (format == "currency" || with_code) {
      signs.currency = true;
      if (with_code) std::transform(format.begin() + 9, format.begin() + 12, signs.code.begin(), upper);
    } else {
      return fail("format_invalid", fmt::format("number format \"{}\" is not known", format),
                  "currency, currency(EUR) with a code of ISO 4217, percent or accounting", ErrorKind::invalid);
    }
  }
  return signs;
}

bool take_signs(std::string_view text, const NumberSigns& signs, BareNumber& bare) {
  return SignTaker(text, signs, bare).take();
}

bool means_currency(std::string_view sign, std::string_view code) {
  if (equal_ignoring_case(sign, code)) return true;
  return std::any_of(std::begin(kSigns), std::end(kSigns), [&](const CurrencySign& known) {
    return equal_ignoring_case(known.sign, sign) && has_code(known.codes, code);
  });
}

}  // namespace lade::analysis
