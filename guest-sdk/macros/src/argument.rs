//! The derives: a type's schema as a constant, and how it is read.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Field, Fields, Ident, Result, Variant};

use crate::docs;

const LONGEST_NAME: usize = 64;

pub(crate) fn of_struct(input: &DeriveInput) -> Result<TokenStream> {
    let fields = named_fields(input)?;
    let names = fields.iter().map(property_name).collect::<Result<Vec<_>>>()?;
    let properties = fields.iter().zip(&names).map(|(field, name)| property(field, name));
    let reads = fields.iter().zip(&names).map(|(field, name)| {
        let ident = &field.ident;
        quote!(#ident: fields.take(#name)?)
    });
    let schema = quote!(::switchboard_guest::Schema::Object(&[#(#properties),*]));
    let read = quote! {
        #[allow(unused_mut)]
        let mut fields = ::switchboard_guest::Fields::open(
            value,
            <Self as ::switchboard_guest::Argument>::SCHEMA,
        )?;
        ::core::result::Result::Ok(Self { #(#reads),* })
    };
    let argument = implementation(input, &schema, &read);
    let name = &input.ident;
    Ok(quote! {
        #argument
        #[automatically_derived]
        impl ::switchboard_guest::Arguments for #name {}
    })
}

pub(crate) fn of_enum(input: &DeriveInput) -> Result<TokenStream> {
    let variants = unit_variants(input)?;
    let words = variants.iter().map(|v| snake_case(&v.ident.to_string()));
    let schema = quote!(::switchboard_guest::Schema::Choice(&[#(#words),*]));
    let places = 0..variants.len();
    let idents = variants.iter().map(|v| &v.ident);
    let read = quote! {
        let schema = <Self as ::switchboard_guest::Argument>::SCHEMA;
        ::core::result::Result::Ok(match ::switchboard_guest::component::choice(value, schema)? {
            #(#places => Self::#idents,)*
            _ => ::core::unreachable!("a choice is one of the names"),
        })
    };
    Ok(implementation(input, &schema, &read))
}

fn implementation(input: &DeriveInput, schema: &TokenStream, read: &TokenStream) -> TokenStream {
    let name = &input.ident;
    quote! {
        #[automatically_derived]
        impl ::switchboard_guest::Argument for #name {
            const SCHEMA: ::switchboard_guest::Schema = #schema;

            fn read(
                value: ::switchboard_guest::Value,
            ) -> ::core::result::Result<Self, ::switchboard_guest::Invalid> {
                #read
            }
        }
    }
}

fn property(field: &Field, name: &str) -> TokenStream {
    let description = docs::text(&field.attrs);
    let kind = &field.ty;
    quote! {
        ::switchboard_guest::Property {
            name: #name,
            description: #description,
            required: <#kind as ::switchboard_guest::Argument>::REQUIRED,
            schema: &<#kind as ::switchboard_guest::Argument>::SCHEMA,
        }
    }
}

fn named_fields(
    input: &DeriveInput,
) -> Result<&syn::punctuated::Punctuated<Field, syn::Token![,]>> {
    refuse_generics(input)?;
    match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => Ok(&fields.named),
            other => Err(Error::new_spanned(other, "arguments have names: name the fields")),
        },
        _ => Err(Error::new_spanned(&input.ident, "the arguments of a tool are a struct")),
    }
}

fn unit_variants(input: &DeriveInput) -> Result<Vec<&Variant>> {
    refuse_generics(input)?;
    let Data::Enum(data) = &input.data else {
        let help = "derive `Arguments` for a struct; `Argument` is for an enum without fields";
        return Err(Error::new_spanned(&input.ident, help));
    };
    match data.variants.iter().find(|v| !v.fields.is_empty()) {
        Some(variant) => Err(Error::new_spanned(variant, "a variant of an argument has no fields")),
        None => Ok(data.variants.iter().collect()),
    }
}

fn refuse_generics(input: &DeriveInput) -> Result<()> {
    if input.generics.params.is_empty() {
        return Ok(());
    }
    Err(Error::new_spanned(&input.generics, "a schema is of one type: remove the parameters"))
}

fn property_name(field: &Field) -> Result<String> {
    let ident = field.ident.as_ref().expect("fields that were checked to have names");
    checked_name(ident)
}

/// The names that every model provider takes.
pub(crate) fn checked_name(ident: &Ident) -> Result<String> {
    let name = ident.to_string().trim_start_matches("r#").to_owned();
    let fits = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if fits && name.len() <= LONGEST_NAME {
        return Ok(name);
    }
    let rule = format!("a name has at most {LONGEST_NAME} of the characters a-z, A-Z, 0-9 and _");
    Err(Error::new_spanned(ident, rule))
}

fn snake_case(name: &str) -> String {
    let mut words = String::new();
    for (i, letter) in name.char_indices() {
        if letter.is_uppercase() && i > 0 {
            words.push('_');
        }
        words.extend(letter.to_lowercase());
    }
    words
}
