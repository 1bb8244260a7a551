//! Where nodes and edges of a drawing go: layers from top to bottom, few crossings, straight lines where possible.
//!
//! Edges that lead back are turned round, long edges get a point in each layer between, points of a layer are ordered by
//! the middle of their neighbours, and pulled towards them.

use super::Drawing;

pub const CHAR: f64 = 7.0;
pub const LINE: f64 = 15.0;
/// Characters of a condition that are shown; all of it is told when one points at it.
pub const LONGEST: usize = 40;
const GAP_X: f64 = 28.0;
const GAP_Y: f64 = 52.0;
const MARGIN: f64 = 16.0;
/// Rounds of ordering and of pulling.
const SWEEPS: usize = 12;

pub struct Layout {
    pub width: f64,
    pub height: f64,
    /// Middle, width and height of each node.
    pub boxes: Vec<Rect>,
    /// Points of each edge from its start to its end; empty for an edge from a node to itself.
    pub lines: Vec<Vec<(f64, f64)>>,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// A node, or a point of a long edge.
struct Point {
    layer: usize,
    width: f64,
    height: f64,
    /// What it needs in its row: its own width, or that of a text above it.
    room: f64,
    x: f64,
    up: Vec<usize>,
    down: Vec<usize>,
}

pub fn layout(drawing: &Drawing) -> Layout {
    let back = back_edges(drawing);
    let layers = layers(drawing, &back);
    let mut points: Vec<Point> = drawing
        .nodes
        .iter()
        .enumerate()
        .map(|(i, node)| {
            let chars = node.text.iter().chain([&node.name]).map(|t| t.chars().count()).max().unwrap_or(1);
            let width = (chars as f64 * CHAR + 20.0).max(44.0);
            Point {
                layer: layers[i],
                width,
                room: width,
                height: (node.text.len() + 1) as f64 * LINE + 10.0,
                x: 0.0,
                up: Vec::new(),
                down: Vec::new(),
            }
        })
        .collect();
    // The chain of points of each edge, from top to bottom.
    let mut chains: Vec<Vec<usize>> = Vec::new();
    for (e, edge) in drawing.edges.iter().enumerate() {
        let (top, bottom) = if back[e] { (edge.to, edge.from) } else { (edge.from, edge.to) };
        let mut chain = vec![top];
        if top != bottom {
            for layer in layers[top] + 1..layers[bottom] {
                points.push(Point {
                    layer,
                    width: 10.0,
                    room: 10.0,
                    height: 0.0,
                    x: 0.0,
                    up: vec![],
                    down: vec![],
                });
                chain.push(points.len() - 1);
            }
            chain.push(bottom);
            for pair in chain.windows(2) {
                points[pair[0]].down.push(pair[1]);
                points[pair[1]].up.push(pair[0]);
            }
            // The text of an edge stands where it comes to the next row.
            let beside = if back[e] { chain[chain.len() - 2] } else { chain[1] };
            points[beside].room = points[beside].room.max(label_width(&edge.text) - GAP_X / 2.0);
        }
        chains.push(chain);
    }
    let mut order = order(&mut points);
    place(&mut points, &mut order);
    coordinates(drawing, &points, &order, &chains, &back)
}

/// How wide the text of an edge is drawn.
pub fn label_width(text: &str) -> f64 {
    text.chars().count().min(LONGEST) as f64 * 6.4 + 8.0
}

/// Edges that lead back in a depth-first walk from the first node.
fn back_edges(drawing: &Drawing) -> Vec<bool> {
    let mut succs: Vec<Vec<usize>> = vec![Vec::new(); drawing.nodes.len()];
    for (e, edge) in drawing.edges.iter().enumerate() {
        succs[edge.from].push(e);
    }
    // 0 new, 1 on the stack, 2 done.
    let mut state = vec![0_u8; drawing.nodes.len()];
    let mut back = vec![false; drawing.edges.len()];
    for root in 0..drawing.nodes.len() {
        if state[root] != 0 {
            continue;
        }
        state[root] = 1;
        let mut stack = vec![(root, 0)];
        while let Some((node, next)) = stack.last_mut() {
            let Some(edge) = succs[*node].get(*next).copied() else {
                state[*node] = 2;
                stack.pop();
                continue;
            };
            *next += 1;
            let to = drawing.edges[edge].to;
            match state[to] {
                0 => {
                    state[to] = 1;
                    stack.push((to, 0));
                }
                1 => back[edge] = true,
                _ => {}
            }
        }
    }
    back
}

/// The longest way from the top, in edges that lead down.
fn layers(drawing: &Drawing, back: &[bool]) -> Vec<usize> {
    let count = drawing.nodes.len();
    let down: Vec<(usize, usize)> = drawing
        .edges
        .iter()
        .zip(back)
        .filter(|(e, _)| e.from != e.to)
        .map(|(e, back)| if *back { (e.to, e.from) } else { (e.from, e.to) })
        .collect();
    let mut open = vec![0; count];
    let mut succs: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, to) in &down {
        open[*to] += 1;
        succs[*from].push(*to);
    }
    let mut layers = vec![0; count];
    let mut ready: Vec<usize> = (0..count).filter(|n| open[*n] == 0).collect();
    while let Some(node) = ready.pop() {
        for to in &succs[node] {
            layers[*to] = layers[*to].max(layers[node] + 1);
            open[*to] -= 1;
            if open[*to] == 0 {
                ready.push(*to);
            }
        }
    }
    layers
}

