//! Where the boxes and lines of a layered graph stand: every node below its operands, lines around boxes.
//!
//! Layers by longest path from the outputs, so that a parameter stands just above its use; order within
//! a layer by barycentres; places by least squares under the distances that must be kept.
//!
//! Invariant: time and memory grow with nodes and lines, whatever the graph. Invariant: a line crosses the
//! band of a layer vertically, at a place of its own, so it never runs through a box.

use std::collections::BTreeMap;

/// A box to be placed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A line to be placed: from below a box to above another, with a later position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Where it enters, as a distance from the middle of the box `to`.
    pub(super) entry: f64,
}

/// A placed graph.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    pub(super) width: f64,
    pub(super) height: f64,
    /// The left upper corner of every box.
    pub(super) corners: Vec<(f64, f64)>,
    /// The points of every line: it is vertical at each of them.
    pub(super) lines: Vec<Vec<(f64, f64)>>,
}

/// Between boxes of a layer, and around the whole.
const GAP: f64 = 22.0;
/// Between layers: room for lines to change places.
const LAYER_GAP: f64 = 38.0;
/// What a line takes in a layer that it passes.
const LANE: f64 = 14.0;
/// How often the layers are ordered, and placed, from above and from below: more hardly shows.
const SWEEPS: usize = 6;
/// How many places lines may take in layers that they pass, per box and line. Beyond that they run beside the
/// graph: a chain where each node also uses the first would have quadratically many.
const LANES_PER_PART: usize = 8;
/// And how many in all: each is some sixty bytes of a picture.
const LANES: usize = 20_000;

/// What a step along a box counts for, against the place of the box in its layer: little.
const ENTRY_SHARE: f64 = 1e-5;

/// A box, or a line that passes a layer.
#[derive(Clone, Copy, Debug)]
struct Vertex {
    layer: usize,
    width: f64,
    height: f64,
    x: f64,
}

struct Graph {
    /// The vertices before this one are boxes, the others lanes.
    boxes: usize,
    vertices: Vec<Vertex>,
    /// Vertices of each layer, from left to right.
    layers: Vec<Vec<usize>>,
    /// The vertices that lines come from, and where each enters, from the middle.
    above: Vec<Vec<(usize, f64)>>,
    /// The vertices that lines lead to, and where each enters, from the middle of what it enters.
    below: Vec<Vec<(usize, f64)>>,
    /// The vertices that each line goes through, or `None` where it runs beside the graph.
    routes: Vec<Option<Vec<usize>>>,
}

/// Places boxes and lines. A line that does not lead to a later box is left without points.
pub(super) fn layout(boxes: &[Extent], lines: &[Line]) -> Layout {
    if boxes.is_empty() {
        return Layout::default();
    }
    let mut graph = Graph::new(boxes, lines);
    graph.order();
    graph.place();
    graph.drawn(boxes, lines)
}

/// The layer of every box: one less than the least layer of those below it.
fn layers_of(count: usize, lines: &[Line]) -> Vec<usize> {
    let mut below = vec![Vec::new(); count];
    let mut above = vec![Vec::new(); count];
    for line in lines.iter().filter(|line| is_downward(line, count)) {
        below[line.from].push(line.to);
        above[line.to].push(line.from);
    }
    let mut layers = vec![0_usize; count];
    for node in 0..count {
        layers[node] = above[node]
            .iter()
            .map(|&parent| layers[parent] + 1)
            .max()
            .unwrap_or(0);
    }
    for node in (0..count).rev() {
        if let Some(least) = below[node].iter().map(|&child| layers[child]).min() {
            layers[node] = least.saturating_sub(1).max(layers[node]);
        }
    }
    layers
}

fn is_downward(line: &Line, count: usize) -> bool {
    line.from < line.to && line.to < count
}

