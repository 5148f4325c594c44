//! Rotary position embeddings.

use autodiff_core::prelude::*;

/// Why a rotation was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RotaryError {
    /// The last two axes are positions and pairs.
    #[error("expected a shape of positions by an even width, got {shape:?}")]
    Shape {
        /// The shape.
        shape: Vec<usize>,
    },
    /// Angles are powers of theta.
    #[error("expected a finite theta above 0, got {theta}")]
    Theta {
        /// Theta.
        theta: f64,
    },
}

/// Rotates the pairs `(x_i, x_{i + D/2})` of every position `t` by `(t + position_offset) theta^(-2i/D)`:
/// `(u, w)` becomes `(u cos a - w sin a, w cos a + u sin a)`.
///
/// # Shapes
/// `x: [.., T, D] -> y: [.., T, D]`
/// # Errors
/// [`RotaryError`]: a rank below 2, an odd `D`, and a `theta` that is not positive and finite.
/// # VJP
/// `x̄` is `ȳ` rotated back: a rotation's transpose is its inverse. Source: linearity.
#[vjp_rule]
#[gradcheck(x: [.., t, 2 * d], theta = 10000.0 | 7.0, position_offset = 0 | 3)]
pub fn rope_half<T: Element>(
    x: &Tensor<T>,
    theta: f64,
    position_offset: usize,
) -> Result<Tensor<T>> {
    /// upstream rotated back
    #[vjp(x)]
    fn x_vjp(
        upstream: &Tensor<T>,
        cosines: &Tensor<T>,
        sines: &Tensor<T>,
        _theta: f64,
        _position_offset: usize,
    ) -> Result<Tensor<T>> {
        rotate_halves(upstream, cosines, &sines.map(|s| -s))
    }
    let [cosines, sines] = angles(x.shape(), theta, position_offset)?;
    rotate_halves(x, &cosines, &sines)
}

/// Rotates the pairs `(x_{2i}, x_{2i+1})` of every position `t` by `(t + position_offset) theta^(-2i/D)`:
/// `(u, w)` becomes `(u cos a - w sin a, w cos a + u sin a)`.
///
/// # Shapes
/// `x: [.., T, D] -> y: [.., T, D]`
/// # Errors
/// [`RotaryError`]: a rank below 2, an odd `D`, and a `theta` that is not positive and finite.
/// # VJP
/// `x̄` is `ȳ` rotated back: a rotation's transpose is its inverse. Source: linearity.
#[vjp_rule]
#[gradcheck(x: [.., t, 2 * d], theta = 10000.0 | 7.0, position_offset = 0 | 3)]
pub fn rope_interleaved<T: Element>(
    x: &Tensor<T>,
    theta: f64,
    position_offset: usize,
) -> Result<Tensor<T>> {
    /// upstream rotated back
    #[vjp(x)]
    fn x_vjp(
        upstream: &Tensor<T>,
        cosines: &Tensor<T>,
        sines: &Tensor<T>,
        _theta: f64,
        _position_offset: usize,
    ) -> Result<Tensor<T>> {
        rotate_neighbours(upstream, cosines, &sines.map(|s| -s))
    }
    let [cosines, sines] = angles(x.shape(), theta, position_offset)?;
    rotate_neighbours(x, &cosines, &sines)
}

/// Cosines and sines, `[T, D/2]` each, or `[0, 0]` for a shape without elements.
fn angles<T: Element>(
    shape: &[usize],
    theta: f64,
    position_offset: usize,
) -> Result<[Tensor<T>; 2]> {
    let (positions, width) = match shape {
        [.., positions, width] if width.is_multiple_of(2) => (*positions, *width),
        _ => {
            return Err(OpError::new(RotaryError::Shape {
                shape: shape.to_vec(),
            })
            .into());
        }
    };
    if !(theta > 0.0 && theta.is_finite()) {
        return Err(OpError::new(RotaryError::Theta { theta }).into());
    }
    if shape.contains(&0) {
        // Nothing is turned, and the extents of a shape without elements may be larger than any table.
        return Ok([Tensor::zeros([0, 0])?, Tensor::zeros([0, 0])?]);
    }
    let pairs = width / 2;
    let speeds: Vec<f64> = (0..pairs)
        .map(|i| theta.powf(-2.0 * i as f64 / width as f64))
        .collect();
    let mut cosines = Tensor::ones([positions, pairs])?;
    let mut sines = Tensor::zeros([positions, pairs])?;
    let places = cosines.as_mut_slice().iter_mut().zip(sines.as_mut_slice());
    for (index, (cosine, sine)) in places.enumerate() {
        // In double precision for every element type: a position times a speed may be large.
        let position = (index / pairs) as f64 + position_offset as f64;
        let angle = position * speeds[index % pairs];
        *cosine = T::from_f64(angle.cos());
        *sine = T::from_f64(angle.sin());
    }
    Ok([cosines, sines])
}

fn rotate_halves<T: Element>(
    x: &Tensor<T>,
    cosines: &Tensor<T>,
    sines: &Tensor<T>,
) -> Result<Tensor<T>> {
    let pairs = cosines.shape().last().copied().unwrap_or_default();
    by_position(x, cosines, sines, |x, cosines, sines, out| {
        let (us, ws) = x.split_at(pairs);
        let (out_us, out_ws) = out.split_at_mut(pairs);
        let angles = cosines.iter().zip(sines);
        for ((place, (&u, &w)), (&c, &s)) in
            out_us.iter_mut().zip(us.iter().zip(ws)).zip(angles.clone())
        {
            *place = u * c - w * s;
        }
        for ((place, (&u, &w)), (&c, &s)) in out_ws.iter_mut().zip(us.iter().zip(ws)).zip(angles) {
            *place = w * c + u * s;
        }
    })
}

fn rotate_neighbours<T: Element>(
    x: &Tensor<T>,
    cosines: &Tensor<T>,
    sines: &Tensor<T>,
) -> Result<Tensor<T>> {
    by_position(x, cosines, sines, |x, cosines, sines, out| {
        let pairs = x.as_chunks::<2>().0.iter().zip(out.as_chunks_mut::<2>().0);
        for ((&[u, w], place), (&c, &s)) in pairs.zip(cosines.iter().zip(sines)) {
            *place = [u * c - w * s, w * c + u * s];
        }
    })
}

/// `f(row, cosines, sines, out)` of every position.
fn by_position<T: Element>(
    x: &Tensor<T>,
    cosines: &Tensor<T>,
    sines: &Tensor<T>,
    f: impl Fn(&[T], &[T], &[T], &mut [T]),
) -> Result<Tensor<T>> {
    let pairs = cosines.shape().last().copied().unwrap_or_default().max(1);
    let mut output = Tensor::unwritten(x.shape())?;
    let angles = || {
        cosines
            .as_slice()
            .chunks_exact(pairs)
            .zip(sines.as_slice().chunks_exact(pairs))
    };
    let matrix = cosines.len().max(1) * 2;
    let matrices = x
        .as_slice()
        .chunks_exact(matrix)
        .zip(output.as_mut_slice().chunks_exact_mut(matrix));
    for (x, out) in matrices {
        let rows = x
            .chunks_exact(2 * pairs)
            .zip(out.chunks_exact_mut(2 * pairs));
        for ((row, out), (cosines, sines)) in rows.zip(angles()) {
            f(row, cosines, sines, out);
        }
    }
    Ok(output)
}

#[cfg(test)]
mod tests;
