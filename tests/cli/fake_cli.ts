// The whole command line in one process, with in-memory terminals and the real application over a fake runtime.
import assert from "node:assert/strict";
import type {
  CliApp,
  InstalledUnit,
  MovedHistory,
  MoveHistoryOptions,
  PermissionReport,
  ServeOptions,
  StopReason,
  ValidatedFile,
} from "../../cli/context/app.ts";
import type { ServiceDefaults } from "../../runtime/config/service_defaults.ts";
import type { ChannelReport, ChannelTrial } from "../../runtime/wiring/message_channels.ts";
import type { CommandContext } from "../../cli/context/context.ts";
import { runCli } from "../../cli/mod.ts";
import { Output } from "../../cli/output/output.ts";
import { OutputClosed, type Terminal } from "../../cli/output/terminal.ts";
import type { DetachedProcess } from "../../cli/context/processes.ts";
import { findInstalledUnit } from "../../cli/service/units/installed_unit.ts";
import { stateFilesOf } from "../../runtime/config/places.ts";
import type { Examination } from "../../ops/doctor/finding.ts";
import type { SetupReport } from "../../ops/setup/setup_report.ts";
import { Client, type Transport } from "../../api/client/client.ts";
import type { DiagnosticBody } from "../../api/schemas/diagnostic_schemas.ts";
import type { FakeRuntime } from "../support/fake_runtime.ts";
import { createTestApp, type TestApp } from "../support/test_app.ts";
import { settleQuickly, type TestClock } from "../support/test_clock.ts";
import { until } from "../support/until.ts";
import { FakeInput } from "./fake_input.ts";
import type { VirtualScreen } from "./virtual_screen.ts";

/** A terminal or a file in memory. */
export class FakeTerminal implements Terminal {
  text = "";
  isClosed = false;
  isTerminal: boolean;
  columns: number;
  readonly colors: boolean;
  readonly isErasable: boolean;
  isDumb = false;
  rows: number;

  constructor(
    options: { isTerminal: boolean; columns?: number; colors?: boolean; isErasable?: boolean },
  ) {
    this.colors = options.colors ?? false;
    this.isErasable = options.isErasable ?? false;
    this.rows = options.isTerminal ? 24 : Infinity;
    this.isTerminal = options.isTerminal;
    this.columns = options.columns ?? (options.isTerminal ? 80 : Infinity);
  }

  write(text: string): void {
    if (this.isClosed) throw new OutputClosed("closed");
    this.text += text;
  }
}

/** A simulated process. */
export interface FakeProcess {
  /** The signals that the process received. */
  signals: string[];
  /** The signals and requests that end the process. */
  endsOn: ("request" | "SIGTERM" | "SIGKILL")[];
  isAlive: boolean;
  /** Called at the end of the process. */
  onEnd: () => void;
}

