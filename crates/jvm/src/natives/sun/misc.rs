//! `sun.misc` and `sun.reflect` of Java 8, where later versions have `jdk.internal`.

use crate::natives::jdk::{at_address, put_at_address};
use crate::natives::support::*;
use crate::natives::{Res, Vmj, natives};
use ir::MemType;
use vm::{ObjId, Val};

natives! {
    "sun/misc/VM" {
        "initialize" "()V" = ignore;
        "latestUserDefinedLoader0" "()Ljava/lang/ClassLoader;" = latest_loader;
    }
    "sun/misc/Version" {
        "getJvmSpecialVersion" "()Ljava/lang/String;" = null;
        "getJdkSpecialVersion" "()Ljava/lang/String;" = null;
        "getJvmVersionInfo" "()Z" = no;
        "getJdkVersionInfo" "()V" = ignore;
    }
    "sun/misc/Signal" {
        "findSignal" "(Ljava/lang/String;)I" = no_signal;
        "handle0" "(IJ)J" = zero_long;
        "raise0" "(I)V" = ignore;
    }
    "sun/misc/Perf" {
        "highResCounter" "()J" = zero_long;
        "highResFrequency" "()J" = frequency;
    }
    "sun/misc/GC" {
        "maxObjectInspectionAge" "()J" = zero_long;
    }
    "sun/misc/URLClassPath" {
        "getLookupCacheURLs" "(Ljava/lang/ClassLoader;)[Ljava/net/URL;" = null;
        "getLookupCacheForClassLoader" "(Ljava/lang/ClassLoader;Ljava/lang/String;)[I" = null;
        "knownToNotExist0" "(Ljava/lang/ClassLoader;Ljava/lang/String;)Z" = no;
    }
    "sun/misc/Unsafe" {
        "getByte" "(J)B" = symbolic get_byte;
        "putByte" "(JB)V" = symbolic put_byte;
        "getShort" "(J)S" = symbolic get_short;
        "putShort" "(JS)V" = symbolic put_short;
        "getChar" "(J)C" = symbolic get_char;
        "putChar" "(JC)V" = symbolic put_char;
        "getInt" "(J)I" = symbolic get_int;
        "putInt" "(JI)V" = symbolic put_int;
        "getLong" "(J)J" = symbolic get_long;
        "putLong" "(JJ)V" = symbolic put_long;
        "getFloat" "(J)F" = symbolic get_float;
        "putFloat" "(JF)V" = symbolic put_float;
        "getDouble" "(J)D" = symbolic get_double;
        "putDouble" "(JD)V" = symbolic put_double;
        "getAddress" "(J)J" = symbolic get_long;
        "putAddress" "(JJ)V" = symbolic put_long;
    }
    "java/lang/Runtime" {
        "runFinalization0" "()V" = ignore;
        "traceInstructions" "(Z)V" = ignore;
        "traceMethodCalls" "(Z)V" = ignore;
    }
    "java/lang/ClassLoader" {
        "resolveClass0" "(Ljava/lang/Class;)V" = ignore;
    }
    "java/lang/Package" {
        "getSystemPackage0" "(Ljava/lang/String;)Ljava/lang/String;" = null;
        "getSystemPackages0" "()[Ljava/lang/String;" = no_names;
    }
    "java/lang/Compiler" {
        "initialize" "()V" = ignore;
    }
}

fn ignore(_: &mut Vmj, _: &[Val]) -> Res<()> {
    Ok(())
}

fn null(_: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    Ok(ObjId::NULL)
}

fn no(_: &mut Vmj, _: &[Val]) -> Res<bool> {
    Ok(false)
}

fn no_signal(_: &mut Vmj, _: &[Val]) -> Res<i32> {
    Ok(-1)
}

fn zero_long(_: &mut Vmj, _: &[Val]) -> Res<i64> {
    Ok(0)
}

fn frequency(_: &mut Vmj, _: &[Val]) -> Res<i64> {
    Ok(1_000_000_000)
}

fn no_names(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    ref_array(vm, "java/lang/String", &[])
}

fn latest_loader(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    Ok(vm.lang.platform.app_loader.unwrap_or(ObjId::NULL))
}

/// Memory outside the heap, by its address alone.
macro_rules! accessors {
    ($($get:ident $put:ident $ty:ident;)*) => {
        $(
            fn $get(vm: &mut Vmj, args: &[Val]) -> Res<Val> {
                at_address(vm, arg(args, 1), MemType::$ty)
            }

            fn $put(vm: &mut Vmj, args: &[Val]) -> Res<()> {
                put_at_address(vm, arg(args, 1), MemType::$ty, arg(args, 2))
            }
        )*
    };
}

accessors! {
    get_byte put_byte I8;
    get_short put_short I16;
    get_char put_char U16;
    get_int put_int I32;
    get_long put_long I64;
    get_float put_float F32;
    get_double put_double F64;
}
