-- | The price of a European option, in closed form and on a binomial tree.

-- | The right to buy or to sell.
type kind = #call | #put

type option = {kind: kind, spot: f64, strike: f64, years: f64, rate: f64, volatility: f64}

-- | The cumulative distribution function of the normal distribution, approximated by a polynomial to seven digits.
def normal_cdf (x: f64) : f64 =
  let t = 1 / (1 + 0.2316419 * f64.abs x)
  let coefficients = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429]
  let poly = t * foldr (\c acc -> c + t * acc) 0 coefficients
  let tail = poly * f64.exp (-0.5 * x * x) / f64.sqrt (2 * f64.pi)
  in if x < 0 then tail else 1 - tail

-- | The Black-Scholes formula.
def black_scholes (o: option) : f64 =
  let spread = o.volatility * f64.sqrt o.years
  let drift = (o.rate + 0.5 * o.volatility * o.volatility) * o.years
  let d1 = (f64.log (o.spot / o.strike) + drift) / spread
  let d2 = d1 - spread
  let discounted = o.strike * f64.exp (-o.rate * o.years)
  in match o.kind
     case #call -> o.spot * normal_cdf d1 - discounted * normal_cdf d2
     case #put -> discounted * normal_cdf (-d2) - o.spot * normal_cdf (-d1)

-- | The value of an option when it is exercised.
def payoff (o: option) (spot: f64) : f64 =
  match o.kind
  case #call -> f64.max 0 (spot - o.strike)
  case #put -> f64.max 0 (o.strike - spot)

-- | A binomial tree: starts with the prices at expiry and goes back in time, one level per iteration.
def binomial (steps: i64) (o: option) : f64 =
  let dt = o.years / f64.i64 steps
  let up = f64.exp (o.volatility * f64.sqrt dt)
  let discount = f64.exp (-o.rate * dt)
  let p = (f64.exp (o.rate * dt) - 1 / up) / (up - 1 / up)
  let leaf i = payoff o (o.spot * up ** f64.i64 (2 * i - steps))
  let values =
    loop values = tabulate (steps + 1) leaf
    for _level < steps do
      -- The last element has no neighbour, so its new value is meaningless; later levels never use it.
      map2 (\down above -> discount * (p * above + (1 - p) * down)) values (rotate 1 values)
  in values[0]

def example (kind: kind) (strike: f64) : option =
  {kind, spot = 100, strike, years = 1, rate = 0.05, volatility = 0.2}

-- ==
-- entry: calls
-- input { [90.0, 100.0, 110.0] }
-- output { [16.699448, 10.450584, 6.040088] }

-- | Prices of call options according to the formula, for several strikes.
entry calls [n] (strikes: [n]f64) : [n]f64 =
  map (\strike -> black_scholes (example #call strike)) strikes

-- ==
-- entry: puts
-- input { [90.0, 100.0, 110.0] }
-- output { [2.310097, 5.573526, 10.675325] }

-- | Prices of put options according to the formula.
entry puts [n] (strikes: [n]f64) : [n]f64 =
  map (\strike -> black_scholes (example #put strike)) strikes

-- ==
-- entry: tree_is_close
-- input { 100i64 [90.0, 100.0, 110.0] }
-- output { true }

-- | Whether the tree agrees with the formula to within a few cents.
entry tree_is_close [n] (steps: i64) (strikes: [n]f64) : bool =
  let close kind strike =
    let o = example kind strike
    in f64.abs (binomial steps o - black_scholes o) < 0.02
  in all (close #call) strikes && all (close #put) strikes
