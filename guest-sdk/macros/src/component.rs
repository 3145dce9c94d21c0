//! The component that has the tools: its description, its dispatch, and on wasm its export.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Error, Item, ItemFn, ItemMod, Meta, Result};

use crate::tool::{Options, Tool};

pub(crate) fn of_function(options: Options, function: ItemFn) -> Result<TokenStream> {
    let component = component(&[Tool::new(options, &function)?])?;
    Ok(quote!(#function #component))
}

pub(crate) fn of_module(mut module: ItemMod) -> Result<TokenStream> {
    let Some((_, items)) = &mut module.content else {
        let help = "the tools must stand inside the module: `mod NAME { ... }`";
        return Err(Error::new_spanned(&module, help));
    };
    let mut tools = Vec::new();
    for item in items.iter_mut() {
        if let Item::Fn(function) = item
            && let Some(options) = take_options(&mut function.attrs)?
        {
            tools.push(Tool::new(options, function)?);
        }
    }
    if tools.is_empty() {
        let help = "no function in this module has the attribute `#[tool]`";
        return Err(Error::new_spanned(&module.ident, help));
    }
    let component = component(&tools)?;
    items.push(Item::Verbatim(component));
    let name = &module.ident;
    Ok(quote!(#module pub use #name::Component;))
}

/// Removes the attribute of a tool, which has no meaning but inside the module's.
fn take_options(attributes: &mut Vec<Attribute>) -> Result<Option<Options>> {
    let is_tool = |attribute: &Attribute| {
        attribute.path().segments.last().is_some_and(|segment| segment.ident == "tool")
    };
    let Some(place) = attributes.iter().position(is_tool) else { return Ok(None) };
    match attributes.remove(place).meta {
        Meta::Path(_) => Ok(Some(Options::default())),
        Meta::List(list) => list.parse_args().map(Some),
        Meta::NameValue(pair) => Err(Error::new_spanned(pair, "options stand in parentheses")),
    }
}

fn component(tools: &[Tool]) -> Result<TokenStream> {
    let first = &tools[0];
    tools.iter().try_for_each(|tool| tool.same_world(first))?;
    let world = first.world();
    let host = first.host_trait().map(|host| quote!(host: &impl #host,));
    let real_host = host.as_ref().map(|_| quote!(&::switchboard_guest::component::Host));
    let descriptions = tools.iter().map(Tool::description);
    let arms = tools.iter().map(Tool::arm);
    let export = export(real_host, first.has_diag());
    Ok(quote! {
        /// The component that this crate becomes.
        #[derive(Debug, Clone, Copy)]
        pub struct Component;

        impl Component {
            const PARTS: ::switchboard_guest::component::Description =
                ::switchboard_guest::component::Description {
                    world: #world,
                    tools: &[#(#descriptions),*],
                };
            const BYTES: [u8; ::switchboard_guest::component::length(&Self::PARTS)] =
                ::switchboard_guest::component::bytes(&Self::PARTS);

            /// What the component says of its tools, as JSON.
            pub const DESCRIPTION: &'static str =
                ::switchboard_guest::component::text(&Self::BYTES);

            /// Calls a tool by its name; the arguments are the JSON that the model wrote.
            pub fn call(
                name: &str,
                arguments: &str,
                #host
            ) -> ::core::result::Result<
                ::switchboard_guest::Reply,
                ::switchboard_guest::Failure,
            > {
                match name {
                    #(#arms,)*
                    _ => ::core::result::Result::Err(
                        ::switchboard_guest::component::no_such_tool(name, Self::PARTS.tools),
                    ),
                }
            }
        }

        #export
    })
}

/// The section and the export exist in a component alone, so that a crate of tools can be
/// linked into a test, several of them into one.
fn export(host: Option<TokenStream>, diag: bool) -> TokenStream {
    let tell = diag.then(|| quote!(::switchboard_guest::component::tell_of_panics();));
    quote! {
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            impl ::switchboard_guest::component::Guest for Component {
                fn call(
                    name: ::std::string::String,
                    arguments: ::std::string::String,
                ) -> ::core::result::Result<
                    ::switchboard_guest::Reply,
                    ::switchboard_guest::Failure,
                > {
                    #tell
                    Component::call(&name, &arguments, #host)
                }
            }

            #[used]
            #[unsafe(link_section = "switchboard:tool")]
            static DESCRIPTION: [u8; Component::BYTES.len()] = Component::BYTES;

            ::switchboard_guest::component::export_component!(
                Component with_types_in ::switchboard_guest::generated
            );
        };
    }
}
