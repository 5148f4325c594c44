//! The order of each layer and the place of every vertex in it.

use super::{GAP, Graph};

/// How often the layers are ordered, and placed, from above and from below: more hardly shows.
const SWEEPS: usize = 6;
/// What a step along a box counts for, against the place of the box in its layer: little.
const ENTRY_SHARE: f64 = 1e-5;

impl Graph {
    /// Orders each layer by the mean place of its neighbours in the layer before, down and up by turns.
    pub(super) fn order(&mut self) {
        let mut place = vec![0.0; self.vertices.len()];
        let number = |place: &mut [f64], layer: &[usize]| {
            for (position, &vertex) in layer.iter().enumerate() {
                // Relative, since layers differ in how many they hold.
                place[vertex] = (position as f64 + 0.5) / layer.len() as f64;
            }
        };
        for layer in &self.layers {
            number(&mut place, layer);
        }
        for sweep in 0..SWEEPS {
            let down = sweep % 2 == 0;
            let count = self.layers.len();
            for step in 0..count {
                let layer = if down { step } else { count - 1 - step };
                let neighbours = if down { &self.above } else { &self.below };
                // Operands in order: where a line enters decides between lines to one box.
                let key = |&(other, entry): &(usize, f64)| {
                    place[other] + if down { 0.0 } else { entry * ENTRY_SHARE }
                };
                let mut keyed: Vec<(f64, usize)> = self.layers[layer]
                    .iter()
                    .map(|&vertex| {
                        let mean = mean(neighbours[vertex].iter().map(key));
                        (mean.unwrap_or(place[vertex]), vertex)
                    })
                    .collect();
                // Stable: what does not matter stays as it was.
                keyed.sort_by(|left, right| left.0.total_cmp(&right.0));
                self.layers[layer] = keyed.into_iter().map(|(_, vertex)| vertex).collect();
                number(&mut place, &self.layers[layer]);
            }
        }
    }

    /// Moves every vertex towards the mean of its neighbours, keeping order and distances; all begin at 0.
    pub(super) fn place(&mut self) {
        for sweep in 0..4 * SWEEPS {
            let count = self.layers.len();
            for step in 0..count {
                let layer = if sweep % 2 == 0 {
                    step
                } else {
                    count - 1 - step
                };
                self.settle(layer);
            }
        }
    }

    /// Where the lines of a vertex would be straight. A box follows what was computed, not the parameters
    /// beside it: so the way of the computation is straight.
    fn wanted(&self, vertex: usize) -> Option<f64> {
        let above = self.above[vertex].iter();
        let is_leaf = |&&(other, _): &&(usize, f64)| self.above[other].is_empty();
        let only_leaves = above.clone().all(|parent| is_leaf(&parent));
        let own_leaf = self.above[vertex].is_empty();
        let above = above
            .filter(|parent| only_leaves || !is_leaf(parent))
            .map(|&(other, _)| (other, 0.0));
        // A parameter stands over the place where it is used, everything else over the middle.
        let below = self.below[vertex]
            .iter()
            .map(|&(other, entry)| (other, if own_leaf { entry } else { 0.0 }));
        let (mut sum, mut total) = (0.0, 0.0);
        for (other, entry) in above.chain(below) {
            // Bends show most in long lines.
            let weight = match [vertex, other].map(|end| self.is_lane(end)) {
                [true, true] => 8.0,
                [false, false] => 1.0,
                _ => 2.0,
            };
            sum += weight * (self.vertices[other].x + entry);
            total += weight;
        }
        (total > 0.0).then(|| sum / total)
    }

    /// How much a vertex insists on its place against others of its layer: parameters make way.
    fn weight(&self, vertex: usize) -> f64 {
        match (self.is_lane(vertex), self.above[vertex].is_empty()) {
            (true, _) => 4.0,
            (false, false) => 1.0,
            (false, true) => 0.01,
        }
    }

    fn is_lane(&self, vertex: usize) -> bool {
        vertex >= self.boxes
    }

    /// The places of one layer that are nearest, in squares, to those that its vertices want.
    fn settle(&mut self, layer: usize) {
        let members = &self.layers[layer];
        // Each block wants a place and holds the members from its first one on.
        let mut blocks: Vec<(f64, f64, usize)> = Vec::with_capacity(members.len());
        let mut offset = 0.0;
        let mut offsets = Vec::with_capacity(members.len());
        for (position, &vertex) in members.iter().enumerate() {
            if position > 0 {
                let before = self.vertices[members[position - 1]].width;
                offset += (before + self.vertices[vertex].width) / 2.0 + GAP;
            }
            offsets.push(offset);
            let wanted = self.wanted(vertex).unwrap_or(self.vertices[vertex].x) - offset;
            let mut block = (wanted, self.weight(vertex), position);
            // Blocks that want to stand in the wrong order stand together, between what they want.
            while let Some(&(before, weight, first)) = blocks.last() {
                if before <= block.0 {
                    break;
                }
                let total = weight + block.1;
                block = ((before * weight + block.0 * block.1) / total, total, first);
                blocks.pop();
            }
            blocks.push(block);
        }
        let ends = blocks
            .iter()
            .skip(1)
            .map(|block| block.2)
            .chain([members.len()]);
        for (&(start, _, first), end) in blocks.iter().zip(ends) {
            for position in first..end {
                self.vertices[members[position]].x = start + offsets[position];
            }
        }
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value;
        count += 1.0;
    }
    (count > 0.0).then(|| sum / count)
}
