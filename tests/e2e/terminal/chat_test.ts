// Tests of `chat` at a real terminal.
import assert from "node:assert/strict";
import { join } from "node:path";
import { OpenAiServer } from "../../support/models/openai_server.ts";
import { createRealHome, type RealHome, shareHome, untilFound } from "../real_process.ts";
import { RealTerminal, testInTerminal } from "./real_terminal.ts";

/** Returns a message with the script of the model's answer. */
function scripted(message: string, steps: unknown[]): string {
  return `${message}\n\`\`\`demo\n${JSON.stringify(steps)}\n\`\`\``;
}

const WRITE = { call: [{ name: "file_write", arguments: { path: "b.txt", content: "copy" } }] };

const sharedHome = shareHome(async () => {
  const home = await createRealHome();
  await home.writeScript("talker", [{ say: "Hello, Zoë 日本 🚀." }]);
  await home.writeScript("writer", [WRITE]);
  const echo = "---\nmodel: { provider: demo, name: echo }\n---\nSay it.\n";
  for (const id of ["other", "parrot"]) await home.writeAgent(id, echo);
  return home;
});

/** Returns the executions of an agent, the oldest first. */
async function listRuns(home: RealHome, agent: string) {
  using client = home.client();
  return (await client.runs(agent)).toReversed();
}

