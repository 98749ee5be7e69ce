//! Writing of Parquet and Arrow: units are encoded by several threads, and follow each other in the file.

use super::file::Table;
use super::values::flat;
use crate::failure::{Failure, Result};
use crate::names::Columnar;
use arrow_array::RecordBatch;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use std::fmt::Display;
use std::io::{self, Write};
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that a writer has made and that are not yet in the file. The writers ask for an output that any thread may have,
/// which a stream is not.
#[derive(Clone, Default)]
struct Made(Arc<Mutex<Vec<u8>>>);

impl Made {
    fn take(&self) -> Vec<u8> {
        mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
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
    /// Columns of a row group.
    Group(Vec<ArrowColumnChunk>),
    Batches(Vec<RecordBatch>),
}

/// File that is written.
pub(super) struct Written<'a> {
    writer: Writer,
    made: Made,
    schema: SchemaRef,
    /// Name of the destination in messages.
    name: &'a str,
}

fn failed<'n>(name: &'n str) -> impl Fn(&dyn Display) -> Failure + 'n {
    move |e| Failure::Run(format!("{name}: writing failed: {e}"))
}

impl<'a> Written<'a> {
    /// Begins a file of rows of this schema, which come from `table`. One of Arrow that is a `stream` can be read while it is
    /// written.
    pub(super) fn new(table: &Table, schema: &Schema, (kind, stream): (Columnar, bool), name: &'a str) -> Result<Self> {
        let (made, failed) = (Made::default(), failed(name));
        // A file of Arrow has one dictionary a column, and each row group of Parquet has its own.
        let flat = kind == Columnar::Arrow && table.kind == Columnar::Parquet;
        let field = |field: &Arc<Field>| match field.data_type() {
            DataType::Dictionary(_, values) if flat => {
                Arc::new(field.as_ref().clone().with_data_type((**values).clone()))
            }
            _ => Arc::clone(field),
        };
        let fields: Vec<Arc<Field>> = schema.fields().iter().map(field).collect();
        let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
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
                let properties = WriterProperties::builder().set_compression(compression).build();
                let writer = ArrowWriter::try_new(made.clone(), Arc::clone(&schema), Some(properties));
                let parts = writer.and_then(ArrowWriter::into_serialized_writer);
                let (file, factory) = parts.map_err(|e| failed(&e))?;
                Writer::Parquet(Box::new(file), factory)
            }
        };
        Ok(Self { writer, made, schema, name })
    }

    /// Encodes rows. Several threads may do that at a time.
    pub(super) fn encode(&self, batches: Vec<RecordBatch>) -> Result<Encoded> {
        let failed = failed(self.name);
        let Writer::Parquet(_, factory) = &self.writer else {
            let plain = |batch: &RecordBatch| {
                let columns =
                    batch.columns().iter().zip(self.schema.fields()).map(|(column, field)| match field.data_type() {
                        DataType::Dictionary(..) => Ok(Arc::clone(column)),
                        _ => flat(column),
                    });
                let columns = columns.collect::<Result<Vec<_>>>()?;
                RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(|e| failed(&e))
            };
            return Ok(Encoded::Batches(batches.iter().map(plain).collect::<Result<_>>()?));
        };
        let mut writers = factory.create_column_writers(0).map_err(|e| failed(&e))?;
        for batch in &batches {
            let mut next = writers.iter_mut();
            for (field, column) in self.schema.fields().iter().zip(batch.columns()) {
                for leaf in compute_leaves(field, column).map_err(|e| failed(&e))? {
                    if let Some(writer) = next.next() {
                        writer.write(&leaf).map_err(|e| failed(&e))?;
                    }
                }
            }
        }
        let chunks = writers.into_iter().map(|writer| writer.close()).collect::<std::result::Result<_, _>>();
        Ok(Encoded::Group(chunks.map_err(|e| failed(&e))?))
    }

    /// Writes the next rows.
    pub(super) fn append(&mut self, rows: Encoded, out: &mut dyn Write) -> Result<()> {
        let failed = failed(self.name);
        match (&mut self.writer, rows) {
            (Writer::Parquet(file, _), Encoded::Group(chunks)) => {
                let mut group = file.next_row_group().map_err(|e| failed(&e))?;
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
        self.drain(out)
    }

    /// Writes the end of the file.
    pub(super) fn finish(mut self, out: &mut dyn Write) -> Result<()> {
        let failed = failed(self.name);
        match &mut self.writer {
            Writer::Parquet(file, _) => file.finish().map(drop).map_err(|e| failed(&e))?,
            Writer::Arrow(file) => file.finish().map_err(|e| failed(&e))?,
            Writer::Stream(stream) => stream.finish().map_err(|e| failed(&e))?,
        }
        self.drain(out)
    }

    fn drain(&self, out: &mut dyn Write) -> Result<()> {
        // The writers buffer what they make themselves, and give it all when a group or batch ends.
        out.write_all(&self.made.take()).map_err(|e| Failure::writing(self.name, &e))
    }
}
