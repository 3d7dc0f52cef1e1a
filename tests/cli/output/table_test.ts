import assert from "node:assert/strict";
import fc from "fast-check";
import { createStyle } from "../../../cli/output/style.ts";
import { type Column, formatTable } from "../../../cli/output/table.ts";
import { shorten, widthOf } from "../../../cli/output/width.ts";

const style = createStyle({ colors: false });
const COLUMNS: Column<string[]>[] = [
  { header: "Id", cell: ([id = ""]) => id, shrinks: true },
  { header: "Display Name", cell: ([, name = ""]) => name, shrinks: true },
  { header: "Runs", cell: ([, , runs = ""]) => runs, align: "right" },
];

Deno.test("formatTable() shows hostile cells on one line", () => {
  assert.equal(
    formatTable(["a\nb\u001b[2J"], [{ header: "Id", cell: (id) => id }], { width: 80, style }),
    "Id\na b",
  );
});

Deno.test("formatTable() stays within the width and keeps every row", () => {
  const cell = fc.string({ unit: "grapheme", maxLength: 60 });
  const rows = fc.array(fc.tuple(cell, cell, fc.nat(9_999).map(String)), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(fc.property(rows, fc.integer({ min: 30, max: 120 }), (rows, width) => {
    const lines = formatTable(rows, COLUMNS, { width, style }).split("\n");
    for (const line of lines) assert.ok(widthOf(line) <= width, `${widthOf(line)}: ${line}`);
    assert.ok(lines.length === rows.length + 1 || lines.length === rows.length * 4 - 1);
  }));
});

Deno.test("shorten() fits any width and never splits a character", () => {
  assert.equal(shorten("日本語", 6), "日本語");
  assert.equal(shorten("日本語", 5), "日本…");
  assert.equal(shorten("日本語", 4), "日…");
  assert.equal(shorten("abc", 0), "");
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), fc.nat(40), (text, width) => {
    const short = shorten(text, width);
    assert.ok(widthOf(short) <= width);
    assert.ok(short.isWellFormed());
  }));
});

Deno.test("formatTable() prints a row's note below the row, in tables and in blocks", () => {
  const rows = [["daily", "The report", "3"], ["weekly", "-", "-"]];
  const note = ([id]: string[]) => id === "daily" ? "It went\nwrong\u001b[2J" : undefined;
  assert.equal(
    formatTable(rows, COLUMNS, { width: 80, style, note }).split("\n")[2],
    "  It went wrong",
  );
  const blocks = formatTable(rows, COLUMNS, { width: 12, style, note }).split("\n\n");
  assert.match(blocks[0] ?? "", /\n {2}It went w…$/);
  assert.equal(blocks[1], "weekly");
});
