//! What the attribute and the signature of one tool say.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{
    Error, Expr, ExprLit, FnArg, Ident, ItemFn, Lit, LitInt, LitStr, Result, Token, Type,
    TypeParamBound, parenthesized,
};

use crate::{argument, docs};

/// What stands in the parentheses of `#[tool(...)]`.
#[derive(Default)]
pub(crate) struct Options {
    read_only: bool,
    writes: bool,
    diag: bool,
    reports: Option<Vec<(Ident, Lit)>>,
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut options = Self::default();
        while !input.is_empty() {
            options.parse_one(input)?;
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(options)
    }
}

impl Options {
    fn parse_one(&mut self, input: ParseStream<'_>) -> Result<()> {
        let name: Ident = input.parse()?;
        if name == "read_only" {
            self.read_only = true;
        } else if name == "writes" {
            self.writes = true;
        } else if name == "diag" {
            self.diag = true;
        } else if name == "reports" {
            let content;
            parenthesized!(content in input);
            let pairs = Punctuated::<syn::MetaNameValue, Token![,]>::parse_terminated(&content)?;
            self.reports = Some(pairs.into_iter().map(example).collect::<Result<_>>()?);
        } else {
            return Err(Error::new_spanned(
                name,
                "a tool has the options `read_only`, `writes`, `diag` and `reports`",
            ));
        }
        Ok(())
    }
}

fn example(pair: syn::MetaNameValue) -> Result<(Ident, Lit)> {
    let name = pair.path.require_ident()?.clone();
    match pair.value {
        Expr::Lit(ExprLit { lit: lit @ (Lit::Str(_) | Lit::Bool(_) | Lit::Int(_)), .. }) => {
            Ok((name, lit))
        }
        other => Err(Error::new_spanned(other, "an example is a string, a number, true or false")),
    }
}

/// The interfaces that a host can grant, and the worlds that import them: one each, or with `diag`
/// beside it. What speaks to other agents or looks at them can do nothing else, so it has no second
/// one.
const HOSTS: [(&str, World); 4] = [
    ("Subagents", World { name: "control-tool", with_diag: None }),
    ("Delegation", World { name: "delegation-tool", with_diag: None }),
    ("Observation", World { name: "observation-tool", with_diag: None }),
    ("Workspace", World { name: "workspace-tool", with_diag: Some("workspace-diag-tool") }),
];
const PURE: World = World { name: "pure-tool", with_diag: Some("diag-tool") };

struct World {
    name: &'static str,
    with_diag: Option<&'static str>,
}

/// One tool: a function, with what its attribute and its comment say of it.
pub(crate) struct Tool {
    function: Ident,
    name: String,
    description: String,
    options: Options,
    parameters: Vec<Parameter>,
}

enum Parameter {
    Arguments(Box<Type>),
    Host(usize),
}

impl Tool {
    pub(crate) fn new(options: Options, function: &ItemFn) -> Result<Self> {
        let signature = &function.sig;
        let description = docs::text(&function.attrs);
        if description.is_empty() {
            let help = "a model chooses a tool by what it reads of it: write a doc comment";
            return Err(Error::new_spanned(&signature.ident, help));
        }
        if let Some(token) = &signature.asyncness {
            return Err(Error::new_spanned(token, "the host's functions wait: no async is needed"));
        }
        let tool = Self {
            function: signature.ident.clone(),
            name: argument::checked_name(&signature.ident)?,
            description,
            options,
            parameters: parameters(function)?,
        };
        if tool.options.diag && tool.own_world().with_diag.is_none() {
            let help = "a tool that speaks to other agents or looks at them can do nothing else: \
                        leave out `diag`; the host's log has the functions a panic was in";
            return Err(Error::new_spanned(&signature.ident, help));
        }
        Ok(tool)
    }

