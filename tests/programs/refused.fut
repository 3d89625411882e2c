-- The compiler refuses this program.
-- ==
-- error: Expected: i32.*floating

entry main (x: i32) : i32 = x + 1.5
