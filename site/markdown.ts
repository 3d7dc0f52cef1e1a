// Renders the Markdown of a page as HTML, with the anchors that forges give to headings.
import { Marked, type Token, type Tokens } from "marked";

/** A part of a page that begins with a heading. */
export interface Section {
  /** The anchor of the heading; empty for the beginning of the page. */
  anchor: string;
  heading: string;
  /** The text without markup. */
  text: string;
}

/** A rendered page. */
export interface RenderedPage {
  /** The text of the first heading. */
  title: string;
  html: string;
  /** The headings of the second level. */
  contents: readonly { anchor: string; heading: string }[];
  sections: readonly Section[];
}

/** Renders a page. `toAddress` converts the target of each link. */
export function renderPage(
  markdown: string,
  toAddress: (target: string) => string,
): RenderedPage {
  const anchors = new Map<string, number>();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const anchor = nextAnchor(text, anchors);
        const inner = this.parser.parseInline(tokens);
        return `<h${depth} id="${anchor}">${inner}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        return `<a href="${escapeHtml(toAddress(href))}">${inner}</a>`;
      },
      code({ text, lang }) {
        const language = (lang ?? "text").split(" ")[0] ?? "text";
        const title = language === "mermaid" ? "diagram, as text" : language;
        return `<div class="code" data-language="${escapeHtml(title)}">` +
          `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre></div>\n`;
      },
      table(token) {
        const row = (cells: Tokens.TableCell[], tag: string) =>
          `<tr>${
            cells.map((cell) => {
              const inner = this.parser.parseInline(cell.tokens);
              // Render an empty header cell as a data cell, because a header needs a text for screen readers.
              const isEmpty = tag === "th" && inner === "";
              return isEmpty ? "<td></td>" : `<${tag}>${inner}</${tag}>`;
            }).join("")
          }</tr>`;
        const body = token.rows.map((cells) => row(cells, "td")).join("\n");
        return `<div class="table" tabindex="0"><table>\n<thead>${row(token.header, "th")}` +
          `</thead>\n<tbody>\n${body}\n</tbody>\n</table></div>\n`;
      },
      // Leave out the marks around generated tables and the README's pictures. Escape any other HTML.
      html: ({ text }) => /^<(!--|picture)/.test(text) ? "" : escapeHtml(text),
    },
  });
  const tokens = marked.lexer(markdown);
  const html = marked.parser(tokens);
  const sections = sectionsOf(tokens, (part) => toText(new Marked().parser(part)));
  return {
    title: sections[0]?.heading ?? "",
    html,
    contents: tokens.filter((one): one is Tokens.Heading =>
      one.type === "heading" && one.depth === 2
    ).map(({ text }) => ({ anchor: anchorOf(text), heading: toText(text) })),
    sections,
  };
}

/** Returns the anchor of a heading as GitHub derives it. */
export function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(/[^\w\- ]/g, "").replaceAll(" ", "-");
}

/** Escapes a text for HTML and for attributes in double quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

function nextAnchor(heading: string, used: Map<string, number>): string {
  const anchor = anchorOf(heading);
  const times = used.get(anchor) ?? 0;
  used.set(anchor, times + 1);
  return times === 0 ? anchor : `${anchor}-${times}`;
}

function sectionsOf(tokens: readonly Token[], toPlain: (part: Token[]) => string): Section[] {
  const used = new Map<string, number>();
  const parts: { anchor: string; heading: string; tokens: Token[] }[] = [];
  for (const token of tokens) {
    if (token.type === "heading") {
      const heading = token as Tokens.Heading;
      const anchor = nextAnchor(heading.text, used);
      const isFirst = parts.length === 0;
      parts.push({ anchor: isFirst ? "" : anchor, heading: toText(heading.text), tokens: [] });
    } else if (token.type !== "html") parts.at(-1)?.tokens.push(token);
  }
  return parts.map(({ tokens: own, ...part }) => ({ ...part, text: toPlain(own) }));
}

/** Returns the text of HTML or of inline Markdown. */
function toText(markup: string): string {
  return markup.replaceAll(/<[^>]*>/g, " ").replaceAll("`", "").replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&").replaceAll(/\s+/g, " ").trim();
}
