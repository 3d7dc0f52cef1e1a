// Named keys over TCP, with a real runtime: owners, narrowing to some agents, revocation, expiry and log-ins.
import assert from "node:assert/strict";
import { DAY_MS } from "../../base/time_units.ts";
import { KEY } from "../support/test_service.ts";
import { runToEnd } from "../support/test_workspace.ts";
import { type KeyWorld, openKeyWorld } from "./key_world.ts";

/** Starts a service with the agents `writer` and `other`. */
async function openWorld(steps: object[] = [{ say: "Done." }]): Promise<KeyWorld> {
  const on = await openKeyWorld({ steps });
  await on.place.writeScript("other", steps);
  await on.runtime.reloadAgents();
  return on;
}

/** Logs in on the page, and returns the cookie. */
async function logIn({ base }: KeyWorld, key: string): Promise<string> {
  const { headers, body } = await fetch(`${base}/login`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: base, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ key }),
  });
  await body?.cancel();
  return headers.get("set-cookie")?.split(";")[0] ?? "";
}

Deno.test("a key is shown once, is renewed by its owner, and only admins list or add keys", async () => {
  await using on = await openWorld();
  const added = await on.call("/keys", KEY, { json: { name: "anna", role: "operator" } });
  const { key } = added.body;
  assert.match(key, /^inkling_/);
  const twice = await on.call("/keys", KEY, { json: { name: "anna", role: "viewer" } });
  assert.equal(twice.status, 409);
  for (
    const json of [
      { name: "admin", role: "viewer" },
      { name: "x", role: "owner" },
      { name: "x", role: "author", agents: ["writer"] },
      // A misspelled field would give a key for all agents, and an invisible difference another person of the same name.
      { name: "x", role: "viewer", agent: ["writer"] },
      ...[" ", "anna ", "\u00a0anna", "an\u3164na"].map((name) => ({ name, role: "viewer" })),
    ]
  ) assert.equal((await on.call("/keys", KEY, { json })).status, 422, JSON.stringify(json));
  assert.equal((await on.call("/keys", key)).status, 403);
  const me = await on.call("/whoami", key);
  assert.deepEqual([me.body.name, me.body.role], ["anna", "operator"]);
  const { body: [listed] } = await on.call("/keys", KEY);
  assert.equal(listed.name, "anna");
  assert.notEqual(listed.used_at, null);
  assert(!JSON.stringify(listed).includes(key));
  const rows = await on.place.all("SELECT * FROM named_keys");
  assert(!JSON.stringify(rows).includes(key));

  const renewed = await on.call("/whoami/renew", key, { json: {} });
  assert.equal((await on.call("/whoami", key)).status, 401);
  assert.equal((await on.call("/whoami", renewed.body.key)).status, 200);
  assert.equal((await on.call("/whoami/renew", KEY, { json: {} })).status, 409);
});

Deno.test("a revoked key ends at once, with its open streams and its log-ins", async () => {
  await using on = await openWorld();
  const key = await on.add("vera", "viewer");
  const cookie = await logIn(on, key);
  const page = async () => {
    const response = await fetch(`${on.base}/info`, { headers: { cookie } });
    await response.body?.cancel();
    return response.status;
  };
  assert.equal(await page(), 200);
  const stop = await fetch(`${on.base}/shutdown`, {
    method: "POST",
    headers: { cookie, origin: on.base },
  });
  assert.equal(stop.status, 403);
  await stop.body?.cancel();

  const stream = await on.send("/events/stream", key);
  assert.equal(stream.status, 200);
  await (await on.runtime.keys()).revoke("vera", { via: "terminal" });
  assert.equal((await on.call("/info", key)).status, 401);
  assert.equal(await page(), 401);
  // The body ends, although the service continues to run.
  await stream.text();
  assert.equal((await on.call("/info", KEY)).status, 200);
});

Deno.test("an expired key is unknown", async () => {
  await using on = await openWorld();
  const valid = await on.add("vera", "viewer", { lifeMs: DAY_MS });
  const expired = await on.add("olga", "operator", { lifeMs: -1 });
  assert.equal((await on.call("/info", valid)).status, 200);
  assert.equal((await on.call("/info", expired)).status, 401);
});

