import assert from "node:assert/strict";
import { type Around, UNASKED, validate } from "./validated.ts";

const FILES = { "inbox/a.txt": "" };

/** Returns the diagnostics of the paths in `daily.md`. The workspace has a folder `inbox`. */
const diagnosed = (yaml: string, around: Around = {}) =>
  validate(`${yaml}\n${UNASKED}`, { files: FILES, ...around });

Deno.test("diagnosePlaces() warns of each missing path at the path's position in the file", async () => {
  assert.deepEqual(await diagnosed("paths:\n  - WORK/inbox\n  - /no/such/gone"), [
    "warning daily.md:4:5: The path of {gone} does not exist: /no/such/gone",
  ]);
  assert.deepEqual(await diagnosed("paths:\n  in: WORK/inbox\n  out: /no/such/gone"), [
    "warning daily.md:4:8: The path of {out} does not exist: /no/such/gone",
  ]);
  assert.deepEqual(await diagnosed("paths: { out: /no-such }"), [
    "warning daily.md:2:15: The path of {out} does not exist: /no-such",
  ]);
  const gone = { link: { name: "l", target: "gone" } };
  assert.deepEqual(await diagnosed("paths: { l: WORK/l }", gone), [
    "warning daily.md:2:13: The path of {l} does not exist: /l",
  ]);
  // A missing folder in the workspace causes no warning, because file_write creates it.
  assert.deepEqual(await diagnosed("paths: [WORK/out, WORK/reports/2026/daily]"), []);
});

Deno.test("diagnosePlaces() refuses forbidden paths, also through links", async () => {
  const link = (name: string, target: string) =>
    [`paths: { a: WORK/${name} }`, { name, target }] as const;
  const cases = [
    [...link("l", "agents"), "into the agents directory through a symbolic link: /agents"],
    [...link("l", "agents/sub"), "into the agents directory through a symbolic link: /age"],
    [...link("l", "config"), "into the configuration directory through a symbolic link: /c"],
    [...link("l", "state"), "into the state directory through a symbolic link: /state"],
    [...link("l", ".env"), "to an .env file through a symbolic link: /.env"],
    [...link("l", "shop.db"), "to a .db file through a symbolic link: /shop.db"],
    [
      "paths: { a: WORK/config }",
      { name: "l", target: "." },
      "into the configuration directory: /",
    ],
  ] as const;
  const files = {
    ...{ ...FILES, "agents/sub/a": "", "config/a": "", "state/a": "", ".env": "", "shop.db": "" },
  };
  for (const [yaml, link, where] of cases) {
    const [error = "", ...more] = await diagnosed(yaml, { files, link });
    const start = `error daily.md:2:13: The path of {a} must not lead ${where}`;
    assert.ok(error.startsWith(start) && more.length === 0, `${yaml} ${error} ${more}`);
  }
  const [allowed, inbox] = link("l", "inbox");
  assert.deepEqual(await diagnosed(allowed, { link: inbox }), []);
});

Deno.test("diagnosePlaces() explains an editor's folder that a run would not have, or that looks like another", async () => {
  const yaml = "paths: { project: editor }";
  assert.deepEqual(await diagnosed(yaml), []);
  assert.deepEqual(await diagnosed(`trigger: { type: schedule, every: 1h }\n${yaml}`), [
    "warning daily.md:3:19: {project} is the folder of an editor, " +
    "which runs that start by themselves do not have " +
    "(start the agent from an editor: inkling acp daily)",
  ]);
  assert.deepEqual(await diagnosed(yaml, { files: { "editor/a.txt": "" } }), [
    "warning daily.md:2:19: {project} is the folder of an editor, " +
    "and not the folder editor of the workspace " +
    "(for the folder of the workspace, write ./editor)",
  ]);
  // In a list, and with ./, the word is a folder of the workspace.
  assert.deepEqual(await diagnosed("paths: [editor]"), []);
  assert.deepEqual(await diagnosed("paths: { project: ./editor }"), []);
});

Deno.test("diagnosePlaces() checks that the folder before a pattern exists and can be watched", async () => {
  assert.deepEqual(
    await diagnosed(
      "trigger:\n  type: watch\n  paths: ['inbox/*.pdf', 'gone/*.pdf', agents, config/x, state]",
    ),
    [
      "warning daily.md:4:26: The watched path does not exist yet: /gone",
      "warning daily.md:4:40: The agents folder is never watched: /agents",
      "warning daily.md:4:48: The configuration folder is never watched: /config/x",
      "warning daily.md:4:58: The state folder is never watched: /state",
    ],
  );
});

Deno.test("diagnosePlaces() checks each path of a brace pattern once", async () => {
  const found = await diagnosed("trigger:\n  type: watch\n  paths: ['{inbox,~/inbox}/*.md']");
  assert.deepEqual(found, []);
  assert.deepEqual(
    await diagnosed(
      "trigger:\n  type: watch\n  paths: ['{inbox,archive/new}/*.{md,txt}', '{inbox,state/x}']",
    ),
    [
      "warning daily.md:4:11: The watched path does not exist yet: /archive/new",
      "warning daily.md:4:45: The state folder is never watched: /state/x",
    ],
  );
});

Deno.test("diagnosePlaces() warns of a folder with too many files to watch", async () => {
  const watched = "trigger: { type: watch, paths: ['inbox'] }";
  assert.deepEqual(await diagnosed(watched, { mostEntries: 1 }), []);
  assert.deepEqual(await diagnosed(watched, { mostEntries: 0 }), [
    "warning daily.md:2:33: /inbox holds more than 0 files and folders, too many to watch; " +
    "name smaller folders in trigger.paths",
  ]);
});

Deno.test("diagnosePlaces() warns of a watched folder into which the agent's commands may write", async () => {
  const watched = (more: string, path = "inbox") =>
    diagnosed(`trigger: { type: watch, paths: ['${path}'] }\n${more}`);
  const warning =
    "warning daily.md:2:33: Commands of shell may write to /inbox, and each file that they write starts this agent again " +
    "(paths with other folders keeps commands out, because a watched path alone is read-only)";
  assert.deepEqual(await watched("shell: true"), [warning]);
  assert.deepEqual(await watched("shell: true\npaths: [inbox, WORK/out]"), [warning]);
  assert.deepEqual(await watched("shell: true\npaths: [inbox/done]"), [warning]);
  const others = ["", "shell: true\npaths: [WORK/out]", "shell: false"];
  for (const more of others) assert.deepEqual(await watched(more), [], more);
  assert.deepEqual(await watched("shell: true\npaths: [inbox/done]", "inbox/*.md"), []);
});
