-- Gives back the first cell.
function import_row(index, row)
  return {name = row[1]}
end
