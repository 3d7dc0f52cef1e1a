import assert from "node:assert/strict";
import type { Agent } from "../../../../runtime/agents/agent.ts";
import { fakeAgent } from "../../../support/fake_agent.ts";
import { fakePlan } from "../../../support/fake_plan.ts";
import { createFakeCli, type FakeCli } from "../../fake_cli.ts";
import { picturesOf } from "../../picture.ts";

const SCHEDULE = { type: "schedule", cron: "30 8 * * *", catchUp: "none" } as const;

function add(
  cli: FakeCli,
  { triggerPaused = null, ...agent }: Partial<Agent> & { triggerPaused?: string | null } = {},
  plan: Parameters<typeof fakePlan>[0] = {},
): void {
  cli.runtime.addAgent(fakeAgent("daily", agent), { triggerPaused });
  cli.runtime.plans.set("daily", fakePlan(plan));
}

const shows = picturesOf(import.meta.url);

Deno.test("show prints the next runs, or the reason why there are none", async (t) => {
  const plan = {
    upcoming: [Date.UTC(2026, 0, 2, 8, 30)],
    setup: ["Address for the sender: https://host/hooks/daily"],
  };
  await using cli = await createFakeCli();
  for (const agent of [{}, { enabled: false }, { triggerPaused: "it ran away" }]) {
    add(cli, { trigger: SCHEDULE, ...agent }, plan);
    await shows(t, cli, "show", "daily");
  }
  cli.runtime.schedulerStatus = "paused";
  add(cli, { trigger: SCHEDULE }, { ...plan, schedulerState: "paused" });
  await shows(t, cli, "show", "daily");
  cli.runtime.schedulerStatus = "running";
  add(cli, { trigger: SCHEDULE }, plan);
  cli.isRunning = false;
  await shows(t, cli, "show", "daily");
});

Deno.test("show prints why a run would fail, and escapes texts of servers and files", async (t) => {
  await using cli = await createFakeCli();
  const tool = { source: "mcp", server: "she\x1b[2Jlf", guarded: false, effect: "read" } as const;
  add(cli, { description: "De\x1b]0;x\x07scribed\nhere" }, {
    problems: ['The MCP server \x1b[2J"shelf" cannot be used:\nit ended'],
    notices: ["No\x1b[1A sandbox"],
    tools: [{ ...tool, name: "put\x1b[2J" }],
    messages: [{ seeded: false, message: { role: "user", content: "Go\x1b[2J\r on" } }],
  });
  await shows(t, cli, "show", "daily", "--prompt");
  const text = cli.stdout.text + cli.stderr.text;
  // deno-lint-ignore no-control-regex -- the output must not contain them
  assert.doesNotMatch(text, /[\x00-\x09\x0b-\x1f]/);
});
