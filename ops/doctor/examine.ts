// The checks of `inkling doctor` except the check of the running service: config.yaml, agents and their resources, keys,
// folders, the state folder, disk and clock. Each check works while other parts are broken, and changes nothing.
import { AgentRegistry } from "../../runtime/agents/registry.ts";
import { approvalRuleOf } from "../../runtime/vocabulary/approval_rule.ts";
import { type Clock, SystemClock } from "../../base/clock.ts";
import { RuntimeError } from "../../base/errors.ts";
import { isFileFailure } from "../../base/files/unreadable.ts";
import {
  DatabaseVariableUnusable,
  describeLocalSignIns,
} from "../../runtime/config/database_settings.ts";
import { isSetUp } from "../../runtime/config/workspace_folder.ts";
import { NAMED_PROVIDERS } from "../../runtime/config/providers.ts";
import { keyVariableOf } from "../../runtime/models/endpoint.ts";
import { ConfigError } from "../../runtime/config/parse_config.ts";
import {
  resolveBaseStateDir,
  resolveConfigDir,
  resolveSocketFile,
  stateFilesOf,
} from "../../runtime/config/places.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import {
  loadSettings,
  type Surroundings,
  type WorkspaceSettings,
} from "../../runtime/config/settings.ts";
import { ifThere } from "../../base/files/missing.ts";
import { findHistory } from "../../runtime/storage/state_dir/history_place.ts";
import { commandOf } from "../../runtime/tools/mcp/sign_in/sign_in_needed.ts";
import { withCredentials } from "../../runtime/storage/open_credentials.ts";
import {
  type Connection,
  openServerConnections,
  type ServerConnections,
} from "../authoring/server_connections.ts";
import { validateWorkspace } from "../authoring/workspace_validation.ts";
import { checkFolders, checkPathAccess, toFileFindings, toFinding } from "./agent_checks.ts";
import {
  type Check,
  type Examination,
  type Finding,
  performChecks,
  toRefusalFinding,
} from "./finding.ts";
import { checkKeyFiles, checkKeys } from "./key_checks.ts";
import { mailChecks } from "./mail_checks.ts";
import { type Machine, SYSTEM_MACHINE } from "./machine.ts";
import { chatChecks, type TryChat } from "./chat_checks.ts";
import { checkOwner, checkSignIn } from "./sign_in_check.ts";
import { checkDisk, stateChecks, type StatePlaces } from "./state_checks.ts";
import { toPlainLine } from "../../base/text/plain_text.ts";

const loadDatabaseChecks = lazyModule(() => import("./database_checks.ts"));

/** The inputs of an examination. Tests replace the clock and the machine. */
export interface ExamineOptions {
  version: string;
  /** True if a process listens on the service's socket, with or without an answer. */
  isRunning: boolean;
  clock?: Clock;
  machine?: Machine;
  largestDatabase?: number;
  /** Returns the reason why the app of a chat cannot be used. Absent: the apps are not called. */
  tryChat?: TryChat;
}

