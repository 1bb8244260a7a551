//! A JDK on disk: which one it is, and where its classes are.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::NEWEST_MAJOR;
use super::error::LoadError;
use super::image::Image;
use super::jar::Jar;

/// An opened JDK (or JRE). Reading is thread-safe.
pub struct Jdk {
    pub home: PathBuf,
    /// As the `release` file says: `17.0.15`, `1.8.0_402`.
    pub version: String,
    /// 8, 11, 17, …
    pub feature: u32,
    store: Store,
}

enum Store {
    /// Since 9.
    Image(Box<Image>),
    /// Up to 8: `rt.jar` and its neighbours, in search order.
    Jars(Vec<Jar>),
}

/// Where [`Jdk::locate`] may look. The caller reads the environment; this crate does not.
#[derive(Clone, Debug, Default)]
pub struct JdkSearch {
    /// Asked for by the user: nothing else is tried.
    pub explicit: Option<PathBuf>,
    /// The value of `JAVA_HOME`: when set, it must be right.
    pub java_home: Option<OsString>,
    /// The value of `PATH`, searched for `java`.
    pub path: Option<OsString>,
    /// Folders that hold JDKs, such as `/usr/lib/jvm`; [`JdkSearch::usual_folders`] has them.
    pub folders: Vec<PathBuf>,
}

impl JdkSearch {
    /// Where installers of the common systems put JDKs.
    pub fn usual_folders() -> Vec<PathBuf> {
        let folders = if cfg!(target_os = "macos") {
            ["/Library/Java/JavaVirtualMachines", "/opt/homebrew/opt"].as_slice()
        } else if cfg!(windows) {
            ["C:\\Program Files\\Java", "C:\\Program Files\\Eclipse Adoptium"].as_slice()
        } else {
            ["/usr/lib/jvm", "/usr/java", "/opt/java"].as_slice()
        };
        folders.iter().map(PathBuf::from).collect()
    }
}

/// The newest feature version whose classes we read.
fn newest_feature() -> u32 {
    u32::from(NEWEST_MAJOR).saturating_sub(44)
}

impl Jdk {
    /// Opens the JDK in `home`.
    pub fn open(home: &Path) -> Result<Jdk, LoadError> {
        let not_a_jdk = |what: String| LoadError::NotAJdk { home: home.to_owned(), what };
        if !home.is_dir() {
            return Err(not_a_jdk("there is no such directory".into()));
        }
        let image = home.join("lib").join("modules");
        let jars = ["jre/lib", "lib"].map(|lib| home.join(lib));
        let jars = jars.iter().find(|lib| lib.join("rt.jar").is_file());
        if !image.is_file() && jars.is_none() {
            return Err(not_a_jdk("it has neither lib/modules nor jre/lib/rt.jar nor lib/rt.jar".into()));
        }
        let (version, feature) = release(home).map_err(not_a_jdk)?;
        if !(8..=newest_feature()).contains(&feature) {
            let newest = newest_feature();
            return Err(not_a_jdk(format!("it is Java {feature}; supported are Java 8 to {newest}")));
        }
        let store = match jars {
            _ if image.is_file() => Store::Image(Box::new(Image::open(&image)?)),
            Some(lib) => Store::Jars(boot_jars(lib)?),
            None => Store::Jars(Vec::new()),
        };
        Ok(Jdk { home: home.to_owned(), version, feature, store })
    }

    /// The JDK asked for; else `JAVA_HOME`; else the one `java` on the path belongs to; else the newest supported
    /// one in the usual folders.
    pub fn locate(search: &JdkSearch) -> Result<Jdk, LoadError> {
        if let Some(home) = &search.explicit {
            return Jdk::open(home);
        }
        let mut looked_at = Vec::new();
        match &search.java_home {
            Some(home) if !home.is_empty() => return Jdk::open(Path::new(home)),
            _ => looked_at.push("JAVA_HOME: not set".to_owned()),
        }
        let on_path = homes_on_path(search.path.as_ref());
        if on_path.is_empty() {
            looked_at.push("PATH: no java on it".to_owned());
        }
        for home in on_path {
            match Jdk::open(&home) {
                Ok(jdk) => return Ok(jdk),
                Err(error) => looked_at.push(format!("PATH: {error}")),
            }
        }
        for folder in &search.folders {
            let mut found = Vec::new();
            for home in homes_in(folder) {
                match release(&home) {
                    Ok((_, feature)) if feature <= newest_feature() => found.push((feature, home)),
                    Ok((_, feature)) => {
                        looked_at.push(format!("{}: Java {feature} is too new", home.display()))
                    }
                    Err(_) => {}
                }
            }
            // Newest first; among equals, by name.
            found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            if found.is_empty() {
                looked_at.push(format!("{}: no JDK in it", folder.display()));
            }
            for (_, home) in found {
                match Jdk::open(&home) {
                    Ok(jdk) => return Ok(jdk),
                    Err(error) => looked_at.push(error.to_string()),
                }
            }
        }
        Err(LoadError::NoJdk { looked_at })
    }

    /// The module a package (`java/lang`) of this JDK belongs to; `None` before Java 9 and for other packages.
    pub fn module_of(&self, package: &str) -> Option<&Arc<str>> {
        match &self.store {
            Store::Image(image) => image.module_of(package),
            Store::Jars(_) => None,
        }
    }