    fn own_world(&self) -> &'static World {
        self.host().map_or(&PURE, |host| &HOSTS[host].1)
    }

    /// Whether it writes to the host's log.
    pub(crate) fn has_diag(&self) -> bool {
        self.options.diag
    }

    /// Which of the interfaces it takes.
    fn host(&self) -> Option<usize> {
        self.parameters.iter().find_map(|parameter| match parameter {
            Parameter::Host(host) => Some(*host),
            Parameter::Arguments(_) => None,
        })
    }

    pub(crate) fn world(&self) -> &'static str {
        let world = self.own_world();
        if self.options.diag { world.with_diag.unwrap_or(world.name) } else { world.name }
    }

    /// The trait of the host that it takes, if it takes one.
    pub(crate) fn host_trait(&self) -> Option<TokenStream> {
        let name = Ident::new(HOSTS[self.host()?].0, Span::call_site());
        Some(quote!(::switchboard_guest::#name))
    }

    pub(crate) fn same_world(&self, first: &Tool) -> Result<()> {
        if self.world() == first.world() {
            return Ok(());
        }
        let help = match self.host() == first.host() {
            true => {
                "all tools of a component have `diag`, or none: write it at each of them".into()
            }
            false => format!(
                "a component has one kind of host, and `{}` takes another: make it a crate of its \
                 own",
                first.name
            ),
        };
        Err(Error::new_spanned(&self.function, help))
    }

    fn arguments(&self) -> TokenStream {
        let found = self.parameters.iter().find_map(|parameter| match parameter {
            Parameter::Arguments(kind) => Some(kind.to_token_stream()),
            Parameter::Host(_) => None,
        });
        found.unwrap_or_else(|| quote!(()))
    }

    /// What stands of it in the component's description.
    pub(crate) fn description(&self) -> TokenStream {
        let Self { name, description, .. } = self;
        let (read_only, writes) = (self.options.read_only, self.options.writes);
        let arguments = self.arguments();
        let reports = match &self.options.reports {
            Some(example) => {
                let pairs = example.iter().map(pair);
                quote!(::core::option::Option::Some(&[#(#pairs),*]))
            }
            None => quote!(::core::option::Option::None),
        };
        quote! {
            ::switchboard_guest::component::Tool {
                name: #name,
                description: #description,
                input: <#arguments as ::switchboard_guest::Argument>::SCHEMA,
                read_only: #read_only,
                writes: #writes,
                reports: #reports,
            }
        }
    }

    /// The arm of the component's `match` on a tool's name.
    pub(crate) fn arm(&self) -> TokenStream {
        let Self { name, function, .. } = self;
        let kind = self.arguments();
        let values = self.parameters.iter().map(|parameter| match parameter {
            Parameter::Arguments(_) => quote!(given),
            Parameter::Host(_) => quote!(host),
        });
        quote! {
            #name => ::switchboard_guest::component::run(
                arguments,
                |given: #kind| #function(#(#values),*),
            )
        }
    }
}

fn pair((name, value): &(Ident, Lit)) -> TokenStream {
    let name = LitStr::new(&name.to_string(), name.span());
    let value = match value {
        Lit::Str(text) => quote!(Text(#text)),
        Lit::Int(number) => json(LitInt::base10_digits(number)),
        other => json(&other.to_token_stream().to_string()),
    };
    quote!((#name, ::switchboard_guest::component::Example::#value))
}

fn json(text: &str) -> TokenStream {
    quote!(Json(#text))
}

fn parameters(function: &ItemFn) -> Result<Vec<Parameter>> {
    let signature = &function.sig;
    if !signature.generics.params.is_empty() {
        let help = "a tool takes its host as `&impl Subagents`, without other parameters";
        return Err(Error::new_spanned(&signature.generics, help));
    }
    let found = signature.inputs.iter().map(parameter).collect::<Result<Vec<_>>>()?;
    let hosts = found.iter().filter(|p| matches!(p, Parameter::Host(_))).count();
    if hosts > 1 || found.len() - hosts > 1 {
        let help = "a tool takes one struct of arguments and at most one host";
        return Err(Error::new_spanned(&signature.inputs, help));
    }
    Ok(found)
}

fn parameter(input: &FnArg) -> Result<Parameter> {
    let FnArg::Typed(input) = input else {
        return Err(Error::new_spanned(input, "a tool is a function, not a method"));
    };
    let Type::Reference(reference) = &*input.ty else {
        return Ok(Parameter::Arguments(input.ty.clone()));
    };
    let known =
        host_name(&reference.elem).and_then(|name| HOSTS.iter().position(|(host, _)| name == host));
    known.map(Parameter::Host).ok_or_else(|| {
        let help = "a host is `&impl Subagents`, `&impl Delegation`, `&impl Observation` or `&impl \
                    Workspace`";
        Error::new_spanned(&input.ty, help)
    })
}

fn host_name(kind: &Type) -> Option<&Ident> {
    let Type::ImplTrait(kind) = kind else { return None };
    match kind.bounds.first() {
        Some(TypeParamBound::Trait(bound)) if kind.bounds.len() == 1 => {
            bound.path.segments.last().map(|segment| &segment.ident)
        }
        _ => None,
    }
}
