//! `FileDescriptor`, `FileInputStream`, `FileOutputStream`, `RandomAccessFile`: the console is captured, files are
//! read from the virtual file system.

use super::files::{self, Files, NotOpened};
use crate::natives::support::*;
use crate::natives::{Fail, Res, Saved, Vmj, natives};
use vm::{ObjId, Val};

/// What the program wrote since the run began.
#[derive(Clone, Default)]
pub struct Console {
    pub out: Vec<u8>,
    pub err: Vec<u8>,
    /// The same without what initialisers of classes wrote: that is written once in a JVM, by whichever test comes first.
    pub told_out: Vec<u8>,
    pub told_err: Vec<u8>,
}

natives! {
    "java/io/FileDescriptor" {
        "getHandle" "(I)J" = handle;
        "set" "(I)J" = handle;
        "getAppend" "(I)Z" = no;
        "close0" "()V" = close_descriptor;
        "sync" "()V" = ignore;
        "sync0" "()V" = ignore;
    }
    "java/io/FileCleanable" {
        "cleanupClose0" "(IJ)V" = cleanup_close;
    }
    "java/io/FileOutputStream" {
        "open0" "(Ljava/lang/String;Z)V" = open_for_writing;
        "close0" "()V" = close_stream;
        "write" "(IZ)V" = write_byte;
        "writeBytes" "([BIIZ)V" = write_bytes;
    }
    "java/io/FileInputStream" {
        "open0" "(Ljava/lang/String;)V" = open_for_reading;
        "close0" "()V" = close_stream;
        "read0" "()I" = read_byte;
        "readBytes" "([BII)I" = read_bytes;
        "readBytes0" "([BII)I" = read_bytes;
        "length0" "()J" = length;
        "position0" "()J" = position;
        "skip0" "(J)J" = skip;
        "available0" "()I" = available;
        "isRegularFile0" "(Ljava/io/FileDescriptor;)Z" = is_regular_file;
    }
    "java/io/RandomAccessFile" {
        "open0" "(Ljava/lang/String;I)V" = open_random;
        "close0" "()V" = close_stream;
        "read0" "()I" = read_byte;
        "readBytes" "([BII)I" = read_bytes;
        "readBytes0" "([BII)I" = read_bytes;
        "getFilePointer" "()J" = position;
        "seek0" "(J)V" = seek;
        "length" "()J" = length;
        "length0" "()J" = length;
    }
    "java/io/Console" {
        "istty" "()Z" = no;
        "ttyStatus" "()I" = zero;
        "encoding" "()Ljava/lang/String;" = null;
        "echo" "(Z)Z" = no;
    }
    "jdk/internal/io/JdkConsoleImpl" {
        "echo" "(Z)Z" = no;
    }
}

fn handle(_: &mut Vmj, _: &[Val]) -> Res<i64> {
    Ok(-1)
}

fn no(_: &mut Vmj, _: &[Val]) -> Res<bool> {
    Ok(false)
}

fn zero(_: &mut Vmj, _: &[Val]) -> Res<i32> {
    Ok(0)
}

fn null(_: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    Ok(ObjId::NULL)
}

fn ignore(_: &mut Vmj, _: &[Val]) -> Res<()> {
    Ok(())
}

/// The descriptor number of a stream.
fn descriptor(vm: &Vmj, stream: ObjId) -> i32 {
    match get_ref(vm, stream, "fd") {
        none if none.is_null() => -1,
        descriptor => get_i32(vm, descriptor, "fd"),
    }
}

fn io_error(message: &str) -> Fail {
    throw("java/io/IOException", message)
}

fn write_byte(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    write(vm, arg(args, 0).as_obj(), &[arg(args, 1).bits as u8])
}

/// What is written is this run's concrete text; a symbolic one needs no decision for that.
fn write_bytes(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let array = non_null(arg(args, 1))?;
    let (offset, len) = (arg(args, 2).as_i32(), arg(args, 3).as_i32());
    let range = range(vm, array, offset, len)?;
    let bytes = vm.heap.bytes(array).get(range).unwrap_or_default().to_vec();
    write(vm, arg(args, 0).as_obj(), &bytes)
}

fn range(vm: &Vmj, array: ObjId, offset: i32, len: i32) -> Res<std::ops::Range<usize>> {
    let size = vm.heap.len(array) as i64;
    if offset < 0 || len < 0 || offset as i64 + len as i64 > size {
        return Err(throw_plain("java/lang/IndexOutOfBoundsException"));
    }
    Ok(offset as usize..offset as usize + len as usize)
}

fn write(vm: &mut Vmj, stream: ObjId, bytes: &[u8]) -> Res<()> {
    let descriptor = descriptor(vm, stream);
    let initialises = vm
        .frames()
        .iter()
        .any(|frame| vm.lang.funcs.get(frame.func).is_some_and(|func| &*func.name == "<clinit>"));
    let console: &mut Console = vm.lang.state::<Saved<Console>>();
    let (all, told) = match descriptor {
        1 => (&mut console.out, &mut console.told_out),
        2 => (&mut console.err, &mut console.told_err),
        _ => return Err(io_error("Stream Closed")),
    };
    all.extend_from_slice(bytes);
    if !initialises {
        told.extend_from_slice(bytes);
    }
    Ok(())
}

