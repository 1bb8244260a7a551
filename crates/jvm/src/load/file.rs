//! Reading at a position, from many threads, without `unsafe`.
//!
//! A memory map was considered for the JDK image and dropped: it needs `unsafe`, and a file that shrinks while
//! mapped kills the process. A positioned read of a class costs a few microseconds and fails cleanly.

use std::fs::File;
use std::io;

#[cfg(unix)]
pub(super) fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

#[cfg(windows)]
pub(super) fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    use std::os::windows::fs::FileExt;
    let (mut rest, mut at) = (buffer, offset);
    while !rest.is_empty() {
        let read = file.seek_read(rest, at)?;
        let progress = u64::try_from(read).unwrap_or(0);
        if progress == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        at = at.saturating_add(progress);
        rest = rest.get_mut(read..).unwrap_or_default();
    }
    Ok(())
}
