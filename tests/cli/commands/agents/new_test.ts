import assert from "node:assert/strict";
import { join } from "node:path";
import { readSchedule } from "../../../../cli/new/spoken_schedule.ts";
import { OTHER_PROVIDER } from "../../../../cli/prompting/provider_questions.ts";
import { OpenAiServer, type OpenAiStep } from "../../../support/models/openai_server.ts";
import { settle } from "../../../support/test_clock.ts";
import { CTRL_C, ESC } from "../../fake_input.ts";
import { assertPicture } from "../../picture.ts";
import { createSetupWorld, type SetupWorld } from "../../setup_world.ts";

const GOOD = `---
description: Sums up the day
trigger: {type: schedule, cron: "0 18 * * *"}
---

Read \`notes.md\` and sum it up.
`;
const ANSWERS = ["", "", "manual", "", ""];
const LINES = ["Do it."];

const agentFile = (world: SetupWorld, id = "daily") =>
  world.read(join(world.agentsDir, `${id}.md`));

/** Returns the messages of a recorded request to the model. */
const messagesOf = (server: OpenAiServer, request: number) =>
  (server.request(request).body as { messages: { role: string; content: string }[] }).messages;

async function createModelWorld(server: OpenAiServer): Promise<SetupWorld> {
  return await createSetupWorld({
    config: `defaults: {provider: elsewhere, model: tiny, base_url: "${server.url}"}\n`,
    shell: { ELSEWHERE_API_KEY: "sk-0123456789" },
  });
}

Deno.test("new asks questions if no model is configured, and writes the answers", async (t) => {
  await using world = await createSetupWorld();
  const { cli } = world;
  const paths = ["notes, ~/x: y", "notes,out"];
  const trigger = ["schedule", "30 8 * * 1-5", "parallel"];
  cli.input.answers = ["describe", 'Sums: "up" #1', "", ...trigger, ...paths];
  cli.input.lines = ["Sum up.", "", "", "- briefly", ""];
  assert.equal(await cli.run("new", "my agent"), 0);
  await assertPicture(t, await agentFile(world, "my agent"), import.meta.url);
  assert.match(cli.stderr.text, /No model is configured[^]*inkling\s+setup/);
  assert.match(cli.stdout.text, /✔ .*\/my agent\.md\n/);
  assert.match(cli.stdout.text, /\nRun it: inkling run "my agent"\n$/);
  // The note on path limits precedes the question about paths.
  assert.match(cli.stdout.text.replaceAll(/\s+/g, " "), /can read and write only the paths/);
  const [note = ""] =
    /^The agent can read and write[^]*whole\s+workspace\.$/m.exec(cli.stdout.text) ?? [];
  assert.ok(note.includes("\n"));
  for (const line of note.split("\n")) assert.ok(line.length <= 80, line);
});

Deno.test("new rejects an answer that the file's parser rejects", async () => {
  await using world = await createSetupWorld();
  const { cli } = world;
  const model = [OTHER_PROVIDER, "mine", "nowhere", "http://127.0.0.1:9", "", "m"];
  const trigger = ["schedule", "5", "99 * * * *", "5m", "approve"];
  cli.input.answers = ["", ...model, ...trigger, "agents/x", ".env", "a", ""];
  cli.input.lines = [...LINES];
  assert.equal(await cli.run("new", "daily", "-t"), 0);
  assert.deepEqual(cli.input.answers, []);
  const problems = cli.stderr.text.split("\n").filter((line) => line.startsWith("Error: "));
  assert.equal(problems.length, 6, cli.stderr.text);
  assert.match(
    await agentFile(world),
    /name: m\n {2}base_url: http:\/\/127\.0\.0\.1:9\n[^]*every: 5m\n[^]*auto_approve:\n {2}- file_delete\n {2}- file_write\n---/,
  );
});

Deno.test("readSchedule() reads intervals, cron expressions and words", () => {
  const table = {
    "every 30m": { every: "30m" },
    "every hour": { every: "1h" },
    "30 8 * * 1-5": { cron: "30 8 * * 1-5" },
    "daily at noon": { cron: "0 12 * * *" },
    "Mondays and fri at 5:30 pm": { cron: "30 17 * * 1,5" },
  };
  for (const [text, schedule] of Object.entries(table)) {
    assert.deepEqual(readSchedule(text), schedule, text);
  }
  for (
    const text of [
      "sometimes",
      "daily at 25",
      "daily at constructor",
      "fri at 13 pm",
      "every moonday at 8",
    ]
  ) {
    assert.equal(readSchedule(text), undefined, text);
  }
});