Deno.test("a key for some agents sees only these, and their executions, counts and events", async () => {
  await using on = await openWorld();
  const own = await runToEnd(on.runtime, "writer");
  const strange = await runToEnd(on.runtime, "other");
  const key = await on.add("olga", "operator", { agents: ["writer"] });
  const get = async (path: string) => (await on.call(path, key)).body;
  const idsOf = (list: { id: number }[]) => list.map(({ id }) => id);

  assert.deepEqual(idsOf(await get("/agents")), ["writer"]);
  assert.deepEqual(idsOf(await get("/executions")), [own.id]);
  assert.deepEqual(idsOf(await get("/executions?agent=other")), []);
  assert.deepEqual(idsOf(await get("/executions?agent=other,writer")), [own.id]);
  const usage = await get("/stats");
  assert.deepEqual(usage.usage.map((one: { agent_id: string }) => one.agent_id), ["writer"]);
  const info = await get("/info");
  assert.equal(info.agents_loaded, 1);
  // Neither the folders of the machine nor its channels and addresses are shown.
  assert(!JSON.stringify(info).includes(on.place.root), JSON.stringify(info));
  assert.deepEqual([info.workspace, info.transports, info.channels], ["", [], []]);
  assert(!JSON.stringify(await get("/recap")).includes("other"));
  const { path, size_bytes: size, agents: [stored, ...others] } = await get("/checkpoints");
  assert.deepEqual([path, size, stored.agent_id, others], ["", stored.bytes, "writer", []]);
  assert(!JSON.stringify(await get("/sign-in")).includes("other"));
  for (
    const path of [
      ...["/agents/other", "/agents/other/runs", "/agents/other/slots", "/agents/other/plan"],
      ...["/agents/other/file", `/executions/${strange.id}`, `/executions/${strange.id}/messages`],
      ...[`/executions/${strange.id}/stream`, `/executions/${strange.id}/replay`],
      ...[`/executions?parent=${strange.id}`, "/budgets?agent=other"],
    ]
  ) assert.equal((await on.call(path, key)).status, 404, path);
  for (const path of ["/agents/other/run", `/executions/${strange.id}/fork`]) {
    assert.equal((await on.call(path, key, { json: { step: 1 } })).status, 404, path);
  }
  const continued = async ({ id }: { id: number }) =>
    (await on.call("/agents/writer/run", key, { json: { continues: id } })).status;
  assert.deepEqual([await continued(own), await continued(strange)], [200, 404]);
  assert.equal((await on.call("/log", key)).status, 403);
  assert.equal((await on.call("/scheduler/pause", key, { json: {} })).status, 403);

  const events = await on.send("/events/stream", key);
  await runToEnd(on.runtime, "other");
  const run = await on.call("/agents/writer/run", key, { json: {} });
  assert.equal(run.status, 200);
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of events.body!) {
    text += decoder.decode(chunk);
    if (text.includes("execution_completed")) break;
  }
  assert(!text.includes("other"), text);
});

Deno.test("a fork with the text of an agent file needs the right to change files", async () => {
  await using on = await openWorld();
  const { id } = await runToEnd(on.runtime, "writer");
  const fork = async (key: string, json: object) =>
    (await on.call(`/executions/${id}/fork`, key, { json })).status;
  const text = {
    step: 0,
    agent_text: "---\nmodel: { provider: demo, name: echo }\n---\nRepeat.\n",
  };
  const operator = await on.add("olga", "operator");
  assert.deepEqual([await fork(operator, { step: 0 }), await fork(operator, text)], [200, 403]);
  assert.equal(await fork(await on.add("anna", "author"), text), 200);
  // Over TCP, the key of the whole service changes files only with `service.edit`.
  assert.equal(await fork(KEY, text), 403);
});

Deno.test("a key for some agents reads the runs that these called, and forks none of them", async () => {
  await using on = await openWorld();
  const call = { name: "run_agent", arguments: { agent_id: "other" } };
  await on.place.writeScript("writer", [{ call: [call] }, { say: "Done." }], "agents: [other]");
  await on.runtime.reloadAgents();
  const { id } = await runToEnd(on.runtime, "writer");
  const key = await on.add("olga", "operator", { agents: ["writer"] });
  const [called] = (await on.call(`/executions?parent=${id}`, key)).body;
  assert.equal(called.agent_id, "other");
  assert.equal((await on.call(`/executions/${called.id}`, key)).status, 200);
  const fork = async (id: number) =>
    (await on.call(`/executions/${id}/fork`, key, { json: { step: 0 } })).status;
  assert.deepEqual([await fork(id), await fork(called.id)], [200, 404]);
});

