//! Hands the user's attributes on to the emitted items that they mean.

use syn::{Attribute, Meta};

/// The attributes of the annotated function, by where they go.
#[derive(Debug, Default)]
pub struct Attributes {
    /// On every emitted item.
    pub cfg: Vec<Attribute>,
    /// On everything that holds the user's code.
    pub lints: Vec<Attribute>,
    /// On the forward computation, as well as on the public function.
    pub inline: Vec<Attribute>,
    /// On the trait, as well as on the public function.
    pub hidden: Vec<Attribute>,
    /// On the public function.
    pub function: Vec<Attribute>,
}

impl Attributes {
    /// Sorts the attributes of a declaration.
    pub fn of(attributes: &[Attribute]) -> Self {
        let mut sorted = Self::default();
        for attribute in attributes {
            let mut attribute = attribute.clone();
            attribute.style = syn::AttrStyle::Outer;
            let path = attribute.path();
            let is = |name: &str| path.is_ident(name);
            if is("cfg") {
                sorted.cfg.push(attribute);
            } else if is("expect") {
                sorted.lints.push(attribute);
            } else if is("allow") || is("warn") || is("deny") || is("forbid") {
                sorted.lints.push(attribute.clone());
                sorted.hidden.push(attribute);
            } else if is("inline") {
                sorted.inline.push(attribute);
            } else if is("doc")
                && matches!(&attribute.meta, Meta::List(list) if list.tokens.to_string() == "hidden")
            {
                sorted.hidden.push(attribute);
            } else {
                sorted.function.push(attribute);
            }
        }
        sorted
    }
}
