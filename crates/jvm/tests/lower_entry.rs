//! Entries: how an exploration calls methods under test.

mod lower_common;

use jvm::entry::{Entry, entries, testable_methods};
use lower_common::{JDK, booted, compile_on};
use vm::{Outcome, Val};

const SOURCE: &str = r#"
import java.util.List;
public class Account {
    static int opened = Integer.parseInt("10");
    private int balance;
    public Account(int start) { if (start < 0) throw new IllegalArgumentException(); balance = start; opened++; }
    Account(long cents, String owner) { this((int) (cents / 100)); }
    private Account() { }
    public int withdraw(int amount) { if (amount > balance) throw new IllegalStateException(); return balance -= amount; }
    public static int count(int extra) { return opened + extra; }
    int sum(List<String> names, int... amounts) { return amounts.length; }
    private void hidden() { }
    protected int guarded() { return 1; }
    abstract static class Base { public int x() { return 1; } public abstract int y(); public Base() { } }
}
"#;

#[test]
fn methods_that_a_test_can_call() {
    let folder = compile_on(JDK, &[("Account.java", SOURCE)], &["-g"]);
    let mut jvm = lower_common::open(folder.path());
    let class = jvm.class("Account").expect("compiled");
    let names = |package_private: bool| -> Vec<String> {
        let all = testable_methods(&jvm, class, package_private);
        all.iter().map(|f| format!("{}{}", jvm.funcs[*f].name, jvm.funcs[*f].descriptor)).collect()
    };
    assert_eq!(names(false), ["<init>(I)V", "withdraw(I)I", "count(I)I"]);
    assert_eq!(
        names(true),
        [
            "<init>(I)V",
            "<init>(JLjava/lang/String;)V",
            "withdraw(I)I",
            "count(I)I",
            "sum(Ljava/util/List;[I)I",
            "guarded()I"
        ]
    );
    let base = jvm.class("Account$Base").expect("compiled");
    let x = testable_methods(&jvm, base, true);
    assert_eq!(x.len(), 1);
    assert!(entries(&mut jvm, x[0], true).is_empty(), "an abstract class has no objects of its own");
}

#[test]
fn entries_make_the_object_first_and_name_their_parameters() {
    let folder = compile_on(JDK, &[("Account.java", SOURCE)], &["-g"]);
    let mut vm = booted(JDK, folder.path());
    let class = vm.lang.class("Account").expect("compiled");
    let of = |vm: &mut vm::Vm<jvm::Jvm>, name: &str, descriptor: &str, package_private: bool| -> Vec<Entry> {
        let target = vm.lang.declared(class, name, descriptor).expect("declared");
        entries(&mut vm.lang, target, package_private)
    };
    let withdraw = of(&mut vm, "withdraw", "(I)I", true);
    let names = |entry: &Entry| entry.params.iter().map(|p| p.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&withdraw[0]), ["start", "amount"]);
    assert_eq!(names(&withdraw[1]), ["cents", "owner", "amount"]);
    assert_eq!((withdraw[0].constructor_params, withdraw[1].constructor_params), (1, 2));
    let outcome = vm.call(withdraw[0].func, &[Val::i32(50), Val::i32(8)]);
    assert_eq!(outcome, Outcome::Returned(Some(Val::i32(42))));
    let args = [Val::i64(5000), Val::ZERO, Val::i32(8)];
    assert_eq!(vm.call(withdraw[1].func, &args), Outcome::Returned(Some(Val::i32(42))));
    assert!(matches!(vm.call(withdraw[0].func, &[Val::i32(-1), Val::i32(8)]), Outcome::Threw(_)));

    // The calls in the driver: the constructor's before `target_call`, the method's at it.
    let driver = vm.lang.ir(withdraw[0].func).expect("made up");
    let call = driver.code[withdraw[0].target_call as usize];
    assert_eq!((call.op, call.a), (ir::Op::Call, withdraw[0].target.0));

    let count = of(&mut vm, "count", "(I)I", false);
    vm.start_run(Default::default());
    assert_eq!(vm.call(count[0].func, &[Val::i32(5)]), Outcome::Returned(Some(Val::i32(15))));
    let driver = vm.lang.ir(count[0].func).expect("made up");
    let call = driver.code[count[0].target_call as usize];
    assert_eq!((call.op, call.a), (ir::Op::Call, count[0].target.0));

    let constructor = of(&mut vm, "<init>", "(I)V", false);
    let Outcome::Returned(Some(object)) = vm.call(constructor[0].func, &[Val::i32(3)]) else {
        panic!("the constructor returns the object");
    };
    assert_eq!(vm.heap.class(object.as_obj()), class);
    let driver = vm.lang.ir(constructor[0].func).expect("made up");
    assert_eq!(driver.code[constructor[0].target_call as usize].a, constructor[0].target.0);

    let sum = of(&mut vm, "sum", "(Ljava/util/List;[I)I", false);
    let [_, names, amounts] = &sum[0].params[..] else { panic!("three parameters") };
    assert_eq!(names.signature.as_deref(), Some("Ljava/util/List<Ljava/lang/String;>;"));
    assert!(amounts.varargs && !names.varargs);
}
