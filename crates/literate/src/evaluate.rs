//! Directives to what they show: the contents of one file each.

use crate::directive::{Format, Kind, Plot, PlotKind, Show};
use crate::outside;
use fehu_data::Value;
use fehu_harness::script::eval::{apply, value};
use fehu_harness::script::show::show;
use fehu_harness::script::{Machine, ScriptError, ScriptValue};
use fehu_media::audio::Sound;
use fehu_media::column::{column, numbers};
use fehu_media::image::Image;
use fehu_media::plot::{self, Axis, Drawing, Marks, Series, histogram, points};
use fehu_media::video::{self, Film};

/// How the files of a kind end.
pub fn ending(kind: &Kind) -> String {
    match kind {
        Kind::Value => "eval.txt".to_owned(),
        Kind::Text => "text.txt".to_owned(),
        Kind::Image(_) => "img.png".to_owned(),
        Kind::Video { format: Format::Png, .. } => "video.png".to_owned(),
        Kind::Video { format: Format::Gif, .. } => "video.gif".to_owned(),
        Kind::Video { format: Format::Other(end), .. } => format!("video.{end}"),
        Kind::Audio { codec, .. } => format!("output.{codec}"),
        Kind::Plot(_) => "plot.svg".to_owned(),
        Kind::Table => "table.md".to_owned(),
        Kind::Gnuplot(_) => "plot.png".to_owned(),
    }
}

/// Evaluates what a directive shows. The error says why it cannot be shown.
pub fn evaluate(machine: &mut Machine<'_>, what: &Show) -> Result<Vec<u8>, String> {
    let given = value(machine, &what.exp).map_err(said)?;
    match &what.kind {
        Kind::Value => show(&given, machine.program).map(String::into_bytes).map_err(said),
        Kind::Text => {
            let array = data(machine, &given)?;
            let bytes = array.as_array().and_then(|array| array.elements::<u8>());
            bytes.map(<[u8]>::to_vec).ok_or_else(|| {
                format!("text is an array of bytes, []u8, not {}", array.value_type())
            })
        }
        Kind::Image(_) => Image::from_value(&data(machine, &given)?)?.to_png(),
        Kind::Video { rate, format, repeats, .. } => {
            let images = film(machine, &given)?;
            let film = Film { rate: *rate, repeats: *repeats };
            match format {
                Format::Png => video::to_png(&images, film),
                Format::Gif => video::to_gif(&images, film),
                Format::Other(end) => outside::video(&video::to_png(&images, film)?, *rate, end),
            }
        }
        Kind::Audio { rate, codec } => {
            let sound = Sound::from_value(&data(machine, &given)?, *rate)?.to_wav()?;
            if codec == "wav" { Ok(sound) } else { outside::audio(&sound, codec) }
        }
        Kind::Plot(plot) => draw(machine, &given, plot).map(String::into_bytes),
        Kind::Table => table(machine, &given).map(String::into_bytes),
        Kind::Gnuplot(script) => {
            let mut files = Vec::new();
            for (name, columns) in named(machine, &given)? {
                files.push((name, columns_of(machine, &columns)?));
            }
            outside::gnuplot(&files, script)
        }
    }
}

fn said(error: ScriptError) -> String {
    error.to_string()
}

/// The array or scalar that a value is.
fn data(machine: &mut Machine<'_>, value: &ScriptValue) -> Result<Value, String> {
    let data = value.as_value(machine.program).map_err(|error| error.to_string())?;
    data.ok_or_else(|| format!("expected an array of scalars, but got {}", value.type_name()))
}

/// The fields of a record; a value that is none is one field without a name.
fn named(
    machine: &mut Machine<'_>,
    value: &ScriptValue,
) -> Result<Vec<(String, ScriptValue)>, String> {
    let whole = || vec![(String::new(), value.clone())];
    let tuple = value.components(machine.program).map_err(|error| error.to_string())?;
    if tuple.is_some() {
        return Ok(whole());
    }
    let fields = value.named(machine.program).map_err(|error| error.to_string())?;
    Ok(fields.unwrap_or_else(whole))
}

/// The components of a tuple, or the value alone.
fn columns_of(machine: &mut Machine<'_>, value: &ScriptValue) -> Result<Vec<Vec<f64>>, String> {
    let parts = value.components(machine.program).map_err(|error| error.to_string())?;
    let parts = parts.unwrap_or_else(|| vec![value.clone()]);
    parts.iter().map(|part| column(&data(machine, part)?)).collect()
}

