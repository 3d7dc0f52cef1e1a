// A folder of a test's own.

/** Runs `body` in a new folder (its real path), and removes the folder afterwards. */
export async function withTempDir(body: (dir: string) => Promise<void> | void): Promise<void> {
  await using dir = await createTempDir();
  await body(dir.path);
}

/** Makes a new folder, which is removed with everything in it. */
export async function createTempDir(): Promise<{ path: string } & AsyncDisposable> {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix: "inkling-test-" }));
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** Sets a file's times to a minute ago (more for a larger `minutes`). */
export async function age(path: string, minutes = 1): Promise<void> {
  const then = Date.now() / 1_000 - minutes * 60;
  await Deno.utime(path, then, then);
}
