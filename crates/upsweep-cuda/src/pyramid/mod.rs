//! Pyramids on a CUDA device: see `pyramid/pyramid.cuh`.
//!
//! A block makes up to six levels of its tile: the first one or two in the registers of threads, which load patches by
//! vectors, the others in shared memory. The number of channels is a constant of the kernel where pixels are small. One
//! thread computes where the block's tile lies in each level, for all threads. With that the kernel keeps to 48
//! registers.

use super::borrow::Lender;
use super::code::Kernel;
use super::features::{Features, Layout, Layouts};
use super::job::{Begin, Functions, Text};
use super::params::{Params, params};
use super::runtime::Grid;
use super::{Cuda, Workspace};
use std::any::TypeId;
use upsweep_core::buffer::View;
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::Lend;
use upsweep_core::operator::{Element, Function, Same, Source};
use upsweep_core::outputs::{LendMut, Target};
use upsweep_core::steps::{Code, Held, Known};
use upsweep_plan::pyramid::{Halvings, MOST_LEVELS, PyramidPlan, THREADS, halved};

params! {
    /// Parameters of the kernel that makes levels of a pyramid.
    struct PyramidParams {
        input: "const Out*",
        /// Address of the copy of the input, which is stored if the kernel is compiled for it; and addresses of the
        /// levels of this launch.
        level_0: "Out*",
        level_1: "Out*",
        level_2: "Out*",
        level_3: "Out*",
        level_4: "Out*",
        level_5: "Out*",
        level_6: "Out*",
        /// Number of levels that this launch makes.
        levels: "u64",
        /// Shape of each plane of the input: the level from which this launch makes further ones.
        height: "u64",
        width: "u64",
        channels: "u64",
        /// Index of the plane that the first block of this launch works on.
        first_plane: "u64",
        /// Number of tiles of a plane side by side and one below the other, each with its reciprocal (2^32 divided by
        /// it).
        tiles_across: "u64",
        across_reciprocal: "u64",
        tiles_down: "u64",
        down_reciprocal: "u64",
        /// Workspace, which this kernel does not use: its blocks do not communicate, and it reports no fault.
        workspace: "Workspace",
    }
}

/// Returns the kernel of a plan. With `with_input` it also copies the input to the output.
pub(super) fn kernel<'a>(plan: &PyramidPlan, with_input: bool, functions: &'a Functions<'a>) -> Kernel<'a> {
    let kernel = ("pyramid/pyramid.cuh", "upsweep_pyramid");
    let constants = plan.constants(functions.layouts.output.size, with_input);
    Kernel { functions, kernel, features: Features::PLAIN, constants }
}

