//! Tiles against reading one by one, at sizes around the tile.

use crate::tensor::testing::{counting, elements};

#[test]
fn planes_around_the_tile_size_are_copied_whole() {
    for rows in [1, 3, 4, 15, 16, 17, 33] {
        for columns in [1, 2, 4, 15, 16, 17, 48] {
            for batch in [1, 3] {
                let x = counting(&[batch, rows, columns]);
                for axes in [[0, 2, 1], [2, 1, 0], [1, 2, 0], [2, 0, 1], [1, 0, 2]] {
                    let view = x.view();
                    let view = view.permute(&axes).unwrap();
                    assert_eq!(
                        view.materialize().unwrap().as_slice(),
                        elements(&view),
                        "{view:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_transposed_plane_with_a_step_is_copied_whole() {
    let x = counting(&[40, 50]);
    for steps in [[1, 2], [2, 1], [3, 3]] {
        let view = x
            .view()
            .slice(&[1, 2], &[40, 50], &steps)
            .unwrap()
            .transpose(0, 1)
            .unwrap();
        assert_eq!(view.materialize().unwrap().as_slice(), elements(&view));
    }
}
