// The interface between the commands and the rest of the program. app/app.ts implements it; tests use a fake.
import type { Clock } from "../../base/clock.ts";
import type { Client, ServiceEventMessage } from "../../api/client/client.ts";
import type { Examination } from "../../ops/doctor/finding.ts";
import type { DiagnosticBody } from "../../api/schemas/diagnostic_schemas.ts";
import type { StopReason } from "../../api/streams/lifecycle.ts";
import type { UiLink } from "../../server/ui/ui_links.ts";
import type { UiProxy } from "../../server/ui/ui_proxy.ts";
import type { AgentTesting } from "../../ops/testing/agent_tests.ts";
import type { EditText, Input } from "./input.ts";
import type { ServerInstaller } from "../../ops/install/server_installer.ts";
import type { SkillInstaller } from "../../ops/install/skill_installer.ts";
import type { AgentAuthor } from "../../ops/authoring/agent_author.ts";
import type { Terminal } from "../output/terminal.ts";
import type { Processes } from "./processes.ts";
import type { Installation } from "../../ops/setup/installation.ts";
import type { Distribution } from "./distribution.ts";

export type { Clock } from "../../base/clock.ts";
export type { StopReason } from "../../api/streams/lifecycle.ts";

/** The files of one service. Every path is absolute. */
export interface Places {
  stateDir: string;
  socketFile: string;
  pidFile: string;
  /** The service holds this lock while it lives. */
  lockFile: string;
  logFile: string;
  /** Set if --workspace was given. */
  workspace?: string;
}

/** The --workspace option as it was typed. Absent: the workspace of config.yaml. */
export interface WorkspaceOption {
  workspace?: string;
}

/** A listening service in the foreground. */
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

/** The service settings that apply without command-line options. */
export interface ServiceDefaults {
  /** Null: the service listens on its socket only. */
  port: number | null;
  host: string;
  keepAlive: boolean;
  /** The key of TCP clients, if there is one. */
  key: string | undefined;
  /** The file with the key; undefined if the key is in the shell's environment, or missing. */
  keySource: string | undefined;
  /** The file for a new key. */
  keyFile: string;
}

/** The settings of a service in this process. */
export interface ServeOptions extends WorkspaceOption {
  keepAlive: boolean;
  tcp?: TcpListen;
  /** Called once the service listens. */
  onReady: (service: ReadyService) => void;
  /** Called with each later event of the service. */
  onEvent?: (event: ServiceEventMessage) => void;
  /** Called with each line of the service's log, without its line break. */
  onLogLine?: (line: string) => void;
}

/** The service's application in this process. It runs no agents and has no triggers. */
export interface LocalService extends AsyncDisposable {
  readonly client: Client;
}

/** One file that `validate` has checked. */
export interface ValidatedFile {
  agentId: string;
  path: string;
  diagnostics: DiagnosticBody[];
  /** For mcp-servers.json: the started servers and the number of their tools. */
  connected?: { server: string; tools: number }[];
}

/** A model provider and its key. */
export interface ProviderReport {
  name: string;
  /** The variable of its key; null if it needs no key. */
  keyVariable: string | null;
  hasKey: boolean;
}

/** The result of `info`. */
export interface InfoReport {
  configFile: string;
  configFileExists: boolean;
  workspaceEnvFile: string;
  workspaceEnvFileExists: boolean;
  workspace: string;
  agentsDir: string;
  /** Its address or path, without a password. */
  database: { kind: "sqlite" | "postgres"; place: string };
  /** `provider/name`; null if config.yaml names none. */
  defaultModel: string | null;
  /** True if the price of the default model is known; null without a default model. */
  defaultModelHasPrice: boolean | null;
  providers: ProviderReport[];
  /** The setting, and the reason why there is no sandbox; null if there is one. */
  sandbox: { mode: string; missing: { problem: string; remedy: string } | null };
}

/** A notification channel, and the problem that prevents a delivery; null if none is known. */
export interface ChannelReport {
  name: string;
  type: string;
  problem: string | null;
}

/** The result of a test message: the reply, or the reason of the failure. */
export interface ChannelTrial {
  name: string;
  delivered: boolean;
  reply: string;
}

/** The notification channels of config.yaml. */
export interface MessageChannels {
  report(): ChannelReport[];
  /** Sends one test message. Resolves to undefined for an unknown channel. */
  try(name: string): Promise<ChannelTrial | undefined>;
}

/** A flag of Deno and its reason. */
export interface ExplainedFlag {
  flag: string;
  why: string;
}

/** The narrowest permissions with which the service of a workspace works. */
export interface PermissionReport {
  flags: ExplainedFlag[];
  /** The features that do not work with them, as sentences. */
  remarks: string[];
  /** The program and first arguments with these permissions; null for a compiled program, whose permissions are fixed. */
  command: readonly string[] | null;
}

/** The service that the permissions are for. */
export interface PermissionOptions extends WorkspaceOption {
  /** The --host of the service; absent: loopback. */
  host?: string;
}

