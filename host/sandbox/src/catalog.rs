//! The tools there are, by name.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use switchboard_runtime::ToolSpec;

use crate::breaker::Breaker;
use crate::component::Digest;
use crate::error::LoadError;
use crate::generated::PluginPre;
use crate::limits::ToolLimits;
use crate::metadata::{ToolDescription, is_tool_name};
use crate::state::{CallState, Held};

/// One tool, ready to be called.
pub(crate) struct Tool {
    pub(crate) spec: ToolSpec,
    /// Its name inside its component.
    pub(crate) own_name: String,
    /// What people call the component.
    pub(crate) component: String,
    pub(crate) body: Arc<Body>,
    pub(crate) breaker: Breaker,
}

/// What all tools of one component under one set of grants share.
pub(crate) struct Body {
    pub(crate) digest: Digest,
    /// Linked once: what is left to do for a call is to make an instance.
    pub(crate) linked: PluginPre<CallState>,
    pub(crate) held: Arc<Held>,
    pub(crate) limits: ToolLimits,
}

/// All tools. Names are taken by whoever comes first.
#[derive(Default)]
pub(crate) struct Catalog {
    tools: RwLock<BTreeMap<String, Arc<Tool>>>,
}

impl Catalog {
    pub(crate) fn find(&self, name: &str) -> Option<Arc<Tool>> {
        self.tools.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Adds all of them or none.
    pub(crate) fn add(&self, new: Vec<Tool>) -> Result<(), LoadError> {
        let mut tools = self.tools.write().unwrap_or_else(PoisonError::into_inner);
        for (place, tool) in new.iter().enumerate() {
            let name = &tool.spec.name;
            let twin = new[..place].iter().find(|earlier| earlier.spec.name == *name);
            let holder = tools.get(name).map(Arc::as_ref).or(twin);
            if let Some(holder) = holder {
                return Err(LoadError::NameTaken {
                    component: tool.component.clone(),
                    name: name.clone(),
                    holder: holder.component.clone(),
                });
            }
        }
        tools.extend(new.into_iter().map(|tool| (tool.spec.name.clone(), Arc::new(tool))));
        Ok(())
    }
}

/// The names tools get that are not to have their own, by their own.
pub type NameMap = BTreeMap<String, String>;

/// The name each tool goes by, in the component's order.
pub(crate) fn named(
    component: &str,
    tools: &[ToolDescription],
    names: &NameMap,
) -> Result<Vec<String>, LoadError> {
    let unknown = names.keys().find(|name| !tools.iter().any(|tool| tool.name == **name));
    if let Some(name) = unknown {
        return Err(LoadError::NoSuchTool {
            component: component.to_owned(),
            name: name.clone(),
            there: tools.iter().map(|tool| tool.name.clone()).collect(),
        });
    }
    if let Some(name) = names.values().find(|name| !is_tool_name(name)) {
        let (component, name) = (component.to_owned(), name.clone());
        return Err(LoadError::BadName { component, name });
    }
    Ok(tools.iter().map(|tool| names.get(&tool.name).unwrap_or(&tool.name).clone()).collect())
}
