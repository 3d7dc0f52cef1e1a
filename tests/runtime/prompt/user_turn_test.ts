import assert from "node:assert/strict";
import fc from "fast-check";
import type { Trigger } from "../../../runtime/agents/agent.ts";
import { createUserTurn, type UserTurnOptions } from "../../../runtime/prompt/user_turn.ts";
import type {
  AgentCause,
  ScheduleCause,
  WatchCause,
} from "../../../runtime/vocabulary/run_cause.ts";
import { anyText } from "../../support/any_text.ts";

const MANUAL: Trigger<"manual"> = { type: "manual" };
const EVERY: Trigger<"schedule"> = { type: "schedule", every: "5m", catchUp: "none" };
const CRON: Trigger<"schedule"> = { type: "schedule", cron: "30 8 * * *", catchUp: "none" };
const WATCH: Trigger<"watch"> = {
  type: "watch",
  paths: ["inbox"],
  filters: { include: [], exclude: [] },
  debounceMs: 500,
  maxRuns: 200,
  catchUp: "none",
};
const SLOT: ScheduleCause = { type: "schedule", scheduledFor: 0 };
const change = (path: string, event: WatchCause["event"] = "modified"): WatchCause => (
  { type: "watch", event, path }
);
const CALLER: AgentCause = { type: "agent", agentId: "boss", displayName: "Boss", executionId: 7 };

type Cases = [options: Partial<UserTurnOptions>, turn: string][];

function check(cases: Cases): void {
  for (const [options, turn] of cases) {
    const full = { trigger: MANUAL, args: [], argumentsUsed: false, ...options };
    assert.equal(createUserTurn(full), turn, JSON.stringify(options));
  }
}

Deno.test("createUserTurn() combines message, template, arguments and context", () => {
  check([
    [{}, "Execute your task."],
    [{ message: "Do this." }, "Do this."],
    [{ args: ["a", "b"] }, "Execute your task.\n\nArguments:\na\nb"],
    [{ args: ["a"], argumentsUsed: true }, "Execute your task."],
    [{ context: "It rains." }, "Execute your task.\n\nContext:\nIt rains."],
    [{ message: "M", args: ["a"], context: "C" }, "M\n\nArguments:\na\n\nContext:\nC"],
    [{ trigger: { ...MANUAL, input: "Check." }, context: "C" }, "Check.\n\nContext:\nC"],
    [{ trigger: { ...MANUAL, input: "Check." }, args: ["a"] }, "Check.\n\nArguments:\na"],
    [{ trigger: { ...MANUAL, input: "Check {context}!" }, context: "$& C" }, "Check $& C!"],
    [{ trigger: { ...MANUAL, input: "Check {context}!" } }, "Check !"],
    [{ trigger: { ...MANUAL, input: "Check." }, message: "M" }, "M"],
    [{ message: "Not {context} here", context: "C" }, "Not {context} here\n\nContext:\nC"],
  ]);
});

Deno.test("createUserTurn() describes the cause of an automatic run", () => {
  check([
    [{ trigger: EVERY, cause: SLOT }, "Execute your task. (scheduled: every 5m)"],
    [{ trigger: CRON, cause: SLOT }, "Execute your task. (scheduled: cron 30 8 * * *)"],
    // The agent's schedule was removed between the due time and the run.
    [{ trigger: MANUAL, cause: SLOT }, "Execute your task. (scheduled)"],
    [
      { trigger: WATCH, cause: change("/w/in/a b.txt"), fileExists: true },
      'Execute your task.\n\nA watched file was modified: "/w/in/a b.txt". Read it first, with file_read.',
    ],
    [
      { trigger: WATCH, cause: change("/w/in/a.txt", "deleted"), fileExists: false },
      'Execute your task.\n\nA watched file was deleted: "/w/in/a.txt". It is no longer there.',
    ],
    [
      { trigger: WATCH, cause: change("/w/in/a.txt", "created") },
      'Execute your task.\n\nA watched file was created: "/w/in/a.txt".',
    ],
    [
      { cause: CALLER, args: ["Find it."] },
      'Execute your task. (called by the agent "boss")\n\nArguments:\nFind it.',
    ],
    // The manual run of an agent with a schedule.
    [{ trigger: EVERY }, "Execute your task."],
    [{ trigger: EVERY, cause: SLOT, message: "M" }, "M"],
    [{ cause: CALLER, message: "M" }, "M"],
  ]);
});

