// Temporary folders for tests, and old file times.

/** Runs `body` with the real path of a new folder, and removes the folder afterwards. */
export async function withTempDir(body: (dir: string) => Promise<void> | void): Promise<void> {
  await using dir = await createTempDir();
  await body(dir.path);
}

/** Creates a folder. Disposing removes the folder and its contents. */
export async function createTempDir(): Promise<{ path: string } & AsyncDisposable> {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix: "inkling-test-" }));
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** Sets a file's times to `minutes` ago. */
export async function age(path: string, minutes = 1): Promise<void> {
  const then = Date.now() / 1_000 - minutes * 60;
  await Deno.utime(path, then, then);
}