Deno.test("new accepts schedules in words, webhooks and other agents, and describes the trigger", async () => {
  for (
    const [answers, file, told] of [
      [["schedule", "every weekday at 8"], /cron: 0 8 \* \* 1-5/, /by cron 0 8 .*, next at 20/],
      [["schedule", "sometimes", "every 2 hours"], /every: 2h/, /every 2h, next at 20/],
      [
        ["watch", "", "inbox, *.md"],
        /trigger:\n {2}type: watch\n {2}paths:\n {4}- inbox\n {4}- "\*\.md"\nconfirm:/,
        /when a file changes in \S*inbox/,
      ],
      [
        ["webhook", "token", "DOOR"],
        /scheme: token\n {2}secret: DOOR/,
        /for the sender: \S+\/hooks\/daily .*DOOR/,
      ],
      [
        ["change", "https://example.com/news", "2h"],
        /type: change\n {2}url: https:\/\/example.com\/news\n {2}every: 2h/,
        /when https:\/\/example.com\/news changes, checked every 2h/,
      ],
      [["after", "", "reporter, b"], /after:\n {2}- reporter\n {2}- b\n/, /reporter or b ends/],
    ] as const
  ) {
    await using world = await createSetupWorld();
    const { cli } = world;
    cli.input.answers = ["describe", "", "", ...answers, "wait", "", ""];
    cli.input.lines = [...LINES];
    assert.equal(await cli.run("new", "daily"), 0);
    assert.match(await agentFile(world), file);
    const shown = cli.stdout.text.replaceAll(/\s+/g, " ");
    assert.match(shown, new RegExp(`It runs [^]*${told.source}`));
    assert.match(shown, /It needs the service: inkling start -d/);
    assert.equal(
      /This is not a schedule\. Write/.test(cli.stderr.text),
      answers.includes("sometimes" as never),
    );
  }
});

Deno.test("new asks for the account, the folder and the senders of a mail trigger", async () => {
  await using world = await createSetupWorld({
    config: `mail:
  home: { address: a@b.example, imap: "imap.b.example:993", smtp: "smtp.b.example:465", password_env: P, auth_server: mx.b.example }
`,
    shell: { P: "secret" },
  });
  const { cli } = world;
  const trigger = ["mail", "home", "Bills", "bob@example.org, *@example.com"];
  cli.input.answers = ["describe", "", "", ...trigger, "wait", "", ""];
  cli.input.lines = [...LINES];
  assert.equal(await cli.run("new", "daily"), 0, cli.stderr.text);
  assert.match(
    await agentFile(world),
    /type: mail\n {2}account: home\n {2}folder: Bills\n {2}from:\n {4}- bob@example.org\n {4}- "\*@example.com"/,
  );
  assert.match(cli.stdout.text, /It runs when a mail arrives in Bills of home/);
});

Deno.test("new saves nothing if the user leaves any question", async () => {
  await using world = await createSetupWorld();
  const { cli } = world;
  for (let count = 0; count < ANSWERS.length; count++) {
    cli.stderr.text = "";
    cli.input.answers = [...ANSWERS.slice(0, count), count % 2 === 0 ? CTRL_C : ESC];
    assert.equal(await cli.run("new", "daily", "-t"), 130);
    assert.deepEqual(world.files(), []);
    assert.equal(cli.stderr.text, "Nothing was saved\n");
  }
  cli.input.answers = [...ANSWERS];
  cli.input.lines = ["Half a", CTRL_C];
  assert.equal(await cli.run("new", "daily", "-t"), 130);
  assert.deepEqual(world.files(), []);
});

Deno.test("new rejects an invalid or used id before the first question", async () => {
  await using world = await createSetupWorld();
  const { cli } = world;
  await Deno.mkdir(world.agentsDir, { recursive: true });
  await Deno.writeTextFile(join(world.agentsDir, "caf\u00e9.md"), "Mine.\n");
  const table: [string, RegExp][] = [
    ["a/b", /The id "a\/b" must hold only letters/],
    ["daily.md", /, not "\."; leave \.md out/],
    [" x", /must not begin or end with a space/],
    ["README", /README\.md in .* is never an agent/],
    ["cafe\u0301", /The agent ".*" exists already: .*\/agents\/caf/],
  ];
  for (const [id, message] of table) {
    cli.stderr.text = "";
    assert.equal(await cli.run("new", id, "--prompt", "x"), 2);
    assert.match(cli.stderr.text.replaceAll(/\s+/g, " "), message);
  }
  assert.equal(await agentFile(world, "caf\u00e9"), "Mine.\n");
});

