import assert from "node:assert/strict";
import process from "node:process";
import { DatabaseUnusable, LeaseLost } from "../../../../runtime/database/database.ts";
import type { Ending } from "../../../../runtime/executions/record/ending_store.ts";
import { SqlEndingStore } from "../../../../runtime/storage/executions/endings.ts";
import { NOW } from "../../../../runtime/database/instances.ts";
import type { Delivery } from "../../../../runtime/executions/runs/shared_runs.ts";
import { get } from "../../../../runtime/database/operation.ts";
import { requestCancel } from "../../../../runtime/storage/postgres/claims.ts";
import { JobQueue } from "../../../../runtime/storage/postgres/job_queue.ts";
import { queueFor } from "../../../../runtime/storage/postgres/queue_names.ts";
import { createBarePostgres, createTestPostgres, withPostgres } from "../../../support/postgres.ts";
import { until } from "../../../support/until.ts";
import { QueueMachine } from "./queue_machine.ts";

const ABORTED: Ending = {
  from: "running",
  isUnclaimed: true,
  status: "aborted",
  error: "Cancelled by user",
  output: null,
  finishedAt: 1,
  durationMs: 0,
  frames: () => [],
};

/** Claims the execution of a job. Returns the result of the claim. */
async function termsOf(machine: QueueMachine, job: Delivery | undefined) {
  assert.ok(job !== undefined);
  const claim = await machine.claim(job);
  return claim && [claim.epoch, claim.isRedelivered, claim.cancelled];
}

/** Lets a node fetch jobs until it has received `count` deliveries. Returns the last. */
async function takes(machine: QueueMachine, count: number): Promise<Delivery> {
  await until(() => machine.taken.length >= count, `${machine.name} takes ${count}`);
  const job = machine.taken[count - 1];
  assert.ok(job !== undefined);
  return job;
}

Deno.test("queueFor() ignores the order of labels and refuses invalid labels", () => {
  assert.equal(queueFor([]), "run");
  assert.equal(queueFor(["linux", "gpu", "linux"]), "run.gpu.linux");
  assert.throws(() => queueFor(["GPU.0"]), /The label "GPU\.0" must be of small letters/);
});

withPostgres.test("JobQueue: several nodes may create the queue at once", async () => {
  await using place = await createBarePostgres();
  await using opened = new AsyncDisposableStack();
  const machines = await Promise.all(
    ["a", "b", "c", "d"].map(async (name) =>
      opened.use(await QueueMachine.open({ address: place.address, name }))
    ),
  );
  for (const machine of machines) assert.deepEqual(machine.errors, []);
  // Every node creates the queue of these labels at the same time.
  await Promise.all(machines.map((machine) => machine.accept({ labels: ["gpu"] })));
});

withPostgres.test("JobQueue: warnings of its packages that nobody can read do not end the process", async () => {
  await using place = await createTestPostgres();
  await using _machine = await QueueMachine.open({ address: place.address, name: "a" });
  // Without a listener, the emitter throws the error.
  assert.ok(process.stderr.emit("error", new Error("EPIPE: broken pipe, write")));
});