/** The command line with a service in memory. */
export class FakeCli implements AsyncDisposable {
  app: CliApp;
  readonly clock: TestClock;
  readonly runtime: FakeRuntime;
  readonly lifecycle: TestApp["lifecycle"];
  readonly stdout: FakeTerminal;
  readonly stderr: FakeTerminal;
  readonly input: FakeInput;
  /** True if the service answers. */
  isRunning: boolean;
  /** Answers requests instead of the service, if set. */
  transport: Transport | undefined;
  readonly processes = new Map<number, FakeProcess>();
  /** The argument lists of the commands started in the background. */
  readonly spawned: string[][] = [];
  /** The environment variables of each command started in the background. */
  readonly spawnedWith: Readonly<Record<string, string>>[] = [];
  /** Called when a command starts the service in the background. By default the service then runs. */
  onSpawn: (logFile: string) => DetachedProcess = () => {
    this.isRunning = true;
    return { pid: 4711, ended: undefined };
  };
  /** The number of applications that commands opened without a service. */
  localOpened = 0;
  upkeepsOpened = 0;
  /** The options of each requested copy of the history. */
  readonly moves: MoveHistoryOptions[] = [];
  onMove: (options: MoveHistoryOptions) => Promise<MovedHistory> = ({ address }) =>
    Promise.resolve({
      from: "/home/me/.local/state/inkling/inkling.db",
      to: address,
      configFile: "/home/me/.config/inkling/config.yaml",
      setting: address,
      tables: [
        { name: "instances", rows: 1, digest: "aa" },
        { name: "frames", rows: 1_234, digest: "bb" },
        { name: "outbox", rows: 0, digest: "cc" },
      ],
      changedTexts: 0,
    });
  readonly served: ServeOptions[] = [];
  /** The service settings of config.yaml. */
  service: Partial<ServiceDefaults> = {};
  onServe: (options: ServeOptions) => Promise<StopReason> = () => Promise.resolve("requested");
  /** The agent ids that command-line completion finds by file name. */
  agentNames: string[] = [];
  /** The socket file and path of each opened proxy, and `closed` for each closed proxy. */
  readonly proxied: string[] = [];
  /** The port of the proxy, and the usual port if another process uses it. */
  page: { port?: number; takenPort?: number } = {};
  /** The addresses opened in a browser. */
  readonly opened: string[] = [];
  /** The edits of the user, one for each text that a command opens in an editor. */
  readonly edits: ((text: string) => Promise<string>)[] = [];
  /** True if a browser can be opened. */
  hasBrowser = true;
  files: ValidatedFile[] = [];
  report: SetupReport = {
    configFile: "/home/me/.config/inkling/config.yaml",
    configFileExists: true,
    workspaceEnvFile: "/home/me/inkling/agents/_config/.env",
    workspaceEnvFileExists: false,
    workspace: "/home/me/inkling",
    agentsDir: "/home/me/inkling/agents",
    database: { kind: "sqlite", place: "/home/me/state/inkling.db" },
    defaultModel: null,
    defaultModelHasPrice: null,
    providers: [],
    sandbox: () => Promise.resolve({ mode: "preferred", missing: null }),
  };
  /** The findings of `doctor` except those about the service. */
  examination: Examination = { checks: 12, findings: [], unchecked: [], notes: [] };
  /** The warnings about config.yaml. */
  configWarnings: DiagnosticBody[] = [];
  environment: Readonly<Record<string, string>> = { HOME: "/home/me", PATH: "/nowhere" };
  distribution: CliApp["distribution"] = { kind: "source", directory: "/home/me/source" };
  isConfined = false;
  /** The notification channels, and the result of a test of each. */
  channels: ChannelReport[] = [];
  readonly trials = new Map<string, ChannelTrial>();
  /** The problems of chats that their apps report. */
  readonly chatProblems = new Map<string, string>();
  /** The confirmed tokens of test messages, and the channels whose message was reported as lost. */
  readonly confirmed = new Set<string>();
  readonly lost: string[] = [];
  /** The installed unit; by default it is searched in HOME. */
  unit: InstalledUnit | undefined;
  /** The result of `permissions`. */
  permissions: PermissionReport = { flags: [], remarks: [], command: null };
  isSetUp = true;
  /** The workspaces that do not exist. */
  missingWorkspaces: string[] = [];
  readonly interruptListeners = new Set<() => void>();
  readonly #service: TestApp["app"];
  /** The number of requests to the service without a response. */
  #unanswered = 0;

  constructor(readonly stateDir: string, options: FakeCliOptions) {
    const { app, runtime, clock, lifecycle } = createTestApp();
    const { isTerminal = false, columns, hasPerson = false, isRunning = true } = options;
    const size = { isTerminal, ...(columns !== undefined && { columns }) };
    this.#service = app;
    this.runtime = runtime;
    this.lifecycle = lifecycle;
    this.clock = clock;
    clock.settle = settleQuickly;
    this.stdout = new FakeTerminal(size);
    this.stderr = new FakeTerminal(size);
    this.input = new FakeInput({ isTerminal: hasPerson });
    this.isRunning = isRunning;
    this.app = createApp(this, options.screen);
  }

