// Small file systems of a test's own, in memory.

/** The reason why mounts are not available; undefined if they are. */
export function unlessMountable(): string | undefined {
  const probe = Deno.makeTempDirSync();
  try {
    return mount(probe, "size=1m") ? undefined : "no file system of its own can be mounted here";
  } finally {
    unmount(probe);
    Deno.removeSync(probe);
  }
}

/** Mounts one over a folder; false where that is refused. */
export function mount(folder: string, options: string): boolean {
  const args = ["-t", "tmpfs", "-o", `${options},mode=700`, "tmpfs", folder];
  return succeeds("mount", args);
}

/** Takes it away, also while somebody uses it. */
export function unmount(folder: string): void {
  succeeds("umount", ["--lazy", folder]);
}

function succeeds(program: string, args: string[]): boolean {
  try {
    return new Deno.Command(program, { args, stderr: "null" }).outputSync().success;
  } catch {
    // There is no such program.
    return false;
  }
}
