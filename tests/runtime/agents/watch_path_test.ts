import assert from "node:assert/strict";
import { readWatchPaths, type WatchPath } from "../../../runtime/agents/watch_path.ts";

const BASE = { directories: { workspace: "/work", agentsDir: "/work/agents" }, home: "/home/me" };

const CASES: readonly [text: string, ...meanings: WatchPath[]][] = [
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
  [
    "a/{b,c}/d",
    { base: "/work/a/b/d", recursive: true },
    { base: "/work/a/c/d", recursive: true },
  ],
  [
    "{inbox,archive/new}/*.md",
    { base: "/work/inbox", glob: "*.md", recursive: false },
    { base: "/work/archive/new", glob: "*.md", recursive: false },
  ],
  [
    "{~/in,/srv/{a,b}}",
    { base: "/home/me/in", recursive: true },
    { base: "/srv/a", recursive: true },
    { base: "/srv/b", recursive: true },
  ],
  [
    "{*.md,new/**}",
    { base: "/work", glob: "*.md", recursive: false },
    { base: "/work/new", glob: "**", recursive: true },
  ],
  [
    "{1..2}.log",
    { base: "/work/1.log", recursive: true },
    { base: "/work/2.log", recursive: true },
  ],
  ["{inbox,}", { base: "/work/inbox", recursive: true }],
  ["{,inbox}/**", { base: "/work/inbox", glob: "**", recursive: true }],
  ["{inbox/a", { base: "/work/{inbox/a", recursive: true }],
  ["{inbox,a/b", { base: "/work/{inbox,a/b", recursive: true }],
  ["\\{a\\,b/c\\}", { base: "/work/{a,b/c}", recursive: true }],
  [
    "{a\\,b,c/d}",
    { base: "/work/a,b", recursive: true },
    { base: "/work/c/d", recursive: true },
  ],
  ["a/{b}/d", { base: "/work/a/{b}/d", recursive: true }],
  ["a/[id]/d", { base: "/work/a", glob: "[id]/d", recursive: true }],
  ["a/\\[id\\]/d", { base: "/work/a/[id]/d", recursive: true }],
  ["a/\\*b/c*", { base: "/work/a/*b", glob: "c*", recursive: false }],
];

for (const [text, ...meanings] of CASES) {
  Deno.test(`readWatchPaths() reads ${text}`, () => {
    assert.deepEqual(readWatchPaths(text, BASE), meanings);
  });
}

Deno.test("readWatchPaths() throws for braces with too many paths", () => {
  assert.equal(readWatchPaths("a/{1..100}", BASE).length, 100);
  assert.throws(() => readWatchPaths("a/{1..101}", BASE), TypeError);
  assert.throws(() => readWatchPaths("a/{1..99999}/{1..99999}", BASE), TypeError);
});