  /** Sends a request to the service. */
  readonly request: Transport = async (path, init) => {
    const { signal } = init;
    signal?.throwIfAborted();
    this.#unanswered++;
    const response = await Promise.resolve(this.#service.request(path, init))
      .finally(() => this.#unanswered--);
    if (response.body === null || !signal) return response;
    // The body fails when its request is aborted, like the body of a real response.
    return new Response(response.body.pipeThrough(new TransformStream(), { signal }), response);
  };

  /** Adds a running process that ends on these signals and requests; by default the service's. */
  addProcess(
    endsOn: FakeProcess["endsOn"],
    { pid = Deno.pid, onEnd = () => {} }: { pid?: number; onEnd?: () => void } = {},
  ): FakeProcess {
    const process: FakeProcess = { signals: [], endsOn, isAlive: true, onEnd };
    this.processes.set(pid, process);
    return process;
  }

  /** Makes the service listen without answering. */
  beSilent(): void {
    this.transport = (_path, { signal }) =>
      new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  }

  /** Returns the context of a command without options. */
  get context(): CommandContext {
    const { app, stdout, stderr } = this;
    return { app, output: new Output({ stdout, stderr, quiet: false, verbose: false }) };
  }

  /** Simulates Ctrl+C. Returns false if the command has no listener for it. */
  interrupt(): boolean {
    for (const listener of [...this.interruptListeners]) listener();
    return this.interruptListeners.size > 0;
  }

  /** Runs a command and returns its exit code. */
  run(...argv: string[]): Promise<number> {
    return runCli(argv, this.app);
  }

  /** Advances the clock until the promise settles, but only while a sleep is pending. */
  async drive<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const done = () => settled = true;
    promise.then(done, done);
    await settleQuickly();
    const tick = async () => {
      const isWaiting = this.#unanswered === 0 && this.clock.sleeping > 0;
      if (!settled && isWaiting) await this.clock.advance(250);
      return settled;
    };
    await until(tick, "it comes to an end", settleQuickly);
    return await promise;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(Deno.removeSync(this.stateDir, { recursive: true }));
  }
}

interface FakeCliOptions {
  isRunning?: boolean;
  /** True if standard output and standard error are terminals. */
  isTerminal?: boolean;
  columns?: number;
  /** True if standard input is a terminal, too, so that commands can ask questions. */
  hasPerson?: boolean;
  /** The screen that standard output and standard error share. */
  screen?: VirtualScreen;
}

/** Creates a command line with a running service without agents. */
export function createFakeCli(options: FakeCliOptions = {}): Promise<FakeCli> {
  // Hundreds of tests create one; the asynchronous functions cost more on a busy machine.
  return Promise.resolve(new FakeCli(Deno.makeTempDirSync(), options));
}

function createApp(cli: FakeCli, screen: VirtualScreen | undefined): CliApp {
  const { stateDir, clock, request } = cli;
  const end = (one: FakeProcess, cause: FakeProcess["endsOn"][number]) => {
    if (!one.endsOn.includes(cause)) return;
    one.isAlive = false;
    one.onEnd();
  };
  const openHere = () =>
    Promise.resolve({
      client: new Client({ fetch: request }),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    });
  const absent = (what: string) => () =>
    Promise.reject(new TypeError(`this test brings no ${what}`));
  return {
    version: "1.2.3",
    selfCommand: ["/usr/bin/inkling"],
    get isConfined() {
      return cli.isConfined;
    },
    permissions: () => Promise.resolve(cli.permissions),
    fileSchema: (kind) => Promise.resolve({ title: kind }),
    get environment() {
      return cli.environment;
    },
    stdout: screen ?? cli.stdout,
    stderr: screen ?? cli.stderr,
    input: cli.input,
    clock,
    processes: {
      isAlive: (pid) => Promise.resolve(cli.processes.get(pid)?.isAlive ?? false),
      signal(pid, name) {
        const one = cli.processes.get(pid);
        one?.signals.push(name);
        if (one !== undefined) end(one, name);
        return Promise.resolve();
      },
      spawnDetached(command, { logFile, environment }) {
        cli.spawned.push([...command]);
        cli.spawnedWith.push(environment);
        return Promise.resolve(cli.onSpawn(logFile));
      },
    },
    places: (workspace) =>
      Promise.resolve({
        ...placesIn(stateDir),
        ...(workspace !== undefined && { workspace: `/absolute/${workspace}` }),
      }),
    connect: () =>
      new Client({
        fetch: (path, init) => {
          if (cli.transport !== undefined) return cli.transport(path, init);
          if (!cli.isRunning) return Promise.reject(new TypeError("connection refused"));
          if (path === "/shutdown") {
            for (const one of cli.processes.values()) end(one, "request");
          }
          return request(path, init);
        },
        sleep: (ms, signal) => clock.sleep(ms, signal),
      }),
    serviceDefaults: () =>
      Promise.resolve({
        ...{ port: null, host: "127.0.0.1", keepAlive: false },
        key: cli.environment["INKLING_API_KEY"],
        keySource: undefined,
        keyFile: "/home/me/.config/inkling/.env",
        ...cli.service,
      }),
    serve(options) {
      cli.served.push(options);
      return cli.onServe(options);
    },
    openLocalService() {
      cli.localOpened++;
      return openHere();
    },
    openUpkeep() {
      cli.upkeepsOpened++;
      return openHere();
    },
    moveHistory(options) {
      cli.moves.push(options);
      return cli.onMove(options);
    },
    validate: (target) =>
      Promise.resolve(
        cli.files.filter(({ agentId }) => target === undefined || agentId === target),
      ),
    openChannels: () =>
      Promise.resolve({
        report: () => cli.channels,
        check: (name) => Promise.resolve(cli.chatProblems.get(name) ?? null),
        try: (name) => Promise.resolve(cli.trials.get(name)),
        isConfirmed: (token) => Promise.resolve(cli.confirmed.has(token)),
        reportLost: (name) => Promise.resolve(void cli.lost.push(name)),
      }),
    info: () => Promise.resolve(cli.report),
    findUnit: () => cli.unit ?? findInstalledUnit(cli.environment),
    examine: () => {
      const { checks, findings, unchecked, notes } = cli.examination;
      const lists = { findings: [...findings], unchecked: [...unchecked], notes: [...notes] };
      return Promise.resolve({ checks, ...lists });
    },
    configWarnings: () => Promise.resolve(cli.configWarnings),
    get distribution() {
      return cli.distribution;
    },
    agentNames: () => Promise.resolve(cli.agentNames),
    openUiProxy(options) {
      cli.proxied.push(options.socketFile + options.home);
      const close = () => Promise.resolve(void cli.proxied.push("closed"));
      return Promise.resolve({ port: 4711, ...cli.page, [Symbol.asyncDispose]: close });
    },
    createUiLink({ port }) {
      const address = `http://127.0.0.1:${port}/open?token=once`;
      return Promise.resolve({ address, file: new URL("file:///state/ui.html") });
    },
    editText: (text, name) => {
      const edit = cli.edits.shift();
      assert.ok(edit !== undefined, `nobody edits ${name}`);
      return edit(text);
    },
    openBrowser(address) {
      cli.opened.push(address);
      return Promise.resolve(cli.hasBrowser);
    },
    isSetUp: () => Promise.resolve(cli.isSetUp),
    missingWorkspace: (workspace) =>
      Promise.resolve(
        cli.missingWorkspaces.includes(workspace) ? `/absolute/${workspace}` : undefined,
      ),
    openInstallation: absent("installation"),
    enableAgent: absent("author"),
    openAgentImporter: absent("importer"),
    openSkillInstaller: absent("installer"),
    openServerInstaller: absent("installer"),
    openAgentTests: absent("tests of agents"),
    openAgentAuthor: absent("author"),
    openGallery: absent("gallery"),
    onInterrupt(listener) {
      cli.interruptListeners.add(listener);
      return () => cli.interruptListeners.delete(listener);
    },
  };
}

/** Returns the files of a service in its state folder. */
export function placesIn(stateDir: string): Awaited<ReturnType<CliApp["places"]>> {
  const socketFile = `${stateDir}/service.sock`;
  return { stateDir, socketFile, ...stateFilesOf(stateDir) };
}
