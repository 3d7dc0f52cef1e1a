// mcp add: shows what a server would run and may reach, asks, and writes its entry.
import { type CommandContext, workspaceOf } from "../../context.ts";
import type { ExitCode } from "../../exit.ts";
import { addWithConsent } from "../../install/consent.ts";
import type { BroughtServer } from "../../install/server_installer.ts";
import { toOneLine } from "../../output/sanitise.ts";
import { toVisibleLine } from "../../output/visible_text.ts";
import { listenToInterrupts } from "../../prompting/interrupts.ts";

/** Adds the server `name`. */
export async function addServer(
  context: CommandContext,
  server: { name: string; source: string; args: readonly string[] },
  { yes, env = [], ...rest }: { env?: string[]; token?: string; yes?: true },
): Promise<ExitCode> {
  const { app } = context;
  const installer = await app.openServerInstaller(workspaceOf(context));
  using interrupts = listenToInterrupts(app);
  await using brought = await installer.bring({ ...server, ...rest, env }, interrupts.first);
  return await addWithConsent(context, {
    fields: describe(brought),
    question: `Add the MCP server ${toOneLine(brought.name)}?`,
    target: brought.file,
    use: `mcp: [${brought.name}]`,
    add: () => brought.add(),
  }, { yes: yes === true });
}

function describe(server: BroughtServer): [string, string][] {
  const { name, entry, pinned, otherPackages, folder, file } = server;
  const { command, args = [], url, env = {} } = entry;
  const isProgram = typeof command === "string";
  const words = [command, ...Array.isArray(args) ? args : []].map(String);
  const variables = Object.keys(env ?? {});
  const others = otherPackages === 0 ? "" : `, with ${otherPackages} other packages`;
  const loose = isProgram
    ? "a program of this machine: nothing holds it at a version"
    : "an address: what runs there is up to it";
  return [
    ["Server", toVisibleLine(name)],
    ["From", pinned === undefined ? loose : toVisibleLine(`${pinned}${others}`)],
    isProgram
      ? [
        "Runs",
        toVisibleLine(
          words.map((word) => /[\s"']/.test(word) ? JSON.stringify(word) : word).join(" "),
        ),
      ]
      : ["Sends to", toVisibleLine(String(url))],
    ["May reach", isProgram ? REACH : "what agents tell it, and nothing on this machine"],
    ...(variables.length > 0 ? [["Gets", variables.map(toVisibleLine).join(", ")]] : []),
    ["Goes to", [file, ...(folder === undefined ? [] : [folder])].map(toVisibleLine).join(", ")],
  ] as [string, string][];
}

const REACH = "what you may reach yourself, unless a sandbox holds it: " +
  "then its own files, what its arguments name, and the paths of the agents that name it";