fn not_found(path: &str, why: &str) -> Fail {
    throw("java/io/FileNotFoundException", format!("{path} ({why})"))
}

fn open_for_writing(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    files::note_change(vm);
    let path = text(vm, arg(args, 1).as_obj())?;
    Err(not_found(&path, "Read-only file system"))
}

fn open_for_reading(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let path = text(vm, arg(args, 1).as_obj())?;
    // Unlike `Files`, `new File("")` is no name of the working directory.
    let found = if path.is_empty() { Err(NotOpened::Missing) } else { files::open(vm, &path, false) };
    let opened = found.map_err(|why| match why {
        NotOpened::Missing => not_found(&path, "No such file or directory"),
        NotOpened::Folder => not_found(&path, "Is a directory"),
        NotOpened::File => not_found(&path, "Not a directory"),
    })?;
    let descriptor = get_ref(vm, arg(args, 0).as_obj(), "fd");
    set_i32(vm, descriptor, "fd", opened)
}

/// Mode bit 1 is read only.
fn open_random(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    match arg(args, 2).as_i32() & 1 {
        1 => open_for_reading(vm, args),
        _ => open_for_writing(vm, args),
    }
}

/// An open file, `None` for the console's empty input.
fn with_file<T>(
    vm: &mut Vmj,
    stream: ObjId,
    console: T,
    read: impl FnOnce(&mut files::OpenFile) -> T,
) -> Res<T> {
    let descriptor = descriptor(vm, stream);
    if descriptor == 0 {
        return Ok(console);
    }
    match vm.lang.state::<Saved<Files>>().get(descriptor) {
        Some(file) => Ok(read(file)),
        None => Err(io_error("Stream Closed")),
    }
}

fn read_byte(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    with_file(vm, arg(args, 0).as_obj(), -1, |file| match file.bytes.get(file.at) {
        Some(byte) => {
            file.at += 1;
            *byte as i32
        }
        None => -1,
    })
}

fn read_bytes(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    let array = non_null(arg(args, 1))?;
    let range = range(vm, array, arg(args, 2).as_i32(), arg(args, 3).as_i32())?;
    if range.is_empty() {
        return Ok(0);
    }
    let got = with_file(vm, arg(args, 0).as_obj(), Vec::new(), |file| file.take(range.len()))?;
    if got.is_empty() {
        return Ok(-1);
    }
    for (i, byte) in got.iter().enumerate() {
        vm.store(array, (range.start + i) as u32, ir::MemType::I8, Val::i32(*byte as i8 as i32))?;
    }
    Ok(got.len() as i32)
}

fn length(vm: &mut Vmj, args: &[Val]) -> Res<i64> {
    with_file(vm, arg(args, 0).as_obj(), 0, |file| file.bytes.len() as i64)
}

fn position(vm: &mut Vmj, args: &[Val]) -> Res<i64> {
    with_file(vm, arg(args, 0).as_obj(), 0, |file| file.at as i64)
}

fn seek(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let to = arg(args, 1).as_i64();
    with_file(vm, arg(args, 0).as_obj(), (), |file| file.at = to.max(0) as usize)
}

fn skip(vm: &mut Vmj, args: &[Val]) -> Res<i64> {
    let count = arg(args, 1).as_i64();
    with_file(vm, arg(args, 0).as_obj(), 0, |file| {
        let to = (file.at as i64).saturating_add(count).max(0);
        let skipped = to - file.at as i64;
        file.at = to as usize;
        skipped
    })
}

fn available(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    with_file(vm, arg(args, 0).as_obj(), 0, |file| file.bytes.len().saturating_sub(file.at) as i32)
}

fn is_regular_file(vm: &mut Vmj, args: &[Val]) -> Res<bool> {
    let descriptor = get_i32(vm, non_null(arg(args, 1))?, "fd");
    Ok(vm.lang.state::<Saved<Files>>().get(descriptor).is_some())
}

fn close_descriptor(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let this = arg(args, 0).as_obj();
    let descriptor = get_i32(vm, this, "fd");
    vm.lang.state::<Saved<Files>>().close(descriptor);
    set_i32(vm, this, "fd", -1)
}

/// Java 8: streams close their descriptors themselves.
fn close_stream(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    match get_ref(vm, arg(args, 0).as_obj(), "fd") {
        none if none.is_null() => Ok(()),
        descriptor => close_descriptor(vm, &[Val::obj(descriptor)]),
    }
}

fn cleanup_close(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    vm.lang.state::<Saved<Files>>().close(arg(args, 0).as_i32());
    Ok(())
}
