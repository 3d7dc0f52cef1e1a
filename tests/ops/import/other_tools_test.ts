import assert from "node:assert/strict";
import { parse } from "../../runtime/agents/parsed_file.ts";
import { compose } from "../../../ops/import/agent_importer.ts";
import { readForeignFile } from "../../../ops/import/shapes/formats.ts";
import { readFuzzySchedule } from "../../../ops/import/reading/schedule_words.ts";
import { readToolSpec, toCommandPattern } from "../../../ops/import/reading/tool_names.ts";
import { grantsOf, lossesOf, plan, planOne, read } from "./foreign_source.ts";

const WRITERS_OUT = ["-file_write", "-file_edit"];

Deno.test("an agent of opencode: permissions become tools to leave out, questions and a shell", () => {
  const agent = planOne(
    "writer.md",
    "---\ndescription: Writes pages\nmode: subagent\ntemperature: 0.1\nsteps: 5\n" +
      'permission: { edit: deny, webfetch: ask, bash: { "git *": allow, "git push": deny, "*": ask } }\n' +
      "---\nWrite pages for $1.\n",
  );
  assert.equal(agent.shape, "an agent of opencode");
  assert.deepEqual(agent.settings, {
    description: "Writes pages",
    settings: { temperature: 0.1, max_tool_calls: 5 },
    confirm: ["http_request"],
    tools: WRITERS_OUT,
  });
  assert.deepEqual(grantsOf(agent), { shell: { allow: ["git *"], deny: ["git push"] } });
  assert.match(agent.body, /for \\\$1\./);
});

Deno.test("an agent of opencode that may do everything only wants it", () => {
  const agent = planOne(
    ".opencode/agent/free.md",
    "---\ndescription: d\npermission: { edit: allow, bash: allow }\ntools: { webfetch: false }\n---\nDo.\n",
  );
  assert.deepEqual(agent.settings, { description: "d", tools: ["-http_request"] });
  assert.deepEqual(grantsOf(agent), {
    shell: true,
    auto_approve: ["file_edit", "file_write", "shell"],
  });
});

Deno.test("a GitHub Agentic Workflow: the schedule becomes a trigger that is switched off, and GitHub's parts are lost", () => {
  const agent = planOne(
    ".github/workflows/report.md",
    "---\non:\n  schedule: daily on weekdays\n  issues: { types: [opened] }\npermissions: read-all\n" +
      "network: { allowed: [defaults] }\nsafe-outputs: { create-issue: {} }\ntimeout-minutes: 10\n" +
      'engine: { id: claude, model: sonnet }\ntools: { github: {}, bash: ["git log:*"], edit: }\n---\n' +
      "Look at ${{ github.repository }}.\n",
  );
  assert.equal(agent.settings["enabled"], false);
  assert.match(
    JSON.stringify(agent.settings["trigger"]),
    /"cron":"\d+ \d+ \* \* 1-5","timezone":"UTC"/,
  );
  assert.deepEqual(agent.settings["settings"], { max_duration: "10m" });
  assert.deepEqual(grantsOf(agent), { shell: { allow: ["git log *"] } });
  const losses = lossesOf(agent).join("\n");
  for (
    const part of [
      "issues",
      "permissions",
      "network",
      "safe-outputs",
      "server github",
      "${{ github",
    ]
  ) {
    assert.ok(losses.includes(part), `${part} is not among the losses: ${losses}`);
  }
});

