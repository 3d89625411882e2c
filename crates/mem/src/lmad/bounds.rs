//! The first and the last address of an LMAD.

use super::Lmad;
use crate::prove::{Proof, Sign};
use fehu_facts::poly::Poly;

impl Lmad {
    /// The smallest and the largest address, if there are elements and the signs of the strides are known.
    pub fn bounds(&self, proof: &mut Proof<'_, '_>) -> Option<(Poly, Poly)> {
        let (mut low, mut high) = (self.offset.clone(), self.offset.clone());
        for dim in &self.dims {
            let length = dim.size.plus(-1)?.mul(&dim.stride)?;
            if length.as_constant() == Some(0) {
                continue;
            }
            match proof.sign(&dim.stride)? {
                Sign::Positive => high = high.add(&length)?,
                Sign::Negative => low = low.add(&length)?,
            }
        }
        Some((low, high))
    }

    /// Whether all addresses are in a block of this many elements.
    pub fn is_within(&self, size: &Poly, proof: &mut Proof<'_, '_>) -> bool {
        if self.is_empty() {
            return true;
        }
        proof.scope(|proof| {
            proof.assume_elements(self);
            let Some((low, high)) = self.bounds(proof) else { return false };
            proof.nonneg(&low) && proof.less(&high, size)
        })
    }
}
