// Programs that all test files share: they are started once, and named to the tests by variables.
import { join } from "node:path";
import { hasChromium, startBrowserServer } from "../support/machine/browser.ts";
import { HAS_POSTGRES, startPostgres } from "../support/postgres.ts";
import { REPOSITORY } from "../support/repository.ts";

/** What runs, and how tests find it. */
export interface SharedPrograms extends AsyncDisposable {
  env: Readonly<Record<string, string>>;
}

/** Starts what these files need and the machine has; `postgres`: they store everything in PostgreSQL. */
export async function startShared(
  files: readonly string[],
  { postgres }: { postgres: boolean },
): Promise<SharedPrograms> {
  const isNamed = (word: RegExp) =>
    files.some((file) => word.test(Deno.readTextFileSync(join(REPOSITORY, file))));
  await using opened = new AsyncDisposableStack();
  const [browser, database] = await Promise.all([
    hasChromium && isNamed(/InBrowser|TestBrowser/) ? startBrowserServer() : undefined,
    postgres || (HAS_POSTGRES && isNamed(/postgres/i)) ? startPostgres() : undefined,
  ]);
  if (browser !== undefined) opened.use(browser);
  if (database !== undefined) opened.use(database);
  const stop = opened.move();
  return {
    env: {
      ...(browser !== undefined && { INKLING_TEST_BROWSER: browser.address }),
      ...(database !== undefined && { INKLING_TEST_POSTGRES: database.address }),
      ...(postgres && { INKLING_TEST_DATABASE: "postgres" }),
    },
    [Symbol.asyncDispose]: () => stop.disposeAsync(),
  };
}
