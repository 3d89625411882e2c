//! Minimum cuts: the cheapest set of edges without which nothing flows from the source to the sink.

use std::collections::VecDeque;

/// What cannot be cut.
pub(super) const NEVER: u64 = u64::MAX / 4;

/// Nodes and directed edges, each with what it costs to cut it.
pub(super) struct Network {
    /// Every edge is followed by the one in the other direction, which says how much flows.
    edges: Vec<Edge>,
    /// The edges from each node.
    from: Vec<Vec<usize>>,
}

struct Edge {
    to: usize,
    room: u64,
}

impl Network {
    pub(super) fn new(nodes: usize) -> Network {
        Network { edges: Vec::new(), from: vec![Vec::new(); nodes] }
    }

    pub(super) fn edge(&mut self, from: usize, to: usize, cost: u64) {
        for (from, to, room) in [(from, to, cost), (to, from, 0)] {
            self.from[from].push(self.edges.len());
            self.edges.push(Edge { to, room });
        }
    }

    /// For each node, whether it is on the sink's side of a minimum cut; of several, that closest to the sink.
    pub(super) fn cut(mut self, source: usize, sink: usize) -> Vec<bool> {
        while let Some(path) = self.path(source, sink) {
            let room = path.iter().map(|edge| self.edges[*edge].room).min().unwrap_or(0);
            for edge in path {
                self.edges[edge].room -= room;
                self.edges[edge ^ 1].room += room;
            }
        }
        // What can still reach the sink.
        let mut reaches = vec![false; self.from.len()];
        reaches[sink] = true;
        let mut work = vec![sink];
        while let Some(node) = work.pop() {
            for edge in &self.from[node] {
                let before = self.edges[*edge].to;
                if self.edges[edge ^ 1].room > 0 && !reaches[before] {
                    reaches[before] = true;
                    work.push(before);
                }
            }
        }
        reaches
    }

    /// The edges of a shortest path along which more can flow.
    fn path(&self, source: usize, sink: usize) -> Option<Vec<usize>> {
        let mut by: Vec<Option<usize>> = vec![None; self.from.len()];
        let mut work = VecDeque::from([source]);
        while let Some(node) = work.pop_front() {
            for edge in &self.from[node] {
                let Edge { to, room } = self.edges[*edge];
                if room == 0 || to == source || by[to].is_some() {
                    continue;
                }
                by[to] = Some(*edge);
                work.push_back(to);
            }
        }
        let (mut path, mut node) = (Vec::new(), sink);
        while node != source {
            let edge = by[node]?;
            path.push(edge);
            node = self.edges[edge ^ 1].to;
        }
        Some(path)
    }
}
