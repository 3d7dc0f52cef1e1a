// Tests the text that http_request returns for pages with the shapes of real ones.
import assert from "node:assert/strict";
import { ask, serve } from "../builtin/http_site.ts";
import { OTHER_PAGES } from "./other_pages.ts";
import { TEXT_PAGES } from "./text_pages.ts";

const SAVED_PAGES = [...TEXT_PAGES, ...OTHER_PAGES];

for (const { name, keeps, drops, body } of SAVED_PAGES) {
  Deno.test(`http_request returns the main part of a page as Markdown: ${name}`, async () => {
    const headers = { "content-type": "text/html; charset=utf-8" };
    await using web = serve(() => new Response(body, { headers }));
    const url = `${web.origin}/`;
    const shown = (await ask({ url })).replaceAll(web.origin, "https://site.example");
    for (const text of keeps) assert.ok(shown.includes(text), `"${text}" is missing in:\n${shown}`);
    for (const text of drops) assert.ok(!shown.includes(text), `"${text}" is in:\n${shown}`);
    const source = await ask({ url, raw: true });
    assert.ok(source.includes(body.slice(0, 20_000)), "raw: true returns another text");
    assert.match(shown, new RegExp(`characters from ${body.length} of source`));
  });
}
