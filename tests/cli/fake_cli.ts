// The command line in one process: terminals in memory, a service that is the real application over a fake runtime.
import assert from "node:assert/strict";
import type {
  ChannelReport,
  ChannelTrial,
  CliApp,
  InfoReport,
  MovedHistory,
  MoveHistoryOptions,
  PermissionReport,
  ServeOptions,
  ServiceDefaults,
  StopReason,
  ValidatedFile,
} from "../../cli/app.ts";
import { runCli } from "../../cli/mod.ts";
import { OutputClosed, type Terminal } from "../../cli/output/terminal.ts";
import type { DetachedProcess } from "../../cli/service/processes.ts";
import { suggest } from "../../base/text/suggestion.ts";
import type { Examination } from "../../runtime/authoring/doctor/finding.ts";
import { Client, type Transport } from "../../server/client.ts";
import type { DiagnosticBody } from "../../server/schemas/diagnostic_schemas.ts";
import type { FakeRuntime } from "../support/fake_runtime.ts";
import { createTestApp } from "../support/test_app.ts";
import { settle, type TestClock } from "../support/test_clock.ts";
import { until } from "../support/until.ts";
import { FakeInput } from "./fake_input.ts";
import type { VirtualScreen } from "./virtual_screen.ts";

/** A terminal, or a file, whose text a test reads. */
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

/** A process of the fake machine. */
export interface FakeProcess {
  /** Signals that it has had. */
  signals: string[];
  /** What ends it. */
  endsOn: ("request" | "SIGTERM" | "SIGKILL")[];
  isAlive: boolean;
}

export interface FakeCli extends AsyncDisposable {
  app: CliApp;
  clock: TestClock;
  runtime: FakeRuntime;
  stdout: FakeTerminal;
  stderr: FakeTerminal;
  input: FakeInput;
  stateDir: string;
  /** Whether the service answers. */
  isRunning: boolean;
  /** Answers in the service's place, where set. */
  transport: Transport | undefined;
  /** The service itself. */
  request: Transport;
  processes: Map<number, FakeProcess>;
  /** Commands that were started in the background. */
  spawned: string[][];
  /** The variables of each of them. */
  spawnedWith: Readonly<Record<string, string>>[];
  /** What a background start does; by default the service runs. */
  onSpawn: (logFile: string) => DetachedProcess;
  /** How often the application was opened in this process. */
  localOpened: number;
  upkeepsOpened: number;
  /** Histories that were to be moved. */
  moves: MoveHistoryOptions[];
  onMove: (options: MoveHistoryOptions) => Promise<MovedHistory>;
  served: ServeOptions[];
  /** What config.yaml says of the service. */
  service: Partial<ServiceDefaults>;
  onServe: (options: ServeOptions) => Promise<StopReason>;
  /** The agents by the names of their files. */
  agentNames: string[];
  /** The socket file and path of each proxy that was opened; `closed` for each that was closed. */
  proxied: string[];
  /** Where the proxy listens, where that is not its usual port. */
  page: { port?: number; takenPort?: number };
  /** Addresses that a browser was to open. */
  opened: string[];
  /** What the person makes of each text that is opened in an editor. */
  edits: ((text: string) => Promise<string>)[];
  /** Whether a browser can be opened. */
  hasBrowser: boolean;
  files: ValidatedFile[];
  report: InfoReport;
  /** What `doctor` finds beside the service. */
  examination: Examination;
  /** What is odd about config.yaml. */
  configWarnings: DiagnosticBody[];
  environment: Readonly<Record<string, string>>;
  distribution: CliApp["distribution"];
  isConfined: boolean;
  /** The channels of messages, and what comes of a test of each. */
  channels: ChannelReport[];
  trials: Map<string, ChannelTrial>;
  /** What `permissions` tells. */
  permissions: PermissionReport;
  isSetUp: boolean;
  /** Workspaces that are no folders. */
  missingWorkspaces: string[];
  /** Presses Ctrl+C; false when nobody listens. */
  interrupt(): boolean;
  /** Runs a command and returns its exit code. */
  run(...argv: string[]): Promise<number>;
  /** Lets time pass until the promise settles. */
  drive<T>(promise: Promise<T>): Promise<T>;
}

