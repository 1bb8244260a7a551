//! Texts of dates and times, for code that reads them: of the patterns that stand in it, and of the standard forms that
//! `parse` of `java.time` takes. No search spells them soon.

/// Two moments: year, day of the week.
const MOMENTS: [(u32, &str, &str); 2] = [(2031, "Mon", "Monday"), (1950, "Fri", "Friday")];

/// Texts that a pattern of `SimpleDateFormat` or `DateTimeFormatter` describes; none if the text is no such pattern.
pub(super) fn of_pattern(pattern: &str) -> Vec<String> {
    let has = |part: &str| pattern.contains(part);
    let is_date = (has("yy") || has("uu")) && has("M") || (has("H") || has("h")) && has("mm");
    if !is_date {
        return Vec::new();
    }
    MOMENTS.iter().filter_map(|moment| written(pattern, *moment)).collect()
}

fn written(pattern: &str, (year, day, weekday): (u32, &str, &str)) -> Option<String> {
    let mut out = String::new();
    let mut rest = pattern.chars().peekable();
    while let Some(letter) = rest.next() {
        if letter == '\'' {
            // Quoted text; two quotes are one.
            let mut quoted = 0;
            for c in rest.by_ref().take_while(|c| *c != '\'') {
                out.push(c);
                quoted += 1;
            }
            if quoted == 0 {
                out.push('\'');
            }
            continue;
        }
        if !letter.is_ascii_alphabetic() {
            out.push(letter);
            continue;
        }
        let mut count = 1;
        while rest.next_if_eq(&letter).is_some() {
            count += 1;
        }
        let padded = |value: u32| format!("{value:0count$}");
        match letter {
            'G' => out.push_str("AD"),
            'y' | 'u' if count == 2 => out.push_str(&format!("{:02}", year % 100)),
            'y' | 'u' => out.push_str(&padded(year)),
            'M' | 'L' if count >= 4 => out.push_str("February"),
            'M' | 'L' if count == 3 => out.push_str("Feb"),
            'M' | 'L' => out.push_str(&padded(2)),
            'd' => out.push_str(&padded(3)),
            'E' if count >= 4 => out.push_str(weekday),
            'E' => out.push_str(day),
            'a' => out.push_str("PM"),
            'H' | 'k' => out.push_str(&padded(16)),
            'h' | 'K' => out.push_str(&padded(4)),
            'm' => out.push_str(&padded(5)),
            's' => out.push_str(&padded(6)),
            'S' => out.push_str(&padded(7)),
            'X' => out.push('Z'),
            'x' if count == 3 => out.push_str("+00:00"),
            'x' | 'Z' => out.push_str("+0000"),
            'z' | 'V' => out.push_str("UTC"),
            _ => return None,
        }
    }
    Some(out)
}

/// Texts that a static method of the library reads.
pub(super) fn of_parser(class: &str, method: &str) -> &'static [&'static str] {
    if method != "parse" {
        return &[];
    }
    match class {
        "java/time/LocalDate" => &["2031-02-03", "1950-02-03"],
        "java/time/LocalTime" => &["16:05:06", "04:05"],
        "java/time/LocalDateTime" => &["2031-02-03T16:05:06", "1950-02-03T04:05"],
        "java/time/Instant" => &["2031-02-03T16:05:06Z", "1950-02-03T04:05:06Z"],
        "java/time/OffsetDateTime" | "java/time/ZonedDateTime" => {
            &["2031-02-03T16:05:06+01:00", "1950-02-03T04:05:06Z"]
        }
        "java/time/Duration" => &["PT1H2M3S", "-PT5M", "P2D"],
        "java/time/Period" => &["P1Y2M3D", "P-1D"],
        "java/time/YearMonth" => &["2031-02", "1950-02"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::of_pattern;

    #[test]
    fn patterns_are_written_as_dates() {
        assert_eq!(of_pattern("yyyy-MM-dd"), ["2031-02-03", "1950-02-03"]);
        assert_eq!(
            of_pattern("EEE, d MMM yy 'at' h:mm a"),
            ["Mon, 3 Feb 31 at 4:05 PM", "Fri, 3 Feb 50 at 4:05 PM"]
        );
        assert_eq!(of_pattern("HH:mm"), ["16:05", "16:05"]);
        for other in ["summary", "yyyy", "My mummy", "Hm, my", ""] {
            assert_eq!(of_pattern(other), Vec::<String>::new(), "{other}");
        }
    }
}
