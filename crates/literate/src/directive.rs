//! Directives: what is to be shown, and how.
//!
//! ```text
//! > expression
//! > :kind expression
//! > :kind expression;
//! parameter: value
//! ```
//!
//! The parameters of each kind are in [`Kind`]. A directive that cannot be read is shown as a failure at its place.

use fehu_harness::script::{Exp, parse};
use fehu_media::plot::Scale;

/// A directive.
#[derive(Clone, PartialEq, Debug)]
pub struct Directive {
    /// All of it, without the `>` at its start.
    pub source: String,
    /// How much of it is shown above its result.
    pub echo: Echo,
    /// The line of the program at which it starts, from 1.
    pub line: usize,
    /// What it shows, or why it makes no sense.
    pub show: Result<Show, String>,
}

/// How much of a directive is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Echo {
    /// All of it.
    Full,
    /// All but its parameters: `:brief`.
    Brief,
    /// Nothing: `:covert`.
    Covert,
}

/// What a directive shows.
#[derive(Clone, PartialEq, Debug)]
pub struct Show {
    /// The value.
    pub exp: Exp,
    /// As what.
    pub kind: Kind,
}

/// As what a value is shown.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    /// In the text format.
    Value,
    /// `:text`: bytes as text.
    Text,
    /// `:img`: a picture; the name of its file, if it is given one (`file`).
    Image(Option<String>),
    /// `:video`: an array of pictures, or a function that makes the next one, a state and a number of pictures.
    Video {
        /// Pictures in a second (`fps`).
        rate: u16,
        /// The file (`format`).
        format: Format,
        /// Whether it begins again at its end (`loop`).
        repeats: bool,
        /// Whether it begins by itself (`autoplay`).
        autoplay: bool,
    },
    /// `:audio`: samples, or channels of samples.
    Audio {
        /// Samples in a second (`sampling_frequency`).
        rate: u32,
        /// The file (`codec`).
        codec: String,
    },
    /// `:plot2d` and `:plot`: columns, or a record of several series.
    Plot(Plot),
    /// `:table`: a record of columns.
    Table,
    /// `:gnuplot`: a record of columns, and a script for the program of that name.
    Gnuplot(String),
}

/// The file of a film.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Animated PNG.
    Png,
    /// GIF.
    Gif,
    /// Whatever ffmpeg makes of a name that ends in this.
    Other(&'static str),
}

/// How a plot is drawn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plot {
    /// The marks of its series (`kind`); further series are like the last. At least one.
    pub kinds: Vec<PlotKind>,
    /// Width and height in pixels (`size`).
    pub size: Option<(u32, u32)>,
    /// Above it (`title`).
    pub title: String,
    /// The labels of the axes (`x`, `y`), and their scales (`log`).
    pub x: (String, Scale),
    /// See `x`.
    pub y: (String, Scale),
    /// The number of bars of a histogram (`bins`).
    pub bins: usize,
}

/// The kinds of plots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlotKind {
    /// `line`
    Line,
    /// `scatter`
    Scatter,
    /// `bar`
    Bar,
    /// `hist`: of columns of numbers.
    Histogram,
    /// `heatmap`: of a table of numbers.
    Heat,
}

/// Reads a directive, with its `>`.
pub fn read(text: &str, line: usize) -> Directive {
    let mut source = text.trim_start().strip_prefix('>').unwrap_or(text).trim().to_owned();
    let mut echo = Echo::Full;
    for (word, meant) in [(":covert", Echo::Covert), (":brief", Echo::Brief)] {
        if let Some(rest) = source.strip_prefix(word)
            && rest.starts_with(char::is_whitespace)
        {
            (echo, source) = (meant, rest.trim().to_owned());
        }
    }
    let show = show(&source);
    Directive { source, echo, line, show }
}

