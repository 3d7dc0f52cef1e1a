import assert from "node:assert/strict";
import { until } from "../support/until.ts";
import { fromGitHub, SECRET, type Sent } from "../runtime/triggers/webhook/hook_world.ts";
import { createRealHome, type RealHome } from "./real_process.ts";
import { freePort } from "../support/machine/free_port.ts";

const DELIVERIES = 30;
const AT_ONCE = 8;

/** Starts a service and waits until it listens on the port. */
async function start(home: RealHome, port: number): Promise<Deno.ChildProcess> {
  const child = await home.spawn(["start", "--port", String(port)], {
    env: { INKLING_API_KEY: "the key of this test" },
  });
  const listens = () =>
    fetch(`http://127.0.0.1:${port}/health`).then(async (answer) => {
      await answer.body?.cancel();
      return answer.ok;
    }, () => false);
  await until(listens, "the service listens");
  return child;
}

/** Sends a delivery. Returns the id of its execution, or undefined if the service died. */
async function send(port: number, sent: Sent): Promise<number | undefined> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/hooks/review`, {
      method: "POST",
      ...sent,
    });
    const body = await answer.json();
    assert.equal(answer.status, 202, JSON.stringify(body));
    return body.execution_id;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

Deno.test("equal deliveries across kill -9 start one run", async () => {
  await using home = await createRealHome({ shell: { HOOK: SECRET } });
  await home.writeScript(
    "review",
    [{ say: "Seen." }],
    "trigger: { type: webhook, scheme: github, secret: HOOK }",
  );
  const port = freePort();
  const sent = fromGitHub({ n: 1 }, { id: "one" });
  let left = DELIVERIES;
  let kills = 0;
  const ids: number[] = [];
  // A service is killed when this many deliveries remain, the last one never.
  for (const killAt of [DELIVERIES - 3, -1]) {
    const child = await start(home, port);
    const work = async () => {
      while (left > 0) {
        if (left-- === killAt) {
          child.kill("SIGKILL");
          kills++;
        }
        const id = await send(port, sent);
        if (id === undefined) return;
        ids.push(id);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (killAt === -1) child.kill("SIGTERM");
    await child.output();
  }
  assert.equal(kills, 1);
  assert.ok(ids.length > DELIVERIES - 2 * AT_ONCE, `${ids.length} were answered`);
  assert.deepEqual([...new Set(ids)], [1]);
  const stored = await home.all<object>("SELECT id, trigger FROM executions");
  assert.deepEqual(stored.map((row) => ({ ...row })), [{ id: 1, trigger: "webhook" }]);
});
