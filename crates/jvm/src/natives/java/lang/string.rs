//! Helpers of `java.lang.String`.

use crate::natives::{Res, Vmj, natives};
use vm::Val;

natives! {
    "java/lang/StringUTF16" {
        "isBigEndian" "()Z" = is_big_endian;
    }
    "java/lang/StringCoding" {
        "err" "(Ljava/lang/String;)V" = ignore;
    }
}

fn is_big_endian(_: &mut Vmj, _: &[Val]) -> Res<bool> {
    Ok(false)
}

fn ignore(_: &mut Vmj, _: &[Val]) -> Res<()> {
    Ok(())
}