fn show(source: &str) -> Result<Show, String> {
    let Some(rest) = source.strip_prefix(':') else {
        return Ok(Show { exp: expression(source)?, kind: Kind::Value });
    };
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    // The parameters come after a semicolon at the end of a line.
    let cut = rest.match_indices(';').find(|(at, _)| {
        let after = &rest[at + 1..];
        after.trim_start_matches([' ', '\t']).starts_with('\n') || after.trim().is_empty()
    });
    let (exp, lines) = match cut {
        Some((at, _)) => (&rest[..at], rest[at + 1..].trim_matches('\n')),
        None => (rest, ""),
    };
    if name == "gnuplot" {
        return Ok(Show { exp: expression(exp)?, kind: Kind::Gnuplot(lines.to_owned()) });
    }
    let mut given = Parameters::read(lines)?;
    let kind = match name {
        "text" => Kind::Text,
        "img" => Kind::Image(given.take("file").map(plain_name).transpose()?),
        "video" => video(&mut given)?,
        "audio" => Kind::Audio {
            rate: given.number("sampling_frequency")?.unwrap_or(44_100),
            codec: given.take("codec").unwrap_or_else(|| "wav".to_owned()),
        },
        "plot2d" | "plot" => Kind::Plot(plot(&mut given)?),
        "table" => Kind::Table,
        _ => {
            return Err(format!(
                "there is no directive `:{name}`; there are `:text`, `:img`, `:video`, `:audio`, `:plot2d`, `:plot`, \
                 `:table`, `:gnuplot`, and `:brief` or `:covert` before each of them"
            ));
        }
    };
    given.none_left(name)?;
    Ok(Show { exp: expression(exp)?, kind })
}

fn expression(text: &str) -> Result<Exp, String> {
    parse::parse(text).map_err(|error| error.to_string())
}

fn video(given: &mut Parameters) -> Result<Kind, String> {
    let format = match given.take("format").as_deref() {
        None | Some("png" | "apng") => Format::Png,
        Some("gif") => Format::Gif,
        Some("webm") => Format::Other("webm"),
        Some("mp4") => Format::Other("mp4"),
        Some(other) => {
            return Err(format!(
                "`format: {other}` is none of the formats of films: png, gif, webm, mp4"
            ));
        }
    };
    Ok(Kind::Video {
        rate: given.number("fps")?.unwrap_or(30),
        format,
        repeats: given.truth("loop")?.unwrap_or(true),
        autoplay: given.truth("autoplay")?.unwrap_or(false),
    })
}

fn plot(given: &mut Parameters) -> Result<Plot, String> {
    let kinds = given.take("kind").unwrap_or_else(|| "line".to_owned());
    let kinds = kinds.split(',').map(|name| plot_kind(name.trim())).collect::<Result<_, _>>()?;
    let scales = match given.take("log").as_deref() {
        None => (Scale::Linear, Scale::Linear),
        Some("x") => (Scale::Log, Scale::Linear),
        Some("y") => (Scale::Linear, Scale::Log),
        Some("xy") => (Scale::Log, Scale::Log),
        Some(other) => return Err(format!("`log: {other}` is none of x, y and xy")),
    };
    Ok(Plot {
        kinds,
        size: given.take("size").map(|text| size(&text)).transpose()?,
        title: given.take("title").unwrap_or_default(),
        x: (given.take("x").unwrap_or_default(), scales.0),
        y: (given.take("y").unwrap_or_default(), scales.1),
        bins: given.number("bins")?.unwrap_or(30),
    })
}

fn plot_kind(name: &str) -> Result<PlotKind, String> {
    Ok(match name {
        "line" => PlotKind::Line,
        "scatter" => PlotKind::Scatter,
        "bar" => PlotKind::Bar,
        "hist" => PlotKind::Histogram,
        "heatmap" => PlotKind::Heat,
        other => {
            return Err(format!(
                "`kind: {other}` is none of the kinds of plots: line, scatter, bar, hist, heatmap"
            ));
        }
    })
}

/// `(width, height)`
fn size(text: &str) -> Result<(u32, u32), String> {
    let inside = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let pair = inside.and_then(|inside| {
        let (width, height) = inside.split_once(',')?;
        Some((width.trim().parse().ok()?, height.trim().parse().ok()?))
    });
    pair.ok_or_else(|| format!("`size: {text}` is not of the form (WIDTH, HEIGHT)"))
}

