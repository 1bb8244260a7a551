//! `sun.nio.fs` and `sun.nio.ch`: `java.nio.file` over the virtual file system, for reading.
//!
//! Paths arrive as addresses of C strings, buffers as addresses too; failures are `UnixException`s with an errno.

use crate::natives::java::io::{self, Entry};
use crate::natives::jdk::block_at;
use crate::natives::support::*;
use crate::natives::{Fail, Files, Res, Saved, Vmj, natives};
use ir::MemType;
use vm::{ObjId, Val};

natives! {
    "sun/nio/fs/UnixNativeDispatcher" {
        "init" "()I" = zero;
        "getcwd" "()[B" = working_directory;
        "stat0" "(JLsun/nio/fs/UnixFileAttributes;)V" = stat;
        "stat0" "(JLsun/nio/fs/UnixFileAttributes;)I" = stat_code;
        "lstat0" "(JLsun/nio/fs/UnixFileAttributes;)V" = stat;
        "stat1" "(J)I" = mode;
        "exists0" "(J)Z" = exists;
        "access0" "(JI)V" = access;
        "access0" "(JI)I" = access_code;
        "realpath0" "(J)[B" = real_path;
        "readlink0" "(J)[B" = read_link;
        "open0" "(JII)I" = open;
        "close0" "(I)V" = close;
        "read" "(IJI)I" = read;
        "read0" "(IJI)I" = read;
        "opendir0" "(J)J" = open_folder;
        "readdir" "(J)[B" = next_name;
        "readdir0" "(J)[B" = next_name;
        "closedir" "(J)V" = close_folder;
        "strerror" "(I)[B" = error_text;
        "mkdir0" "(JI)V" = refuse;
        "rmdir0" "(J)V" = refuse;
        "unlink0" "(J)V" = refuse;
        "rename0" "(JJ)V" = refuse;
        "symlink0" "(JJ)V" = refuse;
        "link0" "(JJ)V" = refuse;
        "chmod0" "(JI)V" = refuse;
        "chown0" "(JII)V" = refuse;
        "lchown0" "(JII)V" = refuse;
        "utimes0" "(JJJ)V" = refuse;
        "lutimes0" "(JJJ)V" = refuse;
    }
    "sun/nio/fs/LinuxNativeDispatcher" {
        "init" "()V" = ignore;
    }
    "sun/nio/ch/IOUtil" {
        "initIDs" "()V" = ignore;
        "iovMax" "()I" = io_vector_max;
        "writevMax" "()J" = write_max;
        "fdLimit" "()I" = descriptor_limit;
        "fdVal" "(Ljava/io/FileDescriptor;)I" = descriptor_value;
        "setfdVal" "(Ljava/io/FileDescriptor;I)V" = set_descriptor_value;
        "configureBlocking" "(Ljava/io/FileDescriptor;Z)V" = ignore;
    }
    "sun/nio/ch/NativeThread" {
        "init" "()V" = ignore;
        "current" "()J" = no_thread;
        "current0" "()J" = no_thread;
        "supportPendingSignals0" "()Z" = no;
    }
    "sun/nio/ch/FileChannelImpl" {
        "initIDs" "()J" = page_size;
        "maxDirectTransferSize0" "()I" = transfer_max;
    }
    "sun/nio/ch/FileDispatcherImpl" {
        "init" "()V" = ignore;
        "init0" "()V" = ignore;
        "read0" "(Ljava/io/FileDescriptor;JI)I" = dispatch_read;
        "seek0" "(Ljava/io/FileDescriptor;J)J" = dispatch_seek;
        "size0" "(Ljava/io/FileDescriptor;)J" = dispatch_size;
        "close0" "(Ljava/io/FileDescriptor;)V" = dispatch_close;
        "preClose0" "(Ljava/io/FileDescriptor;)V" = ignore;
        "closeIntFD" "(I)V" = ignore;
    }
    "sun/nio/ch/UnixDispatcher" {
        "init" "()V" = ignore;
        "close0" "(Ljava/io/FileDescriptor;)V" = dispatch_close;
        "preClose0" "(Ljava/io/FileDescriptor;)V" = ignore;
    }
    "sun/nio/ch/UnixFileDispatcherImpl" {
        "allocationGranularity0" "()J" = page_size;
        "read0" "(Ljava/io/FileDescriptor;JI)I" = dispatch_read;
        "seek0" "(Ljava/io/FileDescriptor;J)J" = dispatch_seek;
        "size0" "(Ljava/io/FileDescriptor;)J" = dispatch_size;
        "available0" "(Ljava/io/FileDescriptor;)I" = dispatch_available;
        "isOther0" "(Ljava/io/FileDescriptor;)Z" = no;
    }
}

