import assert from "node:assert/strict";
import { watches, WatchWorld } from "./watch_world.ts";

Deno.test("Watcher fires once for changes during downtime with catch_up, and never without", async () => {
  await using world = await WatchWorld.create();
  for (const name of ["same", "changed", "removed", "old-name"]) world.write(`inbox/${name}.md`);
  const agents = [watches("keen", { catchUp: "once" }), watches("lazy")];
  await world.watch(...agents);
  await world.untilNoticed("inbox/up.md", "keen created", "lazy created");
  world.runs.length = 0;
  await world.close();
  world.write("inbox/changed.md", "something else");
  world.write("inbox/new.md");
  Deno.removeSync(world.path("inbox/removed.md"));
  Deno.renameSync(world.path("inbox/old-name.md"), world.path("inbox/new-name.md"));
  await world.start(...agents);
  await world.expectFired(
    ["inbox"],
    "keen created inbox/new.md",
    "keen deleted inbox/removed.md",
    "keen modified inbox/changed.md",
    "keen moved inbox/new-name.md",
  );
  await world.restart(...agents);
  await world.expectRuns(4, "inbox");
});

Deno.test("Watcher with catch_up starts from the present files after changed paths or filters", async () => {
  await using world = await WatchWorld.watching(
    ["inbox/a.md", "other/b.md"],
    watches("a", { catchUp: "once" }),
  );
  await world.close();
  world.write("inbox/a.md", "changed while down");
  world.open();
  const wider = watches("a", { catchUp: "once", paths: ["inbox", "other"] });
  await world.watch(wider);
  await world.expectFired(["inbox", "other"]);
  await world.close();
  world.write("other/b.md", "changed while down, too");
  await world.start(wider);
  await world.expectFired(["inbox", "other"], "a modified other/b.md");
});

Deno.test("Watcher starts from the present files after catch_up was temporarily off", async () => {
  await using world = await WatchWorld.watching(["inbox/a.md"], watches("a", { catchUp: "once" }));
  await world.watch(watches("a"));
  await world.untilNoticed("inbox/a.md", "a modified");
  await world.watch(watches("a", { catchUp: "once" }));
  await world.restart(watches("a", { catchUp: "once" }));
  await world.expectRuns(1, "inbox");
});

Deno.test("Watcher with catch_up fires for a folder missing at the start once it returns", async () => {
  await using world = await WatchWorld.create();
  world.write("inbox/same.md");
  world.write("inbox/removed.md");
  const agent = watches("a", { catchUp: "once" });
  await world.watch(agent);
  await world.close();
  Deno.renameSync(world.path("inbox"), world.path("away"));
  await world.start(agent);
  await world.clock.advance(10_000);
  assert.deepEqual(world.fired(), []);
  world.write("away/new.md");
  Deno.removeSync(world.path("away/removed.md"));
  Deno.renameSync(world.path("away"), world.path("inbox"));
  await world.untilFired("a created inbox/new.md", "a deleted inbox/removed.md");
  await world.expectRuns(2, "inbox");
});
