// The operations behind `inkling mcp`: adds a server with its package and its entry in mcp-servers.json, lists and
// removes servers.
import { dirname, join, resolve } from "../../base/plain_path.ts";
import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { isInstalled } from "../../base/files/installed_program.ts";
import { ignoreMissing } from "../../base/files/missing.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";
import { NotInstalled, refuseFileErrors } from "./not_installed.ts";
import { parsePackageName } from "./package_name.ts";
import { installedSource, installPackage } from "./server_package.ts";
import { installPythonPackage, parsePythonPackage } from "./python_package.ts";
import { findNamingAgents } from "./find_naming_agents.ts";
import {
  addEntry,
  readEntries,
  readServers,
  removeEntry,
  writeEntry,
} from "./servers_file_edit.ts";

/** A request to add a server. */
export interface ServerRequest {
  name: string;
  /** The source as the person typed it: `npm:name`, `pypi:name`, an address, or a program. */
  source: string;
  /** The program's arguments. */
  args: readonly string[];
  /** The names of the environment variables that the program gets. */
  env: readonly string[];
  /** The environment variable with the token for the server. Only for a source that is an address. */
  token?: string;
}

/** A server that is ready to be added. Dispose removes the downloaded files unless add() was called. */
export interface PreparedServer extends AsyncDisposable {
  name: string;
  /** The entry for mcp-servers.json, with `${NAME}` for variables. */
  entry: JsonObject;
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
  /** The ids of the agents that name the server. */
  agents: string[];
}

/** Adds, lists and removes the MCP servers of one workspace. */
export class ServerInstaller {
  readonly #settings: WorkspaceSettings;
  readonly #clock: Clock;
  readonly #cwd: string;

  constructor(options: { settings: WorkspaceSettings; clock: Clock; cwd: string }) {
    this.#settings = options.settings;
    this.#clock = options.clock;
    this.#cwd = options.cwd;
  }

