-- Numbers, truth values, arrays of them, tuples and records; sizes that are parameters.
#[foreign(c(half))]
def half (x: f64) : f64 = x / 2

#[foreign(c(fft), cuda(fft_gpu), vectorised(c(ffts), cuda(ffts_gpu)))]
def fft [n] (xs: [n](f32, f32)) : [n](f32, f32) = xs

#[foreign(c(table), opencl(table))]
def table (x: {a: i32, b: bool}) (y: u8) : (i64, bool) = (i64.i32 x.a + i64.u8 y, x.b)

#[foreign(c(ramp))]
def ramp [n] (k: i64) (xs: [n][3]f32) : [k]f32 = replicate k (f32.sum (flatten xs))

module m = {
  #[foreign(c(twice), vectorised(twices))]
  def twice (x: i32) : i32 = 2 * x
}

entry main (xs: []i32) = (map m.twice xs, half 3)
