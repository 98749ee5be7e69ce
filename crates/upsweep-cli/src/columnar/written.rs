//! Writing of Parquet and Arrow: units are encoded by several threads, and follow each other in the file.

use super::damage::damaged;
use super::file::{Table, Unit};
use super::values::{flat_schema, with_schema};
use crate::failure::{Failure, Result};
use crate::names::Columnar;
use arrow_array::RecordBatch;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::basic::Compression;
use parquet::column::writer::ColumnCloseResult;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that a writer has made and that are not yet in the file. The writers ask for an output that any thread may have,
/// which a stream is not.
#[derive(Clone, Default)]
struct Made(Arc<Mutex<Vec<u8>>>);

impl Made {
    /// Moves the bytes to the output `name`. The writers buffer what they make themselves, and give it all when a group or batch
    /// ends.
    fn write_to(&self, out: &mut dyn Write, name: &str) -> Result<()> {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let written = out.write_all(&made);
        made.clear();
        written.map_err(|e| Failure::writing(name, &e))
    }
}

impl Write for Made {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

enum Writer {
    Parquet(Box<SerializedFileWriter<Made>>, ArrowRowGroupWriterFactory),
    Arrow(Box<FileWriter<Made>>),
    Stream(Box<StreamWriter<Made>>),
}

/// Rows that are encoded.
pub(super) enum Encoded {
    /// Columns of a row group. Those of a unit are copied before them, if there is one.
    Group(Option<Unit>, Vec<ArrowColumnChunk>),
    Batches(Vec<RecordBatch>),
}

/// File that is written.
pub(super) struct Written<'a> {
    writer: Writer,
    made: Made,
    schema: SchemaRef,
    /// Table from which rows come.
    table: &'a Table,
    /// Name of the destination in messages.
    name: &'a str,
}

fn failed<'n>(name: &'n str) -> impl Fn(&dyn Display) -> Failure + 'n {
    move |e| Failure::Run(format!("{name}: writing failed: {e}"))
}

impl<'a> Written<'a> {
    /// Begins a file of rows of this schema, which come from `table`. One of Arrow that is a `stream` can be read while it is
    /// written. With `copy` columns of the table are [copied](Table::copy_columns).
    pub(super) fn new(
        table: &'a Table,
        schema: &Schema,
        (kind, stream): (Columnar, bool),
        copy: bool,
        name: &'a str,
    ) -> Result<Self> {
        let (made, failed) = (Made::default(), failed(name));
        // A file of Arrow has one dictionary a column, and each row group of Parquet has its own.
        let flat = kind == Columnar::Arrow && table.kind == Columnar::Parquet;
        let schema = if flat { flat_schema(schema) } else { Arc::new(schema.clone()) };
        let writer = match kind {
            Columnar::Arrow if stream => {
                Writer::Stream(Box::new(StreamWriter::try_new(made.clone(), &schema).map_err(|e| failed(&e))?))
            }
            Columnar::Arrow => {
                Writer::Arrow(Box::new(FileWriter::try_new(made.clone(), &schema).map_err(|e| failed(&e))?))
            }
            Columnar::Parquet => {
                // Others are not written here, and Snappy is read everywhere.
                let kept = |of: &Compression| {
                    matches!(of, Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::GZIP(_))
                        || matches!(of, Compression::LZ4_RAW | Compression::ZSTD(_))
                };
                let compression = table.compression().filter(kept).unwrap_or(Compression::SNAPPY);
                let mut properties = WriterProperties::builder().set_compression(compression);
                // Results are seldom equal.
                let new = schema.fields().get(table.schema.fields().len());
                let new = new.map(|field| ColumnPath::from(field.name().as_str()));
                for path in table.without_dictionaries().into_iter().chain(new) {
                    properties = properties.set_column_dictionary_enabled(path, false);
                }
                if copy {
                    // A row group has an index of the pages of all its columns, or none.
                    properties =
                        properties.set_statistics_enabled(EnabledStatistics::Chunk).set_offset_index_disabled(true);
                }
                let properties = properties.build();
                let writer = ArrowWriter::try_new(made.clone(), Arc::clone(&schema), Some(properties));
                let parts = writer.and_then(ArrowWriter::into_serialized_writer);
                let (file, factory) = parts.map_err(|e| failed(&e))?;
                Writer::Parquet(Box::new(file), factory)
            }
        };
        Ok(Self { writer, made, schema, table, name })
    }

