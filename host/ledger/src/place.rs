//! What kind of place a ledger is to lie in.

use std::path::Path;

/// The network file system this path is on, if it is on one. SQLite's locks and shared memory
/// cannot be trusted there, so a ledger does not belong there. A path that does not exist yet is
/// on what its folder is on. Known on Linux only; elsewhere nothing is found.
pub fn network_file_system(path: &Path) -> Option<String> {
    let absolute = std::path::absolute(path).ok()?;
    let existing = absolute.ancestors().find(|place| place.exists())?;
    of_existing(existing).map(str::to_owned)
}

#[cfg(target_os = "linux")]
fn of_existing(path: &Path) -> Option<&'static str> {
    let found = rustix::fs::statfs(path).ok()?;
    // The field's width differs between machines; the numbers themselves have 32 bits.
    name_of(found.f_type as u32)
}

#[cfg(not(target_os = "linux"))]
fn of_existing(_: &Path) -> Option<&'static str> {
    None
}

/// The kernel's numbers for file systems whose files are, or may be, on another machine.
#[cfg(target_os = "linux")]
fn name_of(magic: u32) -> Option<&'static str> {
    Some(match magic {
        0x0000_6969 => "nfs",
        0x0000_517b | 0xff53_4d42 | 0xfe53_4d42 => "smb/cifs",
        0x6573_5546 => "fuse",
        0x0102_1997 => "9p",
        0x00c3_6400 => "ceph",
        0x5346_414f | 0x6b41_4653 => "afs",
        0x7375_7245 => "coda",
        0x0bd0_0bd0 => "lustre",
        0x0116_1970 => "gfs2",
        0x7461_636f => "ocfs2",
        0x4750_4653 => "gpfs",
        0x786f_4256 => "vboxsf",
        _ => return None,
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_are_known_by_their_numbers() {
        assert_eq!(name_of(0x6969), Some("nfs"));
        assert_eq!(name_of(0xff53_4d42), Some("smb/cifs"));
        assert_eq!(name_of(0x0102_1997), Some("9p"));
        assert_eq!(name_of(0xef53), None, "ext4 is local");
    }

    #[test]
    fn a_file_that_does_not_exist_yet_is_on_what_its_folder_is_on() {
        assert_eq!(network_file_system(Path::new("/proc/no/such/ledger.db")), None);
    }
}