withPostgres.test("JobQueue shares runs among nodes", async (t) => {
  await using place = await createTestPostgres();
  const { address } = place;
  await using here = await QueueMachine.open({ address, name: "here", labels: ["gpu"] });
  await using there = await QueueMachine.open({ address, name: "there" });
  const step = (name: string, body: () => Promise<void>) =>
    t.step(name, async () => {
      await body();
      for (const machine of [here, there]) await machine.rest();
      await here.forgetAll();
    });

  await step("only committed executions are fetched", async () => {
    here.work();
    await assert.rejects(here.accept({ fail: true }), /rolled back/);
    const id = await here.accept();
    here.queue.wake();
    await takes(here, 1);
    assert.deepEqual(here.taken.map((job) => job.executionId), [id]);
    assert.equal(here.taken[0]?.jobId, here.sent.get(id));
    await here.complete(here.taken[0]?.jobId ?? "");
    assert.deepEqual(await here.states(), { completed: 1 });
  });

  await step(
    "two nodes run fifty executions once each, within their limits of concurrent runs",
    async () => {
      const accepted: number[] = [];
      for (let n = 0; n < 50; n++) accepted.push(await here.accept());
      let most = 0;
      let ended = 0;
      // Neither run ends before the other has started.
      const begun = Promise.withResolvers<void>();
      for (const machine of [here, there]) {
        let open = 0;
        machine.onTake = async (job) => {
          most = Math.max(most, ++open);
          assert.notEqual(await machine.claim(job), undefined);
          if (here.taken.length > 0 && there.taken.length > 0) begun.resolve();
          await begun.promise;
          open--;
          await machine.complete(job.jobId);
          ended++;
        };
      }
      for (const machine of [here, there]) machine.work(3);
      await until(() => ended === 50, "all ran");
      const ran = [...here.taken, ...there.taken].map((job) => job.executionId);
      assert.deepEqual(ran.sort((a, b) => a - b), accepted);
      assert.ok(most <= 3, `${most} at once`);
      assert.deepEqual(await here.states(), { completed: 50 });
      assert.deepEqual([...here.errors, ...there.errors], []);
    },
  );

  await step(
    "only a node with all required labels fetches a job, also from a new queue",
    async () => {
      const labels = ["linux", "gpu", "big"];
      await using both = await QueueMachine.open({ address, name: "both", labels });
      for (const machine of [there, here]) machine.work();
      const needy = await there.accept({ labels: ["linux", "gpu"] });
      const graphic = await there.accept({ labels: ["gpu"] });
      await takes(here, 1);
      assert.deepEqual(here.taken.map((job) => job.executionId), [graphic]);
      assert.deepEqual(await here.states(), { created: 1, active: 1 });
      both.work();
      await takes(both, 1);
      assert.deepEqual(both.taken.map((job) => job.executionId), [needy]);
      assert.deepEqual(there.taken, []);
      assert.deepEqual(here.taken.length, 1);
    },
  );

  await step("a released execution is redelivered to another node", async () => {
    const id = await here.accept();
    here.work(1);
    const job = await takes(here, 1);
    assert.deepEqual(await termsOf(here, job), [1, false, null]);
    here.room = 0;
    await here.release(job?.jobId ?? "");
    there.work();
    const again = await takes(there, 1);
    const { jobId } = job;
    const place = { isDelegated: false, queue: "run" };
    assert.deepEqual(again, { jobId, executionId: id, attempt: 1, ...place });
    assert.deepEqual(await termsOf(there, again), [2, true, null]);
    // The first node has lost the job and can no longer end it.
    await here.complete(job?.jobId ?? "");
    assert.deepEqual(await here.states(), { active: 1 });
    assert.equal(here.taken.length, 1);
  });

  await step("a node is notified of a lost job", async () => {
    await here.accept();
    await here.accept();
    here.work();
    await takes(here, 2);
    here.room = 0;
    const [gone, other] = here.taken;
    // Simulates a job without a heartbeat: pg-boss delivers it again, to another node.
    await here.changeJobs("retry_count = retry_count + 1");
    // The node does not know yet that it lost the jobs. It tries to end a job that the other node holds.
    await here.complete(other?.jobId ?? "");
    assert.deepEqual(await here.states(), { active: 2 });
    await here.beat();
    assert.deepEqual(here.lost, [gone?.jobId]);
  });

  await step("a lost job that returns immediately counts as another delivery", async () => {
    await here.accept();
    here.work();
    await takes(here, 1);
    await here.changeJobs("state = 'retry', start_after = now()");
    here.queue.wake();
    await takes(here, 2);
    // The earlier delivery can no longer end the job.
    const [former, now] = here.taken;
    assert.ok(former !== undefined && now !== undefined);
    assert.deepEqual([here.queue.holds(former), here.queue.holds(now)], [false, true]);
    await here.queue.release(former);
    here.queue.drop(former);
    assert.deepEqual(await here.states(), { active: 1 });
    assert.equal(here.queue.holds(now), true);
  });

  await step("a heartbeat covers the jobs of all queues and prevents their expiry", async () => {
    await here.accept();
    await here.accept({ labels: ["gpu"] });
    here.work();
    await takes(here, 2);
    const old = () =>
      get<{ jobs: number }>(
        "SELECT count(*) AS jobs FROM inkling_queue.job WHERE started_on < now() - interval '1 hour'",
      );
    await here.changeJobs(
      "started_on = now() - interval '23 hours', heartbeat_on = now() - interval '4 seconds'",
    );
    await here.beat();
    assert.equal((await here.database.read(old))?.jobs, 0);
    assert.deepEqual(here.lost, []);
    assert.deepEqual(await here.states(), { active: 2 });
  });

  await step(
    "a node that froze before its claim cannot claim a job that another node claimed",
    async () => {
      const id = await here.accept();
      here.work();
      await takes(here, 1);
      here.room = 0;
      await here.changeJobs("state = 'retry', start_after = now()");
      there.work();
      await takes(there, 1);
      assert.deepEqual(await termsOf(there, there.taken[0]), [1, false, null]);
      assert.equal(await termsOf(here, here.taken[0]), undefined);
      await there.write(id);
    },
  );

  await step(
    "an execution without a living node ends immediately, and no node can write to it",
    async () => {
      const id = await here.accept();
      here.work(1);
      await takes(here, 1);
      assert.deepEqual(await termsOf(here, here.taken[0]), [1, false, null]);
      const endings = new SqlEndingStore(there.database, "there");
      const isEnded = async (execution: number) =>
        await endings.finishExecution(execution, ABORTED) !== undefined;
      const seen = (at: string) =>
        here.client.query(`UPDATE inkling.instances SET last_seen = ${at} WHERE id = 'here'`);
      await seen(NOW);
      assert.equal(await isEnded(id), false);
      await here.write(id);
      await seen("0");
      assert.equal(await isEnded(id), true);
      await assert.rejects(here.write(id), LeaseLost);
      const waiting = await here.accept();
      assert.equal(await isEnded(waiting), true);
      here.room = 2;
      here.queue.wake();
      await takes(here, 2);
      assert.equal(await termsOf(here, here.taken[1]), undefined);
    },
  );

  await step("an old delivery cannot claim an execution that was answered meanwhile", async () => {
    const id = await here.accept();
    here.work();
    const first = await takes(here, 1);
    assert.deepEqual(await termsOf(here, first), [1, false, null]);
    await here.answer(id);
    const second = await takes(here, 2);
    assert.equal(await here.claim(first), undefined);
    assert.deepEqual(await termsOf(here, second), [2, false, null]);
    // An ended execution cannot be claimed by any job.
    await here.database.change(
      "power",
      () => get("UPDATE executions SET status = 'completed' WHERE id = ? RETURNING id", id),
    );
    assert.equal(await here.claim(second), undefined);
  });

  await step("the claiming node learns of a requested cancel; the first request wins", async () => {
    const id = await here.accept();
    const cancel = (error: string) => here.database.change("power", () => requestCancel(id, error));
    assert.equal(await cancel("cancelled by a person"), true);
    assert.equal(await cancel("later"), true);
    here.work();
    const job = await takes(here, 1);
    assert.deepEqual(await termsOf(here, job), [1, false, "cancelled by a person"]);
    await here.database.change(
      "power",
      () => get("UPDATE executions SET status = 'failed' WHERE id = ? RETURNING id", id),
    );
    assert.equal(await cancel("too late"), false);
  });

  await step(
    "an unusable database is reported in one sentence without a password",
    async () => {
      const none = address.replace("inkling@", "inkling:secret@") + "_none";
      await assert.rejects(
        JobQueue.open({ address: none, labels: [], onError: () => {} }),
        (error: Error) =>
          error instanceof DatabaseUnusable && /no database of this name/.test(error.message) &&
          !error.message.includes("secret"),
      );
    },
  );
});
