// `inkling mcp`: adds an MCP server after a confirmation, lists the workspace's MCP servers, removes one, or signs in to one.
import { defined } from "../../context/defined.ts";
import { type CommandOptions, performs } from "../../command_line/command.ts";
import type { mcp } from "../../declarations/authoring_commands.ts";
import { checkAction } from "../../command_line/actions.ts";
import { UsageError } from "../../command_line/usage_error.ts";
import { chooseApprovals } from "../../install/server_tools.ts";
import { readAllInput } from "../../prompting/piped_input.ts";
import type { CommandContext } from "../../context/context.ts";
import { changeWithConsent, removeInstalled } from "../../install/consent.ts";
import type { ListedServer, PreparedServer } from "../../../ops/install/server_installer.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { NOTHING } from "../../output/table.ts";
import { toVisibleLine } from "../../../present/visible_text.ts";
import { openService } from "../../service/daemon.ts";
import { listenToInterrupts } from "../../prompting/interrupts.ts";

const ACTIONS = {
  add: { words: ["name"], more: ["source"], hasRest: true, options: ["env", "token", "yes"] },
  list: { words: [], options: ["json"] },
  login: { words: ["name"], options: ["noBrowser"] },
  logout: { words: ["name"], options: [] },
  remove: { words: ["name"], options: ["yes"] },
  serve: { words: [], options: [] },
} as const;

const loadSignIn = () => import("./mcp_sign_in.ts");

type McpOptions = CommandOptions<typeof mcp>;

/** Adds, lists or removes MCP servers, signs in to one, or is one, according to the action. */
export const perform = performs<typeof mcp>(async (context, options, words) => {
  checkAction("mcp", ACTIONS, words, options);
  const { action, name = "", source, args } = words;
  if (action === "serve") await serve(context);
  else if (action === "list") await show(context, options);
  else if (action === "remove") await remove(context, name, options);
  else if (action === "login") await (await loadSignIn()).logIn(context, name, options);
  else if (action === "logout") await (await loadSignIn()).logOut(context, name);
  else await add(context, defined({ name, args, source }), options);
});

/** Is the MCP server of the workspace's exposed agents, until the client closes standard input. */
async function serve(context: CommandContext): Promise<void> {
  const { app } = context;
  using interrupts = listenToInterrupts(app);
  // A service that cannot start ends the command with its error, before a client waits for an answer.
  (await openService(context, { signal: interrupts.first }))[Symbol.dispose]();
  const { serveMcpOverStdio } = await import("../../../reach/mcp/stdio.ts");
  await serveMcpOverStdio({
    version: app.version,
    clock: app.clock,
    open: () => openService(context),
    onError: (error) => context.output.warning(toOneLine(error.message)),
  }, interrupts.first);
}

/**
 * Prepares the MCP servers that the words name, prints their details, and adds each to mcp-servers.json if the user confirms.
 * Then starts it once, and asks which of its tools need approval.
 */
async function add(
  context: CommandContext,
  { name: typed, source, args }: { name: string; source?: string; args: readonly string[] },
  { yes, env = [], token }: McpOptions,
): Promise<void> {
  const { app, output } = context;
  const refuseName = () => {
    throw new UsageError(`"mcp add" needs the argument 'source'`, "mcp");
  };
  if (source === undefined && /^\w[\w.-]*$/.test(typed)) refuseName();
  const installer = await app.openServerInstaller(context);
  using interrupts = listenToInterrupts(app);
  const prepare = (server: { name: string; source: string }) =>
    installer.prepare(
      defined({ ...server, args, env, token }),
      interrupts.first,
    );
  const name = source === undefined && typed === "-" ? await readAllInput(app) : typed;
  const servers = args.length > 0 ? undefined : installer.readSnippet(defined({ name, source }));
  if (servers === undefined) {
    if (source === undefined) return refuseName();
    return await addOne(context, installer, await prepare({ name, source }), yes === true);
  }
  for (const { name, entry, leftOut } of servers) {
    const { url, ...others } = entry;
    const isAddress = typeof url === "string" && Object.keys(others).length === 0;
    if (!isAddress && (env.length > 0 || token !== undefined)) {
      throw new UsageError("A snippet takes no --env and no --token: write them into it", "mcp");
    }
    if (leftOut.length > 0) {
      output.warning(`${toOneLine(name)}: left out of the snippet: ${leftOut.join(", ")}`);
    }
    const prepared = isAddress
      ? await prepare({ name, source: url })
      : await installer.prepareEntry({ name, entry });
    await addOne(context, installer, prepared, yes === true);
  }
}

