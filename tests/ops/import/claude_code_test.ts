import assert from "node:assert/strict";
import { grantsOf, lossesOf, plan, planOne, read } from "./foreign_source.ts";

const REVIEWER = `---
name: code-reviewer
description: Reviews code: use it after changes. Examples: <example>user: "Hi"</example>
tools: Read, Grep, Bash(git log:*), mcp__tracker__list_issues, TodoWrite
model: sonnet
color: blue
hooks: { PreToolUse: [] }
---
You review. Follow @docs/style.md, and never print \${API_KEY} for $1.
`;

Deno.test("a subagent of Claude Code: its tools, model and description become ours, and every loss has a reason", () => {
  const agent = planOne(".claude/agents/reviewer.md", REVIEWER, {
    servers: { tracker: { command: "npx", args: ["tracker"] } },
  });
  assert.equal(agent.id, "code-reviewer");
  assert.deepEqual(agent.settings, {
    description: "Reviews code: use it after changes.",
    model: { provider: "anthropic", name: "claude-sonnet-5-5" },
    tools: [
      "-file_write",
      "-file_edit",
      "-file_delete",
      "-file_move",
      "-file_glob",
      "-http_request",
    ],
  });
  assert.deepEqual(grantsOf(agent), {
    shell: { allow: ["git log *"] },
    mcp: ["tracker/list_issues"],
  });
  const losses = lossesOf(agent).join("\n");
  for (const part of ["TodoWrite", "color: blue", "hooks", "@docs/style.md"]) {
    assert.ok(losses.includes(part), `${part} is not told as lost: ${losses}`);
  }
});

Deno.test("a subagent's text: variables and arguments that Claude Code does not replace stay as they are", () => {
  const { body } = planOne(".claude/agents/reviewer.md", REVIEWER);
  assert.match(body, /print \\\$\{API_KEY\} for \\\$1/);
});

