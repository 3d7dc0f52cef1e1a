import assert from "node:assert/strict";
import fc from "fast-check";
import { FILE_EVENTS, type FileEvent } from "../../../../runtime/run_cause.ts";
import { ChangeFolding, foldEvents } from "../../../../runtime/triggers/watch/change_folding.ts";
import {
  type ChangeOrigin,
  FROM_OUTSIDE,
} from "../../../../runtime/triggers/watch/trigger_breaker.ts";

function during(executionId: number): ChangeOrigin {
  return { previous: executionId, continues: true };
}

/** Plays actions on files and folds what they change; all within one window. */
function fold(actions: string, before: Readonly<Record<string, string>> = {}): string[] {
  const files = new Map(Object.entries(before));
  const folding = new ChangeFolding();
  let version = 0;
  const note = (path: string, content: string | undefined) => {
    const was = files.get(path) ?? null;
    if (content === undefined) files.delete(path);
    else files.set(path, content);
    folding.note({ path, before: was, now: content ?? null }, { at: 0, origin: FROM_OUTSIDE });
  };
  for (const action of actions.split(", ").filter((one) => one !== "")) {
    const [verb, path = "", target = ""] = action.split(" ");
    if (verb === "write") note(path, `v${++version}`);
    if (verb === "rm") note(path, undefined);
    if (verb === "mv") {
      const content = files.get(path);
      note(path, undefined);
      note(target, content);
    }
  }
  return folding.settle(0).flatMap(({ path, event }) =>
    event === undefined ? [] : `${event} ${path}`
  )
    .sort();
}

const CASES: readonly [what: string, before: string, actions: string, events: string][] = [
  ["a new file", "", "write a", "created a"],
  ["a change", "a", "write a", "modified a"],
  ["a removal", "a", "rm a", "deleted a"],
  ["created and modified", "", "write a, write a, write a", "created a"],
  ["created and deleted", "", "write a, rm a", ""],
  ["deleted and created", "a", "rm a, write a", "modified a"],
  ["modified and deleted", "a", "write a, rm a", "deleted a"],
  ["deleted, created, deleted", "a", "rm a, write a, rm a", "deleted a"],
  ["a save by temporary file and rename", "a", "write t, mv t a", "modified a"],
  ["a save by a backup and a new file", "a", "mv a b, write a, rm b", "modified a"],
  ["a save that keeps its backup", "a", "mv a b, write a", "created b, modified a"],
  ["a new file by temporary file and rename", "", "write t, mv t a", "created a"],
  ["a rename", "a", "mv a b", "moved b"],
  ["a rename twice", "a", "mv a b, mv b c", "moved c"],
  ["a rename there and back", "a", "mv a b, mv b a", ""],
  ["a rename onto an existing file", "a b", "mv a b", "deleted a, modified b"],
  ["a rename, then a change", "a", "mv a b, write b", "moved b"],
  ["a change, then a rename", "a", "write a, mv a b", "created b, deleted a"],
  ["a rename, then a new file under the old name", "a", "mv a b, write a", "created b, modified a"],
  ["a rename, then removed", "a", "mv a b, rm b", "deleted a"],
  ["two files change places", "a b", "mv a t, mv b a, mv t b", "modified a, modified b"],
  ["a new file that is renamed", "", "write a, mv a b", "created b"],
  [
    "a file moved away and another one in its place",
    "a b",
    "mv a c, mv b a",
    "created c, deleted b, modified a",
  ],
];

for (const [what, before, actions, events] of CASES) {
  Deno.test(`ChangeFolding: ${what}`, () => {
    const files = Object.fromEntries(before.split(" ").filter(Boolean).map((name) => [name, name]));
    assert.equal(fold(actions, files).join(", "), events);
  });
}

Deno.test("ChangeFolding.settle() takes a path only when it has been quiet, counted from its last change", () => {
  const folding = new ChangeFolding();
  folding.note({ path: "a", before: null, now: "1" }, { at: 10, origin: FROM_OUTSIDE });
  folding.note({ path: "b", before: null, now: "2" }, { at: 20, origin: FROM_OUTSIDE });
  folding.note({ path: "a", before: "1", now: "3" }, { at: 30, origin: during(2) });
  assert.equal(folding.oldest(() => false), 20);
  assert.deepEqual(folding.settle(19), []);
  assert.deepEqual(folding.settle(29).map(({ path }) => path), ["b"]);
  assert.deepEqual(folding.settle(30), [{
    path: "a",
    event: "created",
    before: null,
    stamp: "3",
    origin: during(2),
  }]);
  assert.equal(folding.size, 0);
});

