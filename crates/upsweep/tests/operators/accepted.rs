//! Code that the macros accept: each file in `compile_fail` that must not compile has a companion that must, the
//! nearest code with the same meaning. Here the companions are compiled and run.

macro_rules! accepted {
    ($($name:ident $file:literal;)*) => { $(
        #[path = $file]
        pub(crate) mod $name;
    )*
    mod run {
        $(#[test]
        fn $name() {
            super::$name::main();
        })*
    } };
}
accepted! {
    calls_pass "../compile_fail/calls_pass.rs";
    control_pass "../compile_fail/control_pass.rs";
    element_pass "../compile_fail/element_pass.rs";
    index_pass "../compile_fail/index_pass.rs";
    literals_pass "../compile_fail/literals_pass.rs";
    loops_pass "../compile_fail/loops_pass.rs";
    methods_pass "../compile_fail/methods_pass.rs";
    places_pass "../compile_fail/places_pass.rs";
    references_pass "../compile_fail/references_pass.rs";
    signature_pass "../compile_fail/signature_pass.rs";
    types_pass "../compile_fail/types_pass.rs";
}

/// Every file of the folder is in the list.
#[test]
fn every_file_is_here() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/compile_fail");
    let here = include_str!("accepted.rs");
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let names = entries.map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned());
    let passes: Vec<String> = names.filter(|name| name.ends_with("_pass.rs")).collect();
    assert_eq!(passes.len(), 11);
    passes.iter().for_each(|name| assert!(here.contains(&format!("/{name}\"")), "{name}"));
}