Deno.test("new with --prompt asks no questions: every field has an option", async (t) => {
  await using world = await createSetupWorld({ hasPerson: false });
  const { cli } = world;
  const flags = ["--description", "D", "--provider", "openai", "--model", "m", "--watch", "in box"];
  const paths = ["--watch", "b", "--path", "in box", "--path", "~/out"];
  const more = [...paths, "--base-url", "http://[::1]:1"];
  assert.equal(await cli.run("new", "all", "--prompt", "Do\nit.", ...flags, ...more), 0);
  await assertPicture(t, await agentFile(world, "all"), import.meta.url);
  // A missing key and a missing path cause only warnings; the file is saved.
  assert.match(cli.stderr.text, /Warning: Line \d+: The key of model openai\/m is missing/);
  cli.input.lines = ["Out of", "", "a file"];
  assert.equal(await cli.run("new", "piped", "-q", "--every", "5m", "--prompt", "-"), 0);
  assert.match(await agentFile(world, "piped"), /every: 5m\n---\n\nOut of\n\na file\n$/);
  assert.match(cli.stdout.text, /\n\/.*\/agents\/piped\.md\n$/);
});

Deno.test("new prints a valid command that runs the agent", async () => {
  const table = [
    ["daily", "daily"],
    ["my agent", '"my agent"'],
    ["-x", "-- -x"],
    ["--my agent", '-- "--my agent"'],
    // A negative number is read as a number, not as an option.
    ["-5", "-5"],
  ] as const;
  await using world = await createSetupWorld({ hasPerson: false });
  for (const [id, words] of table) {
    assert.equal(await world.cli.run("new", "--prompt", "x", "--", id), 0, world.cli.stderr.text);
    assert.match(world.cli.stdout.text, new RegExp(`\nRun it: inkling run ${words}\n$`));
  }
});

Deno.test("new takes the provider from --model provider/name", async () => {
  await using world = await createSetupWorld({ hasPerson: false });
  assert.equal(await world.cli.run("new", "daily", "--prompt", "x", "--model", "ollama/a/b"), 0);
  assert.match(await agentFile(world), /^model:\n {2}provider: ollama\n {2}name: a\/b$/m);
});

