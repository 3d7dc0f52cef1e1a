// A PostgreSQL server of the tests' own in a temporary folder, and databases in it. INKLING_TEST_POSTGRES names one that runs
// already; where neither that nor the programs of PostgreSQL are there, these tests are skipped.
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** The folders with the programs of each version that Debian installs, the newest first; undefined: none. */
export const POSTGRES_BIN: string | undefined = findPrograms();

/** The address of a server that runs already. */
const GIVEN = Deno.env.get("INKLING_TEST_POSTGRES");

/** Whether tests with PostgreSQL can run here. */
export const HAS_POSTGRES = GIVEN !== undefined || POSTGRES_BIN !== undefined;

/** A server, to be stopped. */
export interface PostgresServer extends AsyncDisposable {
  /** postgres://inkling@127.0.0.1:port, without a database. */
  address: string;
  port: number;
  /** Ends it as a power cut would, or in order; start() brings it back. */
  stop(signal: "SIGINT" | "SIGQUIT" | "SIGKILL"): Promise<void>;
  start(): Promise<void>;
}

/** Starts a server on a free port. `durable`: what is committed survives a power cut; without, it is several times faster. */
export async function startPostgres({ durable = false } = {}): Promise<PostgresServer> {
  if (POSTGRES_BIN === undefined) throw new Error("PostgreSQL is not installed");
  const folder = await Deno.makeTempDir({ prefix: "inkling-postgres-" });
  const asUser = await asUnprivileged(folder);
  const data = join(folder, "data");
  const run = (program: string, ...args: string[]) =>
    new Deno.Command(asUser[0] ?? join(POSTGRES_BIN, program), {
      args: asUser.length > 0 ? [...asUser.slice(1), join(POSTGRES_BIN, program), ...args] : args,
      cwd: folder,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    });
  const made = await run(
    "initdb",
    ...["-D", data, "-U", "inkling", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"],
  ).output();
  if (!made.success) throw new Error(new TextDecoder().decode(made.stderr));
  const port = freePort();
  const settings = [
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${folder}`,
    "max_connections=200",
    ...(durable ? [] : ["fsync=off", "full_page_writes=off", "synchronous_commit=off"]),
  ];
  const command = run(
    "postgres",
    ...["-D", data, "-p", `${port}`, ...settings.flatMap((one) => ["-c", one])],
  );
  let server: Deno.ChildProcess | undefined;
  let said: Promise<string> | undefined;
  const start = async () => {
    server = command.spawn();
    said = new Response(server.stderr).text();
    const ended = server.status.then(({ code }) => code);
    for (;;) {
      try {
        (await Deno.connect({ hostname: "127.0.0.1", port })).close();
        // It listens a moment before it lets anybody in.
        const ready = await run(
          "pg_isready",
          ...["-h", "127.0.0.1", "-p", `${port}`, "-U", "inkling", "-q"],
        ).output();
        if (ready.success) return;
      } catch {
        // Not yet.
      }
      const code = await Promise.race([ended, delay(50)]);
      if (code !== undefined) throw new Error(`PostgreSQL ended with ${code}: ${await said}`);
    }
  };
  const stop = async (signal: "SIGINT" | "SIGQUIT" | "SIGKILL") => {
    if (server === undefined) return;
    server.kill(signal);
    await server.status;
    await said;
    server = undefined;
  };
  await start();
  return {
    address: `postgres://inkling@127.0.0.1:${port}`,
    port,
    start,
    stop,
    async [Symbol.asyncDispose]() {
      await stop("SIGINT");
      await Deno.remove(folder, { recursive: true });
    },
  };
}

let shared: Promise<string> | undefined;

/** The server that the tests of one process share, begun with the first one; it ends with the process. */
export function sharedPostgres(): Promise<string> {
  if (GIVEN !== undefined) return Promise.resolve(GIVEN);
  return shared ??= startPostgres().then((server) => {
    globalThis.addEventListener("unload", () => void server.stop("SIGQUIT"));
    return server.address;
  });
}

/** Server programs refuse to run as root. */
async function asUnprivileged(folder: string): Promise<string[]> {
  if (Deno.uid() !== 0) return [];
  const { stdout } = await new Deno.Command("id", { args: ["-u", "postgres"] }).output();
  const uid = Number(new TextDecoder().decode(stdout).trim());
  await Deno.chown(folder, uid, uid);
  return ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"];
}

function findPrograms(): string | undefined {
  try {
    const versions = [...Deno.readDirSync("/usr/lib/postgresql")].map(({ name }) => name)
      .sort((a, b) => Number(b) - Number(a));
    return versions[0] === undefined ? undefined : `/usr/lib/postgresql/${versions[0]}/bin`;
  } catch {
    return undefined;
  }
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
