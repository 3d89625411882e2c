-- error: aliases-previously-returned

def main (rows: *[4][4]f32) =
  loop (row, rows) = ([0, 0, 0, 0], rows) for i < 4 do
    let rows[i, 0] = row[0]
    in (rows[i], rows)
