//! The pages about error codes: `docs/errors/CODE.md`, embedded in the program.

/// Code and page, sorted by code. The folder's README is among the files and is left out below.
static PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// The page about a code, in Markdown.
pub fn page(code: &str) -> Option<&'static str> {
    codes().find(|(found, _)| *found == code).map(|(_, page)| page)
}

/// All codes with their pages, sorted.
pub fn codes() -> impl Iterator<Item = (&'static str, &'static str)> {
    PAGES.iter().copied().filter(|(code, _)| *code != "README")
}

/// The first line of a page without the Markdown sign: its title.
pub fn title(page: &str) -> &str {
    page.lines().next().unwrap_or("").trim_start_matches('#').trim()
}

/// The existing code that is most like `code`, unless none is similar.
pub fn nearest(code: &str) -> Option<&'static str> {
    let (distance, nearest) =
        codes().map(|(candidate, _)| (distance(code, candidate), candidate)).min()?;
    (distance <= code.len().max(4) / 2).then_some(nearest)
}

/// The number of insertions, deletions and replacements that turn one string into the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_starts_with_its_code() {
        for (code, page) in codes() {
            assert!(page.starts_with(&format!("# {code}: ")), "{code}");
        }
    }

    #[test]
    fn the_nearest_code_is_found() {
        assert_eq!(nearest("import-cylce"), Some("import-cycle"));
        assert_eq!(nearest("zzzzzzzzzzzzzzzz"), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
