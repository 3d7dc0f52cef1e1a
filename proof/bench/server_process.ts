// Starts server programs that print their address when they are ready.

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