async function addOne(
  context: CommandContext,
  installer: Awaited<ReturnType<CommandContext["app"]["openServerInstaller"]>>,
  server: PreparedServer,
  yes: boolean,
): Promise<void> {
  await using prepared = server;
  const { name, missing, file } = prepared;
  if (missing !== undefined) {
    context.output.warning(`There is no program ${toOneLine(missing)} on this machine`);
  }
  const isAdded = await changeWithConsent(context, {
    fields: describe(prepared),
    question: `Add the MCP server ${toOneLine(name)}?`,
    done: "added",
    target: file,
    next: `To use it, write into an agent's file: mcp: [${name}]`,
    make: () => prepared.add(),
  }, { yes });
  if (isAdded && missing === undefined) await chooseApprovals(context, installer, { name, yes });
}

/** Prints the servers in mcp-servers.json. */
async function show(context: CommandContext, { json }: McpOptions): Promise<void> {
  const { app, output } = context;
  const servers = await (await app.openServerInstaller(context)).list();
  if (json) output.json(servers.map(toJson));
  else if (servers.length === 0) {
    output.detail('There are no MCP servers. "inkling mcp add" adds one');
  } else {
    output.table(servers, [
      { header: "Server", cell: ({ name }) => name, paint: output.style.bold },
      { header: "Source", cell: ({ pinned }) => pinned ?? NOTHING, shrinks: true },
      { header: "Runs", cell: ({ runs }) => runs || NOTHING, shrinks: true },
      { header: "Agents", cell: ({ agents }) => agents.join(", ") || NOTHING, shrinks: true },
    ], { note: noteOf });
  }
}

/** Returns the line below a server in the list, or undefined. */
function noteOf({ problem, signIn }: ListedServer): string | undefined {
  return problem === undefined ? signIn.note : `cannot be used: ${problem}`;
}

function toJson(server: ListedServer): Record<string, unknown> {
  const { name, runs, pinned, problem, agents, signIn } = server;
  return {
    ...{ name, runs, source: pinned ?? null, problem: problem ?? null, agents },
    ...{ sign_in: signIn.state ?? null, sign_in_note: signIn.note ?? null },
  };
}

/** Removes a server's entry and its downloaded package if the user confirms. */
async function remove(
  context: CommandContext,
  name: string,
  { yes }: McpOptions,
): Promise<void> {
  const installer = await context.app.openServerInstaller(context);
  await removeInstalled(context, {
    what: "MCP server",
    name,
    items: await installer.list(),
    fieldsOf: ({ runs, problem, folder }, usedBy) => [
      ["Server", toVisibleLine(name)],
      ["Runs", toVisibleLine(runs || (problem ?? ""))],
      usedBy,
      folder !== undefined && ["Deletes", toVisibleLine(folder)],
    ],
    targetOf: () => toVisibleLine(name),
    remove: (server) => installer.remove(server),
    yes,
  });
}

function describe(server: PreparedServer): [string, string][] {
  const { name, entry, runs, pinned, otherPackages, folder, file } = server;
  const isProgram = entry["command"] !== undefined;
  const kind = isProgram ? "a program on this machine" : "an address";
  const access = entry["sandbox"] === false ? NO_SANDBOX : ACCESS;
  const variables = Object.keys(entry["env"] ?? {});
  const fields = {
    Server: name,
    Source: pinned === undefined
      ? `${kind}; its version is not pinned`
      : `${pinned}${otherPackages === 0 ? "" : `, with ${otherPackages} other packages`}`,
    [isProgram ? "Command" : "Address"]: runs,
    Access: isProgram ? access : "only the data that agents send to it",
    ...(variables.length > 0 && { Variables: variables.join(", ") }),
    Writes: folder === undefined ? file : `${file}, ${folder}`,
  };
  return Object.entries(fields).map(([label, text]) => [label, toVisibleLine(text)]);
}

const ACCESS = "everything that you can access; in a sandbox, only its own files, " +
  "the paths in its arguments, and the paths of the agents that use it";
const NO_SANDBOX = "everything that you can access: a container does not start in a sandbox";
