//! Each rule: where it applies and what comes out; where it must not apply.

#[path = "support/read.rs"]
mod read;

use read::{parts, read};
use term::Pool;

/// `from` simplifies to `to`.
fn becomes(from: &str, to: &str) {
    let mut pool = Pool::new();
    let (ours, wanted) = (read(&mut pool, from), read(&mut pool, to));
    assert_eq!(ours, wanted, "{from} became {}, not {}", pool.display(ours), pool.display(wanted));
}

/// The outermost operator of `text` is kept over its arguments.
fn stays(text: &str) {
    let mut pool = Pool::new();
    let (op, mut args) = parts(&mut pool, text);
    let ours = pool.mk(op, &args);
    let (our_op, our_args) = pool.node(ours);
    let mut our_args = our_args.to_vec();
    args.sort_unstable();
    our_args.sort_unstable();
    assert_eq!((our_op, our_args), (op, args), "{text} became {}", pool.display(ours));
}

#[test]
fn connectives() {
    becomes("(not (not c))", "c");
    becomes("(not (bvult x y))", "(bvule y x)");
    becomes("(not (bvsle x y))", "(bvslt y x)");
    stays("(not (fp.lt p q))");
    becomes("(and c true)", "c");
    becomes("(and c false)", "false");
    becomes("(and c c)", "c");
    becomes("(and c (not c))", "false");
    becomes("(and (bvslt x y) (bvsle y x))", "false");
    becomes("(and c (and c d))", "(and c d)");
    becomes("(and c (and (not c) d))", "false");
    becomes("(and c (or c d))", "c");
    becomes("(and c (or (not c) d))", "(and c d)");
    becomes("(and (bvule x y) (not (= x y)))", "(bvult x y)");
    becomes("(and (bvsle x y) (bvsle y x))", "(= x y)");
    becomes("(and (fp.lt p q) (not (fp.eq p q)))", "(fp.lt p q)");
    stays("(and c d)");
    stays("(and (bvult x y) (bvult y z))");
    becomes("(or c true)", "true");
    becomes("(or c (not c))", "true");
    becomes("(or c (and (not c) d))", "(or c d)");
    becomes("(or (bvslt x y) (= x y))", "(bvsle x y)");
    becomes("(or (fp.lt p q) (fp.eq p q))", "(fp.leq p q)");
    becomes("(or (bvult x y) (bvult y x))", "(not (= x y))");
    stays("(or (fp.lt p q) (fp.lt q p))");
    becomes("(xor c true)", "(not c)");
    becomes("(xor (not c) (not d))", "(xor c d)");
    stays("(xor c d)");
}

#[test]
fn if_then_else() {
    becomes("(ite true x y)", "x");
    becomes("(ite c x x)", "x");
    becomes("(ite (not c) x y)", "(ite c y x)");
    becomes("(ite c true d)", "(or c d)");
    becomes("(ite c false d)", "(and (not c) d)");
    becomes("(ite c d (not d))", "(= c d)");
    becomes("(ite c (ite c x y) z)", "(ite c x z)");
    becomes("(ite c x (ite d x y))", "(ite (or c d) x y)");
    becomes("(ite c (ite d x y) y)", "(ite (and c d) x y)");
    becomes("(ite (= x y) x y)", "y");
    stays("(ite c x y)");
    stays("(ite (= x y) x z)");
    becomes("(bvadd (ite c 1 0) 4)", "(ite c 5 4)");
    becomes("(zext 64 (ite c 1 0))", "(ite c 1:64 0:64)");
    stays("(bvadd (ite c x 0) 4)");
}

#[test]
fn booleans_kept_as_integers() {
    becomes("(= (ite c 1 0) 0)", "(not c)");
    becomes("(= (ite c 1 0) 1)", "c");
    becomes("(= (ite c 1 0) 7)", "false");
    becomes("(= (ite c 1 0) (ite d 1 0))", "(= c d)");
    becomes("(bvand (ite c 1 0) (ite d 1 0))", "(ite (and c d) 1 0)");
    becomes("(bvxor (ite c 1 0) (ite d 1 0))", "(ite (xor c d) 1 0)");
    stays("(bvand (ite c 1 0) (ite d 2 0))");
    becomes("(= (extract 7 0 (ite c 1 0)) 0:8)", "(not c)");
}

