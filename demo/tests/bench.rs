//! `demo bench` computes what other programs compute from the same numbers, and tells how times grow.

mod program;

use program::{Outcome, demo, described, stdout_of};

/// What a workload prints on stderr and stdout, computed in double precision.
fn outcome_of(workload: &str, warmup: &str) -> Outcome<(String, String)> {
    let options = ["--dtype", "f64", "--runs", "1", "--warmup", warmup];
    let output = demo(&[&["bench", "--workload", workload], &options[..]].concat()).output()?;
    assert!(output.status.success(), "{}", described(&output));
    let [notes, line] = [output.stderr, output.stdout].map(String::from_utf8);
    Ok((notes?, line?))
}

/// The number after `label`.
fn number_after(label: &str, text: &str) -> Outcome<f64> {
    let (_, rest) = text.split_once(label).ok_or_else(|| text.to_owned())?;
    let number = rest
        .split_whitespace()
        .next()
        .ok_or_else(|| text.to_owned())?;
    Ok(number.parse()?)
}

#[test]
fn the_workloads_give_the_numbers_of_other_programs() -> Outcome {
    // PyTorch's, from the same inputs, given to ten digits.
    for (workload, expected) in [
        ("chain", 27.62813933),
        ("structural", 1.287608121),
        ("broadcast_bias", 22453.07347),
        ("softmax_xent", 8.163348764),
        ("layernorm_gelu", 208020.1264),
        ("mlp", 2.305249046),
        ("matmul", 14.07321819),
    ] {
        let (notes, line) = outcome_of(workload, "1")?;
        let value = number_after(&format!("check ours {workload} f64 "), &notes)?;
        // Half a unit of the tenth digit is up to 5e-10 of the number, and sums in another order take up to as much.
        assert!((value / expected - 1.0).abs() < 1e-9, "{workload}: {value}");
        assert_eq!(line.lines().count(), 1, "{line}");
        let cells: Vec<&str> = line.trim_end().split(',').collect();
        assert_eq!(
            (cells.len(), &cells[..3]),
            (8, &["ours", workload, "f64"][..])
        );
        let times = cells[3..6].iter().map(|cell| cell.parse::<f64>());
        assert!(
            times
                .collect::<Result<Vec<_>, _>>()?
                .iter()
                .all(|&time| time > 0.0)
        );
    }
    Ok(())
}

#[test]
fn five_training_steps_give_the_losses_of_other_programs() -> Outcome {
    let (notes, _) = outcome_of("gpt", "4")?;
    // PyTorch's, given to seven digits.
    for (step, expected) in [(2, 3.970552), (5, 3.494025)] {
        let loss = number_after(&format!("loss at step {step}: "), &notes)?;
        assert!((loss - expected).abs() <= 0.5e-6, "step {step}: {loss}");
    }
    Ok(())
}

#[test]
fn the_tables_of_scaling_have_a_row_for_every_size_that_is_wanted() -> Outcome {
    let text = stdout_of(&["bench", "--scaling", "--largest", "64", "--dtype", "f64"])?;
    let first_cells = text
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    // The chain and the product begin at 1000; attention and the layer at 64.
    assert_eq!(
        first_cells.collect::<Vec<_>>(),
        [
            "ns", "nodes", "ns", "elements", "ns", "tokens", "64", "ns", "tokens", "64"
        ],
        "{text}"
    );
    Ok(())
}

#[test]
fn a_workload_and_the_tables_are_not_asked_for_together() -> Outcome {
    for option in [&["--scaling"][..], &["--largest", "9"], &["--memory", "9"]] {
        let arguments = [&["bench", "--workload", "chain"], option].concat();
        let output = demo(&arguments).output()?;
        assert_eq!(output.status.code(), Some(2), "{}", described(&output));
    }
    Ok(())
}
