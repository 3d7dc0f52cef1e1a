// Conformance: what a stream carries beside the course of a run: the heartbeat of the service, and a skill's instructions.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { serve } from "../../../server/mod.ts";
import { TestClock } from "../../support/test_clock.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import { API_KEY, overBoth } from "./both_transports.ts";

for (const transport of ["unix", "tcp"] as const) {
  Deno.test(`over ${transport}: GET /events/stream sends a heartbeat after 10 s without an event`, async () => {
    await using workspace = await createTestWorkspace();
    const clock = new TestClock("2026-03-01T12:00:00.000Z");
    await using runtime = await workspace.open({ clock });
    const service = await serve(runtime, { tcp: { port: 0, apiKey: API_KEY } });
    using http = transport === "unix"
      ? Deno.createHttpClient({ proxy: { transport, path: runtime.directories.socketFile } })
      : Deno.createHttpClient({});
    const origin = `http://127.0.0.1:${service.ports[0]}`;
    const response = await fetch(`${origin}/events/stream`, {
      client: http,
      headers: { "x-api-key": API_KEY },
    });
    assert.ok(response.body !== null);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const next = async () => (await reader.read()).value;
    const silent = () => until(() => clock.awaits(10_000), "silence");
    assert.equal(await next(), ": connected\n\n");
    await silent();
    // Not a moment too early: an event is the first to come.
    await clock.advance(9_999);
    await runtime.pauseScheduler();
    assert.match(await next() ?? "", /^event: scheduler_changed\n/);
    for (const at of ["2026-03-01T12:00:19.999Z", "2026-03-01T12:00:29.999Z"]) {
      await silent();
      await clock.advance(10_000);
      assert.equal(await next(), `event: heartbeat\ndata: {"timestamp":"${at}"}\n\n`);
    }
    await reader.cancel();
    await service.shutdown("requested");
  });
}

overBoth(
  "a loaded skill gives one frame `meta` of type `meta` with its instructions, which a replay shows again",
  async (on) => {
    const file = join(on.workspace.agentsDir, "_config/skills/haiku/SKILL.md");
    await Deno.mkdir(dirname(file), { recursive: true });
    await Deno.writeTextFile(
      file,
      "---\nname: haiku\ndescription: Writes haiku\n---\nWrite a haiku about $ARGUMENTS.\n",
    );
    await on.workspace.writeScript("poet", [
      { call: [{ name: "skill_use", arguments: { skill_name: "haiku", arguments: "rain" } }] },
      { say: "Drip." },
    ], "skills: haiku");
    await on.client.reload();
    const { execution_id } = await on.client.run("poet");
    const live = await on.framesOf(execution_id);
    const types = live.map(({ payload }) => payload["event_type"]);
    const at = types.indexOf("meta");
    assert.deepEqual([types[at - 1], types.lastIndexOf("meta")], ["tool_result", at]);
    const frame = live[at];
    assert.equal(frame?.event, "meta");
    assert.match(
      String(frame?.payload["content"]),
      /^<skill-context name="haiku">[^]*Write a haiku about rain\.[^]*<\/skill-context>$/,
    );
    const names = ["execution_id", "agent_id", "display_name", "agent_name", "message"];
    assert.deepEqual(
      names.map((name) => frame?.payload[name]),
      [execution_id, "poet", "poet", "poet", frame?.payload["content"]],
    );
    assert.deepEqual(await on.framesOf(execution_id), live);
  },
);
