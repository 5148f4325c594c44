//! Times of operations that models spend theirs in: forward on the tape, reverse, and an optimiser's step.
#![allow(clippy::unwrap_used, reason = "a benchmark reports by panicking")]

use autodiff_ops::prelude::*;
use divan::Bencher;
use divan::counter::ItemsCount;

/// Rows and columns of an activation.
const SHAPE: [usize; 2] = [512, 256];

const HEADS: usize = 4;
const WIDTH: usize = 128;

fn main() {
    divan::main();
}

/// Numbers of `-1..1` in an irregular order: multiples of the golden ratio, without their whole parts.
fn numbers<T: Element>(shape: &[usize]) -> Tensor<T> {
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    let number = |index| T::from_f64(2.0 * (index as f64 * golden).fract() - 1.0);
    Tensor::from_fn(shape, number).unwrap()
}

fn parameter<T: Element>(shape: &[usize]) -> TensorValue<T> {
    TensorValue::parameter(numbers(shape)).unwrap()
}

/// A computation on the tape, and what its time is divided by.
struct Subject<T: Element> {
    items: usize,
    leaves: Vec<TensorValue<T>>,
    run: fn(&[TensorValue<T>]) -> Result<TensorValue<T>>,
}

impl<T: Element> Subject<T> {
    fn of(shapes: &[&[usize]], run: fn(&[TensorValue<T>]) -> Result<TensorValue<T>>) -> Self {
        Self {
            items: shapes[0].iter().product(),
            leaves: shapes.iter().map(|shape| parameter(shape)).collect(),
            run,
        }
    }

    fn output(&self) -> TensorValue<T> {
        (self.run)(&self.leaves).unwrap()
    }

    /// The graph goes after the clock has stopped.
    fn time_forward(&self, bencher: Bencher) {
        bencher
            .counter(ItemsCount::new(self.items))
            .bench(|| self.output());
    }

    /// Only the reverse pass; gradients add up within a sample, which begins from zero.
    fn time_backward(&self, bencher: Bencher) {
        let output = self.output();
        let seed = numbers::<T>(&output.shape());
        bencher
            .counter(ItemsCount::new(self.items))
            .with_inputs(|| {
                self.leaves
                    .iter()
                    .for_each(|leaf| leaf.zero_grad().unwrap())
            })
            .bench_values(|()| {
                output
                    .backward_with_seed(&seed.view(), GraphRetention::Retain)
                    .unwrap();
            });
    }
}

/// Both directions of one computation, in both precisions.
macro_rules! directions {
    ($($name:ident: $subject:expr;)*) => {$(
        mod $name {
            use super::*;

            #[divan::bench(types = [f32, f64])]
            fn forward<T: Element>(bencher: Bencher) {
                let subject: Subject<T> = $subject;
                subject.time_forward(bencher);
            }

            #[divan::bench(types = [f32, f64])]
            fn backward<T: Element>(bencher: Bencher) {
                let subject: Subject<T> = $subject;
                subject.time_backward(bencher);
            }
        }
    )*};
}

directions! {
    of_layer_norm: Subject::of(&[&SHAPE, &[SHAPE[1]], &[SHAPE[1]]], |leaves| {
        layer_norm(&leaves[0], &leaves[1], &leaves[2], 1e-5)
    });
    of_softmax: Subject::of(&[&SHAPE], |leaves| softmax(&leaves[0], 1));
    of_cross_entropy: Subject::of(&[&SHAPE], |leaves| {
        let targets = Tensor::from_fn([SHAPE[0]], |row| row * 7 % SHAPE[1])?;
        leaves[0].cross_entropy(&targets, None)
    });
    of_gelu: Subject::of(&[&SHAPE], |leaves| leaves[0].gelu());
    of_linear: Subject::of(&[&SHAPE, &[SHAPE[1], WIDTH], &[WIDTH]], |leaves| {
        linear(&leaves[0], &leaves[1], Some(&leaves[2]))
    });
    of_self_attention: Subject::of(&[&[4, 64, 3 * WIDTH]], |leaves| {
        self_attention(&leaves[0], HEADS, 1.0 / ((WIDTH / HEADS) as f64).sqrt(), true)
    });
}

/// One step of AdamW over two matrices and two vectors.
#[divan::bench(types = [f32, f64])]
fn adamw_step<T: Element>(bencher: Bencher) {
    let mut parameters = ParameterSet::<T>::new();
    for (name, shape) in [
        ("first.weight", &[256, 256][..]),
        ("first.bias", &[256]),
        ("second.weight", &[256, 128]),
        ("second.bias", &[128]),
    ] {
        parameters.create(name, numbers(shape)).unwrap();
    }
    let gradients = parameters.iter();
    let gradients = gradients.map(|(name, leaf)| (name.to_owned(), leaf.value_snapshot()));
    let gradients = Gradients::from_entries(gradients.collect::<Vec<_>>());
    let options = AdamWOptions {
        beta1: 0.9,
        beta2: 0.99,
        eps: 1e-8,
    };
    let mut optimiser = AdamW::new(&parameters, options, decay_matrices(0.1)).unwrap();
    let elements = parameters.element_count();
    bencher
        .counter(ItemsCount::new(elements))
        .bench_local(|| optimiser.step(&parameters, &gradients, 1e-3).unwrap());
}
