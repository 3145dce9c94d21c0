//! Compiled code, kept between runs. Whatever is wrong with it, it is a miss and no error.

use std::fs::{self, DirBuilder, File};
use std::hash::{Hash, Hasher};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest as _, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::component::Digest;

/// A folder of compiled code. Only its owner may look into it: what is in it runs unchecked.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    dir: PathBuf,
}

type Seal = [u8; 32];
const SEAL: usize = size_of::<Seal>();

impl Cache {
    /// Opens the folder, made if need be. One that others may write to is not used.
    pub(crate) fn open(dir: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
        let cache = Self { dir: dir.to_owned() };
        let probe = cache.aside();
        File::create_new(&probe)?;
        let ours = fs::symlink_metadata(&probe)?.uid();
        fs::remove_file(&probe)?;
        let found = fs::symlink_metadata(dir)?;
        if !found.is_dir() || found.mode() & 0o077 != 0 || found.uid() != ours {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "it is not a folder of this user alone (mode 0700)",
            ));
        }
        Ok(cache)
    }

    /// The code of this component for this engine, if it is here and whole.
    pub(crate) fn load(&self, engine: &Engine, digest: &Digest) -> Option<Component> {
        let key = Key::of(engine, digest);
        let file = fs::read(self.path(&key)).ok()?;
        let (seal, code) = file.split_at_checked(SEAL)?;
        if seal != key.seal(code) {
            return None;
        }
        // SAFETY: wasmtime asks that this is the unchanged output of `Component::serialize`. It
        // was written by `store` into a folder only this user can write to, and the seal over key
        // and code says that it is whole and for this component and engine. It was read into
        // memory, so nobody changes it under a running guest.
        unsafe { Component::deserialize(engine, code) }.ok()
    }

    /// Keeps the code. It is written aside and renamed, so a reader sees all of it or none.
    pub(crate) fn store(&self, engine: &Engine, digest: &Digest, component: &Component) {
        let key = Key::of(engine, digest);
        let aside = self.aside();
        let stored = component
            .serialize()
            .map_err(io::Error::other)
            .and_then(|code| write(&aside, &key.seal(&code), &code))
            .and_then(|()| fs::rename(&aside, self.path(&key)));
        if let Err(error) = stored {
            tracing::warn!(%error, %digest, "compiled code was not kept");
            let _ = fs::remove_file(&aside);
        }
    }

    fn path(&self, key: &Key) -> PathBuf {
        self.dir.join(format!("{}.cwasm", key.name()))
    }

    fn aside(&self) -> PathBuf {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        self.dir.join(format!(".{}-{number}.aside", std::process::id()))
    }
}

fn write(path: &Path, seal: &Seal, code: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(seal)?;
    file.write_all(code)
}

/// Which component, for which engine: version, settings and processor.
struct Key(Digest);

impl Key {
    fn of(engine: &Engine, digest: &Digest) -> Self {
        let mut hasher = Whole(Vec::new());
        digest.bytes().hash(&mut hasher);
        engine.precompile_compatibility_hash().hash(&mut hasher);
        Self(Digest::of(&hasher.0))
    }

    fn name(&self) -> String {
        self.0.to_string()
    }

    fn seal(&self, code: &[u8]) -> Seal {
        Sha256::new().chain_update(self.0.bytes()).chain_update(code).finalize().into()
    }
}

/// Takes down what is hashed, because 64 bits are too few for a key.
struct Whole(Vec<u8>);

impl Hasher for Whole {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}