#[test]
fn three_way_compares() {
    let long = "(ite (bvslt l l2) -1 (ite (= l l2) 0 1))";
    becomes(&format!("(bvslt {long} 0)"), "(bvslt l l2)");
    becomes(&format!("(bvsle {long} 0)"), "(bvsle l l2)");
    becomes(&format!("(bvslt 0 {long})"), "(bvslt l2 l)");
    becomes(&format!("(bvsle 0 {long})"), "(bvsle l2 l)");
    becomes(&format!("(= {long} 0)"), "(= l l2)");
    // dcmpg: NaN gives 1; dcmpl: NaN gives -1 (JVMS 6.5).
    let greater = "(ite (fp.lt p q) -1 (ite (fp.eq p q) 0 1))";
    becomes(&format!("(bvslt {greater} 0)"), "(fp.lt p q)");
    becomes(&format!("(bvsle {greater} 0)"), "(fp.leq p q)");
    becomes(&format!("(= {greater} 0)"), "(fp.eq p q)");
    let less = "(ite (fp.lt q p) 1 (ite (fp.eq p q) 0 -1))";
    becomes(&format!("(bvslt 0 {less})"), "(fp.lt q p)");
    becomes(&format!("(bvsle 0 {less})"), "(fp.leq q p)");
}

#[test]
fn equality() {
    becomes("(= x x)", "true");
    becomes("(= 5 x)", "(= x 5)");
    becomes("(= (bvadd x 3) 10)", "(= x 7)");
    becomes("(= (bvsub 3 x) 10)", "(= x -7)");
    becomes("(= (bvneg x) 5)", "(= x -5)");
    becomes("(= (bvnot x) 5)", "(= x -6)");
    becomes("(= (bvxor x 5) 1)", "(= x 4)");
    becomes("(= (bvmul x 3) 9)", "(= x 3)");
    stays("(= (bvmul x 4) 8)");
    becomes("(= (bvsub x y) 0)", "(= x y)");
    stays("(= (bvsub x y) 1)");
    becomes("(= (bvor x y) 0)", "(and (= x 0) (= y 0))");
    stays("(= (bvor x y) 1)");
    becomes("(= (zext 32 b) 65)", "(= b 65:8)");
    becomes("(= (zext 32 b) 256)", "false");
    becomes("(= (sext 32 b) -1)", "(= b -1:8)");
    becomes("(= (sext 32 b) 200)", "false");
    becomes("(= (concat b b2) 258:16)", "(and (= b 1:8) (= b2 2:8))");
    becomes("(= (bvshl x 4) 8)", "false");
    becomes("(= (bvshl x 4) 32)", "(= (extract 27 0 x) 2:28)");
    becomes("(= (bvadd x y) x)", "(= y 0)");
    becomes("(= (bvadd x y) (bvadd z x))", "(= y z)");
    becomes("(= (zext 32 b) (zext 32 b2))", "(= b b2)");
    stays("(= (zext 32 b) (sext 32 b2))");
    becomes("(= c true)", "c");
    becomes("(= c (not c))", "false");
    becomes("(= p NaN)", "(fp.isNaN p)");
    stays("(= p 0d)");
}

#[test]
fn sums_and_products() {
    becomes("(bvadd x 0)", "x");
    becomes("(bvadd (bvadd x 1) 2)", "(bvadd x 3)");
    becomes("(bvsub (bvadd x 1) 1)", "x");
    becomes("(bvadd (bvadd x 1) y)", "(bvadd (bvadd x y) 1)");
    becomes("(bvsub x x)", "0");
    becomes("(bvsub 0 x)", "(bvneg x)");
    becomes("(bvsub x (bvneg y))", "(bvadd x y)");
    becomes("(bvsub (bvadd x y) y)", "x");
    becomes("(bvadd (bvsub x y) y)", "x");
    becomes("(bvneg (bvneg x))", "x");
    becomes("(bvneg (bvsub x y))", "(bvsub y x)");
    becomes("(bvadd (bvnot x) 1)", "(bvneg x)");
    becomes("(bvmul x 0)", "0");
    becomes("(bvmul x -1)", "(bvneg x)");
    becomes("(bvmul (bvmul x 3) 5)", "(bvmul x 15)");
    becomes("(bvudiv x 1)", "x");
    becomes("(bvurem x 8)", "(zext 32 (extract 2 0 x))");
    becomes("(bvsdiv x 1)", "x");
    becomes("(bvsdiv x -1)", "(bvneg x)");
    becomes("(bvsrem x 1)", "0");
    becomes("(bvsrem (zext 32 b) 10)", "(bvurem (zext 32 b) 10)");
    becomes("(bvsdiv (zext 32 b) 10)", "(bvudiv (zext 32 b) 10)");
    stays("(bvsdiv (zext 32 b) (zext 32 b2))");
    stays("(bvsrem x 2)");
    stays("(bvadd x y)");
    stays("(bvmul x y)");
}

