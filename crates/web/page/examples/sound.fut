-- # A chord
--
-- Sound is an array of samples. Three tones that fade away:

def rate : i64 = 11025

def tone (frequency: f64) (i: i64) : f64 =
  let t = f64.i64 i / f64.i64 rate
  in f64.sin (2 * f64.pi * frequency * t) * f64.exp (-2 * t)

def chord (frequencies: []f64) (seconds: i64) : []f64 =
  let mixed i = f64.sum (map (\f -> tone f i) frequencies) / 3
  in tabulate (seconds * rate) mixed

-- > :audio chord [261.63, 329.63, 392.0] 2i64;
-- sampling_frequency: 11025

-- The beginning of it as a plot:

def beginning : [300]f64 = take 300 (chord [261.63, 329.63, 392.0] 1) :> [300]f64

-- > :plot2d beginning
