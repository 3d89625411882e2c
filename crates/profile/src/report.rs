//! What programs report: `futhark_context_report` as JSON. Reports of other compilers have events without a beginning.

use fehu_ir::Loc;
use serde_json::Value;

/// What a run has reported. Times are in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The most bytes in use, for each kind of memory.
    pub memory: Vec<(String, u64)>,
    /// What happened, in the order of its end; not all of it, if there was too much.
    pub events: Vec<Event>,
    /// How many events there was no room for.
    pub lost: u64,
    /// The operators, by number.
    pub operators: Vec<Operator>,
    /// How often memory was asked for, and how long that took.
    pub allocations: u64,
    /// See `allocations`.
    pub allocation: u64,
    /// The threads of the program.
    pub threads: u64,
    /// The device, if it has one.
    pub device: Option<String>,
    /// What thresholds were compared with.
    pub compared: Vec<(String, i64)>,
}

/// Something that took time.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// What it is.
    pub name: String,
    /// Where it is in the source, if that is known.
    pub place: Option<Place>,
    /// When it began ...
    pub start: u64,
    /// ... and ended.
    pub end: u64,
    /// Who did it.
    pub track: Track,
    /// The operator that it is, or is part of.
    pub operator: Option<usize>,
    /// The bytes that were copied.
    pub bytes: Option<u64>,
    /// The bytes in use at its end.
    pub memory: Option<u64>,
}

impl Event {
    /// How long it took.
    pub fn duration(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }
}

/// Who does something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Track {
    /// A thread. The first is the one that calls the program.
    Thread(u64),
    /// The device.
    Device,
    /// Copies between the device and the host.
    Bus,
}

/// A line of the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
}

impl Place {
    /// Of a location as text; the innermost, if there are several.
    pub fn of(text: &str) -> Option<Place> {
        let first = text.split("->").next().unwrap_or(text);
        let loc = Loc(first.into());
        let place = loc.place()?;
        Some(Place { file: place.file.to_owned(), line: place.line })
    }
}

/// An operator of the program, and what all its executions took together.
#[derive(Clone, Debug, PartialEq)]
pub struct Operator {
    /// What it is.
    pub name: String,
    /// The function that it is in.
    pub function: String,
    /// Where it is in the source.
    pub place: Option<Place>,
    /// Whether what it does depends on sizes only.
    pub exact: bool,
    /// How often it was executed.
    pub calls: u64,
    /// How long that took, with everything inside.
    pub total: u64,
    /// The same without operators inside.
    pub own: u64,
    /// The shortest execution.
    pub least: u64,
    /// The longest.
    pub most: u64,
    /// How long it waited for memory.
    pub allocation: u64,
    /// The time of all threads together.
    pub busy: u64,
    /// The time of the one that took longest.
    pub busiest: u64,
    /// The time of the device.
    pub device: u64,
    /// What was asked of the device.
    pub kernels: u64,
    /// What it did for each line. A frame around operators has none.
    pub parts: Vec<Part>,
}

/// What an operator did for a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The line.
    pub place: Option<Place>,
    /// The bytes that it read.
    pub read: u64,
    /// The bytes that it wrote.
    pub written: u64,
    /// The operations.
    pub operations: u64,
}

impl Operator {
    /// The bytes that it moved.
    pub fn bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.read + part.written).sum()
    }

    /// The operations.
    pub fn operations(&self) -> u64 {
        self.parts.iter().map(|part| part.operations).sum()
    }
}

impl Report {
    /// Reads a report from a text.
    pub fn parse(text: &str) -> Result<Report, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        Report::read(&value)
    }

    /// Reads a report; the error says what is missing.
    pub fn read(value: &Value) -> Result<Report, String> {
        let events = value.get("events").and_then(Value::as_array);
        let events = events.ok_or("a report has a list \"events\"")?;
        let list = |name: &str| value.get(name).and_then(Value::as_array).into_iter().flatten();
        let mut report = Report {
            lost: number(value, "lost"),
            threads: number(value, "threads").max(1),
            device: value.get("device").and_then(Value::as_str).map(str::to_owned),
            operators: list("operators").map(operator).collect(),
            compared: list("compared").filter_map(compared).collect(),
            ..Report::default()
        };
        if let Some(allocation) = value.get("allocation") {
            report.allocations = number(allocation, "count");
            report.allocation = number(allocation, "time");
        }
        let spaces = value.get("memory").and_then(Value::as_object).into_iter().flatten();
        report.memory =
            spaces.filter_map(|(name, size)| Some((name.clone(), size.as_u64()?))).collect();
        let mut clock = 0;
        for event in events {
            report.events.push(read_event(event, &mut clock)?);
        }
        Ok(report)
    }
}

fn read_event(value: &Value, clock: &mut u64) -> Result<Event, String> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let name = text("name").ok_or("an event has a \"name\"")?.to_owned();
    let (start, end) = match (value.get("start"), value.get("duration")) {
        (Some(_), _) => (number(value, "start"), number(value, "end")),
        // Only how long it took is known: one after the other, then.
        (None, Some(duration)) => {
            let start = *clock;
            *clock += (duration.as_f64().unwrap_or(0.0).max(0.0) * 1000.0) as u64;
            (start, *clock)
        }
        (None, None) => return Err(format!("the event \"{name}\" has no \"duration\"")),
    };
    let track = match value.get("track") {
        Some(Value::String(track)) if track == "bus" => Track::Bus,
        Some(Value::Number(thread)) => Track::Thread(thread.as_u64().unwrap_or(0)),
        Some(_) | None => Track::Device,
    };
    let detail = |name: &str| value.get("details").and_then(|details| details.get(name)?.as_u64());
    Ok(Event {
        name,
        place: text("provenance").and_then(Place::of),
        start,
        end,
        track,
        operator: value.get("operator").and_then(Value::as_u64).map(|number| number as usize),
        bytes: detail("bytes"),
        memory: detail("memory"),
    })
}

fn operator(value: &Value) -> Operator {
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
    let parts = value.get("parts").and_then(Value::as_array).into_iter().flatten();
    let part = |part: &Value| Part {
        place: part.get("place").and_then(Value::as_str).and_then(Place::of),
        read: number(part, "read"),
        written: number(part, "written"),
        operations: number(part, "operations"),
    };
    Operator {
        name: text("name").to_owned(),
        function: text("function").to_owned(),
        place: Place::of(text("place")),
        exact: value.get("exact").and_then(Value::as_bool).unwrap_or(false),
        calls: number(value, "calls"),
        total: number(value, "total"),
        own: number(value, "own"),
        least: number(value, "least"),
        most: number(value, "most"),
        allocation: number(value, "allocation"),
        busy: number(value, "busy"),
        busiest: number(value, "busiest"),
        device: number(value, "device"),
        kernels: number(value, "kernels"),
        parts: parts.map(part).collect(),
    }
}

fn compared(value: &Value) -> Option<(String, i64)> {
    let pair = value.as_array()?;
    Some((pair.first()?.as_str()?.to_owned(), pair.get(1)?.as_i64()?))
}

/// A number that is not negative; 0 if there is none.
fn number(value: &Value, name: &str) -> u64 {
    value
        .get(name)
        .and_then(|value| value.as_i64())
        .and_then(|n| u64::try_from(n).ok())
        .unwrap_or(0)
}
