import assert from "node:assert/strict";
import { configOf } from "../../runtime/agents/parsed_file.ts";
import { DEMO, UNASKED, validate } from "./validated.ts";

Deno.test("validateAgent() returns every problem of a file that does not parse", async () => {
  const files = { "inbox/a.txt": "" };
  const resources = { toolNames: ["search"] };
  const yaml = `model: {provider: openai, name: x}
tools: [search, old]
skills: writing
mcp: [files]
agents: helper
confirm: [search, file_read]
auto_approve: [file_write, file_delete]
paths: [inbox]
trigger: {type: watch, paths: [inbox, "inbox/**/*.txt", "~"]}`;
  const variables = { OPENAI_API_KEY: "key" };
  const agentIds = ["daily", "helper"];
  assert.deepEqual(await validate(yaml, { files, variables, agentIds, resources }), []);

  assert.deepEqual(await validate("history: 7\nagnts: x"), [
    "error daily.md:2:10: history must be low, medium, high or off, got 7",
    'warning daily.md:3:1: Unknown key agnts: it is ignored (did you mean "agents"?)',
  ]);
});

Deno.test("validateAgent() reports problems of tools, skills and servers at their positions", async () => {
  const resources = {
    problems: [
      {
        field: "custom_tools" as const,
        name: "search",
        severity: "error" as const,
        message: "No search",
      },
      { field: "skills" as const, name: "b", severity: "warning" as const, message: "Odd b" },
      { field: "mcp" as const, severity: "error" as const, message: "No file", hint: "make one" },
    ],
    isComplete: false,
  };
  const yaml = `${DEMO}\ntools: [search]\nskills: [a, b]\nmcp: [fles]\nconfirm: [anything]`;
  assert.deepEqual(await validate(yaml, { resources }), [
    "error daily.md:3:9: No search",
    "warning daily.md:4:13: Odd b",
    "error daily.md:5:6: No file (make one)",
  ]);
});

Deno.test("validateAgent() reports an unusable schema file at its position", async () => {
  const yaml = `${UNASKED}\noutput: { schema: answer.json }`;
  const expected = "error daily.md:4:19: output.schema cannot be used: /answer.json does not exist";
  assert.deepEqual(await validate(yaml), [expected]);
  assert.deepEqual(await validate(yaml, { files: { "answer.json": '{"type":"object"}' } }), []);
});

Deno.test("validateAgent() warns of an unknown time zone and useless node labels", async () => {
  const trigger = (rest: string) => `${UNASKED}\ntrigger: {type: schedule, ${rest}}`;
  for (const tz of ["UTC+3", "Foo/Bar"]) {
    assert.deepEqual(await validate(trigger("cron: 30 8 * * *"), { tz }), [
      `warning daily.md:4:33: The times of trigger.cron are UTC: TZ is "${tz}", which is not a time zone ` +
      "(set TZ to a name such as Europe/Berlin, or trigger.timezone)",
    ]);
    assert.deepEqual(await validate(trigger("cron: 30 8 * * *, timezone: Asia/Tokyo"), { tz }), []);
    assert.deepEqual(await validate(trigger("every: 1h"), { tz }), []);
  }
  assert.deepEqual(await validate(trigger("cron: 30 8 * * *"), { tz: "Asia/Tokyo" }), []);

  for (const nodes of ["gpu", "[gpu, big-disk]"]) {
    const yaml = `${UNASKED}\nnodes: ${nodes}`;
    assert.deepEqual(await validate(yaml), [
      "warning daily.md:4:1: nodes has no effect: with SQLite, this machine runs every agent " +
      "(database in config.yaml lets several machines share the work)",
    ]);
    assert.deepEqual(await validate(yaml, { hasDatabase: true }), []);
  }
  assert.deepEqual(await validate(`${UNASKED}\nnodes: []`), []);

  assert.deepEqual(await validate(`${UNASKED}\nonly_on: [studio, tower]`), [
    "warning daily.md:4:10: Its trigger does not fire here: only_on names studio, tower, " +
    "and this host is laptop.local",
  ]);
  for (const own of ["Laptop", "[laptop.local, studio]"]) {
    assert.deepEqual(await validate(`${UNASKED}\nonly_on: ${own}`), []);
  }
  assert.deepEqual(await validate(`${UNASKED}\nexpose: true`), [
    "warning daily.md:4:1: Programs choose an exposed agent by its description, and it has none " +
    "(write one sentence: description: …)",
  ]);
  assert.deepEqual(await validate(`${UNASKED}\nexpose: true\nenabled: false`), [
    "warning daily.md:4:1: expose has no effect: enabled is false (remove enabled or expose)",
  ]);
  assert.deepEqual(await validate(`${UNASKED}\nexpose: true\ndescription: Sums.`), []);
  const [error = ""] = await validate(`${UNASKED}\nonly_on: []`);
  assert.match(error, /^error daily.md:4:10: .*must name at least one host/);
});

Deno.test("validateAgent() warns of a webhook's missing secret and names the consequence", async () => {
  const variables = { SET: "x", BLANK: " " };
  const secret = (names: string) =>
    validate(`${UNASKED}\ntrigger: { type: webhook, scheme: meta, secret: ${names} }`, {
      variables,
    });
  const expected = (name: string, effect: string) =>
    `warning daily.md:4:49: The secret of the webhook is missing: ${name} is not set, so ${effect} ` +
    `(add the line ${name}=<the secret> to /agents/_config/.env)`;
  assert.deepEqual(await secret("SET"), []);
  assert.deepEqual(
    await secret("SET, verify_token: NEXT").then(String),
    expected("NEXT", "its sender cannot verify the address").replace(":49:", ":68:"),
  );
  assert.deepEqual(await secret("BLANK"), [expected("BLANK", "every delivery is refused")]);
  assert.deepEqual(await secret("[SET, NEXT]"), [
    expected("NEXT", "deliveries signed with it are refused"),
  ]);
});

Deno.test("validateAgent() accepts a verify token for Meta's handshake with every scheme", async () => {
  const hook = (handshake: string) =>
    validate(
      `${UNASKED}\ntrigger: { type: webhook, scheme: token, secret: A, verify_token: A, ` +
        `handshake: ${handshake} }`,
      { variables: { A: "x" } },
    );
  assert.deepEqual(await hook("meta"), []);
  assert.match(String(await hook("dropbox")), /trigger\.verify_token has no effect/);
});

Deno.test("validateAgent() warns of approvers that are neither roles nor people", async () => {
  const yaml = `${DEMO}\napprovers: [ada, amdin, laptop, carl, ann@example.com, owner]`;
  // Without people in config.yaml, an unknown name may be that of a key.
  assert.deepEqual(await validate(yaml), [
    'warning daily.md:3:18: approvers names "amdin", who is no role, and no person of ' +
    'config.yaml (did you mean "admin"?)',
  ]);
  const config = configOf(`people: { ada: { keys: [laptop] } }
service: { owner: owner }
public_url: https://a.example
sign_in: { issuer: "https://login.example", client_id: a, groups: { s: viewer } }`);
  assert.deepEqual(await validate(yaml, { config }), [
    'warning daily.md:3:18: approvers names "amdin", who is no role, and no person of ' +
    'config.yaml (did you mean "admin"?)',
    "warning daily.md:3:25: approvers names the key laptop, but its answers have the name ada " +
    '(write "ada")',
    'warning daily.md:3:33: approvers names "carl", who is no role, and no person of config.yaml ' +
    '(add the person under people; "inkling key list" shows the keys, which count by their names)',
  ]);
});
