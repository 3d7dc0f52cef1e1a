// The frames of a recorded run beside those of its play, straight from the database.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Frame } from "../../../../runtime/events/frame.ts";
import { createCassette } from "../../../../runtime/executions/replay/create_cassette.ts";
import { playCassette } from "../../../../runtime/executions/replay/player.ts";
import { openMemoryStores } from "../../../../runtime/wiring/replays.ts";
import { parseAgent } from "../../../../runtime/agents/parse_agent.ts";
import { Redactor } from "../../../../runtime/secrets/redactor.ts";
import { SqlRecordedRunStore } from "../../../../runtime/storage/executions/recorded_runs.ts";
import { PathSandbox } from "../../../../runtime/tools/files/path_sandbox.ts";
import { createBuiltinTools, Toolbox } from "../../../../runtime/tools/toolbox.ts";
import type { TestWorkspace } from "../../../support/test_workspace.ts";

/** Recorded ones first. The agent has the built-in tools alone. */
export async function playedFrames(place: TestWorkspace, id: number): Promise<[Frame[], Frame[]]> {
  await using db = await place.openDatabase({ readOnly: true });
  const run = await new SqlRecordedRunStore(db).readRecordedRun(id);
  assert.ok(run);
  const settings = await place.settings();
  const path = join(place.agentsDir, `${run.execution.agentId}.md`);
  const parsed = parseAgent({ path, bytes: await Deno.readFile(path) }, settings);
  assert.ok("agent" in parsed);
  const none = new Redactor(() => []);
  const http = { allow: [], deny: [], ownPorts: () => [], ownAddresses: () => [] };
  const played = await playCassette(createCassette(run), {
    agent: parsed.agent,
    ports: {
      environment: settings.environment,
      findAgent: () => undefined,
      isProviderKey: () => false,
      keyRedactor: none,
      redactor: none,
      openFormat: () => Promise.resolve(undefined),
      openStores: openMemoryStores,
      openSandbox: (agent) =>
        Promise.resolve(
          new PathSandbox({ ...settings.directories, paths: agent.paths, home: settings.home }),
        ),
      openTools: () =>
        Promise.resolve({ toolbox: new Toolbox(createBuiltinTools({ http })), skills: [] }),
    },
  });
  assert.deepEqual(played.differences, []);
  return [run.frames, played.frames];
}