Deno.test("a subagent's text: files that it refers to, and CLAUDE.md, become part of it", () => {
  const { agents } = plan({
    ".claude/agents/reviewer.md": REVIEWER,
    "docs/style.md": "Short sentences. Never ${HOME}.",
    "CLAUDE.md": "Read @AGENTS.md first.",
    "AGENTS.md": "The rules.",
  }, { repository: "/repo" });
  const [{ body } = { body: "" }] = agents;
  assert.match(body, /Follow `docs\/style\.md`, and/);
  assert.match(body, /# The file docs\/style\.md\n\nShort sentences\. Never \\\$\{HOME\}\./);
  assert.match(body, /# The file CLAUDE\.md\n\nRead `AGENTS\.md` first\./);
  assert.match(body, /# The file AGENTS\.md\n\nThe rules\./);
});

Deno.test("a subagent without a list of tools had all of them, so that it wants a shell", () => {
  const agent = planOne(".claude/agents/all.md", "---\nname: all\ndescription: d\n---\nDo.\n");
  assert.deepEqual(agent.settings, { description: "d" });
  assert.deepEqual(grantsOf(agent), { shell: true });
});

Deno.test("an MCP server with the name of an inherited property is lost if there is none", () => {
  const agent = planOne(".claude/agents/a.md", "---\nname: a\nmcpServers: toString\n---\nTell.\n");
  assert.deepEqual(grantsOf(agent)["mcp"], undefined);
  assert.match(lossesOf(agent).join("\n"), /the MCP server toString.*there is no such server/);
});

Deno.test("a mode without questions is a wish for auto_approve, and the plan mode leaves out tools", () => {
  const mode = (permissionMode: string) =>
    planOne(
      ".claude/agents/a.md",
      `---\nname: a\ndescription: d\ntools: Read, Write\npermissionMode: ${permissionMode}\n---\nDo.\n`,
    );
  assert.deepEqual(grantsOf(mode("bypassPermissions")), { auto_approve: "*" });
  assert.deepEqual(grantsOf(mode("acceptEdits")), { auto_approve: ["file_write"] });
  assert.ok(JSON.stringify(mode("plan").settings["tools"]).includes("-file_write"));
});

Deno.test("Task becomes the list of the other agents, and --team an agent that calls all of them", () => {
  const file = (name: string, tools: string) =>
    `---\nname: ${name}\ndescription: Does ${name}\ntools: ${tools}\n---\nDo.\n`;
  const { agents } = plan({
    ".claude/agents/lead.md": file("lead", "Task, Read"),
    ".claude/agents/one.md": file("one", "Read"),
    ".claude/agents/two.md": file("two", "Task(one, gone)"),
    ".claude/commands/go.md": "Go.",
    ".github/workflows/daily.md": "---\non: daily\n---\nDo.\n",
  }, { team: "team" });
  const called = Object.fromEntries(agents.map(({ id, settings }) => [id, settings["agents"]]));
  assert.deepEqual(called, {
    lead: ["one", "two"],
    one: undefined,
    two: ["one"],
    go: undefined,
    daily: undefined,
    team: ["lead", "one", "two"],
  });
  const two = agents.find(({ id }) => id === "two");
  assert.ok(two && lossesOf(two).some((loss) => loss.startsWith("the agent gone")));
});

Deno.test("a slash command: arguments count from 0, and commands in the text are lost", () => {
  const agent = planOne(
    ".claude/commands/git/commit.md",
    "---\nallowed-tools: Bash(git add:*)\nargument-hint: [message]\n---\n" +
      "State: !`git status`. Commit $1 of $ARGUMENTS.\n",
  );
  assert.equal(agent.id, "git-commit");
  assert.match(agent.body, /Commit \$0 of \$ARGUMENTS\./);
  assert.match(agent.body, /run `git status` with the tool shell/);
  assert.ok(lossesOf(agent).some((loss) => loss.startsWith("!`git status`")));
  assert.equal(agent.settings["tools"], undefined);
  assert.deepEqual(grantsOf(agent), { shell: { allow: ["git add *", "git status"] } });
});

Deno.test("a model: without a key of its provider it is left out with the reason; --model holds for all", () => {
  const file = (model: string) =>
    `---\nname: a\ndescription: d\ntools: Read\nmodel: ${model}\n---\nDo.\n`;
  const of = (model: string, around = {}) => planOne("a.md", file(model), around);
  assert.equal(of("inherit").settings["model"], undefined);
  assert.deepEqual(lossesOf(of("inherit")), []);
  assert.equal(of("gpt-5").settings["model"], undefined);
  assert.match(
    lossesOf(of("gpt-5")).join(),
    /no key of openai here; the default anthropic\/claude/,
  );
  const nameless = planOne(".claude/agents/a.md", file("{ size: big }"));
  assert.match(lossesOf(nameless).join(), /model: \{"size":"big"\}: it names no model/);
  assert.match(lossesOf(of("house-model")).join(), /no provider of this model is known/);
  assert.deepEqual(of("anthropic/claude-opus-5-5").settings["model"], {
    provider: "anthropic",
    name: "claude-opus-5-5",
  });
  assert.equal(of("gpt-5", { model: "openai/gpt-5" }).settings["model"], "openai/gpt-5");
});

Deno.test("an id that a file cannot have is changed, and a second agent of the same id gets a number", () => {
  const named = (name: string) => `---\nname: "${name}"\ndescription: d\ntools: Read\n---\nDo.\n`;
  const { agents } = plan({
    "agents/a.md": named("The: Best"),
    "agents/b.md": named("../../etc/passwd"),
    "agents/c.md": named("The: Best"),
    "agents/d.md": named("README"),
  });
  assert.deepEqual(agents.map(({ id }) => id), [
    "The- Best",
    "passwd",
    "The- Best-2",
    "README-agent",
  ]);
});

Deno.test("an agent that exists keeps its file unless it was imported from the same source", () => {
  const file = "---\nname: a\ndescription: d\ntools: Read\n---\nDo.\n";
  const state = (existing: object) =>
    planOne("x.md", file, {
      facts: {
        agents: new Map([["a", {
          path: "/w/agents/a.md",
          isEdited: false,
          settings: {},
          ...existing,
        }]]),
      },
    }).state;
  const mark = { origin: "/repo", path: "x.md", source: "older", written: "" };
  assert.equal(state({}), "taken");
  assert.equal(state({ mark: { ...mark, origin: "/other" } }), "taken");
  assert.equal(state({ mark }), "update");
  assert.equal(state({ mark, isEdited: true }), "edited");
  assert.equal(state({ mark: { ...mark, source: file } }), "same");
  assert.equal(state({ mark: { ...mark, source: file }, isEdited: true }), "same");
  assert.equal(state({ path: "/repo/x.md" }), "own");
});

Deno.test("front matter that is no valid YAML is read line by line", () => {
  const text =
    "---\nname: helper\ndescription: Use it: always\n  and more\ntools: [Read, Grep]\n---\nHelp.\n";
  const { agents, shape } = read("agents/helper.md", text);
  assert.equal(shape, "a subagent of Claude Code");
  assert.equal(agents[0]?.settings["description"], "Use it: always and more");
});
