//! Cases of a method's arguments: whether exactly one of them holds of any arguments.
//!
//! A case says of single parameters between which limits they lie, so the values next to the limits stand for all
//! others: all combinations of those are looked at.

use std::collections::BTreeMap;

use jvm::input::known::{Constant, Limit, Number, ResultCase, Rule, When};
use jvm::load::FieldType;

/// More combinations are no model that anybody reads.
const MOST: usize = 200_000;

/// A value that stands for others which no case tells apart from it.
#[derive(Clone, Debug, PartialEq)]
enum Point {
    Int(i128),
    Float(f64),
    Truth(bool),
    Null,
    Text(String),
    /// A text or array of this size that no case names.
    Sized(u32),
    /// An object that is there.
    Object,
}

/// Says which cases hold at once of some arguments, or of which none does.
pub fn check(params: &[(String, FieldType)], cases: &[ResultCase]) -> Result<(), String> {
    let rules: Vec<&BTreeMap<String, Rule>> = cases
        .iter()
        .filter_map(|case| match &case.when {
            When::Args(rules) => Some(rules),
            When::Always | When::Otherwise => None,
        })
        .collect();
    let others = cases.iter().filter(|case| case.when == When::Otherwise).count();
    if others > 1 {
        return Err("two cases are for what is left: when = \"otherwise\"".to_string());
    }
    if cases.is_empty() {
        return Err("there are no cases".to_string());
    }
    let mut asked: Vec<(&str, Vec<Point>)> = Vec::new();
    for (name, ty) in params {
        let about: Vec<&Rule> = rules.iter().filter_map(|rules| rules.get(name)).collect();
        if !about.is_empty() {
            about.iter().try_for_each(|rule| usable(name, ty, rule))?;
            asked.push((name, points(ty, &about)));
        }
    }
    let all = asked.iter().try_fold(1usize, |n, (_, points)| n.checked_mul(points.len()));
    if all.is_none_or(|all| all > MOST) {
        return Err(
            "the cases have too many limits to be checked; write a class instead (made-by)".to_string()
        );
    }
    if rules.is_empty() && others == 0 {
        return Ok(());
    }
    let mut at = vec![0; asked.len()];
    loop {
        let value = |name: &str| {
            let place = asked.iter().position(|(n, _)| *n == name)?;
            Some(&asked[place].1[at[place]])
        };
        let holds = |case: &ResultCase| match &case.when {
            When::Args(rules) => {
                rules.iter().all(|(name, rule)| value(name).is_none_or(|v| is_like(v, rule)))
            }
            When::Always => true,
            When::Otherwise => false,
        };
        let held: Vec<usize> = (0..cases.len()).filter(|i| holds(&cases[*i])).collect();
        let shown: Vec<String> =
            asked.iter().zip(&at).map(|((name, points), i)| shown(name, &points[*i])).collect();
        let shown = shown.join(", ");
        match held.as_slice() {
            [one, other, ..] => {
                return Err(format!("cases {} and {} both hold of {shown}", one + 1, other + 1));
            }
            [] if others == 0 => {
                return Err(format!("no case holds of {shown}; when = \"otherwise\" is for what is left"));
            }
            _ => {}
        }
        // The next combination.
        let Some(place) = (0..at.len()).rev().find(|i| at[*i] + 1 < asked[*i].1.len()) else { return Ok(()) };
        at[place] += 1;
        at[place + 1..].fill(0);
    }
}

/// What a case may ask of a parameter of the type.
fn usable(name: &str, ty: &FieldType, rule: &Rule) -> Result<(), String> {
    let text = matches!(ty, FieldType::Class(class) if &**class == "java/lang/String");
    let sized = text || matches!(ty, FieldType::Array(_));
    let numeric = rule.min.is_some() || rule.max.is_some();
    let wrong = match ty.is_reference() {
        _ if rule.matches.is_some() || rule.each.is_some() || !rule.types.is_empty() => {
            Some("asks for a pattern, elements or types, which cannot be checked to be disjoint")
        }
        true if numeric => Some("is no number"),
        true if rule.size.is_some() && !sized => Some("has no size that a case can ask for"),
        true if !rule.one_of.is_empty() && !text => Some("is no text"),
        false if rule.null || rule.non_null || rule.size.is_some() => Some("is a number"),
        _ => None,
    };
    wrong.map_or(Ok(()), |why| {
        Err(format!("a case of {name}: it {why}; min, max, size, one-of and null can be asked"))
    })
}

