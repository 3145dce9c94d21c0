//! Builds a crate for the sandbox and makes a component of what cargo gives.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use wit_component::ComponentEncoder;

use crate::Inspected;

const TARGET: &str = "wasm32-unknown-unknown";
const PROFILE: &str = "guest";
/// A call needs little of it, and each call has an instance, so memory of its own.
const STACK_BYTES: u32 = 64 * 1024;

/// The crate of a tool.
#[derive(Debug, Clone)]
pub struct Crate {
    folder: PathBuf,
    name: String,
}

impl Crate {
    /// The crate in this folder.
    pub fn open(folder: &Path) -> Result<Self> {
        let manifest = folder.join("Cargo.toml");
        let text = std::fs::read_to_string(&manifest)
            .with_context(|| format!("{} is not the folder of a crate", folder.display()))?;
        let manifest: toml::Table =
            text.parse().with_context(|| format!("{} is not TOML", manifest.display()))?;
        let name = manifest.get("package").and_then(|package| package.get("name")?.as_str());
        let name = name.with_context(|| format!("{} names no package", folder.display()))?;
        let folder = folder.canonicalize()?;
        Ok(Self { folder, name: name.to_owned() })
    }

    /// Every crate in the folders of this folder, in the order of their names.
    pub fn all(folder: &Path) -> Result<Vec<Self>> {
        let mut crates = Vec::new();
        let entries = std::fs::read_dir(folder)
            .with_context(|| format!("there is no folder {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.join("Cargo.toml").is_file() {
                crates.push(Self::open(&path)?);
            }
        }
        crates.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(crates)
    }

    /// The name of the package, which is that of the component.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Builds the crate and gives the component, after a look at what it says of itself.
    pub fn component(&self) -> Result<Vec<u8>> {
        let module = self.module()?;
        let component = ComponentEncoder::default()
            .validate(true)
            .module(&module)
            .and_then(|encoder| encoder.encode())
            .with_context(|| format!("no component can be made of `{}`", self.name))?;
        self.inspect(&component).with_context(|| format!("`{}` is not fit to load", self.name))?;
        Ok(component)
    }

    fn inspect(&self, component: &[u8]) -> Result<()> {
        Inspected::read(component)?.keeps_to_its_world()?;
        for path in machine_paths(&self.folder)? {
            let path = format!("{}/", path.display());
            let found = component.windows(path.len()).any(|bytes| bytes == path.as_bytes());
            ensure!(!found, "the path {path} of this machine is inside");
        }
        Ok(())
    }

    fn module(&self) -> Result<Vec<u8>> {
        ensure!(
            has_target(),
            "the target {TARGET} is missing\nrun scripts/wasm-target, \
             or `rustup target add {TARGET}`"
        );
        let output = self.cargo()?.output().context("cargo cannot be run")?;
        ensure!(output.status.success(), "`{}` does not compile", self.name);
        let path = self.artifact(&String::from_utf8_lossy(&output.stdout))?;
        std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))
    }

    fn cargo(&self) -> Result<Command> {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo
            .args(["build", "--lib", "--message-format=json-render-diagnostics"])
            .args(["--target", TARGET, "--profile", PROFILE, "--package", &self.name])
            .current_dir(&self.folder)
            .env_remove("RUSTFLAGS")
            .env("CARGO_ENCODED_RUSTFLAGS", flags(&self.folder)?.join("\u{1f}"))
            .stderr(Stdio::inherit());
        Ok(cargo)
    }

    /// Cargo says where it put the module, one JSON object a line.
    fn artifact(&self, messages: &str) -> Result<PathBuf> {
        let lines = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let manifest = self.folder.join("Cargo.toml");
        let ours = lines.filter(|line| line["manifest_path"].as_str() == manifest.to_str());
        let files = ours.filter_map(|line| line["filenames"].as_array().cloned()).flatten();
        let mut modules = files.filter(|file| file.as_str().is_some_and(|f| f.ends_with(".wasm")));
        match modules.next() {
            Some(path) => Ok(path.as_str().unwrap_or_default().into()),
            None => bail!(
                "`{}` makes no module: its Cargo.toml needs `[lib] crate-type = [\"cdylib\", \
                 \"rlib\"]`",
                self.name
            ),
        }
    }
}

/// Whether the compiler has the standard library of the target.
pub fn has_target() -> bool {
    let arguments = ["--print", "target-libdir", "--target", TARGET];
    let Ok(folder) = ask("rustc", &arguments, Path::new(".")) else { return false };
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.flatten().any(|file| file.file_name().to_string_lossy().starts_with("libstd-"))
}

fn flags(folder: &Path) -> Result<Vec<String>> {
    let mut flags = vec![format!("-Clink-arg=-zstack-size={STACK_BYTES}")];
    for path in machine_paths(folder)? {
        flags.push(format!("--remap-path-prefix={}=", path.display()));
    }
    Ok(flags)
}

/// The folders whose names say whose machine this is; the more special ones last, as rustc
/// takes the last that fits.
fn machine_paths(folder: &Path) -> Result<Vec<PathBuf>> {
    let home = env::home_dir().context("there is no home directory")?;
    let cargo_home = env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    let mut paths = vec![home, cargo_home.clone()];
    paths.extend(registries(&cargo_home));
    paths.push(ask("rustc", &["--print", "sysroot"], folder)?);
    paths.push(workspace(folder)?);
    paths.retain(|path| path.components().count() > 1);
    Ok(paths)
}

fn registries(cargo_home: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(cargo_home.join("registry/src")) else {
        return Vec::new();
    };
    let mut folders: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    folders
}

/// The folder of the workspace that this folder is in.
pub fn workspace(folder: &Path) -> Result<PathBuf> {
    let arguments = ["locate-project", "--workspace", "--message-format", "plain"];
    let manifest = ask("cargo", &arguments, folder)?;
    Ok(manifest.parent().context("a manifest is in a folder")?.to_owned())
}

fn ask(program: &str, arguments: &[&str], folder: &Path) -> Result<PathBuf> {
    let output = Command::new(program).args(arguments).current_dir(folder).output();
    let output = output.with_context(|| format!("{program} cannot be run"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{program} {}: {}", arguments.join(" "), said.trim());
    Ok(PathBuf::from(String::from_utf8(output.stdout)?.trim()))
}
