import assert from "node:assert/strict";
import { readWatchPath } from "../../runtime/agents/watch_path.ts";

const BASE = {
  directories: { workspace: "/work", agentsDir: "/work/agents" },
  home: "/home/me",
};

const CASES: readonly [
  text: string,
  meaning: { base: string; glob?: string; recursive: boolean },
][] = [
  ["inbox", { base: "/work/inbox", recursive: true }],
  ["inbox/", { base: "/work/inbox", recursive: true }],
  ["./inbox/../notes", { base: "/work/notes", recursive: true }],
  [".", { base: "/work", recursive: true }],
  ["todo.md", { base: "/work/todo.md", recursive: true }],
  ["/srv/data", { base: "/srv/data", recursive: true }],
  ["~", { base: "/home/me", recursive: true }],
  ["~/notes", { base: "/home/me/notes", recursive: true }],
  ["Notes (2024)/Zoë!", { base: "/work/Notes (2024)/Zoë!", recursive: true }],
  ["*.md", { base: "/work", glob: "*.md", recursive: false }],
  ["inbox/*.md", { base: "/work/inbox", glob: "*.md", recursive: false }],
  ["inbox/**", { base: "/work/inbox", glob: "**", recursive: true }],
  ["inbox/**/*.md", { base: "/work/inbox", glob: "**/*.md", recursive: true }],
  ["inbox/*/new.md", { base: "/work/inbox", glob: "*/new.md", recursive: true }],
  ["inbox//*/./new.md", { base: "/work/inbox", glob: "*/new.md", recursive: true }],
  ["~/notes/?.txt", { base: "/home/me/notes", glob: "?.txt", recursive: false }],
  ["/*.md", { base: "/", glob: "*.md", recursive: false }],
  ["a/{b,c}/d", { base: "/work/a", glob: "{b,c}/d", recursive: true }],
  ["a/{b}/d", { base: "/work/a/{b}/d", recursive: true }],
  ["a/[id]/d", { base: "/work/a", glob: "[id]/d", recursive: true }],
  ["a/\\[id\\]/d", { base: "/work/a/[id]/d", recursive: true }],
  ["a/\\*b/c*", { base: "/work/a/*b", glob: "c*", recursive: false }],
];

for (const [text, meaning] of CASES) {
  Deno.test(`readWatchPath() reads ${text}`, () => {
    assert.deepEqual(readWatchPath(text, BASE), meaning);
  });
}
