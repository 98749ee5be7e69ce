//! What the tables of "Which builder for which task" name runs below them: calls in a program, commands in a block.

use crate::commands::{commands, words};
use crate::{chapters, code};

/// Without white space, which a formatter may put anywhere.
fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Parts of calls that stand for themselves: names of methods and builders in the words between calls.
fn is_a_name(span: &str) -> bool {
    span.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[test]
fn calls_and_commands_of_tables_run_on_the_same_page() {
    let mut wrong = vec![];
    let mut seen = 0;
    for chapter in chapters().iter().filter(|chapter| chapter.path.starts_with("tasks/")) {
        let program: String =
            chapter.lines().iter().filter(|line| line.1 == Some("rust")).map(|line| dense(line.2)).collect();
        let commands = commands(chapter).iter().map(|command| words(command)).collect::<Vec<_>>();
        for (line, header, row) in chapter.rows() {
            for (name, cell) in header.iter().zip(&row) {
                let missing: Vec<&str> = match &**name {
                    "Rust" | "upsweep" => {
                        let spans = code(cell).filter(|span| !is_a_name(span));
                        spans.filter(|span| !program.contains(&dense(span))).collect()
                    }
                    "shell" => {
                        code(cell).filter(|span| !commands.iter().any(|command| command.contains(span))).collect()
                    }
                    _ => continue,
                };
                seen += code(cell).count();
                wrong.extend(missing.into_iter().map(|span| format!("{}:{line}: {span}", chapter.path)));
            }
        }
    }
    assert!(wrong.is_empty(), "named in a table, and run nowhere on its page:\n{}", wrong.join("\n"));
    assert!(seen > 200, "only {seen} calls");
}
