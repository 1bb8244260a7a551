//! `java.util.zip`: inflating and deflating arrays of bytes.
//!
//! Inflating is exact. What deflating gives is a valid stream that inflates to the same, but its bytes may be others than
//! those of the JDK's own library: that is in the ledger.

use crate::natives::support::*;
use crate::natives::{Res, Row, Vmj, natives};
use crate::world::RunState;
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use ledger::Kind;
use rustc_hash::FxHashMap;
use vm::{ObjId, Val};

natives! {
    "java/util/zip/Inflater" {
        "init" "(Z)J" = inflater;
        "inflateBytesBytes" "(J[BII[BII)J" = inflate;
        "inflateBytes" "(J[BII)I" = inflate_8;
        "getAdler" "(J)I" = get_adler;
        "reset" "(J)V" = reset;
        "end" "(J)V" = end;
    }
    "java/util/zip/Deflater" {
        "init" "(IIZ)J" = deflater;
        "deflateBytesBytes" "(J[BII[BIIII)J" = deflate;
        "deflateBytes" "(J[BIII)I" = deflate_8;
        "getAdler" "(J)I" = get_adler;
        "reset" "(J)V" = reset;
        "end" "(J)V" = end;
    }
}

pub(super) fn tables() -> Vec<&'static [Row]> {
    vec![ROWS]
}

/// The streams of a run, by the numbers that guest objects hold. 0 is none.
#[derive(Default)]
struct Streams {
    open: FxHashMap<i64, Stream>,
    last: i64,
    frozen: i64,
}

struct Stream {
    coder: Coder,
    /// Without zlib's header and checksum.
    raw: bool,
    level: i32,
    /// Adler-32 of the plain bytes so far.
    adler: i32,
}

enum Coder {
    In(Decompress),
    Out(Compress),
}

impl RunState for Streams {
    fn fork(&self) -> Box<dyn RunState> {
        // A fork starts at the snapshot, where none is open.
        Box::new(Streams { open: FxHashMap::default(), last: self.frozen, frozen: self.frozen })
    }

    fn freeze(&mut self) {
        // What is open now could not be brought back to this state: nobody may use it.
        self.open.clear();
        self.frozen = self.last;
    }

    fn is_untouched(&self) -> bool {
        self.open.is_empty() && self.last == self.frozen
    }

    fn reset(&mut self) {
        self.open.clear();
        self.last = self.frozen;
    }
}

fn open(vm: &mut Vmj, coder: Coder, raw: bool, level: i32) -> i64 {
    let streams = vm.lang.state::<Streams>();
    streams.last += 1;
    streams.open.insert(streams.last, Stream { coder, raw, level, adler: 1 });
    streams.last
}

fn stream(vm: &mut Vmj, val: Val) -> Res<&mut Stream> {
    let found = vm.lang.state::<Streams>().open.get_mut(&val.as_i64());
    found.ok_or_else(|| unsupported("zip stream", "opened before the run"))
}

fn inflater(vm: &mut Vmj, args: &[Val]) -> Res<i64> {
    let raw = arg(args, 0).bits != 0;
    Ok(open(vm, Coder::In(Decompress::new(!raw)), raw, 0))
}

fn deflater(vm: &mut Vmj, args: &[Val]) -> Res<i64> {
    let (level, raw) = (arg(args, 0).as_i32(), arg(args, 2).bits != 0);
    let coder = Coder::Out(Compress::new(compression(level), !raw));
    Ok(open(vm, coder, raw, level))
}

/// -1 is the usual level.
fn compression(level: i32) -> Compression {
    u32::try_from(level).map_or_else(|_| Compression::default(), |level| Compression::new(level.min(9)))
}

fn reset(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let stream = stream(vm, arg(args, 0))?;
    stream.adler = 1;
    match &mut stream.coder {
        Coder::In(coder) => coder.reset(!stream.raw),
        Coder::Out(coder) => coder.reset(),
    }
    Ok(())
}

fn end(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    vm.lang.state::<Streams>().open.remove(&arg(args, 0).as_i64());
    Ok(())
}

fn get_adler(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    Ok(stream(vm, arg(args, 0))?.adler)
}

/// Bytes of an array, fixed if symbolic. The JDK checked the range.
fn bytes(vm: &mut Vmj, array: ObjId, offset: Val, len: Val) -> Res<Vec<u8>> {
    fix_array(vm, array, "bytes of a zip stream")?;
    let (offset, len) = (offset.as_i32() as usize, len.as_i32() as usize);
    let found = vm.heap.bytes(array).get(offset..offset.saturating_add(len)).map(<[u8]>::to_vec);
    found.ok_or_else(|| throw_plain("java/lang/ArrayIndexOutOfBoundsException"))
}

/// How the JDK wants what was read and written, and whether the stream is finished.
fn packed(read: u64, written: u64, finished: bool) -> i64 {
    (read | written << 31 | u64::from(finished) << 62) as i64
}

fn write_back(vm: &mut Vmj, array: ObjId, offset: Val, written: &[u8]) {
    let offset = offset.as_i32() as usize;
    if let Some(target) = vm.heap.bytes_mut(array).get_mut(offset..offset + written.len()) {
        target.copy_from_slice(written);
    }
}