/// Calls `use_them` with the kernel's functions. Their map is `of_four`, which returns a pixel of the next level from
/// the 2 x 2 pixels below it: its argument is a struct of these four.
pub(super) fn with_functions<T, F, R>(of_four: &F, use_them: impl FnOnce(&Functions<'_>) -> Result<R>) -> Result<R>
where
    T: Element,
    F: Function<(T, T, T, T), Output = T>,
{
    let text = |source: &mut Source| {
        let (ty, function) = (T::cuda_type(source), of_four.cuda_function(source));
        let four = source.define_type(&format!("four {ty}"), "Four", |_, name| {
            format!("struct {name} {{ {ty} upper_left, upper_right, lower_left, lower_right; }};")
        });
        let load = source.define(&format!("of four {function}"), "of_four", |_, name| {
            format!(
                "__device__ __forceinline__ {ty} {name}(const {four}& x, u64) {{ return {function}(x.upper_left, x.upper_right, \
                 x.lower_left, x.lower_right); }}"
            )
        });
        let combine = source.define(&format!("either {ty}"), "either", |_, name| {
            format!("__device__ __forceinline__ {ty} {name}(const {ty}& a, const {ty}&) {{ return a; }}")
        });
        let same = Function::<(T,)>::cuda_function(&Same, source);
        let types = [four, ty.clone(), ty.clone(), ty];
        let code = Code { types, load, combine, store: same.clone(), given: same.clone(), carried: same };
        let (key, offset) = ("u32".to_owned(), "u64".to_owned());
        let (streams, element) = (Vec::new(), "x".to_owned());
        Text { code, streams, length: None, right: None, element, storing: None, key, offset, same: None }
    };
    let mut held = Held::nothing();
    held.add_function::<F>(|values| of_four.values(values))?;
    let one = Layout::of::<T>();
    let four = Layout { size: 4 * one.size, align: one.align };
    let layouts = Layouts::of_buffers(four, one, one);
    let known = Known { same_finish: true, ..Known::default() };
    let types = TypeId::of::<(F, [T; 4])>();
    use_them(&Functions { layouts, known, key: Layout::of::<()>(), may_fault: false, types, held: &held, text: &text })
}

/// Returns 2^32 divided by `n`, rounded down, and for 1 the largest 32-bit number: by it the kernel divides by `n`.
fn reciprocal(n: u64) -> u64 {
    ((1 << 32) / n).min(u64::from(u32::MAX))
}

/// Computes all levels of a pyramid. If `input` is none, the output already begins with the input (in place).
pub fn run<T, F>(
    cuda: &Cuda,
    of_four: F,
    input: Option<&View<'_, T>>,
    output: &mut Target<'_, T>,
    halvings: &Halvings,
    with_input: bool,
) -> Result<()>
where
    T: Element,
    F: Function<(T, T, T, T), Output = T>,
{
    let mut lender = Lender::new(cuda);
    let output = lender.lend_mut("output", output)?;
    let input_at = input.map(|view| lender.lend("input", view)).transpose()?;
    lender.check(false)?;
    let _loans = lender.into_loans();
    let [planes, height, width, channels] = halvings.shape;
    let image = halvings.image(None)?;
    if image == 0 {
        return Ok(());
    }
    let size = size_of::<T>();
    let plan = PyramidPlan::new(size, channels);
    let copies = with_input && input.is_some();
    with_functions::<T, F, _>(&of_four, |functions| {
        let (mut from, mut done) = (input_at.unwrap_or(output), 0);
        let mut to = if with_input { output + (image * size) as u64 } else { output };
        let (mut height, mut width, mut copies) = (height, width, copies);
        while done < halvings.levels || copies {
            let levels = plan.levels().min(halvings.levels - done);
            let kernel = kernel(&plan, copies, functions);
            let loaded = cuda.kernel(kernel.key(), || kernel.source::<PyramidParams>())?;
            let of_input = [height as u64, width as u64];
            let mut places = [output; MOST_LEVELS + 1];
            let mut last = from;
            for place in places.iter_mut().skip(1).take(levels) {
                (height, width) = (halved(height), halved(width));
                (*place, last) = (to, to);
                to += (planes * height * width * channels * size) as u64;
            }
            let [level_0, level_1, level_2, level_3, level_4, level_5, level_6] = places;
            let [in_height, in_width] = of_input;
            let (down, across) = (in_height.div_ceil(plan.tile[1] as u64), in_width.div_ceil(plan.tile[0] as u64));
            let parts = if plan.whole_pixels { 1 } else { channels.div_ceil(plan.channels) };
            let of_plane = down * across * parts as u64;
            // The elements of a plane with so many tiles would not fit in the memory of any device.
            let too_large = || Error::OutOfMemory { bytes: image.saturating_mul(size) };
            let planes_at_once = (u64::from(MOST_BLOCKS) / of_plane) as usize;
            if planes_at_once == 0 {
                return Err(too_large());
            }
            for first_plane in (0..planes).step_by(planes_at_once) {
                let blocks = of_plane * (planes - first_plane).min(planes_at_once) as u64;
                let fixed = PyramidParams {
                    input: from,
                    level_0,
                    level_1,
                    level_2,
                    level_3,
                    level_4,
                    level_5,
                    level_6,
                    levels: levels as u64,
                    height: in_height,
                    width: in_width,
                    channels: channels as u64,
                    first_plane: first_plane as u64,
                    tiles_across: across,
                    across_reciprocal: reciprocal(across),
                    tiles_down: down,
                    down_reciprocal: reciprocal(down),
                    workspace: Workspace::NONE,
                };
                let params = Params::new(fixed, &Begin::nothing(functions.layouts.acc), 1, &functions.held.values);
                // SAFETY: `Params` begins with the kernel's layout (its text asserts it), and the loans keep its
                // pointers good for the image and all levels until the kernel is enqueued in the stream's order.
                unsafe { cuda.launch(&loaded, Grid::new(blocks as u32, THREADS as u32, 0), &params) }?;
            }
            (from, done, copies) = (last, done + levels, false);
        }
        Ok(())
    })
}

/// Largest number of blocks of one launch.
const MOST_BLOCKS: u32 = 1 << 30;
