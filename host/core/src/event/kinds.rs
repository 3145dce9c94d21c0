//! Which kinds of events there are, and whose each is.

use super::Event;
use crate::ids::AgentId;

impl Event {
    /// What it is, as its `event` field says it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::ForestOpened { .. } => "forest-opened",
            Self::HostStarted => "host-started",
            Self::AgentRegistered { .. } => "agent-registered",
            Self::StartAdmitted { .. } => "start-admitted",
            Self::StartWithdrawn { .. } => "start-withdrawn",
            Self::ResumeOrdered { .. } => "resume-ordered",
            Self::Published { .. } => "published",
            Self::ResumeFailed { .. } => "resume-failed",
            Self::Accepted { .. } => "accepted",
            Self::TurnOpened { .. } => "turn-opened",
            Self::Claimed { .. } => "claimed",
            Self::ClaimReturned { .. } => "claim-returned",
            Self::StepRecorded { .. } => "step-recorded",
            Self::CallEnded { .. } => "call-ended",
            Self::TurnEnded { .. } => "turn-ended",
            Self::InterruptAdmitted { .. } => "interrupt-admitted",
            Self::RequestRaised { .. } => "request-raised",
            Self::RequestClosed { .. } => "request-closed",
            Self::Dropped { .. } => "dropped",
            Self::Closing { .. } => "closing",
            Self::Deleted { .. } => "deleted",
            Self::Paused { .. } => "paused",
            Self::Resumed { .. } => "resumed",
            Self::Released { .. } => "released",
        }
    }

    /// Every kind there is.
    pub const KINDS: &[&str] = &[
        "forest-opened",
        "host-started",
        "agent-registered",
        "start-admitted",
        "start-withdrawn",
        "resume-ordered",
        "published",
        "resume-failed",
        "accepted",
        "turn-opened",
        "claimed",
        "claim-returned",
        "step-recorded",
        "call-ended",
        "turn-ended",
        "interrupt-admitted",
        "request-raised",
        "request-closed",
        "dropped",
        "closing",
        "deleted",
        "paused",
        "resumed",
        "released",
    ];

    /// The agent whose life or transcript it belongs to. A message belongs to its reader.
    pub fn agent(&self) -> Option<AgentId> {
        match self {
            Self::ForestOpened { .. } | Self::HostStarted => None,
            Self::Accepted { message, .. } => Some(message.to),
            Self::InterruptAdmitted { answer, .. } => Some(answer.target.agent),
            Self::AgentRegistered { agent, .. }
            | Self::StartAdmitted { agent, .. }
            | Self::StartWithdrawn { agent, .. }
            | Self::ResumeOrdered { agent, .. }
            | Self::Published { agent, .. }
            | Self::ResumeFailed { agent, .. }
            | Self::TurnOpened { agent, .. }
            | Self::Claimed { agent, .. }
            | Self::ClaimReturned { agent, .. }
            | Self::StepRecorded { agent, .. }
            | Self::CallEnded { agent, .. }
            | Self::TurnEnded { agent, .. }
            | Self::RequestRaised { agent, .. }
            | Self::RequestClosed { agent, .. }
            | Self::Dropped { agent, .. }
            | Self::Closing { agent, .. }
            | Self::Deleted { agent, .. }
            | Self::Paused { agent, .. }
            | Self::Resumed { agent, .. }
            | Self::Released { agent, .. } => Some(*agent),
        }
    }
}
