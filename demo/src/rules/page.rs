//! The registry as a page: every rule with its formula, what it saves, and what its check came to.

use std::collections::BTreeMap;

use autodiff_core::report::{Markup, page, text};
use autodiff_core::rule::{CaseKind, Vjp};
use autodiff_ops::prelude::*;
use maud::html;

use super::kind;
use super::verification::{PASSED, Verification, VerifiedElement, VerifiedRule};
use crate::DemoError;

/// Shows every registered rule, by family, and what its verification came to.
///
/// # Errors
/// [`DemoError::Registry`].
pub(super) fn registry_page(verification: &Verification) -> Result<String, DemoError> {
    let rules = Registry::global()?.rules();
    let verified: BTreeMap<&str, &VerifiedRule> = verification
        .rules
        .iter()
        .map(|rule| (rule.path, rule))
        .collect();
    let mut families: BTreeMap<&str, Vec<(&Rule, Option<&VerifiedRule>)>> = BTreeMap::new();
    for &rule in rules {
        let evidence = verified.get(rule.operation.path()).copied();
        families
            .entry(family(rule))
            .or_default()
            .push((rule, evidence));
    }
    let totals = &verification.totals;
    let content = html! {
        h1 { "Registered rules" }
        p class="lede" {
            (rules.len()) " rules in this program. Each was verified for this page as " code { "demo rules --verify" }
            " does it, from seed " (verification.seed) ": " (totals.checked) " hold, and of " (totals.faults_planted)
            " faults planted into their contributions " (totals.faults_caught)
            " were caught. An error is given as a part of its tolerance: a check fails above 1."
        }
        @if !verification.gaps.is_empty() {
            div class="stop" {
                @for gap in &verification.gaps { p { "✕ " (text::plain(gap)) } }
            }
        }
        p data-scripted hidden {
            label { "Search " input type="search" data-filter="article.rule"; }
        }
        nav aria-label="Rules by family" {
            dl class="index" {
                @for (family, rules) in &families {
                    dt { (family) }
                    dd {
                        @for (rule, _) in rules {
                            a href={ "#" (rule.operation.id()) } { (function(rule)) } " "
                        }
                    }
                }
            }
        }
        @for (family, rules) in &families {
            section aria-labelledby={ "family-" (family) } {
                h2 id={ "family-" (family) } { (family) }
                @for (rule, evidence) in rules { (entry(rule, *evidence)) }
            }
        }
    };
    Ok(page("Registered rules", &content))
}

/// The module below the crate: `elementwise` of `autodiff_ops::elementwise::power::sqrt`.
fn family(rule: &Rule) -> &'static str {
    let path = rule.operation.path();
    path.split("::").nth(1).unwrap_or(path)
}

/// What a call is written with; names that people see need not differ.
fn function(rule: &Rule) -> &'static str {
    let path = rule.operation.path();
    path.rsplit("::").next().unwrap_or(path)
}

/// A path that may be broken after each of its parts.
fn broken(path: &str) -> Markup {
    html! {
        @for (position, part) in path.split("::").enumerate() {
            @if position > 0 { "::" wbr; }
            (text::plain(part))
        }
    }
}

