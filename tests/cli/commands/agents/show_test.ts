import assert from "node:assert/strict";
import type { Agent } from "../../../../runtime/agents/agent.ts";
import { fakeAgent } from "../../../support/fake_agent.ts";
import { fakePlan } from "../../../support/fake_plan.ts";
import { createFakeCli, type FakeCli } from "../../fake_cli.ts";

const SCHEDULE = { type: "schedule", cron: "30 8 * * *", catchUp: "none" } as const;

function add(
  cli: FakeCli,
  { triggerPaused = null, ...agent }: Partial<Agent> & { triggerPaused?: string | null } = {},
  plan: Parameters<typeof fakePlan>[0] = {},
): void {
  cli.runtime.addAgent(fakeAgent("daily", agent), { triggerPaused });
  cli.runtime.plans.set("daily", fakePlan(plan));
}

async function show(cli: FakeCli, ...more: string[]): Promise<string> {
  assert.equal(await cli.run("show", "daily", ...more), 0, cli.stderr.text);
  return cli.stdout.text;
}

Deno.test("show says when it fires next, and that it does not: disabled, stopped, paused, without a service", async () => {
  const upcoming = [Date.UTC(2026, 0, 2, 8, 30)];
  const setup = ["Address for the sender: https://host/hooks/daily"];
  const told = async (
    agent: Parameters<typeof add>[1],
    options: { isRunning?: boolean; paused?: true } = {},
  ) => {
    await using cli = await createFakeCli({ isRunning: options.isRunning ?? true });
    if (options.paused) cli.runtime.schedulerStatus = "paused";
    add(cli, { trigger: SCHEDULE, ...agent }, {
      upcoming,
      setup,
      schedulerState: options.paused ? "paused" : "running",
    });
    return await show(cli) + cli.stderr.text;
  };
  assert.match(
    await told({}),
    /^Trigger\n {2}cron 30 8 \* \* \*\n {2}Address for .*\n {2}2026-01-0[123] .*, in 1 d\n/m,
  );
  assert.match(await told({ enabled: false }), /^ {2}cron .*, but the agent is disabled: /m);
  assert.match(
    await told({ triggerPaused: "it ran away" }),
    /^ {2}cron .*, but stopped: it ran away/m,
  );
  assert.match(await told({}, { paused: true }), /^Warning: The scheduler is paused/m);
  assert.match(await told({}, { isRunning: false }), /The service is not running: nothing fires/);
});

Deno.test("show says why a run would fail, and lets no text of a server or a file move the cursor", async () => {
  await using cli = await createFakeCli();
  const tool = { source: "mcp", server: "she\x1b[2Jlf", guarded: false, effect: "read" } as const;
  add(cli, { description: "De\x1b]0;x\x07scribed\nhere" }, {
    problems: ['The MCP server \x1b[2J"shelf" cannot be used:\nit ended'],
    notices: ["No\x1b[1A sandbox"],
    tools: [{ ...tool, name: "put\x1b[2J" }],
    messages: [{ seeded: false, message: { role: "user", content: "Go\x1b[2J\r on" } }],
  });
  const text = await show(cli, "--prompt") + cli.stderr.text;
  assert.match(
    text,
    /^A run would fail\n {2}The MCP server "shelf" cannot be used:\n {2}it ended$/m,
  );
  assert.match(text, /^Warning: No sandbox$/m);
  assert.match(text, /^Described here$/m);
  // deno-lint-ignore no-control-regex -- they must not be there
  assert.doesNotMatch(text, /[\x00-\x09\x0b-\x1f]/);
});