/// A name without a folder.
fn plain_name(name: String) -> Result<String, String> {
    match name.contains(['/', '\\']) || name.starts_with('.') {
        true => Err(format!("`file: {name}` must be the name of a file, without a folder")),
        false => Ok(name),
    }
}

/// The lines `name: value` after the expression.
struct Parameters(Vec<(String, String)>);

impl Parameters {
    fn read(lines: &str) -> Result<Parameters, String> {
        let mut given: Vec<(String, String)> = Vec::new();
        for line in lines.lines().filter(|line| !line.trim().is_empty()) {
            let Some((name, value)) = line.split_once(':') else {
                return Err(format!("`{line}` is not of the form `parameter: value`"));
            };
            let name = name.trim().to_owned();
            if given.iter().any(|(other, _)| *other == name) {
                return Err(format!("the parameter `{name}` is there twice"));
            }
            given.push((name, value.trim().to_owned()));
        }
        Ok(Parameters(given))
    }

    fn take(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|(other, _)| other == name)?;
        Some(self.0.remove(at).1)
    }

    fn number<T: std::str::FromStr>(&mut self, name: &str) -> Result<Option<T>, String> {
        let Some(text) = self.take(name) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| format!("`{name}: {text}` is not a suitable number"))
    }

    fn truth(&mut self, name: &str) -> Result<Option<bool>, String> {
        match self.take(name).as_deref() {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(other) => Err(format!("`{name}: {other}` is neither true nor false")),
        }
    }

    fn none_left(&self, directive: &str) -> Result<(), String> {
        match self.0.first() {
            None => Ok(()),
            Some((name, _)) => Err(format!("`:{directive}` has no parameter `{name}`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> Result<Kind, String> {
        read(text, 1).show.map(|show| show.kind)
    }

    #[test]
    fn parameters_are_read() {
        assert_eq!(kind("> f 1"), Ok(Kind::Value));
        assert_eq!(kind("> :img x;\nfile: a.png"), Ok(Kind::Image(Some("a.png".to_owned()))));
        let video = Kind::Video { rate: 5, format: Format::Gif, repeats: false, autoplay: false };
        assert_eq!(kind("> :video (f, (1, 2), 3);\nfps: 5\nformat: gif\nloop: false"), Ok(video));
        let Ok(Kind::Plot(plot)) = kind("> :plot x;\nsize: (300, 200)\nlog: y\ntitle: a: b") else {
            panic!("it is a plot");
        };
        assert_eq!((plot.size, plot.title.as_str()), (Some((300, 200)), "a: b"));
        assert_eq!((plot.x.1, plot.y.1), (Scale::Linear, Scale::Log));
        assert_eq!(kind("> :gnuplot {a=x};\nplot a with lines; replot"), {
            Ok(Kind::Gnuplot("plot a with lines; replot".to_owned()))
        });
    }

    #[test]
    fn echoes_are_read() {
        let directive = read("> :covert :img x", 3);
        assert_eq!((directive.echo, directive.source.as_str()), (Echo::Covert, ":img x"));
        assert_eq!(read("> :brief :img x;\nfile: a", 3).echo, Echo::Brief);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, message) in [
            ("> :image x", "no directive `:image`"),
            ("> :img x;\nsize: 1", "no parameter `size`"),
            ("> :img x;\nfile: ../a", "without a folder"),
            ("> :plot x;\nkind: pie", "kinds of plots"),
            ("> :plot x;\nsize: 3", "(WIDTH, HEIGHT)"),
            ("> :video x;\nfps: fast", "suitable number"),
            ("> :video x;\nfps: 1\nfps: 2", "twice"),
            ("> f (", "expected"),
        ] {
            let found = kind(text);
            assert!(found.as_ref().is_err_and(|why| why.contains(message)), "{text}: {found:?}");
        }
    }
}
