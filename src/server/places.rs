//! How many connections are served at the same time, in all and per address.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
};

/// Places for connections.
#[derive(Debug)]
pub struct Places {
    most: usize,
    most_per_address: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// One place, given back when dropped.
#[derive(Debug)]
pub struct Place {
    places: Arc<Places>,
    address: IpAddr,
}

impl Places {
    /// `most` places, `most_per_address` for one address; 0 for no limit there.
    pub fn new(most: usize, most_per_address: usize) -> Arc<Self> {
        Arc::new(Self { most, most_per_address, taken: Mutex::default() })
    }

    /// A place for a connection from this address, unless all, or all of this address, are taken.
    pub fn take(self: &Arc<Self>, address: IpAddr) -> Option<Place> {
        let address = counted_as(address);
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let of_address = taken.by_address.get(&address).copied().unwrap_or(0);
        // A reverse proxy on this machine speaks for everybody.
        let unlimited = self.most_per_address == 0 || address.is_loopback();
        if taken.all >= self.most || (!unlimited && of_address >= self.most_per_address) {
            return None;
        }
        taken.all += 1;
        taken.by_address.insert(address, of_address + 1);
        drop(taken);
        Some(Place { places: Arc::clone(self), address })
    }
}

/// An IPv6 customer has a whole /64 of addresses; an IPv4 address may come dressed as IPv6.
fn counted_as(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) if !v6.is_loopback() => IpAddr::V6((v6.to_bits() & (!0 << 64)).into()),
        other => other,
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.all -= 1;
        if let Some(of_address) = taken.by_address.get_mut(&self.address) {
            *of_address -= 1;
            if *of_address == 0 {
                taken.by_address.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn places_run_out_and_come_back() {
        let places = Places::new(2, 0);
        let first = places.take(ip("192.0.2.1")).unwrap();
        let _second = places.take(ip("192.0.2.1")).unwrap();
        assert!(places.take(ip("192.0.2.2")).is_none());
        drop(first);
        assert!(places.take(ip("192.0.2.2")).is_some());
    }

    #[test]
    fn one_address_cannot_take_all_but_the_machine_itself_may() {
        let places = Places::new(10, 1);
        let _first = places.take(ip("2001:db8::1")).unwrap();
        assert!(places.take(ip("2001:db8::2")).is_none(), "the same /64");
        let _other = places.take(ip("2001:db8:0:1::1")).unwrap();
        let _mapped = places.take(ip("::ffff:192.0.2.1")).unwrap();
        assert!(places.take(ip("192.0.2.1")).is_none());
        let local: Vec<_> = (0..3).map(|_| places.take(ip("::1")).unwrap()).collect();
        drop(local);
        assert_eq!(places.taken.lock().unwrap().by_address.len(), 3, "nothing is kept of those who left");
    }
}
