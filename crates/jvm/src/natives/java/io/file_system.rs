//! `java.io.UnixFileSystem`: reads the virtual file system; writing fails.

use super::files::{self, Entry};
use crate::natives::support::*;
use crate::natives::{Res, Vmj, natives};
use vm::{ObjId, Val};

natives! {
    "java/io/UnixFileSystem" {
        "canonicalize0" "(Ljava/lang/String;)Ljava/lang/String;" = canonicalize;
        "getBooleanAttributes0" "(Ljava/io/File;)I" = boolean_attributes;
        "getBooleanAttributes0" "(Ljava/lang/String;)I" = boolean_attributes;
        "checkAccess" "(Ljava/io/File;I)Z" = check_access;
        "checkAccess0" "(Ljava/io/File;I)Z" = check_access;
        "getLastModifiedTime" "(Ljava/io/File;)J" = zero;
        "getLastModifiedTime0" "(Ljava/io/File;)J" = zero;
        "getLength" "(Ljava/io/File;)J" = length;
        "getLength0" "(Ljava/io/File;)J" = length;
        "setPermission" "(Ljava/io/File;IZZ)Z" = refuse;
        "setPermission0" "(Ljava/io/File;IZZ)Z" = refuse;
        "createFileExclusively" "(Ljava/lang/String;)Z" = cannot_create;
        "createFileExclusively0" "(Ljava/lang/String;)Z" = cannot_create;
        "delete0" "(Ljava/io/File;)Z" = refuse;
        "list" "(Ljava/io/File;)[Ljava/lang/String;" = list;
        "list0" "(Ljava/io/File;)[Ljava/lang/String;" = list;
        "createDirectory" "(Ljava/io/File;)Z" = refuse;
        "createDirectory0" "(Ljava/io/File;)Z" = refuse;
        "rename0" "(Ljava/io/File;Ljava/io/File;)Z" = refuse;
        "setLastModifiedTime" "(Ljava/io/File;J)Z" = refuse;
        "setLastModifiedTime0" "(Ljava/io/File;J)Z" = refuse;
        "setReadOnly" "(Ljava/io/File;)Z" = refuse;
        "setReadOnly0" "(Ljava/io/File;)Z" = refuse;
        "getSpace" "(Ljava/io/File;I)J" = zero;
        "getSpace0" "(Ljava/io/File;I)J" = zero;
        "getNameMax0" "(Ljava/lang/String;)J" = name_max;
    }
}

/// The path of a `File`, or the string itself.
fn path(vm: &mut Vmj, val: Val) -> Res<String> {
    let object = non_null(val)?;
    match vm.heap.class(object) == vm.lang.known.string {
        true => text(vm, object),
        false => {
            let path = get_ref(vm, object, "path");
            text(vm, path)
        }
    }
}

fn canonicalize(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let path = path(vm, arg(args, 1))?;
    new_string(vm, &files::normal(&path).to_string_lossy())
}

/// The empty name is no file, though `getAbsolutePath` takes it for the working directory.
fn look_up(vm: &mut Vmj, path: &str) -> Option<Entry> {
    if path.is_empty() { None } else { files::look_up(vm, path) }
}

/// 1 exists, 2 is a file, 4 is a directory.
fn boolean_attributes(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    let path = path(vm, arg(args, 1))?;
    Ok(match look_up(vm, &path) {
        Some(Entry::File(..)) => 1 | 2,
        Some(Entry::Folder(_)) => 1 | 4,
        None => 0,
    })
}

/// 4 read, 2 write, 1 execute.
fn check_access(vm: &mut Vmj, args: &[Val]) -> Res<bool> {
    let path = path(vm, arg(args, 1))?;
    Ok(look_up(vm, &path).is_some() && arg(args, 2).as_i32() & 2 == 0)
}

fn length(vm: &mut Vmj, args: &[Val]) -> Res<i64> {
    let path = path(vm, arg(args, 1))?;
    Ok(match look_up(vm, &path) {
        Some(Entry::File(_, len)) => len as i64,
        _ => 0,
    })
}

fn list(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let path = path(vm, arg(args, 1))?;
    match look_up(vm, &path) {
        Some(Entry::Folder(names)) => string_array(vm, &names),
        _ => Ok(ObjId::NULL),
    }
}

fn cannot_create(vm: &mut Vmj, _: &[Val]) -> Res<bool> {
    files::note_change(vm);
    Err(throw("java/io/IOException", "Read-only file system"))
}

fn refuse(vm: &mut Vmj, _: &[Val]) -> Res<bool> {
    files::note_change(vm);
    Ok(false)
}

fn zero(_: &mut Vmj, _: &[Val]) -> Res<i64> {
    Ok(0)
}

fn name_max(_: &mut Vmj, _: &[Val]) -> Res<i64> {
    Ok(255)
}