Deno.test("an agent of Copilot: groups of tools, servers, models in order, and hand-offs", () => {
  const { agents } = plan({
    "plan.agent.md":
      "---\ndescription: Plans\ntools: ['search', 'web/fetch', 'tracker/*', 'vscode/runCommand']\n" +
      "model: ['GPT-5', 'Claude Sonnet 4.5']\nargument-hint: what\n" +
      "handoffs: [{ label: Go, agent: build, prompt: Do }]\n---\nPlan ${input:feature:which one}.\n",
    ".github/chatmodes/build.chatmode.md": "---\ndescription: Builds\n---\nBuild.\n",
  }, { facts: { servers: new Set(["tracker"]) } });
  const [first, second] = agents;
  assert.ok(first && second);
  assert.equal(first.id, "plan");
  assert.deepEqual(first.settings["model"], { provider: "anthropic", name: "claude-sonnet-4-5" });
  assert.deepEqual(first.settings["agents"], ["build"]);
  assert.deepEqual(first.settings["tools"], [
    ...["-file_read", ...WRITERS_OUT, "-file_delete", "-file_move"],
  ]);
  assert.deepEqual(grantsOf(first), { mcp: ["tracker"] });
  assert.match(lossesOf(first).join(), /vscode\/runCommand: it belongs to an editor/);
  assert.match(first.body, /Plan \$0\./);
  assert.equal(second.id, "build");
  assert.deepEqual(grantsOf(second), { shell: true });
});

