//! What a handle shows of itself.

use super::*;

#[test]
fn debug_shows_shape_operation_tracking_gradient_and_release() {
    let x = parameter(&[1.0, 2.0]);
    let y = x.mul(&x).unwrap();
    assert_eq!(
        format!("{x:?}"),
        "TensorValue { shape: [2], operation: parameter, tracked: true, \
         gradient: Some(Tensor { shape: [2], values: [0.0, 0.0] }), released: false }"
    );
    assert_eq!(
        format!("{y:?}"),
        "TensorValue { shape: [2], operation: multiply, tracked: true, gradient: None, released: false }"
    );
    pass(&y, &[1.0, 1.0], GraphRetention::Release).unwrap();
    assert!(format!("{y:?}").ends_with("released: true }"));
}

#[test]
fn operations_have_the_names_that_people_see() {
    let x = TensorValue::parameter(tensor([2, 1], &[1.0, 2.0])).unwrap();
    let results = [
        x.add(&x),
        x.mul(&x),
        x.reshape(&[2]),
        x.transpose(0, 1),
        x.broadcast_to(&[2, 3]),
        x.sum_axis(0, false),
        x.mean_axis(0, false),
    ];
    let names = results.map(|result| result.unwrap().operation().to_string());
    assert_eq!(
        names,
        [
            "add",
            "multiply",
            "reshape",
            "transpose",
            "broadcast",
            "sum",
            "mean"
        ]
    );
    let leaves = [
        x.operation(),
        x.detach().operation(),
        TensorValue::constant(Tensor::scalar(0.0))
            .unwrap()
            .operation(),
    ];
    assert_eq!(
        leaves.map(|leaf| leaf.to_string()),
        ["parameter", "detached", "constant"]
    );
}