  /**
   * Downloads the server's files and returns the server, ready to be added. Throws NotInstalled, or rethrows the signal's
   * reason.
   */
  async prepare(request: ServerRequest, signal: AbortSignal): Promise<PreparedServer> {
    checkRequest(request);
    const { name, source, env } = request;
    const { shell, directories: { mcpServersFile: file } } = this.#settings;
    return await refuseFileErrors(async () => {
      // This result is discarded. The call before the download reports a broken file or an existing entry at once.
      addEntry(await readServers(file), { file, name, entry: { command: "x" } });
      // The server's working directory is its own folder, so relative paths become absolute.
      const inFull = (one: string) => /^\.\.?(\/|$)/.test(one) ? resolve(this.#cwd, one) : one;
      const args = request.args.map(inFull);
      const variables = env.length > 0
        ? { env: Object.fromEntries(env.map((one) => [one, `\${${one}}`])) }
        : {};
      const npm = withoutPrefix("npm:", source);
      const pypi = withoutPrefix("pypi:", source);
      if (npm === undefined && pypi === undefined) {
        const entry = isAddress(source)
          ? { url: source, ...headersOf(request) }
          : { command: inFull(source), ...(args.length > 0 && { args }), ...variables };
        return {
          name,
          entry,
          pinned: undefined,
          missing: isAddress(source) || this.#isThere(inFull(source)) ? undefined : source,
          otherPackages: 0,
          folder: undefined,
          file,
          add: () => refuseFileErrors(() => writeEntry({ file, name, entry })),
          [Symbol.asyncDispose]: () => Promise.resolve(),
        };
      }
      const folders = join(dirname(file), "mcp");
      await Deno.mkdir(folders, { recursive: true });
      await using stack = new AsyncDisposableStack();
      const staging = await Deno.makeTempDir({ dir: folders, prefix: ".adding-" });
      stack.defer(() => Deno.remove(staging, { recursive: true }));
      const fresh = join(staging, "server");
      await Deno.mkdir(fresh);
      const context = { shell, clock: this.#clock, signal, staging };
      const folder = join(folders, name);
      const installed = pypi !== undefined
        ? await installPythonPackage(pypi, { fresh, folder }, context)
        : await installPackage(npm ?? "", { fresh, folder }, context);
      const entry = {
        command: installed.command,
        args: [...installed.args, ...args],
        ...(installed.env === undefined && env.length === 0
          ? {}
          : { env: { ...installed.env, ...variables.env } }),
      };
      const kept = stack.move();
      return {
        name,
        entry,
        pinned: installed.pinned,
        missing: undefined,
        otherPackages: installed.others,
        folder,
        file,
        add: () =>
          refuseFileErrors(async () => {
            // A server that was removed by hand may have left a folder with this name.
            await Deno.rename(folder, join(staging, "former")).catch(ignoreMissing);
            await Deno.rename(fresh, folder);
            await writeEntry({ file, name, entry });
          }),
        [Symbol.asyncDispose]: () => kept.disposeAsync(),
      };
    });
  }

  /** Returns whether a program is on this machine. A `~` is expanded when the server starts. */
  #isThere(program: string): boolean {
    const path = this.#settings.shell["PATH"];
    return program.startsWith("~") || isInstalled(program, { path, cwd: this.#cwd });
  }

  /** Returns the servers of mcp-servers.json in the file's order. Throws NotInstalled if the file is broken. */
  async list(): Promise<ListedServer[]> {
    const { directories: { mcpServersFile: file } } = this.#settings;
    return await refuseFileErrors(async () => {
      const entries = await readEntries(file);
      if (entries.length === 0) return [];
      const naming = await findNamingAgents("mcp", this.#settings);
      return await Promise.all(entries.map(async ({ name, ...entry }) => {
        const folder = join(dirname(file), "mcp", name);
        const pinned = NAME.test(name) ? await installedSource(folder) : undefined;
        return {
          name,
          ...entry,
          pinned,
          folder: pinned === undefined ? undefined : folder,
          agents: naming.get(name) ?? [],
        };
      }));
    });
  }

  /** Removes a server's entry and the folder of its package. Throws NotInstalled. */
  async remove({ name, folder }: Pick<ListedServer, "name" | "folder">): Promise<void> {
    const { directories: { mcpServersFile: file } } = this.#settings;
    await refuseFileErrors(async () => {
      await removeEntry({ file, name });
      if (folder !== undefined) await Deno.remove(folder, { recursive: true });
    });
  }
}

/** The valid names of a new server. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

function withoutPrefix(prefix: string, source: string): string | undefined {
  return source.startsWith(prefix) ? source.slice(prefix.length) : undefined;
}

function checkRequest({ name, source, args, env, token }: ServerRequest): void {
  if (!NAME.test(name)) {
    throw new NotInstalled(
      `The name of a server must be letters, digits, _ and -, 64 at most: ${JSON.stringify(name)}`,
    );
  }
  for (const variable of [...env, ...(token === undefined ? [] : [token])]) {
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable)) continue;
    throw new NotInstalled(
      "A variable is given by its name; its value belongs in agents/_config/.env",
    );
  }
  const npm = withoutPrefix("npm:", source);
  if (npm !== undefined && parsePackageName(npm) === undefined) {
    throw new NotInstalled(
      `${JSON.stringify(source)} names no package: npm:name, npm:@scope/name, each with @version`,
    );
  }
  const pypi = withoutPrefix("pypi:", source);
  if (pypi !== undefined && parsePythonPackage(pypi) === undefined) {
    throw new NotInstalled(
      `${JSON.stringify(source)} names no package: pypi:name, or pypi:name@version`,
    );
  }
  if (isAddress(source)) {
    if (args.length > 0 || env.length > 0) {
      throw new NotInstalled("A server at an address takes no arguments and no variables");
    }
    const url = URL.parse(source);
    if (url === null) throw new NotInstalled("The address is not valid");
    if (url.username !== "" || url.password !== "") {
      throw new NotInstalled("The address contains a user or a password: use --token");
    }
  } else if (token !== undefined) {
    throw new NotInstalled("--token is for a server at an address; a program gets --env");
  } else if (source.trim() === "" || /\p{Cc}/u.test(source)) {
    throw new NotInstalled("The program has no name");
  }
}

function isAddress(source: string): boolean {
  return /^https?:/i.test(source);
}

function headersOf({ token }: ServerRequest): { headers?: { Authorization: string } } {
  return token === undefined ? {} : { headers: { Authorization: `Bearer \${${token}}` } };
}
