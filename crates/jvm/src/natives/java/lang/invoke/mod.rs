//! Natives of `java.lang.invoke`.
//!
//! Method handles run as the JDK's own lambda forms, interpreted by its own interpreter
//! (`LambdaForm.interpretWithArguments`); what that interpreter would compile at run time is done here instead.

mod member_name;
mod method_handle;
mod method_type;
mod var_handle;

use crate::natives::Row;

pub(super) fn tables() -> Vec<&'static [Row]> {
    vec![member_name::ROWS, method_handle::ROWS, var_handle::ROWS]
}
