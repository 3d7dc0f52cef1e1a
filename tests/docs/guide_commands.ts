// The commands in the guides, and those that a test runs.
import { join } from "node:path";
import { exampleNames } from "../examples/example_workspace.ts";
import { REPOSITORY } from "../support/repository.ts";

/** The commands that no test runs, each with the reason. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  "inkling notify --test phone": "sends a message over the Internet",
  "inkling mcp add archive npm:@modelcontextprotocol/server-filesystem ~/archive":
    "downloads a package",
  "inkling mcp add tracker https://tracker.example/mcp --token TRACKER_TOKEN":
    "asks at a terminal; tests/cli/commands runs it",
  "inkling service install":
    "installs a unit on the machine; the tests of that command use a stand-in",
  "inkling service status": "asks the service manager; the tests of that command use a stand-in",
  "inkling run weekly --dry-run": "needs the MCP server that the reader brings",
};

/** Returns the text of a guide. */
export function guide(name: string): string {
  return Deno.readTextFileSync(join(REPOSITORY, "docs/guides", `${name}.md`));
}

/** Returns the commands in a guide's shell blocks, and the commands that fill a table cell. */
export function commandsOf(text: string): string[] {
  const blocks = /^( *)```sh\n([^]*?)^\1```$|^(\|.*)$/gm;
  return [...text.matchAll(blocks)].flatMap(([, , block, row]) =>
    row === undefined
      ? (block ?? "").split("\n").map((line) => line.trim()).filter((line) => line !== "")
      : [...row.matchAll(/\| `(inkling [^`]+)` *(?=\|)/g)].map(([, command = ""]) => command)
  );
}

/** Returns the kinds of the commands that the test of the guides runs. */
export function kindsInGuides(): Set<string> {
  const commands = exampleNames().flatMap((name) => commandsOf(guide(name)));
  return new Set(commands.filter((command) => NOT_RUN[command] === undefined).map(kindOf));
}

/** Returns the kind of a command: its name and its options, such as `run --dry-run`. */
export function kindOf(command: string): string {
  const [, name, ...words] = command.split(" ");
  return [name, ...words.filter((word) => word.startsWith("-"))].join(" ");
}
