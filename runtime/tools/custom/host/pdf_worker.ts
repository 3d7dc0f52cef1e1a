// Reads the text of a PDF file in a worker, page by page. Only this file imports the PDF library.
import { getDocument } from "unpdf/pdfjs";
import type { PdfLine } from "../host_messages.ts";
import { workerScope } from "./worker_scope.ts";

const MAX_CHARACTERS = 1_000_000;

const scope = workerScope();

scope.onmessage = ({ data }) => void readPages(data as Uint8Array);

async function readPages(data: Uint8Array): Promise<void> {
  const post = (line: PdfLine) => scope.postMessage(line);
  try {
    const pdf = await getDocument({ data, disableFontFace: true, verbosity: 0 }).promise;
    post(pdf.numPages);
    let room = MAX_CHARACTERS;
    for (let number = 1; number <= pdf.numPages; number++) {
      const { items } = await (await pdf.getPage(number)).getTextContent();
      const text = items.map((one) => "str" in one ? one.str + (one.hasEOL ? "\n" : "") : "").join(
        "",
      );
      post(text.slice(0, room));
      room -= text.length;
      if (room < 0) return post({ end: `it has more than ${MAX_CHARACTERS} characters` });
    }
    post({ end: "" });
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    post({
      end: name === "PasswordException"
        ? "it is encrypted and needs a password"
        : `it is broken (${message.replace(/\.$/, "")})`,
    });
  }
}
