//! `--report KIND=PATH`: files of what was generated.

use std::fs;
use std::path::Path;

use report::Report;
use report::html::{MethodPicture, Source};

use crate::Failure;
use crate::args::ReportArg;

/// What a page shows of a class besides the report.
pub type Picture = (Vec<MethodPicture>, Option<Source>);

/// Finds out now, not after all the work, whether the reports can be written.
pub fn check(wanted: &[ReportArg]) -> Result<(), Failure> {
    for report in wanted {
        let path = path(report);
        let opened = match report {
            ReportArg::Html(dir) => fs::create_dir_all(dir),
            _ => make_folder(path)
                .and_then(|()| fs::OpenOptions::new().append(true).create(true).open(path))
                .map(|_| ()),
        };
        opened.map_err(|e| failed(path, &e))?;
    }
    Ok(())
}

/// Writes them; `pictures` gives what is shown of the class at an index.
pub fn write(
    wanted: &[ReportArg],
    report: &Report,
    pictures: &mut dyn FnMut(&report::Target) -> Picture,
) -> Result<(), Failure> {
    for kind in wanted {
        let path = path(kind);
        let written = match kind {
            ReportArg::Json(file) => write_file(file, &report.to_json()),
            ReportArg::Sarif(file) => write_file(file, &report::sarif::sarif(report)),
            ReportArg::Lcov(file) => write_file(file, &report::lcov::lcov(report)),
            ReportArg::Html(dir) => write_html(dir, report, pictures),
        };
        written.map_err(|e| failed(path, &e))?;
    }
    Ok(())
}

fn write_html(
    dir: &Path,
    report: &Report,
    pictures: &mut dyn FnMut(&report::Target) -> Picture,
) -> std::io::Result<()> {
    fs::create_dir_all(dir)?;
    for target in &report.targets {
        let (methods, source) = pictures(target);
        let page = report::html::class_page(target, &report.criterion, &methods, source.as_ref());
        fs::write(dir.join(report::html::class_file(&target.class)), page)?;
    }
    fs::write(dir.join("index.html"), report::html::index_page(report))
}

fn path(report: &ReportArg) -> &Path {
    match report {
        ReportArg::Json(path) | ReportArg::Html(path) | ReportArg::Sarif(path) | ReportArg::Lcov(path) => {
            path
        }
    }
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Failed(format!("cannot write the report {}: {error}", path.display()))
}

/// Writes a file, and the folder it is in where that is not there yet.
pub fn write_file(file: &Path, text: &str) -> std::io::Result<()> {
    make_folder(file)?;
    fs::write(file, text)
}

fn make_folder(file: &Path) -> std::io::Result<()> {
    file.parent().map_or(Ok(()), fs::create_dir_all)
}
