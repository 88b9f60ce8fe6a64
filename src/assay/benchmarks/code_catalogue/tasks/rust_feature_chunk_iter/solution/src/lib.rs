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
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChunkError::ZeroSize => write!(f, "the chunk size must be at least 1"),
            ChunkError::Incomplete { size, found } => {
                write!(f, "the last chunk has {found} of {size} elements")
            }
        }
    }
}

impl Error for ChunkError {}

/// Vectors of `size` elements; the last one may be shorter.
pub fn chunks<S: IntoIterator>(source: S, size: usize) -> Result<Chunks<S::IntoIter>, ChunkError> {
    if size == 0 {
        return Err(ChunkError::ZeroSize);
    }
    Ok(Chunks {
        source: source.into_iter(),
        size,
        has_ended: false,
    })
}

/// Vectors of `size` elements; a shorter last one becomes an error.
pub fn strict_chunks<S: IntoIterator>(
    source: S,
    size: usize,
) -> Result<StrictChunks<S::IntoIter>, ChunkError> {
    Ok(StrictChunks {
        chunks: chunks(source, size)?,
        remainder: Vec::new(),
    })
}

/// The iterator that [`chunks`] returns.
#[derive(Debug, Clone)]
pub struct Chunks<I: Iterator> {
    source: I,
    size: usize,
    has_ended: bool,
}

impl<I: Iterator> Iterator for Chunks<I> {
    type Item = Vec<I::Item>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_ended {
            return None;
        }
        let mut chunk = Vec::new();
        while chunk.len() < self.size {
            match self.source.next() {
                Some(element) => chunk.push(element),
                None => {
                    self.has_ended = true;
                    break;
                }
            }
        }
        if chunk.is_empty() {
            return None;
        }
        Some(chunk)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        if self.has_ended {
            return (0, Some(0));
        }
        let (fewest, most) = self.source.size_hint();
        let count = |elements| elements / self.size + usize::from(elements % self.size != 0);
        (count(fewest), most.map(count))
    }
}

impl<I: ExactSizeIterator> ExactSizeIterator for Chunks<I> {}

impl<I: Iterator> FusedIterator for Chunks<I> {}

/// The iterator that [`strict_chunks`] returns.
#[derive(Debug, Clone)]
pub struct StrictChunks<I: Iterator> {
    chunks: Chunks<I>,
    remainder: Vec<I::Item>,
}

impl<I: Iterator> StrictChunks<I> {
    /// The elements of the incomplete chunk at the end.
    pub fn into_remainder(self) -> Vec<I::Item> {
        self.remainder
    }
}

impl<I: Iterator> Iterator for StrictChunks<I> {
    type Item = Result<Vec<I::Item>, ChunkError>;

    fn next(&mut self) -> Option<Self::Item> {
        let chunk = self.chunks.next()?;
        let (size, found) = (self.chunks.size, chunk.len());
        if found < size {
            self.remainder = chunk;
            return Some(Err(ChunkError::Incomplete { size, found }));
        }
        Some(Ok(chunk))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.chunks.size_hint()
    }
}

impl<I: ExactSizeIterator> ExactSizeIterator for StrictChunks<I> {}

impl<I: Iterator> FusedIterator for StrictChunks<I> {}
