// Creates named pipes for tests. Tests that need them are skipped without `mkfifo`.

/** True if this machine can create named pipes. Only on Linux do they block a watcher. */
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
