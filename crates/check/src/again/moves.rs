//! Where the parts of a file that are kept have moved.

use crate::program::Tables;
use fehu_base::{FileId, IdMap, Span};
use fehu_syntax::ast::NodeId;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The pieces of a file that are kept, in order.
pub(crate) struct Moves {
    file: FileId,
    pieces: Vec<Piece>,
    /// What may become the next.
    next: Option<Piece>,
}

/// A piece: old places, and by how much they have moved.
struct Piece {
    text: Range<u32>,
    by: i64,
    nodes: Range<u32>,
    nodes_by: i64,
}

impl Moves {
    pub(crate) fn new(file: FileId) -> Moves {
        Moves { file, pieces: Vec::new(), next: None }
    }

    /// A piece that comes after all others, and would move to `start` and `node`.
    pub(crate) fn propose(&mut self, text: &Range<u32>, start: u32, nodes: &Range<u32>, node: u32) {
        let by = i64::from(start) - i64::from(text.start);
        let nodes_by = i64::from(node) - i64::from(nodes.start);
        let (text, nodes) = (text.clone(), nodes.clone());
        self.next = Some(Piece { text, by, nodes, nodes_by });
    }

    /// The piece that was proposed is kept.
    pub(crate) fn accept(&mut self) {
        let Some(next) = self.next.take() else { return };
        match self.pieces.last_mut() {
            Some(last)
                if (last.by, last.nodes_by, last.nodes.end)
                    == (next.by, next.nodes_by, next.nodes.start) =>
            {
                (last.text.end, last.nodes.end) = (next.text.end, next.nodes.end);
            }
            Some(_) | None => self.pieces.push(next),
        }
    }

    /// Whether the piece that was proposed is where it was.
    pub(crate) fn next_stays(&self) -> bool {
        self.next.as_ref().is_some_and(|piece| piece.by == 0 && piece.nodes_by == 0)
    }

    /// Where a place is now.
    pub(crate) fn span(&self, span: Span) -> Option<Span> {
        if span.file != self.file {
            return Some(span);
        }
        let after = self.pieces.partition_point(|piece| piece.text.end < span.end);
        let piece = self.pieces.get(after).or(self.next.as_ref())?;
        if span.start < piece.text.start || span.end > piece.text.end {
            return None;
        }
        let moved = |at: u32| u32::try_from(i64::from(at) + piece.by).ok();
        Some(Span::new(span.file, moved(span.start)?, moved(span.end)?))
    }

    /// What a node is now.
    pub(crate) fn node(&self, node: NodeId) -> Option<NodeId> {
        let after = self.pieces.partition_point(|piece| piece.nodes.end <= node.0);
        let piece = self.pieces.get(after).filter(|piece| piece.nodes.start <= node.0)?;
        u32::try_from(i64::from(node.0) + piece.nodes_by).ok().map(NodeId)
    }
}

impl Tables {
    /// Takes over what is known of nodes that are kept. What is a list is not among it.
    pub(crate) fn adopt(&mut self, old: Tables, moves: &Moves) {
        fn ids<T>(new: &mut IdMap<NodeId, T>, old: IdMap<NodeId, T>, moves: &Moves) {
            new.adopt(old, |node| moves.node(node));
        }
        fn hashed<T>(new: &mut FxHashMap<NodeId, T>, old: FxHashMap<NodeId, T>, moves: &Moves) {
            new.extend(
                old.into_iter().filter_map(|(node, value)| Some((moves.node(node)?, value))),
            );
        }
        ids(&mut self.names, old.names, moves);
        ids(&mut self.binders, old.binders, moves);
        ids(&mut self.types, old.types, moves);
        ids(&mut self.type_exps, old.type_exps, moves);
        ids(&mut self.instances, old.instances, moves);
        hashed(&mut self.unknowns, old.unknowns, moves);
        hashed(&mut self.sizes, old.sizes, moves);
        hashed(&mut self.loop_sizes, old.loop_sizes, moves);
        hashed(&mut self.abstractions, old.abstractions, moves);
        hashed(&mut self.members, old.members, moves);
        hashed(&mut self.applications, old.applications, moves);
    }
}
