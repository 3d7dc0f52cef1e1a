// Mounts small in-memory file systems for tests.

/** Returns the reason why mounts are not available, or undefined if they are. */
export function unlessMountable(): string | undefined {
  const probe = Deno.makeTempDirSync();
  try {
    return mount(probe, "size=1m") ? undefined : "no file system of its own can be mounted here";
  } finally {
    unmount(probe);
    Deno.removeSync(probe);
  }
}

/** Mounts a file system over a folder. Returns false if the system refuses. */
export function mount(folder: string, options: string): boolean {
  const args = ["-t", "tmpfs", "-o", `${options},mode=700`, "tmpfs", folder];
  return succeeds("mount", args);
}

/** Unmounts the file system of a folder, even if a process uses it. */
export function unmount(folder: string): void {
  succeeds("umount", ["--lazy", folder]);
}

function succeeds(program: string, args: string[]): boolean {
  try {
    return new Deno.Command(program, { args, stderr: "null" }).outputSync().success;
  } catch {
    // The program `mount` or `umount` is missing.
    return false;
  }
}
