//! `java.net`: addresses as numbers. There is no network: no name is known but `localhost`, no interface exists.

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
