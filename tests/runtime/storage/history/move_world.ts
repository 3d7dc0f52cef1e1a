// A workspace and an empty PostgreSQL database, for tests of moves of the history.
import type { Directories } from "../../../../runtime/config/directories.ts";
import type { MovedHistory } from "../../../../runtime/storage/history/move_history.ts";
import type { MoveOptions } from "../../../../runtime/storage/history/move_history.ts";
import { moveHistory } from "../../../../runtime/storage/history/move_history.ts";
import { createTestPostgres, HAS_POSTGRES, openClient } from "../../../support/postgres.ts";
import { IS_POSTGRES } from "../../../support/test_database.ts";
import { createTestWorkspace, type TestWorkspace } from "../../../support/test_workspace.ts";

/**
 * Defines a test with a workspace and an empty PostgreSQL database of its own. `createPlace` creates that database. A test
 * that changes tables needs createBarePostgres(), because later tests reuse the tables of other databases.
 */
export function test(
  name: string,
  body: (world: MoveWorld) => Promise<void>,
  createPlace = createTestPostgres,
): void {
  Deno.test({ name, ignore: !HAS_POSTGRES || IS_POSTGRES }, async () => {
    await using world = await openMoveWorld(createPlace);
    await body(world);
  });
}

export interface MoveWorld extends AsyncDisposable {
  place: TestWorkspace;
  directories: Directories;
  address: string;
  /** Moves the history to PostgreSQL or from it. */
  move(direction: "to" | "from", options?: Partial<MoveOptions>): Promise<MovedHistory>;
  /** Runs a statement in the PostgreSQL database and returns its rows. */
  query<Row>(text: string): Promise<Row[]>;
  /** Returns the number of rows of each non-empty PostgreSQL table. */
  filled(): Promise<Record<string, number>>;
  /** Removes the database file, as a user does before another move. */
  removeFile(): void;
  /** Returns the database files in the state directory. */
  files(): string[];
}

export async function openMoveWorld(createPlace = createTestPostgres): Promise<MoveWorld> {
  await using resources = new AsyncDisposableStack();
  const place = resources.use(await createTestWorkspace());
  const { address } = resources.use(await createPlace());
  const client = resources.use(await openClient(address));
  const { directories } = await place.settings();
  await Deno.mkdir(directories.stateDir);
  const query = async <Row>(text: string) => (await client.query(text)).rows as Row[];
  const files = () =>
    [...Deno.readDirSync(directories.stateDir)].map(({ name }) => name)
      .filter((name) => name.startsWith("inkling.db")).sort();
  const owned = resources.move();
  return {
    place,
    directories,
    address,
    query,
    files,
    move: (direction, options = {}) =>
      moveHistory({
        directories,
        address,
        direction,
        signal: new AbortController().signal,
        onProgress: () => {},
        ...options,
      }),
    async filled() {
      const tables = await query<{ name: string }>(
        "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'inkling'",
      );
      const counts: Record<string, number> = {};
      for (const { name } of tables) {
        const [row] = await query<{ n: string }>(`SELECT count(*) AS n FROM inkling."${name}"`);
        if (Number(row?.n) > 0 && name !== "schema_steps") counts[name] = Number(row?.n);
      }
      return counts;
    },
    removeFile() {
      for (const name of files()) Deno.removeSync(`${directories.stateDir}/${name}`);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
