import assert from "node:assert/strict";
import { z } from "zod";
import { findUnknownKeys, schemaAt } from "../../../runtime/config/written_schema.ts";

const item = z.object({ path: z.string(), description: z.string().nullish() });
const schema = z.object({
  limit: z.number().min(1).nullish().default(3),
  names: z.preprocess((value) => typeof value === "string" ? [value] : value, z.array(z.string())),
  places: z.union([z.string(), z.record(z.string(), z.union([z.string(), item]))]).optional(),
  inner: z.object({ deep: z.array(item).optional() }).nullish(),
});
/** A map, a text, or a list of them. */
const lists = z.object({
  either: z.record(z.string(), z.union([z.string(), z.array(item)])),
  one: z.preprocess((value) => Array.isArray(value) ? value : [value], z.array(item)),
});

Deno.test("schemaAt() finds the schema of what is written behind optional, default and transformations", () => {
  assert.ok(schemaAt(schema, ["limit"]) instanceof z.ZodNumber);
  assert.ok(schemaAt(schema, ["names"]) instanceof z.ZodArray);
  assert.ok(schemaAt(schema, ["names", 0]) instanceof z.ZodString);
  assert.ok(schemaAt(schema, ["places", "data", "path"]) instanceof z.ZodString);
  assert.ok(schemaAt(schema, ["inner", "deep", 7, "description"]) instanceof z.ZodString);
  assert.equal(schemaAt(schema, ["limit", "more"]), undefined);
  assert.equal(schemaAt(schema, ["nowhere"]), undefined);
});

Deno.test("findUnknownKeys() names each unknown key with those beside it, through lists and maps", () => {
  const value = {
    limits: { deeper: 1 },
    places: { anything: { path: "a", pth: "b" }, other: "c" },
    inner: { deep: [{ path: "a" }, { descr: "b" }] },
  };
  assert.deepEqual(findUnknownKeys(schema, value), [
    { path: ["limits"], known: ["limit", "names", "places", "inner"] },
    { path: ["places", "anything", "pth"], known: ["path", "description"] },
    { path: ["inner", "deep", 1, "descr"], known: ["path", "description"] },
  ]);
});

Deno.test("findUnknownKeys() looks into the lists of a union, and into one that stands for a list", () => {
  const value = { either: { a: "x", b: [{ pth: "x" }] }, one: { path: "a", descr: "b" } };
  assert.deepEqual(findUnknownKeys(lists, value), [
    { path: ["either", "b", 0, "pth"], known: ["path", "description"] },
    { path: ["one", "descr"], known: ["path", "description"] },
  ]);
  assert.ok(schemaAt(lists, ["either", "b", 0, "path"]) instanceof z.ZodString);
});

Deno.test("findUnknownKeys() takes no key of every object for a known one", () => {
  const value = JSON.parse('{"constructor": 1, "__proto__": 2, "toString": 3}');
  const found = findUnknownKeys(schema, value).map(({ path }) => path.join("."));
  assert.deepEqual(found, ["constructor", "__proto__", "toString"]);
});
