import assert from "node:assert/strict";
import { diagnosePlaces } from "../../../../runtime/agents/validation/validate_places.ts";
import { formatDiagnostic } from "../../../../base/diagnostics.ts";
import { withTempDir } from "../../../support/temp_dir.ts";
import { parsedOf } from "../parsed_file.ts";

/** What is said of the paths in `daily.md`, where `WORK` stands for a folder that has a folder `inbox`. */
async function diagnosed(
  yaml: string,
  { mostEntries = 10, link }: { mostEntries?: number; link?: { name: string; target: string } } =
    {},
): Promise<string[]> {
  let shown: string[] = [];
  await withTempDir(async (work) => {
    await Deno.mkdir(`${work}/inbox`);
    if (link !== undefined) {
      for (const folder of ["agents/sub", "config", "state"]) {
        await Deno.mkdir(`${work}/${folder}`, { recursive: true });
      }
      for (const file of [".env", "shop.db"]) await Deno.writeTextFile(`${work}/${file}`, "");
      await Deno.symlink(`${work}/${link.target}`, `${work}/${link.name}`);
    }
    const { agent, source } = parsedOf(yaml.replaceAll("WORK", work));
    const found = await diagnosePlaces(agent, source, {
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

Deno.test("diagnosePlaces() warns of each path that leads to nothing, at its place in a list or a map", async () => {
  assert.deepEqual(await diagnosed("paths:\n  - WORK/inbox\n  - /no/such/gone"), [
    "warning daily.md:4:5: The path of {gone} does not exist: /no/such/gone",
  ]);
  assert.deepEqual(await diagnosed("paths:\n  in: WORK/inbox\n  out: /no/such/gone"), [
    "warning daily.md:4:8: The path of {out} does not exist: /no/such/gone",
  ]);
  const gone = { link: { name: "l", target: "gone" } };
  assert.deepEqual(await diagnosed("paths: { l: WORK/l }", gone), [
    "warning daily.md:2:13: The path of {l} does not exist: WORK/l",
  ]);
});

Deno.test("diagnosePlaces() does not warn of a folder that file_write makes", async () => {
  assert.deepEqual(await diagnosed("paths: [WORK/out, WORK/reports/2026/daily]"), []);
});

Deno.test("diagnosePlaces() refuses paths that lead to what no agent may reach, through links too", async () => {
  const link = (name: string, target: string) =>
    [`paths: { a: WORK/${name} }`, { name, target }] as const;
  const cases = [
    [...link("l", "agents"), "into the agents directory through a symbolic link: WORK/agents"],
    [...link("l", "agents/sub"), "into the agents directory through a symbolic link: WORK/age"],
    [...link("l", "config"), "into the configuration directory through a symbolic link: WORK/c"],
    [...link("l", "state"), "into the state directory through a symbolic link: WORK/state"],
    [...link("l", ".env"), "to an .env file through a symbolic link: WORK/.env"],
    [...link("l", "shop.db"), "to a .db file through a symbolic link: WORK/shop.db"],
    [
      "paths: { a: WORK/config }",
      { name: "l", target: "." },
      "into the configuration directory: W",
    ],
  ] as const;
  for (const [yaml, { name, target }, where] of cases) {
    const found = await diagnosed(yaml, { link: { name, target } });
    assert.equal(found.length, 1, yaml);
    assert.ok(
      found[0]?.startsWith(`error daily.md:2:13: The path of {a} must not lead ${where}`),
      found.join(),
    );
  }
  const seen = await diagnosed("paths: { a: WORK/l }", { link: { name: "l", target: "inbox" } });
  assert.deepEqual(seen, []);
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
  const found = await diagnosed("trigger:\n  type: watch\n  paths: ['{inbox,~/inbox}/*.md']");
  assert.deepEqual(found, []);
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
  assert.deepEqual(await diagnosed(watched, { mostEntries: 1 }), []);
  assert.deepEqual(await diagnosed(watched, { mostEntries: 0 }), [
    "warning daily.md:2:33: WORK holds more than 0 files and folders, too many to watch; " +
    "name smaller folders in trigger.paths",
  ]);
});
