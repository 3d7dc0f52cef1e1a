// Runs an action between two statements of a database operation, as another node would. Only for PostgreSQL, because SQLite
// runs operations synchronously.
import type { Database } from "../../../runtime/database/database.ts";
import { get, lock, type Operation } from "../../../runtime/database/operation.ts";
import { lockNumber } from "../../../runtime/storage/postgres/transaction.ts";
import { openClient } from "../../support/postgres.ts";
import { until } from "../../support/until.ts";

/** The name of the lock that pauses the operation. */
const PAUSE = "pause of a test";

/** An operation on a database, and an action between two of its statements. */
export interface Interruption<T> {
  /** Starts the operation on the given database. */
  begin: (db: Database) => Promise<T>;
  /** The number of the operation's statements before the action. */
  after: number;
  /** Performs the action. The operation waits for it, unless the action itself waits for the operation. */
  meanwhile: () => Promise<unknown>;
}

/**
 * Runs the operation with the action in the middle, and returns the operation's result. Returns undefined if the operation
 * has too few statements, so that the action did not run.
 */
export async function interrupt<T>(
  db: Database,
  { begin, after, meanwhile }: Interruption<T>,
): Promise<{ returned: T } | undefined> {
  await using client = await openClient(db.place);
  await client.query("SELECT pg_advisory_lock($1)", [lockNumber(PAUSE)]);
  const paused = Promise.withResolvers<boolean>();
  const pause = () => paused.resolve(true);
  const beginning = begin({
    kind: db.kind,
    place: db.place,
    change: (durability, operation) =>
      db.change(durability, () => pausing(operation(), { after, pause })),
    read: (operation) => db.read(() => pausing(operation(), { after, pause })),
    stored: db.stored,
    readBytes: () => db.readBytes(),
    shrink: () => db.shrink(),
  });
  const ended = beginning.then(() => false, () => false);
  if (!await Promise.race([paused.promise, ended])) {
    await beginning;
    return undefined;
  }
  let isDone = false;
  const acting = meanwhile().finally(() => isDone = true);
  const countWaiting = async () =>
    (await client.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    )).rowCount ?? 0;
  await until(async () => isDone || await countWaiting() > 1, "the other is done, or waits");
  await client.query("SELECT pg_advisory_unlock_all()");
  await acting;
  return { returned: await beginning };
}

function* pausing<T>(
  operation: Operation<T>,
  { after, pause }: { after: number; pause: () => void },
): Operation<T> {
  let done = 0;
  for (let step = operation.next();;) {
    if (step.done) return step.value;
    if (done++ === after) {
      // The result of this statement arrives after the earlier statements were executed.
      yield* get("SELECT 1");
      pause();
      yield* lock(PAUSE);
    }
    let given: unknown;
    try {
      given = yield step.value;
    } catch (error) {
      step = operation.throw(error);
      continue;
    }
    step = operation.next(given);
  }
}
