//! What is only in memory and was promised to nobody: parked operations in order of arrival,
//! token buckets, and what this process has under way. Empty (or full) again after a restart.
