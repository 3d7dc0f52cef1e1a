// The interface between the commands and the rest of the program. app/app.ts implements it, and tests have a fake
// implementation.
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
import type { AgentImporter } from "../../ops/import/agent_importer.ts";
import type { ValidatedFile as CheckedFile } from "../../ops/authoring/workspace_validation.ts";
import type { AgentAuthor } from "../../ops/authoring/agent_author.ts";
import type { Gallery } from "../../ops/authoring/gallery.ts";
import type { Terminal } from "../output/terminal.ts";
import type { Processes } from "./processes.ts";
import type { Installation } from "../../ops/setup/installation.ts";
import type { SetupReport } from "../../ops/setup/setup_report.ts";
import type { ServiceDefaults } from "../../runtime/config/service_defaults.ts";
import type { PermissionFlags } from "../../runtime/permissions/derive_flags.ts";
import type {
  MovedHistory as CopiedHistory,
  MoveOptions,
} from "../../runtime/storage/history/move_history.ts";
import type { MessageChannels } from "../../runtime/wiring/message_channels.ts";
import type { Distribution } from "./distribution.ts";

export type { Clock } from "../../base/clock.ts";
export type { StopReason } from "../../api/streams/lifecycle.ts";

/** The paths of the files of one workspace's service. Every path is absolute. */
export interface Places {
  stateDir: string;
  socketFile: string;
  pidFile: string;
  /** The path of the lock file. The service holds the lock while it runs. */
  lockFile: string;
  logFile: string;
  /** The path of the workspace; absent if --workspace was not given. */
  workspace?: string;
}

/** The --workspace option as the user typed it. If absent, config.yaml determines the workspace. */
export interface WorkspaceOption {
  workspace?: string | undefined;
}

/** An installed unit. */
export interface InstalledUnit {
  file: string;
  /** True if the service manager starts the unit with the machine or at a login. */
  isEnabled: boolean;
  /** True if the unit also runs while its user is logged out. */
  isLingering: boolean;
}

/** The state of a foreground service when it starts to listen. */
export interface ReadyService {
  pid: number;
  workspace: string;
  logFile: string;
  agents: number;
  /** The number of agent files that do not parse. */
  brokenFiles: number;
  /** The addresses at which the service listens, such as `unix:/path` or `tcp://host:port`. */
  transports: readonly string[];
}

/** The settings of a TCP listener, which the service can have in addition to its Unix socket. */
export interface TcpListen {
  port: number;
  host: string;
  apiKey: string;
}

/** The settings and callbacks of a service that runs in this process. */
export interface ServeOptions extends WorkspaceOption {
  keepAlive: boolean;
  tcp?: TcpListen;
  /** Called when the service starts to listen. */
  onReady: (service: ReadyService) => void;
  /** Called with each event of the service after onReady(). */
  onEvent?: (event: ServiceEventMessage) => void;
  /** Called with each line of the service's log, without its line break. */
  onLogLine?: (line: string) => void;
}

/** The service's API in this process. It runs no agents and fires no triggers. */
export interface LocalService extends AsyncDisposable {
  readonly client: Client;
}

/** A file that `inkling validate` has checked, with its problems. */
export type ValidatedFile = Omit<CheckedFile, "diagnostics"> & { diagnostics: DiagnosticBody[] };

/** The smallest set of permissions with which the service of a workspace works. */
export interface PermissionReport extends PermissionFlags {
  /** The command that starts Inkling with these permissions. Null for a compiled program, whose permissions are fixed. */
  command: readonly string[] | null;
}

/** The settings of the service whose permissions are determined. */
export interface PermissionOptions extends WorkspaceOption {
  /** The value of --host; if absent, the service listens on the loopback address. */
  host?: string | undefined;
}

/** The settings of a copy of the history, into PostgreSQL (`to`) or out of PostgreSQL (`from`). */
export type MoveHistoryOptions = WorkspaceOption & Omit<MoveOptions, "directories">;

/** The result of a copy whose rows were compared with the source. Addresses contain no password. */
export interface MovedHistory extends CopiedHistory {
  /** The path of config.yaml. */
  configFile: string;
}

/** The notification channels of config.yaml. */
export type Channels = Pick<
  MessageChannels,
  "report" | "check" | "try" | "isConfirmed" | "reportLost"
>;

/**
 * The functions and properties of the program that commands use. For a failure that a user can cause, a function throws an
 * error with a message for the user. TypeErrors and other built-in errors are bugs.
 */