Deno.test("new rejects options that make no valid agent, and saves nothing", async () => {
  const table: [string[], RegExp][] = [
    [["--prompt", " \n"], /The system prompt is empty/],
    [["--prompt", "x", "--every", "5"], /trigger\.every must be an interval/],
    [["--prompt", "x", "--cron", "* *"], /trigger\.cron must have five fields/],
    [["--prompt", "x", "--every", "now and then"], /trigger\.every must be an interval/],
    [["--prompt", "x", "--every", "5m", "--cron", "* * * * *"], /cannot be used with/],
    [["--template", "--prompt", "x"], /'-t, --template' cannot be used with option '--prompt/],
    [["--prompt", "x", "--path", "agents"], /must not lead into the agents directory/],
    [["--prompt", "x", "--provider", "openai"], /--provider needs --model/],
    [["--prompt", "x", "--model", "m"], /--model needs --provider/],
    [["--prompt", "x", "--provider", "mine", "--model", "m"], /model\.provider must be/],
    [[], /Cannot ask questions: .*--prompt/],
  ];
  await using world = await createSetupWorld({ hasPerson: false });
  for (const [flags, message] of table) {
    world.cli.stderr.text = "";
    assert.equal(await world.cli.run("new", "daily", ...flags), 2, flags.join(" "));
    assert.match(world.cli.stderr.text, message);
    assert.deepEqual(world.files(), []);
  }
});

Deno.test("new shows the model's file, and saves it after a confirmation", async () => {
  await using server = new OpenAiServer([{
    text: `Here you are:\n\n\`\`\`markdown\n${GOOD}\`\`\`\n`,
  }]);
  await using world = await createModelWorld(server);
  const { cli } = world;
  cli.input.answers = ["describe", "Sum up my notes every evening", "save"];
  assert.equal(await cli.run("new", "daily"), 0);
  server.assertDone();
  assert.equal(await agentFile(world), GOOD);
  assert.ok(cli.stdout.text.includes(GOOD));
  const messages = messagesOf(server, 0);
  assert.deepEqual(messages.map(({ role }) => role), ["system", "user"]);
  assert.match(messages[1]?.content ?? "", /"daily"[^]*Sum up my notes every evening/);
});

Deno.test("new shows the whole draft before it is saved, with escaped characters", async () => {
  const hidden = "Read\u{e0061}\u200b";
  await using server = new OpenAiServer([{ text: GOOD.replace("Read", hidden) }]);
  await using world = await createModelWorld(server);
  world.cli.input.answers = ["describe", "It", "cancel"];
  assert.equal(await world.cli.run("new", "daily"), 130);
  assert.ok(
    world.cli.stdout.text.includes("Read\\udb40\\udc61\\u200b `notes.md`"),
    world.cli.stdout.text,
  );
});

Deno.test("new sends the errors of a draft to the model once", async () => {
  await using server = new OpenAiServer([
    { text: "---\ntrigger: {type: schedule}\n---\nGo.\n" },
    { text: GOOD },
  ]);
  await using world = await createModelWorld(server);
  world.cli.input.answers = ["save"];
  assert.equal(await world.cli.run("new", "daily", "--description", "Sum up"), 0);
  server.assertDone();
  const messages = messagesOf(server, 1);
  assert.deepEqual(messages.map(({ role }) => role), ["system", "user", "assistant", "user"]);
  assert.match(messages[3]?.content ?? "", /Line 2: A schedule needs exactly one of/);
  assert.equal(await agentFile(world), GOOD);
});

const fileOf = (head: string, prompt = "Go.") => ({ text: `---\n${head}\n---\n${prompt}\n` });
const BROKEN = fileOf("trigger: {type: shedule}");
const UNSAFE = fileOf("auto_approve: '*'");
const THIEF = fileOf(
  "model: {provider: openai, name: m, api_key_env: PATH, base_url: 'http://x.example'}",
);
const HIDDEN = fileOf("description: a", "Go.\u001b[8m Secretly.\u001b[0m");
const REFUSAL = { text: "I cannot help with that." };
const EMPTY = { text: "---\n---\n" };

const FALLBACKS: [what: string, steps: OpenAiStep[], RegExp][] = [
  ["a broken file", [BROKEN, BROKEN], /not a valid agent file: Line 2: trigger\.type must be/],
  ["no file", [REFUSAL, REFUSAL], /not a valid agent file: The reply is not an agent file/],
  ["a refusal", [{ text: "No.", finish: "content_filter" }], /it refuses: No\./],
  ["half a file", [{ text: GOOD, finish: "length" }], /its reply is longer than 4096 tokens/],
  ["a file that approves everything", [UNSAFE, UNSAFE], /Leave auto_approve out/],
  ["a file that sends a key elsewhere", [THIEF, THIEF], /Leave model\.base_url out/],
  ["a file with hidden text", [HIDDEN, HIDDEN], /invisible control characters/],
  ["an empty prompt", [EMPTY, EMPTY], /The system prompt is empty/],
  ["an error", [{ status: 401, body: "{}" }], /elsewhere answered 401/],
];

Deno.test("new asks the questions if the model's answer is no agent file", async () => {
  await using server = new OpenAiServer(FALLBACKS.flatMap(([, steps]) => steps));
  await using world = await createModelWorld(server);
  const { cli } = world;
  for (const [what, , reason] of FALLBACKS) {
    cli.stderr.text = "";
    cli.input.answers = ["describe", "What it does", CTRL_C];
    assert.equal(await cli.run("new", "daily"), 130, what);
    const shown = cli.stderr.text.replaceAll(/\s+/g, " ");
    assert.match(shown, reason, what);
    assert.match(shown, /elsewhere\/tiny did not produce .* Answer these questions instead/, what);
  }
  server.assertDone();
  assert.deepEqual(cli.input.asked.at(-1)?.message, "One-line description");
});

Deno.test("new keeps the last draft if the model fails to change it", async () => {
  const other = GOOD.replace("Sums up the day", "Another");
  await using server = new OpenAiServer([
    { text: GOOD },
    { text: other },
    { status: 400, body: "{}" },
    { text: GOOD },
  ]);
  await using world = await createModelWorld(server);
  const changes = ["change", "Not the day", "change", "More"];
  world.cli.input.answers = ["describe", "It", ...changes, "again", "save"];
  assert.equal(await world.cli.run("new", "daily"), 0);
  server.assertDone();
  const messages = messagesOf(server, 1);
  assert.deepEqual(messages.slice(2).map(({ content }) => content), [
    GOOD,
    "Change the file, and reply with all of it:\n\nNot the day",
  ]);
  assert.equal(messagesOf(server, 3).length, 2);
  assert.equal(await agentFile(world), GOOD);
});

Deno.test("new does not save a rejected draft", async () => {
  for (const [answer, code] of [["cancel", 130], [CTRL_C, 130], ["questions", 0]] as const) {
    await using server = new OpenAiServer([{ text: GOOD }]);
    await using world = await createModelWorld(server);
    world.cli.input.answers = ["describe", "It", answer, ...(code === 0 ? ANSWERS : [])];
    world.cli.input.lines = [...LINES];
    assert.equal(await world.cli.run("new", "daily"), code);
    const saved = world.files().filter((path) => path.endsWith(".md"));
    assert.deepEqual(saved, code === 0 ? ["inkling/agents/daily.md"] : []);
  }
});

Deno.test("new: Ctrl+C stops the model and saves nothing", async () => {
  await using server = new OpenAiServer([{ silent: true }]);
  await using world = await createModelWorld(server);
  world.cli.input.answers = ["describe", "It"];
  const running = world.cli.run("new", "daily");
  await server.received(1);
  await settle();
  assert.ok(world.cli.interrupt());
  assert.equal(await running, 130);
  assert.match(world.cli.stderr.text, /Nothing was saved\n$/);
});

Deno.test("new never replaces a file that was created during the questions", async () => {
  await using server = new OpenAiServer([{ text: GOOD }]);
  await using world = await createModelWorld(server);
  const { cli } = world;
  cli.input.answers = ["describe", "It"];
  const { select } = cli.input.prompter;
  cli.input.prompter.select = async (question) => {
    if (!question.message.startsWith("Save it")) return await select(question);
    await Deno.mkdir(world.agentsDir, { recursive: true });
    await Deno.writeTextFile(join(world.agentsDir, "daily.md"), "Theirs.\n");
    return "save";
  };
  assert.equal(await cli.run("new", "daily"), 1);
  assert.match(
    cli.stderr.text.replaceAll(/\s+/g, " "),
    /Cannot save .*: a file of that name is there already/,
  );
  assert.equal(await agentFile(world), "Theirs.\n");
});

Deno.test("new warns that the guarded tools of an unattended agent wait for an approval", async () => {
  await using world = await createSetupWorld();
  const { cli } = world;
  assert.equal(await cli.run("new", "daily", "--every", "1h", "--prompt", "Do it."), 0);
  assert.match(
    cli.stderr.text.replaceAll(/\s+/g, " "),
    /Line 3: This agent starts by itself, but file_delete and file_write will wait for a person \(auto_approve: \[file_delete, file_write\] lets them run/,
  );
});

Deno.test("new --from copies an agent of the gallery, and --yes asks nothing", async (t) => {
  await using world = await createSetupWorld({ hasPerson: false });
  const { cli } = world;
  assert.equal(await cli.run("new", "news", "--from", "rss-digest", "--yes"), 0);
  assert.deepEqual(world.files(), [
    "inkling/agents/_config/tests/news/no-news.yaml",
    "inkling/agents/_config/tests/news/two-feeds.yaml",
    "inkling/agents/news.md",
    "inkling/feeds/feeds.md",
  ]);
  assert.match(await agentFile(world, "news"), /^enabled: false$/m);
  await assertPicture(t, cli.stdout.text.replaceAll(world.home, "~"), import.meta.url);
});

Deno.test("new --from takes the gallery's name if no id is given, and keeps files that exist", async () => {
  await using world = await createSetupWorld({ hasPerson: false });
  const { cli } = world;
  const feeds = join(world.home, "inkling/feeds/feeds.md");
  await Deno.mkdir(join(world.home, "inkling/feeds"), { recursive: true });
  await Deno.writeTextFile(feeds, "Mine.\n");
  assert.equal(await cli.run("new", "--from", "rss-digest", "--yes"), 0);
  assert.equal(await world.read(feeds), "Mine.\n");
  assert.doesNotMatch(cli.stdout.text, /feeds\.md\n/);
  assert.equal(await cli.run("new", "--from", "rss-digest", "--yes"), 2);
  assert.match(cli.stderr.text.replaceAll(/\s+/g, " "), /"rss-digest" exists already/);
});

Deno.test("new --from with a schedule replaces the trigger and lets the agent run by itself", async () => {
  await using world = await createSetupWorld({ hasPerson: false });
  const flags = ["--description", "Mine", "--provider", "openai", "--model", "m"];
  const from = (id: string, name: string, ...more: string[]) =>
    world.cli.run("new", id, "--from", name, ...more);
  assert.equal(await from("a", "rss-digest", "--every", "weekday at 8", ...flags), 0);
  const text = await agentFile(world, "a");
  assert.match(text, /^description: Mine$/m);
  assert.match(text, /cron: 0 8 \* \* 1-5\n {2}catch_up: once\n/);
  assert.match(text, /^model:\n {2}provider: openai\n {2}name: m$/m);
  assert.doesNotMatch(text, /enabled/);
  assert.match(world.cli.stdout.text, /It runs by cron 0 8 \* \* 1-5, next at/);
  assert.equal(await from("b", "meeting-notes", "--every", "2h"), 0);
  assert.match(await agentFile(world, "b"), /trigger:\n {2}type: schedule\n {2}every: 2h\npaths/);
});

Deno.test("new asks for an agent of the gallery and its time, at the beginning of its questions", async () => {
  for (
    const [answers, isOn, trigger] of [
      [["later"], false, /cron: "?0 7 \* \* \*/],
      [["own"], true, /cron: "?0 7 \* \* \*/],
      [["other", "now and then", "5m x", "daily at noon"], true, /cron: 0 12 \* \* \*/],
    ] as const
  ) {
    await using world = await createSetupWorld();
    const { cli } = world;
    cli.input.answers = ["gallery", "rss-digest", ...answers];
    assert.equal(await cli.run("new", "news"), 0);
    const text = await agentFile(world, "news");
    assert.match(text, trigger);
    assert.equal(!text.includes("enabled: false"), isOn);
    assert.equal(/enabled: false/.test(cli.stdout.text), !isOn);
    const [beginning, list] = cli.input.asked;
    assert.deepEqual(beginning?.choices, ["describe", "gallery"]);
    assert.equal(list?.choices?.length, 16);
  }
});

Deno.test("new without an id asks for it, and repeats the question for an invalid one", async () => {
  await using world = await createSetupWorld();
  const { cli } = world;
  cli.input.answers = ["a/b", "notes", "own"];
  assert.equal(await cli.run("new", "--from", "meeting-notes"), 0);
  assert.match(await agentFile(world, "notes"), /transcripts/);
  assert.match(cli.stdout.text, /It runs when a file changes in \S*transcripts/);
  // An agent without a trigger has no question.
  assert.equal(await cli.run("new", "review", "--from", "branch-review"), 0);
  assert.deepEqual(cli.input.answers, []);
});

Deno.test("new --from rejects options that it cannot follow, and saves nothing", async () => {
  await using world = await createSetupWorld({ hasPerson: false });
  const table: [string[], RegExp][] = [
    [["new", "x", "--yes"], /--yes needs --from/],
    [["new"], /this is not a terminal\. Pass the agent's id/],
    [["new", "x", "--from", "rss-digest"], /Pass --yes, --every or --cron/],
    [["new", "x", "--from", "nothing", "--yes"], /Allowed choices are backup-check, /],
    [["new", "x", "--from", "rss-digest", "--path", "y"], /cannot be used with/],
    [["new", "x", "--from", "rss-digest", "--prompt", "y"], /cannot be used with/],
  ];
  for (const [words, message] of table) {
    world.cli.stderr.text = "";
    assert.equal(await world.cli.run(...words), 2, words.join(" "));
    assert.match(world.cli.stderr.text.replaceAll(/\s+/g, " "), message);
    assert.deepEqual(world.files(), []);
  }
});

Deno.test("new --from reports a folder that it cannot create, and saves no agent", async () => {
  await using world = await createSetupWorld({ hasPerson: false });
  await Deno.mkdir(join(world.home, "inkling"), { recursive: true });
  await Deno.writeTextFile(join(world.home, "inkling/feeds"), "a file");
  assert.equal(await world.cli.run("new", "news", "--from", "rss-digest", "--yes"), 1);
  assert.match(world.cli.stderr.text.replaceAll(/\s+/g, " "), /Cannot write \S*feeds\.md: /);
  assert.ok(!world.files().includes("inkling/agents/news.md"));
});
