// ClickHouse in the process (chdb): every field of FILE as text, its length summed.  node chdb.mjs FILE THREADS
import { query } from 'chdb';

const [file, threads] = process.argv.slice(2);
const described = query(`DESCRIBE file('${file}', 'CSVWithNames')`, 'TSV');
const columns = described.trim().split('\n').map((line) => line.split('\t')[0]);
const structure = columns.map((name) => `\`${name}\` String`).join(', ');
const lengths = columns.map((name) => `sum(length(\`${name}\`))`).join(' + ');
const settings = `max_threads = ${threads}, input_format_parallel_parsing = ${threads > 1 ? 1 : 0}`;
console.log(query(`SELECT count(), ${lengths} FROM file('${file}', 'CSVWithNames', '${structure}') SETTINGS ${settings}`, 'TSV').trim());