/// Values that stand for all that a type has, as far as the rules can tell them apart.
fn points(ty: &FieldType, rules: &[&Rule]) -> Vec<Point> {
    let limits = rules.iter().flat_map(|rule| [rule.min, rule.max]).flatten();
    let constants = rules.iter().flat_map(|rule| &rule.one_of);
    let mut points = Vec::new();
    match ty {
        FieldType::Boolean => return vec![Point::Truth(false), Point::Truth(true)],
        FieldType::Float | FieldType::Double => {
            let named = constants.filter_map(|constant| match constant {
                Constant::Number(number) => Some(as_float(*number)),
                _ => None,
            });
            let edges: Vec<f64> = limits.map(|limit| as_float(limit.value)).chain(named).collect();
            points.extend([f64::NEG_INFINITY, f64::INFINITY, f64::NAN].map(Point::Float));
            points.extend(edges.into_iter().flat_map(|e| [e.next_down(), e, e.next_up()]).map(Point::Float));
        }
        FieldType::Class(_) | FieldType::Array(_) => {
            points.push(Point::Null);
            let sizes = rules.iter().filter_map(|rule| rule.size);
            let mut sizes: Vec<u32> = sizes
                .flat_map(|(least, most)| [least.saturating_sub(1), least, most, most.saturating_add(1)])
                .collect();
            sizes.sort_unstable();
            sizes.dedup();
            points.extend(constants.filter_map(|constant| match constant {
                Constant::Text(text) => Some(Point::Text(text.clone())),
                _ => None,
            }));
            let texts = matches!(ty, FieldType::Class(class) if &**class == "java/lang/String");
            match sizes.is_empty() {
                true if texts => points.push(Point::Sized(u32::MAX)),
                true => points.push(Point::Object),
                false => points.extend(sizes.into_iter().map(Point::Sized)),
            }
        }
        _ => {
            let (least, most) = match ty {
                FieldType::Byte => (i8::MIN.into(), i8::MAX.into()),
                FieldType::Short => (i16::MIN.into(), i16::MAX.into()),
                FieldType::Char => (0, u16::MAX.into()),
                FieldType::Long => (i64::MIN.into(), i64::MAX.into()),
                _ => (i128::from(i32::MIN), i128::from(i32::MAX)),
            };
            let named = constants.filter_map(|constant| match constant {
                Constant::Number(Number::Int(n)) => Some(*n),
                _ => None,
            });
            let whole = |limit: Limit| match limit.value {
                Number::Int(n) => n,
                Number::Float(f) => f as i128,
            };
            let edges = limits.map(whole).chain(named).flat_map(|e| [e - 1, e, e + 1]);
            let mut all: Vec<i128> =
                edges.chain([least, most]).filter(|n| (least..=most).contains(n)).collect();
            all.sort_unstable();
            all.dedup();
            points.extend(all.into_iter().map(Point::Int));
        }
    }
    points
}

fn as_float(number: Number) -> f64 {
    match number {
        Number::Int(n) => n as f64,
        Number::Float(f) => f,
    }
}