#[test]
fn bits_and_shifts() {
    becomes("(bvand x 0)", "0");
    becomes("(bvand x -1)", "x");
    becomes("(bvand x (bvnot x))", "0");
    becomes("(bvor x (bvnot x))", "-1");
    becomes("(bvand (bvand x 6) 12)", "(bvand x 4)");
    becomes("(bvand (sext 32 b) 255)", "(zext 32 b)");
    becomes("(bvand x 255)", "(zext 32 (extract 7 0 x))");
    stays("(bvand x 6)");
    becomes("(bvxor x -1)", "(bvnot x)");
    becomes("(bvxor (bvxor x y) y)", "x");
    becomes("(bvshl x 0)", "x");
    becomes("(bvshl x 32)", "0");
    becomes("(bvshl (bvshl x 2) 3)", "(bvshl x 5)");
    becomes("(bvlshr x 4)", "(zext 32 (extract 31 4 x))");
    becomes("(bvashr x 31)", "(sext 32 (extract 31 31 x))");
    stays("(bvshl x y)");
    stays("(bvlshr x y)");
    // The JDK's StringUTF16.getChar over the two bytes of a unit.
    becomes("(bvor (bvshl (zext 32 (extract 15 8 u)) 8) (zext 32 (extract 7 0 u)))", "(zext 32 u)");
    becomes(
        "(bvor (bvshl (bvand (sext 32 (extract 15 8 u)) 255) 8) (bvand (sext 32 (extract 7 0 u)) 255))",
        "(zext 32 u)",
    );
}

#[test]
fn resizing() {
    becomes("(extract 31 0 x)", "x");
    becomes("(extract 3 2 (extract 7 4 x))", "(extract 7 6 x)");
    becomes("(extract 7 0 (sext 32 b))", "b");
    becomes("(extract 15 8 (zext 32 b))", "0:8");
    becomes("(extract 15 0 (zext 32 b))", "(zext 16 b)");
    becomes("(extract 15 0 (sext 32 b))", "(sext 16 b)");
    becomes("(extract 11 4 (concat b b2))", "(concat (extract 3 0 b) (extract 7 4 b2))");
    becomes("(extract 7 0 (bvadd (zext 32 b) 1))", "(bvadd b 1:8)");
    stays("(extract 7 0 (bvadd x y))");
    stays("(extract 8 1 (bvadd x 1))");
    becomes("(zext 64 (zext 32 b))", "(zext 64 b)");
    becomes("(sext 64 (zext 32 b))", "(zext 64 b)");
    becomes("(sext 64 (sext 32 b))", "(sext 64 b)");
    stays("(zext 64 (sext 32 b))");
    becomes("(concat 0:8 b)", "(zext 16 b)");
    becomes("(concat (extract 15 8 x) (extract 7 0 x))", "(extract 15 0 x)");
    stays("(concat (extract 15 8 x) (extract 6 0 x))");
}

