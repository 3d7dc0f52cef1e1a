// How many requests the service answers, against a bare server in a process of its own, with the same client.
import { join } from "node:path";
import { PERMISSION_FLAGS, sourceCommand } from "../../cli/self_command.ts";
import { comparePaired, type Figure } from "./paired.ts";

const REQUESTS = 4_000;
const AT_ONCE = 32;
const PAIRS = 7;
const KEY = "bench-0123456789";

/** Requests per second of /health and /executions, as the ratio of a bare server's to ours: 0.7 is 70 % of its speed. */
export async function benchHttp(): Promise<Figure[]> {
  const root = await Deno.makeTempDir({ prefix: "inkling-bench-" });
  const bare = join(root, "bare.ts");
  await Deno.writeTextFile(
    bare,
    'Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: ({ port }) => console.log(`http://127.0.0.1:${port}`) },' +
      ' () => Response.json({ status: "ok" }));\n',
  );
  const workspace = join(root, "workspace");
  const configDir = join(root, "config");
  await Deno.mkdir(join(workspace, "agents"), { recursive: true });
  await Deno.mkdir(configDir);
  await Deno.writeTextFile(join(configDir, "config.yaml"), `workspace: ${workspace}\n`);
  const env = {
    INKLING_CONFIG_DIR: configDir,
    INKLING_STATE_DIR: join(root, "state"),
    INKLING_API_KEY: KEY,
  };
  const [program = "", ...first] = sourceCommand();
  const floor = await startServer(
    [Deno.execPath(), "run", ...PERMISSION_FLAGS, bare],
    {},
    /http:\S+/,
  );
  const ours = await startServer([program, ...first, "start", "--port", "0"], env, /tcp:\/\/\S+/);
  const base = ours.url.replace("tcp:", "http:");
  try {
    const compare = (path: string) =>
      comparePaired(`requests: ${path}, time of ours / bare server's`, {
        floor: () => load(`${floor.url}/`),
        subject: () => load(`${base}${path}`),
        pairs: PAIRS,
      });
    return [await compare("/health"), await compare("/executions")];
  } finally {
    await Promise.all([floor.stop(), ours.stop()]);
    await Deno.remove(root, { recursive: true });
  }
}

async function load(url: string): Promise<void> {
  let left = REQUESTS;
  const client = async () => {
    while (left-- > 0) {
      const response = await fetch(url, { headers: { "x-api-key": KEY } });
      await response.body?.cancel();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
}

async function startServer(
  [program = "", ...args]: readonly string[],
  env: Record<string, string>,
  address: RegExp,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const child = new Deno.Command(program, {
    args: [...args],
    env: { ...env, NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!address.test(text)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`The server did not start: ${text}`);
    text += value;
  }
  return {
    url: address.exec(text)?.[0].replace(/,$/, "") ?? "",
    async stop() {
      child.kill("SIGTERM");
      await child.status;
      await reader.cancel();
    },
  };
}
