//! Z3 behind a small safe interface: the only place that talks to it.
//!
//! A [`Context`] translates terms once and answers questions about them. What Z3 answers depends on what the same
//! context saw before, so determinism asks for a fresh one a batch. Contexts do not count references to
//! expressions (`Z3_mk_context`): all of them live until the context goes.

mod model;
mod translate;

use std::ffi::{CStr, CString};
use std::sync::Once;

use rustc_hash::FxHashMap;
use term::{Op, Pool, Sort, TermId, VarId};
use z3_sys::*;

use crate::ask::{Answer, Cause};

/// Megabytes that all contexts of the process may use together.
const MEMORY_MAX_MB: &str = "4096";

static GLOBAL: Once = Once::new();

/// A Z3 context with the terms translated so far.
pub struct Context {
    context: Z3_context,
    expressions: FxHashMap<TermId, Z3_ast>,
    rounding: [Option<Z3_ast>; 3],
    used: u64,
}

// SAFETY: a context may move between threads as long as one at a time uses it, which `&mut` in every method
// that touches it guarantees; the raw pointers in it belong to the context itself.
#[expect(unsafe_code, reason = "Z3 contexts are free of thread affinity, the raw pointer hides that")]
unsafe impl Send for Context {}

/// Which of Z3's engines fits a question.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Theory {
    BitVectors,
    Arrays,
    Floats,
}

impl Context {
    #[expect(
        unsafe_code,
        reason = "FFI: creates the context and disables the handler that would exit the process"
    )]
    pub fn new() -> Option<Context> {
        GLOBAL.call_once(|| {
            let (name, value) = (c"memory_max_size", CString::new(MEMORY_MAX_MB).unwrap_or_default());
            // SAFETY: both are valid C strings for the duration of the call.
            unsafe { Z3_global_param_set(name.as_ptr(), value.as_ptr()) };
        });
        // SAFETY: the configuration is deleted once, after the context was made from it.
        let context = unsafe {
            let config = Z3_mk_config()?;
            Z3_set_param_value(config, c"model".as_ptr(), c"true".as_ptr());
            let context = Z3_mk_context(config);
            Z3_del_config(config);
            context?
        };
        // SAFETY: the context is live. Without a handler errors are codes, which `failed` reads.
        unsafe { Z3_set_error_handler(context, None) };
        Some(Context { context, expressions: FxHashMap::default(), rounding: [None; 3], used: 0 })
    }

    /// Resource units used by all questions so far.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Asks Z3. The model is Z3's own, unchecked.
    pub fn ask(&mut self, pool: &Pool, assertions: &[TermId], rlimit: u32) -> Answer {
        match self.try_ask(pool, assertions, rlimit) {
            Ok(answer) => answer,
            Err(cause) => Answer::Unknown(cause),
        }
    }

    fn try_ask(&mut self, pool: &Pool, assertions: &[TermId], rlimit: u32) -> Result<Answer, Cause> {
        let order = pool.postorder(assertions);
        let theory = theory(pool, &order);
        for &t in &order {
            self.translate(pool, t)?;
        }
        let solver = Solver::new(self.context, theory, rlimit)?;
        let mut marks = Vec::with_capacity(assertions.len());
        for (i, t) in assertions.iter().enumerate() {
            let mark = self.mark(i)?;
            solver.assert_and_track(self.expressions[t], mark);
            marks.push(mark);
        }
        let verdict = solver.check();
        self.used += solver.rlimit_used();
        match verdict {
            Z3_L_TRUE => {
                let vars: Vec<VarId> = order.iter().filter_map(|&t| pool.var_of(t)).collect();
                Ok(Answer::Sat(self.model(pool, &solver, &vars)?))
            }
            Z3_L_FALSE => {
                let mut core = solver.core(&marks);
                if core.is_empty() {
                    // Some engines find contradictions without tracking; then all assertions are the core.
                    core = (0..assertions.len()).collect();
                }
                Ok(Answer::Unsat(core))
            }
            _ => Err(solver.why_unknown()),
        }
    }

    /// Verdict on a script, as text: for tests of the SMT-LIB dump.
    #[expect(unsafe_code, reason = "FFI: parses and checks a script")]
    pub fn check_script(&mut self, script: &str) -> Result<Answer, Cause> {
        let text = CString::new(script).map_err(|_| Cause::Bug("a script with a zero byte"))?;
        // SAFETY: context and string are live; the returned string is copied before the next call.
        let answer = unsafe {
            let result = Z3_eval_smtlib2_string(self.context, text.as_ptr());
            CStr::from_ptr(result).to_string_lossy().into_owned()
        };
        match answer.trim() {
            "sat" => Ok(Answer::Sat(Default::default())),
            "unsat" => Ok(Answer::Unsat(Vec::new())),
            "unknown" => Ok(Answer::Unknown(Cause::Limit)),
            other => Err(Cause::Crashed(other.to_string())),
        }
    }

    /// What went wrong in the last call.
    #[expect(unsafe_code, reason = "FFI: reads the context's error")]
    fn failed(&self) -> Cause {
        // SAFETY: the context is live and the message is copied at once.
        unsafe {
            let code = Z3_get_error_code(self.context);
            if code == ErrorCode::MemoutFail {
                return Cause::Memory;
            }
            let message = Z3_get_error_msg(self.context, code);
            Cause::Crashed(CStr::from_ptr(message).to_string_lossy().into_owned())
        }
    }
}

