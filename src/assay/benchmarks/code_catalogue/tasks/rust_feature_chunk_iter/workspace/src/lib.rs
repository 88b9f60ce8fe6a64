//! Chunks of any iterator, with or without an incomplete end.

use std::error::Error;
use std::fmt;
use std::iter::FusedIterator;

/// Why a source cannot be split into chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkError {
    /// Chunks of no elements were asked for.
    ZeroSize,
    /// The source ended within a chunk.
    Incomplete { size: usize, found: usize },
}

impl fmt::Display for ChunkError {
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        todo!()
    }
}

impl Error for ChunkError {}

/// Vectors of `size` elements; the last one may be shorter.
pub fn chunks<S: IntoIterator>(
    _source: S,
    _size: usize,
) -> Result<Chunks<S::IntoIter>, ChunkError> {
    todo!()
}

/// Vectors of `size` elements; a shorter last one becomes an error.
pub fn strict_chunks<S: IntoIterator>(
    _source: S,
    _size: usize,
) -> Result<StrictChunks<S::IntoIter>, ChunkError> {
    todo!()
}

/// The iterator that [`chunks`] returns.
pub struct Chunks<I: Iterator> {
    _source: I,
}

impl<I: Iterator> Iterator for Chunks<I> {
    type Item = Vec<I::Item>;

    fn next(&mut self) -> Option<Self::Item> {
        todo!()
    }
}

impl<I: ExactSizeIterator> ExactSizeIterator for Chunks<I> {}

impl<I: Iterator> FusedIterator for Chunks<I> {}

/// The iterator that [`strict_chunks`] returns.
pub struct StrictChunks<I: Iterator> {
    _source: I,
}

impl<I: Iterator> StrictChunks<I> {
    /// The elements of the incomplete chunk at the end.
    pub fn into_remainder(self) -> Vec<I::Item> {
        todo!()
    }
}

impl<I: Iterator> Iterator for StrictChunks<I> {
    type Item = Result<Vec<I::Item>, ChunkError>;

    fn next(&mut self) -> Option<Self::Item> {
        todo!()
    }
}

impl<I: ExactSizeIterator> ExactSizeIterator for StrictChunks<I> {}

impl<I: Iterator> FusedIterator for StrictChunks<I> {}
