// Reads the first sheet with SheetJS and visits every cell.
import XLSX from 'xlsx';

const workbook = XLSX.readFile(process.argv[2], {dense: true, cellDates: true, cellHTML: false, cellText: false});
const rows = XLSX.utils.sheet_to_json(workbook.Sheets[workbook.SheetNames[0]], {header: 1});
console.log(rows.reduce((sum, row) => sum + row.length, 0));
