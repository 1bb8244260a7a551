//! `java.net`: addresses as numbers. There is no network: no name is known but `localhost`, no interface exists, nobody listens.
//! Sockets can be made and asked to connect, which is refused; to bind one is not supported.

use super::io::note_connection;
use crate::natives::support::*;
use crate::natives::{Res, Row, Vmj, natives};
use ledger::Kind;
use vm::{ObjId, Val};

natives! {
    "java/net/InetAddress" {
        "init" "()V" = ignore;
        "isIPv4Available" "()Z" = yes;
        "isIPv6Supported" "()Z" = has_version_six;
    }
    "java/net/Inet4Address" {
        "init" "()V" = ignore;
    }
    "java/net/Inet6Address" {
        "init" "()V" = ignore;
    }
    "java/net/InetAddressImplFactory" {
        "isIPv6Supported" "()Z" = has_version_six;
    }
    "java/net/Inet4AddressImpl" {
        "getLocalHostName" "()Ljava/lang/String;" = own_name;
        "lookupAllHostAddr" "(Ljava/lang/String;)[Ljava/net/InetAddress;" = look_up;
        "getHostByAddr" "([B)Ljava/lang/String;" = name_of;
        "isReachable0" "([BI[BI)Z" = unreachable;
    }
    "java/net/Inet6AddressImpl" {
        "getLocalHostName" "()Ljava/lang/String;" = own_name;
        "lookupAllHostAddr" "(Ljava/lang/String;)[Ljava/net/InetAddress;" = look_up;
        "lookupAllHostAddr" "(Ljava/lang/String;I)[Ljava/net/InetAddress;" = look_up;
        "getHostByAddr" "([B)Ljava/lang/String;" = name_of;
        "isReachable0" "([BII[BII)Z" = unreachable;
    }
    "java/net/NetworkInterface" {
        "init" "()V" = ignore;
        "getAll" "()[Ljava/net/NetworkInterface;" = no_interface;
        "getByName0" "(Ljava/lang/String;)Ljava/net/NetworkInterface;" = no_interface;
        "getByIndex0" "(I)Ljava/net/NetworkInterface;" = no_interface;
        "boundInetAddress0" "(Ljava/net/InetAddress;)Z" = unreachable;
        "getByInetAddress0" "(Ljava/net/InetAddress;)Ljava/net/NetworkInterface;" = no_interface;
    }
    "sun/nio/ch/Net" {
        "initIDs" "()V" = ignore;
        "isIPv6Available0" "()Z" = has_version_six;
        "isReusePortAvailable0" "()Z" = yes;
        "isExclusiveBindAvailable" "()I" = no_such_option;
        "shouldSetBothIPv4AndIPv6Options0" "()Z" = yes;
        "shouldShutdownWriteBeforeClose0" "()Z" = no;
        "canIPv6SocketJoinIPv4Group0" "()Z" = yes;
        "canJoin6WithIPv4Group0" "()Z" = no;
        "canUseIPv6OptionsWithIPv4LocalAddress0" "()Z" = yes;
        "pollinValue" "()S" = poll_in;
        "polloutValue" "()S" = poll_out;
        "pollerrValue" "()S" = poll_error;
        "pollhupValue" "()S" = poll_hung_up;
        "pollnvalValue" "()S" = poll_invalid;
        "pollconnValue" "()S" = poll_out;
        "socket0" "(ZZZZ)I" = socket;
        "connect0" "(ZLjava/io/FileDescriptor;Ljava/net/InetAddress;I)I" = symbolic connect;
        "setIntOption0" "(Ljava/io/FileDescriptor;ZIIIZ)V" = ignore;
        "getIntOption0" "(Ljava/io/FileDescriptor;ZII)I" = option;
        "shutdown" "(Ljava/io/FileDescriptor;I)V" = ignore;
    }
    "java/net/AbstractPlainSocketImpl" {
        "isReusePortAvailable0" "()Z" = yes;
    }
    "java/net/PlainSocketImpl" {
        "initProto" "()V" = ignore;
        "socketCreate" "(Z)V" = create;
        "socketCreate" "(ZZ)V" = create;
        "socketConnect" "(Ljava/net/InetAddress;II)V" = symbolic connect_plainly;
        "socketSetOption0" "(IZLjava/lang/Object;)V" = ignore;
        "socketShutdown" "(I)V" = ignore;
        "socketClose0" "(Z)V" = ignore;
    }
    "jdk/net/LinuxSocketOptions" {
        "keepAliveOptionsSupported0" "()Z" = yes;
        "quickAckSupported0" "()Z" = yes;
        "incomingNapiIdSupported0" "()Z" = yes;
        "ipDontFragmentSupported0" "()Z" = yes;
    }
    "sun/net/spi/DefaultProxySelector" {
        "init" "()Z" = no;
    }
}

