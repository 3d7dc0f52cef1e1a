// The demo at a real terminal, with its own temporary folder.
import assert from "node:assert/strict";
import denoJson from "../../deno.json" with { type: "json" };
import { createRealHome, type RealHome } from "../e2e/real_process.ts";
import { RealTerminal } from "../e2e/terminal/real_terminal.ts";
import { REPOSITORY } from "../support/repository.ts";

/** The columns of the terminal. */
const COLUMNS = 84;
const OFFER = "Enter opens it; Ctrl\\+C ends everything\\.";

/** A demo that a person watches. Disposal ends it and removes its folder. */
export class WatchedDemo implements AsyncDisposable {
  readonly home: RealHome;
  readonly terminal: RealTerminal;
  readonly #directory: string;
  readonly #resources: AsyncDisposable;

  private constructor(
    { home, terminal, directory }: { home: RealHome; terminal: RealTerminal; directory: string },
    resources: AsyncDisposable,
  ) {
    this.home = home;
    this.terminal = terminal;
    this.#directory = directory;
    this.#resources = resources;
  }

  /** Starts the demo. `env` receives the home and returns further variables of the demo. */
  static async start(
    env: (home: RealHome) => Promise<Record<string, string>> = () => Promise.resolve({}),
  ): Promise<WatchedDemo> {
    await using opened = new AsyncDisposableStack();
    const home = opened.use(await createRealHome());
    const directory = await Deno.makeTempDir({ prefix: "inkling-demo-test-" });
    opened.defer(() => Deno.remove(directory, { recursive: true }));
    const [, ...args] = denoJson.tasks.demo.command.split(" ");
    const program = args.map((arg) => arg === "demo/run.ts" ? `${REPOSITORY}/${arg}` : arg);
    const terminal = opened.use(
      await RealTerminal.open(home, program, {
        columns: COLUMNS,
        program: [Deno.execPath()],
        env: { TMPDIR: directory, ...await env(home) },
      }),
    );
    return new WatchedDemo({ home, terminal, directory }, opened.move());
  }

  /** Answers the demo's question, and waits until it offers the page. Returns the screen. */
  async untilOffer(): Promise<string> {
    await this.terminal.waitFor(/◆ {2}The report is in report\.md/);
    await this.terminal.press("Enter");
    return await this.terminal.waitFor(new RegExp(`^${OFFER}$`, "m"));
  }

  /** Presses Enter, waits until the page is open, and returns its newest address. */
  async openPage(): Promise<URL> {
    const before = (await this.terminal.read()).split("Enter opens it again").length;
    await this.terminal.press("Enter");
    const shown = await this.terminal.waitFor(
      new RegExp(`(Enter opens it again[^]*){${before}}$`),
    );
    const addresses = [...shown.matchAll(/^http:\S+$/gm)];
    return new URL(addresses.at(-1)?.[0] ?? "");
  }

  /** Waits for the demo's end and returns the screen. Fails for another exit code, or if a file is left. */
  async endsWith(code: number): Promise<string> {
    const shown = await this.terminal.endsWith(code);
    assert.deepEqual([...Deno.readDirSync(this.#directory)], []);
    return shown;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources[Symbol.asyncDispose]();
  }
}
