//! Where the boxes and lines of a layered graph stand: every node below its operands, lines around boxes.
//!
//! Layers by longest path from the outputs, so that a parameter stands just above its use; order within
//! a layer by barycentres; places by least squares under the distances that must be kept.
//!
//! Invariant: time and memory grow with nodes and lines, whatever the graph. Invariant: a line crosses the
//! band of a layer vertically, at a place of its own, so it never runs through a box.

mod place;

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
/// How many places lines may take in layers that they pass, per box and line. Beyond that they run beside the
/// graph: a chain where each node also uses the first would have quadratically many.
const LANES_PER_PART: usize = 8;
/// And how many in all: each is some sixty bytes of a picture.
const LANES: usize = 20_000;

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

#[cfg(test)]
mod tests;