    /// Names of all modules that have classes, sorted; empty before Java 9.
    pub fn modules(&self) -> &[Arc<str>] {
        match &self.store {
            Store::Image(image) => image.modules(),
            Store::Jars(_) => &[],
        }
    }

    /// A class's bytes by internal name.
    pub fn class(&self, name: &str) -> Result<Option<Arc<[u8]>>, LoadError> {
        let path = format!("{name}.class");
        match &self.store {
            Store::Image(image) => match image.module_of(package_of(name)) {
                Some(module) => image.read(module, &path),
                None => Ok(None),
            },
            Store::Jars(jars) => first(jars, &path),
        }
    }

    /// A resource's bytes by path, `java/lang/uniName.dat`, from whichever module has it.
    pub fn resource(&self, name: &str) -> Result<Option<Arc<[u8]>>, LoadError> {
        let image = match &self.store {
            Store::Image(image) => image,
            Store::Jars(jars) => return first(jars, name),
        };
        if let Some(module) = image.module_of(package_of(name))
            && let Some(bytes) = image.read(module, name)?
        {
            return Ok(Some(bytes));
        }
        for module in image.modules() {
            if let Some(bytes) = image.read(module, name)? {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }

    /// A resource of one module: `("java.base", "module-info.class")`.
    pub fn module_resource(&self, module: &str, name: &str) -> Result<Option<Arc<[u8]>>, LoadError> {
        match &self.store {
            Store::Image(image) => image.read(module, name),
            Store::Jars(_) => Ok(None),
        }
    }

    /// Internal names of all classes, sorted.
    pub fn classes(&self) -> Vec<String> {
        match &self.store {
            Store::Image(image) => image.classes(),
            Store::Jars(jars) => {
                let names = jars.iter().flat_map(Jar::names);
                let mut names: Vec<String> = names.filter_map(super::class_path::class_of_path).collect();
                names.sort_unstable();
                names.dedup();
                names
            }
        }
    }
}

impl fmt::Debug for Jdk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Jdk({} at {})", self.version, self.home.display())
    }
}

fn first(jars: &[Jar], path: &str) -> Result<Option<Arc<[u8]>>, LoadError> {
    for jar in jars {
        if let Some(bytes) = jar.read(path)? {
            return Ok(Some(bytes));
        }
    }
    Ok(None)
}

pub(super) fn package_of(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(package, _)| package)
}

/// `JAVA_VERSION` of the `release` file, in the home or (for a JRE inside a JDK 8) above it.
fn release(home: &Path) -> Result<(String, u32), String> {
    let files = [Some(home), home.parent()].into_iter().flatten().map(|folder| folder.join("release"));
    let text = files.into_iter().find_map(|file| fs::read_to_string(file).ok());
    // Debian's packages of Java 8 have none, and no other version has this file.
    if text.is_none() && (home.join("jre/lib/rt.jar").is_file() || home.join("lib/rt.jar").is_file()) {
        return Ok(("1.8.0".to_owned(), 8));
    }
    let text = text.ok_or("it has no readable release file")?;
    let version = text.lines().find_map(|line| line.trim().strip_prefix("JAVA_VERSION="));
    let version = version.ok_or("its release file has no JAVA_VERSION")?.trim().trim_matches('"');
    // 1.8.0_402 is 8; 17.0.15 and 21-ea are what they say.
    let short = version.strip_prefix("1.").unwrap_or(version);
    let digits = short.split(|c: char| !c.is_ascii_digit()).next().unwrap_or("");
    match digits.parse() {
        Ok(feature) => Ok((version.to_owned(), feature)),
        Err(_) => Err(format!("its release file has an unreadable JAVA_VERSION: {version}")),
    }
}

/// The boot class path of Java 8, then its extension folder.
fn boot_jars(lib: &Path) -> Result<Vec<Jar>, LoadError> {
    let names =
        ["resources.jar", "rt.jar", "sunrsasign.jar", "jsse.jar", "jce.jar", "charsets.jar", "jfr.jar"];
    let boot = names.iter().map(|name| lib.join(name)).filter(|path| path.is_file());
    let extensions = sorted_children(&lib.join("ext")).into_iter().filter(|path| is_jar_name(path));
    boot.chain(extensions).map(|path| Jar::open(&path, 8)).collect()
}

pub(super) fn is_jar_name(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jar"))
}

/// The paths in a folder, sorted; none when it cannot be read.
pub(super) fn sorted_children(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|child| child.path()).collect();
    paths.sort_unstable();
    paths
}

fn homes_on_path(path: Option<&OsString>) -> Vec<PathBuf> {
    let Some(path) = path else { return Vec::new() };
    let name = if cfg!(windows) { "java.exe" } else { "java" };
    let programs = std::env::split_paths(path).map(|folder| folder.join(name));
    // Links lead from /usr/bin/java to the home's bin/java.
    let real = programs.filter_map(|program| fs::canonicalize(program).ok());
    let mut homes: Vec<PathBuf> =
        real.filter_map(|program| Some(program.parent()?.parent()?.to_owned())).collect();
    homes.dedup();
    homes
}

fn homes_in(folder: &Path) -> Vec<PathBuf> {
    let children = sorted_children(folder);
    let inside = |child: PathBuf| [child.join("Contents").join("Home"), child];
    children.into_iter().flat_map(inside).filter(|home| release(home).is_ok()).collect()
}
