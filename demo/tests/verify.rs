//! Verification passes on both reference models and fails where a single number is wrong.

mod program;

use std::fs;

use program::{Outcome, demo, described, fixture, folder, stdout_of, text_of};

#[test]
fn the_gpt_reference_holds_in_both_precisions() -> Outcome {
    for dtype in ["f64", "f32"] {
        let text = stdout_of(&[
            "verify",
            "--fixture",
            &fixture("gpt_tiny.json"),
            "--dtype",
            dtype,
        ])?;
        assert_eq!(
            text.matches("\nAdamW: parameters after step").count(),
            4,
            "{text}"
        );
        assert!(
            text.contains("\nAdamW, clipped without eps: losses of 10 steps"),
            "{text}"
        );
        let parameters = text
            .lines()
            .filter(|line| line.starts_with(['w', 'h', 'l']) && line.contains('['));
        assert_eq!(parameters.count(), 29, "{text}");
    }
    Ok(())
}

#[test]
fn the_llama_reference_holds_in_both_precisions() -> Outcome {
    for dtype in ["f64", "f32"] {
        let text = stdout_of(&[
            "verify",
            "--fixture",
            &fixture("llama_tiny.json"),
            "--dtype",
            dtype,
        ])?;
        assert_eq!(
            text.matches("\nAdamW: parameters after step").count(),
            4,
            "{text}"
        );
        assert_eq!(text.matches("\nlayers.").count(), 18, "{text}");
    }
    Ok(())
}

#[test]
fn small_models_of_both_families_hold() -> Outcome {
    for seed in ["1", "2", "3"] {
        let text = stdout_of(&["verify", "--seed", seed])?;
        assert!(text.contains("a small gpt model") && text.contains("a small llama model"));
    }
    Ok(())
}

#[test]
fn one_wrong_number_fails_the_verification() -> Outcome {
    let folder = folder("wrong")?;
    for family in ["gpt", "llama"] {
        let name = format!("{family}_tiny.safetensors");
        fs::copy(fixture(&name), folder.join(&name))?;
        let original = fs::read_to_string(fixture(&format!("{family}_tiny.json")))?;
        let numbers: serde_json::Value = serde_json::from_str(&original)?;
        for (place, row) in [
            ("/loss", "loss "),
            ("/logits/values/7", "logits "),
            ("/gradients/3/values/2", ""),
            ("/grad_global_norm", "gradient norm"),
            ("/adamw/losses/9", "AdamW: losses"),
            (
                "/adamw/snapshots/2/4/first",
                "AdamW: parameters after step 2",
            ),
            (
                "/adamw_clipped/grad_norms/3",
                "AdamW, clipped: gradient norms",
            ),
            (
                "/adamw_clipped_no_eps/losses/10",
                "AdamW, clipped without eps: losses",
            ),
        ] {
            let mut wrong = numbers.clone();
            let number = wrong.pointer_mut(place).ok_or(place)?;
            *number = (number.as_f64().ok_or(place)? + 1e-8).into();
            let path = folder.join("wrong.json");
            fs::write(&path, wrong.to_string())?;
            let output = demo(&["verify", "--fixture", &text_of(&path)]).output()?;
            assert_eq!(
                output.status.code(),
                Some(1),
                "{place}: {}",
                described(&output)
            );
            let text = String::from_utf8(output.stdout)?;
            let failed: Vec<&str> = text
                .lines()
                .filter(|line| line.ends_with("FAILED"))
                .collect();
            assert_eq!(failed.len(), 1, "{place}: {text}");
            assert!(failed[0].starts_with(row), "{place}: {failed:?}");
            let expected = "comparisons failed\n";
            assert!(String::from_utf8(output.stderr)?.ends_with(expected));
        }
    }
    Ok(())
}
