// What the command line needs of the program around it. app/app.ts implements it; tests bring their own.
import type { Clock } from "../base/clock.ts";
import type { Client, ServiceEventMessage } from "../api/client/client.ts";
import type { Examination } from "../ops/doctor/finding.ts";
import type { DiagnosticBody } from "../api/schemas/diagnostic_schemas.ts";
import type { StopReason } from "../api/lifecycle.ts";
import type { UiLink } from "../server/ui/ui_links.ts";
import type { UiProxy } from "../server/ui/ui_proxy.ts";
import type { EditText } from "./prompting/text_editor.ts";
import type { AgentTesting } from "../ops/testing/agent_tests.ts";
import type { Input } from "./prompting/input.ts";
import type { ServerInstaller } from "./install/server_installer.ts";
import type { SkillInstaller } from "./install/skill_installer.ts";
import type { AgentAuthor } from "./new/agent_author.ts";
import type { Terminal } from "./output/terminal.ts";
import type { Processes } from "./service/processes.ts";
import type { Installation } from "./setup/installation.ts";
import type { Distribution } from "./update/distribution.ts";

export type { Clock } from "../base/clock.ts";
export type { StopReason } from "../api/lifecycle.ts";

/** Where one service keeps its things. Every path is absolute. */
export interface Places {
  stateDir: string;
  socketFile: string;
  pidFile: string;
  /** Held by the service for as long as it lives. */
  lockFile: string;
  logFile: string;
  /** Set when the workspace was named on the command line. */
  workspace?: string;
}

/** Which workspace a closure works on: that of the flag, as it was typed, else config.yaml's. */
export interface WorkspaceOption {
  workspace?: string;
}

/** A service in the foreground, once it listens. */
export interface ReadyService {
  pid: number;
  workspace: string;
  logFile: string;
  agents: number;
  /** Agent files that do not parse. */
  brokenFiles: number;
  /** `unix:/path`. */
  transports: readonly string[];
}

/** A TCP listener beside the socket. */
export interface TcpListen {
  port: number;
  host: string;
  apiKey: string;
}

/** How a service runs where no flag says otherwise. */
export interface ServiceDefaults {
  /** Null: it listens on its socket alone. */
  port: number | null;
  host: string;
  keepAlive: boolean;
  /** The key of TCP clients; undefined: there is none. */
  key: string | undefined;
  /** The file with the key; undefined: the shell has it, or there is none. */
  keySource: string | undefined;
  /** The file that the key belongs in. */
  keyFile: string;
}

/** How `start` runs the service in this process. */
export interface ServeOptions extends WorkspaceOption {
  keepAlive: boolean;
  tcp?: TcpListen;
  /** Called once, when it listens. */
  onReady: (service: ReadyService) => void;
  /** Called with each thing that happens in the service from then on. */
  onEvent?: (event: ServiceEventMessage) => void;
  /** Called with each line of the service log, without its line break. */
  onLogLine?: (line: string) => void;
}

/** The service's application inside this process: it runs nothing, and has no triggers. */
export interface LocalService extends AsyncDisposable {
  readonly client: Client;
}

/** What one agent file looks like to `validate`. */
export interface ValidatedFile {
  agentId: string;
  path: string;
  diagnostics: DiagnosticBody[];
  /** Of mcp-servers.json: the servers that were started, with the number of their tools. */
  connected?: { server: string; tools: number }[];
}

/** A model provider and whether it can be used. */
export interface ProviderReport {
  name: string;
  /** The variable that holds its key; null: it needs none. */
  keyVariable: string | null;
  hasKey: boolean;
}

/** What `info` shows. */
export interface InfoReport {
  configFile: string;
  configFileExists: boolean;
  workspaceEnvFile: string;
  workspaceEnvFileExists: boolean;
  workspace: string;
  agentsDir: string;
  /** Its place without a password. */
  database: { kind: "sqlite" | "postgres"; place: string };
  /** `provider/name`; null when config.yaml names none. */
  defaultModel: string | null;
  /** Whether a price of the default model is known; null without one. */
  defaultModelHasPrice: boolean | null;
  providers: ProviderReport[];
  /** The setting, and why there is none (null: there is one). */
  sandbox: { mode: string; missing: { problem: string; remedy: string } | null };
}

/** A channel of messages, and why it cannot work as things are; null where nothing is known that speaks against it. */
export interface ChannelReport {
  name: string;
  type: string;
  problem: string | null;
}

/** What came of a test message: what came back, or why it did not arrive. */
export interface ChannelTrial {
  name: string;
  delivered: boolean;
  reply: string;
}

/** The channels of config.yaml. */
export interface MessageChannels {
  report(): ChannelReport[];
  /** Sends a test message, once. Undefined: there is no such channel. */
  try(name: string): Promise<ChannelTrial | undefined>;
}

/** A flag of Deno's, and why it is there. */
export interface ExplainedFlag {
  flag: string;
  why: string;
}

/** The narrowest permissions under which a service of a workspace works. */
export interface PermissionReport {
  flags: ExplainedFlag[];
  /** What will not work under them, as sentences. */
  remarks: string[];
  /** Program and first arguments that start Inkling so; null for a program whose permissions are built in. */
  command: readonly string[] | null;
}

/** The service that permissions are for. */
export interface PermissionOptions extends WorkspaceOption {
  /** The address that its TCP listener is told to use; absent: loopback. */
  host?: string;
}

