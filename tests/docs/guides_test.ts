// Tests that the guides are true: their files are the example's files, and their commands run in a copy of the example.
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  copyExample,
  exampleFiles,
  exampleNames,
  EXAMPLES,
} from "../examples/example_workspace.ts";
import { copyTree } from "../../release/folder.ts";
import { REPOSITORY } from "../support/repository.ts";
import { commandsOf, guide, NOT_RUN } from "./guide_commands.ts";
import { createNewcomerHome, type NewcomerHome } from "./newcomer_home.ts";

const MOST_LINES = 70;

/** The blocks that are neither commands to run nor files of an example, by guide and language, each with the reason. */
const OTHER_BLOCKS: Readonly<Record<string, string>> = {
  "on-a-server: nginx": "a proxy of the reader, with a certificate",
};

/** The expected exit codes that are not 0, by guide and command. */
const CODES: Readonly<Record<string, number>> = {
  // `doctor` reports that no unit starts the service with the machine.
  "on-a-server: inkling doctor": 1,
  "for-a-team: inkling doctor": 1,
  // In the second run the model gets another message.
  "find-out-why: inkling diff 1 2": 1,
};

/** The commands that need the delayed effect of an earlier command. The test repeats them until they succeed. */
const REPEATED: ReadonlySet<string> = new Set([
  "cat ~/inkling/summaries/newest.md",
  "inkling respond 1 --yes",
]);

Deno.test("docs/guides: each guide is short and links to its example", () => {
  for (const name of exampleNames()) {
    const text = guide(name);
    const lines = text.trimEnd().split("\n").length;
    assert.ok(lines <= MOST_LINES, `${name} has ${lines} lines`);
    assert.ok(text.includes(`](../../examples/${name}/)`), name);
  }
});

Deno.test("docs/guides: a shown file is the file of the example", () => {
  let shown = 0;
  const others = new Set(Object.keys(OTHER_BLOCKS));
  for (const name of exampleNames()) {
    const files = exampleFiles(name);
    // A block shows the last path that the paragraph before it names.
    for (
      const [, before = "", language, body] of guide(name).matchAll(
        /^([^\n]+(?:\n[^\n]+)*)\n\n```(\w+)\n([^]*?)^```$/gm,
      )
    ) {
      const other = `${name}: ${language}`;
      others.delete(other);
      if (language === "sh" || OTHER_BLOCKS[other] !== undefined) continue;
      const named = [...before.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path);
      const file = named.findLast((path) => files.includes(path));
      assert.ok(file !== undefined, `${name}: no file of the example is named before\n${body}`);
      assert.equal(body, Deno.readTextFileSync(join(EXAMPLES, name, file)), `${name}: ${file}`);
      shown++;
    }
  }
  assert.ok(shown > 15, `${shown} files`);
  assert.deepEqual([...others], [], "listed, and not there");
});

/** The number of homes in which guides run concurrently. */
const AT_ONCE = 3;

/** The guides that run one after the other in one home, with one service: their commands name no ids of executions. */
const TOGETHER = ["when-a-file-arrives", "every-morning", "keep-it-cheap", "gallery"];

/** Matches the commands at the beginning of a guide that tests/examples performs on the same files. */
const CHECKED = /^inkling (?:validate|test)(?: \w+)?$/;

/** Matches the commands that only show something, by their name and options. Each runs in one guide. */
const SHOWING = /^inkling (doctor|list|recap|status|logs|show)(?: ([\w-]+))?$/;

/** The commands of a guide that the test runs. */
interface Play {
  name: string;
  commands: string[];
}

/** Returns the plays of groups of guides. Checks the agents of commands that another guide runs with another agent. */
function toPlays(groups: readonly (readonly string[])[]): Play[][] {
  const shown = new Set<string>();
  const isNew = (name: string, command: string) => {
    const [, kind = "", agent] = SHOWING.exec(command) ?? [];
    if (kind === "" || CODES[`${name}: ${command}`] !== undefined) return true;
    if (!shown.has(kind)) return shown.add(kind) !== undefined;
    if (agent !== undefined) assert.ok(exampleFiles(name).includes(`agents/${agent}.md`), command);
    return false;
  };
  return groups.map((names) =>
    names.map((name) => {
      const commands = commandsOf(guide(name));
      const first = commands.findIndex((command) => !CHECKED.test(command));
      return {
        name,
        commands: commands.slice(first)
          .filter((command) => NOT_RUN[command] === undefined && isNew(name, command)),
      };
    })
  );
}

let setUp: NewcomerHome;

Deno.test.beforeAll(async () => {
  setUp = await createNewcomerHome();
  const { code, output } = await setUp.run("inkling setup --yes --provider demo --model report");
  assert.equal(code, 0, output);
});
// The home is undefined if its creation failed; that failure is reported.
Deno.test.afterAll(async () => await setUp?.[Symbol.asyncDispose]());

/** Creates a copy of the home in which `inkling setup` ran. The files that the command writes name no absolute path. */
async function openSetUpHome(): Promise<NewcomerHome> {
  const home = await createNewcomerHome();
  await copyTree(setUp.path, home.path);
  return home;
}

Deno.test("docs/guides: the commands of each guide run in a new home", async () => {
  const others = exampleNames().filter((name) => !TOGETHER.includes(name)).map((name) => [name]);
  const groups = toPlays([TOGETHER, ...others]).values();
  const play = async () => {
    for (const plays of groups) await playGuides(plays);
  };
  // After a failure, the other guides end before the next test begins.
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, play));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
});

/** Runs the commands of guides in one home. */
async function playGuides(plays: readonly Play[]): Promise<void> {
  await using home = await openSetUpHome();
  for (const { name, commands } of plays) {
    await copyExample(name, join(home.path, "inkling"));
    for (const command of commands) {
      const line = REPEATED.has(command) ? `until ${command}; do sleep 0.2; done` : command;
      const { code, output } = await home.run(line);
      assert.equal(code, CODES[`${name}: ${command}`] ?? 0, `${name}: ${command}\n${output}`);
    }
  }
}

Deno.test("examples/README.md: its commands play the tests of an example", async () => {
  await using home = await openSetUpHome();
  const page = Deno.readTextFileSync(join(EXAMPLES, "README.md"));
  for (const command of commandsOf(page)) {
    const { code, output } = await home.run(command, REPOSITORY);
    assert.equal(code, 0, `${command}\n${output}`);
  }
});

Deno.test("docs/guides: every command that is listed as not run is in a guide", () => {
  const all = new Set(exampleNames().flatMap((name) => commandsOf(guide(name))));
  assert.deepEqual(Object.keys(NOT_RUN).filter((one) => !all.has(one)), []);
});
