//! Z3 behind a small safe interface: the only place that talks to it.
//!
//! A [`Context`] translates terms once and answers questions about them. What Z3 answers depends on what the same
//! context saw before, so determinism asks for a fresh one a batch. Contexts do not count references to
//! expressions (`Z3_mk_context`): all of them live until the context goes.

mod model;
mod translate;
pub(crate) mod weight;

use std::ffi::{CStr, CString};
use std::sync::Once;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use term::{Pool, TermId, VarId};
use z3_sys::*;

use crate::ask::{Answer, Cause};

/// What all contexts of the process may use together, the watermark in bytes, the limit in megabytes. At the watermark a question is given up; at the
/// maximum an allocation fails, which Z3 does not survive everywhere.
const MEMORY: [(&CStr, &CStr); 2] =
    [(c"memory_high_watermark", c"2000000000"), (c"memory_max_size", c"4096")];

static GLOBAL: Once = Once::new();

/// A Z3 context with the terms translated so far.
pub struct Context {
    context: Z3_context,
    expressions: FxHashMap<TermId, Z3_ast>,
    rounding: [Option<Z3_ast>; 3],
    used: u64,
    /// The solver for pure bit-vector questions: every assertion is in it once, behind a literal that a question
    /// assumes. Making a solver for each question costs more than most questions.
    shared: Option<Solver>,
    shared_marks: FxHashMap<TermId, Z3_ast>,
    /// No question goes on after it.
    deadline: Option<Instant>,
}

/// When the shared solver holds this many assertions it is replaced, so that old ones do not slow it down.
const MAX_SHARED: usize = 400;
/// The shared solver gets this part of a question's limit.
pub(crate) const SHARED_SHARE: u32 = 6;

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
    FloatsAndArrays,
}

