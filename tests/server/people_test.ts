// People with several ways in: keys and the socket that belong to one person count as one.
import assert from "node:assert/strict";
import { join } from "node:path";
import { KEY, serveWorkspace } from "../support/test_service.ts";
import { createTestWorkspace, runToEnd } from "../support/test_workspace.ts";

async function openPeople(config: string, agent: string) {
  await using opened = new AsyncDisposableStack();
  const place = opened.use(await createTestWorkspace());
  await place.configure(config);
  const write = { name: "file_write", arguments: { path: "a.txt", content: "x" } };
  await place.writeScript("writer", [{ call: [write] }, { say: "Done." }], agent);
  const { runtime, origin: base } = opened.use(await serveWorkspace(place));
  const keys = await runtime.keys();
  const kept = opened.move();
  return {
    place,
    runtime,
    base,
    addKey: (name: string, role: "operator" | "admin" = "operator") =>
      keys.add({ name, role, agents: null, lifeMs: null }, { via: "api" }),
    async call(key: string, path: string, { method = "GET", json }: {
      method?: string;
      json?: unknown;
    } = {}) {
      const response = await fetch(base + path, {
        method: json === undefined ? method : "POST",
        headers: { "x-api-key": key, "content-type": "application/json" },
        ...(json !== undefined && { body: JSON.stringify(json) }),
      });
      // deno-lint-ignore no-explicit-any -- tests compare whole bodies
      return { status: response.status, body: await response.json() as any };
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

Deno.test("two keys of one person are one approval, and a key with a person's name is not this person", async () => {
  await using on = await openPeople(
    "people: { ada: { role: operator, keys: [laptop, phone] }, bob: { keys: [desk] } }\n",
    "approvers: [ada, bob]\napprovals: 2",
  );
  const [laptop, phone, desk, bob] = [
    await on.addKey("laptop", "admin"),
    await on.addKey("phone"),
    await on.addKey("desk"),
    await on.addKey("bob"),
  ];
  const me = (await on.call(laptop, "/whoami")).body;
  assert.deepEqual([me.name, me.role], ["ada", "operator"]);
  assert.equal((await on.call(laptop, "/keys")).status, 403);
  assert.equal((await on.call(bob, "/whoami")).body.name, "bob (key)");
  // The key is still the one that is renewed.
  const { body: renewed } = await on.call(phone, "/whoami/renew", { json: {} });
  assert.equal(renewed.name, "phone");

  const { id } = await runToEnd(on.runtime, "writer");
  const approve = async (key: string) => {
    const { requestId } = await on.runtime.pendingRequest(id);
    const json = { request_id: requestId, response: { approved: true } };
    return await on.call(key, `/executions/${id}/respond`, { json });
  };
  assert.equal((await approve(laptop)).body.approvals, 1);
  const again = await approve(renewed.key);
  assert.deepEqual([again.status, again.body.detail], [
    409,
    "ada has approved this call: 1 more of ada, bob must approve it",
  ]);
  const other = await approve(bob);
  assert.deepEqual([other.status, other.body.detail], [403, "This question is for ada, bob"]);
  assert.equal((await approve(desk)).status, 200);
});

Deno.test("a person may change in config.yaml while the service runs, and the next request knows it", async () => {
  await using on = await openPeople("people: { ada: { role: viewer, keys: [laptop] } }\n", "");
  const laptop = await on.addKey("laptop", "admin");
  assert.equal((await on.call(laptop, "/whoami")).body.role, "viewer");
  await on.place.configure("people: { bob: { keys: [laptop] } }\n");
  await on.runtime.listAgents({ fresh: true });
  const { name, role } = (await on.call(laptop, "/whoami")).body;
  assert.deepEqual([name, role], ["bob", "admin"]);
});

Deno.test("a removed person has no way in: the keys, streams and chats end, and nothing else changes", async () => {
  await using on = await openPeople(
    `public_url: https://a.example
sign_in: { issuer: "https://login.example", client_id: a, groups: { s: viewer } }
# Everybody who may use the service
people:
  ada: # on the road
    keys: [laptop, lost]
    chats: [{ chat: phone, id: 77 }]
    openid: [{ issuer: "https://login.example", sub: u1 }]
  bob: { keys: [desk], stand_in: ada } # in the office
chat:
  phone:
    type: telegram
    token: TOKEN
    people:
      - { id: 77, name: Ada, may: [chat] } # the first
      - { id: 78, name: third }
`,
    "",
  );
  const [laptop, desk] = [await on.addKey("laptop"), await on.addKey("desk", "admin")];
  const { body: [listed] } = await on.call(desk, "/people");
  assert.deepEqual(listed.keys, [
    { name: "laptop", is_known: true },
    { name: "lost", is_known: false },
  ]);
  assert.equal((await on.call(laptop, "/people")).status, 403);
  const stream = await fetch(`${on.base}/events/stream`, { headers: { "x-api-key": laptop } });
  // The key of the whole service may not write files over TCP.
  const method = "DELETE";
  assert.equal((await on.call(KEY, "/people/ada", { method })).status, 403);
  assert.deepEqual(await on.call(desk, "/people/eve", { method }), {
    status: 404,
    body: { detail: 'config.yaml has no person "eve"' },
  });
  assert.deepEqual(await on.call(desk, "/people/ada", { method }), {
    status: 200,
    body: { removed: "ada", keys: ["laptop"] },
  });
  assert.equal((await on.call(laptop, "/whoami")).status, 401);
  await stream.text();
  const text = await Deno.readTextFile(join(on.place.configDir, "config.yaml"));
  assert.equal(
    text.slice(text.indexOf("# Everybody")),
    `# Everybody who may use the service
people:
  bob: { keys: [ desk ] } # in the office
  ada: { removed: true, openid: [ { issuer: https://login.example, sub: u1 } ] }
chat:
  phone:
    type: telegram
    token: TOKEN
    people:
      - { id: 78, name: third }
`,
  );
  const { people, chats } = on.runtime.config;
  assert.deepEqual(people.map(({ name, isRemoved }) => [name, isRemoved]), [
    ["bob", false],
    ["ada", true],
  ]);
  assert.deepEqual(chats[0]?.people.map(({ name }) => name), ["third"]);
  const records = await on.runtime.audit.listRecords({ limit: 10 });
  assert.deepEqual(
    records.filter(({ name }) => name === "bob").map(({ action, detail }) => [
      action,
      detail["name"],
    ]),
    [["remove_person", "ada"], ["edit_file", undefined], ["revoke_key", "laptop"]],
  );
});

Deno.test("a person without a sign-in is removed completely, unless config.yaml has an error", async () => {
  await using on = await openPeople("people: { ada: { keys: [laptop] } }\n", "");
  const desk = await on.addKey("desk", "admin");
  await on.place.configure("people: { ada: { keys: [laptop] } }\nsandbox: maybe\n");
  const refused = await on.call(desk, "/people/ada", { method: "DELETE" });
  assert.equal(refused.status, 409);
  assert.match(refused.body.detail, /Fix config.yaml first: .*sandbox/);
  await on.place.configure("people: { ada: { keys: [laptop] } }\n");
  assert.equal((await on.call(desk, "/people/ada", { method: "DELETE" })).status, 200);
  assert.deepEqual((await on.call(desk, "/people")).body, []);
});

Deno.test("no header of a proxy names the sender or the address", async () => {
  await using on = await openPeople("people: { ada: { keys: [laptop] } }\n", "");
  const admin = await on.addKey("desk", "admin");
  const claims = {
    ...{ "x-forwarded-user": "ada", "remote-user": "ada", "x-remote-user": "ada" },
    ...{ "x-auth-request-email": "ada@example.com", "x-forwarded-email": "ada@example.com" },
    ...{ "x-forwarded-for": "10.1.2.3", "x-real-ip": "10.1.2.3", forwarded: "for=10.1.2.3" },
    ...{ "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" },
  };
  const { body, status } = await fetch(`${on.base}/whoami`, { headers: claims });
  await body?.cancel();
  assert.equal(status, 401);
  const headers = { ...claims, "x-api-key": admin, "content-type": "application/json" };
  const paused = await fetch(`${on.base}/scheduler/pause`, { method: "POST", headers, body: "{}" });
  await paused.body?.cancel();
  assert.equal(paused.status, 200);
  const [record] = await on.runtime.audit.listRecords({ limit: 1, actions: ["pause"] });
  assert.deepEqual([record?.name, record?.address], ["desk", "127.0.0.1"]);
});
