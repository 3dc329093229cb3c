import { execFileSync } from 'node:child_process';

const kScript = 'import sqlite3, sys\nc = sqlite3.connect(sys.argv[1], timeout=30)\nc.executescript(sys.argv[2])\nc.close()';

/** Changes the database that the server loads into, as somebody else would: tests/browser/run.py says where it is. */
export const sql = (text) => execFileSync('python3', ['-c', kScript, process.env.LADE_DATABASE, text]);
