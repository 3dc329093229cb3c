// Visits every cell of the first sheet with exceljs, streaming.
import ExcelJS from 'exceljs';

let cells = 0;
const reader = new ExcelJS.stream.xlsx.WorkbookReader(process.argv[2], {sharedStrings: 'cache', styles: 'cache', worksheets: 'emit'});
for await (const sheet of reader) {
  for await (const row of sheet) row.eachCell(() => { ++cells; });
  break;
}
console.log(cells);
