//! Equations by Newton's method: the failing conditions as differences of two sides, their slopes by trying, and the
//! step that would make all differences vanish if everything were straight. Finds what one variable at a time
//! cannot: systems of equations, roots of polynomials.

use term::{Op, Sort, TermId};

use super::point::Point;

/// Larger systems are left alone: slopes cost an evaluation for each variable.
const MAX_VARS: usize = 12;
const MAX_ATOMS: usize = 24;
const STEPS: u32 = 14;

/// Two sides that shall be equal, or in order.
#[derive(Clone, Copy)]
struct Atom {
    left: TermId,
    right: TermId,
    /// The sides are to be read as unsigned numbers.
    unsigned: bool,
    equal: bool,
}

/// Moves the point; true when it satisfies the question.
pub(super) fn solve(point: &mut Point) -> bool {
    let mut last = f64::INFINITY;
    for _ in 0..STEPS {
        let atoms = atoms(point);
        let slots = slots(point, &atoms);
        if atoms.is_empty() || slots.is_empty() || slots.len() > MAX_VARS || atoms.len() > MAX_ATOMS {
            return false;
        }
        let residuals: Vec<f64> = atoms.iter().map(|atom| residual(point, atom)).collect();
        let size: f64 = residuals.iter().map(|r| r * r).sum();
        if !size.is_finite() || !point.budget_left() {
            return false;
        }
        // No progress: a root that no value hits exactly, or none at all.
        if size >= last * 0.9999 {
            return false;
        }
        last = size;
        let slopes = slopes(point, &atoms, &slots, &residuals);
        let Some(step) = least_squares(&slopes, &residuals, slots.len()) else { return false };
        let from: Vec<f64> = slots.iter().map(|&slot| point.real(slot)).collect();
        let before = point.cost();
        for shorter in [1.0, 0.5, 0.1] {
            for ((&slot, &x), &dx) in slots.iter().zip(&from).zip(&step) {
                let value = point.nearest(slot, x + dx * shorter);
                point.place(slot, value);
            }
            point.measured();
            if point.solved() {
                return true;
            }
            if point.cost() < before {
                break;
            }
        }
    }
    false
}

/// The comparisons that keep the question from holding, and all equations that must go on to hold.
fn atoms(point: &Point) -> Vec<Atom> {
    let mut found = Vec::new();
    let mut work: Vec<(TermId, bool)> = point.assertions().iter().map(|&t| (t, true)).collect();
    let mut fuel = 400;
    while let Some((t, want)) = work.pop() {
        fuel -= 1;
        if fuel == 0 {
            break;
        }
        let fails = (point.value_of(t) != 0) != want;
        let (op, args) = point.pool.node(t);
        match (op, args) {
            (Op::Not, &[a]) => work.push((a, !want)),
            (Op::And, &[a, b]) if want => work.extend([(a, true), (b, true)]),
            (Op::Or, &[a, b]) if !want => work.extend([(a, false), (b, false)]),
            (Op::And | Op::Or, &[a, b]) if fails => {
                let nearer = super::distance::to(point, a, want) <= super::distance::to(point, b, want);
                work.push((if nearer { a } else { b }, want));
            }
            (Op::Eq | Op::FpEq, &[left, right]) if want && point.pool.sort(left) != Sort::Bool => {
                found.push(Atom { left, right, unsigned: false, equal: true });
            }
            (Op::FpIsZero, &[left]) if want => {
                // Zero is the other side.
                found.push(Atom { left, right: left, unsigned: false, equal: true });
            }
            (Op::FpLt | Op::FpLe | Op::BvSlt | Op::BvSle | Op::BvUlt | Op::BvUle, &[left, right])
                if fails =>
            {
                let unsigned = matches!(op, Op::BvUlt | Op::BvUle);
                found.push(Atom { left, right, unsigned, equal: false });
            }
            _ => {}
        }
    }
    if found.iter().all(|atom| residual(point, atom) == 0.0) { Vec::new() } else { found }
}

