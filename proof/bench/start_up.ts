// Measures the start-up time of commands, compared with an empty program or one request to the service under the same
// permissions. Also measures the start of the service, compared with a minimal server.
import { join } from "node:path";
import { PERMISSION_FLAGS } from "../../cli/self_command.ts";
import { openSocketClient } from "../../api/client/client.ts";
import { freePort } from "../../tests/support/machine/free_port.ts";
import { createTestWorkspace } from "../../tests/support/test_workspace.ts";
import { type ServerProcess, startScript } from "./server_process.ts";
import { programCommand } from "../../tests/support/program.ts";
import { comparePaired, type Figure, type Goal, ratioAtMost, timed, toFigure } from "./paired.ts";
import { sleep } from "../soak/sleep.ts";

/** The source of a program that requests the agents of the service with Deno's functions only, and prints them. */
const ASKING_PROGRAM = `const path = Deno.env.get("INKLING_STATE_DIR") + "/service.sock";
const client = Deno.createHttpClient({ proxy: { transport: "unix", path } });
fetch("http://localhost/agents", { client }).then((answer) => answer.text()).then((text) => {
  console.log(text);
  client.close();
});
`;
const AGENTS = 21;
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

/** Requests the health of a starting service. Rejects while the service does not respond. */
type RequestHealth = () => Promise<unknown>;

/**
 * Measures the time from the start of the service to its first response on /health, compared with a minimal server. Over
 * TCP the service responds while it starts, over its socket when it is ready.
 */
async function benchReady(
  name: string,
  options: {
    self: string[];
    env: Record<string, string>;
    args?: readonly string[];
    requestHealth: RequestHealth;
  },
): Promise<Figure> {
  const { self: [program = "", ...first], env, args = [], requestHealth } = options;
  const floors: number[] = [];
  const subjects: number[] = [];
  for (let pair = 0; pair <= READY_PAIRS; pair++) {
    let server: ServerProcess | undefined;
    const floorMs = await timed(async () => {
      server = await startScript("bare_server");
      await (await fetch(server.url)).body?.cancel();
    });
    await server?.[Symbol.asyncDispose]();
    let child: Deno.ChildProcess | undefined;
    const subjectMs = await timed(async () => {
      child = new Deno.Command(program, {
        args: [...first, "start", "--quiet", ...args],
        env,
        stdin: "null",
        stdout: "null",
        stderr: "inherit",
      }).spawn();
      while (await requestHealth().catch(() => undefined) === undefined) {
        await sleep(2);
      }
    });
    child?.kill("SIGTERM");
    await child?.status;
    // The first pair warms up and is not counted.
    if (pair === 0) continue;
    floors.push(floorMs);
    subjects.push(subjectMs);
  }
  return toFigure(name, {
    floors,
    subjects,
    unit: "ms",
    goal: ratioAtMost(3),
  });
}

/** Returns the figures of the most used commands and of the service. */
export async function benchStartUp(): Promise<Figure[]> {
  await using place = await createTestWorkspace();
  const env = place.shell;
  const empty = join(place.root, "empty.ts");
  await Deno.writeTextFile(empty, "");
  const asking = join(place.root, "asking.ts");
  await Deno.writeTextFile(asking, ASKING_PROGRAM);
  for (let number = 1; number <= AGENTS; number++) {
    const text = "---\nmodel: { provider: demo, name: echo }\n---\nSay hello.\n";
    await place.writeAgent(`daily${number}`, text);
  }
  const self = programCommand();
  const floorOf = (file: string) => () =>
    spawn([Deno.execPath(), "run", ...PERMISSION_FLAGS, file], env);
  const figures: Figure[] = [];
  const measure = async (name: string, file: string, args: string[], goal?: Goal) => {
    figures.push(
      await comparePaired(name, {
        floor: floorOf(file),
        subject: () => spawn([...self, ...args], env),
        pairs: PAIRS,
        ...(goal !== undefined && { goal }),
      }),
    );
  };
  await measure("start-up: --version", empty, ["--version"], ratioAtMost(1.3));
  await measure("start-up: --help", empty, ["--help"]);
  await spawn([...self, "start", "--daemon", "--keep-alive"], env);
  try {
    await measure("start-up: status, service running", asking, ["status"]);
    await measure("start-up: list, service running", asking, ["list"], ratioAtMost(1.3));
  } finally {
    await spawn([...self, "stop"], env);
  }
  const port = freePort();
  figures.push(
    await benchReady("start to the first /health answer over TCP", {
      ...{ self, env },
      args: ["--port", String(port), "--api-key", "a-key-for-measurements"],
      requestHealth: async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/health`);
        return await answer.json();
      },
    }),
  );
  using client = openSocketClient(join(place.stateDir, "service.sock"));
  figures.push(
    await benchReady("start until the service is ready", {
      ...{ self, env },
      requestHealth: () => client.health(),
    }),
  );
  return figures;
}
