//! Each text and descriptor of a class once.
//!
//! This saves allocations, and it is a defence: a small file can name the same 64 kB text 65535 times, and copies
//! or repeated checks of it would cost gigabytes and minutes.

use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::descriptor::{FieldType, MethodType, is_member_name, is_method_name};
use super::error::Malformed;
use super::pool::ConstantPool;

#[derive(Default)]
pub(super) struct Interner {
    texts: RefCell<FxHashMap<u16, Text>>,
    fields: RefCell<FxHashMap<u16, Option<FieldType>>>,
    methods: RefCell<FxHashMap<u16, Option<Arc<MethodType>>>>,
}

#[derive(Clone)]
pub(super) struct Text {
    pub text: Arc<str>,
    pub is_member_name: bool,
    pub is_method_name: bool,
}

impl Interner {
    pub fn text(&self, pool: &ConstantPool, index: u16) -> Result<Text, Malformed> {
        if let Some(text) = self.texts.borrow().get(&index) {
            return Ok(text.clone());
        }
        let text = pool.utf8(index)?;
        let text = Text {
            text: text.into(),
            is_member_name: is_member_name(text),
            is_method_name: is_method_name(text),
        };
        self.texts.borrow_mut().insert(index, text.clone());
        Ok(text)
    }

    /// The field type a text spells, if it does.
    pub fn field_type(&self, pool: &ConstantPool, index: u16) -> Option<FieldType> {
        let parse = || FieldType::parse(pool.utf8(index).ok()?);
        self.fields.borrow_mut().entry(index).or_insert_with(parse).clone()
    }

    /// The method type a text spells, if it does.
    pub fn method_type(&self, pool: &ConstantPool, index: u16) -> Option<Arc<MethodType>> {
        let parse = || MethodType::parse(pool.utf8(index).ok()?).map(Arc::new);
        self.methods.borrow_mut().entry(index).or_insert_with(parse).clone()
    }
}
