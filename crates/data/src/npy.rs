//! To come.
pub(crate) const FIRST_BYTE: u8 = 0x93;
pub(crate) fn read_from(_: &mut crate::Reader<'_>) -> crate::error::Result<crate::Value> {
    todo!()
}