fn inflate(vm: &mut Vmj, args: &[Val]) -> Res<i64> {
    let input = bytes(vm, arg(args, 2).as_obj(), arg(args, 3), arg(args, 4))?;
    let target = arg(args, 5).as_obj();
    let mut output = bytes(vm, target, arg(args, 6), arg(args, 7))?;
    let stream = stream(vm, arg(args, 1))?;
    let Coder::In(coder) = &mut stream.coder else { return Err(null_pointer()) };
    let (read, written) = (coder.total_in(), coder.total_out());
    let done = coder.decompress(&input, &mut output, FlushDecompress::None);
    let (read, written) = (coder.total_in() - read, coder.total_out() - written);
    output.truncate(written as usize);
    if !stream.raw {
        stream.adler = super::util::adler(stream.adler, &output);
    }
    write_back(vm, target, arg(args, 6), &output);
    match done {
        Ok(status) => Ok(packed(read, written, status == Status::StreamEnd)),
        Err(error) if error.needs_dictionary().is_some() => {
            Err(unsupported("zip stream", "with a dictionary"))
        }
        Err(error) => {
            let this = arg(args, 0).as_obj();
            // Since Java 11.
            if field_of(&vm.lang, vm.heap.class(this), "inputConsumed").is_some() {
                set_i32(vm, this, "inputConsumed", read as i32)?;
                set_i32(vm, this, "outputConsumed", written as i32)?;
            }
            let message = error.message().unwrap_or("invalid data").to_string();
            Err(throw("java/util/zip/DataFormatException", message))
        }
    }
}

fn deflate(vm: &mut Vmj, args: &[Val]) -> Res<i64> {
    let input = bytes(vm, arg(args, 2).as_obj(), arg(args, 3), arg(args, 4))?;
    let target = arg(args, 5).as_obj();
    let mut output = bytes(vm, target, arg(args, 6), arg(args, 7))?;
    let (flush, params) = (arg(args, 8).as_i32(), arg(args, 9).as_i32());
    vm.note(Kind::Environment, "bytes of a deflated stream");
    let stream = stream(vm, arg(args, 1))?;
    // A new level, if there is one, is in the bits from the third on. The stream has another, if nothing went in yet.
    let level = params >> 3;
    let Coder::Out(coder) = &mut stream.coder else { return Err(null_pointer()) };
    if params & 1 != 0 && level != stream.level {
        if coder.total_in() > 0 {
            return Err(unsupported("zip stream", "whose level changes"));
        }
        stream.level = level;
        *coder = Compress::new(compression(level), !stream.raw);
    }
    let flush = match flush {
        2 => FlushCompress::Sync,
        3 => FlushCompress::Full,
        4 => FlushCompress::Finish,
        _ => FlushCompress::None,
    };
    let (read, written) = (coder.total_in(), coder.total_out());
    let done = coder.compress(&input, &mut output, flush);
    let (read, written) = (coder.total_in() - read, coder.total_out() - written);
    output.truncate(written as usize);
    if !stream.raw {
        stream.adler = super::util::adler(stream.adler, &input[..read as usize]);
    }
    write_back(vm, target, arg(args, 6), &output);
    match done {
        Ok(status) => Ok(packed(read, written, status == Status::StreamEnd)),
        Err(_) => Err(throw("java/lang/InternalError", "stream error")),
    }
}

/// Java 8: the input lies in fields, which move on; the bytes written are returned.
fn inflate_8(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    let all = with_input(vm, args)?;
    let packed = inflate(vm, &all)?;
    moved_on(vm, args, packed)
}

fn deflate_8(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    let mut all = with_input(vm, args)?;
    let this = arg(args, 0).as_obj();
    let flush = match get(vm, this, "finish") != 0 {
        true => Val::i32(4),
        false => arg(args, 5),
    };
    let changed = get(vm, this, "setParams") != 0;
    let params = get_i32(vm, this, "level") << 3 | i32::from(changed);
    all.extend([flush, Val::i32(params)]);
    let packed = deflate(vm, &all)?;
    set(vm, this, "setParams", Val::bool(false))?;
    moved_on(vm, args, packed)
}

/// `this, stream, input, offset, length, output, offset, length`, as later versions pass them.
fn with_input(vm: &mut Vmj, args: &[Val]) -> Res<Vec<Val>> {
    let this = arg(args, 0).as_obj();
    let (offset, len) = (get_i32(vm, this, "off"), get_i32(vm, this, "len"));
    let input = Val::obj(get_ref(vm, this, "buf"));
    Ok(vec![
        arg(args, 0),
        arg(args, 1),
        input,
        Val::i32(offset),
        Val::i32(len),
        arg(args, 2),
        arg(args, 3),
        arg(args, 4),
    ])
}

fn moved_on(vm: &mut Vmj, args: &[Val], packed: i64) -> Res<i32> {
    let this = arg(args, 0).as_obj();
    let read = (packed & 0x7fff_ffff) as i32;
    let (offset, len) = (get_i32(vm, this, "off"), get_i32(vm, this, "len"));
    set_i32(vm, this, "off", offset + read)?;
    set_i32(vm, this, "len", len - read)?;
    if packed >> 62 & 1 != 0 {
        set(vm, this, "finished", Val::bool(true))?;
    }
    Ok((packed >> 31 & 0x7fff_ffff) as i32)
}