fn slots(point: &Point, atoms: &[Atom]) -> Vec<usize> {
    let mut slots: Vec<usize> = Vec::new();
    for t in atoms.iter().flat_map(|atom| [atom.left, atom.right]) {
        slots.extend(point.pool.vars(t).iter().filter_map(|&var| point.slot_of(point.pool.var_term(var))));
    }
    slots.sort_unstable();
    slots.dedup();
    slots
}

/// By how much the sides differ.
fn residual(point: &Point, atom: &Atom) -> f64 {
    let left = point.number(atom.left, atom.unsigned);
    if atom.left == atom.right {
        return left;
    }
    let gap = left - point.number(atom.right, atom.unsigned);
    // Beyond the border, not on it.
    if atom.equal { gap } else { gap + gap.signum() * gap.abs().max(1.0) * 1e-3 }
}

/// How the differences change with each variable, row by row.
fn slopes(point: &mut Point, atoms: &[Atom], slots: &[usize], residuals: &[f64]) -> Vec<f64> {
    let mut slopes = vec![0.0; atoms.len() * slots.len()];
    for (column, &slot) in slots.iter().enumerate() {
        let old = point.value(slot);
        let x = point.real(slot);
        let step = if point.sort(slot).is_float() { x.abs().max(1e-3) * 1e-6 } else { 1.0 };
        let moved = point.nearest(slot, x + step);
        point.place(slot, moved);
        let step = point.real(slot) - x;
        for (row, atom) in atoms.iter().enumerate() {
            let slope = (residual(point, atom) - residuals[row]) / step;
            slopes[row * slots.len() + column] = if slope.is_finite() { slope } else { 0.0 };
        }
        point.place(slot, old);
    }
    point.measured();
    slopes
}

/// The smallest step that comes closest to solving `slopes * step = -residuals`.
fn least_squares(slopes: &[f64], residuals: &[f64], n: usize) -> Option<Vec<f64>> {
    let mut matrix = vec![0.0; n * n];
    let mut right = vec![0.0; n];
    for (row, residual) in slopes.chunks(n).zip(residuals) {
        for i in 0..n {
            for j in 0..n {
                matrix[i * n + j] += row[i] * row[j];
            }
            right[i] -= row[i] * residual;
        }
    }
    let largest = (0..n).map(|i| matrix[i * n + i]).fold(0.0, f64::max);
    if largest == 0.0 || !largest.is_finite() {
        return None;
    }
    // Keeps directions that change nothing at rest.
    for i in 0..n {
        matrix[i * n + i] += largest * 1e-13;
    }
    eliminate(&mut matrix, &mut right, n)
}

/// Gaussian elimination with pivots.
fn eliminate(matrix: &mut [f64], right: &mut [f64], n: usize) -> Option<Vec<f64>> {
    for column in 0..n {
        let pivot = (column..n).max_by(|&a, &b| {
            let (a, b) = (matrix[a * n + column].abs(), matrix[b * n + column].abs());
            a.total_cmp(&b)
        })?;
        if matrix[pivot * n + column] == 0.0 {
            return None;
        }
        for j in 0..n {
            matrix.swap(column * n + j, pivot * n + j);
        }
        right.swap(column, pivot);
        for row in column + 1..n {
            let factor = matrix[row * n + column] / matrix[column * n + column];
            for j in column..n {
                matrix[row * n + j] -= factor * matrix[column * n + j];
            }
            right[row] -= factor * right[column];
        }
    }
    let mut solution = vec![0.0; n];
    for row in (0..n).rev() {
        let known: f64 = (row + 1..n).map(|j| matrix[row * n + j] * solution[j]).sum();
        solution[row] = (right[row] - known) / matrix[row * n + row];
    }
    solution.iter().all(|x| x.is_finite()).then_some(solution)
}
