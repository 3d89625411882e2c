//! Results as JSON, in the format of existing tools:
//!
//! ```text
//! { "PROGRAM" or "PROGRAM:ENTRY":
//!     { "datasets": { NAME: { "runtimes": [microseconds], "bytes": { space: n }, "stderr": "..." }
//!                     NAME: "why there is none" } } }
//! ```

use super::{Group, Measured};
use serde_json::{Map, Value, json};

/// The text of results.
pub fn write(groups: &[Group]) -> String {
    let mut programs = Map::new();
    for group in groups {
        let datasets: Map<String, Value> = group
            .datasets
            .iter()
            .map(|(name, result)| {
                let result = match result {
                    Ok(measured) => value(measured),
                    Err(why) => Value::String(why.clone()),
                };
                (name.clone(), result)
            })
            .collect();
        programs.insert(group.name.clone(), json!({ "datasets": datasets }));
    }
    format!("{}\n", Value::Object(programs))
}

/// Reads results; the error says what is wrong.
pub fn read(text: &str) -> Result<Vec<Group>, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let programs = value.as_object().ok_or("the file is not a JSON object")?;
    let mut groups = Vec::new();
    for (name, program) in programs {
        let datasets = program.get("datasets").and_then(Value::as_object);
        let datasets = datasets.ok_or_else(|| format!("\"{name}\" has no \"datasets\""))?;
        let mut read = Vec::new();
        for (dataset, result) in datasets {
            let result = match result {
                Value::String(why) => Err(why.clone()),
                other => Ok(measured(other)
                    .ok_or_else(|| format!("\"{name}\", \"{dataset}\" has no \"runtimes\""))?),
            };
            read.push((dataset.clone(), result));
        }
        groups.push(Group { name: name.clone(), datasets: read });
    }
    Ok(groups)
}

/// What a report of a program says about memory.
pub fn memory(report: &Value) -> Vec<(String, u64)> {
    let spaces = report.get("memory").and_then(Value::as_object);
    let sizes = spaces.into_iter().flatten();
    sizes.filter_map(|(space, size)| Some((space.clone(), size.as_u64()?))).collect()
}

fn value(measured: &Measured) -> Value {
    let Measured { runtimes, bytes, stderr, profiling } = measured;
    let bytes: Map<String, Value> =
        bytes.iter().map(|(space, size)| (space.clone(), json!(size))).collect();
    let mut value = json!({ "runtimes": runtimes, "bytes": bytes, "stderr": stderr });
    if let (Some(profiling), Some(fields)) = (profiling, value.as_object_mut()) {
        fields.insert("profiling".to_owned(), profiling.clone());
    }
    value
}

fn measured(value: &Value) -> Option<Measured> {
    let runtimes = value.get("runtimes")?.as_array()?;
    // Other tools may write numbers with a fraction.
    let number = |time: &Value| time.as_u64().or_else(|| time.as_f64().map(|time| time as u64));
    let bytes = value.get("bytes").and_then(Value::as_object).into_iter().flatten();
    let stderr = value.get("stderr").and_then(Value::as_str).unwrap_or_default();
    Some(Measured {
        runtimes: runtimes.iter().map(number).collect::<Option<_>>()?,
        bytes: bytes.filter_map(|(space, size)| Some((space.clone(), size.as_u64()?))).collect(),
        stderr: stderr.to_owned(),
        profiling: value.get("profiling").cloned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let measured = Measured {
            runtimes: vec![3, 1, 2],
            bytes: vec![("default space".to_owned(), 100)],
            stderr: "a \"b\"\n".to_owned(),
            profiling: None,
        };
        let datasets =
            vec![("[10]i32".to_owned(), Ok(measured)), ("x".to_owned(), Err("no".to_owned()))];
        let groups = vec![Group { name: "a.fut:f".to_owned(), datasets }];
        let text = write(&groups);
        assert_eq!(read(&text), Ok(groups));
        let value: Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(value["a.fut:f"]["datasets"]["[10]i32"]["runtimes"], json!([3, 1, 2]));
        assert_eq!(value["a.fut:f"]["datasets"]["x"], json!("no"));
    }

    #[test]
    fn what_is_something_else_is_told() {
        assert!(read("[1").is_err() && read("[]").is_err());
        assert!(read("{\"a\": 1}").expect_err("no datasets").contains("\"a\""));
        let text = "{\"a\": {\"datasets\": {\"d\": {}}}}";
        assert!(read(text).expect_err("no runtimes").contains("\"d\""));
    }

    #[test]
    fn reports_tell_the_memory() {
        let report = json!({ "memory": { "default space": 12 }, "events": [] });
        assert_eq!(memory(&report), [("default space".to_owned(), 12)]);
        assert_eq!(memory(&json!({})), []);
    }
}
