//! Parquet and Arrow files that are open, and the parts in which they are read.

use super::damage::{damaged, guarded};
use super::stream;
use super::values::numeric;
use crate::args::{Common, TableForm};
use crate::failure::{Failure, Result};
use crate::names::Columnar;
use crate::source::{Source, read_at};
use crate::table::Columns;
use arrow_array::RecordBatch;
use arrow_ipc::reader::FileReader;
use arrow_schema::{ArrowError, Schema, SchemaRef};
use bytes::Bytes;
use csv::ByteRecord;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::arrow::{ArrowSchemaConverter, ProjectionMask};
use parquet::basic::{Compression, Encoding};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length};
use parquet::schema::types::ColumnPath;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

/// Decoded bytes of the rows that are read at a time by a thread, about; their largest number; and rows of a batch.
const UNIT_BYTES: u64 = 16 << 20;
const UNIT_ROWS: u64 = 1 << 20;
const BATCH: usize = 1 << 16;
/// Decoded bytes that all threads have at a time, about.
const BUDGET: u64 = 96 << 20;
/// Largest row group, in rows and in bytes of a column as it lies in the file, whose columns are copied.
const COPIED_ROWS: i64 = 1 << 21;
const COPIED_BYTES: i64 = 64 << 20;

/// Rows that are read at a time: some of a row group, or a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    group: usize,
    first: usize,
    pub(super) rows: usize,
}

/// File that is open.
pub(super) struct Table {
    pub(super) name: String,
    pub(super) kind: Columnar,
    pub(super) schema: SchemaRef,
    source: Source,
    file: Arc<File>,
    /// Metadata of a Parquet file.
    metadata: Option<ArrowReaderMetadata>,
    pub(super) units: Vec<Unit>,
    /// Number of rows, if the file says it.
    pub(super) rows: Option<usize>,
}

impl Table {
    pub(super) fn open(path: &Path, kind: Columnar) -> Result<Self> {
        let (source, name) = stream::open(path, kind)?;
        let file = Arc::new(source.file.try_clone().map_err(|e| Failure::reading(&name, &e))?);
        let at = At::new(&file).map_err(|e| Failure::reading(&name, &e))?;
        let damaged = |reason: String| damaged(kind, &name, &reason);
        if kind == Columnar::Arrow {
            let reader = guarded(|| FileReader::try_new(BufReader::new(at), None).map_err(|e| e.to_string()));
            let reader = reader.map_err(damaged)?;
            let units = (0..reader.num_batches()).map(|group| Unit { group, first: 0, rows: usize::MAX }).collect();
            let schema = reader.schema();
            return Ok(Self { name, kind, schema, source, file, metadata: None, units, rows: None });
        }
        let metadata = guarded(|| {
            ArrowReaderMetadata::load(&at, ArrowReaderOptions::new()).map_err(|e: ParquetError| e.to_string())
        });
        let metadata = metadata.map_err(damaged)?;
        let (mut units, mut all) = (Vec::new(), 0u64);
        for (group, of) in metadata.metadata().row_groups().iter().enumerate() {
            let rows = u64::try_from(of.num_rows()).unwrap_or(0);
            let bytes = u64::try_from(of.total_byte_size()).unwrap_or(0);
            let most = (UNIT_BYTES / (bytes / rows.max(1)).max(1)).clamp(1 << 13, UNIT_ROWS);
            let unit = |first: u64| Unit { group, first: first as usize, rows: most.min(rows - first) as usize };
            units.extend((0..rows).step_by(most as usize).map(unit));
            all += rows;
        }
        let schema = metadata.schema().clone();
        let rows = usize::try_from(all).ok();
        Ok(Self { name, kind, schema, source, file, metadata: Some(metadata), units, rows })
    }

    /// Number of units that may be in memory at a time.
    pub(super) fn at_once(&self) -> usize {
        let most = if self.kind == Columnar::Parquet { BUDGET / UNIT_BYTES } else { 4 };
        rayon::current_num_threads().min(most as usize).max(1)
    }

