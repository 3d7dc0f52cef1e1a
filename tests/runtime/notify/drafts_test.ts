// Tests the messages about events and their texts.
import assert from "node:assert/strict";
import { configOf } from "../agents/parsed_file.ts";
import { draftMessages, type NotifyPorts } from "../../../runtime/notify/drafts.ts";
import type { NotableEvent } from "../../../runtime/notify/notable_event.ts";
import type { NotifyChoice } from "../../../runtime/config/notify_schema.ts";
import { Redactor } from "../../../runtime/secrets/redactor.ts";
import { LogLines } from "../../support/log_lines.ts";
import { TestClock } from "../../support/test_clock.ts";
import { executionOf, failure } from "./outbox_world.ts";

const CONFIG = `
notify:
  to: [phone, off]
  channels:
    phone: { type: ntfy, topic: a }
    team: { type: slack, url: TEAM_URL }
    off: { type: command, run: [tell] }
`;

function ports(options: { config?: string; notify?: NotifyChoice } = {}): NotifyPorts {
  const agent = { displayName: "Daily", notify: options.notify ?? {} };
  return {
    settings: { config: configOf(options.config ?? CONFIG) },
    registry: { get: (id) => id === "gone" ? undefined : agent },
    redactor: new Redactor(() => [{ name: "TOKEN", value: "s3cr3t-value" }]),
    ...{ clock: new TestClock(), log: new LogLines(), timeZone: () => "UTC" },
    showTime: () => "1 Jan 2026, 12:00",
  };
}

const channelsOf = (event: NotableEvent, choice?: NotifyChoice, config?: string) =>
  draftMessages(event, ports({ ...(choice && { notify: choice }), ...(config && { config }) }))
    .map(({ channel }) => channel);

Deno.test("each notification setting of an agent replaces the setting in config.yaml", () => {
  assert.deepEqual(channelsOf(failure(1)), ["phone"]);
  assert.deepEqual(channelsOf(failure(1), { to: ["team"] }), ["team"]);
  assert.deepEqual(channelsOf(failure(1), { to: ["team", "nowhere", "__proto__"] }), ["team"]);
  assert.deepEqual(channelsOf(failure(1), { on: ["waiting"] }), []);
  assert.deepEqual(channelsOf(failure(1), { on: [] }), []);
  assert.deepEqual(channelsOf(failure(1), {}, CONFIG.replace("to:", "on: [success]\n  to:")), []);
  assert.deepEqual(channelsOf(failure(1), {}, CONFIG.replace("  to: [phone, off]\n", "")), [
    "phone",
    "team",
  ]);
  // An agent whose file is gone uses the settings of config.yaml.
  assert.deepEqual(channelsOf(failure(1, { agentId: "gone" }), { on: [] }), ["phone"]);
  assert.deepEqual(channelsOf(failure(1), {}, "# Nothing"), []);
  assert.deepEqual(channelsOf(failure(1, { isDryRun: true })), [], "a dry run causes no message");
});

Deno.test("the message about a question contains shortened arguments without secrets", () => {
  const request = {
    requestId: "r",
    executionId: 12,
    position: 1,
    kind: "choice" as const,
    message: "Which one, s3cr3t-value?\u001b[31m\u202e",
    options: ["blue", "red"],
    multi: false,
    toolName: "file_write",
    toolArgs: { path: "a.md", content: "x".repeat(5_000), key: "s3cr3t-value" },
    createdAt: 0,
    expiresAt: null,
    isGuard: true as const,
  };
  const execution = executionOf(12, { status: "waiting" });
  const [draft] = draftMessages({ type: "waiting", execution, request }, ports());
  assert.deepEqual([draft?.title, draft?.requestId], ["Daily waits for your answer", "r"]);
  const lines = draft?.text.split("\n") ?? [];
  assert.equal(lines[0], "Which one, [redacted:TOKEN]?");
  assert.deepEqual(lines.slice(1, 2), ["path: a.md"]);
  assert.equal(lines[2]?.length, 200 + "content: ".length);
  assert.deepEqual(lines.slice(3), [
    "key: [redacted:TOKEN]",
    "Options: blue, red",
    "Execution 12: inkling respond 12",
  ]);
});

Deno.test("messages about ends, missed times, stopped triggers and budgets have different texts", () => {
  const on = CONFIG.replace("to:", "on: [success, missed, loop, budget]\n  to:");
  const told = (event: NotableEvent) => {
    const [draft] = draftMessages(event, ports({ config: on }));
    return [draft?.kind, draft?.title, draft?.text];
  };
  const execution = executionOf(3, { status: "success", error: null });
  const wanted = ["success", "Daily succeeded", "All [redacted:TOKEN] well."];
  assert.deepEqual(told({ type: "ended", execution, output: " All s3cr3t-value well. " }), wanted);
  const slot = {
    agentId: "daily",
    scheduledFor: 0,
    outcome: "missed" as const,
    reason: "the service was not running",
    executionId: null,
    count: 3,
  };
  assert.deepEqual(told({ type: "missed", slot }), [
    "missed",
    "Daily missed 3 runs",
    "Due from 1 Jan 2026, 12:00 on, not run: the service was not running.",
  ]);
  const stopped = { agentId: "daily", displayName: "Daily", reason: "It fired too often" };
  const expected = ["loop", "Daily: its trigger was stopped"];
  assert.deepEqual(told({ type: "stopped", ...stopped }).slice(0, 2), expected);
  const text = "80 % of per_day ($2.00) is used.";
  assert.deepEqual(told({ type: "budget", agentId: null, executionId: null, text }), [
    "budget",
    "Budget of the workspace",
    text,
  ]);
});

Deno.test("a question with approvers goes by mail only to a channel with one of them, whole", () => {
  const config = `
mail: { home: { address: h@b.example, imap: "i:993", smtp: "s:465", password_env: PW } }
people: { ada: { mail: [ada@b.example] }, bob: { role: viewer, mail: [bob@b.example] } }
notify:
  channels:
    ada: { type: mail, account: home, to: ada@b.example }
    bob: { type: mail, account: home, to: [bob@b.example] }
    phone: { type: ntfy, topic: agents }
`;
  const content = "x".repeat(5_000);
  const request = {
    ...{ requestId: "r", executionId: 1, position: 1, kind: "confirm" as const },
    ...{ message: "Allow file_write?", options: null, multi: false, createdAt: 0 },
    ...{ toolCallId: "c", toolName: "file_write", expiresAt: null, isGuard: true as const },
    toolArgs: { content },
  };
  const execution = executionOf(1, { status: "waiting" });
  const sent = (rule?: { approvers: string[] }) =>
    draftMessages(
      {
        type: "waiting",
        execution,
        request: { ...request, ...(rule && { rule: { approvals: 1, ...rule } }) },
      },
      ports({ config }),
    );
  assert.deepEqual(sent().map(({ channel }) => channel), ["ada", "bob", "phone"]);
  assert.deepEqual(sent().map(({ text }) => text.includes(content)), [true, true, false]);
  const names = (approvers: string[]) => [
    ...new Set(sent({ approvers }).map(({ channel }) => channel)),
  ];
  assert.deepEqual(names(["ada", "bob"]), ["ada", "phone"]);
  assert.deepEqual(names(["max"]), ["phone"]);
});
