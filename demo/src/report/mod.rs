//! Reports: the worked example, or one training step of a small model, as a page, as JSON or as pictures.

mod model;

use std::io::Write;
use std::path::{Path, PathBuf};

use autodiff_core::report::{Document, document_page, dot, graph_svg, ledger_svg, lifecycle_svg};
use clap::Args;

use crate::DemoError;
use crate::model::Family;
use crate::output::Output;
use crate::worked;

/// What to report on, and what to write.
#[derive(Args, Clone, Debug, Default)]
#[group(required = true, multiple = true, id = "written")]
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
    /// Multiply the first matrices of the model, to see where numbers grow too large
    #[arg(long, value_name = "X", requires = "model")]
    pub scale: Option<f64>,
}

/// Writes what is asked for.
///
/// # Errors
/// [`DemoError::Output`] before any work where a file cannot be written; what the tape refuses.
pub fn run(out: &mut impl Write, options: &ReportOptions) -> Result<(), DemoError> {
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
    let document = match options.model {
        Some(family) => model::document(family, options.scale.unwrap_or(1.0))?,
        None => worked::document()?,
    };
    if let Some(page) = page {
        page.write(&document_page(&document))?;
    }
    if let Some(json) = json {
        json.write(&document.encode().map_err(std::io::Error::from)?)?;
    }
    if let Some(text) = text {
        let graphs: Vec<String> = document.passes.iter().map(dot).collect();
        text.write(&graphs.concat())?;
    }
    if let Some(figures) = figures {
        write_figures(figures, &document)?;
    }
    for rejection in &document.rejections {
        if options.model.is_some() {
            writeln!(out, "stopped: {}", rejection.error.message)?;
        }
    }
    let written = [&options.out, &options.json, &options.dot, &options.figures];
    for path in written.into_iter().flatten() {
        writeln!(out, "wrote {}", path.display())?;
    }
    Ok(())
}

/// The names of the pictures.
pub const FIGURES: [&str; 3] = ["graph.svg", "ledger.svg", "gradients.svg"];

fn reserve_figures(folder: &Path) -> Result<[Output; 3], DemoError> {
    std::fs::create_dir_all(folder).map_err(|source| DemoError::Output {
        path: folder.to_owned(),
        source,
    })?;
    let [graph, ledger, gradients] = FIGURES.map(|name| Output::reserve(&folder.join(name)));
    Ok([graph?, ledger?, gradients?])
}

fn write_figures(
    [graph, ledger, gradients]: [Output; 3],
    document: &Document,
) -> Result<(), DemoError> {
    if let Some(pass) = document.passes.first() {
        graph.write(&graph_svg(pass))?;
        ledger.write(&ledger_svg(pass))?;
    }
    match lifecycle_svg(document) {
        Some(picture) => gradients.write(&picture),
        None => Ok(()),
    }
}
