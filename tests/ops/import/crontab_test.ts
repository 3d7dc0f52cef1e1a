// Tests of the reader of crontabs: lines that run an agent become agents, and every other part is reported.
import assert from "node:assert/strict";
import fc from "fast-check";
import { readForeignFile } from "../../../ops/import/shapes/formats.ts";
import { countCrowded } from "../../../ops/import/spread.ts";
import { grantsOf, lossesOf, plan, planOne, read } from "./foreign_source.ts";

/** Plans the only agent of a crontab. */
const lineOf = (...lines: string[]) => planOne("-", `${lines.join("\n")}\n`);

Deno.test("a line of each known program becomes an agent with the task and the schedule", () => {
  const table: [line: string, task: string][] = [
    ["claude -p 'Tidy the notes'", "Tidy the notes"],
    ['/usr/local/bin/claude --print --output-format json "Tidy the notes"', "Tidy the notes"],
    ["claude 'Tidy the notes' -p --verbose", "Tidy the notes"],
    ["npx -y @anthropic-ai/claude-code@latest -p 'Tidy the notes'", "Tidy the notes"],
    ["copilot -s -p 'Tidy the notes'", "Tidy the notes"],
    ["gemini -s -p 'Tidy the notes'", "Tidy the notes"],
    ["codex exec --json --skip-git-repo-check 'Tidy the notes'", "Tidy the notes"],
    ["gemini -m gemini-3-pro --prompt='Tidy the notes'", "Tidy the notes"],
    ["opencode run --format json Tidy the notes", "Tidy the notes"],
    ["goose run --no-session -t 'Tidy the notes'", "Tidy the notes"],
    ["copilot --no-ask-user -p 'Tidy the notes'", "Tidy the notes"],
    ["copilot -sp 'Tidy the notes'", "Tidy the notes"],
    ["claude -cp 'Tidy the notes'", "Tidy the notes"],
    ["cursor-agent -p --output-format text 'Tidy the notes'", "Tidy the notes"],
    ["llm -s 'Be short.' 'Tidy the notes'", "Be short.\n\nTidy the notes"],
    ["claude -p --append-system-prompt 'Be short.' 'Tidy it'", "Be short.\n\nTidy it"],
    ["claude -p%Read the notes%and tidy them.", "Read the notes\nand tidy them."],
    ["bash -lc \"exec claude -p 'Tidy the notes'\"", "Tidy the notes"],
    ["/usr/bin/flock -n /tmp/lock nice claude -p 'Tidy the notes'", "Tidy the notes"],
    ["ada /usr/bin/claude -p 'Tidy the notes'", "Tidy the notes"],
    ["(claude -p 'Tidy the notes') > /dev/null 2>&1", "Tidy the notes"],
  ];
  for (const [line, task] of table) {
    const agent = lineOf(`30 7 * * 1-5 ${line}`);
    assert.equal(agent.body, task, line);
    assert.deepEqual(agent.settings["trigger"], { type: "schedule", cron: "30 7 * * 1-5" }, line);
    assert.equal(agent.settings["enabled"], false, line);
    assert.equal(agent.replaces, `30 7 * * 1-5 ${line}`);
  }
});

Deno.test("a line that runs no agent is left, with its reason and without its secrets", () => {
  const { agents, left = [] } = read(
    "crontab.txt.cron",
    [
      "# nightly",
      "PATH=/usr/bin:/opt/bin",
      "MAILTO=me@example.com",
      "OPENAI_API_KEY=sk-0123456789",
      "0 3 * * * /opt/backup.sh --token=abc TOKEN=xyz",
      "0 4 * * * pkill claude -p",
      "0 4 * * * echo claude -p",
      "0 4 * * * claude update",
      "0 4 * * * gemini",
      "61 4 * * * claude -p 'Never'",
      "what is this",
      "",
    ].join("\n"),
  );
  assert.deepEqual(agents, []);
  const reasons = left.map(({ what, why }) => `${what}: ${why}`);
  assert.equal(reasons.length, 10);
  assert.deepEqual(reasons.filter((one) => /it calls no agent/.test(one)).length, 5);
  assert.match(reasons.join("\n"), /61 4 .*no schedule that Inkling knows/);
  assert.match(reasons.join("\n"), /what is this: it is no line of a crontab/);
  assert.match(reasons.join("\n"), /notify/);
  assert.doesNotMatch(reasons.join("\n"), /sk-0123|xyz/);
});

