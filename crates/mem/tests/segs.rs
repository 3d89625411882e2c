//! Places of what Segs make.

use fehu_ir::text::parse;
use fehu_mem::assign::assign;

#[test]
fn rows_that_differ_are_made_one_after_the_other() {
    let text = "prog segs
fun f (n: i64, ends: [n]i64, total: i64, xs: [total]f32) -> (r: [n]f32, s: [total][2]f32) =
  let (ss: [n]f32, yss: [total][2]f32) =
    seg grid [n] rows ends total () \\(i: i64, start: i64, w: i64) -> (f32, [w][2]f32) {
      let (row: [w]f32) = index xs[start : w : 1]
      let (sum: f32, zss: [w][2]f32) = screma w (row) map \\(x: f32) -> (f32, [2]f32) {
        let (zs: [2]f32) = replicate (2) x
        in (x, zs)
      } red \\(p: f32, q: f32) -> (f32) { let (c: f32) = add p q in (c) } neutral (0.0f32)
      in (sum, zss)
    }
  in (ss, yss)";
    let prog = parse(text).unwrap_or_else(|error| panic!("{error}"));
    let placed = assign(prog).expect("it is simple").to_string();
    let has = |line: &str| assert!(placed.lines().any(|other| other == line), "{placed}");
    has("--   yss_7: m3, 0 + {(total_2 : 2), (2 : 1)}");
    has("--   row_11: m1, start_9 + {(w_10 : 1)}");
    has("--   zss_13: m3, 2*start_9 + {(w_10 : 2), (2 : 1)}");
}
