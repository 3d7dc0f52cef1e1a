// A service that is killed between a check and its run.
import assert from "node:assert/strict";
import { onSqlite } from "../../../support/test_database.ts";
import { openUntilDeath } from "../mortal_process.ts";
import { Site } from "./site.ts";

// On PostgreSQL, the killed service keeps its lease for the checks for 15 seconds. The next service leaves out the checks that
// are due until then, and in a test no further ones become due.
onSqlite.test("a service killed before and after the acceptance of a run starts one run for each change", async () => {
  await using site = await Site.open();
  const { place } = site.live;
  const feed = (count: number) => {
    const items = Array.from({ length: count }, (_, at) =>
      `<item><guid>${count - at}</guid>` +
      `<title>Entry ${count - at}</title></item>`);
    site.show(`<rss><channel>${items.join("")}</channel></rss>`, "text/xml");
  };
  await site.write("each: true, input: '{title}'");
  feed(2);
  await site.start();
  await site.check();
  await site.live.close();
  // Six new entries come in one answer. The service dies between them.
  feed(8);
  for (const when of ["before", "after"] as const) {
    await openUntilDeath(place, { when, nth: 2, trigger: "change" }, site);
  }
  await site.start();
  const entries = async () => {
    const rows = await place.all<{ request: string }>(
      "SELECT request FROM executions WHERE trigger = 'change' ORDER BY id",
    );
    return rows.map(({ request }) => JSON.parse(request).cause.values.title);
  };
  await site.check();
  feed(9);
  await site.check();
  assert.deepEqual(await entries(), [3, 4, 5, 6, 7, 8, 9].map((at) => `Entry ${at}`));
});