Deno.test("a program with a key for some agents sees only these over /v1", async () => {
  await using on = await openWorld();
  await on.place.writeScript("writer", [{ say: "Done." }], "expose: true");
  await on.place.writeScript("other", [{ say: "Done." }], "expose: true");
  await on.runtime.reloadAgents();
  const models = async (key: string) =>
    (await on.call("/v1/models", key)).body.data.map(({ id }: { id: string }) => id);
  assert.deepEqual(await models(KEY), ["other", "writer"]);
  assert.deepEqual(await models(await on.add("vera", "viewer", { agents: ["writer"] })), [
    "writer",
  ]);
});

Deno.test("the audit names who added, renewed and revoked a key, without its secret", async () => {
  await using on = await openWorld();
  const admin = await on.add("alma", "admin");
  const json = { name: "anna", role: "viewer", agents: ["writer"] };
  const { body: { key } } = await on.call("/keys", admin, { json });
  const renewed = await on.call("/whoami/renew", key, { json: {} });
  assert.equal(renewed.status, 200);
  await on.call("/keys/anna", admin, { method: "DELETE" });
  const { status, body } = await on.call("/audit", admin);
  assert.equal(status, 200, JSON.stringify(body));
  const found = body
    .filter((one: { action: string }) => one.action.endsWith("_key"))
    .map((one: { action: string; name: string; detail: { name: string } }) =>
      `${one.name} ${one.action} ${one.detail.name}`
    );
  assert.deepEqual(found, [
    "alma revoke_key anna",
    "anna renew_key anna",
    "alma add_key anna",
    "owner add_key alma",
  ]);
  assert.doesNotMatch(JSON.stringify(body), /inkling_/);
});

Deno.test("a key for some agents counts all their open executions, and no others", async () => {
  const question = { name: "ask_user", arguments: { question: "Well?" } };
  await using on = await openWorld([{ call: [question] }, { say: "Done." }]);
  for (const agent of ["writer", "other"]) await runToEnd(on.runtime, agent);
  const { body } = await on.call("/info", await on.add("vera", "viewer", { agents: ["writer"] }));
  assert.deepEqual([body.waiting_executions, body.active_executions], [1, 0]);
  assert.equal((await on.call("/info", KEY)).body.waiting_executions, 2);
});

Deno.test("a key for some agents replays their runs, and no runs of agents that these called", async () => {
  const ask = { name: "run_agent", arguments: { agent_id: "other" } };
  await using on = await openKeyWorld({
    agent: "agents: [other]",
    steps: [{ call: [ask] }, { say: "Done." }],
  });
  await on.place.writeScript("other", [{ say: "Done." }]);
  await on.runtime.reloadAgents();
  const own = await runToEnd(on.runtime, "writer");
  const key = await on.add("olga", "operator", { agents: ["writer"] });
  const { body: [called] } = await on.call(`/executions?parent=${own.id}`, key);
  assert.equal((await on.call(`/executions/${called.id}`, key)).status, 200);
  const replay = async (id: number, by = key) =>
    (await on.call(`/executions/${id}/replay`, by)).status;
  // The replay of a called run would show the present file of its agent.
  assert.deepEqual([await replay(own.id), await replay(called.id)], [200, 404]);
  assert.equal(await replay(called.id, KEY), 200);
});

Deno.test("the audit names who signed out, and who stopped the service", async () => {
  await using on = await openWorld();
  const key = await on.add("olga");
  const cookie = await logIn(on, key);
  for (let time = 0; time < 2; time++) {
    const headers = { cookie, origin: on.base };
    const { body } = await fetch(`${on.base}/logout`, { method: "POST", headers });
    await body?.cancel();
  }
  assert.equal((await on.call("/shutdown", key, { json: {} })).status, 200);
  const records = await on.runtime.audit.listRecords({ limit: 9 });
  assert.deepEqual(
    records.filter(({ action }) => action !== "add_key" && action !== "edit_file")
      .map(({ action, name, via, address }) => `${name} ${action} ${via} ${address}`),
    // The second sign-out found no session.
    [
      "olga stop api 127.0.0.1",
      "olga sign_out page 127.0.0.1",
      "olga sign_in page 127.0.0.1",
    ],
  );
});