/// Points of each layer from left to right.
fn order(points: &mut [Point]) -> Vec<Vec<usize>> {
    let count = points.iter().map(|p| p.layer + 1).max().unwrap_or(0);
    let mut order: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (i, point) in points.iter().enumerate() {
        order[point.layer].push(i);
    }
    let mut position = vec![0.0; points.len()];
    let number = |layer: &[usize], position: &mut Vec<f64>| {
        layer.iter().enumerate().for_each(|(i, p)| position[*p] = i as f64);
    };
    order.iter().for_each(|layer| number(layer, &mut position));
    for sweep in 0..SWEEPS {
        let downwards = sweep % 2 == 0;
        let indices: Vec<usize> = if downwards { (0..count).collect() } else { (0..count).rev().collect() };
        for l in indices {
            let middle = |p: &usize, position: &[f64]| {
                let near = if downwards { &points[*p].up } else { &points[*p].down };
                match near.len() {
                    0 => position[*p],
                    n => near.iter().map(|q| position[*q]).sum::<f64>() / n as f64,
                }
            };
            let mut keyed: Vec<(f64, usize)> = order[l].iter().map(|p| (middle(p, &position), *p)).collect();
            // Stable: what is equal stays in the order of the graph.
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            order[l] = keyed.into_iter().map(|(_, p)| p).collect();
            number(&order[l], &mut position);
        }
    }
    order
}

/// Gives points their x: in order, apart, and near their neighbours.
fn place(points: &mut [Point], order: &mut [Vec<usize>]) {
    for layer in order.iter() {
        let mut x = 0.0;
        for p in layer {
            points[*p].x = x + points[*p].room / 2.0;
            x += points[*p].room + GAP_X;
        }
    }
    for sweep in 0..SWEEPS {
        let downwards = sweep % 2 == 0;
        let indices: Vec<usize> =
            if downwards { (0..order.len()).collect() } else { (0..order.len()).rev().collect() };
        for l in indices {
            let wanted: Vec<f64> = order[l]
                .iter()
                .map(|p| {
                    let near = if downwards { &points[*p].up } else { &points[*p].down };
                    match near.len() {
                        0 => points[*p].x,
                        n => near.iter().map(|q| points[*q].x).sum::<f64>() / n as f64,
                    }
                })
                .collect();
            apart(points, &order[l], &wanted);
        }
    }
}

/// As near as possible to what is wanted without overlapping: from the left and from the right, and the middle of both.
fn apart(points: &mut [Point], layer: &[usize], wanted: &[f64]) {
    let room = |a: usize, b: usize| (points[a].room + points[b].room) / 2.0 + GAP_X;
    let mut left = wanted.to_vec();
    for i in 1..layer.len() {
        left[i] = left[i].max(left[i - 1] + room(layer[i - 1], layer[i]));
    }
    let mut right = wanted.to_vec();
    for i in (1..layer.len()).rev() {
        right[i - 1] = right[i - 1].min(right[i] - room(layer[i - 1], layer[i]));
    }
    for (i, p) in layer.iter().enumerate() {
        points[*p].x = (left[i] + right[i]) / 2.0;
    }
}

fn coordinates(
    drawing: &Drawing,
    points: &[Point],
    order: &[Vec<usize>],
    chains: &[Vec<usize>],
    back: &[bool],
) -> Layout {
    let mut y = MARGIN;
    let mut middles = vec![0.0; points.len()];
    let mut tops = vec![(0.0, 0.0); order.len()];
    for (l, layer) in order.iter().enumerate() {
        let height = layer.iter().map(|p| points[*p].height).fold(0.0, f64::max);
        layer.iter().for_each(|p| middles[*p] = y + height / 2.0);
        tops[l] = (y, y + height);
        y += height + GAP_Y;
    }
    let left = points.iter().map(|p| p.x - p.room / 2.0).fold(f64::INFINITY, f64::min);
    let shift = if left.is_finite() { MARGIN - left } else { MARGIN };
    let x = |p: usize| points[p].x + shift;
    let right = points.iter().map(|p| p.x + p.room / 2.0).fold(f64::NEG_INFINITY, f64::max);
    let right = if right.is_finite() { right } else { 0.0 };
    let boxes: Vec<Rect> = (0..drawing.nodes.len())
        .map(|i| Rect { x: x(i), y: middles[i], width: points[i].width, height: points[i].height })
        .collect();
    let lines = chains
        .iter()
        .zip(back)
        .map(|(chain, back)| {
            if chain.len() < 2 {
                return Vec::new();
            }
            let mut line = Vec::new();
            for (i, p) in chain.iter().enumerate() {
                let (top, bottom) = tops[points[*p].layer];
                // Ways back keep to the side, so that both ways between two nodes are seen.
                let side = if *back { x(*p) + (points[*p].width / 4.0).min(12.0) } else { x(*p) };
                match (i, i + 1 == chain.len()) {
                    (0, _) => line.push((side, middles[*p] + points[*p].height / 2.0)),
                    (_, true) => line.push((side, middles[*p] - points[*p].height / 2.0)),
                    // Straight through the layer, so that no box is crossed.
                    _ => line.extend([(x(*p), top), (x(*p), bottom)]),
                }
            }
            if *back {
                line.reverse();
            }
            line
        })
        .collect();
    // A loop at the side of a node needs some room.
    let width = right + shift + MARGIN + 24.0;
    Layout { width, height: y - GAP_Y + MARGIN, boxes, lines }
}