impl Context {
    #[expect(
        unsafe_code,
        reason = "FFI: creates the context and disables the handler that would exit the process"
    )]
    pub fn new() -> Option<Context> {
        GLOBAL.call_once(|| {
            for (name, value) in MEMORY {
                // SAFETY: both are valid C strings for the duration of the call.
                unsafe { Z3_global_param_set(name.as_ptr(), value.as_ptr()) };
            }
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
        Some(Context {
            context,
            expressions: FxHashMap::default(),
            rounding: [None; 3],
            used: 0,
            shared: None,
            shared_marks: FxHashMap::default(),
            deadline: None,
        })
    }

    /// No question goes on after `deadline`.
    pub fn until(mut self, deadline: Option<Instant>) -> Context {
        self.deadline = deadline;
        self
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
        if !weight::is_bearable(pool, &order) || self.time_left() == Some(Duration::ZERO) {
            return Err(Cause::Limit);
        }
        for &t in &order {
            self.translate(pool, t)?;
        }
        let vars: Vec<VarId> = order.iter().filter_map(|&t| pool.var_of(t)).collect();
        if theory == Theory::BitVectors {
            match self.ask_shared(pool, assertions, &vars, rlimit / SHARED_SHARE) {
                // The shared solver preprocesses less; a fresh one may still manage.
                Err(Cause::Limit) => {}
                answer => return answer,
            }
        }
        let solver = Solver::new(self.context, theory)?;
        solver.limit(rlimit, self.time_left());
        let mut marks = Vec::with_capacity(assertions.len());
        for (i, t) in assertions.iter().enumerate() {
            let mark = self.mark(i)?;
            solver.assert_and_track(self.expressions[t], mark);
            marks.push(mark);
        }
        let verdict = solver.check();
        self.conclude(pool, &solver, verdict, &marks, &vars, rlimit)
    }

    fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    fn ask_shared(
        &mut self,
        pool: &Pool,
        assertions: &[TermId],
        vars: &[VarId],
        rlimit: u32,
    ) -> Result<Answer, Cause> {
        let marks = self.share(assertions)?;
        let solver = self.shared.take().ok_or(Cause::Bug("no shared solver"))?;
        // 0 would mean no limit at all.
        solver.limit(rlimit.max(1), self.time_left());
        let verdict = solver.check_assuming(&marks);
        let answer = self.conclude(pool, &solver, verdict, &marks, vars, rlimit);
        // A solver that gave up may be left in the middle of something; only a good one is used again.
        if answer.is_ok() {
            self.shared = Some(solver);
        }
        answer
    }

    fn conclude(
        &mut self,
        pool: &Pool,
        solver: &Solver,
        verdict: Z3_lbool,
        marks: &[Z3_ast],
        vars: &[VarId],
        rlimit: u32,
    ) -> Result<Answer, Cause> {
        let before = self.used;
        self.used = before.max(solver.rlimit_used());
        match verdict {
            Z3_L_TRUE => self.model(pool, solver, vars).map(Answer::Sat),
            Z3_L_FALSE => {
                let mut core = solver.core(marks);
                if core.is_empty() {
                    // Some engines find contradictions without tracking; then all assertions are the core.
                    core = (0..marks.len()).collect();
                }
                Ok(Answer::Unsat(core))
            }
            // Some engines stop at the limit without saying so.
            _ if self.used - before >= rlimit.into() => Err(Cause::Limit),
            _ => Err(solver.why_unknown()),
        }
    }

    /// Puts assertions into the shared solver, each behind a literal; gives the literals.
    fn share(&mut self, assertions: &[TermId]) -> Result<Vec<Z3_ast>, Cause> {
        if self.shared.is_none() || self.shared_marks.len() > MAX_SHARED {
            self.shared = Some(Solver::new(self.context, Theory::BitVectors)?);
            self.shared_marks.clear();
        }
        let mut marks = Vec::with_capacity(assertions.len());
        for &t in assertions {
            let mark = match self.shared_marks.get(&t) {
                Some(&mark) => mark,
                None => {
                    let mark = self.mark(self.shared_marks.len())?;
                    let implied = self.implies(mark, self.expressions[&t])?;
                    if let Some(solver) = &self.shared {
                        solver.assert(implied);
                    }
                    self.shared_marks.insert(t, mark);
                    mark
                }
            };
            marks.push(mark);
        }
        Ok(marks)
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
        // Before the context it belongs to.
        self.shared = None;
        // SAFETY: made in `new`, deleted only here.
        unsafe { Z3_del_context(self.context) };
    }
}

fn theory(pool: &Pool, order: &[TermId]) -> Theory {
    let floats = order.iter().any(|&t| pool.sort(t).is_float());
    let arrays = order.iter().any(|&t| pool.sort(t).is_array());
    match (floats, arrays) {
        (false, false) => Theory::BitVectors,
        (false, true) => Theory::Arrays,
        (true, false) => Theory::Floats,
        (true, true) => Theory::FloatsAndArrays,
    }
}

/// One question's solver.
struct Solver {
    context: Z3_context,
    solver: Z3_solver,
}

#[expect(unsafe_code, reason = "FFI: every call gets live objects of one context")]
impl Solver {
    fn new(context: Z3_context, theory: Theory) -> Result<Solver, Cause> {
        let logic = match theory {
            Theory::BitVectors => Some(c"QF_BV"),
            Theory::Arrays => Some(c"QF_AUFBV"),
            // Several times faster than the general solver, and it takes bit-vectors too.
            Theory::Floats => Some(c"QF_FP"),
            Theory::FloatsAndArrays => None,
        };
        // SAFETY: the context is live; the solver's count is raised here and lowered in `drop`.
        unsafe {
            let solver = match logic {
                Some(logic) => Z3_mk_string_symbol(context, logic.as_ptr())
                    .and_then(|logic| Z3_mk_solver_for_logic(context, logic)),
                None => Z3_mk_solver(context),
            };
            let solver = solver.ok_or(Cause::Crashed("no solver".to_string()))?;
            Z3_solver_inc_ref(context, solver);
            Ok(Solver { context, solver })
        }
    }

    /// Resource units and time for the next check.
    fn limit(&self, rlimit: u32, time: Option<Duration>) {
        // SAFETY: see above; the parameters' count is raised while they are in use.
        unsafe {
            let Some(params) = Z3_mk_params(self.context) else { return };
            Z3_params_inc_ref(self.context, params);
            if let Some(name) = Z3_mk_string_symbol(self.context, c"rlimit".as_ptr()) {
                Z3_params_set_uint(self.context, params, name, rlimit);
            }
            if let Some(time) = time
                && let Some(name) = Z3_mk_string_symbol(self.context, c"timeout".as_ptr())
            {
                // 0 would mean no limit.
                let millis = u32::try_from(time.as_millis()).unwrap_or(u32::MAX).max(1);
                Z3_params_set_uint(self.context, params, name, millis);
            }
            Z3_solver_set_params(self.context, self.solver, params);
            Z3_params_dec_ref(self.context, params);
        }
    }

    fn assert(&self, expression: Z3_ast) {
        // SAFETY: see above.
        unsafe { Z3_solver_assert(self.context, self.solver, expression) };
    }

    fn check_assuming(&self, marks: &[Z3_ast]) -> Z3_lbool {
        // SAFETY: see above; the slice lives through the call.
        unsafe { Z3_solver_check_assumptions(self.context, self.solver, marks.len() as u32, marks.as_ptr()) }
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
