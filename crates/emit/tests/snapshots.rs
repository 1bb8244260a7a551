//! What the emitted classes look like. Read the diff before accepting it: users read this text.

mod samples;

use emit::java::{Framework, Options, render};

fn check(framework: Framework, release: u16, suffix: &str) {
    for (name, file) in samples::all() {
        let rendered = render(&file, Options { framework, release });
        assert_eq!(rendered, render(&file, Options { framework, release }), "same input, same bytes");
        // Huge literals are tested by the runner's tests; here they would only bury the rest.
        let text: String = rendered
            .text
            .split_inclusive('\n')
            .filter(|line| !line.contains("xy\\u0000") && !line.trim_start().starts_with("array["))
            .collect();
        insta::assert_snapshot!(format!("{name}_{suffix}"), text);
    }
}

#[test]
fn junit5() {
    check(Framework::Junit5, 17, "junit5");
}

#[test]
fn junit4() {
    check(Framework::Junit4, 8, "junit4");
}

#[test]
fn lines_are_short_and_spans_hold_their_case() {
    for (_, file) in samples::all() {
        let rendered = render(&file, Options { framework: Framework::Junit5, release: 17 });
        let lines: Vec<&str> = rendered.text.lines().collect();
        assert!(
            lines.iter().all(|line| line.len() <= 110),
            "{:?}",
            lines.iter().find(|line| line.len() > 110)
        );
        assert_eq!(rendered.spans.len(), file.cases.len());
        for span in &rendered.spans {
            let own = &lines[span.first - 1..span.last];
            assert!(own.iter().any(|line| line.contains(&format!("void {}()", span.case))), "{}", span.case);
            assert_eq!(own.iter().filter(|line| line.contains("@Test")).count(), 1, "{}", span.case);
        }
    }
}

#[test]
fn the_first_line_marks_the_file_as_ours() {
    let (_, file) = samples::all().remove(0);
    let rendered = render(&file, Options { framework: Framework::Junit4, release: 8 });
    assert_eq!(emit::write::permission(Some(rendered.text.as_bytes())), emit::write::Permission::Replace);
}
