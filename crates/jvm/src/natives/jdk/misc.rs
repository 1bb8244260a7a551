//! `jdk.internal.misc` and other small helpers of the JDK.

use crate::natives::support::*;
use crate::natives::{Res, Vmj, native, natives};
use crate::world::Jvm;
use vm::{Native, ObjId, Val};

natives! {
    "jdk/internal/misc/VM" {
        "initialize" "()V" = ignore;
        "initializeFromArchive" "(Ljava/lang/Class;)V" = ignore;
        "latestUserDefinedLoader0" "()Ljava/lang/ClassLoader;" = latest_loader;
        "getuid" "()J" = user_id;
        "geteuid" "()J" = user_id;
        "getgid" "()J" = user_id;
        "getegid" "()J" = user_id;
        "getRuntimeArguments" "()[Ljava/lang/String;" = no_arguments;
        "isCDSDumpingEnabled" "()Z" = no;
        "isCDSSharingEnabled" "()Z" = no;
        "getRandomSeedForCDSDump" "()J" = zero_long;
    }
    "jdk/internal/misc/CDS" {
        "isDumpingClassList0" "()Z" = no;
        "isDumpingArchive0" "()Z" = no;
        "isSharingEnabled0" "()Z" = no;
        "getCDSConfigStatus" "()I" = zero;
        "logLambdaFormInvoker" "(Ljava/lang/String;)V" = ignore;
        "initializeFromArchive" "(Ljava/lang/Class;)V" = ignore;
        "defineArchivedModules" "(Ljava/lang/ClassLoader;Ljava/lang/ClassLoader;)V" = ignore;
        "getRandomSeedForDumping" "()J" = zero_long;
        "needsClassInitBarrier0" "(Ljava/lang/Class;)Z" = no;
    }
    "jdk/internal/misc/PreviewFeatures" {
        "isPreviewEnabled" "()Z" = no;
    }
    "jdk/internal/misc/Signal" {
        "findSignal0" "(Ljava/lang/String;)I" = find_signal;
        "handle0" "(IJ)J" = zero_long;
        "raise0" "(I)V" = ignore;
    }
    "jdk/internal/misc/ScopedMemoryAccess" {
        "closeScope0" "(Ljdk/internal/misc/ScopedMemoryAccess$Scope;Ljdk/internal/misc/ScopedMemoryAccess$Scope$ScopedAccessError;)Z" = yes;
        "closeScope0" "(Ljdk/internal/foreign/MemorySessionImpl;Ljdk/internal/misc/ScopedMemoryAccess$ScopedAccessError;)V" = ignore;
    }
    "jdk/internal/perf/Perf" {
        "highResCounter" "()J" = zero_long;
        "highResFrequency" "()J" = frequency;
    }
    "jdk/internal/platform/CgroupMetrics" {
        "isUseContainerSupport" "()Z" = no;
        "isContainerized0" "()Z" = no;
        "getTotalMemorySize0" "()J" = zero_long;
        "getTotalSwapSize0" "()J" = zero_long;
    }
    "jdk/internal/jimage/NativeImageBuffer" {
        "getNativeMap" "(Ljava/lang/String;)Ljava/nio/ByteBuffer;" = null;
    }
    "jdk/internal/vm/VMSupport" {
        "getVMTemporaryDirectory" "()Ljava/lang/String;" = temporary_directory;
    }
    "jdk/internal/vm/vector/VectorSupport" {
        "registerNatives" "()I" = zero;
        "getMaxLaneCount" "(Ljava/lang/Class;)I" = minus_one;
        "getCPUFeatures" "()Ljava/lang/String;" = empty;
    }
    "jdk/internal/vm/ForeignLinkerSupport" {
        "isSupported0" "()Z" = no;
    }
    "java/io/ObjectStreamClass" {
        "hasStaticInitializer" "(Ljava/lang/Class;)Z" = has_static_initializer;
        "initNative" "()V" = ignore;
    }
}

/// Classes whose natives need no registration.
pub(crate) const REGISTER: [&str; 26] = [
    "java/lang/Object",
    "java/lang/Class",
    "java/lang/System",
    "java/lang/Thread",
    "java/lang/ClassLoader",
    "java/lang/VirtualThread",
    "java/lang/Compiler",
    "java/lang/invoke/MethodHandleNatives",
    "java/nio/MappedMemoryUtils",
    "jdk/internal/misc/Unsafe",
    "sun/misc/Unsafe",
    "sun/misc/Perf",
    "jdk/internal/misc/ScopedMemoryAccess",
    "jdk/internal/perf/Perf",
    "jdk/internal/vm/Continuation",
    "jdk/internal/invoke/NativeEntryPoint",
    "jdk/internal/foreign/abi/NativeEntryPoint",
    "jdk/internal/foreign/abi/UpcallLinker",
    "jdk/internal/foreign/abi/UpcallStubs",
    "java/io/FileDescriptor",
    "java/io/FileInputStream",
    "java/io/FileOutputStream",
    "java/io/RandomAccessFile",
    "java/io/UnixFileSystem",
    "java/util/zip/Inflater",
    "java/util/zip/Deflater",
];

/// Does nothing.
pub(crate) const NOTHING: Native<Jvm> = native!(ignore);

fn ignore(_: &mut Vmj, _: &[Val]) -> Res<()> {
    Ok(())
}

fn null(_: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    Ok(ObjId::NULL)
}

fn no(_: &mut Vmj, _: &[Val]) -> Res<bool> {
    Ok(false)
}

fn yes(_: &mut Vmj, _: &[Val]) -> Res<bool> {
    Ok(true)
}

fn zero(_: &mut Vmj, _: &[Val]) -> Res<i32> {
    Ok(0)
}

fn minus_one(_: &mut Vmj, _: &[Val]) -> Res<i32> {
    Ok(-1)
}

fn zero_long(_: &mut Vmj, _: &[Val]) -> Res<i64> {
    Ok(0)
}

fn frequency(_: &mut Vmj, _: &[Val]) -> Res<i64> {
    Ok(1_000_000_000)
}

fn user_id(_: &mut Vmj, _: &[Val]) -> Res<i64> {
    Ok(1000)
}

fn empty(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    new_string(vm, "")
}

fn temporary_directory(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    new_string(vm, "/tmp")
}

fn no_arguments(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    ref_array(vm, "java/lang/String", &[])
}

fn latest_loader(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    Ok(vm.lang.platform.app_loader.unwrap_or(ObjId::NULL))
}

/// The numbers of Linux.
fn find_signal(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    let name = text(vm, arg(args, 0).as_obj())?;
    Ok(match name.as_str() {
        "HUP" => 1,
        "INT" => 2,
        "TERM" => 15,
        _ => -1,
    })
}

fn has_static_initializer(vm: &mut Vmj, args: &[Val]) -> Res<bool> {
    let class = class_of(vm, arg(args, 0).as_obj())?;
    Ok(vm.lang.declared(class, "<clinit>", "()V").is_some())
}
