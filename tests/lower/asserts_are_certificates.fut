-- What is asserted is known where its value is used, and nowhere else.
entry main (x: i32) (y: i32) : i32 =
  let safe = assert (y != 0) (x / y)
  in safe + x
