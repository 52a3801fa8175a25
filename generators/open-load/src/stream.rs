//! A load in one thread: its plan, its connections and its accounts. Streams share nothing but the thread. So none waits
//! for a connection of another one, and none changes another one's plan.

use std::collections::BTreeSet;

use slotmap::DefaultKey;

use crate::clock::Nanos;
use crate::plan::Arrivals;
use crate::request::Request;
use crate::tally::Accounts;

/// The share that one thread has of one load.
pub struct Stream<'a> {
    pub request: &'a Request,
    pub arrivals: Arrivals,
    pub accounts: Accounts,
    /// The most connections that it may have.
    pub most_connections: usize,
    /// Those that it has, without silent ones.
    pub open: usize,
    /// Kept connections; the one that was used last is used next. Some may be closed by now. There are never more than
    /// the limit of connections, since a new one is opened only when this is empty.
    pub free: Vec<DefaultKey>,
    /// Of all its connections that are neither free nor silent.
    pub deadlines: BTreeSet<(Nanos, DefaultKey)>,
}

impl<'a> Stream<'a> {
    pub fn new(request: &'a Request, arrivals: Arrivals, accounts: Accounts, most_connections: usize) -> Stream<'a> {
        Stream { request, arrivals, accounts, most_connections, open: 0, free: Vec::new(), deadlines: BTreeSet::new() }
    }

    /// Return the intended time of the next request; None if nothing is due before another request ends.
    pub fn next(&mut self, now: Nanos) -> Option<Nanos> {
        self.arrivals.next(now, self.deadlines.len())
    }

    /// Take the next request if it is due, and return its intended time.
    pub fn take_due(&mut self, now: Nanos) -> Option<Nanos> {
        self.arrivals.take_due(now, self.deadlines.len())
    }

    /// Return whether no request is under way, and none will be due.
    pub fn is_over(&mut self, now: Nanos) -> bool {
        self.arrivals.are_over(now) && self.accounts.under_way() == 0
    }
}
