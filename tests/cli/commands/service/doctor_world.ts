// Tests `doctor` on an installation in a temporary folder, with the real checks and a real runtime as its service. Only the
// free disk space and the permissions are simulated.
import { dirname, join } from "node:path";
import { examine } from "../../../../ops/doctor/examine.ts";
import { type Machine, SYSTEM_MACHINE } from "../../../../ops/doctor/machine.ts";
import { loadSettings } from "../../../../runtime/mod.ts";
import { resolveBaseStateDir, stateFilesOf } from "../../../../runtime/config/places.ts";
import type { Runtime } from "../../../../runtime/interface/runtime.ts";
import { createLocalClient } from "../../../../app/local_client.ts";
import { createTestWorkspace, type TestWorkspace } from "../../../support/test_workspace.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { createFakeCli, type FakeCli } from "../../fake_cli.ts";

/** Fake API keys with the format of real ones. */
export const OPENAI_KEY = "sk-proj-0123456789abcdefghijklmnop";
export const ANTHROPIC_KEY = "sk-ant-0123456789abcdefghijklmnop";

export interface DoctorWorld extends AsyncDisposable {
  place: TestWorkspace;
  cli: FakeCli;
  clock: TestClock;
  /** The simulated machine; a test may change it. */
  machine: Machine;
  largestDatabase: number;
  /** Writes a file below the root, for example `work/agents/_config/.env`, with mode 600. */
  put(path: string, text: string): Promise<string>;
  /** Starts the service of the installation. */
  start(): Promise<Runtime>;
  stop(): Promise<void>;
  /** Runs `doctor` and returns its printed lines and its exit code. */
  doctor(...options: string[]): Promise<{ code: number; lines: string[] }>;
}

export async function createDoctorWorld(): Promise<DoctorWorld> {
  await using opened = new AsyncDisposableStack();
  const place = opened.use(await createTestWorkspace({ shell: { PATH: "/usr/bin:/bin" } }));
  // The installation has a notification channel.
  await place.configure("notify: { channels: { phone: { type: ntfy, topic: t } } }\n");
  const cli = opened.use(await createFakeCli({ isRunning: false }));
  const clock = new TestClock(Date.now());
  let runtime: Runtime | undefined;
  opened.defer(async () => await runtime?.[Symbol.asyncDispose]());
  const { app } = cli;
  const surroundings = { shell: place.shell, home: place.root };
  cli.environment = { HOME: place.root };
  app.examine = (options) =>
    examine({ ...surroundings, ...options }, {
      version: app.version,
      isRunning: options.isRunning,
      clock,
      machine: world.machine,
      largestDatabase: world.largestDatabase,
    });
  app.places = () => {
    const stateDir = resolveBaseStateDir((name) => place.shell[name], place.root);
    const socketFile = join(stateDir, "service.sock");
    return Promise.resolve({ stateDir, socketFile, ...stateFilesOf(stateDir) });
  };
  const { connect } = app;
  app.connect = (places) =>
    runtime === undefined || cli.transport !== undefined
      ? connect(places)
      : createLocalClient(runtime);
  app.openLocalService = async () => {
    await loadSettings(surroundings);
    const local = await place.open({ mode: "read-only" });
    return {
      client: createLocalClient(local),
      [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
    };
  };
  const kept = opened.move();
  const world: DoctorWorld = {
    place,
    cli,
    clock,
    machine: { ...SYSTEM_MACHINE, freeBytes: () => 1e12 },
    largestDatabase: 1e9,
    async put(path, text) {
      const file = join(place.root, path);
      await Deno.mkdir(dirname(file), { recursive: true });
      await Deno.writeTextFile(file, text, { mode: 0o600 });
      await Deno.chmod(file, 0o600);
      return file;
    },
    async start() {
      return runtime = await place.open({ clock, version: app.version });
    },
    async stop() {
      await runtime?.[Symbol.asyncDispose]();
      runtime = undefined;
    },
    async doctor(...options) {
      cli.stdout.text = "";
      const code = await cli.run("doctor", ...options);
      const lines = cli.stdout.text.replaceAll(place.root, "~").trimEnd().split("\n");
      if (cli.stderr.text !== "") lines.push(cli.stderr.text);
      return { code, lines };
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
  return world;
}