const ENOENT: i32 = 2;
const EBADF: i32 = 9;
const ENOTDIR: i32 = 20;
const EINVAL: i32 = 22;
const EROFS: i32 = 30;
/// End of file, as `sun.nio.ch.IOStatus` says it.
const EOF: i32 = -1;

fn zero(_: &mut Vmj, _: &[Val]) -> Res<i32> {
    Ok(0)
}

fn no(_: &mut Vmj, _: &[Val]) -> Res<bool> {
    Ok(false)
}

fn ignore(_: &mut Vmj, _: &[Val]) -> Res<()> {
    Ok(())
}

fn no_thread(_: &mut Vmj, _: &[Val]) -> Res<i64> {
    Ok(0)
}

fn page_size(_: &mut Vmj, _: &[Val]) -> Res<i64> {
    Ok(4096)
}

fn io_vector_max(_: &mut Vmj, _: &[Val]) -> Res<i32> {
    Ok(1024)
}

fn write_max(_: &mut Vmj, _: &[Val]) -> Res<i64> {
    Ok(i32::MAX as i64)
}

fn descriptor_limit(_: &mut Vmj, _: &[Val]) -> Res<i32> {
    Ok(1024)
}

/// A `UnixException`; it has no stack trace, so its constructor may be left out.
fn failure(vm: &mut Vmj, errno: i32) -> Fail {
    let made = new_object(vm, "sun/nio/fs/UnixException").and_then(|exception| {
        set_i32(vm, exception, "errno", errno)?;
        Ok(exception)
    });
    match made {
        Ok(exception) => Fail::Throw(exception),
        Err(fail) => fail,
    }
}

fn refuse(vm: &mut Vmj, _: &[Val]) -> Res<()> {
    io::note_change(vm);
    Err(failure(vm, EROFS))
}

/// The C string at an address.
fn path(vm: &mut Vmj, address: Val) -> Res<String> {
    let Some((block, offset)) = block_at(vm, address.bits) else { return Err(failure(vm, EINVAL)) };
    fix_array(vm, block, "a path")?;
    let bytes = vm.heap.bytes(block).get(offset as usize..).unwrap_or_default();
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    Ok(String::from_utf8_lossy(text).into_owned())
}

fn look_up(vm: &mut Vmj, address: Val) -> Res<Option<Entry>> {
    let path = path(vm, address)?;
    Ok(io::look_up(vm, &path))
}

fn found(vm: &mut Vmj, address: Val) -> Res<Entry> {
    match look_up(vm, address)? {
        Some(entry) => Ok(entry),
        None => Err(failure(vm, ENOENT)),
    }
}

/// File type and permissions of `st_mode`.
fn mode_of(entry: &Entry) -> i32 {
    match entry {
        Entry::File(..) => 0o100444,
        Entry::Folder(_) => 0o040555,
    }
}

fn fill(vm: &mut Vmj, entry: &Entry, attributes: ObjId) -> Res<()> {
    set_i32(vm, attributes, "st_mode", mode_of(entry))?;
    set_i32(vm, attributes, "st_nlink", 1)?;
    let size = if let Entry::File(_, size) = entry { *size as i64 } else { 4096 };
    set(vm, attributes, "st_size", Val::i64(size))
}

fn stat(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let entry = found(vm, arg(args, 0))?;
    fill(vm, &entry, non_null(arg(args, 1))?)
}

fn stat_code(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    let Some(entry) = look_up(vm, arg(args, 0))? else { return Ok(ENOENT) };
    fill(vm, &entry, non_null(arg(args, 1))?)?;
    Ok(0)
}

fn mode(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    Ok(look_up(vm, arg(args, 0))?.map_or(0, |entry| mode_of(&entry)))
}

fn exists(vm: &mut Vmj, args: &[Val]) -> Res<bool> {
    Ok(look_up(vm, arg(args, 0))?.is_some())
}

/// 2 asks for writing.
fn access_code(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    Ok(match look_up(vm, arg(args, 0))? {
        None => ENOENT,
        Some(_) if arg(args, 1).as_i32() & 2 != 0 => EROFS,
        Some(_) => 0,
    })
}

fn access(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    match access_code(vm, args)? {
        0 => Ok(()),
        errno => Err(failure(vm, errno)),
    }
}

fn working_directory(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    byte_array(vm, b"/")
}

fn real_path(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    found(vm, arg(args, 0))?;
    let path = path(vm, arg(args, 0))?;
    byte_array(vm, io::normal(&path).to_string_lossy().as_bytes())
}

/// There are no links.
fn read_link(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    Err(failure(vm, EINVAL))
}