    /// Encodes rows. Several threads may do that at a time. If they are those of a unit whose columns are copied, they have only
    /// the columns after these.
    pub(super) fn encode(&self, copied: Option<Unit>, batches: Vec<RecordBatch>) -> Result<Encoded> {
        let failed = failed(self.name);
        let Writer::Parquet(_, factory) = &self.writer else {
            let plain = batches.iter().map(|batch| with_schema(batch, &self.schema));
            return Ok(Encoded::Batches(plain.collect::<Result<_>>()?));
        };
        let mut writers = factory.create_column_writers(0).map_err(|e| failed(&e))?;
        let (leaves, fields) = match copied {
            Some(unit) => (self.table.chunks(unit)?.0.len(), self.table.schema.fields().len()),
            None => (0, 0),
        };
        writers.drain(..leaves.min(writers.len()));
        for batch in &batches {
            let mut next = writers.iter_mut();
            for (field, column) in self.schema.fields().iter().skip(fields).zip(batch.columns()) {
                for leaf in compute_leaves(field, column).map_err(|e| failed(&e))? {
                    if let Some(writer) = next.next() {
                        writer.write(&leaf).map_err(|e| failed(&e))?;
                    }
                }
            }
        }
        let chunks = writers.into_iter().map(|writer| writer.close()).collect::<std::result::Result<_, _>>();
        Ok(Encoded::Group(copied, chunks.map_err(|e| failed(&e))?))
    }

    /// Writes the next rows.
    pub(super) fn append(&mut self, rows: Encoded, out: &mut dyn Write) -> Result<()> {
        let failed = failed(self.name);
        match (&mut self.writer, rows) {
            (Writer::Parquet(file, _), Encoded::Group(copied, chunks)) => {
                let mut group = file.next_row_group().map_err(|e| failed(&e))?;
                if let Some(unit) = copied {
                    let table = self.table;
                    let (columns, at) = table.chunks(unit)?;
                    for column in columns {
                        let close = ColumnCloseResult {
                            bytes_written: column.compressed_size().try_into().unwrap_or(0),
                            rows_written: unit.rows as u64,
                            metadata: column.clone(),
                            bloom_filter: None,
                            column_index: None,
                            offset_index: None,
                        };
                        let damaged = |e| damaged(table.kind, &table.name, &format!("{e}"));
                        group.append_column(&at, close).map_err(damaged)?;
                        self.made.write_to(out, self.name)?;
                    }
                }
                for chunk in chunks {
                    chunk.append_to_row_group(&mut group).map_err(|e| failed(&e))?;
                }
                group.close().map_err(|e| failed(&e))?;
            }
            (Writer::Arrow(file), Encoded::Batches(batches)) => {
                batches.iter().try_for_each(|batch| file.write(batch)).map_err(|e| failed(&e))?;
            }
            (Writer::Stream(stream), Encoded::Batches(batches)) => {
                batches.iter().try_for_each(|batch| stream.write(batch)).map_err(|e| failed(&e))?;
            }
            _ => {}
        }
        self.made.write_to(out, self.name)
    }

    /// Writes the end of the file.
    pub(super) fn finish(mut self, out: &mut dyn Write) -> Result<()> {
        let failed = failed(self.name);
        match &mut self.writer {
            Writer::Parquet(file, _) => file.finish().map(drop).map_err(|e| failed(&e))?,
            Writer::Arrow(file) => file.finish().map_err(|e| failed(&e))?,
            Writer::Stream(stream) => stream.finish().map_err(|e| failed(&e))?,
        }
        self.made.write_to(out, self.name)
    }
}
