// The operations behind `inkling mcp`: adds a server with its package and its entry in mcp-servers.json, lists and
// removes servers.
import { dirname, join, resolve } from "../../base/plain_path.ts";
import type { JsonObject } from "../../base/json.ts";
import { isInstalled } from "../../base/files/installed_program.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import { ignoreMissing } from "../../base/files/missing.ts";
import { NotInstalled, refuseFileErrors } from "./not_installed.ts";
import type {
  SignedIn,
  SignedOut,
  SignInDialog,
  SignInOptions,
  StoredSignIn,
} from "./server_sign_in.ts";
import { readPackageName } from "./package_name.ts";
import { installedSource, installPackage } from "./server_package.ts";
import { installPythonPackage } from "./python_package.ts";
import { parseServers } from "../../runtime/tools/mcp/servers_file/parse_servers.ts";
import type { Connection } from "../authoring/server_connections.ts";
import {
  checkName,
  checkRequest,
  isAddress,
  isName,
  type ServerRequest,
} from "./server_request.ts";
import { findSnippet } from "./server_snippet.ts";
import { findNamingAgents } from "./find_naming_agents.ts";
import {
  addEntry,
  changeEntry,
  commandOf,
  readEntries,
  readServers,
  writeEntry,
} from "./servers_file_edit.ts";

const loadSignIn = lazyModule(() => import("./server_sign_in.ts"));

/** A server that is ready to be added. Dispose removes the downloaded files unless add() was called. */
export interface PreparedServer extends AsyncDisposable {
  name: string;
  /** The entry for mcp-servers.json, with `${NAME}` for variables. */
  entry: JsonObject;
  /** The command line or address in the entry. */
  runs: string;
  /** The package with its version and digest. Undefined if the version is not pinned. */
  pinned: string | undefined;
  /** The command of a server without a package if there is no such program; otherwise undefined. */
  missing: string | undefined;
  /** The number of downloaded dependencies. */
  otherPackages: number;
  /** The folder of the packages. Undefined for a server without a package. */
  folder: string | undefined;
  /** The path of mcp-servers.json. */
  file: string;
  add(): Promise<void>;
}

/** A server in mcp-servers.json. */
export interface ListedServer {
  name: string;
  /** The command line or address in the entry, with `${NAME}` for variables. */
  runs: string;
  /** The reason why the server cannot be used. Undefined if it can. */
  problem: string | undefined;
  /** The package with its version. Undefined if the version is not pinned. */
  pinned: string | undefined;
  /** The folder of the server's package. Undefined for a server without a package. */
  folder: string | undefined;
  signIn: StoredSignIn;
  /** The ids of the agents that name the server. */
  agents: string[];
}

/** Adds, lists and removes the MCP servers of one workspace. */
export class ServerInstaller {
  /** The servers of a snippet, see findSnippet(). Throws NotInstalled. */
  readonly readSnippet = findSnippet;
  readonly #options: SignInOptions & { cwd: string; version: string };

  /** `version` is Inkling's version, which is sent to servers. */
  constructor(options: SignInOptions & { cwd: string; version: string }) {
    this.#options = options;
  }

