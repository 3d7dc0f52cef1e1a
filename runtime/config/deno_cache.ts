// Where Deno's cache is for this process, and so for a Deno that it starts.

const NAMES = ["HOME", "XDG_CACHE_HOME", "DENO_DIR", "TMPDIR"] as const;

/**
 * The variables that say where Deno's cache is. They come from this process, never from a `.env` file: Deno read them before
 * Inkling did, so this is the cache that holds Inkling's packages.
 */
export function denoCacheVariables(): Record<string, string> {
  return Object.fromEntries(NAMES.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
}