    /// Whether all columns can be copied as they lie in the file into one of this schema, which has a column more. Then each row
    /// group is a unit from now on.
    pub(super) fn copy_columns(&mut self, schema: &Schema) -> bool {
        let Some(metadata) = &self.metadata else { return false };
        let Ok(to) = ArrowSchemaConverter::new().convert(schema) else { return false };
        let (from, groups) = (metadata.parquet_schema(), metadata.metadata().row_groups());
        let same =
            from.num_columns() + 1 == to.num_columns() && from.columns().iter().zip(to.columns()).all(|(a, b)| a == b);
        let fits = |column: &ColumnChunkMetaData| {
            column.compressed_size() <= COPIED_BYTES
                // Old writers have 0 where there is no dictionary.
                && column.dictionary_page_offset().is_none_or(|at| (4..=column.data_page_offset()).contains(&at))
        };
        let copied =
            same && groups.iter().all(|group| group.num_rows() <= COPIED_ROWS && group.columns().iter().all(fits));
        if copied {
            let with_rows = groups.iter().enumerate().filter(|(_, of)| of.num_rows() > 0);
            self.units = with_rows.map(|(group, of)| Unit { group, first: 0, rows: of.num_rows() as usize }).collect();
        }
        copied
    }

    /// Returns the columns of a unit that is a row group, as they lie in the file, and a reader of the file.
    pub(super) fn chunks(&self, unit: Unit) -> Result<(&[ColumnChunkMetaData], At)> {
        let at = At::new(&self.file).map_err(|e| Failure::reading(&self.name, &e))?;
        let group = self.metadata.as_ref().and_then(|metadata| metadata.metadata().row_groups().get(unit.group));
        Ok((group.map_or(&[][..], |group| group.columns()), at))
    }

    /// Columns of a Parquet file that are not by dictionaries alone, as these would have been longer than the values.
    pub(super) fn without_dictionaries(&self) -> Vec<ColumnPath> {
        let group = self.metadata.as_ref().and_then(|metadata| metadata.metadata().row_groups().first());
        let is_plain = |column: &&ColumnChunkMetaData| {
            let pages = column.page_encoding_stats_mask();
            column.dictionary_page_offset().is_none() || pages.is_some_and(|pages| pages.is_set(Encoding::PLAIN))
        };
        let columns = group.map_or(&[][..], |group| group.columns());
        columns.iter().filter(is_plain).map(|column| column.column_path().clone()).collect()
    }

    /// Compression of the first column of a Parquet file.
    pub(super) fn compression(&self) -> Option<Compression> {
        let group = self.metadata.as_ref()?.metadata().row_groups().first()?;
        group.columns().first().map(|column| column.compression())
    }

    /// Reads these columns of a unit.
    pub(super) fn read(&self, unit: Unit, columns: &[usize]) -> Result<Vec<RecordBatch>> {
        self.read_kept(unit, Some(columns), None)
    }

    /// Reads all columns of a unit. If `only` one is asked for, the others are decoded and not kept.
    pub(super) fn read_rows(&self, unit: Unit, only: Option<usize>) -> Result<Vec<RecordBatch>> {
        self.read_kept(unit, None, only)
    }

    fn read_kept(&self, unit: Unit, columns: Option<&[usize]>, only: Option<usize>) -> Result<Vec<RecordBatch>> {
        let kept = |batch: std::result::Result<RecordBatch, ArrowError>| match only {
            Some(at) => batch?.project(&[at]),
            None => batch,
        };
        let at = At::new(&self.file).map_err(|e| Failure::reading(&self.name, &e))?;
        let read = guarded(|| match &self.metadata {
            None => (|| {
                let mut reader = FileReader::try_new(BufReader::new(at), columns.map(<[usize]>::to_vec))?;
                reader.set_index(unit.group)?;
                reader.next().into_iter().map(kept).collect::<std::result::Result<Vec<_>, ArrowError>>()
            })()
            .map_err(|e| e.to_string()),
            Some(metadata) => {
                let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(at, metadata.clone());
                let mask = match columns {
                    Some(columns) => ProjectionMask::roots(builder.parquet_schema(), columns.iter().copied()),
                    None => ProjectionMask::all(),
                };
                let builder = builder.with_row_groups(vec![unit.group]).with_projection(mask).with_batch_size(BATCH);
                let reader = builder.with_offset(unit.first).with_limit(unit.rows).build();
                let batches = reader.map_err(|e| e.to_string())?;
                batches.map(kept).collect::<std::result::Result<Vec<_>, ArrowError>>().map_err(|e| e.to_string())
            }
        });
        let batches = read.map_err(|reason| damaged(self.kind, &self.name, &reason))?;
        let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
        if self.metadata.is_some() && rows != unit.rows {
            return Err(damaged(self.kind, &self.name, &format!("{rows} rows where {} are promised", unit.rows)));
        }
        Ok(batches)
    }

