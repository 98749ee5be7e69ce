//! Columns of Arrow as arrays of numbers, and back.

use crate::element::{Type, Values, with_values};
use crate::failure::{Failure, Result};
use crate::missing::Missing;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, BooleanArray, PrimitiveArray, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::take::take;
use half::f16;
use std::sync::Arc;
use upsweep_dynamic::Value;

/// Whether a column of this type holds numbers or bool.
pub(super) fn numeric(of: &DataType) -> bool {
    element(of).is_some()
}

/// Element type of a column of numbers.
pub(super) fn element(of: &DataType) -> Option<Type> {
    Some(match of {
        DataType::Boolean => Type::Bool,
        DataType::Int8 => Type::I8,
        DataType::Int16 => Type::I16,
        DataType::Int32 => Type::I32,
        DataType::Int64 => Type::I64,
        DataType::UInt8 => Type::U8,
        DataType::UInt16 => Type::U16,
        DataType::UInt32 => Type::U32,
        DataType::UInt64 => Type::U64,
        DataType::Float16 => Type::F16,
        DataType::Float32 => Type::F32,
        DataType::Float64 => Type::F64,
        _ => return None,
    })
}

/// Type of a column of these elements.
pub(super) fn data_type(of: Type) -> DataType {
    match of {
        Type::Bool => DataType::Boolean,
        Type::I8 => DataType::Int8,
        Type::I16 => DataType::Int16,
        Type::I32 => DataType::Int32,
        Type::I64 => DataType::Int64,
        Type::U8 => DataType::UInt8,
        Type::U16 => DataType::UInt16,
        Type::U32 => DataType::UInt32,
        Type::U64 => DataType::UInt64,
        Type::F16 => DataType::Float16,
        Type::F32 => DataType::Float32,
        _ => DataType::Float64,
    }
}

/// Returns the values of a column; those of nulls are anything.
pub(super) fn values(array: &dyn Array) -> Option<Values> {
    fn of<T: ArrowPrimitiveType>(array: &dyn Array) -> Option<Vec<T::Native>> {
        Some(array.as_primitive_opt::<T>()?.values().to_vec())
    }
    Some(match array.data_type() {
        DataType::Boolean => Values::Bool(array.as_boolean_opt()?.values().iter().collect()),
        DataType::Int8 => Values::I8(of::<Int8Type>(array)?),
        DataType::Int16 => Values::I16(of::<Int16Type>(array)?),
        DataType::Int32 => Values::I32(of::<Int32Type>(array)?),
        DataType::Int64 => Values::I64(of::<Int64Type>(array)?),
        DataType::UInt8 => Values::U8(of::<UInt8Type>(array)?),
        DataType::UInt16 => Values::U16(of::<UInt16Type>(array)?),
        DataType::UInt32 => Values::U32(of::<UInt32Type>(array)?),
        DataType::UInt64 => Values::U64(of::<UInt64Type>(array)?),
        DataType::Float16 => Values::F16(of::<Float16Type>(array)?),
        DataType::Float32 => Values::F32(of::<Float32Type>(array)?),
        DataType::Float64 => Values::F64(of::<Float64Type>(array)?),
        _ => return None,
    })
}

/// Values of a column for a computation, and the rows of the column that have none of them.
pub(super) struct Column {
    pub(super) values: Values,
    /// Whether each row was left out, if one was.
    pub(super) left_out: Option<Vec<bool>>,
}

/// Returns the values of a column, its nulls treated as the options say. `first` counts the rows before it, for messages.
pub(super) fn column(
    array: &dyn Array,
    missing: &Missing,
    (name, label): (&str, &str),
    first: usize,
) -> Result<Column> {
    let Some(mut values) = values(array) else {
        let of = array.data_type();
        return Err(Failure::input(
            name,
            format!("column {label} is of the type {of}: numbers and bool are computed with"),
        ));
    };
    let Some(nulls) = array.logical_nulls().filter(|nulls| nulls.null_count() > 0) else {
        return Ok(Column { values, left_out: None });
    };
    if missing.leaves_out("") {
        let left_out: Vec<bool> = nulls.iter().map(|valid| !valid).collect();
        with_values!(&mut values, x => {
            let mut valid = nulls.iter();
            x.retain(|_| valid.next() == Some(true));
        });
        return Ok(Column { values, left_out: Some(left_out) });
    }
    let row = first + nulls.iter().position(|valid| !valid).unwrap_or(0);
    let wrong = |reason: &str| Failure::input(name, format!("row {row}: column {label}: {reason}"));
    let (text, _) = missing.read("").map_err(|reason| wrong(&reason))?;
    let nan = text != "0";
    if nan && values.element().integers().is_some() {
        return Err(wrong(&format!("there is no value, and {} has no NaN to take its place", values.element())));
    }
    with_values!(&mut values, x => {
        for (x, valid) in x.iter_mut().zip(nulls.iter()) {
            if !valid {
                *x = Stand::of(nan);
            }
        }
    });
    Ok(Column { values, left_out: None })
}

