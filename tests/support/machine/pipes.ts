// Named pipes for tests; where there is no mkfifo, what needs it is left out.

/** True if named pipes can be created here and block a watch, as on Linux. */
export const HAS_PIPES = Deno.build.os === "linux" && canMakePipes();

export function makePipe(path: string): void {
  const { success, stderr } = new Deno.Command("mkfifo", { args: [path] }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

function canMakePipes(): boolean {
  try {
    return new Deno.Command("mkfifo", { args: ["--version"], stdout: "null", stderr: "null" })
      .outputSync().success;
  } catch {
    return false;
  }
}
