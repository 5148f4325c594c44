//! Files that reports are written into: each as a whole, none beside them, and nothing lost.

mod program;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use program::{Outcome, demo, described, folder, refusal_of, stdout_of, text_of};

/// The names in a folder.
fn names(folder: &Path) -> Outcome<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        names.insert(entry?.file_name().to_string_lossy().into_owned());
    }
    Ok(names)
}

fn is_page(text: &str) -> bool {
    text.starts_with("<!DOCTYPE html>") && text.trim_end().ends_with("</html>")
}

#[test]
fn options_that_name_one_file_are_refused_and_nothing_is_written() -> Outcome {
    let folder = folder("shared")?;
    let at = |name: &str| text_of(&folder.join(name));
    fs::create_dir(at("p"))?;
    for [first, one, second, other] in [
        ["--out", "x", "--json", "x"],
        ["--out", "x", "--json", "./x"],
        ["--json", "x", "--dot", "p/../x"],
        ["--out", "p//x", "--dot", "p/./x"],
        ["--out", "new/graph.svg", "--figures", "new"],
        ["--dot", "p/gradients.svg", "--figures", "p"],
        ["--out", "p/graph.svg", "--figures", "p/new/.."],
        // A file where the folder has to be.
        ["--out", "new", "--figures", "new"],
        ["--out", "new", "--figures", "new/below"],
        ["--json", "x", "--dot", "x/y"],
    ] {
        let refusal = refusal_of(&["report", first, &at(one), second, &at(other)])?;
        let start = format!("demo: {first} and {second} cannot both name ");
        assert!(refusal.starts_with(&start), "{refusal}");
        assert_eq!(names(&folder)?, BTreeSet::from(["p".to_owned()]));
        assert!(names(&folder.join("p"))?.is_empty());
    }
    // A file beside the pictures is no conflict.
    stdout_of(&["report", "--figures", &at("new"), "--out", &at("beside")])?;
    stdout_of(&["report", "--figures", &at("new"), "--out", &at("new/page")])?;
    assert_eq!(names(&folder.join("new"))?.len(), 4);
    Ok(())
}

#[cfg(unix)]
#[test]
fn links_count_as_the_file_that_they_name_and_are_written_through() -> Outcome {
    use std::os::unix::fs::symlink;
    let folder = folder("links")?;
    let at = |name: &str| text_of(&folder.join(name));
    fs::write(at("old"), "what stood there")?;
    symlink("old", at("to_old"))?;
    symlink("new", at("to_new"))?;
    symlink("to_new", at("to_link"))?;
    symlink(&folder, at("here"))?;
    for [one, other] in [
        ["old", "to_old"],
        ["to_new", "new"],
        ["to_link", "here/to_new"],
    ] {
        let refusal = refusal_of(&["report", "--out", &at(one), "--json", &at(other)])?;
        assert!(
            refusal.contains("--out and --json cannot both name"),
            "{refusal}"
        );
    }
    assert_eq!(fs::read_to_string(at("old"))?, "what stood there");
    assert!(!folder.join("new").exists());

    stdout_of(&["report", "--out", &at("to_old"), "--json", &at("to_link")])?;
    for link in ["to_old", "to_new", "to_link"] {
        assert!(folder.join(link).is_symlink(), "{link}");
    }
    assert!(is_page(&fs::read_to_string(at("old"))?));
    assert!(fs::read_to_string(at("new"))?.starts_with('{'));
    Ok(())
}

