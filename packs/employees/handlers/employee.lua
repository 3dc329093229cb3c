-- What an employee's row lacks: a login, the phone number and the IBAN as machines write them, the last day of probation.
-- Options: `country`, the calling code of phone numbers that begin with a single 0; `probation_months`, 0 for none.

local plain = {
  ["ä"] = "ae", ["ö"] = "oe", ["ü"] = "ue", ["Ä"] = "ae", ["Ö"] = "oe", ["Ü"] = "ue", ["ß"] = "ss", ["ẞ"] = "ss",
  ["æ"] = "ae", ["Æ"] = "ae", ["ø"] = "oe", ["Ø"] = "oe", ["å"] = "aa", ["Å"] = "aa", ["œ"] = "oe", ["Œ"] = "oe",
}
for letter, marked in pairs({
  a = "àáâãăąÀÁÂÃĂĄ", c = "çćčÇĆČ", d = "ďđĎĐ", e = "èéêëėęěÈÉÊËĖĘĚ", g = "ğĞ", i = "ìíîïıİÌÍÎÏ",
  l = "łŁ", n = "ñńňÑŃŇ", o = "òóôõőÒÓÔÕŐ", r = "řŘ", s = "śšşșŚŠŞȘ", t = "ťțŤȚ", u = "ùúûůűÙÚÛŮŰ",
  y = "ýÿÝ", z = "źżžŹŻŽ",
}) do
  for _, code in utf8.codes(marked) do plain[utf8.char(code)] = letter end
end

-- Lower-case letters a to z; what has no such letter is left out.
local function to_plain(text)
  local letters = text:gsub(utf8.charpattern, function(one) return plain[one] end)
  return (letters:lower():gsub("[^a-z]", ""))
end

-- The personnel number makes it unique.
local function login_of(first_name, last_name, number)
  local first, last = to_plain(first_name), to_plain(last_name)
  if first == "" or last == "" then
    error(("no login can be made of the name '%s %s': write it in Latin letters"):format(first_name, last_name), 0)
  end
  return first:sub(1, 1) .. last:sub(1, 12) .. number
end

local function phone_of(text, country)
  local number = text:gsub("%(0%)", ""):gsub("[%s/().-]", "")
  if number:find("^%+") then
    number = number:sub(2)
  elseif number:find("^00") then
    number = number:sub(3)
  elseif number:find("^0") then
    number = country .. number:sub(2)
  else
    error(("the phone number '%s' has no area code"):format(text), 0)
  end
  if not number:find("^[1-9]%d+$") or #number < 7 or #number > 15 then
    error(("'%s' is no phone number"):format(text), 0)
  end
  return "+" .. number
end

local iban_length = {AT = 20, BE = 16, CH = 21, CZ = 24, DE = 22, DK = 18, ES = 24, FR = 27, IT = 27, LU = 20, NL = 18, PL = 28}

-- Its digits stay out of messages: the column is sensitive.
local function iban_of(text)
  local iban = text:gsub("%s", ""):upper()
  local country = iban:match("^(%u%u)%d%d%w+$")
  if not country then error("the IBAN does not begin with a country and two digits", 0) end
  local length = iban_length[country]
  if length and #iban ~= length then
    error(("the IBAN has %d characters; those of %s have %d"):format(#iban, country, length), 0)
  end
  local rest = 0
  for one in (iban:sub(5) .. iban:sub(1, 4)):gmatch(".") do
    local value = tonumber(one, 36)
    rest = (rest * (value > 9 and 100 or 10) + value) % 97
  end
  if rest ~= 1 then error("the IBAN's check digits are wrong", 0) end
  return iban
end

local function last_day_of(year, month)
  if month == 2 then
    return (year % 4 == 0 and (year % 100 ~= 0 or year % 400 == 0)) and 29 or 28
  end
  return (month == 4 or month == 6 or month == 9 or month == 11) and 30 or 31
end

-- The day before the one that has the same number so many months later; without such a day, the last of that month.
local function last_of_months(date, months)
  local year, month, day = date:match("^(%d+)-(%d+)-(%d+)")
  local from_zero = year * 12 + (month - 1) + months
  day = day - 1
  if day == 0 then from_zero, day = from_zero - 1, 31 end
  year, month = from_zero // 12, from_zero % 12 + 1
  return ("%04d-%02d-%02d"):format(year, month, math.min(day, last_day_of(year, month)))
end

local function probation_of(started_on, ends_on, months)
  if months == 0 then return nil end
  local last = last_of_months(started_on, months)
  return (ends_on and ends_on < last) and ends_on or last
end

-- What a function above raises fails the row with these words.
function import_row(index, row, job_id, options)
  return {ok = true, result = {
    login = login_of(row.first_name, row.last_name, row.number),
    phone = row.phone_text and phone_of(row.phone_text, options.country or "49"),
    iban = row.iban_text and iban_of(row.iban_text),
    probation_until = probation_of(row.started_on, row.ends_on, math.tointeger(tonumber(options.probation_months or 6))),
  }}
end