#[test]
fn orders() {
    becomes("(bvult x x)", "false");
    becomes("(bvsle x x)", "true");
    becomes("(bvult x 0)", "false");
    becomes("(bvult x 1)", "(= x 0)");
    becomes("(bvult 0 x)", "(not (= x 0))");
    becomes("(bvsle x 2147483647)", "true");
    becomes("(bvslt x -2147483648)", "false");
    becomes("(bvslt (zext 32 b) 48)", "(bvult b 48:8)");
    becomes("(bvslt (zext 32 b) 256)", "true");
    becomes("(bvslt (zext 32 b) 0)", "false");
    becomes("(bvslt (sext 32 b) 48)", "(bvslt b 48:8)");
    becomes("(bvslt (sext 32 b) 128)", "true");
    becomes("(bvslt (zext 32 b) (zext 32 b2))", "(bvult b b2)");
    becomes("(bvult (bvand x 15) 16)", "true");
    becomes("(bvslt (bvurem x 10) 10)", "true");
    becomes("(bvslt (bvsrem x 10) 10)", "true");
    stays("(bvslt (bvsrem x 10) 9)");
    stays("(bvslt x 5)");
    stays("(bvult x y)");
    stays("(bvslt (bvadd x 1) x)");
}

#[test]
fn floats() {
    becomes("(fp.neg (fp.neg p))", "p");
    becomes("(fp.abs (fp.neg p))", "(fp.abs p)");
    becomes("(fp.mul p 1d)", "p");
    becomes("(fp.add p -0d)", "p");
    stays("(fp.add p 0d)");
    becomes("(fp.sub p 0d)", "p");
    becomes("(fp.eq p p)", "(not (fp.isNaN p))");
    becomes("(fp.lt p p)", "false");
    becomes("(fp.lt p NaN)", "false");
    becomes("(fp.eq p 0d)", "(fp.isZero p)");
    becomes("(fp.isNaN (sitofp 64 x))", "false");
    becomes("(fptosi 32 (sitofp 64 x))", "x");
    becomes("(fptosi 64 (sitofp 64 x))", "(sext 64 x)");
    stays("(fptosi 32 (sitofp 32 x))");
    becomes("(fp.lt (sitofp 64 x) 2.5d)", "(bvslt x 3)");
    becomes("(fp.leq (sitofp 64 x) 2.5d)", "(bvsle x 2)");
    becomes("(fp.lt 2.5d (sitofp 64 x))", "(bvslt 2 x)");
    becomes("(fp.eq (sitofp 64 x) 2.5d)", "false");
    becomes("(fp.eq (sitofp 64 x) 7d)", "(= x 7)");
    stays("(fp.lt (sitofp 32 x) 2.5f)");
    becomes("(fptofp 32 (fptofp 64 f))", "f");
    stays("(fptofp 64 (fptofp 32 p))");
    becomes("(frombits 64 (tobits p))", "p");
    stays("(tobits (frombits 64 l))");
}

#[test]
fn arrays() {
    becomes("(select (store a 1 b) 1)", "b");
    becomes("(select (store a 1 b) 2)", "(select a 2)");
    becomes("(select (store a (bvadd x 1) b) (bvadd x 2))", "(select a (bvadd x 2))");
    becomes("(select (constarray 32 b) x)", "b");
    stays("(select (store a x b) y)");
    becomes("(store (store a x b) x b2)", "(store a x b2)");
    becomes("(store a x (select a x))", "a");
    stays("(store a x (select a y))");
}

#[test]
fn multiples_divide_where_nothing_overflows() {
    // x has 32 bits: a hundred times it fits 64, and not 32.
    becomes("(bvsrem (bvmul (sext 64 x) 100:64) 10:64)", "0:64");
    becomes("(bvsdiv (bvmul (sext 64 x) 100:64) 10:64)", "(bvmul (sext 64 x) 10:64)");
    becomes("(bvurem (bvmul (zext 64 x) 100:64) 10:64)", "0:64");
    becomes("(bvudiv (bvmul (zext 64 x) 100:64) 100:64)", "(zext 64 x)");
    stays("(bvsrem (bvmul x 100) 10)");
    stays("(bvsrem (bvmul (sext 64 x) 100:64) 3:64)");
}

#[test]
fn linear_equations_keep_what_differs() {
    becomes("(= (bvadd x (bvmul y 31)) (bvadd y (bvmul x 31)))", "(= (bvmul y 2) (bvmul x 2))");
    becomes("(= (bvadd x (bvadd y z)) (bvadd z (bvmul y 2)))", "(= x y)");
    becomes("(= (bvadd (bvmul x 3) 6) (bvmul y 3))", "(= (bvadd x 2) y)");
    stays("(= (bvadd x y) (bvmul z 2))");
}