#[test]
fn no_name_is_taken_but_those_that_were_given() -> Outcome {
    let folder = folder("names")?;
    let at = |name: &str| text_of(&folder.join(name));
    // One below the most that file systems take, two with a long encoding, and hostile ones.
    let longest = "n".repeat(255);
    let wide = "é".repeat(127);
    let given = [&longest, &wide, " a\nb\"<i>", "--out", "z", "z.unfinished"];
    fs::write(at("k.html.unfinished"), "mine")?;
    fs::create_dir(at("j.html.unfinished"))?;
    let mut expected = names(&folder)?;
    for name in given.into_iter().chain(["k.html", "j.html"]) {
        stdout_of(&["report", "--out", &at(name)])?;
        assert!(is_page(&fs::read_to_string(at(name))?), "{name}");
        expected.insert(name.to_owned());
        assert_eq!(names(&folder)?, expected);
    }
    assert_eq!(fs::read_to_string(at("k.html.unfinished"))?, "mine");

    for (out, json) in [("z.unfinished", "z"), ("z", "z.unfinished")] {
        stdout_of(&["report", "--out", &at(out), "--json", &at(json)])?;
        assert!(is_page(&fs::read_to_string(at(out))?));
        assert!(fs::read_to_string(at(json))?.starts_with('{'));
    }

    for refused in [&*"n".repeat(256), "folder/", "missing/x"] {
        let refusal = refusal_of(&["report", "--out", &at(refused)])?;
        assert!(refusal.starts_with("demo: cannot write "), "{refusal}");
        assert!(!refusal.contains(".tmp"), "{refusal}");
    }
    assert_eq!(names(&folder)?, expected);
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_new_file_has_the_mode_of_any_new_file_and_an_old_one_keeps_its_own() -> Outcome {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("modes")?;
    let mode = |name: &str| -> Outcome<u32> {
        Ok(fs::metadata(folder.join(name))?.permissions().mode() & 0o7777)
    };
    fs::write(folder.join("usual"), "")?;
    fs::write(folder.join("private"), "")?;
    fs::set_permissions(folder.join("private"), fs::Permissions::from_mode(0o640))?;
    for name in ["new", "private"] {
        stdout_of(&["report", "--json", &text_of(&folder.join(name))])?;
    }
    assert_eq!(mode("new")?, mode("usual")?);
    assert_eq!(mode("private")?, 0o640);
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_is_written_to_and_stays_a_device() -> Outcome {
    let page = stdout_of(&["report", "--out", "/dev/stdout"])?;
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("wrote /dev/stdout\n"));
    // The device was there, and the work done: no fault of the input.
    let output = demo(&["report", "--out", "/dev/full"]).output()?;
    assert_eq!(output.status.code(), Some(1), "{}", described(&output));
    let refusal = String::from_utf8(output.stderr)?;
    assert!(
        refusal.starts_with("demo: cannot write /dev/full: No space left"),
        "{refusal}"
    );
    stdout_of(&["report", "--out", "/dev/null"])?;
    let refusal = refusal_of(&["report", "--out", "/dev/stdout", "--dot", "/dev/fd/1"])?;
    assert!(refusal.contains("cannot both name"), "{refusal}");

    // Standard output may be a file: then that file is the page.
    let file = folder("device")?.join("page.html");
    let mut child = demo(&["report", "--out", "/dev/stdout"]);
    assert!(child.stdout(fs::File::create(&file)?).status()?.success());
    assert!(fs::read_to_string(&file)?.starts_with("<!DOCTYPE html>"));
    Ok(())
}

#[test]
fn runs_onto_one_file_at_once_all_succeed_and_leave_one_whole_file() -> Outcome {
    let folder = folder("at_once")?;
    let page = text_of(&folder.join("page.html"));
    let figures = text_of(&folder.join("figures"));
    let arguments = ["report", "--out", &page, "--figures", &figures];
    let started = (0..6).map(|_| demo(&arguments).stdout(Stdio::piped()).spawn());
    for child in started.collect::<Result<Vec<_>, _>>()? {
        let output = child.wait_with_output()?;
        assert!(output.status.success(), "{}", described(&output));
    }
    assert!(is_page(&fs::read_to_string(&page)?));
    let expected = ["figures", "page.html"].map(str::to_owned);
    assert_eq!(names(&folder)?, BTreeSet::from(expected));
    assert_eq!(names(Path::new(&figures))?.len(), 3);
    Ok(())
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_nothing_behind() -> Outcome {
    let folder = folder("interrupted")?;
    let page = folder.join("rules.html");
    for (signal, delay) in ["-INT", "-TERM"].into_iter().cycle().zip([5, 20, 80, 300]) {
        fs::write(&page, "what stood there")?;
        let mut child = demo(&["rules", "--html", &text_of(&page)]).spawn()?;
        std::thread::sleep(std::time::Duration::from_millis(delay));
        let mut kill = std::process::Command::new("kill");
        kill.args([signal, &child.id().to_string()]).status()?;
        // However fast the machine is, the page is the whole new one or still the old one.
        let found = match child.wait()?.success() {
            true => is_page(&fs::read_to_string(&page)?),
            false => fs::read_to_string(&page)? == "what stood there",
        };
        assert!(found, "{signal} after {delay} ms");
        assert_eq!(names(&folder)?.len(), 1, "{signal} after {delay} ms");
    }
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_is_ended_while_it_writes_leaves_nothing_behind() -> Outcome {
    let folder = folder("ended")?;
    let page = folder.join("page.html");
    fs::write(&page, "what stood there")?;
    // The system ends a program whose file grows beyond the limit of 4 blocks.
    let script = "ulimit -f 4 && exec \"$0\" report --out \"$1\"";
    let program = env!("CARGO_BIN_EXE_demo");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", script, program, &text_of(&page)]);
    let output = shell.output()?;
    assert_eq!(output.status.code(), None, "{}", described(&output));
    assert_eq!(fs::read_to_string(&page)?, "what stood there");
    assert_eq!(names(&folder)?.len(), 1);
    Ok(())
}

#[test]
fn a_folder_is_made_only_with_its_pictures() -> Outcome {
    let folder = folder("pictures")?;
    let new = folder.join("new");
    let at = text_of(&new);
    for (more, expected) in [
        (
            &["--scale", "inf"][..],
            "demo: scale must be finite, got inf",
        ),
        (&["--out", &at], "cannot both name"),
        (&["--out", &text_of(&folder)], "cannot write"),
    ] {
        let arguments = ["report", "--model", "gpt", "--figures", &at];
        let refusal = refusal_of(&[&arguments, more].concat())?;
        assert!(refusal.contains(expected), "{refusal}");
        assert!(names(&folder)?.is_empty());
    }
    // A step that ended before there was a graph has no picture.
    let text = stdout_of(&[
        "report",
        "--model",
        "gpt",
        "--scale",
        "1e25",
        "--figures",
        &at,
    ])?;
    assert!(
        text.starts_with("stopped: ") && !text.contains("wrote"),
        "{text}"
    );
    assert!(names(&folder)?.is_empty());

    let deep = new.join("and/deeper");
    let told = |more: &[&str]| -> Outcome<Vec<String>> {
        let text = stdout_of(&[&["report", "--figures", &text_of(&deep)], more].concat())?;
        Ok(text.lines().map(str::to_owned).collect())
    };
    let wrote = |name: &str| format!("wrote {}", deep.join(name).display());
    let all = ["graph.svg", "ledger.svg", "gradients.svg"].map(wrote);
    assert_eq!(told(&[])?, all);
    assert_eq!(names(&deep)?.len(), 3);
    // A step has no life of gradients: that picture is still the one of before.
    assert_eq!(told(&["--model", "gpt"])?, all[..2]);

    let file = folder.join("file");
    fs::write(&file, "in the way")?;
    for refused in [file.clone(), file.join("below")] {
        let refusal = refusal_of(&["report", "--figures", &text_of(&refused)])?;
        assert!(refusal.ends_with("not a directory"), "{refusal}");
    }
    assert_eq!(fs::read_to_string(&file)?, "in the way");
    Ok(())
}
