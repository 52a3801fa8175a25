//! The time that the hypervisor took from this machine's CPUs, second by second, and which seconds count by that.

use std::collections::BTreeMap;
use std::fs;

use rustix::param::clock_ticks_per_second;

/// By the number of a CPU.
type Ticks = BTreeMap<usize, u64>;

/// What was stolen in each second of a run. The one before it is known too, since its queue drains in the first one.
pub struct Steal {
    /// Those that are looked at; all where there are none.
    cpus: Vec<usize>,
    until_now: Option<Ticks>,
    /// From the second before the run on.
    seconds: Vec<Ticks>,
}

impl Steal {
    /// Return an account of these CPUs, or of all, that begins a second before the run. Where the system does not show
    /// what is stolen, nothing is.
    pub fn of(cpus: &[usize]) -> Steal {
        let mut steal = Steal { cpus: cpus.to_vec(), until_now: None, seconds: Vec::new() };
        steal.until_now = steal.read();
        steal
    }

    /// A second is over.
    pub fn next_second(&mut self) {
        let now = self.read();
        let stolen = now.iter().flatten().filter_map(|(cpu, ticks)| {
            let before = self.until_now.as_ref()?.get(cpu)?;
            Some((*cpu, ticks.saturating_sub(*before)))
        });
        self.seconds.push(stolen.collect());
        self.until_now = now;
    }

    fn read(&self) -> Option<Ticks> {
        let all = parse(&fs::read_to_string("/proc/stat").ok()?);
        Some(all.into_iter().filter(|(cpu, _)| self.cpus.is_empty() || self.cpus.contains(cpu)).collect())
    }

    /// Return for each second of the run whether it is clean: nothing was stolen in it, nor in the one before.
    pub fn clean(&self) -> Vec<bool> {
        let is_clean = |ticks: &Ticks| ticks.values().all(|stolen| *stolen == 0);
        self.seconds.windows(2).map(|pair| pair.iter().all(is_clean)).collect()
    }

    /// Return the seconds that were stolen from each CPU in each second of the run.
    pub fn by_cpu(&self) -> BTreeMap<usize, Vec<f64>> {
        let ticks_per_second = clock_ticks_per_second() as f64;
        let run = self.seconds.get(1..).unwrap_or_default();
        let mut cpus: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for cpu in run.iter().flat_map(Ticks::keys) {
            let stolen = |ticks: &Ticks| *ticks.get(cpu).unwrap_or(&0) as f64 / ticks_per_second;
            cpus.entry(*cpu).or_insert_with(|| run.iter().map(stolen).collect());
        }
        cpus
    }
}

/// Return the stolen time of each CPU as /proc/stat has it: `cpu3 user nice system idle iowait irq softirq steal …`, in
/// ticks since the machine was started.
fn parse(stat: &str) -> Ticks {
    stat.lines()
        .filter_map(|line| {
            let mut words = line.strip_prefix("cpu")?.split(' ');
            Some((words.next()?.parse().ok()?, words.nth(7)?.parse().ok()?))
        })
        .collect()
}

#[cfg(test)]
impl Steal {
    /// Return an account of one CPU, with the ticks that were stolen in the second before a run and in each of its own.
    pub fn stolen(seconds: &[u64]) -> Steal {
        let seconds = seconds.iter().map(|stolen| Ticks::from([(1, *stolen)])).collect();
        Steal { cpus: Vec::new(), until_now: None, seconds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stolen_time_is_the_eighth_number_of_each_cpu() {
        let stat =
            "cpu  1 2 3 4 5 6 7 80 9 10\ncpu0 1 2 3 4 5 6 7 30 9 10\ncpu11 1 2 3 4 5 6 7 50 0 0\nintr 5 6\ncpu\n";
        assert_eq!(parse(stat), Ticks::from([(0, 30), (11, 50)]));
        assert_eq!(parse("cpu0 1 2\n"), Ticks::new(), "of a kernel that does not count it");
    }

    #[test]
    fn a_second_is_clean_if_nothing_was_stolen_in_it_nor_in_the_one_before() {
        assert_eq!(Steal::stolen(&[0, 0, 1, 0, 0]).clean(), [true, false, false, true]);
        assert_eq!(Steal::stolen(&[1, 0, 0]).clean(), [false, true], "the second before the run counts too");
        assert_eq!(Steal::stolen(&[]).clean(), [false; 0]);
    }

    #[test]
    fn stolen_seconds_are_those_of_the_run() {
        let stolen = Steal::stolen(&[7, 0, 5]).by_cpu();
        let expected = 5.0 / clock_ticks_per_second() as f64;
        assert_eq!(stolen, BTreeMap::from([(1, vec![0.0, expected])]));
    }

    #[test]
    fn where_nothing_is_shown_every_second_is_clean() {
        let nothing = Steal { cpus: Vec::new(), until_now: None, seconds: vec![Ticks::new(); 3] };
        assert_eq!((nothing.clean(), nothing.by_cpu()), (vec![true, true], BTreeMap::new()));
    }

    #[test]
    fn only_the_given_cpus_are_looked_at() {
        assert!(Steal::of(&[0]).until_now.is_none_or(|ticks| ticks.keys().all(|cpu| *cpu == 0)));
    }
}