/// Flags other than reading fail.
fn open(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    const WRITING: i32 = 3;
    if arg(args, 1).as_i32() & WRITING != 0 {
        io::note_change(vm);
        return Err(failure(vm, EROFS));
    }
    let path = path(vm, arg(args, 0))?;
    io::open(vm, &path, true).map_err(|_| failure(vm, ENOENT))
}

fn close(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    vm.lang.state::<Saved<Files>>().close(arg(args, 0).as_i32());
    Ok(())
}

fn open_folder(vm: &mut Vmj, args: &[Val]) -> Res<i64> {
    let path = path(vm, arg(args, 0))?;
    match io::open_folder(vm, &path) {
        Ok(descriptor) => Ok(i64::from(descriptor)),
        Err(io::NotOpened::File) => Err(failure(vm, ENOTDIR)),
        Err(_) => Err(failure(vm, ENOENT)),
    }
}

/// Null behind the last.
fn next_name(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let folder = vm.lang.state::<Saved<Files>>().get(arg(args, 0).as_i64() as i32);
    match folder.and_then(|folder| folder.next_name()) {
        Some(name) => byte_array(vm, &name),
        None => Ok(ObjId::NULL),
    }
}

fn close_folder(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    vm.lang.state::<Saved<Files>>().close(arg(args, 0).as_i64() as i32);
    Ok(())
}

/// Reads into memory outside the heap.
fn read_into(vm: &mut Vmj, descriptor: i32, address: u64, count: i32) -> Res<i32> {
    let Some(file) = vm.lang.state::<Saved<Files>>().get(descriptor) else { return Err(failure(vm, EBADF)) };
    if file.folder {
        return Err(throw("java/io/IOException", "Is a directory"));
    }
    let bytes = file.take(count.max(0) as usize);
    let Some((block, offset)) = block_at(vm, address) else { return Err(failure(vm, EINVAL)) };
    if offset + bytes.len() as u64 > vm.heap.len(block) as u64 {
        return Err(failure(vm, EINVAL));
    }
    for (i, byte) in bytes.iter().enumerate() {
        let at = offset as u32 + i as u32;
        vm.store(block, at, MemType::I8, Val::i32(*byte as i8 as i32))?;
    }
    Ok(if bytes.is_empty() && count > 0 { EOF } else { bytes.len() as i32 })
}

fn read(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    let got = read_into(vm, arg(args, 0).as_i32(), arg(args, 1).bits, arg(args, 2).as_i32())?;
    Ok(got.max(0))
}

fn descriptor(vm: &Vmj, object: Val) -> Res<i32> {
    Ok(get_i32(vm, non_null(object)?, "fd"))
}

fn descriptor_value(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    descriptor(vm, arg(args, 0))
}

fn set_descriptor_value(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    set(vm, non_null(arg(args, 0))?, "fd", arg(args, 1))
}

fn dispatch_read(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    let descriptor = descriptor(vm, arg(args, 0))?;
    read_into(vm, descriptor, arg(args, 1).bits, arg(args, 2).as_i32())
}

/// A negative offset only asks where the file stands.
fn dispatch_seek(vm: &mut Vmj, args: &[Val]) -> Res<i64> {
    let descriptor = descriptor(vm, arg(args, 0))?;
    let to = arg(args, 1).as_i64();
    match vm.lang.state::<Saved<Files>>().get(descriptor) {
        Some(file) => {
            if to >= 0 {
                file.at = to as usize;
            }
            Ok(file.at as i64)
        }
        None => Err(throw("java/io/IOException", "Bad file descriptor")),
    }
}

fn dispatch_size(vm: &mut Vmj, args: &[Val]) -> Res<i64> {
    let descriptor = descriptor(vm, arg(args, 0))?;
    match vm.lang.state::<Saved<Files>>().get(descriptor) {
        Some(file) => Ok(file.bytes.len() as i64),
        None => Err(throw("java/io/IOException", "Bad file descriptor")),
    }
}

fn dispatch_available(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    let descriptor = descriptor(vm, arg(args, 0))?;
    let file = vm.lang.state::<Saved<Files>>().get(descriptor);
    Ok(file.map_or(0, |file| file.bytes.len().saturating_sub(file.at) as i32))
}

fn dispatch_close(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let descriptor = descriptor(vm, arg(args, 0))?;
    vm.lang.state::<Saved<Files>>().close(descriptor);
    Ok(())
}

fn error_text(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let text: &[u8] = match arg(args, 0).as_i32() {
        ENOENT => b"No such file or directory",
        EBADF => b"Bad file descriptor",
        ENOTDIR => b"Not a directory",
        EROFS => b"Read-only file system",
        _ => b"Invalid argument",
    };
    byte_array(vm, text)
}

/// What Linux copies at once.
fn transfer_max(_: &mut Vmj, _: &[Val]) -> Res<i32> {
    Ok(0x7fff_f000)
}
