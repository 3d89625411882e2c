//! What the program says about a property: the attribute `#[prop(...)]`.

use fehu_driver::check::Outcome;
use fehu_syntax::ast::{Attr, AttrKind, Dec, DecKind};

/// The arguments of the attribute.
pub(super) struct Settings {
    /// The entry point that makes candidates.
    pub(super) generator: Option<String>,
    /// The entry point that makes counterexamples smaller.
    pub(super) shrinker: Option<String>,
    /// The size of candidates.
    pub(super) size: i64,
}

/// Large enough for arrays that cross most boundaries, small enough to be quick.
const DEFAULT_SIZE: i64 = 50;
/// What is larger would not be tested in time.
const MAX_SIZE: i64 = 1_000_000;

impl Settings {
    /// Looks for the attribute of an entry point.
    pub(super) fn find(outcome: &Outcome, name: &str) -> Result<Settings, String> {
        let loaded = &*outcome.loaded;
        let root = loaded.root.and_then(|root| loaded.files.get(root));
        let dec = root.and_then(|file| file.ast.decs.iter().find_map(|dec| entry(dec, name)));
        let attr = dec.and_then(|dec| {
            dec.attrs.iter().find(|attr| match &attr.kind {
                AttrKind::Name(name) | AttrKind::Call(name, _) => name == "prop",
                AttrKind::Int(_) => false,
            })
        });
        let Some(attr) = attr else {
            return Err(format!("the entry point \"{name}\" has no attribute `#[prop]`"));
        };
        let mut settings = Settings { generator: None, shrinker: None, size: DEFAULT_SIZE };
        if let AttrKind::Call(_, args) = &attr.kind {
            for arg in args {
                settings.set(arg).ok_or_else(|| {
                    format!(
                        "the attribute of the property \"{name}\" has an argument other than \
                         `gen(f)`, `shrink(f)` and `size(n)`, where n is at most {MAX_SIZE}"
                    )
                })?;
            }
        }
        Ok(settings)
    }

    fn set(&mut self, arg: &Attr) -> Option<()> {
        let AttrKind::Call(what, args) = &arg.kind else { return None };
        let [arg] = args.as_slice() else { return None };
        match (what.as_str(), &arg.kind) {
            ("gen", AttrKind::Name(name)) => self.generator = Some(name.to_string()),
            ("shrink", AttrKind::Name(name)) => self.shrinker = Some(name.to_string()),
            ("size", AttrKind::Int(size)) => {
                let size = i64::try_from(*size).ok()?;
                self.size = (0..=MAX_SIZE).contains(&size).then_some(size)?;
            }
            _ => return None,
        }
        Some(())
    }
}

fn entry<'a>(dec: &'a Dec, name: &str) -> Option<&'a Dec> {
    match &dec.kind {
        DecKind::Val(bind) if bind.name.name == name => Some(dec),
        DecKind::Local(inner) => entry(inner, name),
        _ => None,
    }
}