Deno.test("nicknames, names of days and CRON_TZ are kept, and @reboot has no trigger", () => {
  const { agents } = plan({
    "-": [
      "@daily claude -p 'One task'",
      "CRON_TZ=Asia/Tokyo",
      "0 9 * JAN-JUN mon,fri claude -p 'Two tasks'",
      "@reboot claude -p 'Three tasks'",
    ].join("\n"),
  });
  assert.deepEqual(agents.map(({ settings }) => settings["trigger"]), [
    { type: "schedule", cron: "@daily" },
    { type: "schedule", cron: "0 9 * JAN-JUN mon,fri", timezone: "Asia/Tokyo" },
    undefined,
  ]);
  assert.match(lossesOf(agents[2] ?? { losses: [] }).join(), /@reboot: nothing starts an agent/);
});

Deno.test("the id and description come from the comment before the line, else from the task", () => {
  const { agents } = plan({
    "-": [
      "# Weekly report of the shop",
      "0 9 * * 1 claude -p 'Do everything.'",
      "0 9 * * 2 claude -p 'Count the orders. Then write.'",
      '0 9 * * 3 claude -p "$(cat ~/tasks/tidy.md)"',
      "0 9 * * 4 claude -p < tasks/morning.md",
      "0 9 * * 5 claude -p%Greet me",
    ].join("\n"),
  });
  assert.deepEqual(agents.map(({ id, settings }) => [id, settings["description"]]), [
    ["weekly-report-of-the-shop", "Weekly report of the shop"],
    ["count-the-orders", "Count the orders."],
    ["tidy", "tidy"],
    ["morning", "morning"],
    ["greet-me", "Greet me"],
  ]);
});

Deno.test("everything around the run in a line is reported", () => {
  const agent = lineOf(
    "NAME=Ada",
    "DB_PASSWORD=secret-value",
    '5 6 * * * cd ~/shop && git pull && MODE=x timeout 10m claude -p "Greet $NAME on $(date +\\%F) ' +
      'for $DB_PASSWORD, $(hostname)" >> log 2>&1 | mail me; curl https://up.example',
  );
  assert.equal(
    agent.body,
    "First run `git pull` with the tool shell, and read its output.\n\n" +
      "Greet Ada on (now) for $DB_PASSWORD, $(hostname)",
  );
  assert.deepEqual(lossesOf(agent), [
    "git pull: no command runs before a run: the agent is told to run it",
    "timeout 10m: the service starts runs: `settings.max_duration` limits one, and none overlaps",
    "MODE=…: write it into agents/_config/.env if a tool of the agent needs it",
    ">> log: inkling logs shows the answers, and `notify` sends them",
    "| mail me: no command follows a run: `after` starts another agent, and `notify` sends a message",
    "; curl https://up.example: no command follows a run: `after` starts another agent, and `notify` sends a message",
    "$DB_PASSWORD: it stays as it is: nothing fills it in before the model reads the text",
    "$(hostname): it stays as it is: nothing fills it in before the model reads the text",
  ]);
  assert.deepEqual(grantsOf(agent), { paths: { work: "~/shop" }, shell: true });
  assert.ok(!JSON.stringify({ ...agent, digest: "" }).includes("secret-value"));
});

Deno.test("the values of keys are in no loss, and a cluster of options is reported", () => {
  const agent = lineOf(
    "0 6 * * * env SHOP_TOKEN=value-1 claude --api-key value-2 -cp 'Do it now'; curl --key=value-3 x",
  );
  assert.deepEqual(agent.losses.map(({ what }) => what), [
    "env SHOP_TOKEN=…",
    "; curl --key=… x",
    "-cp",
    "--api-key …",
  ]);
  assert.ok(!JSON.stringify({ ...agent, digest: "" }).includes("value-"));
});

Deno.test("a file with the task and a pipe become sentences for the agent, and a slash command is reported", () => {
  const file = lineOf("0 6 * * * claude -p < prompts/morning.md");
  assert.equal(file.body, "Read `prompts/morning.md`, and do the task in it.");
  assert.deepEqual(grantsOf(file), { paths: { task1: "~/prompts/morning.md" } });
  const piped = lineOf("0 6 * * * tail -n 100 /var/log/app.log | llm 'Explain the errors'");
  assert.match(
    piped.body,
    /^First run `tail -n 100 .*` with the tool shell, and read its output\./,
  );
  const slash = lineOf("0 6 * * * claude -p '/daily-report'");
  assert.match(lossesOf(slash).join(), /daily-report: it calls a slash command/);
});