/// Value that stands for a missing one.
trait Stand: Value {
    /// NaN or 0.
    fn of(nan: bool) -> Self;
}

macro_rules! stands {
    ($($t:ident: $nan:expr, $zero:expr);*) => { $(impl Stand for $t {
        fn of(nan: bool) -> Self { if nan { $nan } else { $zero } }
    })* };
}
stands! { bool: false, false; i8: 0, 0; i16: 0, 0; i32: 0, 0; i64: 0, 0; u8: 0, 0; u16: 0, 0; u32: 0, 0; u64: 0, 0;
f16: f16::NAN, f16::ZERO; f32: f32::NAN, 0.0; f64: f64::NAN, 0.0 }

/// Makes a column of results: null in the rows that were left out.
pub(super) fn array(values: &Values, left_out: Option<&[bool]>) -> ArrayRef {
    fn placed<T: Copy>(values: &[T], left_out: &[bool]) -> Vec<Option<T>> {
        let mut next = values.iter().copied();
        left_out.iter().map(|out| if *out { None } else { next.next() }).collect()
    }
    fn of<T: ArrowPrimitiveType>(values: &[T::Native], left_out: Option<&[bool]>) -> ArrayRef {
        match left_out {
            None => Arc::new(PrimitiveArray::<T>::from_iter_values(values.iter().copied())),
            Some(left_out) => Arc::new(PrimitiveArray::<T>::from_iter(placed(values, left_out))),
        }
    }
    match values {
        Values::Bool(x) => match left_out {
            None => Arc::new(BooleanArray::from(x.clone())),
            Some(left_out) => Arc::new(BooleanArray::from(placed(x, left_out))),
        },
        Values::I8(x) => of::<Int8Type>(x, left_out),
        Values::I16(x) => of::<Int16Type>(x, left_out),
        Values::I32(x) => of::<Int32Type>(x, left_out),
        Values::I64(x) => of::<Int64Type>(x, left_out),
        Values::U8(x) => of::<UInt8Type>(x, left_out),
        Values::U16(x) => of::<UInt16Type>(x, left_out),
        Values::U32(x) => of::<UInt32Type>(x, left_out),
        Values::U64(x) => of::<UInt64Type>(x, left_out),
        Values::F16(x) => of::<Float16Type>(x, left_out),
        Values::F32(x) => of::<Float32Type>(x, left_out),
        Values::F64(x) => of::<Float64Type>(x, left_out),
    }
}

/// Returns a column without a dictionary: with a value for each row.
pub(super) fn flat(array: &ArrayRef) -> Result<ArrayRef> {
    match array.as_any_dictionary_opt() {
        None => Ok(Arc::clone(array)),
        Some(dictionary) => {
            take(dictionary.values(), dictionary.keys(), None).map_err(|e| Failure::Run(format!("a dictionary: {e}")))
        }
    }
}

/// Schema of the same columns without dictionaries.
pub(super) fn flat_schema(schema: &Schema) -> SchemaRef {
    let field = |field: &Arc<Field>| match field.data_type() {
        DataType::Dictionary(_, values) => Arc::new(field.as_ref().clone().with_data_type((**values).clone())),
        _ => Arc::clone(field),
    };
    let fields: Vec<Arc<Field>> = schema.fields().iter().map(field).collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// Returns rows with the dictionaries that this schema has, and no others.
pub(super) fn with_schema(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let columns = batch.columns().iter().zip(schema.fields()).map(|(column, field)| match field.data_type() {
        DataType::Dictionary(..) => Ok(Arc::clone(column)),
        _ => flat(column),
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    // Without columns there are rows, too.
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    let rows = RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options);
    rows.map_err(|e| Failure::Run(format!("rows: {e}")))
}

/// Text of a row of a column of texts; `None` if the column has none, or the row is null.
pub(super) fn text(array: &dyn Array, row: usize) -> Option<&[u8]> {
    if array.is_null(row) {
        return None;
    }
    match array.data_type() {
        DataType::Utf8 => array.as_string_opt::<i32>().map(|texts| texts.value(row).as_bytes()),
        DataType::LargeUtf8 => array.as_string_opt::<i64>().map(|texts| texts.value(row).as_bytes()),
        DataType::Utf8View => array.as_string_view_opt().map(|texts| texts.value(row).as_bytes()),
        _ => None,
    }
}

/// Whether a column is of texts.
pub(super) fn is_text(of: &DataType) -> bool {
    match of {
        DataType::Dictionary(_, values) => is_text(values),
        of => matches!(of, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View),
    }
}