/** Runs every check and returns the result. Failures of a check become findings; only bugs reject the promise. */
export async function examine(
  surroundings: Surroundings & { workspace?: string | undefined },
  options: ExamineOptions,
): Promise<Examination> {
  const { clock = new SystemClock(), machine = SYSTEM_MACHINE } = options;
  const env = (name: string) => surroundings.shell[name];
  const configDir = resolveConfigDir(env, surroundings.home);
  const { settings, found } = await readSettings(surroundings);
  const folders: [string, string][] = [];
  const checks: Check[] = [() => found, () => checkKeyFiles({ configDir, settings })];
  await using opened = new AsyncDisposableStack();
  const isReady = settings !== undefined &&
    await isSetUp({ ...surroundings, env });
  if (isReady) {
    folders.push(["workspace", settings.directories.workspace]);
    checks.push(...await workspaceChecks(settings, { ...options, clock, machine, opened }));
    checks.push(...chatChecks(settings, options.tryChat), ...mailChecks(settings, clock));
    checks.push(() => checkSignIn(settings));
  }
  const places = findPlaces(surroundings, settings);
  if ("problem" in places) {
    // `found` may already contain this problem, as the reason why the settings cannot be read. Report it once.
    if (found.every(({ problem }) => problem !== places.problem)) checks.push(() => [places]);
  } else {
    const { largestDatabase, isRunning } = options;
    checks.push(...stateChecks(places, {
      isRunning,
      now: clock.now(),
      machine,
      ...(largestDatabase !== undefined && { largestDatabase }),
    }));
    folders.unshift(["state", places.stateDir]);
  }
  const notes = settings === undefined || isReady ? [] : await describeFreshHome(settings, machine);
  const address = settings?.database?.address;
  if (address !== undefined) {
    const { checkSharedDatabase } = await loadDatabaseChecks();
    checks.push(() => checkSharedDatabase(address, notes));
  }
  const done = await performChecks([...checks, () => checkDisk(folders, machine)]);
  done.notes.push(...notes);
  if (settings === undefined) {
    const broken = found.find(({ subject }) => subject.startsWith("INKLING_"))?.subject ??
      "config.yaml";
    done.unchecked.push(`Agents and the workspace are not checked while ${broken} is broken`);
  }
  return done;
}

/** Returns the notes for a machine on which `inkling setup` has not run. */
async function describeFreshHome(
  { environment }: WorkspaceSettings,
  machine: Machine,
): Promise<string[]> {
  const keys = NAMED_PROVIDERS.map(keyVariableOf)
    .filter((name) => (environment.get(name)?.trim() ?? "") !== "");
  const support = await machine.findSandbox();
  return [
    'Nothing is set up yet: "inkling setup" creates the workspace and a first agent within a minute',
    keys.length > 0
      ? `setup will find a key: ${keys.join(", ")}`
      : 'No model key is in the environment: setup asks for one; "inkling setup --yes --provider demo" needs none',
    ...("problem" in support
      ? [
        `Agents' programs will run without a sandbox: ${support.problem}. To get one, ${support.remedy}`,
      ]
      : []),
  ];
}

/** Returns the settings, or the reasons why they cannot be read as findings. */
async function readSettings(
  surroundings: Surroundings & { workspace?: string | undefined },
): Promise<{ settings?: WorkspaceSettings; found: Finding[] }> {
  try {
    return { settings: await loadSettings(surroundings), found: [] };
  } catch (error) {
    if (error instanceof ConfigError) {
      return { found: error.diagnostics.map((one) => toFinding(one)) };
    }
    if (!(error instanceof RuntimeError)) throw error;
    return { found: [toSettingsFinding(error)] };
  }
}

function toSettingsFinding(refusal: RuntimeError): Finding {
  const isVariable = refusal instanceof DatabaseVariableUnusable;
  return toRefusalFinding(refusal, isVariable ? refusal.variable : "state folder");
}

async function workspaceChecks(
  settings: WorkspaceSettings,
  { clock, machine, version, opened }: Required<Pick<ExamineOptions, "clock" | "machine">> & {
    version: string;
    opened: AsyncDisposableStack;
  },
): Promise<Check[]> {
  const { directories } = settings;
  const files = await validateWorkspace(settings, undefined, { cwd: directories.workspace });
  const registry = new AgentRegistry(settings);
  await registry.load();
  const agents = registry.list();
  // The check of the server reports a needed sign-in, too.
  const found = toFileFindings(files).filter(({ code }) => !code?.startsWith("sign_in_needed:"));
  // A server that `validate` reports as unusable is not started.
  const refused = (name: string) =>
    found.some(({ severity, code }) => severity === "error" && code === `unusable_server:${name}`);
  const named = [...new Set(agents.flatMap(({ mcp }) => mcp))].filter((name) => !refused(name));
  const servers = named.length === 0
    ? []
    : await openServerConnections({ settings, registry, clock, version }).then(
      (servers) =>
        serverChecks(named, { servers: opened.use(servers), file: directories.mcpServersFile }),
      // openServerConnections() fails if Deno's permission flags deny the servers' folder. A check that rejects becomes a
      // finding.
      (error) => [() => Promise.reject(error)],
    );
  return [
    () => found,
    // Each validated file counts as one check in the result.
    ...files.map(() => () => []),
    () => checkKeys(agents, settings, found),
    () => checkFolders(settings, machine),
    ...agents.map((agent) => () => checkPathAccess(agent, machine)),
    () => checkSandbox(settings, found, machine),
    () => checkSignIns(named, { settings, clock }),
    ...(agents.some((agent) => approvalRuleOf(agent)) ? [() => checkOwner(settings)] : []),
    ...servers,
  ];
}