/** A command line whose service runs, unless told otherwise, and has no agents. */
export async function createFakeCli(
  options: {
    isRunning?: boolean;
    /** Whether standard output and standard error are terminals. */
    isTerminal?: boolean;
    columns?: number;
    /** Whether standard input is one: there is somebody to ask. */
    hasPerson?: boolean;
    /** Draws standard output and standard error, where they are one terminal that can be drawn on. */
    screen?: VirtualScreen;
  } = {},
): Promise<FakeCli> {
  const { app: service, runtime, clock } = createTestApp();
  const stateDir = await Deno.makeTempDir();
  const { isTerminal = false, columns } = options;
  const interruptListeners = new Set<() => void>();
  const request: Transport = async (path, init) => {
    const { signal } = init;
    signal?.throwIfAborted();
    const response = await service.request(path, init);
    if (response.body === null || !signal) return response;
    // As the body of a real response does, this one breaks when its request is aborted.
    return new Response(response.body.pipeThrough(new TransformStream(), { signal }), response);
  };
  const connect = () =>
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
    });
  const openHere = () =>
    Promise.resolve({
      client: new Client({ fetch: request }),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    });
  const end = (one: FakeProcess, cause: FakeProcess["endsOn"][number]) => {
    if (one.endsOn.includes(cause)) one.isAlive = false;
  };

  const cli: FakeCli = {
    clock,
    runtime,
    stdout: new FakeTerminal({ isTerminal, ...(columns !== undefined && { columns }) }),
    stderr: new FakeTerminal({ isTerminal, ...(columns !== undefined && { columns }) }),
    input: new FakeInput({ isTerminal: options.hasPerson ?? false }),
    stateDir,
    isRunning: options.isRunning ?? true,
    transport: undefined,
    request,
    processes: new Map(),
    spawned: [],
    spawnedWith: [],
    onSpawn() {
      cli.isRunning = true;
      return { pid: 4711, ended: undefined };
    },
    localOpened: 0,
    upkeepsOpened: 0,
    moves: [],
    onMove: ({ address }) =>
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
      }),
    served: [],
    service: {},
    onServe: () => Promise.resolve("requested"),
    agentNames: [],
    proxied: [],
    page: {},
    opened: [],
    edits: [],
    hasBrowser: true,
    files: [],
    configWarnings: [],
    isSetUp: true,
    missingWorkspaces: [],
    environment: { HOME: "/home/me" },
    distribution: { kind: "source", directory: "/home/me/source" },
    isConfined: false,
    channels: [],
    trials: new Map(),
    permissions: { flags: [], remarks: [], command: null },
    report: {
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
      sandbox: { mode: "preferred", missing: null },
    },
    examination: { checks: 12, findings: [], unchecked: [], notes: [] },
    app: {
      version: "1.2.3",
      selfCommand: ["/usr/bin/inkling"],
      get isConfined() {
        return cli.isConfined;
      },
      permissions: () => Promise.resolve(cli.permissions),
      get environment() {
        return cli.environment;
      },
      get stdout() {
        return options.screen ?? cli.stdout;
      },
      get stderr() {
        return options.screen ?? cli.stderr;
      },
      get input() {
        return cli.input;
      },
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
          stateDir,
          socketFile: `${stateDir}/service.sock`,
          pidFile: `${stateDir}/inkling.pid`,
          lockFile: `${stateDir}/inkling.lock`,
          logFile: `${stateDir}/inkling.log`,
          ...(workspace !== undefined && { workspace: `/absolute/${workspace}` }),
        }),
      connect,
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
          try: (name) => Promise.resolve(cli.trials.get(name)),
        }),
      info: () => Promise.resolve(cli.report),
      examine: () => {
        const { checks, findings, unchecked, notes } = cli.examination;
        return Promise.resolve({
          checks,
          findings: [...findings],
          unchecked: [...unchecked],
          notes: [...notes],
        });
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
      openInstallation: () => Promise.reject(new TypeError("this test brings no installation")),
      openSkillInstaller: () => Promise.reject(new TypeError("this test brings no installer")),
      openServerInstaller: () => Promise.reject(new TypeError("this test brings no installer")),
      openAgentTests: () => Promise.reject(new TypeError("this test brings no tests of agents")),
      openAgentAuthor: () => Promise.reject(new TypeError("this test brings no author")),
      suggest,
      onInterrupt(listener) {
        interruptListeners.add(listener);
        return () => interruptListeners.delete(listener);
      },
    },
    interrupt() {
      for (const listener of [...interruptListeners]) listener();
      return interruptListeners.size > 0;
    },
    run: (...argv) => runCli(argv, cli.app),
    async drive(promise) {
      let settled = false;
      const done = () => settled = true;
      promise.then(done, done);
      await settle();
      const tick = async () => {
        if (!settled) await clock.advance(250);
        return settled;
      };
      await until(tick, "it comes to an end");
      return await promise;
    },
    [Symbol.asyncDispose]: () => Deno.remove(stateDir, { recursive: true }),
  };
  return cli;
}