  /** The path of mcp-servers.json. */
  get #file(): string {
    return this.#options.settings.directories.mcpServersFile;
  }

  /**
   * Downloads the server's files and returns the server, ready to be added. Throws NotInstalled, or rethrows the signal's
   * reason.
   */
  async prepare(request: ServerRequest, signal: AbortSignal): Promise<PreparedServer> {
    checkRequest(request);
    const { name, source, env, token } = request;
    const { settings: { shell }, clock, cwd } = this.#options;
    const file = this.#file;
    return await refuseFileErrors(async () => {
      // This result is discarded. The call before the download reports a broken file or an existing entry at once.
      addEntry(await readServers(file), { file, name, entry: { command: "x" } });
      // The server's working directory is its own folder, so relative paths become absolute.
      const inFull = (one: string) => /^\.\.?(\/|$)/.test(one) ? resolve(cwd, one) : one;
      const args = request.args.map(inFull);
      const variables = env.length > 0
        ? { env: Object.fromEntries(env.map((one) => [one, `\${${one}}`])) }
        : {};
      const npm = readPackageName(source, "npm");
      const wanted = npm ?? readPackageName(source, "pypi");
      if (wanted === undefined) {
        const entry = isAddress(source)
          ? { url: source, ...(token && { headers: { Authorization: `Bearer \${${token}}` } }) }
          : { command: inFull(source), ...(args.length > 0 && { args }), ...variables };
        return await this.prepareEntry({ name, entry });
      }
      const folders = join(dirname(file), "mcp");
      await Deno.mkdir(folders, { recursive: true });
      await using stack = new AsyncDisposableStack();
      const staging = await Deno.makeTempDir({ dir: folders, prefix: ".adding-" });
      stack.defer(() => Deno.remove(staging, { recursive: true }));
      const fresh = join(staging, "server");
      await Deno.mkdir(fresh);
      const context = { shell, clock, signal, staging };
      const folder = join(folders, name);
      const install = npm === undefined ? installPythonPackage : installPackage;
      const installed = await install(wanted, { fresh, folder }, context);
      const entry = {
        command: installed.command,
        args: [...installed.args, ...args],
        ...(installed.env === undefined && env.length === 0
          ? {}
          : { env: { ...installed.env, ...variables.env } }),
      };
      const prepared = await this.prepareEntry({ name, entry });
      const kept = stack.move();
      return {
        ...prepared,
        pinned: installed.pinned,
        missing: undefined,
        otherPackages: installed.others,
        folder,
        add: () =>
          refuseFileErrors(async () => {
            // A server that was removed by hand may have left a folder with this name.
            await Deno.rename(folder, join(staging, "former")).catch(ignoreMissing);
            await Deno.rename(fresh, folder);
            await prepared.add();
          }),
        [Symbol.asyncDispose]: () => kept.disposeAsync(),
      };
    });
  }

  /** Returns a server without files of its own, ready to be added. Throws NotInstalled. */
  async prepareEntry(
    { name, entry }: { name: string; entry: JsonObject },
  ): Promise<PreparedServer> {
    const file = this.#file;
    return await refuseFileErrors(async () => {
      checkName(name);
      const parsed = parseServers(JSON.stringify({ [name]: entry }), file);
      const server = "problem" in parsed ? parsed : parsed.servers.get(name);
      if (server === undefined || "problem" in server) {
        const problem = server?.problem ?? "it is no server";
        throw new NotInstalled(`The server ${JSON.stringify(name)} cannot be used: ${problem}`);
      }
      addEntry(await readServers(file), { file, name, entry });
      const { command } = entry;
      const around = { path: this.#options.settings.shell["PATH"], cwd: this.#options.cwd };
      // A `~` is expanded when the server starts.
      const isMissing = typeof command === "string" && !command.startsWith("~") &&
        !isInstalled(command, around);
      return {
        name,
        entry,
        runs: commandOf(server),
        pinned: undefined,
        missing: isMissing ? command : undefined,
        otherPackages: 0,
        folder: undefined,
        file,
        add: () => refuseFileErrors(() => writeEntry({ file, name, entry })),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      };
    });
  }

  /** Starts an added server. Returns its tools, or the reason that it does not start. */
  async connect(name: string): Promise<Connection> {
    const [{ AgentRegistry }, { openServerConnections }] = await Promise.all([
      import("../../runtime/agents/registry.ts"),
      import("../authoring/server_connections.ts"),
    ]);
    const registry = new AgentRegistry(this.#options.settings);
    await registry.load();
    await using servers = await openServerConnections({
      ...this.#options,
      registry,
      isFirstStart: true,
    });
    return await servers.connect(name);
  }

  /** Writes into an added server's entry which of its tools need no approval. Throws NotInstalled. */
  async freeTools(name: string, tools: readonly string[]): Promise<void> {
    const path: [string, string] = [name, "auto_approve"];
    await refuseFileErrors(() => changeEntry({ file: this.#file, path, value: [...tools] }));
  }

  /** Returns the servers of mcp-servers.json in the file's order. Throws NotInstalled if the file is broken. */
  async list(): Promise<ListedServer[]> {
    return await refuseFileErrors(async () => {
      const entries = await readEntries(this.#file);
      if (entries.length === 0) return [];
      const naming = await findNamingAgents("mcp", this.#options.settings);
      return await Promise.all(entries.map(async ({ name, ...entry }) => {
        const folder = join(dirname(this.#file), "mcp", name);
        const pinned = isName(name) ? await installedSource(folder) : undefined;
        return {
          name,
          ...entry,
          pinned,
          folder: pinned === undefined ? undefined : folder,
          signIn: isAddress(entry.runs)
            ? await (await loadSignIn()).readSignIn(name, this.#options)
            : {},
          agents: naming.get(name) ?? [],
        };
      }));
    });
  }

  /** Signs a person in to a server. See signIn(). */
  async signIn(
    name: string,
    dialog: SignInDialog,
    signal: AbortSignal,
  ): Promise<SignedIn> {
    const { signIn } = await loadSignIn();
    return await signIn(name, dialog, { ...this.#options, signal });
  }

  /** Revokes and forgets the sign-in to a server. See signOut(). */
  async signOut(name: string, signal?: AbortSignal): Promise<SignedOut> {
    const { signOut } = await loadSignIn();
    return await signOut(name, { ...this.#options, ...(signal && { signal }) });
  }

  /** Removes a server's entry, its sign-in, and the folder of its package. Throws NotInstalled. */
  async remove({ name, folder }: Pick<ListedServer, "name" | "folder">): Promise<void> {
    await refuseFileErrors(async () => {
      await this.signOut(name);
      await changeEntry({ file: this.#file, path: [name], value: undefined });
      if (folder !== undefined) await Deno.remove(folder, { recursive: true });
    });
  }
}
