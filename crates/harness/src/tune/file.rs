//! Tuning files: lines `NAME=INT`.

use super::Tuned;

/// The text of a program's tuning file. What the file said before about parameters that were not tuned stays, unless the program
/// does not have them any more.
pub fn text(tuned: &Tuned, before: &str) -> String {
    let Tuned { thresholds, params, found, .. } = tuned;
    let mut lines: Vec<(&str, String)> = Vec::new();
    for line in before.lines() {
        let Some((name, value)) = line.split_once('=') else { continue };
        // The last line about a parameter counts.
        lines.retain(|(other, _)| *other != name);
        if params.iter().any(|param| param == name) {
            lines.push((name, value.to_owned()));
        }
    }
    for ((threshold, value), tested) in thresholds.iter().zip(&found.values).zip(&found.tested) {
        if *tested {
            lines.retain(|(other, _)| *other != threshold.name);
            lines.push((&threshold.name, value.to_string()));
        }
    }
    lines.sort();
    lines.iter().map(|(name, value)| format!("{name}={value}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::search::{Found, Threshold, Wants};
    use super::*;

    #[test]
    fn other_parameters_stay() {
        let threshold = |name: &str| Threshold {
            name: name.to_owned(),
            default: 1,
            wants: Wants::AtLeast,
            path: Vec::new(),
        };
        let tuned = Tuned {
            thresholds: ["f.suff_a", "f.suff_b", "f.suff_c"].map(threshold).into(),
            params: ["f.suff_a", "f.suff_b", "f.suff_c", "width"].map(str::to_owned).into(),
            datasets: Vec::new(),
            found: Found {
                values: vec![10, 1, 1],
                tested: vec![true, false, false],
                disputed: Vec::new(),
                before: Vec::new(),
                after: Vec::new(),
                reverted: false,
                runs: 0,
            },
        };
        let before = "width=3\nwidth=4\ngone=5\nf.suff_a=6\nf.suff_c=7\n";
        assert_eq!(text(&tuned, before), "f.suff_a=10\nf.suff_c=7\nwidth=4\n");
        assert_eq!(text(&tuned, ""), "f.suff_a=10\n");
    }
}