/// Whether a value is in a case. Null is only where that is said, or nothing is.
fn is_like(point: &Point, rule: &Rule) -> bool {
    let size = |size: u32| rule.size.is_none_or(|(least, most)| (least..=most).contains(&size));
    let one_of = |is: &dyn Fn(&Constant) -> bool| rule.one_of.is_empty() || rule.one_of.iter().any(is);
    match point {
        Point::Null => rule.null || rule.is_empty(),
        _ if rule.null => false,
        Point::Object => true,
        Point::Sized(n) => size(*n) && rule.one_of.is_empty(),
        Point::Text(text) => {
            let length = text.encode_utf16().count() as u32;
            size(length) && one_of(&|c| matches!(c, Constant::Text(t) if t == text))
        }
        Point::Truth(truth) => one_of(&|c| matches!(c, Constant::Truth(t) if t == truth)),
        Point::Int(n) => {
            let min = rule.min.is_none_or(|limit| match limit.value {
                Number::Int(edge) => edge <= *n,
                Number::Float(edge) => edge <= *n as f64,
            });
            let max = rule.max.is_none_or(|limit| match limit.value {
                Number::Int(edge) => *n <= edge,
                Number::Float(edge) => *n as f64 <= edge,
            });
            min && max && one_of(&|c| matches!(c, Constant::Number(Number::Int(m)) if m == n))
        }
        Point::Float(f) => {
            let min = rule.min.is_none_or(|limit| as_float(limit.value) <= *f);
            let max = rule.max.is_none_or(|limit| *f <= as_float(limit.value));
            min && max && one_of(&|c| matches!(c, Constant::Number(m) if as_float(*m) == *f))
        }
    }
}

/// `amount = 100`.
fn shown(name: &str, point: &Point) -> String {
    match point {
        Point::Int(n) => format!("{name} = {n}"),
        Point::Float(f) => format!("{name} = {f:?}"),
        Point::Truth(truth) => format!("{name} = {truth}"),
        Point::Null => format!("{name} = null"),
        Point::Text(text) => format!("{name} = {text:?}"),
        Point::Sized(u32::MAX) => format!("{name} = some other text"),
        Point::Sized(size) => format!("{name} of size {size}"),
        Point::Object => format!("{name} that is not null"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(n: i128) -> Option<Limit> {
        Some(Limit { value: Number::Int(n), open: false })
    }

    fn case(rules: &[(&str, Rule)]) -> ResultCase {
        let rules = rules.iter().map(|(name, rule)| (name.to_string(), rule.clone())).collect();
        ResultCase { when: When::Args(rules), then: Rule::default() }
    }

    #[test]
    fn cases_that_overlap_or_leave_a_gap_are_shown_by_an_example() {
        let params = [
            ("amount".to_string(), FieldType::Int),
            ("code".to_string(), FieldType::Class("java/lang/String".into())),
        ];
        let low = |max| case(&[("amount", Rule { max: int(max), ..Rule::default() })]);
        let high = |min| case(&[("amount", Rule { min: int(min), ..Rule::default() })]);
        assert_eq!(check(&params, &[low(99), high(100)]), Ok(()));
        assert_eq!(
            check(&params, &[low(100), high(100)]).unwrap_err(),
            "cases 1 and 2 both hold of amount = 100"
        );
        let gap = check(&params, &[low(98), high(100)]).unwrap_err();
        assert!(gap.starts_with("no case holds of amount = 99;"), "{gap}");
        let text = |texts: &[&str]| Rule {
            one_of: texts.iter().map(|t| Constant::Text(t.to_string())).collect(),
            ..Rule::default()
        };
        let otherwise = ResultCase { when: When::Otherwise, then: Rule::default() };
        let euro = case(&[("code", text(&["EUR"]))]);
        assert_eq!(check(&params, &[euro.clone(), otherwise.clone()]), Ok(()));
        assert!(check(&params, std::slice::from_ref(&euro)).unwrap_err().contains("code = null"));
        let short = case(&[("code", Rule { size: Some((0, 3)), ..Rule::default() })]);
        assert!(
            check(&params, &[euro, short, otherwise])
                .unwrap_err()
                .contains("cases 1 and 2 both hold of code = \"EUR\"")
        );
        let odd = case(&[("code", Rule { matches: Some("a*".to_string()), ..Rule::default() })]);
        assert!(check(&params, &[odd]).unwrap_err().contains("cannot be checked"));
    }
}
