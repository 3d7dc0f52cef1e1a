// A release server on this machine, and an installed binary that is a shell script.
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { CliApp } from "../../../cli/context/app.ts";
import { runCli } from "../../../cli/mod.ts";
import { SystemClock } from "../../../base/clock.ts";
import { createFakeCli, type FakeCli } from "../fake_cli.ts";

/** The target of every release. */
export const TARGET = "x86_64-unknown-linux-gnu";

/** Returns the text of a program that only answers `--version`. */
export function standIn(version: string): string {
  return `#!/bin/sh\n[ "$1" = --version ] && echo ${version}\n`;
}

/** Returns the entry of a file in latest.json. */
export function manifest(
  version: string,
  content: string,
  changes: { name?: unknown; sha256?: unknown } = {},
): string {
  const sha256 = createHash("sha256").update(content).digest("hex");
  return JSON.stringify({
    version,
    files: { [TARGET]: { name: "inkling-linux", sha256, ...changes } },
  });
}

/** An installed binary of version 1.2.3, and a command line that runs as this binary. */
export class UpdateWorld implements AsyncDisposable {
  readonly cli: FakeCli;
  readonly directory: string;
  readonly binary: string;
  /** The server's responses by path. The server answers other paths with 404. */
  readonly answers = new Map<string, (request: Request) => Response | Promise<Response>>();
  readonly requested: string[] = [];
  /** The public keys in the installed binary. */
  keys: readonly string[] = [];
  readonly base: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #stop = new AbortController();

  private constructor(cli: FakeCli, directory: string) {
    this.cli = cli;
    this.directory = directory;
    this.binary = join(directory, "inkling");
    const { signal } = this.#stop;
    const options = { hostname: "127.0.0.1", port: 0, signal, onListen: () => {} };
    this.#server = Deno.serve(options, async (request) => {
      const { pathname } = new URL(request.url);
      this.requested.push(pathname);
      const answer = await this.answers.get(pathname)?.(request);
      const { body, status, headers } = answer ?? new Response("no", { status: 404 });
      // Keep-alive is off, because a stopping server waits for unused connections.
      return new Response(body, {
        status,
        headers: { ...Object.fromEntries(headers), connection: "close" },
      });
    });
    this.base = `http://127.0.0.1:${this.#server.addr.port}/releases`;
  }

  static async open(): Promise<UpdateWorld> {
    const directory = await Deno.realPath(await Deno.makeTempDir({ prefix: "inkling-update-" }));
    const world = new UpdateWorld(await createFakeCli({ isRunning: false }), directory);
    await Deno.writeTextFile(world.binary, standIn("1.2.3"));
    // Sets the mode explicitly, because the umask of test threads varies.
    await Deno.chmod(world.binary, 0o755);
    return world;
  }

  /** Serves a release whose file has this content. */
  release(version: string, content: string, changes?: Parameters<typeof manifest>[2]): void {
    this.answers.set(
      "/releases/latest.json",
      () => new Response(manifest(version, content, changes)),
    );
    this.answers.set("/releases/inkling-linux", () => new Response(content));
  }

  /** Runs a command as the installed binary and returns its exit code. */
  run(args: readonly string[], changes: Partial<CliApp> = {}): Promise<number> {
    return runCli(args, {
      ...this.cli.app,
      clock: new SystemClock(),
      environment: { INKLING_RELEASE_URL: this.base },
      distribution: { kind: "binary", path: this.binary, target: TARGET, keys: this.keys },
      ...changes,
    });
  }

  /** Returns the version of the installed binary, and every file beside it. */
  async state(): Promise<{ version: string; files: string[] }> {
    const { stdout } = await new Deno.Command(this.binary, { args: ["--version"] }).output();
    const files = [...Deno.readDirSync(this.directory)].map(({ name }) => name);
    return { version: new TextDecoder().decode(stdout).trim(), files: files.sort() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#server.finished;
    await this.cli[Symbol.asyncDispose]();
    await Deno.remove(this.directory, { recursive: true });
  }
}

/** Connects a command line to an installed binary 1.2.3 and to a release 1.3.0, until disposed. */
export async function offerRelease(cli: FakeCli): Promise<AsyncDisposable> {
  const world = await UpdateWorld.open();
  world.release("1.3.0", standIn("1.3.0"));
  cli.environment = { INKLING_RELEASE_URL: world.base };
  cli.distribution = { kind: "binary", path: world.binary, target: TARGET, keys: [] };
  return world;
}