/** A copy of the history into PostgreSQL or out of it. */
export interface MoveHistoryOptions extends WorkspaceOption {
  direction: "to" | "from";
  /** postgres://user@host:port/database. */
  address: string;
  /** Cancels the copy and removes its partial result. */
  signal: AbortSignal;
  /** Called with the number of rows of a table that were copied or compared so far. */
  onProgress(progress: { table: string; rows: number; step: "copying" | "checking" }): void;
}

/** The result of a verified copy. The addresses contain no password. */
export interface MovedHistory {
  from: string;
  to: string;
  /** The path of config.yaml, and the value of `database` there that uses PostgreSQL. */
  configFile: string;
  setting: string;
  /** Each table with the SHA-256 of all its rows. */
  tables: { name: string; rows: number; digest: string }[];
  /** The number of texts in which U+FFFD replaces NUL characters, which PostgreSQL cannot store. */
  changedTexts: number;
}

/**
 * The functions of the application that commands call. An expected failure is an error with a message for the user;
 * TypeError and other built-in errors are bugs.
 */
export interface CliApp {
  readonly version: string;
  /** The program and first arguments that start this program again. */
  readonly selfCommand: readonly string[];
  /** True if this process has fewer permissions than Inkling can use. */
  readonly isConfined: boolean;
  /** Returns the flags that config.yaml and the agents need now. */
  permissions(options: PermissionOptions): Promise<PermissionReport>;
  /** The kind of this installation, which determines its update. */
  readonly distribution: Distribution;
  /**
   * The environment of a background service. Its folders are absolute, because the service runs in another directory. Keys
   * are passed here, never in arguments.
   */
  readonly environment: Readonly<Record<string, string>>;
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  readonly input: Input;
  readonly clock: Clock;
  readonly processes: Processes;
  /** Returns the service's files. Without the option it reads no file. */
  places(workspaceFlag?: string): Promise<Places>;
  /** Creates a client of the service. It connects at its first call. */
  connect(places: Places): Client;
  /** Reads the service settings of config.yaml and the key of TCP clients. */
  serviceDefaults(options: WorkspaceOption): Promise<ServiceDefaults>;
  /** Runs the service in this process until it has stopped. */
  serve(options: ServeOptions): Promise<StopReason>;
  /** Opens a read-only application, also while a service runs. */
  openLocalService(options: WorkspaceOption): Promise<LocalService>;
  /** Opens an application that may remove stored data. Rejects while a service runs. */
  openUpkeep(options: WorkspaceOption): Promise<LocalService>;
  /** Copies the whole history or nothing. Rejects while a service runs, and if the target has a history. */
  moveHistory(options: MoveHistoryOptions): Promise<MovedHistory>;
  /**
   * Checks the agent with this id, the `.md` file at this path, or every agent. With `connect` it also starts their MCP
   * servers. Returns an empty list for an unknown target.
   */
  validate(
    target: string | undefined,
    options: WorkspaceOption & { connect?: boolean },
  ): Promise<ValidatedFile[]>;
  info(options: WorkspaceOption): Promise<InfoReport>;
  /** Opens the notification channels with the variables of this process. */
  openChannels(options: WorkspaceOption): Promise<MessageChannels>;
  /** Checks everything except the service. Works with invalid configuration, too. */
  examine(options: WorkspaceOption & { isRunning: boolean }): Promise<Examination>;
  /** Returns the warnings about config.yaml, for example unknown keys. */
  configWarnings(options: WorkspaceOption): Promise<DiagnosticBody[]>;
  /** Returns the agents' ids from the file names, without reading the files. */
  agentNames(options: WorkspaceOption): Promise<string[]>;
  /** Serves the page of the service behind a socket, starting at the path `home`. `warn` is called with problems. */
  openUiProxy(
    options: { stateDir: string; socketFile: string; home: string; warn: (text: string) => void },
  ): Promise<UiProxy>;
  /** Creates a link with which one browser can open the page on this port. */
  createUiLink(place: { stateDir: string; port: number }): Promise<UiLink>;
  /** Opens the editor of the process's environment; see EditText. */
  editText: EditText;
  /** Opens an address in the user's browser. Returns false if that fails. */
  openBrowser(address: string): Promise<boolean>;
  /** Returns the absolute path of a workspace that is not a folder, or undefined for a folder. */
  missingWorkspace(workspace: string): Promise<string | undefined>;
  /** Returns whether there is a config.yaml or an agents folder. */
  isSetUp(options: WorkspaceOption): Promise<boolean>;
  openInstallation(): Promise<Installation>;
  openAgentAuthor(options: WorkspaceOption): Promise<AgentAuthor>;
  openSkillInstaller(
    options: WorkspaceOption,
  ): Promise<Pick<SkillInstaller, "prepare" | "list" | "remove">>;
  openServerInstaller(
    options: WorkspaceOption,
  ): Promise<Pick<ServerInstaller, "prepare" | "list" | "remove">>;
  openAgentTests(options: WorkspaceOption): Promise<AgentTesting>;
  /** Returns the candidate that is most similar to a mistyped word. */
  suggest(word: string, candidates: Iterable<string>): string | undefined;
  /** Calls the listener at each Ctrl+C instead of ending the process. Returns a function that removes the listener. */
  onInterrupt(listener: () => void): () => void;
}
