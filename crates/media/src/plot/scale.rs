//! Numbers to places on an axis, and where its ticks are.

/// How numbers become places.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scale {
    /// Equal differences are equally far apart.
    #[default]
    Linear,
    /// Equal ratios are equally far apart; only what is above zero has a place.
    Log,
}

/// The part of the numbers that an axis shows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Range {
    scale: Scale,
    /// The first and the last number, as the scale counts.
    low: f64,
    high: f64,
}

/// A mark on an axis.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Tick {
    /// The place, from 0 to 1.
    pub(super) at: f64,
    /// The number; nothing at a mark between the others.
    pub(super) label: String,
}

impl Range {
    /// The range of these numbers, ending with round ones. Those without a place do not count.
    pub(super) fn of(scale: Scale, numbers: impl Iterator<Item = f64>, ticks: usize) -> Range {
        let mut range = Range::exact(scale, numbers);
        if scale == Scale::Linear {
            let step = step((range.high - range.low) / ticks.max(1) as f64);
            range.low = (range.low / step).floor() * step;
            range.high = (range.high / step).ceil() * step;
        } else {
            range.low = range.low.floor();
            range.high = range.high.ceil();
        }
        range
    }

    /// The range of these numbers and nothing more.
    pub(super) fn exact(scale: Scale, numbers: impl Iterator<Item = f64>) -> Range {
        let places = numbers.filter_map(|number| scale.place(number));
        let (low, high) = places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), place| {
            (low.min(place), high.max(place))
        });
        if high > low {
            return Range { scale, low, high };
        }
        // All numbers are the same, or there is none.
        let (middle, room) = match low.is_finite() {
            true if low != 0.0 => (low, low.abs() * 0.5),
            true => (0.0, 1.0),
            false => (0.5, 0.5),
        };
        Range { scale, low: middle - room, high: middle + room }
    }

    /// Where a number is, from 0 to 1 if it is inside.
    pub(super) fn place(&self, number: f64) -> Option<f64> {
        let place = self.scale.place(number)?;
        Some((place - self.low) / (self.high - self.low))
    }

    /// The marks: about so many with a number.
    pub(super) fn ticks(&self, count: usize) -> Vec<Tick> {
        match self.scale {
            Scale::Linear => self.linear(count),
            Scale::Log => self.log(count),
        }
    }

    fn linear(&self, count: usize) -> Vec<Tick> {
        let width = self.high - self.low;
        let step = step(width / count.max(1) as f64);
        let first = (self.low / step - 1e-9).ceil();
        let at = |index: usize| (first + index as f64) * step;
        let inside = |number: &f64| *number <= self.high + step * 1e-9;
        let numbers: Vec<f64> = (0..=count * 3).map(at).take_while(inside).collect();
        let most = self.low.abs().max(self.high.abs());
        let tick = |number: f64| Tick {
            at: (number - self.low) / width,
            label: label(if number.abs() < step * 1e-9 { 0.0 } else { number }, step, most),
        };
        numbers.into_iter().map(tick).collect()
    }

    fn log(&self, count: usize) -> Vec<Tick> {
        let (first, last) = (self.low.floor() as i32, self.high.ceil() as i32);
        let every = ((last - first) as usize / count.max(1)).max(1);
        let mut ticks = Vec::new();
        for (index, power) in (first..=last).enumerate() {
            let decade = f64::from(power);
            let mut add = |at: f64, label: String| {
                let at = (at - self.low) / (self.high - self.low);
                if (-1e-9..=1.0 + 1e-9).contains(&at) {
                    ticks.push(Tick { at, label });
                }
            };
            add(decade, if index % every == 0 { power_label(power) } else { String::new() });
            if every == 1 {
                for digit in 2..10 {
                    add(decade + libm::log10(f64::from(digit)), String::new());
                }
            }
        }
        ticks
    }
}

impl Scale {
    /// Where a number is on a line, if anywhere.
    fn place(self, number: f64) -> Option<f64> {
        let place = match self {
            Scale::Linear => number,
            Scale::Log if number > 0.0 => libm::log10(number),
            Scale::Log => return None,
        };
        place.is_finite().then_some(place)
    }
}

/// The smallest of 1, 2, 5, 10, and their multiples by powers of ten, that is at least this.
fn step(least: f64) -> f64 {
    let power = libm::pow(10.0, libm::log10(least.max(f64::MIN_POSITIVE)).floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
    steps.into_iter().find(|step| *step >= least * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

/// A number with as many digits as tell it from its neighbours.
fn label(number: f64, step: f64, most: f64) -> String {
    if number != 0.0 && !(1e-4..1e6).contains(&most) {
        let digits = (libm::log10(most / step).ceil() as usize).min(9);
        let text = format!("{number:.digits$e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = match digits.contains('.') {
            true => digits.trim_end_matches('0').trim_end_matches('.'),
            false => digits,
        };
        return format!("{digits}e{power}").replace('-', "\u{2212}");
    }
    let decimals = (-libm::log10(step).floor()).clamp(0.0, 12.0) as usize;
    format!("{number:.decimals$}").replace('-', "\u{2212}")
}

/// A power of ten, as a number while that is short.
fn power_label(power: i32) -> String {
    match power {
        0..=4 => 10_i32.pow(power.unsigned_abs()).to_string(),
        -4..0 => format!("{:.*}", power.unsigned_abs() as usize, libm::pow(10.0, power.into())),
        _ => format!("1e{power}").replace('-', "\u{2212}"),
    }
}