Deno.test("the model and lists of tools are read, every other option is lost and gives nothing", () => {
  const line = (command: string) => lineOf(`0 6 * * * ${command}`);
  const claude = line(
    'claude --allowedTools "Read" "Bash(git log:*)" --disallowedTools Write --model opus ' +
      '--max-turns 9 --new-thing x --verbose -p "Do it now"',
  );
  assert.equal(claude.body, "Do it now");
  assert.deepEqual(grantsOf(claude), { shell: { allow: ["git log *"] } });
  assert.deepEqual(claude.settings["tools"], ["-file_write"]);
  assert.deepEqual(claude.settings["model"], { provider: "anthropic", name: "claude-opus-5-5" });
  assert.deepEqual(
    claude.losses.map(({ what }) => what),
    ["--max-turns 9", "--new-thing x", "--verbose"],
  );
  assert.match(lossesOf(claude).join(), /options of Claude Code are not read/);
  for (
    const [command, lost] of [
      ['claude -p "Do it now" --dangerously-skip-permissions', "--dangerously-skip-permissions"],
      ['codex exec --yolo "Do it now"', "--yolo"],
      ['codex exec -s danger-full-access "Do it now"', "-s danger-full-access"],
      ['codex exec --full-auto "Do it now"', "--full-auto"],
      ['gemini -y -p "Do it now"', "-y"],
      ['gemini --approval-mode=yolo -p "Do it now"', "--approval-mode yolo"],
      ['copilot --allow-all-tools -p "Do it now"', "--allow-all-tools"],
      ['cursor-agent -p --force "Do it now"', "--force"],
      ['goose run --recipe ~/night.yaml -t "Do it now"', "--recipe ~/night.yaml"],
    ] as const
  ) {
    const agent = line(command);
    assert.equal(agent.body, "Do it now", command);
    assert.deepEqual(agent.losses.map(({ what }) => what), [lost]);
    assert.deepEqual(agent.grants, [], command);
    assert.equal(agent.settings["tools"], undefined, command);
  }
  // Without one of these options, Codex changes no file.
  assert.deepEqual(line('codex exec -C ~/api "Do it now"').settings["tools"], [
    ...["-file_write", "-file_edit", "-file_delete", "-file_move"],
  ]);
});

Deno.test("thirty agents at the full hour get different minutes if they are spread", () => {
  const lines = Array.from(
    { length: 30 },
    (_, index) => `0 ${index % 24} * * * claude -p 'Task number ${index}'`,
  );
  const files = {
    "-": [...lines, "@hourly claude -p 'Each hour'", "7 7 * * * claude -p 'Alone here'"].join("\n"),
  };
  const cronsOf = (spread: boolean) =>
    plan(files, { spread }).agents.map(({ settings }) =>
      String((settings["trigger"] as { cron: string }).cron)
    );
  assert.equal(plan(files).crowded, 31);
  assert.deepEqual(new Set(cronsOf(false).map((cron) => cron.split(" ")[0])).size, 3);
  const crons = cronsOf(true);
  const minutes = crons.map((cron) => Number(cron.split(" ")[0]));
  assert.equal(new Set(minutes).size, 32);
  assert.ok(minutes.every((minute) => minute >= 0 && minute < 60));
  assert.equal(crons[5], "5 5 * * *");
  assert.equal(crons.at(-1), "7 7 * * *");
  assert.equal(countCrowded([]), 0);
});

Deno.test("a text that is no crontab has another reader or none", () => {
  assert.throws(() => read("-", "---\nname: a\n---\n0 3 * * * claude -p 'x y'\n"), /No shape fits/);
  assert.throws(() => read("-", "Just some notes.\n"), /No shape fits/);
  assert.throws(() => read("notes.md", "0 3 * * * claude -p 'x y'\n"), /No shape fits/);
});

Deno.test("the reader of crontabs accepts any text, and every line of an agent has a text and a source", () => {
  const parts = [
    "claude -p ",
    "codex exec ",
    "bash -lc '",
    '"',
    "'",
    "`",
    "$(",
    ")",
    "$X",
    "%",
    "\\",
    "|",
    "&&",
  ];
  const command = fc.array(fc.oneof(fc.constantFrom(...parts), fc.string({ maxLength: 6 })));
  fc.assert(fc.property(fc.array(command), (lines) => {
    const text = lines.map((line) => `0 1 * * * ${line.join("")}`).join("\n");
    const { agents, left = [] } = readForeignFile("-", text) ?? { agents: [] };
    for (const { replaces = "", body, id } of agents) {
      assert.ok(text.includes(replaces) || /KEY|TOKEN|SECRET|PASS/i.test(text));
      assert.equal(typeof body, "string");
      assert.notEqual(id, "");
    }
    for (const { what, why } of left) assert.ok(what !== "" && why !== "");
  }));
});