pub(super) fn tables() -> Vec<&'static [Row]> {
    vec![ROWS]
}

/// `InetAddress.IPv4`.
const VERSION_FOUR: i32 = 1;

fn ignore(_: &mut Vmj, _: &[Val]) -> Res<()> {
    Ok(())
}

fn yes(_: &mut Vmj, _: &[Val]) -> Res<bool> {
    Ok(true)
}

/// Not in every world: what depends on it is nothing to assert.
fn has_version_six(vm: &mut Vmj, _: &[Val]) -> Res<bool> {
    Ok(vm.salt == 0)
}

fn note(vm: &mut Vmj) {
    vm.note(Kind::Environment, "the network");
}

fn own_name(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    note(vm);
    new_string(vm, if vm.salt == 0 { "localhost" } else { "another" })
}

/// `localhost` is this machine everywhere. The reason for which a name is not found differs between worlds.
fn look_up(vm: &mut Vmj, args: &[Val]) -> Res<ObjId> {
    let name = text(vm, non_null(arg(args, 1))?)?;
    if name != "localhost" {
        note(vm);
        let why = if vm.salt == 0 { "Name or service not known" } else { "the world has no network" };
        return Err(throw("java/net/UnknownHostException", format!("{name}: {why}")));
    }
    let holder = new_object(vm, "java/net/InetAddress$InetAddressHolder")?;
    let name = new_string(vm, &name)?;
    set_ref(vm, holder, "hostName", name)?;
    set_ref(vm, holder, "originalHostName", name)?;
    set_i32(vm, holder, "address", 0x7f00_0001)?;
    set_i32(vm, holder, "family", VERSION_FOUR)?;
    let address = new_object(vm, "java/net/Inet4Address")?;
    set_ref(vm, address, "holder", holder)?;
    ref_array(vm, "java/net/InetAddress", &[address])
}

fn name_of(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    note(vm);
    Err(throw_plain("java/net/UnknownHostException"))
}

fn unreachable(vm: &mut Vmj, _: &[Val]) -> Res<bool> {
    note(vm);
    Ok(false)
}

fn no_interface(vm: &mut Vmj, _: &[Val]) -> Res<ObjId> {
    note(vm);
    Ok(ObjId::NULL)
}

fn no(_: &mut Vmj, _: &[Val]) -> Res<bool> {
    Ok(false)
}

fn no_such_option(_: &mut Vmj, _: &[Val]) -> Res<i32> {
    Ok(-1)
}

// As `poll.h` of Linux has them.

fn poll_in(_: &mut Vmj, _: &[Val]) -> Res<i32> {
    Ok(1)
}

fn poll_out(_: &mut Vmj, _: &[Val]) -> Res<i32> {
    Ok(4)
}

fn poll_error(_: &mut Vmj, _: &[Val]) -> Res<i32> {
    Ok(8)
}

fn poll_hung_up(_: &mut Vmj, _: &[Val]) -> Res<i32> {
    Ok(16)
}

fn poll_invalid(_: &mut Vmj, _: &[Val]) -> Res<i32> {
    Ok(32)
}

/// The descriptor of every socket: they do nothing, so they need not be told apart; no file has it.
const SOCKET: i32 = 60_000;

/// Nobody lingers; all else is off, whatever it was set to.
fn option(_: &mut Vmj, args: &[Val]) -> Res<i32> {
    const SO_LINGER: i32 = 13;
    Ok(if arg(args, 3).as_i32() == SO_LINGER { -1 } else { 0 })
}

fn socket(_: &mut Vmj, _: &[Val]) -> Res<i32> {
    Ok(SOCKET)
}

/// Before Java 13.
fn create(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let descriptor = get_ref(vm, arg(args, 0).as_obj(), "fd");
    set_i32(vm, descriptor, "fd", SOCKET)
}

fn connect(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    refuse(vm, arg(args, 2).as_obj())
}

fn connect_plainly(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    refuse(vm, arg(args, 1).as_obj()).map(|_| ())
}

/// On this machine nobody listens; why other ones cannot be reached differs between worlds.
fn refuse(vm: &mut Vmj, address: ObjId) -> Res<i32> {
    note_connection(vm);
    let holder = get_ref(vm, address, "holder");
    let here = !holder.is_null()
        && get_i32(vm, holder, "family") == VERSION_FOUR
        && get_i32(vm, holder, "address") as u32 >> 24 == 127;
    Err(match (vm.salt, here) {
        (0, _) => throw("java/net/ConnectException", "Connection refused"),
        // Some JDKs say more.
        (_, true) => throw("java/net/ConnectException", "Connection refused (connect failed)"),
        (_, false) => throw("java/net/SocketException", "Network is unreachable"),
    })
}