Deno.test("createUserTurn() replaces a template's placeholders once, and keeps unknown placeholders", () => {
  const all = "{event} {path} {file} {schedule} {context} {other} ${event}";
  const template = (trigger: UserTurnOptions["trigger"], input = all) => ({ ...trigger, input });
  check([
    [
      { trigger: template(WATCH), cause: change("/w/in/a b.txt", "moved") },
      "moved /w/in/a b.txt a b.txt {schedule}  {other} $moved",
    ],
    [{ trigger: template(EVERY), cause: SLOT }, "{event} {path} {file} every 5m  {other} ${event}"],
    [{ trigger: template(CRON, "{schedule}"), cause: SLOT }, "cron 30 8 * * *"],
    [
      { trigger: template(MANUAL), context: "C" },
      "{event} {path} {file} {schedule} C {other} ${event}",
    ],
    // The manual run of an agent with a watch or a schedule.
    [{ trigger: template(WATCH, "{path}: {event}") }, "{path}: {event}"],
    [{ trigger: template(EVERY, "{schedule}") }, "{schedule}"],
    // Placeholders in inserted values stay unchanged.
    [
      { trigger: template(WATCH, "{file} {context}"), cause: change("/w/{event} $& {context}") },
      "{event} $& {context} ",
    ],
    [{ trigger: template(MANUAL, "{context}"), context: "{context} {event}" }, "{context} {event}"],
    // Context from people, programs and agents is appended if the template has no placeholder for the context. Context from
    // schedules and watches is not.
    [{ trigger: template(MANUAL, "T"), context: "C" }, "T\n\nContext:\nC"],
    [{ trigger: template(MANUAL, "T"), cause: CALLER, context: "C" }, "T\n\nContext:\nC"],
    [{ trigger: template(WATCH, "T"), context: "C" }, "T\n\nContext:\nC"],
    [{ trigger: template(EVERY, "T"), cause: SLOT, context: "C" }, "T"],
    [{ trigger: template(WATCH, "T"), cause: change("/w/a"), context: "C" }, "T"],
    // An empty template is valid.
    [{ trigger: template(MANUAL, ""), context: "C" }, "\n\nContext:\nC"],
  ]);
});

Deno.test("createUserTurn() quotes the name of a watched file on one line", () => {
  const name = fc.string({
    unit: fc.oneof(
      fc.constantFrom('"', "\n", "\u2028", "\x1b", "\u202e"),
      anyText({ minLength: 1, maxLength: 1 }),
    ),
  });
  fc.assert(fc.property(name, (text) => {
    const path = `/w/${text}`;
    const turn = createUserTurn({
      trigger: WATCH,
      cause: change(path),
      fileExists: true,
      args: [],
      argumentsUsed: false,
    });
    const quoted =
      /^Execute your task\.\n\nA watched file was modified: (".*")\. Read it first, with file_read\.$/
        .exec(turn)?.[1];
    assert.ok(quoted !== undefined, turn);
    assert.equal(JSON.parse(quoted), path, "the decoded name is the exact path");
    assert.doesNotMatch(quoted, /[\p{Cc}\p{Zl}\p{Zp}\u202e<]/u);
  }));
});

Deno.test("createUserTurn() escapes line breaks of file names in a template", () => {
  const trigger = { ...WATCH, input: "Read {file} now." };
  check([[{ trigger, cause: change("/w/a\nIgnore\x1b[31m") }, "Read a\\nIgnore\\u001b[31m now."]]);
});
