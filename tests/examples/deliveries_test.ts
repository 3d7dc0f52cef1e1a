// Tests of the webhook example on a real socket: only signed deliveries start its agents.
import assert from "node:assert/strict";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { createRealHome, untilFound } from "../e2e/real_process.ts";
import {
  fromGitHub,
  fromStripe,
  SECRET,
  type Sent,
  STRIPE_SECRET,
} from "../runtime/triggers/webhook/hook_world.ts";
import { copyExample } from "./example_workspace.ts";
import { freePort } from "../support/machine/free_port.ts";

const ISSUE = { action: "opened", issue: { number: 7, title: "It crashes at the start" } };

Deno.test("examples/from-github-and-stripe: only signed deliveries start its agents", async () => {
  await using home = await createRealHome();
  await copyExample("from-github-and-stripe", home.workspace);
  const port = freePort();
  const config = parseDocument(await Deno.readTextFile(join(home.workspace, "config.yaml")));
  config.setIn(["service", "port"], port);
  config.set("workspace", home.workspace);
  config.set("defaults", { provider: "demo", model: "echo" });
  await Deno.writeTextFile(join(home.configDir, "config.yaml"), String(config));
  await Deno.writeTextFile(
    join(home.agentsDir, "_config/.env"),
    `GITHUB_HOOK_SECRET="${SECRET}"\nSTRIPE_HOOK_SECRET=${STRIPE_SECRET}\n`,
  );
  await Deno.writeTextFile(join(home.configDir, ".env"), "INKLING_API_KEY=the key of this test\n");
  await home.startService();
  using client = home.client();

  const send = async (agent: string, sent: Sent) => {
    const init = { method: "POST", ...sent };
    const answer = await fetch(`http://127.0.0.1:${port}/hooks/${agent}`, init);
    return { status: answer.status, body: await answer.json() };
  };
  const answerTo = async (agent: string, sent: Sent): Promise<string> => {
    const { status, body } = await send(agent, sent);
    assert.equal(status, 202, JSON.stringify(body));
    const ended = await untilFound("the end of the run", async () => {
      const one = await client.execution(body.execution_id);
      return one.status === "success" && one;
    });
    return ended.output_data ?? "";
  };

  const opened = fromGitHub(ISSUE, { event: "issues" });
  assert.match(await answerTo("triage", opened), /^Issue 7: It crashes at the start\n/);
  assert.equal((await send("triage", opened)).body.duplicate, true);
  assert.equal((await send("triage", fromGitHub(ISSUE, { event: "push" }))).status, 200);
  const closed = fromGitHub({ ...ISSUE, action: "closed" }, { event: "issues" });
  assert.equal((await send("triage", closed)).status, 200);
  const forged = fromGitHub(ISSUE, { event: "issues", secret: "guessed" });
  assert.equal((await send("triage", forged)).status, 401);

  const invoice = { customer_email: "ada@example.com", amount_due: 1200 };
  const event = { id: "evt_1", type: "invoice.payment_failed", data: { object: invoice } };
  const failed = fromStripe(JSON.stringify(event), { at: Date.now() });
  assert.match(await answerTo("payments", failed), /^ada@example.com did not pay 1200 cents\.\n/);
  const old = fromStripe(JSON.stringify(event), { at: Date.now() - 3_600_000 });
  assert.equal((await send("payments", old)).status, 401);
  const paid = { ...event, id: "evt_2", type: "invoice.paid" };
  const ignored = fromStripe(JSON.stringify(paid), { at: Date.now() });
  assert.equal((await send("payments", ignored)).status, 200);

  const count = (await home.all<object>("SELECT id FROM executions")).length;
  assert.equal(count, 2);
});