export interface CliApp {
  readonly version: string;
  /** The command that starts this program again. */
  readonly selfCommand: readonly string[];
  /** True if this process has fewer permissions than Inkling can use. */
  readonly isConfined: boolean;
  /** Returns the permission flags that the current config.yaml and agent files require. */
  permissions(options: PermissionOptions): Promise<PermissionReport>;
  /** Returns the JSON Schema of a file that people write. */
  fileSchema(kind: "agent" | "config" | "mcp"): Promise<object>;
  /** The kind of this installation. It determines how `inkling update` works. */
  readonly distribution: Distribution;
  /**
   * The environment variables for a background service. Inkling's folders in them are absolute paths, because the service
   * runs in another directory. Keys are passed in the environment, never in arguments.
   */
  readonly environment: Readonly<Record<string, string>>;
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  readonly input: Input;
  readonly clock: Clock;
  readonly processes: Processes;
  /**
   * Returns the paths of the service's files. Without `workspaceFlag` it reads no file, because the default workspace's
   * service uses the base state folder.
   */
  places(workspaceFlag?: string): Promise<Places>;
  /** The address of the service on another machine, if the command uses one. */
  readonly remote?: string;
  /** Creates a client of the service. The client connects at its first request. */
  connect(places: Places): Client;
  /** Returns the service settings of config.yaml, and the key of TCP clients. */
  serviceDefaults(options: WorkspaceOption): Promise<ServiceDefaults>;
  /** Runs the service in this process. Resolves with the reason of the stop when the service has stopped. */
  serve(options: ServeOptions): Promise<StopReason>;
  /** Opens the service's API in this process, read-only. Works also while a service runs. */
  openLocalService(options: WorkspaceOption): Promise<LocalService>;
  /** Opens the service's API in this process with the right to delete stored data. Rejects while a service runs. */
  openUpkeep(options: WorkspaceOption): Promise<LocalService>;
  /**
   * Copies the history between SQLite and PostgreSQL, completely or not at all. Rejects while a service runs, or if the
   * target already contains a history.
   */
  moveHistory(options: MoveHistoryOptions): Promise<MovedHistory>;
  /**
   * Checks the agent with the id `target`, the `.md` file at the path `target`, or every agent. With `connect` it also
   * starts the agents' MCP servers. Returns an empty list for an unknown target.
   */
  validate(
    target: string | undefined,
    options: WorkspaceOption & { connect?: boolean },
  ): Promise<ValidatedFile[]>;
  info(options: WorkspaceOption): Promise<SetupReport>;
  /** Opens the notification channels of config.yaml. Their secrets come from the environment of this process. */
  openChannels(options: WorkspaceOption): Promise<Channels>;
  /** Returns the installed unit of the service, or undefined. Starts no program. */
  findUnit(): InstalledUnit | undefined;
  /** Runs all checks of `inkling doctor` except the checks of the service. Works even if config.yaml is invalid. */
  examine(options: WorkspaceOption & { isRunning: boolean }): Promise<Examination>;
  /** Returns the warnings about config.yaml, for example about unknown keys. */
  configWarnings(options: WorkspaceOption): Promise<DiagnosticBody[]>;
  /** Returns the ids of all agents. Reads only the names of the agent files, not the files. */
  agentNames(options: WorkspaceOption): Promise<string[]>;
  /**
   * Starts a local proxy that serves the page of the service at `socketFile`. `home` is the URL path of the first page.
   * `warn` receives problems.
   */
  openUiProxy(
    options: { stateDir: string; socketFile: string; home: string; warn: (text: string) => void },
  ): Promise<UiProxy>;
  /** Creates a link that opens the page on this port, for one browser only. */
  createUiLink(place: { stateDir: string; port: number }): Promise<UiLink>;
  /** Opens a text in the editor that the environment variables of this process name; see EditText. */
  editText: EditText;
  /** Opens an address in the user's browser. Returns false if no browser can be opened. */
  openBrowser(address: string): Promise<boolean>;
  /** Returns undefined if the workspace is an existing folder, otherwise its absolute path. */
  missingWorkspace(workspace: string): Promise<string | undefined>;
  /** Returns whether config.yaml or the agents folder exists. */
  isSetUp(options: WorkspaceOption): Promise<boolean>;
  openInstallation(): Promise<Installation>;
  openAgentAuthor(options: WorkspaceOption): Promise<AgentAuthor>;
  openGallery(options: WorkspaceOption): Promise<Gallery>;
  /**
   * Removes `enabled: false` from an agent's file. Returns the file's path, or undefined for an unknown agent. `changed` is
   * false if the agent was enabled.
   */
  enableAgent(
    id: string,
    options: WorkspaceOption,
  ): Promise<{ path: string; changed: boolean } | undefined>;
  openAgentImporter(
    options: WorkspaceOption,
  ): Promise<Pick<AgentImporter, "agentsDir" | "describeBadId" | "open">>;
  openSkillInstaller(
    options: WorkspaceOption,
  ): Promise<Pick<SkillInstaller, "prepare" | "list" | "remove">>;
  openServerInstaller(
    options: WorkspaceOption,
  ): Promise<Pick<ServerInstaller, keyof ServerInstaller>>;
  openAgentTests(options: WorkspaceOption): Promise<AgentTesting>;
  /**
   * Calls the listener at each Ctrl+C, which then does not end the process. Returns a function that removes the listener.
   */
  onInterrupt(listener: () => void): () => void;
}
