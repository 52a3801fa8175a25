//! Time as nanoseconds since the start of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use rustix::time::{ClockId, clock_gettime};

pub const SECOND: Nanos = 1_000_000_000;

/// Nanoseconds, since the start of the run where it is a point in time.
pub type Nanos = u64;

/// The start of a run, which all threads share.
#[derive(Clone, Copy)]
pub struct Clock {
    start: Instant,
    pub wall_start: SystemTime,
}

impl Clock {
    /// Return a clock that starts after that time: threads need some to get ready.
    pub fn starting_in(delay: Duration) -> Clock {
        Clock { start: Instant::now() + delay, wall_start: SystemTime::now() + delay }
    }

    /// Return the time since the start, 0 before it.
    pub fn now(&self) -> Nanos {
        nanos(self.start.elapsed())
    }

    pub fn sleep_until(&self, time: Nanos) {
        let then = self.start + Duration::from_nanos(time);
        thread::sleep(then.saturating_duration_since(Instant::now()));
    }
}

/// The time from which on no request is due. All threads share it, and it may be brought forward while they run.
#[derive(Clone)]
pub struct End(Arc<AtomicU64>);

impl End {
    pub fn at(time: Nanos) -> End {
        End(Arc::new(AtomicU64::new(time)))
    }

    pub fn get(&self) -> Nanos {
        self.0.load(Ordering::Relaxed)
    }

    pub fn set(&self, time: Nanos) {
        self.0.store(time, Ordering::Relaxed);
    }
}

/// Return a time that an option gives in seconds.
pub fn nanos_of(seconds: f64) -> Nanos {
    nanos(Duration::from_secs_f64(seconds))
}

fn nanos(duration: Duration) -> Nanos {
    Nanos::try_from(duration.as_nanos()).unwrap_or(Nanos::MAX)
}

/// Return the CPU time of this process until now, of all its threads, in seconds.
pub fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
