import assert from "node:assert/strict";
import { join } from "node:path";
import { SystemClock } from "../../../base/clock.ts";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import { openLogFile } from "../../../runtime/service_log/log_file.ts";
import { createTestWorkspace, runToEnd, type TestWorkspace } from "../../support/test_workspace.ts";
import { TestClock } from "../../support/test_clock.ts";
import { until } from "../../support/until.ts";

const ECHO = "---\nmodel: { provider: demo, name: echo }\n---\nRepeat.\n";

/** Collects every `agents_changed` event as `change id`. `seen` waits until a number of events has arrived. */
function record(runtime: Runtime) {
  const changes: string[] = [];
  runtime.events.subscribe((event) => {
    if (event.type === "agents_changed") changes.push(`${event.change} ${event.agentId}`);
  });
  return {
    changes,
    seen: (count: number) => until(() => changes.length >= count, `change ${count}`),
  };
}

async function saveAtomically(place: TestWorkspace, id: string, text: string): Promise<void> {
  const staged = join(place.agentsDir, `.${id}.swp`);
  await Deno.writeTextFile(staged, text);
  await Deno.rename(staged, join(place.agentsDir, `${id}.md`));
}

Deno.test("AgentFiles reports additions, saves, renames and deletions once each", async () => {
  await using place = await createTestWorkspace();
  await place.writeAgent("old", ECHO);
  await using runtime = await place.open();
  const { changes, seen } = record(runtime);

  await place.writeAgent("new", ECHO);
  // The watch and the reload find the same changes. Each change is published only once.
  await runtime.reloadAgents();
  await seen(1);
  await saveAtomically(place, "new", `${ECHO}More.\n`);
  await seen(2);
  const ended = await runToEnd(runtime, "old");
  await Deno.rename(join(place.agentsDir, "old.md"), join(place.agentsDir, "other.md"));
  await seen(4);
  await Deno.remove(join(place.agentsDir, "new.md"));
  await seen(5);
  const expected = ["loaded new", "updated new", "removed old", "loaded other", "removed new"];
  assert.deepEqual(changes, expected);
  // The runs of the old id are still listed.
  assert.equal((await runtime.listRuns("old", { limit: 10, offset: 0 }))[0]?.id, ended.id);
  await assert.rejects(runtime.getAgent("old"), /'old' not found/);
});

Deno.test("AgentFiles merges quick edits, ignores touched files, and keeps an agent whose file is invalid", async () => {
  await using place = await createTestWorkspace();
  await place.writeAgent("one", ECHO);
  await using runtime = await place.open();
  const { changes, seen } = record(runtime);
  for (let edit = 0; edit < 10; edit++) await place.writeAgent("one", `${ECHO}${edit}\n`);
  await seen(1);
  // Writing the same bytes again is no change.
  await place.writeAgent("one", `${ECHO}9\n`);
  // The file does not parse, so the last valid version of the agent stays in use.
  await place.writeAgent("one", "---\nmodel: { provider");
  await until(async () => (await runtime.getAgent("one")).agent.warnings.length > 0, "the warning");
  await seen(2);
  assert.deepEqual(changes, ["updated one", "updated one"]);
  const output = (await runToEnd(runtime, "one", { message: "still here" })).outputData;
  assert.equal(output, "still here");
  await runtime.reloadAgents();
  assert.equal(changes.length, 2, "still broken in the same way");
  await place.writeAgent("one", `${ECHO}whole again\n`);
  await seen(3);
  assert.deepEqual(changes, ["updated one", "updated one", "updated one"]);
});

Deno.test("AgentFiles warns once about a file named .MD, and loads the file after a rename", async () => {
  await using place = await createTestWorkspace();
  await Deno.writeTextFile(join(place.agentsDir, "EARLY.MD"), ECHO);
  await using runtime = await place.open();
  const { changes, seen } = record(runtime);
  const warnings = () =>
    place.logged.filter(({ level }) => level === "warn").map(({ message }) =>
      message.replace(place.agentsDir, "DIR")
    );
  const warning = (name: string, id: string) =>
    `DIR/${name}:1:1: The file is ignored: the name of an agent file ends with .md ` +
    `(rename it to ${id}.md)`;
  await Deno.writeTextFile(join(place.agentsDir, "late.Md"), ECHO);
  await until(() => warnings().length >= 2, "the second warning");
  await runtime.reloadAgents();
  assert.deepEqual(warnings(), [warning("EARLY.MD", "EARLY"), warning("late.Md", "late")]);
  assert.deepEqual(runtime.brokenAgentFiles().map(({ id }) => id), ["EARLY", "late"]);
  await Deno.rename(join(place.agentsDir, "late.Md"), join(place.agentsDir, "late.md"));
  await seen(1);
  assert.deepEqual(changes, ["loaded late"]);
});

