// The names of the agents in the gallery, which are the names of the files in examples/gallery/agents.

/** The names of the gallery's agents. */
export const GALLERY_NAMES = [
  "backup-check",
  "branch-review",
  "dependency-watch",
  "folder-translator",
  "invoice-reader",
  "issue-triage",
  "log-watcher",
  "mail-answers",
  "mail-digest",
  "mail-invoices",
  "meeting-notes",
  "page-watch",
  "release-notes",
  "research-report",
  "rss-digest",
  "website-check",
] as const;
