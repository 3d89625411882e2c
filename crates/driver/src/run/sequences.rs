//! Sequences from files, for the interpreter, which has them in memory as a whole: what the executables of compiled
//! programs read chunk by chunk (`stream_source.c` in the run-time), so that they can be compared with it.

use super::Compiled;
use fehu_base::Prim;
use fehu_data::{SizedType, Value, ValueType, binary, npy, reader};
use fehu_ir::streaming::Sequence;
use fehu_ir::{Atom, Elem, Entry, Fun, Scalar, Type, Var};
use rustc_hash::FxHashMap;

/// A file that somebody has named for a sequence: `NAME=FILE`, with the format before the file, or by the end of its name.
pub struct SequenceFile {
    /// The name of the sequence.
    pub sequence: String,
    /// What stands for the file: a format and a colon perhaps, and a path.
    pub file: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Raw,
    Binary,
    Npy,
    Lines,
}

impl SequenceFile {
    /// From `NAME=FILE`.
    pub fn parse(text: &str) -> Option<SequenceFile> {
        let (sequence, file) = text.split_once('=')?;
        Some(SequenceFile { sequence: sequence.to_owned(), file: file.to_owned() })
    }

    fn format(&self, pieces: bool, types: &[&Type]) -> (Format, &str) {
        let formats = [
            ("raw:", Format::Raw),
            ("binary:", Format::Binary),
            ("npy:", Format::Npy),
            ("lines:", Format::Lines),
        ];
        for (prefix, format) in formats {
            if let Some(path) = self.file.strip_prefix(prefix) {
                return (format, path);
            }
        }
        let text = |ty: &Type| ty.rank() == 1 && ty.elem() == Some(Elem::Prim(Prim::U8));
        let format = match pieces {
            true if types.len() == 2 && text(types[1]) => Format::Lines,
            true => Format::Binary,
            false if self.file.ends_with(".npy") => Format::Npy,
            false => Format::Raw,
        };
        (format, &self.file)
    }
}

impl Compiled {
    /// The arguments of an entry point: sequences from files that `read` yields, the others from what `rest` yields,
    /// which is not asked if there are none.
    pub fn arguments(
        &self,
        entry: &str,
        files: &[SequenceFile],
        read: &dyn Fn(&str) -> Result<Vec<u8>, String>,
        rest: &dyn Fn() -> Result<Vec<u8>, String>,
    ) -> Result<Vec<Value>, String> {
        let all = self.parameters(entry).map_err(|error| error.to_string())?;
        let (entry, fun) = self.find(entry).map_err(|error| error.to_string())?;
        let named = |sequence: &&Sequence| files.iter().any(|f| f.sequence == sequence.name);
        for file in files {
            if !entry.sources.iter().any(|sequence| sequence.name == file.sequence) {
                let SequenceFile { sequence, .. } = file;
                return Err(format!(
                    "\"{}\" has no parameter \"{sequence}\" that is a sequence",
                    entry.name
                ));
            }
        }
        let sequences: Vec<&Sequence> = entry.sources.iter().filter(named).collect();
        let of_file =
            |part: usize| sequences.iter().any(|s| (s.first..s.first + s.count).contains(&part));
        let types: Vec<ValueType> =
            (0..all.len()).filter(|part| !of_file(*part)).map(|part| all[part]).collect();
        let input = if types.is_empty() { Vec::new() } else { rest()? };
        let others = reader::read_typed(&input, &types);
        let mut others = others.map_err(|error| format!("standard input: {error}"))?.into_iter();
        let mut values: Vec<Option<Value>> =
            (0..all.len()).map(|part| if of_file(part) { None } else { others.next() }).collect();
        let sizes = known_sizes(entry, fun, &values);
        for sequence in sequences {
            let own = files.iter().filter(|file| file.sequence == sequence.name);
            let columns = columns(entry, fun, sequence, own, &sizes, read)?;
            for (part, value) in columns.into_iter().enumerate() {
                values[sequence.first + part] = Some(value);
            }
        }
        Ok(values.into_iter().flatten().collect())
    }
}

/// The parameters of the function that are values, without sizes.
fn parts<'a>(entry: &Entry, fun: &'a Fun) -> Vec<(Var, &'a Type)> {
    let count: usize = entry.params.iter().map(|(_, ty)| ty.parts().len()).sum();
    let own = &fun.params[fun.params.len() - count..];
    own.iter().map(|param| (param.var, &fun.vars[param.var].ty)).collect()
}

/// What the other arguments say about sizes.
fn known_sizes(entry: &Entry, fun: &Fun, values: &[Option<Value>]) -> FxHashMap<Var, i64> {
    let mut sizes = FxHashMap::default();
    for ((var, ty), value) in parts(entry, fun).into_iter().zip(values) {
        let Some(value) = value else { continue };
        if let Some(fehu_data::Scalar::I64(size)) = value.as_scalar() {
            sizes.insert(var, size);
        }
        for (size, found) in ty.shape().iter().zip(value.shape()) {
            if let Atom::Var(var) = size {
                sizes.insert(*var, *found as i64);
            }
        }
    }
    sizes
}

