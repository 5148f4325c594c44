//! Times of the tape itself: chains of nodes so small that their arithmetic takes next to nothing.
#![allow(clippy::unwrap_used, reason = "a benchmark reports by panicking")]

use autodiff_core::prelude::*;
use divan::Bencher;
use divan::counter::ItemsCount;

/// Nodes of a chain.
const LENGTHS: [usize; 3] = [1, 100, 10_000];

/// Elements of every node.
const WIDTH: usize = 4;

fn main() {
    divan::main();
}

/// The difference of two tensors: `y = x - shift`, which stays finite however often it is repeated.
#[vjp_rule]
#[gradcheck(x: [m], shift: [m])]
pub fn apart<T: Element>(x: &Tensor<T>, shift: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream as it is
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    /// upstream with the other sign
    #[vjp(shift)]
    fn shift_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.map(|u| -u))
    }
    x.zip_map(shift, |x, shift| x - shift)
}

/// The square of every element, of which an edge saves its operand: `y = x²`.
#[vjp_rule]
#[gradcheck(x: [m])]
pub fn squared<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times 2 x
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, x: &Tensor<T>) -> Result<Tensor<T>> {
        upstream.zip_map(x, |u, x| u * (x + x))
    }
    Ok(x.map(|x| x * x))
}

/// A chain whose every node takes the one before it, and how it goes on.
struct Chain {
    start: TensorValue<f32>,
    step: fn(&TensorValue<f32>, &TensorValue<f32>) -> Result<TensorValue<f32>>,
    other: TensorValue<f32>,
}

impl Chain {
    /// One tracked operand a node.
    fn with_a_constant() -> Self {
        Self {
            start: parameter(1.0),
            step: |y, other| apart(y, other),
            other: TensorValue::constant(full(0.5)).unwrap(),
        }
    }

    /// Two tracked operands a node, one of them the same for all.
    fn with_a_parameter() -> Self {
        Self {
            other: parameter(0.5),
            ..Self::with_a_constant()
        }
    }

    /// Every node saves its operand; one stays one.
    fn of_squares() -> Self {
        Self {
            step: |y, _| squared(y),
            ..Self::with_a_constant()
        }
    }

    fn of_length(&self, nodes: usize) -> TensorValue<f32> {
        let mut y = self.start.clone();
        for _ in 0..nodes {
            y = (self.step)(&y, &self.other).unwrap();
        }
        y
    }
}

fn full(value: f32) -> Tensor<f32> {
    Tensor::full([WIDTH], value).unwrap()
}

fn parameter(value: f32) -> TensorValue<f32> {
    TensorValue::parameter(full(value)).unwrap()
}

fn reverse(output: &TensorValue<f32>, seed: &Tensor<f32>, retention: GraphRetention) {
    output.backward_with_seed(&seed.view(), retention).unwrap();
}

/// The graph goes after the clock has stopped.
fn time_forward(bencher: Bencher, chain: &Chain, nodes: usize) {
    bencher
        .counter(ItemsCount::new(nodes))
        .bench(|| chain.of_length(nodes));
}

/// A graph that is kept is reversed again and again; slopes add up within a sample, which begins from zero.
fn time_backward(bencher: Bencher, chain: &Chain, nodes: usize) {
    let (output, seed) = (chain.of_length(nodes), full(1e-6));
    bencher
        .counter(ItemsCount::new(nodes))
        .with_inputs(|| {
            chain.start.zero_grad().unwrap();
            if chain.other.is_parameter() {
                chain.other.zero_grad().unwrap();
            }
        })
        .bench_values(|()| reverse(&output, &seed, GraphRetention::Retain));
}

mod forward {
    use super::*;

    #[divan::bench(args = LENGTHS)]
    fn one_edge(bencher: Bencher, nodes: usize) {
        time_forward(bencher, &Chain::with_a_constant(), nodes);
    }

    #[divan::bench(args = LENGTHS)]
    fn two_edges(bencher: Bencher, nodes: usize) {
        time_forward(bencher, &Chain::with_a_parameter(), nodes);
    }

    #[divan::bench(args = LENGTHS)]
    fn a_saved_operand(bencher: Bencher, nodes: usize) {
        time_forward(bencher, &Chain::of_squares(), nodes);
    }

    #[divan::bench(args = LENGTHS)]
    fn without_tracking(bencher: Bencher, nodes: usize) {
        let chain = Chain::with_a_constant();
        bencher
            .counter(ItemsCount::new(nodes))
            .bench(|| no_grad(|| chain.of_length(nodes)));
    }

    #[divan::bench(args = LENGTHS)]
    fn on_plain_tensors(bencher: Bencher, nodes: usize) {
        let (start, other) = (full(1.0), full(0.5));
        bencher.counter(ItemsCount::new(nodes)).bench(|| {
            let mut y = start.clone();
            for _ in 0..nodes {
                y = apart(&y, &other).unwrap();
            }
            y
        });
    }
}

mod backward {
    use super::*;

    #[divan::bench(args = LENGTHS)]
    fn one_edge(bencher: Bencher, nodes: usize) {
        time_backward(bencher, &Chain::with_a_constant(), nodes);
    }

    #[divan::bench(args = LENGTHS)]
    fn two_edges(bencher: Bencher, nodes: usize) {
        time_backward(bencher, &Chain::with_a_parameter(), nodes);
    }

    #[divan::bench(args = LENGTHS)]
    fn releasing(bencher: Bencher, nodes: usize) {
        let (chain, seed) = (Chain::with_a_constant(), full(1e-6));
        bencher
            .counter(ItemsCount::new(nodes))
            .with_inputs(|| chain.of_length(nodes))
            .bench_refs(|output| reverse(output, &seed, GraphRetention::Release));
    }

    #[divan::bench(args = LENGTHS)]
    fn with_a_trace(bencher: Bencher, nodes: usize) {
        let (chain, seed) = (Chain::with_a_constant(), full(1e-6));
        let output = chain.of_length(nodes);
        bencher.counter(ItemsCount::new(nodes)).bench(|| {
            output
                .backward_with_seed_and_trace(&seed.view(), GraphRetention::Retain)
                .unwrap()
        });
    }
}

mod end {
    use super::*;

    #[divan::bench(args = LENGTHS)]
    fn of_a_graph(bencher: Bencher, nodes: usize) {
        let chain = Chain::with_a_constant();
        bencher
            .counter(ItemsCount::new(nodes))
            .with_inputs(|| chain.of_length(nodes))
            .bench_values(drop);
    }
}

mod leaf {
    use super::*;

    #[divan::bench]
    fn parameter() -> TensorValue<f32> {
        super::parameter(1.0)
    }

    #[divan::bench]
    fn read(bencher: Bencher) {
        let leaf = super::parameter(1.0);
        bencher.bench(|| leaf.value().as_slice().first().copied());
    }

    #[divan::bench(args = [1, 100])]
    fn update_all(bencher: Bencher, count: usize) {
        let leaves: Vec<_> = (0..count).map(|_| super::parameter(1.0)).collect();
        bencher
            .counter(ItemsCount::new(count))
            .with_inputs(|| vec![full(2.0); count])
            .bench_values(|values| super::update_all(leaves.iter().zip(values)).unwrap());
    }
}
