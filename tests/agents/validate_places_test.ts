import assert from "node:assert/strict";
import { diagnosePlaces } from "../../runtime/agents/validate_places.ts";
import { formatDiagnostic } from "../../runtime/diagnostics.ts";
import { withTempDir } from "../support/temp_dir.ts";
import { parse } from "./parsed_file.ts";

/** What is said of the paths in `daily.md`, where `WORK` stands for a folder that has a folder `inbox`. */
async function diagnosed(yaml: string, mostEntries = 10): Promise<string[]> {
  let shown: string[] = [];
  await withTempDir(async (work) => {
    await Deno.mkdir(`${work}/inbox`);
    const parsed = parse(`---\n${yaml.replaceAll("WORK", work)}\n---\nDo it.`);
    assert.ok("agent" in parsed, JSON.stringify(parsed));
    const { agent, document } = parsed;
    const found = await diagnosePlaces(agent, { path: "daily.md", document }, {
      mostEntries,
      home: work,
      directories: {
        workspace: work,
        agentsDir: `${work}/agents`,
        configDir: `${work}/config`,
        stateDir: `${work}/state`,
      },
    });
    shown = found.map((one) => `${one.severity} ${formatDiagnostic(one)}`.replaceAll(work, "WORK"));
  });
  return shown;
}

Deno.test("diagnosePlaces() warns of each path that does not exist, at its place in a list or a map", async () => {
  assert.deepEqual(await diagnosed("paths:\n  - WORK/inbox\n  - WORK/gone"), [
    "warning daily.md:4:5: The path of {gone} does not exist: WORK/gone",
  ]);
  assert.deepEqual(await diagnosed("paths:\n  in: WORK/inbox\n  out: WORK/gone"), [
    "warning daily.md:4:8: The path of {out} does not exist: WORK/gone",
  ]);
});

Deno.test("diagnosePlaces() looks at the folder before a pattern, and at whether anything in it is watched", async () => {
  assert.deepEqual(
    await diagnosed(
      "trigger:\n  type: watch\n  paths: ['inbox/*.pdf', 'gone/*.pdf', agents, config/x, state]",
    ),
    [
      "warning daily.md:4:26: The watched path does not exist yet: WORK/gone",
      "warning daily.md:4:40: The agents folder is never watched: WORK/agents",
      "warning daily.md:4:48: The configuration folder is never watched: WORK/config/x",
      "warning daily.md:4:58: The state folder is never watched: WORK/state",
    ],
  );
});

Deno.test("diagnosePlaces() looks at each place that braces stand for, once", async () => {
  assert.deepEqual(
    await diagnosed("trigger:\n  type: watch\n  paths: ['{inbox,~/inbox}/*.md']"),
    [],
  );
  assert.deepEqual(
    await diagnosed(
      "trigger:\n  type: watch\n  paths: ['{inbox,archive/new}/*.{md,txt}', '{inbox,state/x}']",
    ),
    [
      "warning daily.md:4:11: The watched path does not exist yet: WORK/archive/new",
      "warning daily.md:4:45: The state folder is never watched: WORK/state/x",
    ],
  );
});

Deno.test("diagnosePlaces() warns of a folder that holds too much to be watched", async () => {
  const watched = "trigger: { type: watch, paths: ['WORK'] }";
  assert.deepEqual(await diagnosed(watched, 1), []);
  assert.deepEqual(await diagnosed(watched, 0), [
    "warning daily.md:2:33: WORK holds more than 0 files and folders, too many to watch; " +
    "name smaller folders in trigger.paths",
  ]);
});
