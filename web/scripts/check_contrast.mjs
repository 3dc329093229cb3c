// Proves the colour pairs of src/theme/tokens.css against WCAG 2.2 AA in both schemes: text needs 4.5 to 1; outlines of controls
// and marks that carry meaning need 3 to 1. Ends with 1 and names the pair when one falls short.
import { readFile } from 'node:fs/promises';

const tokens = await readFile(new URL('../src/theme/tokens.css', import.meta.url), 'utf8');
const colours = Object.fromEntries(
  [...tokens.matchAll(/--([\w-]+):\s*light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(([, name, light, dark]) => [name, [light, dark]]),
);
const hues = ['blue', 'green', 'amber', 'red', 'violet', 'grey'];
const grounds = ['canvas', 'surface', 'sunken', 'hover', 'selected'];
const inks = ['text', 'text-2', 'text-3'];
const pairs = (fronts, backs) => fronts.flatMap((front) => backs.map((back) => [front, back]));

const text = [
  ...pairs([...inks, 'accent'], grounds),
  ['on-accent', 'accent-fill'],
  ...hues.flatMap((hue) => [...pairs([hue], [`${hue}-soft`, 'surface', 'canvas']), ...pairs(inks, [`${hue}-soft`])]),
];
const marks = [
  ...pairs(['control'], ['canvas', 'surface']),
  ...pairs(['focus'], ['canvas', 'surface', 'sunken', 'selected']),
  ...hues.flatMap((hue) => pairs([`${hue}-fill`], ['surface', 'sunken'])),
];

function luminance(colour) {
  const [red, green, blue] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function ratio(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

let short = 0;
for (const [needed, list] of [[4.5, text], [3, marks]]) {
  for (const [front, back] of list) {
    if (!colours[front] || !colours[back]) throw new Error(`tokens.css has no ${colours[front] ? back : front}`);
    const [light, dark] = [0, 1].map((scheme) => ratio(colours[front][scheme], colours[back][scheme]));
    if (Math.min(light, dark) >= needed) continue;
    short += 1;
    console.error(`${front} on ${back}: light ${light.toFixed(2)}, dark ${dark.toFixed(2)}, needs ${needed}`);
  }
}
console.log(`${text.length + marks.length} pairs in two schemes, ${short} too low`);
process.exit(short > 0 ? 1 : 0);
