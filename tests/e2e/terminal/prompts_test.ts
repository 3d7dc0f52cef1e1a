// Tests of every kind of prompt at a real terminal: Ctrl+C exits with 130, Ctrl+D leaves the question open, and both
// restore the terminal. The prompts are also legible at a narrow terminal.
import assert from "node:assert/strict";
import { createRealHome, type RealHome } from "../real_process.ts";
import { converse } from "./dialog.ts";
import { RealTerminal, testInTerminal } from "./real_terminal.ts";

const ASK = (question: string, more: Record<string, unknown> = {}) => ({
  call: [{ name: "ask_user", arguments: { question, ...more } }],
});

/** Makes an agent ask each question, and returns the waiting executions. */
async function askFirst(home: RealHome, ...steps: unknown[]): Promise<string[]> {
  for (const [index, step] of steps.entries()) {
    await home.writeScript(`asker-${index}`, [step, { say: "Thanks." }]);
  }
  await home.succeed("start", "-d");
  using client = home.client();
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
  /** The key that ends the tested prompt. Tests of Ctrl+C use a narrow terminal with colors, the others no colors. */
  end: "C-c" | "C-d" | "Escape";
}

const PROMPTS: Prompt[] = [
  {
    name: "a confirmation",
    step: ASK("Go on?", { kind: "confirm" }),
    shown: /Yes.*No/,
    end: "C-d",
  },
  {
    name: "the reason of a denial",
    step: ASK("Go on?", { kind: "confirm" }),
    shown: /Yes.*No/,
    keys: ["n"],
    then: /Reason for the denial/,
    end: "C-c",
  },
  { name: "a text", step: ASK("Your name?"), shown: /Your name\?\n│ /, end: "C-d" },
  {
    name: "a choice",
    step: ASK("Which colour?", { options: ["red", "blue"] }),
    shown: /● red\n│ {2}○ blue/,
    end: "C-c",
  },
  {
    name: "a choice of several",
    step: ASK("Which colours?", { options: ["red", "blue"], multi: true }),
    shown: /◻ red\n│ {2}◻ blue/,
    end: "Escape",
  },
];

testInTerminal(
  "respond: Ctrl+D and Esc leave a question open, Ctrl+C exits with 130",
  async () => {
    await using home = await createRealHome();
    const options = ["Keep it as it is until the end of the week", "Write it anew"];
    const [long = "", sizeless = "", ...ids] = await askFirst(
      home,
      ASK("Which?", { options }),
      ASK("What is your name, if I may ask?"),
      ...PROMPTS.map(({ step }) => step),
    );
    using client = home.client();
    for (const [index, { name, shown, keys = [], then, end }] of PROMPTS.entries()) {
      const id = ids[index] ?? "";
      const isInterrupted = end === "C-c";
      await using terminal = await RealTerminal.open(home, ["respond", id], {
        columns: isInterrupted ? 40 : 100,
        env: isInterrupted ? {} : { NO_COLOR: "1" },
      });
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
    await answerLongChoice(home, long);
    await answerWithoutSize(home, sizeless);
  },
);

/** Answers a question with long choices, and checks that they wrap at spaces and are indented. */
async function answerLongChoice(home: RealHome, id: string): Promise<void> {
  await using terminal = await RealTerminal.open(home, ["respond", id], { columns: 40 });
  await terminal.waitFor(/│ {2}● Keep it as it is until\n│ {4}the end of the week\n│ {2}○ Write/);
  await terminal.press("Enter");
  await terminal.endsWith(0);
}

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

testInTerminal("new: questions wrap at spaces at a narrow terminal", async () => {
  await using home = await createRealHome();
  await using terminal = await RealTerminal.open(home, ["new", "daily"], { columns: 40 });
  await converse(terminal, [
    { question: /How should daily begin\?/, answer: "" },
    { question: /One-line description/, answer: "" },
    { question: /Model provider/, answer: "" },
    { question: /When should it run/, answer: ["Down", "Enter"] },
  ]);
  await terminal.waitFor(
    /◆ {2}How often\? For example: 30m, 1d,\n│ {4}every weekday at 8, or a cron\n│ {4}expression\n│ /,
  );
  await terminal.press("C-c");
  await terminal.endsWith(130);
});

testInTerminal(
  "at a question Ctrl+D leaves the question of a run and of a chat open, Ctrl+C cancels the run",
  async () => {
    await using home = await createRealHome();
    using client = home.client();
    const cases = [
      ["Zo", "C-d", 4, "waiting"],
      ["", "C-c", 130, "aborted"],
    ] as const;
    await home.writeScript("asker", [ASK("Your name?"), { say: "Thanks." }]);
    // An agent with an open question starts no other run, so each case has its own agent.
    for (const index of cases.keys()) {
      await home.writeScript(`asker-${index}`, [ASK("Your name?"), { say: "Thanks." }]);
    }
    for (const [index, [typed, key, code, status]] of cases.entries()) {
      const agent = `asker-${index}`;
      await using terminal = await RealTerminal.open(home, ["run", agent], { columns: 40 });
      await terminal.waitFor(/Your name\?\n│ /);
      if (typed !== "") {
        await terminal.type(typed);
        await terminal.waitFor(/│ {2}Zo/);
      }
      await terminal.press(key);
      await terminal.endsWith(code);
      assert.equal((await client.execution(index + 1)).status, status);
    }
    await keepQuestionOfChat(home);
  },
);

/** Checks that Ctrl+D keeps the question of a chat open, and that the next answer counts. */
async function keepQuestionOfChat(home: RealHome): Promise<void> {
  await using terminal = await RealTerminal.open(home, ["chat", "asker"]);
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
    await using home = await createRealHome();
    const echo = (name: string) =>
      `---\nname: ${name}\ndescription: Repeats what it is told\n` +
      "model: { provider: demo, name: echo }\n---\nSay it.\n";
    await home.writeAgent("nightly", echo("Reports of the night"));
    await home.writeAgent("reporter", echo("A very long name that fits no narrow terminal"));
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
