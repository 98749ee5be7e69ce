//! Peers: other libraries on the same work, as programs in `benches/peers`, with their packages from PyPI. The build
//! needs a C++ compiler; the GPU's peers run with only the driver.

use crate::command::{Outcome, first_line, run, target};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// PyPI packages of the CUDA toolkit: the compiler, its headers, its device libraries, the run-time library.
const TOOLKIT: [&str; 4] =
    ["nvidia-cuda-nvcc==13.0.*", "nvidia-cuda-crt==13.0.*", "nvidia-nvvm==13.0.*", "nvidia-cuda-runtime==13.0.*"];
/// Names and PyPI packages of two versions of CUB: the toolkit's own, and the newest.
const CUBS: [(&str, &str); 2] = [("cub-3.0", "nvidia-cuda-cccl==13.0.*"), ("cub-newest", "nvidia-cuda-cccl")];

/// Prepares the CPU's peers, and returns the commands that run them: `std::inclusive_scan` by TBB; NumPy, SciPy and
/// OpenCV.
pub(super) fn cpu(root: &Path) -> Outcome<Vec<Command>> {
    let folder = target(root).join("peers");
    let venv = folder.join("venv");
    let python = venv.join("bin/python");
    if !python.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
        run(pip(&python).args(["numpy", "scipy", "opencv-python-headless", "tbb", "tbb-devel"]))?;
    }
    let program = folder.join("std-tbb");
    let libraries = venv.join("lib");
    let mut build = Command::new("c++");
    build.args(["-O3", "-march=native", "-std=c++17", "-o"]).arg(&program).arg(root.join("benches/peers/cpu.cpp"));
    build.arg("-I").arg(venv.join("include")).arg("-L").arg(&libraries);
    run(build.arg(format!("-Wl,-rpath,{}", libraries.display())).args(["-ltbb", "-lpthread"]))?;
    let mut numpy = Command::new(python);
    numpy.arg(root.join("benches/peers/python.py")).arg("cpu");
    Ok(vec![Command::new(program), numpy])
}

/// Prepares the GPU's peers, and returns the commands that run them: CUB in two versions, and the libraries that the
/// machine's own Python has of PyTorch, CuPy and JAX.
pub(super) fn gpu(root: &Path) -> Outcome<Vec<Command>> {
    let folder = target(root).join("peers");
    let cuda = package(&folder.join("cuda"), &TOOLKIT)?;
    let architecture = architecture();
    let mut commands = Vec::new();
    for (name, version) in CUBS {
        let headers = package(&folder.join(format!("{name}-headers")), &[version])?;
        let program = folder.join(name);
        let mut build = Command::new(cuda.join("bin/nvcc"));
        build.args(["-std=c++17", "-O3", "-cudart", "static"]);
        build.arg(format!("-gencode=arch=compute_{architecture},code=sm_{architecture}"));
        build.arg("-I").arg(headers.join("include/cccl")).arg("-L").arg(cuda.join("lib"));
        run(build.arg("-o").arg(&program).arg(root.join("benches/peers/cub.cu")))?;
        commands.push(Command::new(program));
    }
    let mut python = Command::new("python3");
    python.arg(root.join("benches/peers/python.py")).arg("gpu");
    commands.push(python);
    Ok(commands)
}

fn pip(python: &Path) -> Command {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore"]);
    pip
}

/// Folder with the files of the PyPI packages `packages`, which are NVIDIA's. It lies in `folder`; if it is not there
/// yet, the packages are fetched.
fn package(folder: &Path, packages: &[&str]) -> Outcome<PathBuf> {
    let inner = folder.join("nvidia/cu13");
    if !inner.exists() {
        run(pip(Path::new("python3")).args(["--no-deps", "--target"]).arg(folder).args(packages))?;
    }
    if inner.exists() { Ok(inner) } else { Err(format!("{packages:?} brought no {}", inner.display()).into()) }
}

/// Architecture to build for: the GPU's, or the H200's if there is none, as the programs are then for another machine.
fn architecture() -> String {
    let mut query = Command::new("nvidia-smi");
    query.args(["--query-gpu=compute_cap", "--format=csv,noheader"]).stderr(Stdio::null());
    first_line(&mut query, "9.0").replace('.', "")
}
