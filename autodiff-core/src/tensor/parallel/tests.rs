//! Every part once, whoever takes it.

use super::*;
use crate::tensor::with_threads;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn every_row_is_written_once_by_any_number_of_threads() {
    for threads in [1, 2, 3, 5] {
        with_threads(threads, || {
            for rows in [0, 1, 7, 1000, 40_000] {
                let mut out = vec![0; rows * 3];
                for_rows(&mut out, 3, 1, |first, out| {
                    for (row, places) in (first..).zip(out.chunks_exact_mut(3)) {
                        places.iter_mut().for_each(|place| *place += row + 1);
                    }
                });
                assert!(out.iter().enumerate().all(|(i, &x)| x == i / 3 + 1));
            }
        })
        .unwrap();
    }
}

#[test]
fn ranges_cover_everything_once() {
    with_threads(3, || {
        for count in [0, 1, 5, 100_001] {
            let covered = AtomicUsize::new(0);
            for_ranges(count, 2, |range| {
                covered.fetch_add(range.len(), Ordering::Relaxed);
            });
            assert_eq!(covered.into_inner(), count);
        }
    })
    .unwrap();
}

#[test]
fn what_comes_first_is_found_first() {
    with_threads(2, || {
        let found = first_found(1_000_000, |range| {
            range.into_iter().find(|i| i % 70_001 == 70_000)
        });
        assert_eq!(found, Some(70_000));
    })
    .unwrap();
}

#[test]
fn no_thread_is_refused() {
    assert_eq!(
        with_threads(0, || ()).unwrap_err().to_string(),
        "cannot start 0 threads: at least one is needed"
    );
}

#[test]
fn outside_there_is_one_thread() {
    assert_eq!(thread_count(), 1);
    assert_eq!(with_threads(2, thread_count), Ok(2));
}
