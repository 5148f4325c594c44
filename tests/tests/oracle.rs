//! Every reference case, forward and back, in `f64` and, where its inputs are exact there, in `f32`.
//!
//! Cases are read from `fixtures/ops.json` or, where `AUTODIFF_ORACLE_DIR` is set, from every `*ops.json`
//! of that folder. A case that names an operation without a dispatch fails.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use autodiff_core::Element;
use libtest_mimic::{Arguments, Failed, Trial};
use tests::oracle::{Case, Fault, read_cases, run};

/// The reference programs agree with each other to 2e-13, which leaves room for another order of summation.
const F64_TOLERANCE: f64 = 1e-12;

/// About 100 roundings of `f32`; the reference's own `f32` run stays below 1e-6.
const F32_TOLERANCE: f64 = 1e-5;

/// The largest error of each case, by trial name.
type Errors = Arc<Mutex<Vec<(f64, String)>>>;

fn main() {
    let arguments = Arguments::from_args();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let chosen = std::env::var_os("AUTODIFF_ORACLE_DIR").map(PathBuf::from);
    let errors = Errors::default();
    let mut trials = Vec::new();
    match read_cases(chosen.as_deref().unwrap_or(&fixtures)) {
        Ok(cases) => {
            if chosen.is_none() {
                trials.push(the_fixture_is_whole(&cases));
            }
            trials.extend(cases.into_iter().flat_map(|case| trials_of(case, &errors)));
        }
        Err(fault) => trials.push(Trial::test("oracle::the_cases_can_be_read", move || {
            Err(fault.into())
        })),
    }
    trials.extend(trials_of_the_reader());
    let conclusion = libtest_mimic::run(&arguments, trials);
    report(&errors);
    conclusion.exit();
}

/// The trials of one case: it may be run in two element types, and sums and means in two forms.
fn trials_of(case: Case, errors: &Errors) -> Vec<Trial> {
    let by_axis = match case.op.as_str() {
        "sum" | "mean" => Some(Case {
            name: format!("{}_axis_by_axis", case.name),
            op: format!("{}_axis_by_axis", case.op),
            ..case.clone()
        }),
        _ => None,
    };
    let mut trials = Vec::new();
    for case in by_axis.into_iter().chain([case]) {
        if case.f32_exact {
            trials.push(trial::<f32>(case.clone(), F32_TOLERANCE, errors));
        }
        trials.push(trial::<f64>(case, F64_TOLERANCE, errors));
    }
    trials
}

fn trial<T: Element>(case: Case, tolerance: f64, errors: &Errors) -> Trial {
    let name = format!("oracle::{}::{}", T::NAME, case.name);
    let errors = Arc::clone(errors);
    Trial::test(name.clone(), move || {
        let worst = run::<T>(&case, tolerance)?;
        if let Ok(mut errors) = errors.lock() {
            errors.push((
                worst.error,
                format!("{name}, {} at {}", worst.what, worst.index),
            ));
        }
        Ok(())
    })
}

/// The committed file holds every case that its description counts: a shortened file is no pass.
fn the_fixture_is_whole(cases: &[Case]) -> Trial {
    let counts = [
        cases.len(),
        cases.iter().filter(|case| case.f32_exact).count(),
    ];
    Trial::test(
        "oracle::the_fixture_holds_458_cases_of_which_213_are_exact_in_f32",
        move || match counts {
            [458, 213] => Ok(()),
            _ => Err(Failed::from(format!(
                "expected 458 cases, 213 of them exact in f32, got {counts:?}"
            ))),
        },
    )
}

/// What must not pass for a pass: nothing to read, something unreadable, an operation nobody knows.
fn trials_of_the_reader() -> Vec<Trial> {
    let folder = std::env::temp_dir().join(format!("autodiff-oracle-{}", std::process::id()));
    let expect = |name: &str,
                  expected: fn(&Result<Vec<Case>, Fault>) -> bool,
                  file: Option<(&str, &'static str)>| {
        let folder = folder.join(name);
        let file = file.map(|(name, text)| (folder.join(name), text));
        Trial::test(format!("oracle::reader::{name}"), move || {
            std::fs::create_dir_all(&folder)?;
            if let Some((path, text)) = file {
                std::fs::write(path, text)?;
            }
            let read = read_cases(&folder);
            std::fs::remove_dir_all(&folder)?;
            if expected(&read) {
                Ok(())
            } else {
                Err(format!("got {read:?}").into())
            }
        })
    };
    let one_case = r#"{"cases": [{"name": "frobnicate/0", "op": "frobnicate", "f32_exact": false, "inputs": [], "attrs": {},
        "output": {"shape": [], "values": [0]}, "upstream": {"shape": [], "values": [0]}, "gradients": []}]}"#;
    vec![
        expect(
            "an_empty_folder_is_a_failure",
            |read| matches!(read, Err(Fault::NoCases { .. })),
            None,
        ),
        expect(
            "a_file_without_cases_is_a_failure",
            |read| matches!(read, Err(Fault::NoCases { .. })),
            Some(("ops.json", r#"{"cases": []}"#)),
        ),
        expect(
            "a_malformed_file_is_a_failure",
            |read| matches!(read, Err(Fault::Malformed { .. })),
            Some(("ops.json", r#"{"cases": [{"name": 3}]}"#)),
        ),
        expect(
            "every_file_whose_name_ends_in_ops_json_is_read",
            |read| matches!(read, Ok(cases) if cases.len() == 1),
            Some(("more_ops.json", one_case)),
        ),
        expect(
            "an_unknown_operation_is_a_failure",
            |read| {
                let run = read
                    .as_ref()
                    .ok()
                    .and_then(|cases| cases.first())
                    .map(|case| run::<f64>(case, F64_TOLERANCE));
                matches!(run, Some(Err(Fault::UnknownOperation(name))) if name == "frobnicate")
            },
            Some(("ops.json", one_case)),
        ),
        Trial::test(
            "oracle::reader::a_missing_folder_is_a_failure",
            || match read_cases(Path::new("no/such/folder")) {
                Err(Fault::Unreadable { .. }) => Ok(()),
                read => Err(format!("got {read:?}").into()),
            },
        ),
    ]
}

/// Prints how close the run was to its tolerances.
fn report(errors: &Errors) {
    let Ok(mut errors) = errors.lock() else {
        return;
    };
    for element in [f64::NAME, f32::NAME] {
        let prefix = format!("oracle::{element}::");
        errors.sort_by(|left, right| right.0.total_cmp(&left.0));
        let of_element: Vec<_> = errors
            .iter()
            .filter(|(_, name)| name.starts_with(&prefix))
            .collect();
        if let [(error, name), ..] = of_element.as_slice() {
            println!(
                "{element}: {} cases, largest error {error:.1e} ({name})",
                of_element.len()
            );
        }
    }
}