impl Drop for Context {
    #[expect(unsafe_code, reason = "FFI: the context is owned here")]
    fn drop(&mut self) {
        // SAFETY: made in `new`, deleted only here.
        unsafe { Z3_del_context(self.context) };
    }
}

fn theory(pool: &Pool, order: &[TermId]) -> Theory {
    let mut theory = Theory::BitVectors;
    for &t in order {
        match pool.sort(t) {
            Sort::F32 | Sort::F64 => return Theory::Floats,
            Sort::Array { .. } => theory = Theory::Arrays,
            Sort::Bool | Sort::Bv(_) => {}
        }
        debug_assert!(pool.node(t).0 != Op::FpToBits, "its argument is a float");
    }
    theory
}

/// One question's solver.
struct Solver {
    context: Z3_context,
    solver: Z3_solver,
}

#[expect(unsafe_code, reason = "FFI: every call gets live objects of one context")]
impl Solver {
    fn new(context: Z3_context, theory: Theory, rlimit: u32) -> Result<Solver, Cause> {
        // SAFETY: the context is live; the solver's count is raised here and lowered in `drop`.
        unsafe {
            let solver = match theory {
                Theory::BitVectors => {
                    let logic = Z3_mk_string_symbol(context, c"QF_BV".as_ptr());
                    logic.and_then(|logic| Z3_mk_solver_for_logic(context, logic))
                }
                Theory::Arrays => {
                    let logic = Z3_mk_string_symbol(context, c"QF_AUFBV".as_ptr());
                    logic.and_then(|logic| Z3_mk_solver_for_logic(context, logic))
                }
                Theory::Floats => Z3_mk_solver(context),
            };
            let solver = solver.ok_or(Cause::Crashed("no solver".to_string()))?;
            Z3_solver_inc_ref(context, solver);
            let result = Solver { context, solver };
            if let Some(params) = Z3_mk_params(context) {
                Z3_params_inc_ref(context, params);
                if let Some(name) = Z3_mk_string_symbol(context, c"rlimit".as_ptr()) {
                    Z3_params_set_uint(context, params, name, rlimit);
                }
                Z3_solver_set_params(context, solver, params);
                Z3_params_dec_ref(context, params);
            }
            Ok(result)
        }
    }

    fn assert_and_track(&self, expression: Z3_ast, mark: Z3_ast) {
        // SAFETY: see above.
        unsafe { Z3_solver_assert_and_track(self.context, self.solver, expression, mark) };
    }

    fn check(&self) -> Z3_lbool {
        // SAFETY: see above.
        unsafe { Z3_solver_check(self.context, self.solver) }
    }

    fn core(&self, marks: &[Z3_ast]) -> Vec<usize> {
        // SAFETY: the vector is alive while it is read.
        unsafe {
            let Some(vector) = Z3_solver_get_unsat_core(self.context, self.solver) else { return Vec::new() };
            Z3_ast_vector_inc_ref(self.context, vector);
            let mut core = Vec::new();
            for i in 0..Z3_ast_vector_size(self.context, vector) {
                let Some(ast) = Z3_ast_vector_get(self.context, vector, i) else { continue };
                core.extend(marks.iter().position(|&m| m == ast));
            }
            Z3_ast_vector_dec_ref(self.context, vector);
            core.sort_unstable();
            core.dedup();
            core
        }
    }

    fn rlimit_used(&self) -> u64 {
        // SAFETY: keys are valid until the statistics go.
        unsafe {
            let Some(stats) = Z3_solver_get_statistics(self.context, self.solver) else { return 0 };
            Z3_stats_inc_ref(self.context, stats);
            let mut used = 0;
            for i in 0..Z3_stats_size(self.context, stats) {
                let key = CStr::from_ptr(Z3_stats_get_key(self.context, stats, i));
                if key == c"rlimit count" && Z3_stats_is_uint(self.context, stats, i) {
                    used = Z3_stats_get_uint_value(self.context, stats, i).into();
                }
            }
            Z3_stats_dec_ref(self.context, stats);
            used
        }
    }

    fn why_unknown(&self) -> Cause {
        // SAFETY: the string is copied at once.
        let reason = unsafe {
            CStr::from_ptr(Z3_solver_get_reason_unknown(self.context, self.solver))
                .to_string_lossy()
                .into_owned()
        };
        if reason.contains("resource") || reason.contains("canceled") || reason.contains("timeout") {
            Cause::Limit
        } else if reason.contains("memory") || reason.contains("memout") {
            Cause::Memory
        } else {
            Cause::Incomplete(reason)
        }
    }
}

impl Drop for Solver {
    #[expect(unsafe_code, reason = "FFI: pairs with the count raised in `new`")]
    fn drop(&mut self) {
        // SAFETY: the context outlives its solvers.
        unsafe { Z3_solver_dec_ref(self.context, self.solver) };
    }
}
