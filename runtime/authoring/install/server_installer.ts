// What `mcp add` does: finds out what a server would run, tells it, and puts its entry into mcp-servers.json.
import { dirname, join, resolve } from "node:path";
import { writeFileAtomically } from "../../../base/files/atomic_file.ts";
import type { Clock } from "../../../base/clock.ts";
import type { JsonObject } from "../../../base/json.ts";
import { ignoreMissing } from "../../../base/files/missing.ts";
import { readWholeFile } from "../../../base/files/whole_file.ts";
import { formatDiagnostic } from "../../../base/diagnostics.ts";
import { decodeText } from "../../config/files/text_file.ts";
import type { WorkspaceSettings } from "../../config/settings.ts";
import { LARGEST_SERVERS_FILE_BYTES } from "../../tools/mcp/mcp_limits.ts";
import { parseServers } from "../../tools/mcp/servers_file/parse_servers.ts";
import { findEntries } from "../../tools/mcp/servers_file/server_entries.ts";
import { insertMember } from "./json_insert.ts";
import { NotInstalled, orNotInstalled } from "./not_installed.ts";
import { parsePackageName } from "./package_name.ts";
import { installPackage } from "./server_package.ts";

/** A server as it was asked for. */
export interface ServerWish {
  name: string;
  /** As typed: `npm:name`, an address, or a program. */
  source: string;
  /** Arguments of the program. */
  args: readonly string[];
  /** Names of variables that the program gets. */
  env: readonly string[];
  /** The variable with the token that is sent to an address. */
  token?: string;
}

/** A server that is ready to be added. Dispose removes what was brought and not added. */
export interface BroughtServer extends AsyncDisposable {
  name: string;
  /** Its entry, with `${NAME}` for variables. */
  entry: JsonObject;
  /** What it is at which version, with what proves that; undefined: nothing holds it at a version. */
  pinned: string | undefined;
  /** How many packages came with it. */
  otherPackages: number;
  /** Where they are put; undefined: nothing is. */
  folder: string | undefined;
  /** mcp-servers.json. */
  file: string;
  add(): Promise<void>;
}

/** Adds servers to one workspace. */
export class ServerInstaller {
  readonly #settings: WorkspaceSettings;
  readonly #clock: Clock;
  readonly #cwd: string;

  constructor(options: { settings: WorkspaceSettings; clock: Clock; cwd: string }) {
    this.#settings = options.settings;
    this.#clock = options.clock;
    this.#cwd = options.cwd;
  }

  /** Brings what the server needs. Throws NotInstalled for one that cannot be added, and the signal's reason. */
  async bring(wish: ServerWish, signal: AbortSignal): Promise<BroughtServer> {
    checkWish(wish);
    const { name, source, env } = wish;
    const { shell, directories: { mcpServersFile: file } } = this.#settings;
    return await orNotInstalled(async () => {
      // Before anything is brought: a file that is broken, or has the name, is told at once.
      addEntry(await readServers(file), { file, name, entry: { command: "x" } });
      // It starts in a folder of its own: what is relative here would be something else there.
      const inFull = (one: string) => /^\.\.?(\/|$)/.test(one) ? resolve(this.#cwd, one) : one;
      const args = wish.args.map(inFull);
      const variables = env.length > 0
        ? { env: Object.fromEntries(env.map((one) => [one, `\${${one}}`])) }
        : {};
      const packageName = source.startsWith("npm:")
        ? parsePackageName(source.slice("npm:".length))
        : undefined;
      if (packageName === undefined) {
        const entry = isAddress(source)
          ? { url: source, ...headersOf(wish) }
          : { command: inFull(source), ...(args.length > 0 && { args }), ...variables };
        return {
          name,
          entry,
          pinned: undefined,
          otherPackages: 0,
          folder: undefined,
          file,
          add: () => orNotInstalled(() => writeEntry({ file, name, entry })),
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
      const installed = await installPackage(packageName, fresh, context);
      const folder = join(folders, name);
      const entry = {
        command: "node",
        args: [join(folder, installed.program), ...args],
        ...variables,
      };
      const kept = stack.move();
      return {
        name,
        entry,
        pinned: installed.pinned,
        otherPackages: installed.others,
        folder,
        file,
        add: () =>
          orNotInstalled(async () => {
            // No entry names it: what an earlier one left.
            await Deno.rename(folder, join(staging, "former")).catch(ignoreMissing);
            await Deno.rename(fresh, folder);
            await writeEntry({ file, name, entry });
          }),
        [Symbol.asyncDispose]: () => kept.disposeAsync(),
      };
    });
  }
}

function checkWish({ name, source, args, env, token }: ServerWish): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)) {
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
  if (source.startsWith("npm:") && parsePackageName(source.slice("npm:".length)) === undefined) {
    throw new NotInstalled(
      `${JSON.stringify(source)} names no package: npm:name, npm:@scope/name, each with @version`,
    );
  }
  if (isAddress(source)) {
    if (args.length > 0 || env.length > 0) {
      throw new NotInstalled("A server at an address takes no arguments and no variables");
    }
    const url = URL.parse(source);
    if (url === null) throw new NotInstalled("The address is not valid");
    if (url.username !== "" || url.password !== "") {
      throw new NotInstalled("The address holds a user or a password: use --token");
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

function headersOf({ token }: ServerWish): { headers?: { Authorization: string } } {
  return token === undefined ? {} : { headers: { Authorization: `Bearer \${${token}}` } };
}

async function readServers(file: string): Promise<string | undefined> {
  const bytes = await readWholeFile(file, { maxBytes: LARGEST_SERVERS_FILE_BYTES })
    .catch(ignoreMissing);
  if (bytes === undefined) return undefined;
  const decoded = decodeText(bytes, file);
  if ("diagnostic" in decoded) throw new NotInstalled(formatDiagnostic(decoded.diagnostic));
  return decoded.text;
}

/** The file's text with the entry. Throws NotInstalled where it is broken, or has one of that name. */
function addEntry(
  text: string | undefined,
  { file, name, entry }: { file: string; name: string; entry: JsonObject },
): string {
  if (text === undefined) return `${JSON.stringify({ [name]: entry }, null, 2)}\n`;
  const parsed = parseServers(text, file);
  if ("problem" in parsed) throw new NotInstalled(parsed.problem);
  if (parsed.servers.has(name)) {
    throw new NotInstalled(`There is a server ${JSON.stringify(name)} in ${file} already`);
  }
  const { wrapper } = findEntries(JSON.parse(text));
  const path = wrapper?.split(".") ?? [];
  const edited = insertMember(text, { path, name, value: entry });
  if (edited !== undefined) return edited;
  throw new NotInstalled(`${file} has no place for it: add the entry by hand`);
}

/** From the file as it is now: somebody may have changed it since it was looked at. */
async function writeEntry(
  { file, name, entry }: { file: string; name: string; entry: JsonObject },
): Promise<void> {
  const before = await readServers(file);
  const text = addEntry(before, { file, name, entry });
  await Deno.mkdir(dirname(file), { recursive: true });
  // Tokens may come to stand in it.
  await writeFileAtomically(file, text, before === undefined ? { mode: 0o600 } : {});
}
