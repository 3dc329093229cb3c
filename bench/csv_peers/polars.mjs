// Polars: every field of FILE as text, its length summed.  POLARS_MAX_THREADS=THREADS node polars.mjs FILE
import pl from 'nodejs-polars';

const [file] = process.argv.slice(2);
const columns = pl.readCSV(file, { nRows: 1, inferSchemaLength: 0 }).columns;
const frame = await pl
  .scanCSV(file, { inferSchemaLength: 0 })
  .select(pl.len().alias('rows'), ...columns.map((name) => pl.col(name).str.lengths().cast(pl.Int64).sum().alias(name)))
  .collect();
const [rows, ...lengths] = Object.values(frame.toRecords()[0]).map(Number);
console.log(rows, lengths.reduce((sum, length) => sum + length, 0));