impl Graph {
    fn new(boxes: &[Extent], lines: &[Line]) -> Self {
        let of_box = layers_of(boxes.len(), lines);
        let mut graph = Self {
            boxes: boxes.len(),
            vertices: Vec::new(),
            layers: vec![Vec::new(); of_box.iter().max().map_or(0, |last| last + 1)],
            above: Vec::new(),
            below: Vec::new(),
            routes: Vec::with_capacity(lines.len()),
        };
        for (&Extent { width, height }, &layer) in boxes.iter().zip(&of_box) {
            graph.add(Vertex {
                layer,
                width,
                height,
                x: 0.0,
            });
        }
        let mut lanes = LANES.min(LANES_PER_PART * (boxes.len() + lines.len()));
        for line in lines {
            if !is_downward(line, boxes.len()) {
                graph.routes.push(Some(Vec::new()));
                continue;
            }
            let passed = of_box[line.from] + 1..of_box[line.to];
            let Some(left) = lanes.checked_sub(passed.len()) else {
                graph.routes.push(None);
                continue;
            };
            lanes = left;
            let mut route = vec![line.from];
            for layer in passed {
                route.push(graph.add(Vertex {
                    layer,
                    width: LANE,
                    height: 0.0,
                    x: 0.0,
                }));
            }
            route.push(line.to);
            for pair in route.windows(2) {
                let entry = if pair[1] == line.to { line.entry } else { 0.0 };
                graph.below[pair[0]].push((pair[1], entry));
                graph.above[pair[1]].push((pair[0], entry));
            }
            graph.routes.push(Some(route));
        }
        graph
    }

    fn add(&mut self, vertex: Vertex) -> usize {
        let index = self.vertices.len();
        self.layers[vertex.layer].push(index);
        self.vertices.push(vertex);
        self.above.push(Vec::new());
        self.below.push(Vec::new());
        index
    }

