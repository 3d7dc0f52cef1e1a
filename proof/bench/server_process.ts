// Starts the servers of the benchmarks as processes of their own: the service, the smallest server, and the model.
import { fileURLToPath } from "node:url";
import { PERMISSION_FLAGS } from "../../cli/self_command.ts";
import { SERVICE_VARIABLES } from "../../cli/service/service_environment.ts";
import { programCommand } from "../../tests/support/program.ts";
import type { TestWorkspace } from "../../tests/support/test_workspace.ts";

/** The key of the started services. */
export const KEY = "bench-0123456789";

export interface ServerProcess extends AsyncDisposable {
  url: string;
  pid: number;
}

/** Starts a server process and waits for its address. Disposing the returned object ends the process. */
export async function startServer(
  [program = "", ...args]: readonly string[],
  { env = {}, address }: { env?: Record<string, string>; address: RegExp },
): Promise<ServerProcess> {
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
  // Continue to read the output, because a full pipe would block the process.
  const rest = (async () => {
    while (!(await reader.read()).done) { /* The output is not needed. */ }
  })();
  return {
    url: address.exec(text)?.[0].replace(/,$/, "") ?? "",
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.status;
      await rest;
    },
  };
}

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Starts a program of this folder, which imports nothing, under the permissions of the service. */
export function startScript(
  name: string,
  args: readonly string[] = [],
  flags: readonly string[] = ["--no-config"],
): Promise<ServerProcess> {
  return startServer(
    [Deno.execPath(), "run", ...flags, ...PERMISSION_FLAGS, pathOf(`./${name}.ts`), ...args],
    { address: /http:\S+/ },
  );
}

/**
 * Starts a model that replies with `calls` tool calls, one after another, before the answer. Each reply is delayed by
 * `latencyMs` milliseconds. `call` is the tool call, by default of file_read.
 */
export function startModel(
  { calls = 1, latencyMs = 0, call }: { calls?: number; latencyMs?: number; call?: unknown } = {},
): Promise<ServerProcess> {
  const json = call === undefined ? [] : [JSON.stringify(call)];
  const flags = ["--no-check", "--config", pathOf("../../tests/deno.json")];
  return startScript("instant_model", [String(calls), String(latencyMs), ...json], flags);
}

/** Starts the service of a workspace on a TCP port. */
export async function startService(
  { shell }: Pick<TestWorkspace, "shell">,
): Promise<ServerProcess> {
  const service = await startServer([...programCommand(), "start", "--keep-alive", "--port", "0"], {
    env: { ...SERVICE_VARIABLES, ...shell, INKLING_API_KEY: KEY, LOCAL_API_KEY: "key-0123456789" },
    address: /tcp:\/\/\S+/,
  });
  return Object.assign(service, { url: service.url.replace("tcp:", "http:") });
}