/// The pictures of a film: an array of them, or what a function makes of one state after the other.
fn film(machine: &mut Machine<'_>, given: &ScriptValue) -> Result<Vec<Image>, String> {
    let parts = given.components(machine.program).map_err(|error| error.to_string())?;
    let Some(parts) = parts else { return video::frames(&data(machine, given)?) };
    let [step, state, count] = parts.as_slice() else {
        return Err(format!(
            "a film is an array of pictures, or a function, a state and a number, not {}",
            given.type_name()
        ));
    };
    let count = data(machine, count)?.as_scalar().and_then(|count| count.as_integer());
    let count = count.and_then(|count| usize::try_from(count).ok());
    let count = count.ok_or("the number of pictures is not a number")?;
    let mut state = state.clone();
    let mut images = Vec::new();
    for _ in 0..count {
        let next = apply(machine, step, vec![state]).map_err(said)?;
        let parts = next.components(machine.program).map_err(|error| error.to_string())?;
        let Some([picture, after]) = parts.as_deref() else {
            return Err(format!(
                "the function of a film makes a picture and the next state, not {}",
                next.type_name()
            ));
        };
        images.push(Image::from_value(&data(machine, picture)?)?);
        state = after.clone();
    }
    Ok(images)
}

fn draw(machine: &mut Machine<'_>, given: &ScriptValue, how: &Plot) -> Result<String, String> {
    let kind = |index: usize| {
        let kind = how.kinds.get(index).or(how.kinds.last());
        kind.copied().unwrap_or(PlotKind::Line)
    };
    let drawing = match kind(0) {
        PlotKind::Heat => {
            let table = data(machine, given)?;
            match table.as_array().map(|array| (array, array.shape())) {
                Some((array, [_, columns])) => {
                    Drawing::Heat { columns: *columns, numbers: numbers(array) }
                }
                Some(_) | None => {
                    return Err(format!(
                        "a heat map is an array of two dimensions, not {}",
                        table.value_type()
                    ));
                }
            }
        }
        PlotKind::Line | PlotKind::Scatter | PlotKind::Bar | PlotKind::Histogram => {
            let mut all = Vec::new();
            for (index, (name, value)) in named(machine, given)?.into_iter().enumerate() {
                let columns = columns_of(machine, &value)?;
                all.push(series(name, &columns, kind(index), how.bins)?);
            }
            Drawing::Series(all)
        }
    };
    let axis = |(label, scale): &(String, _)| Axis { label: label.clone(), scale: *scale };
    let mut plot = plot::Plot::new(drawing);
    plot.title.clone_from(&how.title);
    (plot.x, plot.y) = (axis(&how.x), axis(&how.y));
    plot.size = how.size.unwrap_or(plot.size);
    plot.to_svg()
}

fn series(
    name: String,
    columns: &[Vec<f64>],
    kind: PlotKind,
    bins: usize,
) -> Result<Series, String> {
    let marks = match kind {
        PlotKind::Histogram => {
            return match columns {
                [column] => Ok(histogram(&name, column, bins)),
                _ => Err("a histogram is of one column of numbers".to_owned()),
            };
        }
        PlotKind::Scatter => Marks::Dots,
        PlotKind::Bar => Marks::Bars,
        PlotKind::Line => Marks::Line,
        PlotKind::Heat => return Err("a heat map is a plot of its own".to_owned()),
    };
    let points = match columns {
        [xs, ys] => points(xs, ys)?,
        // Its numbers one after the other.
        [ys] => ys.iter().enumerate().map(|(index, y)| (index as f64, *y)).collect(),
        _ => {
            let count = columns.len();
            return Err(format!(
                "a series is a pair of columns, or one column, not {count} columns"
            ));
        }
    };
    Ok(Series { name, marks, points })
}

/// The rows of a table that are shown.
const MOST_ROWS: usize = 200;

/// A record of columns as a table in Markdown.
fn table(machine: &mut Machine<'_>, given: &ScriptValue) -> Result<String, String> {
    let parts = given.components(machine.program).map_err(|error| error.to_string())?;
    let fields = match parts {
        Some(parts) => {
            parts.into_iter().enumerate().map(|(index, part)| (index.to_string(), part)).collect()
        }
        None => named(machine, given)?,
    };
    let mut columns = Vec::new();
    for (name, field) in &fields {
        let value = data(machine, field)?;
        match value.as_array() {
            Some(array) if array.rank() == 1 => columns.push((name.clone(), array.clone())),
            Some(_) | None => {
                let ty = value.value_type();
                return Err(format!("a column of a table is an array of one dimension, not {ty}"));
            }
        }
    }
    let rows = columns.iter().map(|(_, column)| column.len()).max().unwrap_or(0);
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut out = line(columns.iter().map(|(name, _)| name.clone()).collect());
    out.push_str(&line(columns.iter().map(|_| "--:".to_owned()).collect()));
    for row in 0..rows.min(MOST_ROWS) {
        let cell = |scalar: fehu_data::Scalar| {
            let text = Value::Scalar(scalar).to_string();
            text.strip_suffix(scalar.prim().name()).unwrap_or(&text).to_owned()
        };
        let cells =
            columns.iter().map(|(_, column)| column.get_flat(row).map_or(String::new(), cell));
        out.push_str(&line(cells.collect()));
    }
    if rows > MOST_ROWS {
        out.push_str(&line(columns.iter().map(|_| "…".to_owned()).collect()));
    }
    Ok(out)
}
