// Programs that all test files share: they are started once, and named to the tests by variables.
import { join } from "node:path";
import { HAS_POSTGRES, startPostgres } from "../support/postgres.ts";
import { REPOSITORY } from "../support/repository.ts";

/** What runs, and how tests find it. */
export interface SharedPrograms extends AsyncDisposable {
  env: Readonly<Record<string, string>>;
}

/** Choices of a run of the suite. */
export interface SharedOptions {
  /** Tests store everything in PostgreSQL. */
  postgres: boolean;
  /** Tests start the built program: it starts in two thirds of the time, and building it takes as long as 100 starts. */
  build: boolean;
}

/** Starts what these files need and the machine has. */
export async function startShared(
  files: readonly string[],
  { postgres, build }: SharedOptions,
): Promise<SharedPrograms> {
  await using opened = new AsyncDisposableStack();
  const [database, program] = await Promise.all([
    postgres || (HAS_POSTGRES && files.some(namesPostgres)) ? startPostgres() : undefined,
    build ? import("./built_program.ts").then((it) => it.buildProgram()) : undefined,
  ]);
  if (database !== undefined) opened.use(database);
  if (program !== undefined) opened.use(program);
  const stop = opened.move();
  return {
    env: {
      ...program?.env,
      ...(database !== undefined && { INKLING_TEST_POSTGRES: database.address }),
      ...(postgres && { INKLING_TEST_DATABASE: "postgres" }),
    },
    [Symbol.asyncDispose]: () => stop.disposeAsync(),
  };
}

function namesPostgres(file: string): boolean {
  return /postgres/i.test(Deno.readTextFileSync(join(REPOSITORY, file)));
}
