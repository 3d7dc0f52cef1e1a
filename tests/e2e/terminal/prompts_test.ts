// Every kind of prompt at a real terminal: Ctrl+C at each ends the command with 130, Ctrl+D puts the question aside, and
// both give the terminal back; at a narrow one they are legible.
import assert from "node:assert/strict";
import { createRealHome, type RealHome } from "../real_process.ts";
import { RealTerminal, testInTerminal } from "./real_terminal.ts";

const ASK = (question: string, more: Record<string, unknown> = {}) => ({
  call: [{ name: "ask_user", arguments: { question, ...more } }],
});

/** Lets an agent ask each question, and returns the executions that wait for the answers. */
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
  /** Keys that lead from the first prompt to the one that is meant. */
  keys?: string[];
  then?: RegExp;
}

const PROMPTS: Prompt[] = [
  { name: "a confirmation", step: ASK("Go on?", { kind: "confirm" }), shown: /Yes.*No/ },
  {
    name: "the reason of a denial",
    step: ASK("Go on?", { kind: "confirm" }),
    shown: /Yes.*No/,
    keys: ["n"],
    then: /Why not\?/,
  },
  { name: "a text", step: ASK("Your name?"), shown: /Your name\?\n│ / },
  {
    name: "a choice",
    step: ASK("Which colour?", { options: ["red", "blue"] }),
    shown: /● red\n│ {2}○ blue/,
  },
  {
    name: "a choice of several",
    step: ASK("Which colours?", { options: ["red", "blue"], multi: true }),
    shown: /◻ red\n│ {2}◻ blue/,
  },
];

testInTerminal(
  "respond at each kind of prompt: Ctrl+D or Esc leaves it, Ctrl+C exits with 130; none looks like an answer",
  async () => {
    await using home = await createRealHome();
    const ids = await askFirst(home, ...PROMPTS.map(({ step }) => step));
    using client = home.client();
    for (const [index, { name, shown, keys = [], then }] of PROMPTS.entries()) {
      const id = ids[index] ?? "";
      const aside = name.includes("choice") ? "Escape" : "C-d";
      for (const [key, code, columns] of [[aside, 4, 100], ["C-c", 130, 40]] as const) {
        const env: Record<string, string> = code === 4 ? { NO_COLOR: "1" } : {};
        await using terminal = await RealTerminal.open(home, ["respond", id], { columns, env });
        await terminal.waitFor(shown);
        for (const key of keys) await terminal.press(key);
        if (then !== undefined) await terminal.waitFor(then);
        await terminal.press(key);
        const all = await terminal.endsWith(code);
        assert.equal((await client.execution(Number(id))).status, "waiting", name);
        assert.match(all, /\n■ {2}[^■●◻]*\?[^■●◻]*\n│ {2}not answered\n│\n/, name);
        assert.doesNotMatch(all, /Yes|◻|●/, name);
        if (key === "C-c") continue;
        assert.match(all, /Execution \d+ still waits/, name);
      }
    }
  },
);

testInTerminal("new: questions and choices are broken at spaces at a narrow terminal", async () => {
  await using home = await createRealHome();
  await using terminal = await RealTerminal.open(home, ["new", "daily"], { columns: 40 });
  await terminal.waitFor(/◆ {2}One-line description/);
  await terminal.press("Enter");
  await terminal.waitFor(/◆ {2}Model provider/);
  await terminal.press("Enter");
  await terminal.waitFor(/◆ {2}When does it run/);
  await terminal.press("Down", "Enter");
  await terminal.waitFor(
    /◆ {2}How often\? For example: 30m, 1d,\n│ {4}every weekday at 8, or a cron\n│ {4}expression\n│ /,
  );
  await terminal.press("C-c");
  await terminal.endsWith(130);
});

testInTerminal("respond: long choices are broken at spaces, below their beginning", async () => {
  await using home = await createRealHome();
  const options = ["Keep it as it is until the end of the week", "Write it anew"];
  const ids = await askFirst(home, ASK("Which?", { options }));
  await using terminal = await RealTerminal.open(home, ["respond", ...ids], { columns: 40 });
  await terminal.waitFor(/│ {2}● Keep it as it is until\n│ {4}the end of the week\n│ {2}○ Write/);
  await terminal.press("Enter");
  await terminal.endsWith(0);
});

testInTerminal(
  "respond: a prompt has lines at a terminal that does not tell its size",
  async () => {
    await using home = await createRealHome();
    const ids = await askFirst(home, ASK("What is your name, if I may ask?"));
    const sizeless = ["sh", "-c", 'stty columns 0 rows 0; exec "$@"', "sh"];
    const program = [...sizeless, ...await home.command(["respond", ...ids])];
    await using terminal = await RealTerminal.open(home, [], { program });
    await terminal.waitFor(/◆ {2}What is your name, if I may ask\?\n│ /);
    await terminal.type("Zoë of the hills");
    await terminal.waitFor(/│ {2}Zoë of the hills/);
    await terminal.press("Enter");
    const shown = await terminal.endsWith(0);
    assert.match(shown, /Thanks\./);
  },
);

testInTerminal(
  "run at a question: Ctrl+D, typed or not, leaves it for later; Ctrl+C cancels the run",
  async () => {
    await using home = await createRealHome();
    using client = home.client();
    const cases = [
      ["", "C-d", 4, "waiting"],
      ["Zo", "C-d", 4, "waiting"],
      ["", "C-c", 130, "aborted"],
    ] as const;
    // An agent with a question that waits takes no other run.
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
  },
);

testInTerminal("chat: Ctrl+D at a question keeps it open, and the next answer counts", async () => {
  await using home = await createRealHome();
  await home.writeScript("asker", [ASK("Your name?"), { say: "Thanks." }]);
  await using terminal = await RealTerminal.open(home, ["chat", "asker"]);
  await terminal.waitFor(/^> *$/m);
  await terminal.type("hi");
  await terminal.press("Enter");
  await terminal.waitFor(/Your name\?\n│ /);
  await terminal.press("C-d");
  await terminal.waitFor(/It waits for an answer[^]*◆ {2}Your name\?\n│ /);
  await terminal.type("Zoë");
  await terminal.waitFor(/│ {2}Zoë/);
  await terminal.press("Enter");
  await terminal.waitFor(/\nThanks\.\n\n>$/);
  await terminal.press("C-d");
  await terminal.endsWith(0);
});

testInTerminal(
  "run: the picker searches, does not take what is not there, and ends at Ctrl+C and Ctrl+D",
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
    // The id counts more than the name.
    await terminal.waitFor(/● \S+ reporter · A very long name[^]*○ \S+ nightly/);
    await terminal.type("zzz");
    await terminal.press("Enter");
    const shown = await terminal.waitFor(/No match/);
    for (const line of shown.split("\n")) assert.ok(line.length <= 40, line);
    await terminal.press("C-c");
    await terminal.endsWith(130);
    await using again = await RealTerminal.open(home, ["run"]);
    await again.waitFor(/Which agent\?[^]*nightly/);
    await again.press("C-d");
    await again.endsWith(130);
  },
);