Deno.test("the links and #file: references of Copilot's files add their files, and missing files are losses", () => {
  const text =
    "Follow [the style](../docs/style.md#names), #file:docs/api.md and [more](gone.md). " +
    "See [the page](https://example.com/a.md), [above](#top) and ![picture](a.png).\n";
  const files = {
    "docs/style.md": "Short names.",
    "docs/api.md": "Two calls.",
    "prompts/a.prompt.md": text,
    ".claude/agents/b.md": `---\nname: b\ndescription: d\ntools: Read\n---\n${text}`,
  };
  const [copilot, claude] = plan(files).agents;
  assert.ok(copilot && claude);
  assert.match(copilot.body, /^Follow the style \(`docs\/style\.md`\), `docs\/api\.md` and more/);
  assert.match(copilot.body, /\[the page\]\(https:.*\[above\]\(#top\) and !\[picture\]\(a\.png\)/);
  assert.match(copilot.body, /# The file docs\/style\.md\n\nShort names\./);
  assert.deepEqual(lossesOf(copilot), ["#file:gone.md: the source has no such file"]);
  assert.match(claude.body, /^Follow \[the style\]\(\.\.\/docs\/style\.md#names\)/);
});

Deno.test("a recipe of goose: parameters, extensions, the model and the schema of the answer", () => {
  const agent = planOne(
    "recipes/digest.yaml",
    "version: 1.0.0\ntitle: Digest\ndescription: Sums up\ninstructions: Read {{ topic }} in {{ lang }}.\n" +
      "prompt: Sum up.\nparameters:\n  - { key: topic, requirement: required }\n" +
      "  - { key: lang, requirement: optional, default: English }\nactivities: [x]\n" +
      "extensions:\n  - { type: builtin, name: developer }\n  - { type: builtin, name: computercontroller }\n" +
      "  - { type: stdio, name: feeds, cmd: feeds-server, args: [--all], env_keys: [FEED_KEY] }\n" +
      "settings: { goose_provider: anthropic, goose_model: claude-opus-5-5, temperature: 0.2 }\n" +
      "response: { json_schema: { type: object, properties: { a: { type: string } } } }\n",
  );
  assert.equal(agent.id, "digest");
  assert.match(agent.body, /^Read \$0 in English\.\n\nSum up\.$/);
  assert.deepEqual(agent.settings["model"], { provider: "anthropic", name: "claude-opus-5-5" });
  assert.deepEqual(agent.settings["output"], {
    schema: { type: "object", properties: { a: { type: "string" } } },
  });
  assert.deepEqual(grantsOf(agent), { shell: true, mcp: ["feeds"] });
  assert.match(
    lossesOf(agent).join(),
    /computercontroller.*activities|activities.*computercontroller/,
  );
});

Deno.test("a command of Gemini and an agent of Codex, in TOML", () => {
  const command = planOne(
    ".gemini/commands/git/fix.toml",
    'description = "Fixes"\nprompt = """\nFix {{args}} after !{git status}, as in @{docs/a.md}.\n"""\n',
  );
  assert.equal(command.id, "git-fix");
  assert.match(command.body, /Fix \$ARGUMENTS after \(run `git status`/);
  assert.deepEqual(grantsOf(command), { shell: { allow: ["git status"] } });
  assert.match(lossesOf(command).join(), /@\{docs\/a\.md\}: the source has no such file/);
  const agent = planOne(
    ".codex/agents/scout.toml",
    'name = "scout"\ndescription = "Looks"\ndeveloper_instructions = "Look."\nmodel = "gpt-5"\n' +
      'sandbox_mode = "read-only"\nmodel_reasoning_effort = "high"\n[mcp_servers.files]\ncommand = "files"\n',
  );
  assert.deepEqual(agent.settings["tools"], [...WRITERS_OUT, "-file_delete", "-file_move"]);
  assert.deepEqual(grantsOf(agent), { mcp: ["files"] });
  const free = planOne(
    ".codex/agents/free.toml",
    'name = "free"\ndeveloper_instructions = "Do."\nsandbox_mode = "danger-full-access"\n',
  );
  assert.deepEqual(grantsOf(free), { shell: true, auto_approve: "*" });
});

Deno.test("a rule of Cursor is a prompt only if it is for no files", () => {
  assert.equal(
    read("a.mdc", "---\ndescription: d\nglobs:\nalwaysApply: false\n---\nDo.\n").agents.length,
    1,
  );
  const rule = read("b.mdc", "---\nglobs: '*.ts'\n---\nDo.\n");
  assert.deepEqual(rule.agents, []);
  assert.match(rule.left?.[0]?.why ?? "", /a rule for other texts/);
});

Deno.test("texts that are no files of other tools have no shape", () => {
  const texts: [string, string][] = [
    ["README.md", "# A project\n"],
    ["docs/commands/run.md", "# The command run\n"],
    [
      "agents/daily.md",
      "---\ndescription: Mine\ntrigger: { type: schedule, every: 1d }\n---\nDo.\n",
    ],
    ["package.json", '{ "name": "x", "description": "y" }'],
    ["config.yaml", "title: x\n"],
    ["a.toml", "broken = = 1"],
  ];
  for (const [path, text] of texts) {
    assert.equal(readForeignFile(path, text)?.name, undefined, path);
  }
});

Deno.test("readFuzzySchedule() understands the words of workflows; the open time is the same for one file", () => {
  const cron = (text: string) => readFuzzySchedule(text, "file")?.["cron"];
  assert.equal(cron("daily at 14:00 utc+9"), "0 5 * * *");
  assert.equal(cron("weekly on monday at 08:00 utc+05:30"), "30 2 * * 1");
  assert.equal(cron("weekly on monday at 1am utc+3"), "0 22 * * 0");
  assert.equal(cron("monthly on 15 at 9am"), "0 9 15 * *");
  assert.equal(cron("0 9 * * 1"), "0 9 * * 1");
  assert.deepEqual(readFuzzySchedule("every 10 minutes", ""), { every: "10m" });
  assert.deepEqual(readFuzzySchedule("every 2w", ""), { every: "14d" });
  assert.equal(cron("daily"), cron("daily"));
  assert.notEqual(
    readFuzzySchedule("daily", "one")?.["cron"],
    readFuzzySchedule("daily", "two")?.["cron"],
  );
  for (
    const text of [
      "hourly",
      "daily around noon",
      "daily between 22:00 and 02:00",
      "every 2h on weekdays",
    ]
  ) {
    assert.match(String(cron(text)), /^\S+ \S+ \* \* \S+$/, text);
  }
  for (
    const text of [
      ...["", "sometimes", "daily at 25:00", "monthly on 40", "weekly on someday"],
      ...["2026-01-01 - name: [] .nan", "60 * * * *", "every 90m on weekdays"],
      "every 9999999 weeks",
    ]
  ) assert.equal(readFuzzySchedule(text, ""), undefined, text);
});

Deno.test("readToolSpec() and toCommandPattern() read the notations of all tools", () => {
  const of = (text: string) => {
    const spec = readToolSpec(text);
    return spec.kind === "builtin"
      ? spec.tools.join()
      : spec.kind === "server"
      ? spec.entry
      : spec.kind;
  };
  assert.equal(of("mcp__github__get_issue"), "github/get_issue");
  assert.equal(of("mcp__github"), "github");
  assert.equal(of("github/*"), "github");
  assert.equal(of("search/codebase"), "file_search");
  assert.equal(of("read_file"), "file_read");
  assert.equal(of("run_shell_command(git)"), "shell");
  assert.equal(of("publisher.extension/tool"), "unknown");
  assert.equal(of("*"), "every");
  for (const name of ["__proto__", "constructor", "toString"]) assert.equal(of(name), "unknown");
  assert.equal(toCommandPattern("git log:*"), "git log *");
  assert.equal(toCommandPattern("*"), "*");
});

Deno.test("the text of an imported agent is a valid agent file, with every permission and with none", () => {
  const files = {
    ".claude/agents/a.md":
      "---\nname: a\ndescription: 'x: \"y\"'\npermissionMode: bypassPermissions\n---\n---\nfoo: 1\n---\nDo.\n",
    ".github/workflows/b.md": "---\non: weekly\n---\nDo.\n",
    "c.agent.md": "---\ntools: ['agent', 'execute']\n---\n",
  };
  const { agents, permissions } = plan(files, { repository: "/repo" });
  for (const agent of agents) {
    for (const given of [[], permissions]) {
      const text = compose(agent, given);
      const parsed = parse(text, { name: `${agent.id}.md` });
      assert.ok("agent" in parsed, `${text}\n${JSON.stringify(parsed)}`);
    }
  }
});

Deno.test("opencode.json: its agents and commands are read, its files are added, and the rest is left", () => {
  const config = {
    $schema: "https://opencode.example/config.json",
    model: "anthropic/claude-sonnet-5-5",
    agent: {
      checker: { description: "Checks links", prompt: "{file:./prompts/check.md}" },
      namer: { description: "Finds names", prompt: "Propose names.", model: "openai/gpt-5" },
    },
    command: { sum: { template: "Sum up $ARGUMENTS.", description: "Sums up" } },
    provider: {},
  };
  const text = `// Settings.\n${JSON.stringify(config)}`;
  const { agents } = plan({ "opencode.json": text, "prompts/check.md": "Check every link." });
  const [checker, namer, sum] = agents;
  assert.match(checker?.body ?? "", /`prompts\/check\.md`[^]*Check every link\./);
  assert.deepEqual(checker?.settings["model"], {
    provider: "anthropic",
    name: "claude-sonnet-5-5",
  });
  assert.deepEqual(checker && grantsOf(checker), { shell: true });
  assert.match(namer && lossesOf(namer).join() || "", /model: openai\/gpt-5/);
  assert.equal(sum?.body, "Sum up $ARGUMENTS.");
  assert.equal(sum?.isCommand, true);
  const { left = [] } = read("opencode.json", text);
  assert.deepEqual(left.map(({ what }) => what), ["opencode.json: provider"]);
  assert.throws(() => read("opencode.json", '{ "model": "x" }'), /No shape fits/);
});

Deno.test("the names in a prompt of Codex are arguments, and $$ is a dollar", () => {
  const { body, changes } = planOne(".codex/prompts/a.md", "Change $FILES to $TITLE for $$5.\n");
  assert.equal(body, "Change $0 to $1 for \\$5.");
  assert.deepEqual(changes.map(({ what }) => what), ["$FILES", "$TITLE", "$$"]);
});
