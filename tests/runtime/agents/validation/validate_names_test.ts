import assert from "node:assert/strict";
import { diagnoseNames } from "../../../../runtime/agents/validation/validate_names.ts";
import { formatDiagnostic } from "../../../../base/diagnostics.ts";
import { parsedOf } from "../parsed_file.ts";

/** What is said of the names in `daily.md`. */
function diagnosed(
  yaml: string,
  { agentIds = ["daily", "helper"], toolNames = [], isComplete = true, followedBy = () => [] }: {
    agentIds?: string[];
    followedBy?: (id: string) => string[];
    toolNames?: string[];
    isComplete?: boolean;
  } = {},
): string[] {
  const { agent, source } = parsedOf(yaml);
  const knownTools = ["file_read", "file_write"];
  const resources = { problems: [], toolNames, isComplete };
  return diagnoseNames(agent, source, { knownTools, agentIds, resources, followedBy })
    .map((one) => `${one.severity} ${formatDiagnostic(one)}`);
}

Deno.test("diagnoseNames() knows every agent's tools, and those that come with this one", () => {
  const yaml = "confirm: [file_read, search]\nauto_approve: [file_writ]";
  assert.deepEqual(diagnosed(yaml, { toolNames: ["search"] }), [
    'warning daily.md:3:16: auto_approve names an unknown tool: file_writ (did you mean "file_write"?)',
  ]);
  assert.equal(diagnosed(yaml).length, 2);
  for (const every of ['"*"', "all"]) {
    assert.deepEqual(diagnosed(`auto_approve: ${every}`), []);
    assert.deepEqual(diagnosed(`confirm: [${every}]`), []);
  }
});

Deno.test("diagnoseNames() says nothing of names that may be those of tools which cannot be known", () => {
  const yaml =
    "mcp: [files]\ncustom_tools: [file_writer]\nconfirm: [anything, files_read, file_writer]";
  assert.deepEqual(diagnosed(yaml, { isComplete: false }), []);
});

Deno.test("diagnoseNames() warns of what reads like a built-in tool and of what is no name, whatever else there may be", () => {
  assert.deepEqual(diagnosed("confirm: [file_wirte, a.b]", { isComplete: false }), [
    "warning daily.md:2:11: confirm names file_wirte, which is no built-in tool: it means only a tool of your own or of a " +
    'server (did you mean "file_write"?)',
    "warning daily.md:2:23: confirm names a.b, and no tool can have that name",
  ]);
});

Deno.test("diagnoseNames() takes what a server may call its tool as a guard, and not as what is freed", () => {
  const yaml =
    "mcp: [files]\nconfirm: [read.file, files_a/b]\nauto_approve: [read.file, read_file]";
  assert.deepEqual(diagnosed(yaml, { isComplete: false }), [
    "warning daily.md:4:16: auto_approve names read.file, which frees no tool: " +
    "the name that a tool has in a run is made of letters, digits, _ and -, 64 at most",
  ]);
});

Deno.test("diagnoseNames() warns of server/tool where the agent has no such server, and nothing can be meant", () => {
  const yaml = "mcp: [github, '@acme/files']\n" +
    "auto_approve: [github/get_*, '@acme/files/*', githib/*, github/, other/read, get_*]\n" +
    "confirm: [github/delete_*, some/name]";
  assert.deepEqual(diagnosed(yaml, { isComplete: false }), [
    "warning daily.md:3:47: auto_approve names githib/*, and the agent has no MCP server githib " +
    '(did you mean "github"?)',
    "warning daily.md:3:57: auto_approve names no tool of the MCP server github: github/ " +
    "(github/* means all of them)",
    "warning daily.md:3:66: auto_approve names other/read, and the agent has no MCP server other " +
    "(what stands before the slash is a name in `mcp`)",
    "warning daily.md:3:78: auto_approve names get_*, which frees no tool: the name that a tool has in a run is " +
    "made of letters, digits, _ and -, 64 at most (a pattern has the form server/get_*)",
  ]);
  assert.deepEqual(diagnosed("confirm: [github/delete_*]"), [
    "warning daily.md:2:11: confirm names github/delete_*, and the agent has no MCP server github " +
    "(what stands before the slash is a name in `mcp`)",
  ]);
});

Deno.test("diagnoseNames() warns of agents that are not there, and of the agent itself", () => {
  assert.deepEqual(diagnosed("agents: [helper, hlper, daily]"), [
    'warning daily.md:2:18: agents names an unknown agent: hlper (did you mean "helper"?)',
    "warning daily.md:2:25: agents names the agent itself: an agent cannot run itself",
  ]);
});

Deno.test("diagnoseNames() knows an agent in any Unicode spelling of its id", () => {
  assert.deepEqual(diagnosed('agents: ["e\u0301"]', { agentIds: ["\u00e9"] }), []);
});

Deno.test("diagnoseNames() warns of an agent to follow that is unknown, and of circles", () => {
  const follow = (yaml: string, follows: Record<string, string[]> = {}) =>
    diagnosed(yaml, {
      agentIds: ["daily", "helper", "mailer"],
      followedBy: (id) => follows[id] ?? [],
    });
  assert.deepEqual(follow("after: helper"), []);
  assert.deepEqual(follow("after: [helper, { agent: mailr, on: any }]"), [
    'warning daily.md:2:17: after names an unknown agent: mailr (did you mean "mailer"?)',
  ]);
  assert.deepEqual(follow("after: daily"), [
    "warning daily.md:2:8: after names the agent itself: each of its ends would start it again " +
    "(after ten runs in a row the circle is stopped)",
  ]);
  assert.deepEqual(follow("after: helper", { helper: ["mailer"], mailer: ["daily"] }), [
    "warning daily.md:2:8: after leads in a circle: helper follows this agent, directly or through " +
    "others (after ten runs in a row the circle is stopped)",
  ]);
  assert.deepEqual(follow("after: helper", { helper: ["mailer"], mailer: ["helper"] }), []);
});
