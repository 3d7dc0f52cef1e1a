// People over TCP with keys of their own: approvals by two people, and several keys that count as one person.
import assert from "node:assert/strict";
import { join } from "node:path";
import { KEY } from "../support/test_service.ts";
import { runToEnd, toEnd } from "../support/test_workspace.ts";
import { openKeyWorld } from "./key_world.ts";

/** Starts a service with these lines of config.yaml. `writer` asks before it writes a file. */
const openPeople = (config: string, agent = "") => {
  const write = { name: "file_write", arguments: { path: "a.txt", content: "x" } };
  return openKeyWorld({ config, agent, steps: [{ call: [write] }, { say: "Done." }] });
};

Deno.test("two named keys approve a call, and the key of the whole service does not", async () => {
  await using on = await openPeople("", "approvers: [anna, bob]\napprovals: 2");
  const [anna, bob, carl] = [await on.add("anna"), await on.add("bob"), await on.add("carl")];
  const { id } = await runToEnd(on.runtime, "writer");
  const read = async () => {
    const { body } = await on.call(`/executions/${id}/pending`, anna);
    return [body.approvals, body.needed, body.approved_by, body.approvers];
  };
  assert.deepEqual(await read(), [0, 2, [], ["anna", "bob"]]);
  assert.deepEqual(await on.approve(id, KEY), {
    status: 403,
    body: {
      detail: "This question is for anna, bob; this key has no name: use your own key, which " +
        "`inkling key add` makes",
    },
  });
  assert.deepEqual(await on.approve(id, carl), {
    status: 403,
    body: { detail: "This question is for anna, bob" },
  });
  assert.equal((await on.approve(id, anna, { via: "program" })).status, 403);
  assert.deepEqual(await on.approve(id, anna, { via: "page" }), {
    status: 200,
    body: { status: "waiting", execution_id: id, approvals: 1, needed: 2 },
  });
  const twice = await on.approve(id, anna);
  assert.deepEqual([twice.status, twice.body.detail], [
    409,
    "anna has approved this call: 1 more of anna, bob must approve it",
  ]);
  assert.deepEqual(await read(), [1, 2, ["anna"], ["anna", "bob"]]);
  assert.deepEqual(await on.approve(id, bob), {
    status: 200,
    body: { status: "resuming", execution_id: id },
  });
  assert.equal((await toEnd(on.runtime, id)).status, "success");
});

Deno.test("two keys of one person are one approval, and a key with a person's name is not this person", async () => {
  await using on = await openPeople(
    "people: { ada: { role: operator, keys: [laptop, phone] }, bob: { keys: [desk] } }\n",
    "approvers: [ada, bob]\napprovals: 2",
  );
  const [laptop, phone, desk, bob] = [
    await on.add("laptop", "admin"),
    await on.add("phone"),
    await on.add("desk"),
    await on.add("bob"),
  ];
  const me = (await on.call("/whoami", laptop)).body;
  assert.deepEqual([me.name, me.role], ["ada", "operator"]);
  assert.equal((await on.call("/keys", laptop)).status, 403);
  assert.equal((await on.call("/whoami", bob)).body.name, "bob (key)");
  // The key is still the one that is renewed.
  const { body: renewed } = await on.call("/whoami/renew", phone, { json: {} });
  assert.equal(renewed.name, "phone");

  const { id } = await runToEnd(on.runtime, "writer");
  const approve = (key: string) => on.approve(id, key);
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
  await using on = await openPeople("people: { ada: { role: viewer, keys: [laptop] } }\n");
  const laptop = await on.add("laptop", "admin");
  assert.equal((await on.call("/whoami", laptop)).body.role, "viewer");
  await on.place.configure("people: { bob: { keys: [laptop] } }\n");
  await on.runtime.listAgents({ fresh: true });
  const { name, role } = (await on.call("/whoami", laptop)).body;
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
  );
  const [laptop, desk] = [await on.add("laptop"), await on.add("desk", "admin")];
  const { body: [listed] } = await on.call("/people", desk);
  assert.deepEqual(listed.keys, [
    { name: "laptop", is_known: true },
    { name: "lost", is_known: false },
  ]);
  assert.equal((await on.call("/people", laptop)).status, 403);
  const stream = await fetch(`${on.base}/events/stream`, { headers: { "x-api-key": laptop } });
  // The key of the whole service may not write files over TCP.
  const method = "DELETE";
  assert.equal((await on.call("/people/ada", KEY, { method })).status, 403);
  assert.deepEqual(await on.call("/people/eve", desk, { method }), {
    status: 404,
    body: { detail: 'config.yaml has no person "eve"' },
  });
  assert.deepEqual(await on.call("/people/ada", desk, { method }), {
    status: 200,
    body: { removed: "ada", keys: ["laptop"] },
  });
  assert.equal((await on.call("/whoami", laptop)).status, 401);
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
  await using on = await openPeople("people: { ada: { keys: [laptop] } }\n");
  const desk = await on.add("desk", "admin");
  await on.place.configure("people: { ada: { keys: [laptop] } }\nsandbox: maybe\n");
  const refused = await on.call("/people/ada", desk, { method: "DELETE" });
  assert.equal(refused.status, 409);
  assert.match(refused.body.detail, /Fix config.yaml first: .*sandbox/);
  await on.place.configure("people: { ada: { keys: [laptop] } }\n");
  assert.equal((await on.call("/people/ada", desk, { method: "DELETE" })).status, 200);
  assert.deepEqual((await on.call("/people", desk)).body, []);
});

Deno.test("no header of a proxy names the sender or the address", async () => {
  await using on = await openPeople("people: { ada: { keys: [laptop] } }\n");
  const admin = await on.add("desk", "admin");
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
