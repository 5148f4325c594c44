//! The nodes a traversal has yet to visit, newest first.
//!
//! Invariant: `newest` has a greater creation number than every key of `older`. A chain has one
//! pending node at a time and never touches the map.

use std::collections::BTreeMap;
use std::mem::replace;

#[derive(Debug)]
pub(crate) struct Pending<V> {
    newest: Option<(u64, V)>,
    older: BTreeMap<u64, V>,
}

impl<V> Pending<V> {
    pub(crate) fn new(number: u64, value: V) -> Self {
        Self {
            newest: Some((number, value)),
            older: BTreeMap::new(),
        }
    }

    /// What is pending for a node.
    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut V> {
        match &mut self.newest {
            Some((newest, value)) if *newest == number => Some(value),
            _ => self.older.get_mut(&number),
        }
    }

    /// Adds a node, or replaces what is pending for it.
    pub(crate) fn insert(&mut self, number: u64, value: V) {
        match &mut self.newest {
            None => self.newest = Some((number, value)),
            Some((newest, held)) if *newest == number => *held = value,
            Some((newest, _)) if *newest > number => {
                self.older.insert(number, value);
            }
            Some(newest) => {
                let (passed, held) = replace(newest, (number, value));
                self.older.insert(passed, held);
            }
        }
    }

    /// Removes the newest node.
    pub(crate) fn pop(&mut self) -> Option<(u64, V)> {
        let newest = self.newest.take();
        if !self.older.is_empty() {
            self.newest = self.older.pop_last();
        }
        newest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_come_out_newest_first_whatever_the_order_they_came_in() {
        let mut pending = Pending::new(5, 'e');
        for (number, value) in [(2, 'b'), (9, 'i'), (7, 'g'), (1, 'a')] {
            pending.insert(number, value);
        }
        let order: Vec<_> = std::iter::from_fn(|| pending.pop()).collect();
        assert_eq!(order, [(9, 'i'), (7, 'g'), (5, 'e'), (2, 'b'), (1, 'a')]);
    }

    #[test]
    fn a_node_is_pending_once() {
        let mut pending = Pending::new(5, 1);
        pending.insert(3, 1);
        for number in [3, 5] {
            if let Some(count) = pending.get_mut(number) {
                *count += 1;
            }
        }
        assert_eq!(pending.get_mut(4), None);
        assert_eq!(
            [pending.pop(), pending.pop(), pending.pop()],
            [Some((5, 2)), Some((3, 2)), None]
        );
    }
}
