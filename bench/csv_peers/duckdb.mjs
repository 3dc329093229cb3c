// DuckDB: every field of FILE as text, its length summed.  node duckdb.mjs FILE THREADS
import { DuckDBInstance } from '@duckdb/node-api';

const [file, threads] = process.argv.slice(2);
const instance = await DuckDBInstance.create(':memory:', { threads });
const connection = await instance.connect();
const table = `read_csv('${file}', header = true, all_varchar = true, null_padding = true)`;
const columns = (await connection.runAndReadAll(`SELECT * FROM ${table} LIMIT 0`)).columnNames();
const lengths = columns.map((name) => `sum(coalesce(strlen("${name}"), 0))`).join(' + ');
const answer = await connection.runAndReadAll(`SELECT count(*), ${lengths} FROM ${table}`);
console.log(answer.getRows()[0].map(String).join(' '));
