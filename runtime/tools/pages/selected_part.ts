// Selects parts of an HTML page by a CSS selector, and writes them as Markdown.
import { selectAll } from "css-select";
import { DomHandler, DomUtils, Parser } from "htmlparser2";
import { nextSlice } from "../../../base/slices.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { readMarkup } from "./markup_reader.ts";
import { PageWriter } from "./page_writer.ts";

/** The limits of a page in which a part can be selected. The time of a selector grows with both. */
const MAX_SOURCE = 2_000_000;
const MAX_DEPTH = 256;
const SLICE = 16 * 1024;
const MAX_COMPUTING_MS = 500;

/** The elements of a page, and the depth of the deepest one. */
class Tree extends DomHandler {
  depth = 0;

  override onopentag(...[name, attributes]: Parameters<DomHandler["onopentag"]>): void {
    super.onopentag(name, attributes);
    this.depth = Math.max(this.depth, this.tagStack.length - 1);
  }
}

/**
 * Returns the elements that match a selector as Markdown, one after another. Throws ToolFailure if none matches, the
 * selector is invalid, or the page is too large.
 */
export async function selectPart(source: string, selector: string, url: string): Promise<string> {
  if (source.length > MAX_SOURCE) {
    throw new ToolFailure(
      `the page is too large for trigger.select: over ${MAX_SOURCE} characters`,
    );
  }
  const tree = new Tree();
  const parser = new Parser(tree);
  for (let at = 0; at < source.length && tree.depth <= MAX_DEPTH; at += SLICE) {
    await nextSlice();
    parser.write(source.slice(at, at + SLICE));
  }
  if (tree.depth > MAX_DEPTH) {
    throw new ToolFailure("the page is nested too deeply for trigger.select");
  }
  parser.end();
  const found = select(selector, tree);
  if (found.length === 0) throw new ToolFailure(`nothing on the page matches ${selector}`);
  const writer = new PageWriter({ url, keepsAll: true });
  const html = found.map((one) => DomUtils.getOuterHTML(one)).join("\n");
  await readMarkup(html, { isXml: false, allowance: { ms: MAX_COMPUTING_MS } }, writer);
  return writer.end().text;
}

function select(selector: string, { dom }: DomHandler) {
  try {
    return selectAll(selector, dom);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ToolFailure(`trigger.select is no CSS selector: ${reason}`, { cause: error });
  }
}
