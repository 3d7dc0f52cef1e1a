// Tests of every kind of prompt at a real terminal: Ctrl+C exits with 130, Ctrl+D leaves the question open, and both
// restore the terminal. The prompts are also legible at a narrow terminal.
import assert from "node:assert/strict";
import { createRealHome, type RealHome, shareHome } from "../real_process.ts";
import { RealTerminal, testInTerminal } from "./real_terminal.ts";

const ASK = (question: string, more: Record<string, unknown> = {}) => ({
  call: [{ name: "ask_user", arguments: { question, ...more } }],
});

const sharedHome = shareHome(async () => {
  const home = await createRealHome();
  await home.succeed("start", "-d");
  return home;
});

/** Makes an agent ask each question, and returns the waiting executions. */
async function askFirst(home: RealHome, ...steps: unknown[]): Promise<string[]> {
  for (const [index, step] of steps.entries()) {
    await home.writeScript(`asker-${index}`, [step, { say: "Thanks." }]);
  }
  using client = home.client();
  await client.reload();
  return await Array.fromAsync(steps.keys(), async (index) => {
    const { execution_id: id } = await client.run(`asker-${index}`);
    await Array.fromAsync(client.follow(id));
    return String(id);
  });
}

interface Prompt {
  name: string;
  step: unknown;
  shown: RegExp;
  /** The keys that lead from the first prompt to the tested one. */
  keys?: string[];
  then?: RegExp;
  /** The key that ends the tested prompt. Ctrl+C is tested with colors, the other keys without. */
  end: "C-c" | "C-d" | "Escape";
  columns?: number;
}

const PROMPTS: Prompt[] = [
  {
    name: "the reason of a denial",
    step: ASK("Shall the tomatoes be watered this week?", { kind: "confirm" }),
    shown: /◆ {2}Shall the tomatoes be watered this\n│ {4}week\?[^]*Yes.*No/,
    keys: ["n"],
    then: /Reason for the denial/,
    end: "C-c",
    columns: 40,
  },
  { name: "a text", step: ASK("Your name?"), shown: /Your name\?\n│ /, end: "C-d" },
  {
    name: "a choice",
    step: ASK("Which?", {
      options: ["Keep it as it is until the end of the week", "Write it anew"],
    }),
    shown: /│ {2}● Keep it as it is until\n│ {4}the end of the week\n│ {2}○ Write/,
    end: "C-d",
    columns: 40,
  },
  {
    name: "a choice of several",
    step: ASK("Which colours?", { options: ["red", "blue"], multi: true }),
    shown: /◻ red\n│ {2}◻ blue/,
    end: "Escape",
  },
];

testInTerminal(
  "respond: Ctrl+D and Esc leave a question open, Ctrl+C exits with 130, and lines wrap at spaces",
  async () => {
    const home = await sharedHome();
    using client = home.client();
    const [sizeless = "", ...ids] = await askFirst(
      home,
      ASK("What is your name, if I may ask?"),
      ...PROMPTS.map(({ step }) => step),
    );
    for (const [index, prompt] of PROMPTS.entries()) {
      const { name, shown, keys = [], then, end, columns = 100 } = prompt;
      const id = ids[index] ?? "";
      const isInterrupted = end === "C-c";
      const env: Record<string, string> = isInterrupted ? {} : { NO_COLOR: "1" };
      await using terminal = await RealTerminal.open(home, ["respond", id], { columns, env });
      await terminal.waitFor(shown);
      for (const key of keys) await terminal.press(key);
      if (then !== undefined) await terminal.waitFor(then);
      await terminal.press(end);
      const all = await terminal.endsWith(isInterrupted ? 130 : 4);
      assert.equal((await client.execution(Number(id))).status, "waiting", name);
      assert.match(all, /\n■ {2}[^■●◻]+\n│ {2}not answered\n│\n/, name);
      assert.doesNotMatch(all, /Yes|◻|●/, name);
      if (!isInterrupted) assert.match(all, /Execution \d+ still waits/, name);
    }
    await answerWithoutSize(home, sizeless);
  },
);

/** Answers a question at a terminal without a size, and checks that the prompt has lines. */
async function answerWithoutSize(home: RealHome, id: string): Promise<void> {
  const sizeless = ["sh", "-c", 'stty columns 0 rows 0; exec "$@"', "sh"];
  const program = [...sizeless, ...await home.command(["respond", id])];
  await using terminal = await RealTerminal.open(home, [], { program });
  await terminal.waitFor(/◆ {2}What is your name, if I may ask\?\n│ /);
  await terminal.type("Zoë of the hills");
  await terminal.waitFor(/│ {2}Zoë of the hills/);
  await terminal.press("Enter");
  assert.match(await terminal.endsWith(0), /Thanks\./);
}

testInTerminal(
  "at a question Ctrl+C cancels a run, and Ctrl+D leaves the question of a chat open",
  async () => {
    const home = await sharedHome();
    for (const id of ["runner", "talker"]) {
      await home.writeScript(id, [ASK("Your name?"), { say: "Thanks." }]);
    }
    using client = home.client();
    await client.reload();
    {
      await using terminal = await RealTerminal.open(home, ["run", "runner"], { columns: 40 });
      await terminal.waitFor(/Your name\?\n│ /);
      await terminal.press("C-c");
      await terminal.endsWith(130);
      assert.equal((await client.runs("runner"))[0]?.status, "aborted");
    }
    await keepQuestionOfChat(home);
  },
);

/** Checks that Ctrl+D keeps the question of a chat open, and that the next answer counts. */
async function keepQuestionOfChat(home: RealHome): Promise<void> {
  await using terminal = await RealTerminal.open(home, ["chat", "talker"]);
  await terminal.waitFor(/^> *$/m);
  await terminal.type("hi");
  await terminal.press("Enter");
  await terminal.waitFor(/Your name\?\n│ /);
  await terminal.press("C-d");
  await terminal.waitFor(/The agent waits for your answer[^]*◆ {2}Your name\?\n│ /);
  await terminal.type("Zoë");
  await terminal.waitFor(/│ {2}Zoë/);
  await terminal.press("Enter");
  await terminal.waitFor(/\nThanks\.\n\n>$/);
  await terminal.press("C-d");
  await terminal.endsWith(0);
}

testInTerminal(
  "run: the picker searches, accepts no missing agent, and ends at Ctrl+C",
  async () => {
    const home = await sharedHome();
    const echo = (name: string) =>
      `---\nname: ${name}\ndescription: Repeats what it is told\n` +
      "model: { provider: demo, name: echo }\n---\nSay it.\n";
    await home.writeAgent("nightly", echo("Reports of the night"));
    await home.writeAgent("reporter", echo("A very long name that fits no narrow terminal"));
    using client = home.client();
    await client.reload();
    await using terminal = await RealTerminal.open(home, ["run"], { columns: 40 });
    await terminal.waitFor(/Which agent\?[^]*nightly[^]*reporter/);
    await terminal.type("rep");
    // The search ranks ids before names.
    await terminal.waitFor(/● \S+ reporter · A very long name[^]*○ \S+ nightly/);
    await terminal.type("zzz");
    await terminal.press("Enter");
    const shown = await terminal.waitFor(/No match/);
    for (const line of shown.split("\n")) assert.ok(line.length <= 40, line);
    await terminal.press("C-c");
    await terminal.endsWith(130);
  },
);