Deno.test("ChangeFolding: a move is one, whichever of its paths settles first", () => {
  for (const [left, arrived] of [[1, 9], [9, 1]] as const) {
    const folding = new ChangeFolding();
    const notes = [
      { path: "a", before: "x", now: null, at: left },
      { path: "b", before: null, now: "x", at: arrived },
    ].sort((one, other) => one.at - other.at);
    for (const { at, ...change } of notes) folding.note(change, { at, origin: FROM_OUTSIDE });
    const events = [...folding.settle(5), ...folding.settle(10)].flatMap(({ path, event }) =>
      event === undefined ? [] : `${event} ${path}`
    );
    assert.deepEqual(events, ["moved b"]);
  }
});

Deno.test("ChangeFolding: a file that is moved and then removed is deleted where its agent knew it", () => {
  const folding = new ChangeFolding();
  folding.note({ path: "a", before: "x", now: null }, { at: 1, origin: FROM_OUTSIDE });
  folding.note({ path: "b", before: null, now: "x" }, { at: 2, origin: during(3) });
  assert.deepEqual(folding.settle(1), [], "it settles with the place that its file went to");
  folding.note({ path: "b", before: "x", now: null }, { at: 3, origin: FROM_OUTSIDE });
  const events = folding.settle(3).filter(({ event }) => event !== undefined);
  assert.deepEqual(events.map(({ path, event }) => [path, event]), [["a", "deleted"]]);
  assert.equal(folding.size, 0);
});

Deno.test("ChangeFolding: a file that comes where one was moved away from is its next version, whatever becomes of the moved one", () => {
  for (
    const [what, events] of [["removed", ["modified a"]], ["kept", [
      "created b",
      "modified a",
    ]]] as const
  ) {
    const folding = new ChangeFolding();
    folding.note({ path: "a", before: "x", now: null }, { at: 1, origin: FROM_OUTSIDE });
    folding.note({ path: "b", before: null, now: "x" }, { at: 2, origin: FROM_OUTSIDE });
    const settled = folding.settle(1);
    folding.note({ path: "a", before: null, now: "y" }, { at: 3, origin: FROM_OUTSIDE });
    if (what === "removed") {
      folding.note({ path: "b", before: "x", now: null }, { at: 4, origin: FROM_OUTSIDE });
    }
    settled.push(...folding.settle(3), ...folding.settle(4));
    const told = settled.flatMap(({ path, event }) =>
      event === undefined ? [] : `${event} ${path}`
    );
    assert.deepEqual(told.sort(), events);
    assert.equal(folding.size, 0);
  }
});

Deno.test("ChangeFolding: what a path settles as depends on its first and last state alone, whatever lay between", () => {
  const action = fc.constantFrom("write a", "rm a", "write b", "rm b");
  fc.assert(fc.property(fc.array(action, { maxLength: 12 }), fc.boolean(), (actions, wasThere) => {
    const events = fold(actions.join(", "), wasThere ? { a: "a", b: "b" } : {});
    for (const path of ["a", "b"]) {
      const last = actions.findLast((one) => one.endsWith(` ${path}`))?.split(" ")[0];
      const expected = last === "write"
        ? `${wasThere ? "modified" : "created"} ${path}`
        : last === "rm" && wasThere
        ? `deleted ${path}`
        : undefined;
      assert.deepEqual(
        events.filter((event) => event.endsWith(` ${path}`)),
        expected === undefined ? [] : [expected],
      );
    }
  }));
});

const QUEUE_CASES: Readonly<Record<FileEvent, Record<FileEvent, FileEvent | undefined>>> = {
  created: { created: "created", modified: "created", deleted: undefined, moved: "created" },
  modified: { created: "modified", modified: "modified", deleted: "deleted", moved: "moved" },
  deleted: { created: "modified", modified: "modified", deleted: "deleted", moved: "modified" },
  moved: { created: "modified", modified: "moved", deleted: "deleted", moved: "moved" },
};

for (const first of FILE_EVENTS) {
  for (const second of FILE_EVENTS) {
    const expected = QUEUE_CASES[first][second];
    Deno.test(`foldEvents(): ${first}, then ${second} is ${expected ?? "nothing"}`, () => {
      assert.equal(foldEvents(first, second), expected);
    });
  }
}
