import assert from "node:assert/strict";
import fc from "fast-check";
import { seedHistory } from "../../../../runtime/executions/loop/history.ts";
import type { Execution } from "../../../../runtime/executions/execution.ts";
import type { Message } from "../../../../runtime/models/message.ts";
import { Redactor } from "../../../../runtime/secrets/redactor.ts";
import { wrapSkillContext } from "../../../../runtime/tools/skills/skill_context.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { createTestWorkspace, runToEnd, toEnd } from "../../../support/test_workspace.ts";
import { until } from "../../../support/until.ts";
import { seededOf } from "../executions_of.ts";

/** The file of an agent that answers with its user turn. */
const ECHO = "---\nmodel: { provider: demo, name: echo }\n---\nRepeat.\n";

const user = (content: string): Message => ({ role: "user", content });
const said = (content: string, ...ids: string[]): Message => ({
  role: "assistant",
  content,
  toolCalls: ids.map((id) => ({ id, name: "file_read", arguments: "{}" })),
});
const result = (id: string, content = "ok"): Message => ({
  role: "tool",
  toolCallId: id,
  toolName: "file_read",
  content,
  isError: false,
});

const injected = (content: string): Message => ({ role: "user", content, injected: true });

const TOKEN = "sekret-value-1234567890";
const REDACTOR = new Redactor(() => [{ name: "APP_TOKEN", value: TOKEN }]);
const ENDED = { status: "timeout", error: "Timeout after 5s" } as Execution;
const seed = (messages: Message[], level: "low" | "medium" | "high" | "off" = "low") =>
  seedHistory({ messages, execution: ENDED }, { level, redactor: REDACTOR });
const shown = (messages: Message[]) => messages.map(({ role, content }) => `${role}: ${content}`);

Deno.test("seedHistory() adds missing results, and a note to a turn without an answer", () => {
  const unanswered = "assistant: (This run ended without an answer: Timeout after 5s)";
  const system = { role: "system", content: "old" } as Message;
  const rows: [turns: Message[], expected: string[]][] = [
    [[system, user("a"), said("b")], ["user: a", "assistant: b"]],
    [[user("a")], ["user: a", unanswered]],
    [
      [user("a"), said("look", "1", "2"), result("2", "two")],
      ["user: a", "assistant: look", "tool: Interrupted", "tool: two", unanswered],
    ],
  ];
  for (const [turns, expected] of rows) {
    assert.deepEqual(shown(seed(turns)), expected);
    assert.deepEqual(seed(turns, "off"), []);
  }
  assert.deepEqual(seedHistory(undefined, { level: "high", redactor: REDACTOR }), []);
});

Deno.test("seedHistory() cuts tool results over 500 characters only once, and keeps no half secret", () => {
  const long = "x".repeat(800);
  const [, , tool, last] = seed([user(long), said("", "1"), result("1", long), said(long)]);
  const note = "… [cut from history: it had 800 characters]";
  assert.equal(tool?.content, "x".repeat(500 - note.length) + note);
  assert.equal(last?.content, long);

  const once = seed([user("a"), said("", "1"), result("1", "🙂".repeat(900)), said("b")]);
  assert.ok((once[2]?.content.length ?? 0) <= 500);
  assert.ok(once[2]?.content.isWellFormed());
  assert.deepEqual(seed([...once, user("c"), said("d")]).slice(0, 4), once);

  for (let shift = 0; shift < TOKEN.length; shift++) {
    const content = "-".repeat(shift) + TOKEN.repeat(50);
    const [, , cut] = seed([user("a"), said("", "1"), result("1", content), said("b")]);
    const [kept = ""] = cut?.content.split("…") ?? [];
    assert.equal(kept.replaceAll(TOKEN, ""), "-".repeat(shift));
  }
});

Deno.test("seedHistory() shortens a skill's instructions, and changes no person's text", () => {
  const context = wrapSkillContext("notes", "Do this.\n".repeat(1_000));
  const turns = [user(context), said("", "1"), result("1"), injected(context), said("Done.")];
  const once = seed(turns);
  assert.equal(once.length, 5);
  assert.equal(once[0]?.content, context, "a person said it");
  const crumb = once[3];
  assert.ok(crumb?.role === "user" && crumb.injected === true);
  assert.match(crumb.content, /^<skill-breadcrumb name="notes">.{1,120}<\/skill-breadcrumb>$/);
  assert.deepEqual(seed([...once, user("next"), said("b")]).slice(0, 5), once);
  const other = [user("a"), injected("Something else."), said("b")];
  assert.deepEqual(seed(other), other);
});

Deno.test("seedHistory() keeps whole turns at the end, and cuts a turn that is too long", () => {
  const turns = Array.from({ length: 20 }, (_, n) => [user(`u${n}`), said(`a${n}`)]).flat();
  assert.deepEqual(shown(seed(turns)).slice(0, 2), ["user: u15", "assistant: a15"]);
  assert.equal(seed(turns).length, 10);
  assert.equal(seed(turns, "high").length, 40);
  // The limit is in the middle of a turn, so the whole turn is omitted.
  const count = seed([...turns, user("last"), said("look", "1"), result("1"), said("done")]).length;
  assert.equal(count, 10);

  const calls = Array.from({ length: 6 }, (_, n) => [said("", `${n}`), result(`${n}`, `r${n}`)]);
  assert.deepEqual(
    shown(seed([user("before"), said("a"), user("u"), ...calls.flat(), said("b")])),
    ["user: u", ...[2, 3, 4, 5].flatMap((n) => ["assistant: ", `tool: r${n}`]), "assistant: b"],
  );
  // One call of the last step does not fit, so all results of this step are omitted.
  const ids = Array.from({ length: 12 }, (_, n) => `${n}`);
  const many = [user("u"), said("look", ...ids), ...ids.map((id) => result(id)), said("b")];
  assert.deepEqual(shown(seed(many)), ["user: u", "assistant: b"]);
  assert.deepEqual(shown(seed(seed(many))), ["user: u", "assistant: b"]);
});

