//! The time and the memory that a process has used.

use std::fs;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::DemoError;

/// Which time to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Clock {
    /// What passes
    Wall,
    /// What all threads of the process compute, whatever else the machine does
    Cpu,
}

impl Clock {
    /// The time since some moment that stays the same.
    ///
    /// # Errors
    /// [`DemoError::NoClock`] for the time of the process where the machine does not tell it.
    pub fn now(self) -> Result<Duration, DemoError> {
        static START: OnceLock<Instant> = OnceLock::new();
        match self {
            Self::Wall => Ok(START.get_or_init(Instant::now).elapsed()),
            Self::Cpu => process_time().ok_or(DemoError::NoClock),
        }
    }
}

#[cfg(unix)]
fn process_time() -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};

    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).ok()
}

#[cfg(not(unix))]
fn process_time() -> Option<Duration> {
    None
}

/// The most memory that the process has had at once, in MiB; 0 where the machine does not tell.
pub(super) fn peak_resident_mib() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| {
        let kibibytes = line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB")?;
        kibibytes.trim().parse::<f64>().ok()
    });
    peak.map_or(0.0, |kibibytes| kibibytes / 1024.0)
}
