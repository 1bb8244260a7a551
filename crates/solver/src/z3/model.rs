//! Reads a Z3 model back into values.

use std::ffi::CStr;

use term::{ArrayValue, Pool, Sort, Value, VarId};
use z3_sys::*;

use super::{Context, Solver};
use crate::ask::{Cause, Model};

#[expect(unsafe_code, reason = "FFI: reads a model that is kept alive meanwhile")]
impl Context {
    pub(super) fn model(&mut self, pool: &Pool, solver: &Solver, vars: &[VarId]) -> Result<Model, Cause> {
        // SAFETY: the model's count is raised while it is read; expressions live as long as the context.
        unsafe {
            let model = Z3_solver_get_model(self.context, solver.solver).ok_or_else(|| self.failed())?;
            Z3_model_inc_ref(self.context, model);
            let result = self.read(pool, model, vars);
            Z3_model_dec_ref(self.context, model);
            result
        }
    }

    fn read(&mut self, pool: &Pool, model: Z3_model, vars: &[VarId]) -> Result<Model, Cause> {
        let mut result = Model::new();
        for &var in vars {
            let expression = self.expressions[&pool.var_term(var)];
            let sort = pool.var_sort(var);
            let value = match sort {
                Sort::Bool => {
                    let value = self.evaluate(model, expression)?;
                    // SAFETY: the expression is live.
                    let is_true = unsafe { Z3_get_bool_value(self.context, value) } == Z3_L_TRUE;
                    Value::Bits(is_true.into())
                }
                Sort::Bv(_) => {
                    let value = self.evaluate(model, expression)?;
                    Value::Bits(self.numeral(value)?)
                }
                Sort::F32 | Sort::F64 => {
                    let bits = self.bits_of_float(sort, expression)?;
                    let value = self.evaluate(model, bits)?;
                    Value::Bits(self.numeral(value)?)
                }
                Sort::Array { .. } => {
                    let value = self.evaluate(model, expression)?;
                    Value::Array(self.array(value)?)
                }
            };
            result.set(var, value);
        }
        Ok(result)
    }

    fn evaluate(&mut self, model: Z3_model, expression: Z3_ast) -> Result<Z3_ast, Cause> {
        let mut value = expression;
        // SAFETY: model and expression are live; `value` is written on success.
        let done = unsafe { Z3_model_eval(self.context, model, expression, true, &raw mut value) };
        if done { Ok(value) } else { Err(self.failed()) }
    }

    fn numeral(&self, value: Z3_ast) -> Result<u128, Cause> {
        // SAFETY: the kind is asked first; the text is copied at once.
        let text = unsafe {
            if Z3_get_ast_kind(self.context, value) != AstKind::Numeral {
                return Err(Cause::Incomplete("a model value that is no number".to_string()));
            }
            CStr::from_ptr(Z3_get_numeral_string(self.context, value)).to_string_lossy().into_owned()
        };
        text.parse().map_err(|_| Cause::Incomplete(format!("a model value {text}")))
    }

    /// Reads stores over a constant array. Z3 may answer with other shapes (`as-array`, lambdas); those are
    /// reported as incomplete.
    fn array(&self, mut value: Z3_ast) -> Result<ArrayValue, Cause> {
        let mut result = ArrayValue::default();
        loop {
            // SAFETY: applications are told apart before they are read as such.
            let (name, args) = unsafe {
                if Z3_get_ast_kind(self.context, value) != AstKind::App {
                    return Err(Cause::Incomplete("an array value of unknown shape".to_string()));
                }
                let app = Z3_to_app(self.context, value).ok_or_else(|| self.failed())?;
                let decl = Z3_get_app_decl(self.context, app).ok_or_else(|| self.failed())?;
                let symbol = Z3_get_decl_name(self.context, decl).ok_or_else(|| self.failed())?;
                let name =
                    CStr::from_ptr(Z3_get_symbol_string(self.context, symbol)).to_string_lossy().into_owned();
                let args: Vec<Z3_ast> = (0..Z3_get_app_num_args(self.context, app))
                    .filter_map(|i| Z3_get_app_arg(self.context, app, i))
                    .collect();
                (name, args)
            };
            match (name.as_str(), args.as_slice()) {
                ("store", &[array, index, element]) => {
                    let (index, element) = (self.numeral(index)?, self.numeral(element)?);
                    result.entries.entry(index).or_insert(element);
                    value = array;
                }
                ("const", &[element]) => {
                    result.default = self.numeral(element)?;
                    return Ok(result);
                }
                _ => return Err(Cause::Incomplete(format!("an array value {name}"))),
            }
        }
    }
}
