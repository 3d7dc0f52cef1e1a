// Starts one PostgreSQL server for all test files, and passes its address in an environment variable.
import { join } from "node:path";
import { HAS_POSTGRES, startPostgres } from "../support/postgres.ts";
import { REPOSITORY } from "../support/repository.ts";

/** A shared server, and the environment variables that name it for the tests. Disposing stops the server. */
export interface SharedServer extends AsyncDisposable {
  env: Readonly<Record<string, string>>;
}

/** Starts the server if it is installed and one of these files needs it. `postgres`: the tests store everything in it. */
export async function startShared(
  files: readonly string[],
  { postgres }: { postgres: boolean },
): Promise<SharedServer> {
  const isNeeded = postgres || (HAS_POSTGRES && files.some(namesPostgres));
  const server = isNeeded ? await startPostgres() : undefined;
  return {
    env: {
      ...(server !== undefined && { INKLING_TEST_POSTGRES: server.address }),
      ...(postgres && { INKLING_TEST_DATABASE: "postgres" }),
    },
    [Symbol.asyncDispose]: async () => await server?.[Symbol.asyncDispose](),
  };
}

function namesPostgres(file: string): boolean {
  return /postgres/i.test(Deno.readTextFileSync(join(REPOSITORY, file)));
}