/// The parts of a declaration's comment: what stands before the first heading, then each heading's text.
fn parts(docs: &str) -> Vec<(&str, String)> {
    let mut parts = vec![("", String::new())];
    for line in docs.lines().map(str::trim) {
        match (line.strip_prefix("# "), parts.last_mut()) {
            (Some(heading), _) => parts.push((heading, String::new())),
            (None, Some((_, text))) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    parts
}

fn entry(rule: &Rule, evidence: Option<&VerifiedRule>) -> Markup {
    let parts = parts(rule.docs);
    let part = |heading: &str| {
        let found = parts.iter().find(|part| part.0 == heading);
        found.map_or("", |part| part.1.trim())
    };
    let conventions = rule.conventions();
    let begins_convention = |line: &str| conventions.iter().any(|whole| whole.starts_with(line));
    html! {
        article class="rule" id=(rule.operation.id()) {
            h3 { (text::plain(rule.operation.name())) " " code class="quiet" { (broken(rule.operation.path())) } }
            @for paragraph in part("").split("\n\n") {
                // From there to its end, a paragraph states conventions.
                @let lines = paragraph.trim().lines().take_while(|line| !begins_convention(line));
                @let words = lines.collect::<Vec<_>>().join("\n");
                @if !words.is_empty() { p { (inline(&words)) } }
            }
            dl {
                @for heading in ["Shapes", "VJP"] {
                    @if !part(heading).is_empty() { dt { (heading) } dd class="words" { (inline(part(heading))) } }
                }
                dt { "operands" }
                dd class="words" {
                    @for parameter in rule.parameters {
                        code { (parameter.name) ": " (parameter.type_text) } " " span class="quiet" { (kind(parameter.kind)) } br;
                    }
                }
                @for vjp in rule.vjps { (reverse_map(vjp)) }
                dt { "conventions" }
                dd class="words" {
                    @if conventions.is_empty() { "none is stated" }
                    @for convention in &conventions { (inline(convention)) br; }
                }
                dt { "domain" }
                dd class="words" {
                    @if part("Errors").is_empty() { "no restriction is stated" } @else { (inline(part("Errors"))) }
                }
                dt { "cases" }
                dd { @for case in rule.cases { (text::plain(case.text)) (skipped(case.kind)) br; } }
                dt { "declared at" } dd { (rule.location()) }
                dt { "ID" } dd { (rule.operation.id()) }
            }
            @if let Some(evidence) = evidence { (outcome(evidence)) }
        }
    }
}

fn reverse_map(vjp: &Vjp) -> Markup {
    html! {
        dt { "reverse of " (vjp.operands.join(", ")) }
        dd class="words" {
            (inline(vjp.words)) br;
            span class="quiet" { "saves " }
            @if vjp.saved.is_empty() { "nothing" }
            @for (position, saved) in vjp.saved.iter().enumerate() {
                @if position > 0 { ", " }
                code { (saved.name) ": " (saved.type_text) }
            }
        }
    }
}

fn skipped(kind: CaseKind) -> Markup {
    html! {
        @if let CaseKind::Skipped { reason } = kind { " (not checked: " (text::plain(reason)) ")" }
    }
}

/// What the check came to: per element type, with the check that came closest to failing.
fn outcome(evidence: &VerifiedRule) -> Markup {
    let holds = evidence.elements.iter().all(|element| element.holds);
    html! {
        table class="checks" {
            caption { @if holds { "✓ holds" } @else { "✕ does not hold" } }
            thead { tr {
                th scope="col" { "element" } th scope="col" class="n" { "draws" }
                th scope="col" class="n" { "worst error" } th scope="col" class="n" { "faults caught" }
            } }
            tbody {
                @for element in &evidence.elements {
                    tr {
                        th scope="row" { (element.element) }
                        td class="n" { (element.draws) }
                        td class="n" { (worst(element)) }
                        td class="n" { (element.faults_caught) " of " (element.faults_planted) }
                    }
                    @if let Some(failure) = &element.failure {
                        tr { td colspan="4" { "✕ " (text::plain(failure)) } }
                    }
                }
            }
        }
    }
}

fn worst(element: &VerifiedElement) -> Markup {
    let passed = element
        .checks
        .iter()
        .filter(|check| check.verdict == PASSED);
    let worst = passed.max_by(|left, right| left.worst.total_cmp(&right.worst));
    html! {
        @match worst {
            Some(check) if check.worst > 0.0 => {
                (text::significant(check.worst, 2)) br;
                span class="quiet" { (check.check) }
            }
            Some(_) => { "0" }
            None => { "nothing applied" }
        }
    }
}

/// A comment's text with its code; a link to another item is its name.
fn inline(words: &str) -> Markup {
    let parts: Vec<&str> = words.split('`').collect();
    let is_link = |code: usize| {
        let around = [code.checked_sub(1), code.checked_add(1)];
        let [before, after] = around.map(|place| place.and_then(|place| parts.get(place)));
        before.is_some_and(|before| before.ends_with('['))
            && after.is_some_and(|after| after.starts_with(']'))
    };
    html! {
        @for (position, part) in parts.iter().enumerate() {
            @if position % 2 == 1 { code { (text::plain(part)) } }
            @else {
                @let part = if position > 0 && is_link(position - 1) { part.trim_start_matches(']') } else { part };
                @let part = if is_link(position + 1) { part.trim_end_matches('[') } else { part };
                (emphasised(&part.replace('\n', " ")))
            }
        }
    }
}

/// A text with the words between asterisks emphasised; one without a partner is an asterisk.
fn emphasised(words: &str) -> Markup {
    let parts: Vec<&str> = words.split('*').collect();
    html! {
        @if parts.len().is_multiple_of(2) { (text::plain(words)) }
        @else {
            @for (position, part) in parts.into_iter().enumerate() {
                @if !position.is_multiple_of(2) { em { (text::plain(part)) } } @else { (text::plain(part)) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_is_taken_apart_at_its_headings() {
        let parts =
            parts(" The square: `y = x²`.\n\n # Shapes\n `x: S -> y: S`\n # VJP\n `2 ȳ x`.");
        let headings: Vec<&str> = parts.iter().map(|part| part.0).collect();
        assert_eq!(headings, ["", "Shapes", "VJP"]);
        assert_eq!(parts[1].1.trim(), "`x: S -> y: S`");
    }

    #[test]
    fn code_in_a_comment_is_code_and_escaped() {
        assert_eq!(
            inline("a `b < c` d").into_string(),
            "a <code>b &lt; c</code> d"
        );
    }
}
