//! Pages, pictures and documents that the program writes: complete, self-contained, and the same every time.

mod program;

use std::fs;
use std::path::Path;

use autodiff_core::report::{Document, SavedValueRecord};
use program::{Outcome, demo, folder, refusal_of, stdout_of, text_of};

/// What a command writes into a file of this name.
fn written(folder: &Path, name: &str, arguments: &[&str]) -> Outcome<String> {
    let path = folder.join(name);
    let mut all = arguments.to_vec();
    let path_text = text_of(&path);
    all.push(&path_text);
    stdout_of(&all)?;
    Ok(fs::read_to_string(&path)?)
}

#[test]
fn the_ledger_of_the_worked_example_has_eight_rows_with_the_numbers_of_the_document() -> Outcome {
    let folder = folder("worked")?;
    let json = written(&folder, "worked.json", &["report", "--json"])?;
    let document = Document::decode(json.as_bytes())?;
    assert_eq!(document.encode()?, json);
    let pass = &document.passes[0];
    let rows: Vec<String> = pass
        .edges
        .iter()
        .map(|edge| {
            let values: Vec<f64> = edge
                .contribution
                .values
                .iter()
                .map(|value| value.0)
                .collect();
            let ends = [edge.child, edge.operand, edge.parent];
            let name = |node: usize| &pass.nodes[node].operation.name;
            format!(
                "{ends:?} {} {} {values:?}",
                name(edge.child),
                name(edge.parent)
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            "[7, 0, 6] mean multiply [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]",
            "[6, 0, 5] multiply add [2.0, 2.0, 5.0, 6.0, 6.0, 12.0]",
            "[6, 1, 5] multiply add [2.0, 2.0, 5.0, 6.0, 6.0, 12.0]",
            "[5, 0, 2] add transpose [4.0, 4.0, 10.0, 12.0, 12.0, 24.0]",
            "[5, 1, 4] add broadcast [4.0, 4.0, 10.0, 12.0, 12.0, 24.0]",
            "[4, 0, 3] broadcast parameter [16.0, 16.0, 34.0]",
            "[2, 0, 1] transpose reshape [4.0, 12.0, 4.0, 12.0, 10.0, 24.0]",
            "[1, 0, 0] reshape parameter [4.0, 12.0, 4.0, 12.0, 10.0, 24.0]",
        ]
    );
    let plan = |edge: usize, name: &str| {
        let field = pass.edges[edge]
            .saved
            .iter()
            .find(|field| field.name == name);
        match field.map(|field| &field.value) {
            Some(SavedValueRecord::Projection(plan)) => {
                Some((plan.strides.clone(), plan.offsets.clone()))
            }
            _ => None,
        }
    };
    assert_eq!(plan(0, "plan"), Some((vec![1, 0], vec![0, 0, 0, 1, 1, 1])));
    assert_eq!(plan(5, "fit"), Some((vec![0, 1], vec![0, 1, 2, 0, 1, 2])));

    let page = written(&folder, "worked.html", &["report", "--out"])?;
    assert_eq!(page.matches("<div id=\"p0-e").count(), 8);
    assert_eq!(page.matches("<a class=\"edge\"").count(), 8);
    for text in [
        "<dt>reads through</dt><dd>strides [1, 0], offsets [0, 0, 0, 1, 1, 1]</dd>",
        "<dt>writes through</dt><dd>strides [0, 1], offsets [0, 1, 2, 0, 1, 2]</dd>",
        "GraphReleased",
        "SeedShapeMismatch",
        "NonFiniteSeed",
        "NonFiniteAccumulatedGradient",
    ] {
        assert!(page.contains(text), "{text}");
    }
    // Every refusal left everything as it was, and every state is that of the printed example.
    assert_eq!(
        page.matches("✓ nothing changed").count(),
        document.rejections.len()
    );
    assert!(!page.contains("something changed"));
    let gradients = document.events.iter().map(|event| {
        let gradient = event.states[0].gradient.as_ref();
        gradient.map(|gradient| gradient.values.iter().map(|value| value.0).sum::<f64>())
    });
    let once = 4.0 + 12.0 + 4.0 + 12.0 + 10.0 + 24.0;
    assert_eq!(
        gradients.collect::<Vec<_>>(),
        [
            Some(once),
            Some(2.0 * once),
            Some(0.0),
            Some(once),
            Some(4.0 + 6.0)
        ]
    );
    Ok(())
}

#[test]
fn a_page_refers_to_nothing_outside_itself() -> Outcome {
    let folder = folder("outside")?;
    for arguments in [
        &["report", "--out"][..],
        &["report", "--model", "gpt", "--out"],
        &["rules", "--html"],
    ] {
        let page = written(&folder, "page.html", arguments)?;
        for outside in ["://", "src=", "@import", "url("] {
            assert!(!page.contains(outside), "{arguments:?}: {outside}");
        }
        assert!(page.contains("default-src 'none'"));
    }
    Ok(())
}

#[test]
fn the_committed_pictures_are_those_that_the_program_draws() -> Outcome {
    let drawn = folder("figures")?;
    stdout_of(&["report", "--figures", &text_of(&drawn)])?;
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("figures");
    for name in demo::report::FIGURES {
        let [drawn, committed] =
            [&drawn, &committed].map(|folder| fs::read_to_string(folder.join(name)));
        assert!(
            drawn? == committed?,
            "{name} is stale: `cargo run -p demo -- report --figures demo/figures` draws it again"
        );
    }
    Ok(())
}

#[test]
fn the_step_of_a_model_names_every_parameter_and_where_the_memory_goes() -> Outcome {
    let folder = folder("model")?;
    for (family, parameter, operation) in [
        ("gpt", "h.1.mlp.c_fc.weight", "gelu"),
        ("llama", "layers.1.ffn.w_gate", "silu"),
    ] {
        let page = written(
            &folder,
            "model.html",
            &["report", "--model", family, "--out"],
        )?;
        assert!(page.contains(&format!(">{parameter}</a>")), "{parameter}");
        assert!(
            page.contains(&format!("<th scope=\"row\">{operation}<")),
            "{operation}"
        );
        assert!(page.contains("None is dead"));
        assert_eq!(
            written(
                &folder,
                "again.html",
                &["report", "--model", family, "--out"]
            )?,
            page
        );
    }
    Ok(())
}

#[test]
fn parameters_that_receive_only_zeros_are_marked_as_dead() -> Outcome {
    let folder = folder("dead")?;
    let page = written(
        &folder,
        "dead.html",
        &["report", "--model", "gpt", "--scale", "0", "--out"],
    )?;
    // Through matrices of zeros nothing comes back to any of them.
    let count = page.matches("✕ dead").count();
    assert!(page.contains(&format!(
        "{count} parameters were reached. {count} are dead"
    )));
    assert!(count > 0);
    Ok(())
}

#[test]
fn a_step_that_overflows_is_reported_with_its_source() -> Outcome {
    let folder = folder("overflow")?;
    let page = written(
        &folder,
        "stopped.html",
        &["report", "--model", "gpt", "--scale", "1e25", "--out"],
    )?;
    assert!(page.contains("Stopped: the forward pass"));
    assert!(
        page.contains("Source: operation autodiff_ops::nn::"),
        "{page}"
    );
    Ok(())
}

#[test]
fn a_place_that_cannot_be_written_is_refused_before_any_work() -> Outcome {
    let folder = folder("unwritable")?;
    let good = text_of(&folder.join("good.html"));
    fs::write(&good, "what stood there")?;
    for bad in [text_of(&folder), text_of(&folder.join("missing/page.html"))] {
        let refusal = refusal_of(&["report", "--out", &good, "--json", &bad])?;
        assert!(
            refusal.starts_with(&format!("demo: cannot write {bad}")),
            "{refusal}"
        );
        refusal_of(&["rules", "--html", &bad])?;
        // Nothing is left of what could have been written, and nothing is lost.
        assert_eq!(fs::read_to_string(&good)?, "what stood there");
        assert_eq!(fs::read_dir(&folder)?.count(), 1);
    }
    Ok(())
}

#[test]
fn impossible_options_are_refused() -> Outcome {
    assert_eq!(demo(&["report"]).output()?.status.code(), Some(2));
    let page = text_of(&folder("options")?.join("page.html"));
    let refusal = refusal_of(&["report", "--model", "gpt", "--scale", "inf", "--out", &page])?;
    assert_eq!(refusal, "demo: scale must be finite, got inf");
    for scale in ["--scale=1e39", "--scale=-1e39"] {
        let arguments = ["report", "--model", "llama", scale, "--out", &page];
        let refusal = refusal_of(&arguments)?;
        assert!(
            refusal.starts_with("demo: scale must be finite in f32, got "),
            "{scale}: {refusal}"
        );
    }
    // A model without a place to write to would be work for nothing.
    let output = demo(&["report", "--model", "gpt"]).output()?;
    assert_eq!(output.status.code(), Some(2));
    assert!(!Path::new(&page).exists());
    Ok(())
}

#[test]
fn the_registry_page_has_every_rule_and_all_of_them_hold() -> Outcome {
    let page = written(&folder("rules")?, "rules.html", &["rules", "--html"])?;
    let listing = stdout_of(&["rules"])?;
    let count = page.matches("<article class=\"rule\"").count();
    assert!(listing.ends_with(&format!("\n{count} rules\n")), "{count}");
    assert!(page.contains(&format!(": {count} hold, and of ")));
    assert_eq!(page.matches("✓ holds").count(), count);
    for text in [
        "<code class=\"quiet\">autodiff_ops::<wbr>elementwise::<wbr>arithmetic::<wbr>mul</code>",
        "<code>x̄ = ȳ / (2 y)</code>",
        "worst error",
    ] {
        assert!(page.contains(text), "{text}");
    }
    Ok(())
}

#[test]
fn the_step_that_comes_next_has_the_numbers_that_the_resumed_run_has_there() -> Outcome {
    let folder = folder("next_step")?;
    for (family, dtype) in [("gpt", "f32"), ("llama", "f64")] {
        let out = folder.join(family);
        let out_text = text_of(&out);
        let start = [
            "train", "--out", &out_text, "--arch", family, "--dtype", dtype,
        ];
        let sizes = [
            "--steps",
            "6",
            "--batch",
            "2",
            "--block",
            "8",
            "--stop-at",
            "4",
        ];
        stdout_of(&[&start[..], &sizes].concat())?;
        let checkpoint = out.join("checkpoint.safetensors");
        let stored = fs::read(&checkpoint)?;
        let arguments = ["report", "--checkpoint", &out_text, "--json"];
        let json = written(&folder, "next.json", &arguments)?;
        let target = text_of(&checkpoint);
        refusal_of(&["report", "--checkpoint", &out_text, "--out", &target])?;
        assert!(fs::read(&checkpoint)? == stored);

        let document = Document::decode(json.as_bytes())?;
        let nodes = &document.passes[0].nodes;
        let loss = nodes.last().and_then(|node| node.value.as_ref());
        let norms = nodes
            .iter()
            .filter_map(|node| node.gradient.as_ref()?.statistics.as_ref());
        let norm = norms.map(|of| of.norm.0 * of.norm.0).sum::<f64>().sqrt();

        stdout_of(&["train", "--resume", "--out", &out_text])?;
        let metrics = fs::read_to_string(out.join("metrics.csv"))?;
        let row: Vec<&str> = metrics
            .lines()
            .nth(5)
            .map_or(Vec::new(), |row| row.split(',').collect());
        assert_eq!(row[0], "5");
        assert_eq!(loss.map(|loss| loss.values[0].0), Some(row[1].parse()?));
        // Of f32 gradients both norms are sums in f64, in another order.
        let expected: f64 = row[4].parse()?;
        assert!(
            (norm - expected).abs() <= 1e-6 * expected,
            "{norm} {expected}"
        );
    }
    let missing = text_of(&folder.join("missing"));
    let page = text_of(&folder.join("page.html"));
    let refusal = refusal_of(&["report", "--checkpoint", &missing, "--out", &page])?;
    assert_eq!(
        refusal,
        format!("demo: there is no checkpoint in {missing}")
    );
    assert!(!Path::new(&page).exists());
    Ok(())
}

#[test]
fn a_run_leaves_its_page_with_every_step_also_after_a_resume() -> Outcome {
    let out = folder("run")?.join("out");
    let out_text = text_of(&out);
    let mut all = vec![
        "train", "--out", &out_text, "--steps", "8", "--batch", "2", "--block", "8",
    ];
    all.extend(["--validate-every", "4", "--stop-at", "5"]);
    stdout_of(&all)?;
    let page = fs::read_to_string(out.join("report.html"))?;
    assert!(
        page.contains("<th scope=\"row\">5</th>") && !page.contains("<th scope=\"row\">6</th>")
    );
    stdout_of(&["train", "--resume", "--out", &out_text])?;
    let page = fs::read_to_string(out.join("report.html"))?;
    assert!((1..=8).all(|step| page.contains(&format!("<th scope=\"row\">{step}</th>"))));
    assert_eq!(page.matches("<figure class=\"chart\"").count(), 4);
    assert_eq!(page.matches("valid. ").count(), 2);
    assert!(!out.join("report.html.unfinished").exists());
    Ok(())
}