testInTerminal(
  "chat has three turns with an approval in the second, and ends at Ctrl+D or a signal",
  async () => {
    const home = await sharedHome();
    await using terminal = await RealTerminal.open(home, ["chat", "talker"]);
    await terminal.waitFor(/^> *$/m);
    // The user corrects a typing error.
    await terminal.type("hi Zoe");
    await terminal.press("BSpace");
    await terminal.type("ë 🚀");
    await terminal.press("Enter");
    await terminal.waitFor(/> hi Zoë 🚀\n\nHello, Zoë 日本 🚀\.\n\n>/);

    await terminal.paste(
      scripted("Write it", [{ say: "So I do.", ...WRITE }, { say: "Written." }]),
    );
    await terminal.waitFor(/> Write it\n```demo/);
    await terminal.press("Enter");
    const asked = await terminal.waitFor(/Allow file_write\?/);
    assert.match(
      asked,
      /\nSo I do\.\n\n\? file_write b\.txt \(new file, \+1\)\n {4}@@ -0,0 \+1,1 @@\n {4}\+copy\n/,
    );
    await terminal.waitFor(/● Deny/);
    await terminal.press("Up", "Enter");
    await terminal.waitFor(/\n✔ file_write[^]*\nWritten\.\n\n>/);
    assert.equal(await Deno.readTextFile(join(home.workspace, "b.txt")), "copy");

    await terminal.press("Enter");
    await terminal.type("bye");
    await terminal.press("Enter");
    await terminal.waitFor(/> bye\n\nHello/);
    await terminal.waitFor(/> bye[^]*\n>$/);
    await terminal.press("C-d");
    const shown = await terminal.endsWith(0);
    assert.match(shown, /\n3 turns · [\d,]+ tokens · \$0 · [\d.]+m?s\n/);
    const runs = await listRuns(home, "talker");
    assert.deepEqual(runs.map(({ status }) => status), ["success", "success", "success"]);
    assert.equal(new Set(runs.map(({ session_id: session }) => session)).size, 1);
    assert.notEqual(runs[0]?.session_id, null);

    // A signal at the prompt or at a question ends the chat and restores the terminal.
    for (const isAsked of [false, true]) {
      await using terminal = await RealTerminal.open(home, ["chat", "writer"]);
      await terminal.waitFor(/^> *$/m);
      if (isAsked) {
        await terminal.type("hi");
        await terminal.press("Enter");
        await terminal.waitFor(/Allow file_write\?[^]*● Deny/);
      }
      await terminal.signal("SIGTERM");
      await terminal.endsWith(143);
    }
  },
);

testInTerminal(
  "chat: Ctrl+C cancels the turn during an answer, and keys typed during one appear at the next prompt",
  async () => {
    const answer = Promise.withResolvers<void>();
    const question = Promise.withResolvers<void>();
    await using server = new OpenAiServer([
      { text: ["Once upon", " a time"], then: "hang" },
      { text: "Here you are." },
      { text: "Here.", after: answer.promise },
      { toolCalls: WRITE.call, after: question.promise },
      { text: "Well." },
    ]);
    // Disposing the server waits for its requests, so the reply must end even if the test fails.
    using _ = {
      [Symbol.dispose]() {
        answer.resolve();
        question.resolve();
      },
    };
    await using home = await createRealHome({ shell: { MINE_API_KEY: "sk-e2e-0123456789" } });
    const model = `model: { provider: mine, name: tiny, base_url: "${server.url}" }`;
    await home.writeAgent("teller", `---\n${model}\n---\nTell it.\n`);
    await using terminal = await RealTerminal.open(home, ["chat", "teller"]);
    await terminal.waitFor(/^> *$/m);
    await terminal.type("hi");
    await terminal.press("Enter");
    await terminal.waitFor(/\n> hi\n\nOnce upon a time/);
    await terminal.press("C-c");
    await terminal.waitFor(/Cancelling execution \d+[^]*\nOnce upon a time\n✖ aborted[^]*\n>$/);
    // The request to the model is aborted, too, so that the provider bills no more tokens.
    let isDisconnected = false;
    void server.request(0).disconnected.then(() => isDisconnected = true);
    await untilFound("the end of the model's reply", () => Promise.resolve(isDisconnected));
    await terminal.type("quick");
    await terminal.press("Enter");
    await terminal.waitFor(/\nHere you are\.\n\n>$/);
    await terminal.press("C-c");
    const shown = await terminal.endsWith(0);
    assert.match(shown, /\n2 turns · /);
    const runs = await listRuns(home, "teller");
    assert.deepEqual(runs.map(({ status }) => status), ["aborted", "success"]);
    await typeAhead(home, { answer: answer.resolve, ask: question.resolve });
  },
);

testInTerminal(
  "chat shows a picker; lines that arrive together are consecutive turns",
  async () => {
    const home = await sharedHome();
    await using terminal = await RealTerminal.open(home, ["chat"]);
    await terminal.waitFor(/Which agent\?[^]*other[^]*parrot/);
    await terminal.type("parr");
    await terminal.waitFor(/parr[^]*● [^o]*parrot\n│ {2}↑/);
    await terminal.press("Enter");
    await terminal.waitFor(/^> *$/m);
    await terminal.paste("one\ntwo\nthr", { unmarked: true });
    await terminal.waitFor(/\n\none\n\n> two\n\ntwo\n\n> thr$/);
    await terminal.type("ee");
    await terminal.press("Enter");
    await terminal.waitFor(/> three\n\nthree\n\n>$/);
    await terminal.press("Up", "Up");
    await terminal.waitFor(/\n> two$/);
    await terminal.press("C-u");
    await terminal.type("/quit");
    await terminal.press("Enter");
    const shown = await terminal.endsWith(0);
    assert.match(shown, /\n3 turns · /);
  },
);

/** Waits until the progress line is drawn again, after the pressed keys. */
async function untilNextSecond(terminal: RealTerminal): Promise<void> {
  const [, now] = /Thinking · (\d+s)(?: ·.*)?$/.exec(await terminal.read()) ?? [];
  await terminal.waitFor(new RegExp(`Thinking · (?!${now}\\b)\\d+s(?: ·.*)?$`));
}

/** Types during two answers, and checks that the keys appear at the next prompt but answer no question. */
async function typeAhead(
  home: RealHome,
  replies: { answer: () => void; ask: () => void },
): Promise<void> {
  await using terminal = await RealTerminal.open(home, ["chat", "teller"]);
  await terminal.waitFor(/^> *$/m);
  await terminal.type("hi");
  await terminal.press("Enter");
  await terminal.waitFor(/Thinking · \d+s$/);
  await terminal.type("next");
  await untilNextSecond(terminal);
  replies.answer();
  assert.doesNotMatch(await terminal.waitFor(/\nHere\.\n\n> next$/), /Thinking/);
  await terminal.press("Enter");
  await terminal.waitFor(/Thinking · \d+s(?: ·.*)?$/);
  await terminal.type("yes please");
  await terminal.press("Enter");
  await terminal.type("y");
  await untilNextSecond(terminal);
  replies.ask();
  await terminal.waitFor(/Allow file_write\?[^]*● Deny/);
  await terminal.press("Enter");
  await terminal.waitFor(/Reason for the denial/);
  await terminal.type("Too hasty");
  await terminal.press("Enter");
  await terminal.waitFor(/Action denied by user: Too hasty[^]*\nWell\.\n/);
  await assert.rejects(Deno.stat(join(home.workspace, "b.txt")), Deno.errors.NotFound);
}