/** A history that is copied into PostgreSQL, or out of it. */
export interface MoveHistoryOptions extends WorkspaceOption {
  direction: "to" | "from";
  /** postgres://user@host:port/database. */
  address: string;
  /** Ends it early, and leaves nothing behind. */
  signal: AbortSignal;
  /** So many rows of a table are there, or were read back. */
  onProgress(progress: { table: string; rows: number; step: "copying" | "checking" }): void;
}

/** A history that was copied, and compared. No address has a password. */
export interface MovedHistory {
  from: string;
  to: string;
  /** Where config.yaml is, and what `database` is in it while the history in PostgreSQL is used. */
  configFile: string;
  setting: string;
  /** With the SHA-256 over all rows of each. */
  tables: { name: string; rows: number; digest: string }[];
  /** Texts with NUL characters, which PostgreSQL cannot store: each of these is U+FFFD now. */
  changedTexts: number;
}

/**
 * The program as the command line sees it. A closure that refuses throws an error whose message is a sentence for the
 * person who typed the command; TypeError and its kin are bugs.
 */
export interface CliApp {
  readonly version: string;
  /** Program and first arguments that start this program again; a command's arguments are appended. */
  readonly selfCommand: readonly string[];
  /** Whether this process was started with fewer permissions than Inkling may ever need. */
  readonly isConfined: boolean;
  /** The flags that config.yaml and the agents ask for now. */
  permissions(options: PermissionOptions): Promise<PermissionReport>;
  /** How this program came here, and so who can bring a newer one. */
  readonly distribution: Distribution;
  /**
   * The environment of a service that is started in the background, in another directory: no folder in it is relative to
   * the current one. Keys travel here, never in arguments.
   */
  readonly environment: Readonly<Record<string, string>>;
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  readonly input: Input;
  readonly clock: Clock;
  readonly processes: Processes;
  /** Cheap: without the flag no file is read. */
  places(workspaceFlag?: string): Promise<Places>;
  /** A client of the service in these places. Nothing is opened before its first call. */
  connect(places: Places): Client;
  /** Reads the service settings of config.yaml and the key of TCP clients. */
  serviceDefaults(options: WorkspaceOption): Promise<ServiceDefaults>;
  /** Runs the service in this process until it has stopped. */
  serve(options: ServeOptions): Promise<StopReason>;
  /** One that only looks, beside a service or without one. */
  openLocalService(options: WorkspaceOption): Promise<LocalService>;
  /** One that may remove what is stored. Rejects while a service runs. */
  openUpkeep(options: WorkspaceOption): Promise<LocalService>;
  /** Copies the whole history, all or nothing. Rejects while a service runs, and where there is a history already. */
  moveHistory(options: MoveHistoryOptions): Promise<MovedHistory>;
  /**
   * Checks the agent with this id, the `.md` file at this path, or every agent; with `connect`, by starting their MCP servers,
   * too. Empty: the target names nothing.
   */
  validate(
    target: string | undefined,
    options: WorkspaceOption & { connect?: boolean },
  ): Promise<ValidatedFile[]>;
  info(options: WorkspaceOption): Promise<InfoReport>;
  /** Where messages go, with the variables of this process. */
  openChannels(options: WorkspaceOption): Promise<MessageChannels>;
  /** Looks at everything but the service, of which it is said whether it runs. Works with whatever is broken. */
  examine(options: WorkspaceOption & { isRunning: boolean }): Promise<Examination>;
  /** What is odd about config.yaml and stops nothing: unknown keys, for one. */
  configWarnings(options: WorkspaceOption): Promise<DiagnosticBody[]>;
  /** The agents' ids by the names of their files alone: for who must be quick. */
  agentNames(options: WorkspaceOption): Promise<string[]>;
  /** Serves the page of the service behind a socket, beginning at the path `home`. `warn` hears of what goes wrong. */
  openUiProxy(
    options: { stateDir: string; socketFile: string; home: string; warn: (text: string) => void },
  ): Promise<UiProxy>;
  /** Makes a link that lets one browser in to the page on this port. */
  createUiLink(place: { stateDir: string; port: number }): Promise<UiLink>;
  /** See EditText; the editor is the one of the process's environment. */
  editText: EditText;
  /** Opens an address in the browser of whoever sits here; false where that cannot be done. */
  openBrowser(address: string): Promise<boolean>;
  /** The absolute path of a workspace that is not a folder; undefined: it is one. */
  missingWorkspace(workspace: string): Promise<string | undefined>;
  /** Whether there is a config.yaml or an agents folder. */
  isSetUp(options: WorkspaceOption): Promise<boolean>;
  openInstallation(): Promise<Installation>;
  openAgentAuthor(options: WorkspaceOption): Promise<AgentAuthor>;
  openSkillInstaller(options: WorkspaceOption): Promise<SkillInstaller>;
  openServerInstaller(options: WorkspaceOption): Promise<ServerInstaller>;
  openAgentTests(options: WorkspaceOption): Promise<AgentTesting>;
  /** The candidate that somebody who wrote `word` most likely meant. */
  suggest(word: string, candidates: Iterable<string>): string | undefined;
  /** Calls the listener at each Ctrl+C, which no longer ends the process. Returns the function that takes it back. */
  onInterrupt(listener: () => void): () => void;
}