Deno.test("seedHistory() returns a sequence that every provider accepts, whatever was stored", () => {
  const message = fc.oneof(
    fc.string().map(user),
    fc.string().map((text) => injected(wrapSkillContext("notes", text))),
    fc.array(fc.constantFrom("1", "2", "3"), { maxLength: 3 }).map((ids) =>
      said("x", ...new Set(ids))
    ),
    fc.constantFrom("1", "2", "3").map((id) => result(id)),
    fc.constant({ role: "system", content: "s" } as Message),
  );
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 40 }),
      fc.constantFrom("low" as const, "medium" as const),
      (messages, level) => {
        const seeded = seed(messages, level);
        assert.ok(seeded.length <= (level === "low" ? 10 : 50));
        let open: string[] = [];
        for (const [index, one] of seeded.entries()) {
          if (index === 0) assert.ok(one.role === "user" && one.injected === undefined);
          if (one.role === "tool") {
            assert.equal(open.shift(), one.toolCallId, "a result right behind its call, in order");
            continue;
          }
          assert.deepEqual(open, [], "every call has its result");
          assert.notEqual(one.role, "system");
          open = one.role === "assistant" ? one.toolCalls.map(({ id }) => id) : [];
        }
        assert.deepEqual(open, []);
        if (seeded.length > 0) assert.equal(seeded.at(-1)?.role, "assistant");
      },
    ),
  );
});

Deno.test("history: off gives no history, and each session has its own history", async () => {
  await using place = await createTestWorkspace();
  const write = (history: string) =>
    place.writeAgent(
      "echo",
      `---\nmodel: { provider: demo, name: echo }\nhistory: ${history}\n---\nRepeat.\n`,
    );
  await write("off");
  await using runtime = await place.open();
  const messages = async () => (await runtime.checkpointStats()).agents[0]?.messages;
  for (const message of ["one", "two"]) await runToEnd(runtime, "echo", { message });
  assert.equal(await messages(), 6, "twice the system prompt, the turn and the reply");
  await write("low");
  await runtime.reloadAgents();
  await runToEnd(runtime, "echo", { message: "three" });
  assert.equal(await messages(), 6 + 5, "and the turn and reply of the run before");

  // The scripted model finds its step by the number of replies in the conversation, so a lost reply would repeat a step.
  const steps = Array.from({ length: 14 }, (_, n) => ({
    say: `Step ${n}.`,
    call: [{ name: "file_glob", arguments: { pattern: `${n}.*` } }],
  }));
  await place.writeScript("long", [...steps, { say: "Done." }], "history: low");
  for (let run = 0; run < 2; run++) {
    const { status, toolCalls } = await runToEnd(runtime, "long");
    assert.deepEqual([status, toolCalls], ["success", 14]);
  }

  await place.writeAgent("talker", ECHO);
  const turn = async (message: string, sessionId?: string) => {
    const run = await runToEnd(runtime, "talker", { message, ...(sessionId && { sessionId }) });
    return { seeded: await seededOf(place, run.id), sessionId: run.sessionId };
  };
  // Session ids that differ in case, white space or Unicode normalization are different conversations.
  const sessionIds = ["a b", "A B", " a b", "a b\n", "é", "e\u0301"];
  for (const expected of [(_: string) => [], (id: string) => [id, id]]) {
    for (const id of sessionIds) {
      const seeded = expected(`[${id}]`);
      assert.deepEqual(await turn(`[${id}]`, id), { seeded, sessionId: id });
    }
    assert.deepEqual(await turn("manual", "  "), { seeded: expected("manual"), sessionId: null });
  }
});

Deno.test("a run gets its history from the newest ended run, not from open runs", async () => {
  await using place = await createTestWorkspace();
  const clock = new TestClock();
  await using runtime = await place.open({ clock });
  const echo = async () => {
    await place.writeAgent("changing", ECHO.replace("\n", "\non_pending: parallel\n"));
    await runtime.reloadAgents();
  };
  const script = async (steps: unknown[]) => {
    await place.writeScript("changing", steps, "on_pending: parallel");
    await runtime.reloadAgents();
  };
  const turn = async (message: string) => {
    clock.jump(1_000);
    return (await runToEnd(runtime, "changing", { message })).id;
  };
  const ask = { name: "ask_user", arguments: { question: "Which?" } };
  await echo();
  await turn("first");
  await script([{ call: [ask] }, { say: "x" }]);
  const waiting = await turn("waits");
  assert.equal((await runtime.getExecution(waiting)).status, "waiting");
  await script([{ say: "x", delay_ms: 3_600_000 }]);
  const { id: running } = await runtime.run("changing", { message: "runs" });
  await until(() => clock.awaits(3_600_000), "its model");
  await echo();
  assert.deepEqual(await seededOf(place, await turn("last")), ["first", "first"]);
  // The running and the waiting execution end after the newest execution, whose conversation remains the history.
  clock.jump(1_000);
  for (const id of [running, waiting]) {
    await runtime.cancel(id);
    assert.equal((await toEnd(runtime, id)).status, "aborted");
  }
  const remembered = ["first", "first", "last", "last"];
  assert.deepEqual(await seededOf(place, await turn("next")), remembered);
});
