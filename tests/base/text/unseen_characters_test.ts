// The tests list the relevant code points one by one, because a copy of the rule would repeat its errors.
import assert from "node:assert/strict";
import {
  dropControls,
  dropEscapeSequences,
  escapeControls,
  escapeUnseen,
} from "../../../base/text/unseen_characters.ts";
import { UNSEEN_TEXTS, WRITTEN_TEXTS } from "../../support/unseen_texts.ts";

Deno.test("escapeUnseen() escapes invisible characters and none of ordinary writing", () => {
  for (const [text, shown] of UNSEEN_TEXTS) assert.equal(escapeUnseen(text), shown);
  for (const text of WRITTEN_TEXTS) assert.equal(escapeUnseen(text), text);
  assert.equal(escapeUnseen("a\n\tb"), "a\\n\\tb");
  assert.equal(escapeUnseen("a\n\tb\r", { keep: "\n\t" }), "a\n\tb\\r");
});

Deno.test("escapeUnseen() lets no data hide behind an emoji or a letter", () => {
  const hidden = [..."secret"].map((char) => String.fromCodePoint(0xe0100 + char.charCodeAt(0)))
    .join("");
  for (const base of ["\u{1f600}", "a", "\u845b"]) {
    const shown = escapeUnseen(`${base}${hidden}`);
    assert.ok(shown.split("\\udb40").length > hidden.length / 2 - 1, shown);
  }
  assert.equal(escapeUnseen("\u{1f600}\u200d\u200d\u{1f600}"), "\u{1f600}\\u200d\\u200d\u{1f600}");
});

Deno.test("escapeControls() escapes characters that end or reverse a line", () => {
  const controls = [0x00, 0x0a, 0x1b, 0x7f, 0x85, 0x9b];
  const breaking = [...controls, 0x2028, 0x2029, 0x202a, 0x202e, 0x2066, 0x2069];
  for (const code of breaking) {
    const text = JSON.stringify(`a${String.fromCodePoint(code)}b`);
    const escaped = escapeControls(text);
    assert.match(escaped, /^[ -~]+$/);
    assert.equal(JSON.parse(escaped), JSON.parse(text));
  }
  assert.equal(escapeControls("half \ud800"), "half \\ud800");
  // These characters stay unchanged, because a model must be able to repeat a file's name.
  for (const code of [0xad, 0x200b, 0x200d, 0x200f, 0xfe0f, 0xfeff]) {
    const name = `a${String.fromCodePoint(code)}b.md`;
    assert.equal(escapeControls(name), name);
  }
});

Deno.test("dropControls() removes control characters, but not line feeds and tabs", () => {
  const acting = [0x00, 0x07, 0x08, 0x0d, 0x1b, 0x7f, 0x85, 0x9b, 0x202a, 0x202e, 0x2066, 0x2069];
  assert.equal(dropControls(`a${String.fromCodePoint(...acting)}b`), "ab");
  const kept = "a\n\tb\u200f\u200d\u00ad";
  assert.equal(dropControls(kept), kept);
});

Deno.test("dropEscapeSequences() removes whole sequences and the beginning of unfinished sequences", () => {
  assert.equal(dropEscapeSequences("a\u001b[1;31mb\u001b]0;title\u0007c\u009bHd"), "abcd");
  assert.equal(dropEscapeSequences("\u001b]0;title\ntext"), "0;title\ntext");
});