Deno.test("AgentFiles logs each warning and parse error once, with its position", async () => {
  await using place = await createTestWorkspace();
  const path = join(place.root, "service.log");
  using log = openLogFile(path, { clock: new SystemClock() });
  const typo = ECHO.replace("---\n", "---\ntriger: { type: manual }\n");
  await place.writeAgent("typo", typo);
  await using runtime = await place.open({ log });
  const warnings = async () =>
    (await Deno.readTextFile(path)).split("\n").filter((line) => line.includes(" WARN "))
      .map((line) => line.slice(line.indexOf("WARN")).replace(place.agentsDir, "DIR"));
  const save = async (text: string) => {
    await saveAtomically(place, "typo", text);
    await runtime.reloadAgents();
  };
  const first =
    'WARN  DIR/typo.md:2:1: Unknown key triger: it is ignored (did you mean "trigger"?)';
  assert.deepEqual(await warnings(), [first]);
  await runtime.reloadAgents();
  await save(typo.replace("model:", 'trigger: { "typ\\e[31m\\u202ee": manual }\nmodel:'));
  await runtime.reloadAgents();
  const second = String.raw`WARN  DIR/typo.md:3:12: Unknown key trigger."typ\u001b[31m\u202ee": ` +
    "it is ignored";
  assert.deepEqual(await warnings(), [first, second]);
  await save(ECHO);
  await save(typo);
  assert.deepEqual(await warnings(), [first, second, first]);
  await save(typo.replace("provider: demo", "provider: [demo]"));
  await runtime.reloadAgents();
  const [broken, ...more] = (await warnings()).slice(3);
  assert.match(broken ?? "", /^WARN {2}DIR\/typo\.md:3:20: /);
  assert.deepEqual(more, []);
});

Deno.test("AgentFiles waits for a missing agents folder, also if its parent was removed", async () => {
  await using place = await createTestWorkspace();
  await Deno.remove(place.agentsDir);
  // The folders are checked every two seconds.
  const clock = new TestClock(Date.now());
  await using runtime = await place.open({ clock });
  const { changes } = record(runtime);
  const seen = (count: number) =>
    until(
      async () => {
        await clock.advance(100);
        return changes.length >= count;
      },
      `change ${count}`,
      "none",
    );
  await Deno.mkdir(place.agentsDir);
  await place.writeAgent("first", ECHO);
  await seen(1);
  await Deno.remove(place.agentsDir, { recursive: true });
  await seen(2);
  await Deno.mkdir(place.agentsDir);
  await place.writeAgent("second", ECHO);
  await seen(3);
  const old = `${place.workspace}-old`;
  Deno.renameSync(place.workspace, old);
  Deno.mkdirSync(place.agentsDir, { recursive: true });
  await place.writeAgent("back", ECHO);
  await seen(5);
  await place.writeAgent("more", ECHO);
  await seen(6);
  assert.deepEqual(changes, [
    ...["loaded first", "removed first", "loaded second"],
    ...["removed second", "loaded back", "loaded more"],
  ]);
});

Deno.test("AgentFiles loads an unreachable agents folder as soon as it is reachable", async () => {
  await using place = await createTestWorkspace();
  const { realPathSync } = Deno;
  let isReachable = false;
  Deno.realPathSync = (path) => {
    if (!isReachable && String(path) === place.agentsDir) {
      throw new Deno.errors.PermissionDenied("Permission denied (os error 13)");
    }
    return realPathSync(path);
  };
  try {
    await using runtime = await place.open();
    const { seen } = record(runtime);
    isReachable = true;
    await place.writeAgent("back", ECHO);
    await seen(1);
  } finally {
    Deno.realPathSync = realPathSync;
  }
});
