//! Reader of a kernel's resources from a cubin. A cubin is an ELF file for the GPU: each kernel has a code section
//! `.text.NAME`, a section `.nv.shared.NAME` if it has shared memory of fixed size, and attributes in `.nv.info`.

/// Resources of a multiprocessor that one kernel takes.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Kernel {
    pub(crate) name: String,
    pub(crate) registers: u32,
    /// Bytes of local memory that a thread takes: arrays that are indexed at run time, and spilled registers.
    pub(crate) stack: u32,
    /// Bytes of shared memory that a block takes, without memory whose size the launch chooses.
    pub(crate) shared: u64,
}

/// Numbers of the attributes in `.nv.info`, by the names that `cuobjdump -elf` prints.
const EIATTR_FRAME_SIZE: u8 = 0x11;
const EIATTR_REGCOUNT: u8 = 0x2f;
/// Format of an attribute in `.nv.info` that gives the length of its value, and then the value.
const EIFMT_SVAL: u8 = 4;

/// Resources of each kernel in `cubin`; none if it is not a 64-bit ELF file of the expected form.
pub(crate) fn kernels(cubin: &[u8]) -> Vec<Kernel> {
    read(cubin).unwrap_or_default()
}

struct Section<'a> {
    name: &'a str,
    size: u64,
    bytes: &'a [u8],
    link: u32,
}

fn read(cubin: &[u8]) -> Option<Vec<Kernel>> {
    if !cubin.starts_with(b"\x7fELF\x02") {
        return None;
    }
    let sections = sections(cubin)?;
    let info = sections.iter().find(|section| section.name == ".nv.info")?;
    let symbols = sections.iter().find(|section| section.name == ".symtab")?;
    let names = sections.get(symbols.link as usize)?.bytes;
    let symbol = |index: u32| {
        let at = index as usize * 24;
        string(names, u32_at(symbols.bytes, at)? as usize)
    };
    let mut kernels: Vec<Kernel> = Vec::new();
    for section in &sections {
        if let Some(name) = section.name.strip_prefix(".text.") {
            let shared = format!(".nv.shared.{name}");
            let shared = sections.iter().find(|section| section.name == shared).map_or(0, |section| section.size);
            kernels.push(Kernel { name: name.to_owned(), shared, ..Kernel::default() });
        }
    }
    let mut rest = info.bytes;
    while let [format, attribute, low, high, after @ ..] = rest {
        let len = usize::from(u16::from_le_bytes([*low, *high]));
        // Attributes of other formats have the value where this one has the length, and nothing after it.
        let len = if *format == EIFMT_SVAL { len } else { 0 };
        if *format == EIFMT_SVAL && len == 8 {
            let (function, value) = (u32_at(after, 0)?, u32_at(after, 4)?);
            let kernel = symbol(function).and_then(|name| kernels.iter_mut().find(|kernel| kernel.name == name));
            match (attribute, kernel) {
                (&EIATTR_FRAME_SIZE, Some(kernel)) => kernel.stack = value,
                (&EIATTR_REGCOUNT, Some(kernel)) => kernel.registers = value,
                _ => {}
            }
        }
        rest = after.get(len..)?;
    }
    Some(kernels)
}

fn sections(elf: &[u8]) -> Option<Vec<Section<'_>>> {
    let table = usize::try_from(u64_at(elf, 0x28)?).ok()?;
    let (entry, count, names) = (u16_at(elf, 0x3a)?, u16_at(elf, 0x3c)?, u16_at(elf, 0x3e)?);
    let header = |index: u16| elf.get(table + usize::from(index) * usize::from(entry)..);
    let bytes = |header: &[u8]| {
        const SHT_NOBITS: u32 = 8;
        let (offset, size) = (u64_at(header, 0x18)?, u64_at(header, 0x20)?);
        let (start, size) = (usize::try_from(offset).ok()?, usize::try_from(size).ok()?);
        if u32_at(header, 4)? == SHT_NOBITS { Some(&elf[..0]) } else { elf.get(start..start.checked_add(size)?) }
    };
    let names = bytes(header(names)?)?;
    (0..count)
        .map(|index| {
            let header = header(index)?;
            let name = string(names, u32_at(header, 0)? as usize)?;
            Some(Section { name, size: u64_at(header, 0x20)?, bytes: bytes(header)?, link: u32_at(header, 0x28)? })
        })
        .collect()
}

fn string(table: &[u8], at: usize) -> Option<&str> {
    let rest = table.get(at..)?;
    std::str::from_utf8(&rest[..rest.iter().position(|&byte| byte == 0)?]).ok()
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}
fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}
fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}