/// The parts of a sequence, from all of its files.
fn columns<'a>(
    entry: &Entry,
    fun: &Fun,
    sequence: &Sequence,
    files: impl Iterator<Item = &'a SequenceFile>,
    sizes: &FxHashMap<Var, i64>,
    read: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<Vec<Value>, String> {
    let all = parts(entry, fun);
    let types: Vec<&Type> =
        all[sequence.first..][..sequence.count].iter().map(|(_, ty)| *ty).collect();
    let mut columns: Vec<Column> = Vec::new();
    for ty in &types {
        let Some(Elem::Prim(prim)) = ty.elem() else {
            return Err(format!("the elements of \"{}\" have no values", sequence.name));
        };
        let row = ty.shape()[1..].iter().map(|size| match size {
            Atom::Const(Scalar::I64(size)) => Some(*size as usize),
            Atom::Const(_) => None,
            Atom::Var(var) => sizes.get(var).map(|size| *size as usize),
        });
        columns.push(Column {
            prim,
            row: row.collect(),
            rank: ty.rank(),
            bytes: Vec::new(),
            count: 0,
        });
    }
    for file in files {
        let (format, path) = file.format(sequence.pieces, &types);
        let bytes = read(path)?;
        let result = match format {
            Format::Raw => raw(&bytes, &mut columns),
            Format::Lines => lines(&bytes, &mut columns),
            Format::Binary if sequence.pieces => pieces(&bytes, &mut columns),
            Format::Binary => reader::read_all(&bytes)
                .map_err(|error| error.to_string())
                .and_then(|values| whole(values, &mut columns)),
            Format::Npy => npy::read(&bytes)
                .map_err(|error| error.to_string())
                .and_then(|value| whole(vec![value], &mut columns)),
        };
        result.map_err(|error| format!("{path}: {error}"))?;
    }
    columns.into_iter().map(Column::value).collect()
}

/// A part of all elements.
struct Column {
    prim: Prim,
    /// The sizes of an element, if they are known.
    row: Option<Vec<usize>>,
    rank: usize,
    bytes: Vec<u8>,
    count: usize,
}

impl Column {
    fn width(&self) -> Result<usize, String> {
        let row = self.row.as_ref().ok_or("nothing says how large an element is")?;
        Ok(self.prim.bits() as usize / 8 * row.iter().product::<usize>())
    }

    /// Adds an array of elements.
    fn add(&mut self, value: &Value) -> Result<(), String> {
        let Some(array) =
            value.as_array().filter(|a| a.elem() == self.prim && a.rank() == self.rank)
        else {
            return Err(format!(
                "an array of {} dimensions of {} is expected",
                self.rank, self.prim
            ));
        };
        let row = array.shape()[1..].to_vec();
        if self.row.as_ref().is_some_and(|known| *known != row) {
            return Err("an element has other sizes than it should have".to_owned());
        }
        self.row = Some(row);
        self.count += array.shape()[0];
        let all = binary::to_bytes(value);
        let length = array.len() * self.prim.bits() as usize / 8;
        self.bytes.extend_from_slice(&all[all.len() - length..]);
        Ok(())
    }

    fn value(self) -> Result<Value, String> {
        self.width()?;
        let mut shape = vec![self.count];
        shape.extend(self.row.unwrap_or_default());
        let mut all = Vec::new();
        let ty = SizedType { elem: self.prim, shape };
        binary::write_header(&mut all, &ty).map_err(|error| error.to_string())?;
        all.extend(self.bytes);
        let values = reader::read_all(&all).map_err(|error| error.to_string())?;
        values.into_iter().next().ok_or_else(|| "no value".to_owned())
    }
}

/// Elements one after the other, their parts in turn.
fn raw(bytes: &[u8], columns: &mut [Column]) -> Result<(), String> {
    let widths: Vec<usize> = columns.iter().map(Column::width).collect::<Result<_, _>>()?;
    let record: usize = widths.iter().sum();
    if record == 0 {
        return Err("the elements have no bytes, so that their number is not known".to_owned());
    }
    if !bytes.len().is_multiple_of(record) {
        let whole = bytes.len() / record;
        return Err(format!("the file ends within element {whole}, which has {record} bytes"));
    }
    for element in bytes.chunks(record) {
        let mut rest = element;
        for (column, width) in columns.iter_mut().zip(&widths) {
            let (own, others) = rest.split_at(*width);
            column.bytes.extend_from_slice(own);
            column.count += 1;
            rest = others;
        }
    }
    Ok(())
}

/// Lines of text, without their ends.
fn lines(bytes: &[u8], columns: &mut [Column]) -> Result<(), String> {
    let [sizes, values] = columns else {
        return Err("only elements of type []u8 are lines".to_owned());
    };
    let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    if bytes.is_empty() {
        return Ok(());
    }
    for line in text.split(|byte| *byte == b'\n') {
        sizes.bytes.extend((line.len() as i64).to_le_bytes());
        sizes.count += 1;
        values.bytes.extend_from_slice(line);
        values.count += line.len();
    }
    Ok(())
}

/// Arrays one after the other, each of which is an element.
fn pieces(bytes: &[u8], columns: &mut [Column]) -> Result<(), String> {
    let [sizes, values] = columns else {
        return Err("its elements have several parts, so that no file can have them".to_owned());
    };
    for value in reader::read_all(bytes).map_err(|error| error.to_string())? {
        let before = values.count;
        values.add(&value)?;
        sizes.bytes.extend(((values.count - before) as i64).to_le_bytes());
        sizes.count += 1;
    }
    Ok(())
}

/// An array of all elements.
fn whole(values: Vec<Value>, columns: &mut [Column]) -> Result<(), String> {
    let ([value], [column]) = (&values[..], columns) else {
        return Err("one array of elements with one part is expected".to_owned());
    };
    column.add(value)
}
