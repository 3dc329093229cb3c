// A supplier's price list as such files come: two lines above the header, Windows-1252, decimal commas, a column under another name,
// values that no list knows, wrong numbers, and cells that would be a danger if a page took them for HTML.
export const kPayload = '<img src=x onerror="window.hit=1">';
export const kFileName = 'Preisliste <img src=x onerror=window.hit=1> 2026-11.csv';
export const kRows = 400;

export const definition = `lade: 1
definition: supplier_price_list
name: Supplier price list
columns:
  article_no:    {from: [Art.-Nr., Artikelnummer], required: true}
  description:   {from: Bezeichnung, required: true, max_length: 200}
  net_price:     {from: [EK netto, Preis], type: "decimal(14,4)", locale: de-DE, required: true}
  currency:      {from: Währung, values: [EUR, CHF, USD], required: true}
  unit:          {from: Mengeneinheit, values: [ST, PAK, M], required: true}
  product_group: {from: Warengruppe, required: true}
  product_group_id:
    lookup: {table: product_group, match: {product_group: name}, take: id}
  valid_from:    {from: Gültig ab, type: date, format: DD.MM.YYYY}
  min_quantity:  {from: Mindestmenge, type: integer}
  discount_group: {from: Rabattgruppe}
load:
  - table: price_item
    key: article_no
    columns: [article_no, description, net_price, currency, unit, product_group_id, valid_from, min_quantity, discount_group]
`;

const groups = ['Schrauben', 'Dübel', 'Beschläge', 'Muttern', 'Scheiben', 'Werkzeug'];
const names = ['Senkschraube M4×40 A2', 'Dübel S8 Nylon, 100er', 'Gewindestange M10 1 m', 'Winkelverbinder 90×90', 'Unterlegscheibe 8,4'];
const pick = (list, at) => list[at % list.length];
const price = (at) => (12.5 + (at % 97) * 3.25).toFixed(2).replace('.', ',');

function row(at) {
  const wrong = { 17: ['net_price', '1.2O4,50'], 41: ['net_price', 'auf Anfrage'], 99: ['currency', 'EURO'], 150: ['net_price', ''] }[at];
  const cells = {
    article_no: String(4000 + at).padStart(7, '0'),
    description: at === 5 ? kPayload : pick(names, at),
    net_price: price(at),
    currency: at % 13 === 0 ? 'CHF' : 'EUR',
    unit: pick(['ST', 'ST', 'PAK', 'M'], at),
    product_group: at % 50 === 3 ? 'Befest.' : at % 90 === 7 ? 'Div.' : pick(groups, at),
    valid_from: `0${(at % 9) + 1}.11.2026`,
    min_quantity: at % 3 === 0 ? '' : String((at % 5) * 50),
    stock: `A-${(at % 9) + 10}`,
  };
  if (wrong) cells[wrong[0]] = wrong[1];
  return Object.values(cells);
}

const quoted = (cell) => (/[;"\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
const header = ['Art.-Nr.', 'Bezeichnung', 'EK netto', 'Währung', 'ME', 'Warengruppe', 'Gültig ab', 'Mindestmenge', `Lagerort ${kPayload}`];

/** The file's bytes: Windows-1252, as Excel writes it. */
export function priceList(rows = kRows) {
  const lines = ['Preisliste Hartmann GmbH', 'Stand 11/2026', header.map(quoted).join(';'), ...Array.from({ length: rows }, (_, at) => row(at).map(quoted).join(';'))];
  return Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1');
}

/** Another file with the same headers, clean and small. */
export function addendum() {
  const lines = [header.map(quoted).join(';'), ...Array.from({ length: 20 }, (_, at) => row(200 + at).map(quoted).join(';'))];
  return Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1');
}

/** Works whose composers are found however they are spelt; some only by people. */
export const composers = `CREATE TABLE composer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born INTEGER);
  INSERT INTO composer VALUES (1, 'Tyāgarāja', 1767), (2, 'Muttusvāmi Dīkṣitar', 1775), (3, 'Anna Lee', NULL);
  CREATE TABLE work (title TEXT PRIMARY KEY, composer_id INTEGER)`;
export const works = `lade: 1
definition: works
columns: {title: {from: Title}, composer: {from: Composer}}
steps:
  who:
    {kind: resolve, priority: 20, input: composer, table: composer, results: {composer_id: id},
     columns: {composer_id: {purpose: internal, type: integer}}}
load: [{table: work, key: title, columns: [title, composer_id]}]
`;
