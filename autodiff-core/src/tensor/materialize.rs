//! Copying strided elements into row-major order: by runs where they are contiguous, else by tiles.

use std::array;

use super::base::Tensor;
use super::loops::Loops;
use super::parallel::{for_parts, for_rows};
use super::shape::Shape;
use super::storage::Stored;
use crate::error::Result;

/// The side of a tile: 16 elements of 4 bytes are one cache line.
const TILE: usize = 16;

/// An owned copy of the elements that a view with these strides shows.
pub(super) fn copy<T: Stored>(
    storage: &[T],
    shape: &Shape,
    strides: &[usize],
) -> Result<Tensor<T>> {
    let loops = Loops::new(shape, [strides]);
    match storage.first() {
        Some(&first) if loops.len() > 0 => {
            Tensor::written(shape.clone(), first, |out| write(out, storage, &loops))
        }
        _ => Ok(Tensor::empty(shape.clone())),
    }
}

fn write<T: Stored>(out: &mut [T], storage: &[T], loops: &Loops<1>) {
    let [step] = loops.inner_strides();
    if step > 1
        && let Some(plan) = Transposition::of(loops)
    {
        return plan.write(out, storage);
    }
    for_parts(
        out,
        #[inline(always)]
        |first, out| {
            loops.for_each_run(
                first..first + out.len(),
                #[inline(always)]
                |start, len, [offset]| {
                    let out = &mut out[start - first..][..len];
                    match step {
                        0 => out.fill(storage[offset]),
                        1 => out.copy_from_slice(&storage[offset..offset + len]),
                        _ => {
                            let strided = storage[offset..].iter().step_by(step);
                            for (place, &x) in out.iter_mut().zip(strided) {
                                *place = x;
                            }
                        }
                    }
                },
            );
        },
    );
}

/// A copy whose innermost axis strides over the input while another axis is contiguous there.
struct Transposition {
    /// Every axis but the two of a tile, as strides of input and output.
    rest: Loops<2>,
    /// Extent and output stride of the axis that is contiguous in the input.
    along_input: [usize; 2],
    /// Extent and input stride of the axis that is contiguous in the output.
    along_output: [usize; 2],
}

impl Transposition {
    fn of(loops: &Loops<1>) -> Option<Self> {
        let mut axes: Vec<_> = loops
            .axes()
            .map(|axis| [axis.extent, axis.strides[0], 1])
            .collect();
        let mut output_stride = 1;
        for axis in axes.iter_mut().rev() {
            axis[2] = output_stride;
            output_stride *= axis[0];
        }
        let [extent, input_stride, _] = axes.pop()?;
        let contiguous = axes
            .iter()
            .position(|&[extent, stride, _]| stride == 1 && extent >= 4)?;
        let [along, _, along_stride] = axes.remove(contiguous);
        let shape: Vec<_> = axes.iter().map(|axis| axis[0]).collect();
        let strides: [Vec<_>; 2] = [
            axes.iter().map(|axis| axis[1]).collect(),
            axes.iter().map(|axis| axis[2]).collect(),
        ];
        let [input, output] = &strides;
        Some(Self {
            rest: Loops::new(&shape, [input, output]),
            along_input: [along, along_stride],
            along_output: [extent, input_stride],
        })
    }

    fn write<T: Stored>(&self, out: &mut [T], storage: &[T]) {
        let [inputs, stride] = self.along_input;
        if self.rest.len() == 1 && stride * inputs == out.len() {
            // One matrix: threads turn as many whole rows of tiles each.
            for_rows(
                out,
                stride * TILE,
                1,
                #[inline(always)]
                |first, out| {
                    self.write_plane(out.len() / stride, out, &storage[first * TILE..]);
                },
            );
            return;
        }
        let steps = self.rest.inner_strides();
        self.rest
            .for_each_run(0..self.rest.len(), |_, len, [input, output]| {
                for index in 0..len {
                    let input = input + index * steps[0];
                    let output = output + index * steps[1];
                    self.write_plane(inputs, &mut out[output..], &storage[input..]);
                }
            });
    }

    /// `out[q Q + p] = storage[q + p P]` for the first `inputs` of `q`, tile by tile.
    #[inline(always)]
    fn write_plane<T: Copy>(&self, inputs: usize, out: &mut [T], storage: &[T]) {
        let [_, output_stride] = self.along_input;
        let [outputs, input_stride] = self.along_output;
        for p in (0..outputs).step_by(TILE) {
            for q in (0..inputs).step_by(TILE) {
                if p + TILE <= outputs && q + TILE <= inputs {
                    let from = &storage[q + p * input_stride..];
                    write_tile(
                        &mut out[q * output_stride + p..],
                        output_stride,
                        from,
                        input_stride,
                    );
                    continue;
                }
                for q in q..inputs.min(q + TILE) {
                    for p in p..outputs.min(p + TILE) {
                        out[q * output_stride + p] = storage[q + p * input_stride];
                    }
                }
            }
        }
    }
}

/// One full tile, read line by line, turned in registers four by four, written line by line.
#[inline(always)]
fn write_tile<T: Copy>(out: &mut [T], output_stride: usize, storage: &[T], input_stride: usize) {
    let mut tile = [[storage[0]; TILE]; TILE];
    for (p, line) in tile.iter_mut().enumerate() {
        line.copy_from_slice(&storage[p * input_stride..][..TILE]);
    }
    for q in (0..TILE).step_by(4) {
        let mut lines = [[storage[0]; TILE]; 4];
        for p in (0..TILE).step_by(4) {
            let block: [[T; 4]; 4] = array::from_fn(|i| array::from_fn(|j| tile[p + i][q + j]));
            for (j, line) in lines.iter_mut().enumerate() {
                for (i, row) in block.iter().enumerate() {
                    line[p + i] = row[j];
                }
            }
        }
        for (j, line) in lines.iter().enumerate() {
            out[(q + j) * output_stride..][..TILE].copy_from_slice(line);
        }
    }
}

#[cfg(test)]
mod tests;
