import assert from "node:assert/strict";
import { type Around, DEMO, validate } from "./validated.ts";

/** Returns the diagnostics of the names in `daily.md`. */
const diagnosed = (yaml: string, around: Around = {}) =>
  validate(`${yaml}\n${DEMO}`, { agentIds: ["daily", "helper"], ...around });

const INCOMPLETE = { resources: { isComplete: false } };

Deno.test("diagnoseNames() warns of names that no tool can have", async () => {
  const yaml = "confirm: [file_read, search]\nauto_approve: [file_writ]";
  assert.deepEqual(await diagnosed(yaml, { resources: { toolNames: ["search"] } }), [
    'warning daily.md:3:16: auto_approve names an unknown tool: file_writ (did you mean "file_write"?)',
  ]);
  assert.equal((await diagnosed(yaml)).length, 2);
  for (const every of ['"*"', "all"]) {
    assert.deepEqual(await diagnosed(`auto_approve: ${every}`), []);
    assert.deepEqual(await diagnosed(`confirm: [${every}]`), []);
  }

  const unknown =
    "mcp: [files]\ncustom_tools: [file_writer]\nconfirm: [anything, files_read, file_writer]";
  assert.deepEqual(await diagnosed(unknown, INCOMPLETE), []);

  assert.deepEqual(await diagnosed("confirm: [file_wirte, a.b]", INCOMPLETE), [
    "warning daily.md:2:11: confirm names file_wirte, which is not a built-in tool: it matches only a custom tool " +
    'or a server\'s tool (did you mean "file_write"?)',
    "warning daily.md:2:23: confirm names a.b, which is not a valid name of a tool",
  ]);

  const ofServer =
    "mcp: [files]\nconfirm: [read.file, files_a/b]\nauto_approve: [read.file, read_file]";
  assert.deepEqual(await diagnosed(ofServer, INCOMPLETE), [
    "warning daily.md:4:16: auto_approve names read.file, which frees no tool: " +
    "the name that a tool has in a run is made of letters, digits, _ and -, 64 at most",
  ]);
});

Deno.test("diagnoseNames() warns of an entry server/tool if the agent has no such server", async () => {
  const yaml = "mcp: [github, '@acme/files']\n" +
    "auto_approve: [github/get_*, '@acme/files/*', githib/*, github/, other/read, get_*]\n" +
    "confirm: [github/delete_*, some/name]";
  assert.deepEqual(await diagnosed(yaml, INCOMPLETE), [
    "warning daily.md:3:47: auto_approve names githib/*, and the agent has no MCP server githib " +
    '(did you mean "github"?)',
    "warning daily.md:3:57: auto_approve names no tool of the MCP server github: github/ " +
    "(github/* means all of them)",
    "warning daily.md:3:66: auto_approve names other/read, and the agent has no MCP server other " +
    "(the part before the slash is a name in `mcp`)",
    "warning daily.md:3:78: auto_approve names get_*, which frees no tool: the name that a tool has in a run is " +
    "made of letters, digits, _ and -, 64 at most (a pattern has the form server/get_*)",
  ]);
  assert.deepEqual(await diagnosed("confirm: [github/delete_*]"), [
    "warning daily.md:2:11: confirm names github/delete_*, and the agent has no MCP server github " +
    "(the part before the slash is a name in `mcp`)",
  ]);
});

Deno.test("diagnoseNames() warns of unknown agents, the agent itself and cycles, in any Unicode normalization", async () => {
  assert.deepEqual(await diagnosed("agents: [helper, hlper, daily]"), [
    'warning daily.md:2:18: agents names an unknown agent: hlper (did you mean "helper"?)',
    "warning daily.md:2:25: agents names the agent itself: an agent cannot run itself",
  ]);

  assert.deepEqual(await diagnosed('agents: ["e\u0301"]', { agentIds: ["\u00e9"] }), []);

  const follow = (yaml: string, follows: Record<string, string[]> = {}) =>
    diagnosed(`${yaml}\nauto_approve: "*"`, {
      agentIds: ["daily", "helper", "mailer"],
      startersOf: (id) => follows[id] ?? [],
    });
  assert.deepEqual(await follow("after: helper"), []);
  assert.deepEqual(await follow("after: [helper, { agent: mailr, on: any }]"), [
    'warning daily.md:2:17: after names an unknown agent: mailr (did you mean "mailer"?)',
  ]);
  assert.deepEqual(await follow("after: daily"), [
    "warning daily.md:2:8: after names the agent itself: each of its ends would start it again " +
    "(the cycle is stopped after ten runs in a row)",
  ]);
  assert.deepEqual(await follow("after: helper", { helper: ["mailer"], mailer: ["daily"] }), [
    "warning daily.md:2:8: after forms a cycle: helper follows this agent, directly or through " +
    "others (the cycle is stopped after ten runs in a row)",
  ]);
  assert.deepEqual(await follow("after: helper", { helper: ["mailer"], mailer: ["helper"] }), []);
});
