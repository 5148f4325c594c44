//! Reports: the worked example, or one training step of a model, as a page, as JSON or as pictures.

mod model;

use std::io::Write;
use std::path::{Path, PathBuf};

use autodiff_core::report::{Document, document_page, dot, graph_svg, ledger_svg, lifecycle_svg};
use clap::{ArgGroup, Args};

use crate::DemoError;
use crate::model::Family;
use crate::output::{self, Output};
use crate::train::checkpoint;
use crate::worked;

/// What to report on, and what to write.
#[derive(Args, Clone, Debug, Default)]
#[group(skip)]
#[command(group = ArgGroup::new("written").required(true).multiple(true))]
pub struct ReportOptions {
    /// Write a page that needs no network and no scripting
    #[arg(long, value_name = "FILE", group = "written")]
    pub out: Option<PathBuf>,
    /// Write the document as JSON, every bit of it
    #[arg(long, value_name = "FILE", group = "written")]
    pub json: Option<PathBuf>,
    /// Write the graph as text for graphviz
    #[arg(long, value_name = "FILE", group = "written")]
    pub dot: Option<PathBuf>,
    /// Write the pictures as SVG files into this folder
    #[arg(long, value_name = "DIR", group = "written")]
    pub figures: Option<PathBuf>,
    /// Report on a training step of a small model instead of the worked example
    #[arg(long, value_enum)]
    pub model: Option<Family>,
    /// Report on the step that comes next in the training run of this folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["model", "scale"])]
    pub checkpoint: Option<PathBuf>,
    /// Multiply the first matrices of the model, to see where numbers grow too large
    #[arg(long, value_name = "X", requires = "model")]
    pub scale: Option<f64>,
}

/// Writes what is asked for.
///
/// # Errors
/// [`DemoError::Unwritable`] and [`DemoError::SharedOutput`] before any work where a file cannot be written;
/// [`DemoError::Output`]; what the tape refuses.
pub fn run(out: &mut impl Write, options: &ReportOptions) -> Result<(), DemoError> {
    let scale = options.scale.unwrap_or(1.0);
    model::check_scale(scale)?;
    output::refuse_shared(&wanted(options))?;
    let reserve = |path: &Option<PathBuf>| path.as_deref().map(Output::reserve).transpose();
    let [page, json, text] = [
        reserve(&options.out)?,
        reserve(&options.json)?,
        reserve(&options.dot)?,
    ];
    let figures = match &options.figures {
        Some(folder) => Some(reserve_figures(folder)?),
        None => None,
    };
    let document = match (options.model, &options.checkpoint) {
        (Some(family), _) => model::document(family, scale)?,
        (None, Some(folder)) => model::next_step(folder)?,
        (None, None) => worked::document()?,
    };
    for rejection in &document.rejections {
        // The worked example ends with refusals; a step is ended by one.
        if options.model.is_some() || options.checkpoint.is_some() {
            writeln!(out, "stopped: {}", rejection.error.message)?;
        }
    }
    let mut wrote = |path: &Option<PathBuf>| match path {
        Some(path) => writeln!(out, "wrote {}", path.display()),
        None => Ok(()),
    };
    if let Some(page) = page {
        page.write(&document_page(&document))?;
        wrote(&options.out)?;
    }
    if let Some(json) = json {
        json.write(&document.encode().map_err(std::io::Error::from)?)?;
        wrote(&options.json)?;
    }
    if let Some(text) = text {
        let graphs: Vec<String> = document.passes.iter().map(dot).collect();
        text.write(&graphs.concat())?;
        wrote(&options.dot)?;
    }
    if let (Some(figures), Some(folder)) = (figures, &options.figures) {
        for name in write_figures(figures, &document)? {
            wrote(&Some(folder.join(name)))?;
        }
    }
    Ok(())
}

/// Every file that may be written, and the one that is read, with the option that names it.
fn wanted(options: &ReportOptions) -> Vec<(&'static str, PathBuf)> {
    let files = [
        ("--out", &options.out),
        ("--json", &options.json),
        ("--dot", &options.dot),
    ];
    let named = |(option, path): (_, &Option<PathBuf>)| Some((option, path.clone()?));
    let figures = options.figures.iter();
    let figures = figures.flat_map(|folder| FIGURES.map(|name| ("--figures", folder.join(name))));
    let stored = options.checkpoint.iter();
    let stored = stored.map(|folder| ("--checkpoint", folder.join(checkpoint::FILE_NAME)));
    let written = files.into_iter().filter_map(named).chain(figures);
    written.chain(stored).collect()
}

/// The names of the pictures.
pub const FIGURES: [&str; 3] = ["graph.svg", "ledger.svg", "gradients.svg"];

fn reserve_figures(folder: &Path) -> Result<[Output; 3], DemoError> {
    let [graph, ledger, gradients] = FIGURES.map(|name| Output::reserve_within(folder, name));
    Ok([graph?, ledger?, gradients?])
}

/// The names of those that there was something to draw for.
fn write_figures(
    [graph, ledger, gradients]: [Output; 3],
    document: &Document,
) -> Result<Vec<&'static str>, DemoError> {
    let [graph_name, ledger_name, gradients_name] = FIGURES;
    let mut written = Vec::new();
    let pass = document.passes.first();
    if let Some(pass) = pass {
        graph.write(&graph_svg(pass))?;
        ledger.write(&ledger_svg(pass))?;
        written.extend([graph_name, ledger_name]);
    }
    if let Some(picture) = lifecycle_svg(document) {
        gradients.write(&picture)?;
        written.push(gradients_name);
    }
    Ok(written)
}
