// How long commands take to start, against an empty Deno program with the same permissions.
import { join } from "node:path";
import { PERMISSION_FLAGS, sourceCommand } from "../../cli/self_command.ts";
import { openSocketClient } from "../../server/client.ts";
import { comparePaired, type Figure, type Goal, ratioAtMost, timed, toFigure } from "./paired.ts";

const PAIRS = 15;
const READY_PAIRS = 9;

async function spawn(
  command: readonly string[],
  env: Record<string, string>,
): Promise<void> {
  const [program = "", ...args] = command;
  const { success } = await new Deno.Command(program, {
    args,
    env,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).output();
  if (!success) throw new Error(`Failed: ${command.join(" ")}`);
}

/** From the start of the service to its first answer on /health. */
async function benchReady(
  options: { self: string[]; env: Record<string, string>; floor: () => Promise<void> },
): Promise<Figure> {
  const { self: [program = "", ...first], env, floor } = options;
  const socket = join(env["INKLING_STATE_DIR"] ?? "", "service.sock");
  const floors: number[] = [];
  const subjects: number[] = [];
  for (let pair = 0; pair <= READY_PAIRS; pair++) {
    const floorMs = await timed(floor);
    let child: Deno.ChildProcess | undefined;
    const subjectMs = await timed(async () => {
      child = new Deno.Command(program, {
        args: [...first, "start", "--quiet"],
        env,
        stdin: "null",
        stdout: "null",
        stderr: "inherit",
      }).spawn();
      using client = openSocketClient(socket);
      while (await client.health().catch(() => undefined) === undefined) {
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    });
    child?.kill("SIGTERM");
    await child?.status;
    // The first pair only warms up.
    if (pair === 0) continue;
    floors.push(floorMs);
    subjects.push(subjectMs);
  }
  return toFigure("start to the first /health answer", {
    floors,
    subjects,
    unit: "ms",
    goal: ratioAtMost(6),
  });
}

/** Start-up of the commands people type most. */
export async function benchStartUp(): Promise<Figure[]> {
  const root = await Deno.makeTempDir({ prefix: "inkling-bench-" });
  const env = {
    INKLING_CONFIG_DIR: join(root, "config"),
    INKLING_STATE_DIR: join(root, "state"),
  };
  const workspace = join(root, "workspace");
  const empty = join(root, "empty.ts");
  await Deno.mkdir(join(workspace, "agents"), { recursive: true });
  await Deno.mkdir(env.INKLING_CONFIG_DIR);
  await Deno.writeTextFile(
    join(env.INKLING_CONFIG_DIR, "config.yaml"),
    `workspace: ${workspace}\n`,
  );
  await Deno.writeTextFile(empty, "");
  await Deno.writeTextFile(
    join(workspace, "agents", "daily.md"),
    "---\nmodel: { provider: demo, name: echo }\n---\nSay hello.\n",
  );
  const self = sourceCommand();
  const floor = () => spawn([Deno.execPath(), "run", ...PERMISSION_FLAGS, empty], env);
  const figures: Figure[] = [];
  const measure = async (name: string, args: string[], goal?: Goal) => {
    figures.push(
      await comparePaired(name, {
        floor,
        subject: () => spawn([...self, ...args], env),
        pairs: PAIRS,
        ...(goal !== undefined && { goal }),
      }),
    );
  };
  try {
    await measure("start-up: --version", ["--version"], ratioAtMost(1.3));
    await measure("start-up: --help", ["--help"]);
    await spawn([...self, "start", "--daemon", "--keep-alive"], env);
    try {
      await measure("start-up: status, service running", ["status"]);
      await measure("start-up: list, service running", ["list"], ratioAtMost(2.5));
    } finally {
      await spawn([...self, "stop"], env);
    }
    figures.push(await benchReady({ self, env, floor }));
  } finally {
    await Deno.remove(root, { recursive: true });
  }
  return figures;
}
