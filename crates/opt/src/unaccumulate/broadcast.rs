//! Contributions that are the same for all elements of a row: they are added up once for each row.
//!
//! ```text
//! reduce_by_index dest (map2 (+)) (replicate d 0) is (map (replicate d) xs)
//! ==>
//! map2 (\row s -> map (+ s) row) dest (reduce_by_index (replicate k 0) (+) 0 is xs)
//! ```
//!
//! Second derivatives of squares are such: how many points are nearest to a centre, in each of its dimensions.

use super::nest::{Along, Code, nest, scalar_of};
use super::pull::{Level, Read};
use crate::differentiate::num::{add, zero};
use fehu_base::OrBug;
use fehu_facts::Effects;
use fehu_ir::builder::Builder;
use fehu_ir::{Type, Var};

/// Zeros, one for each row of an array whose rows have so many dimensions.
pub(super) fn zeros_of_rows(b: &mut Builder<'_>, array: Var, dims: usize) -> (Var, Type) {
    let ty = b.ty(array);
    let shape = ty.shape()[..ty.rank() - dims].to_vec();
    let ty = Type::array(ty.elem().or_bug("element"), shape);
    (zero(b, &ty).var().or_bug("zeros of rows"), ty)
}

/// An array, to the elements of whose rows a number is added that is the row's.
pub(super) fn added_to_rows(
    b: &mut Builder<'_>,
    effects: &Effects,
    numbers: Var,
    array: Var,
) -> Var {
    let ty = b.ty(array).clone();
    let level = |width| {
        let position = b.param("i", Type::I64);
        Level { position, width, at: position }
    };
    let levels: Vec<Level> = ty.shape().iter().copied().map(level).collect();
    let positions: Vec<Var> = levels.iter().map(|level| level.position).collect();
    let rank = b.ty(numbers).rank();
    let scalar = scalar_of(&ty).or_bug("element of an array");
    let mut read = |array, positions: &[Var]| {
        let var = b.param("x", scalar.clone());
        Read { var, array, positions: positions.to_vec() }
    };
    let reads = vec![read(array, &positions), read(numbers, &positions[..rank])];
    let [x, y] = [reads[0].var.into(), reads[1].var.into()];
    let mut value = x;
    let body = b.body(|b| {
        value = add(b, x, y);
        Vec::new()
    });
    let code = Code { reads, stms: body.stms, value };
    let levels: Vec<(Level, Along)> = levels.into_iter().map(|level| (level, Along::Map)).collect();
    nest(b, effects, code, &levels).var().or_bug("rows of an array")
}