    /// Fails if the file was written since it was opened.
    pub(super) fn check_unchanged(&self) -> Result<()> {
        self.source.check_unchanged(&self.name)
    }

    /// Names of the columns, as those of a table of text are found.
    pub(super) fn names(&self) -> ByteRecord {
        self.schema.fields().iter().map(|field| field.name().as_bytes()).collect()
    }

    /// Finds a column by its name or its number; without one the only column of numbers.
    pub(super) fn column(&self, asked: Option<&str>) -> Result<usize> {
        asked.map_or_else(|| self.only_numeric(&[]), |text| self.find(|columns| columns.find(text)))
    }

    /// Finds the only column of numbers that is none of `others`.
    pub(super) fn only_numeric(&self, others: &[usize]) -> Result<usize> {
        let fields = self.schema.fields().iter().enumerate();
        let found = fields.filter(|(at, field)| numeric(field.data_type()) && !others.contains(at));
        let found: Vec<usize> = found.map(|(at, _)| at).collect();
        match found[..] {
            [column] => Ok(column),
            _ => self.find(|columns| Err(columns.choose(&found))),
        }
    }

    /// Lets `find` find columns by their names.
    pub(super) fn find<T>(&self, find: impl FnOnce(&Columns<'_>) -> Result<T>) -> Result<T> {
        let names = self.names();
        find(&Columns { name: &self.name, names: Some(&names), first: &names, delimiter: b',', options: true })
    }

    /// Fails if an option of a scan or a reduction was given that is for other inputs.
    pub(super) fn check_options(&self, common: &Common) -> Result<()> {
        self.check(&[
            ("--by-key", common.by_key.is_some()),
            ("--segments", common.segments.is_some()),
            ("--axis", common.axis.is_some()),
            ("--array", common.array.is_some()),
            ("--type", common.element.is_some()),
        ])?;
        self.check_form(common.table)
    }

    /// Fails if an option was given that is for tables as text.
    pub(super) fn check_form(&self, form: TableForm) -> Result<()> {
        form.of_cells().map_or(Ok(()), |option| self.check(&[(option, true)]))
    }

    /// Fails if one of these options was given, which are for other inputs.
    pub(super) fn check(&self, given: &[(&str, bool)]) -> Result<()> {
        match given.iter().find(|(_, given)| *given) {
            Some((option, _)) => {
                let kind = self.kind.name();
                Err(Failure::input(&self.name, format!("is a file of {kind}, for which there is no {option}")))
            }
            None => Ok(()),
        }
    }
}

/// Reader of a file with a position of its own, so that threads share the file.
pub(super) struct At {
    file: Arc<File>,
    offset: u64,
    len: u64,
}

impl At {
    fn new(file: &Arc<File>) -> io::Result<Self> {
        Ok(Self { file: Arc::clone(file), offset: 0, len: file.metadata()?.len() })
    }
}

impl Read for At {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = read_at(&self.file, bytes, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

impl Seek for At {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::End(by) => self.len.checked_add_signed(by),
            SeekFrom::Current(by) => self.offset.checked_add_signed(by),
        };
        self.offset = to.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.offset)
    }
}

impl Length for At {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for At {
    type T = BufReader<At>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        Ok(BufReader::new(Self { file: Arc::clone(&self.file), offset: start, len: self.len }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        // A damaged length asks for no memory.
        if start.checked_add(length as u64).is_none_or(|end| end > self.len) {
            return Err(ParquetError::EOF(format!("{length} bytes at {start} are not all in the file")));
        }
        let mut bytes = vec![0; length];
        Self { file: Arc::clone(&self.file), offset: start, len: self.len }.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}
