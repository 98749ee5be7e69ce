//! Terrain: lines of sight, viewsheds of a whole raster, horizons, hill shade.
//!
//! ```
//! use upsweep::Device;
//! use upsweep_apps::terrain::{LineOfSight, Raster, Viewshed};
//!
//! let device = Device::cpu();
//! let altitudes = [1.0f32, 2.0, 1.0, 3.0, 3.0, 6.0]; // slopes from the first: 1, 0, 2/3, 1/2, 1
//! let mut visible = [false; 6];
//! LineOfSight::new().run(&device, &altitudes, &mut visible)?;
//! assert_eq!(visible, [true, true, false, false, false, false]); // the last is as steep as the second, not steeper
//!
//! // Behind a wall of 5 in the middle column nothing is seen from the left.
//! let terrain = [0.0f32, 0.0, 5.0, 0.0, 1.0].repeat(3);
//! let mut seen = [false; 15];
//! Viewshed::new(1, 0).observer(1.7).run(&device, &terrain, Raster::new(3, 5), &mut seen)?;
//! assert_eq!(seen[5..10], [true, true, true, false, false]);
//! # Ok::<(), upsweep_apps::Error>(())
//! ```
//!
//! Altitudes are `f32`, in the unit of the distances between cells; all is computed in `f64`. NaN is an unknown
//! altitude: it is not seen, and it hides nothing.

mod horizon;
mod profile;
mod raster;
mod rays;
mod shade;
mod sight;
mod viewshed;

pub use horizon::Horizon;
pub use profile::Profile;
pub use raster::Raster;
pub use shade::HillShade;
pub use sight::LineOfSight;
pub use viewshed::Viewshed;
