// The PostgreSQL server that all test files share: it is started once, and named to the tests by a variable.
import { join } from "node:path";
import { HAS_POSTGRES, startPostgres } from "../support/postgres.ts";
import { REPOSITORY } from "../support/repository.ts";

/** The server, and the environment by which tests find it. Disposing stops it. */
export interface SharedServer extends AsyncDisposable {
  env: Readonly<Record<string, string>>;
}

/** Starts it where these files need it and the machine has it; `postgres`: tests store everything in it. */
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