/** Reports sign-ins to MCP servers that other nodes do not have. */
async function checkSignIns(
  servers: readonly string[],
  options: { settings: WorkspaceSettings; clock: Clock },
): Promise<Finding[]> {
  const local = describeLocalSignIns(options.settings);
  if (local === undefined) return [];
  const stored = await withCredentials(
    options,
    (store) => Promise.all(servers.map((name) => store.read(name))),
  );
  const isSignedIn = stored.some((one) => one !== undefined);
  return isSignedIn ? [{ severity: "warning", subject: "MCP sign-ins", ...local }] : [];
}

/** Reports a missing sandbox if config.yaml requires one, even if no agent starts a program yet. */
async function checkSandbox(
  { config: { sandbox, path } }: WorkspaceSettings,
  found: readonly Finding[],
  machine: Machine,
): Promise<Finding[]> {
  if (sandbox !== "required") return [];
  const support = await machine.findSandbox();
  if ("bubblewrap" in support) return [];
  if (found.some(({ code }) => code === "missing_sandbox")) return [];
  const problem = `${path} says "sandbox: required", and ${support.problem}`;
  return [{ severity: "error", subject: "sandbox", problem, remedy: support.remedy }];
}

/** Returns the files and folders of the state: the default ones while config.yaml is broken. */
function findPlaces(
  { shell, home }: Surroundings,
  settings: WorkspaceSettings | undefined,
): StatePlaces | Finding {
  try {
    if (settings !== undefined) {
      const { directories } = settings;
      const { configDir, agentsDir } = directories;
      return {
        ...directories,
        databaseFile: findHistory(directories),
        writtenFolders: [configDir, agentsDir],
      };
    }
    const env = (name: string) => shell[name];
    const stateDir = resolveBaseStateDir(env, home);
    const socketFile = resolveSocketFile(stateDir, env);
    const files = stateFilesOf(stateDir);
    const isThere = ifThere(() => Deno.lstatSync(files.databaseFile)) !== undefined;
    return {
      ...files,
      stateDir,
      socketFile,
      proxySocketFile: socketFile.replace(/\.sock$/, ".net"),
      databaseFile: isThere ? files.databaseFile : undefined,
      writtenFolders: [resolveConfigDir(env, home)],
    };
  } catch (error) {
    if (error instanceof RuntimeError) return toSettingsFinding(error);
    if (!isFileFailure(error)) throw error;
    const problem = `The state folder cannot be read: ${error.message}`;
    const remedy = "make it readable for you, or set INKLING_STATE_DIR";
    return { severity: "error", subject: "state folder", problem, remedy };
  }
}

/** The maximum length of the text about a failed server, in characters. The text can contain the server's output. */
const MAX_CHARACTERS = 400;

/** Starts all servers at once and returns one check for each. */
function serverChecks(
  names: readonly string[],
  { servers, file }: { servers: ServerConnections; file: string },
): Check[] {
  const checks = names.map(async (name) => toFindings(name, await servers.connect(name), file));
  return checks.map((found) => () => found);
}

function toFindings(name: string, connection: Connection, file: string): Finding[] {
  if ("tools" in connection) return [];
  return [{
    severity: "error",
    subject: `MCP server ${name}`,
    problem: toPlainLine(connection.problem, MAX_CHARACTERS),
    remedy: connection.needsSignIn
      ? commandOf("login", name)
      : `start the server's program yourself, or check its entry in ${file}`,
  }];
}
