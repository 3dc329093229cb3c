// What a browser loads before the first page shows, compressed: the entry, what it imports at once, and the list of imports.
// Fonts are counted apart: they are kept for ever. Ends with 1 above the limits.
import { readFile, rm } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';

const kMostBytes = 250_000;
const kMostFontBytes = 110_000;
const dist = new URL('../dist/', import.meta.url);
const manifest = JSON.parse(await readFile(new URL('.vite/manifest.json', dist), 'utf8'));

const files = new Set(['index.html', 'scheme.js']);
function take(name) {
  const chunk = manifest[name];
  if (!chunk || files.has(chunk.file)) return;
  files.add(chunk.file);
  for (const style of chunk.css ?? []) files.add(style);
  for (const other of chunk.imports ?? []) take(other);
}
take('index.html');
const list = Object.keys(manifest).find((name) => name.endsWith('screens/imports/index.tsx'));
if (list) take(list);

let bytes = 0;
for (const file of files) bytes += gzipSync(await readFile(new URL(file, dist)), { level: 9 }).length;
// A page of Western European text needs the latin files alone; the others come when a letter asks for them.
const fonts = Object.values(manifest).map((chunk) => chunk.file).filter((file) => /-latin-(wght|standard|full)[^/]*\.woff2$/.test(file));
let fontBytes = 0;
for (const file of fonts) fontBytes += (await readFile(new URL(file, dist))).length;
console.log(`first load: ${(bytes / 1000).toFixed(1)} kB compressed in ${files.size} files (limit ${kMostBytes / 1000}); fonts ${(fontBytes / 1000).toFixed(1)} kB in ${fonts.length} (limit ${kMostFontBytes / 1000})`);
// The list of files is for this check alone; what stays in dist/ becomes part of the program.
await rm(new URL('.vite/', dist), { recursive: true });
process.exit(bytes > kMostBytes || fontBytes > kMostFontBytes ? 1 : 0);
