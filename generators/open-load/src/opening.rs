//! Connections that are opened before the load: those that it uses, and the silent ones beside it.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;
use rustix::time::Timespec;
use slotmap::{DefaultKey, Key, KeyData, SlotMap};

use crate::connection::connect;

/// Connections that are being opened at once: more would only fill the server's queue.
const AT_ONCE: usize = 256;

/// Return open connections; fewer than asked for if the server does not let so many in within this time, or this host
/// has no port or descriptor for them.
pub fn open(address: SocketAddr, count: usize, within: Duration) -> io::Result<Vec<TcpStream>> {
    let end = Instant::now() + within;
    let epoll = epoll::create(CreateFlags::CLOEXEC)?;
    let mut opening: SlotMap<DefaultKey, TcpStream> = SlotMap::new();
    let mut events = Vec::with_capacity(AT_ONCE);
    let mut open = Vec::with_capacity(count);
    let mut left = count;
    loop {
        while left > 0 && opening.len() < AT_ONCE {
            let Ok(socket) = connect(address) else {
                left = 0;
                break;
            };
            left -= 1;
            let key = opening.insert(socket);
            epoll::add(&epoll, &opening[key], EventData::new_u64(key.data().as_ffi()), EventFlags::OUT)?;
        }
        let patience = end.saturating_duration_since(Instant::now());
        if opening.is_empty() || patience.is_zero() {
            return Ok(open);
        }
        let timeout = Timespec { tv_sec: patience.as_secs() as _, tv_nsec: patience.subsec_nanos() as _ };
        match epoll::wait(&epoll, spare_capacity(&mut events), Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        for event in events.drain(..) {
            let Some(socket) = opening.remove(DefaultKey::from(KeyData::from_ffi(event.data.u64()))) else { continue };
            if matches!(socket.take_error(), Ok(None)) {
                epoll::delete(&epoll, &socket)?;
                open.push(socket);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use rustix::net::listen;

    use super::*;

    #[test]
    fn all_are_open_if_the_server_lets_them_in() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listen(&listener, 1024).unwrap();
        let open = open(listener.local_addr().unwrap(), 600, Duration::from_secs(60)).unwrap();
        assert_eq!(open.len(), 600);
        for socket in &open {
            listener.accept().unwrap();
            assert!(socket.peer_addr().is_ok());
        }
    }

    #[test]
    fn those_that_a_full_queue_keeps_waiting_are_not_counted() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listen(&listener, 10).unwrap();
        let open = open(listener.local_addr().unwrap(), 40, Duration::from_millis(200)).unwrap();
        assert!(open.len() < 40, "{}", open.len());
    }

    #[test]
    fn where_nobody_listens_there_are_none() {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        assert!(open(address, 3, Duration::from_secs(60)).unwrap().is_empty());
    }
}