    /// Orders each layer by the mean place of its neighbours in the layer before, down and up by turns.
    fn order(&mut self) {
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
    fn place(&mut self) {
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

    fn drawn(&self, boxes: &[Extent], lines: &[Line]) -> Layout {
        let left = self
            .vertices
            .iter()
            .map(|vertex| vertex.x - vertex.width / 2.0);
        let left = left.fold(f64::INFINITY, f64::min) - GAP;
        let right = self
            .vertices
            .iter()
            .map(|vertex| vertex.x + vertex.width / 2.0);
        let right = right.fold(f64::NEG_INFINITY, f64::max) + GAP;
        let mut bands = Vec::with_capacity(self.layers.len());
        let mut y = GAP;
        for layer in &self.layers {
            let height = layer.iter().map(|&vertex| self.vertices[vertex].height);
            let height = height.fold(0.0, f64::max);
            bands.push((y, y + height));
            y += height + LAYER_GAP;
        }
        let exits = self.exits(boxes, lines);
        let beside = right - left + GAP;
        let points = |(number, line): (usize, &Line)| {
            let route = self.routes[number].as_deref();
            if route.is_some_and(<[usize]>::is_empty) {
                return Vec::new();
            }
            let [from, to] = [line.from, line.to].map(|vertex| &self.vertices[vertex]);
            let start = from.x - left + exits[number];
            let top = bands[from.layer].0;
            let mut points = vec![(start, top + from.height), (start, bands[from.layer].1)];
            match route {
                Some(route) => {
                    for &passed in route.iter().skip(1).take(route.len().saturating_sub(2)) {
                        let Vertex { layer, x, .. } = self.vertices[passed];
                        points.push((x - left, bands[layer].0));
                        points.push((x - left, bands[layer].1));
                    }
                }
                None => points.extend([
                    (beside, bands[from.layer].1 + LAYER_GAP),
                    (beside, bands[to.layer].0 - LAYER_GAP),
                ]),
            }
            points.push((to.x - left + line.entry, bands[to.layer].0));
            points
        };
        let corner =
            |vertex: &Vertex| (vertex.x - vertex.width / 2.0 - left, bands[vertex.layer].0);
        let is_beside = self.routes.iter().any(Option::is_none);
        Layout {
            width: if is_beside {
                beside + GAP
            } else {
                right - left
            },
            height: y - LAYER_GAP + GAP,
            corners: self.vertices.iter().take(boxes.len()).map(corner).collect(),
            lines: lines.iter().enumerate().map(points).collect(),
        }
    }

    /// Where each line leaves its box, from the middle: side by side, in the order of where they lead.
    fn exits(&self, boxes: &[Extent], lines: &[Line]) -> Vec<f64> {
        let mut leaving: BTreeMap<usize, Vec<(f64, usize)>> = BTreeMap::new();
        for (number, line) in lines
            .iter()
            .enumerate()
            .filter(|(_, line)| is_downward(line, boxes.len()))
        {
            let aim = match &self.routes[number] {
                Some(route) => route.get(1).map_or(0.0, |&next| {
                    self.vertices[next].x + if next == line.to { line.entry } else { 0.0 }
                }),
                None => f64::INFINITY,
            };
            leaving.entry(line.from).or_default().push((aim, number));
        }
        let mut exits = vec![0.0; lines.len()];
        for (from, mut aims) in leaving {
            aims.sort_by(|left, right| left.0.total_cmp(&right.0));
            let spacing = spacing(boxes[from].width, aims.len());
            let middle = (aims.len() as f64 - 1.0) / 2.0;
            for (position, (_, number)) in aims.into_iter().enumerate() {
                exits[number] = (position as f64 - middle) * spacing;
            }
        }
        exits
    }
}

/// How far apart `count` lines meet a box.
pub(super) fn spacing(width: f64, count: usize) -> f64 {
    (width / (count as f64 + 1.0)).min(72.0)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value;
        count += 1.0;
    }
    (count > 0.0).then(|| sum / count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SIZE: Extent = Extent {
        width: 60.0,
        height: 30.0,
    };

    fn line(from: usize, to: usize) -> Line {
        Line {
            from,
            to,
            entry: 0.0,
        }
    }

    #[test]
    fn a_parameter_stands_just_above_its_use() {
        let lines = [line(0, 1), line(1, 2), line(2, 4), line(3, 4)];
        assert_eq!(layers_of(5, &lines), [0, 1, 2, 2, 3]);
    }

    #[test]
    fn a_chain_is_straight() {
        let layout = layout(&[SIZE; 3], &[line(0, 1), line(1, 2)]);
        let xs: Vec<f64> = layout.corners.iter().map(|corner| corner.0).collect();
        assert_eq!(xs, [GAP; 3]);
    }

    #[test]
    fn lines_of_quadratic_length_run_beside_the_graph() {
        let count = 400;
        let chain = (1..count).map(|node| line(node - 1, node));
        let skips = (2..count).map(|node| line(0, node));
        let layout = layout(&vec![SIZE; count], &chain.chain(skips).collect::<Vec<_>>());
        // Two points for every place that a line takes, and at most five for its ends.
        let points: usize = layout.lines.iter().map(Vec::len).sum();
        let lines = layout.lines.len();
        assert!(
            points <= 2 * LANES_PER_PART * (count + lines) + 5 * lines,
            "{points}"
        );
    }

    /// A line that leads nowhere later has no points, and does no harm.
    #[test]
    fn a_line_upward_is_left_out() {
        let layout = layout(&[SIZE; 2], &[line(1, 0), line(0, 7), line(0, 0)]);
        assert!(layout.lines.iter().all(Vec::is_empty));
    }

    proptest! {
        #[test]
        fn no_box_overlaps_another_and_no_line_runs_through_one(
            count in 2..24_usize,
            pairs in proptest::collection::vec((0..24_usize, 0..24_usize, 40.0..120.0_f64), 1..40),
        ) {
            let boxes: Vec<Extent> = (0..count)
                .map(|node| Extent { width: pairs[node % pairs.len()].2, height: 30.0 })
                .collect();
            let lines: Vec<Line> = pairs
                .iter()
                .map(|&(from, to, _)| line(from % count, to % count))
                .filter(|line| line.from < line.to)
                .collect();
            let layout = layout(&boxes, &lines);
            let areas: Vec<[f64; 4]> = boxes
                .iter()
                .zip(&layout.corners)
                .map(|(size, &(x, y))| [x, y, x + size.width, y + size.height])
                .collect();
            for (first, a) in areas.iter().enumerate() {
                prop_assert!(a[0] >= 0.0 && a[1] >= 0.0 && a[2] <= layout.width && a[3] <= layout.height);
                for b in &areas[first + 1..] {
                    let apart = a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
                    prop_assert!(apart, "{a:?} {b:?}");
                }
            }
            for points in &layout.lines {
                for pair in points.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
                    for area in &areas {
                        let beside = pair[0].0 <= area[0] || pair[0].0 >= area[2];
                        let apart = pair[1].1 <= area[1] || pair[0].1 >= area[3];
                        prop_assert!(beside || apart, "{pair:?} {area:?}");
                    }
                }
            }
        }
    }
}
