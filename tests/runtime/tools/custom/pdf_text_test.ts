// Tests reading of the text of PDF files for models that accept no PDF.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { SystemClock } from "../../../../base/clock.ts";
import { ownProgram } from "../../../../runtime/tools/custom/host_program.ts";
import { readPdfText } from "../../../../runtime/tools/custom/pdf_text.ts";
import { Redactor } from "../../../../runtime/secrets/redactor.ts";
import { PDF, pdfPages } from "./pdf_file.ts";
import { createTestWorkspace, runToEnd } from "../../../support/test_workspace.ts";

const show = (text: string) =>
  `BT /F 9 Tf 0 900 Td ${text.split("|").map((one) => `(${one}) Tj 0 -9 Td`).join(" ")} ET`;
/** A gigabyte of spaces, compressed three times. */
const BOMB = Buffer.from(
  "eNqruPX2jqLf7USZ4w/1QniEbgjwGDY/ZZOYdM5HeYaa9YE/MrEc7g8EZBqYH1Q1lwXbMjQprFJI/cKz4v/zyiur6z/NNp9//7/cu/89/2bL3d0jI3/vXQ8DA0ND4+x/e2/9+vDNIur8/vl/gSIMbe+eL9/7MU2kYt+PX2ctgQIJH9b5+9vl13HYxP6TsmYHivDcO5hleTOHcfPXu/92VgMFDjzQZWEG0gquBiAjosCcBRBOEjJnVGZUZlRmVGZUZkjJPE3bOmefL+Pkm1X7dtsyMTzYa1NXGVczZy/TCrYr9wCtVwTP",
  "base64",
).toString("latin1");
const FILTERS = "/Filter[/FlateDecode/FlateDecode/FlateDecode]";
const KEYS = `/ID[<00>]/Encrypt<</Filter/Standard/V 1/R 2/P 0/O<${"00".repeat(32)}>/U<${
  "00".repeat(32)
}>>>`;
/** Contents of forms, each of which shows the next form twice. The text would have 2^40 letters. */
const FORMS = [...Array<string>(40).fill("/X Do /X Do"), show("a")];

const READ: [what: string, pdf: Uint8Array, text: string][] = [
  [
    "a scan",
    pdfPages(["q Q"]),
    "[PDF, 1 page: it has no text, like a scan. A model with PDF input (model.input) sees its pages, at most 20.]",
  ],
  [
    "a broken file",
    PDF.subarray(0, 40),
    "[PDF: its text cannot be read: it is broken (Invalid PDF structure).]",
  ],
  [
    "an encrypted file",
    pdfPages([show("x")], { trailer: KEYS }),
    "[PDF: its text cannot be read: it is encrypted and needs a password.]",
  ],
  [
    "too much",
    pdfPages([show("One"), BOMB], { entries: FILTERS }),
    "[The text of a PDF, 2 pages, up to page 1: it takes too much memory]\n\n[page 1]\nOne",
  ],
  [
    "no end",
    pdfPages(["/X Do"], { forms: FORMS }),
    "[PDF: its text cannot be read: it takes longer than 20 s.]",
  ],
];

/** A clock whose time limits end at once, for a file whose text never ends. */
class HastyClock extends SystemClock {
  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return super.sleep(ms === 20_000 ? 0 : ms, signal);
  }
}

// The executable that npm_package_test.ts starts reads a file with compressed objects.
for (const [what, pdf, text] of READ) {
  Deno.test(`readPdfText() reads a PDF file in a separate process: ${what}`, async () => {
    const clock = what === "no end" ? new HastyClock() : new SystemClock();
    const context = { clock, redactor: new Redactor(() => []), signal: AbortSignal.any([]) };
    const options = { program: ownProgram(), cwd: Deno.cwd() };
    assert.equal((await readPdfText(pdf, context, options)).text, text);
  });
}

Deno.test("file_read returns a PDF's redacted text for a model that accepts no PDF", async () => {
  await using place = await createTestWorkspace({ shell: { SHOP_TOKEN: "tok-1234567890" } });
  await Deno.writeFile(
    join(place.workspace, "a.pdf"),
    pdfPages([show("One|tok-1234567890|Three"), show("Four")]),
  );
  const args = { path: "a.pdf", offset: 3, limit: 6 };
  await place.writeScript("a", [{ call: [{ name: "file_read", arguments: args }] }, {
    say: "{result}",
  }]);
  await using runtime = await place.open();
  const { outputData } = await runToEnd(runtime, "a");
  assert.equal(
    outputData,
    "3\t[page 1]\n4\tOne\n5\t[redacted:SHOP_TOKEN]\n6\tThree\n7\t\n8\t[page 2]\n" +
      "(Lines 3-8 are shown; there is more. Continue with offset=9.)",
  );
});
