//! The verification of the rules: nothing is missing, and the document says what the table says.

mod program;

use std::fs;

use program::{Outcome, demo, described, folder, stdout_of, text_of};
use serde_json::Value;

#[test]
fn every_registered_rule_is_checked_and_dispatched_and_every_planted_fault_is_caught() -> Outcome {
    let file = folder("rules")?.join("verification.json");
    let text = stdout_of(&["rules", "--verify", "--json", &text_of(&file)])?;
    let document: Value = serde_json::from_str(&fs::read_to_string(file)?)?;
    assert_eq!(document["schema"], "autodiff.verification/1");
    assert_eq!(document["gaps"], Value::Array(Vec::new()));

    let totals = &document["totals"];
    let count = |name: &str| totals[name].as_u64().unwrap_or_default();
    let rules = document["rules"].as_array().map_or(0, Vec::len) as u64;
    assert!(rules > 70, "{rules}");
    assert_eq!(
        ["registered", "checked", "dispatched"].map(count),
        [rules; 3]
    );
    assert!(count("faults_planted") > 10 * rules, "{totals}");
    assert_eq!(count("faults_planted"), count("faults_caught"));
    assert_eq!((count("honest_runs") % 5, count("false_alarms")), (0, 0));
    assert!(
        text.contains(&format!(
            "{rules} rules registered, {rules} checked, {rules} dispatched"
        )),
        "{text}"
    );
    for element in document["rules"][0]["elements"]
        .as_array()
        .into_iter()
        .flatten()
    {
        assert_eq!(element["holds"], true);
        assert!(
            element["checks"]
                .as_array()
                .is_some_and(|checks| checks.len() > 5)
        );
    }
    Ok(())
}

#[test]
fn a_document_without_a_verification_is_refused() -> Outcome {
    let folder = folder("unverified")?;
    let [json, page] = ["a.json", "a.html"].map(|name| text_of(&folder.join(name)));
    for others in [&[][..], &["--html", &page], &["multiply"]] {
        let output = demo(&[&["rules", "--json", &json], others].concat()).output()?;
        assert_eq!(output.status.code(), Some(2), "{}", described(&output));
        assert!(String::from_utf8(output.stderr)?.contains("--json"));
        assert_eq!(fs::read_dir(&folder)?.count(), 0);
    }
    Ok(())
}

#[test]
fn a_page_is_of_the_seed_that_is_set_and_shows_a_convention_with_all_of_its_lines() -> Outcome {
    let page = folder("conventions")?.join("rules.html");
    let mut command = demo(&["rules", "--html", &text_of(&page)]);
    let output = command.env("AUTODIFF_SEED", "7").output()?;
    assert!(output.status.success(), "{}", described(&output));
    let page = fs::read_to_string(page)?;
    assert_eq!(page.matches("from seed 7:").count(), 1);
    let whole = "and for <code>base &lt; 0</code> it does not exist: <code>NonFiniteVjp</code> where the exponent \
                 is tracked, unless the upstream is 0.";
    assert_eq!(page.matches(whole).count(), 1);
    Ok(())
}
