// Renders Markdown as elements. HTML in a text is shown as text and never parsed. Images are shown by name and not loaded,
// because their address could report the reader to others.
import { lexer, type MarkedToken, type Token, type Tokens } from "marked";
import type { ComponentChildren, VNode } from "preact";
import { useMemo } from "preact/hooks";
import { endOf } from "../../base/text/cut_text.ts";
import { Preformatted } from "./parts.tsx";
import { decodeEntities, nameImage } from "../../present/markdown_words.ts";

/** The maximum length of a text that is rendered as Markdown. The browser would take too long for a longer text. */
const MARKDOWN_CHARACTERS = 100_000;
/**
 * The maximum length of a streaming text that is rendered as Markdown. Of a longer text, only the end is shown until it is
 * complete.
 */
const STREAMED_CHARACTERS = 20_000;

/** Renders a streaming text as Markdown, or the end of a text of more than STREAMED_CHARACTERS as plain text. */
export function StreamingText({ text }: { text: string }): VNode {
  return text.length > STREAMED_CHARACTERS
    ? <p class="stream" dir="auto">{endOf(text, STREAMED_CHARACTERS)}</p>
    : <Markdown text={text} />;
}

/** Renders a complete text as Markdown, or as plain text if it is very long. */
export function FormattedText({ text }: { text: string }): VNode {
  return text.length > MARKDOWN_CHARACTERS
    ? <Preformatted label="Answer" text={text} />
    : <Markdown text={text} />;
}

/** Renders a text in Markdown. */
function Markdown({ text }: { text: string }): VNode {
  // Memoize the blocks, because the page renders many times a second during a stream.
  const blocks = useMemo(() => toBlocks(parse(text)), [text]);
  return <div class="prose" dir="auto">{blocks}</div>;
}

function parse(text: string): Token[] {
  try {
    return lexer(text);
  } catch (error) {
    // Thousands of nested lists overflow the parser's stack. A text with so many lists is shown as code.
    if (!(error instanceof RangeError)) throw error;
    return [{ type: "code", raw: text, text }];
  }
}

function toBlocks(tokens: readonly Token[]): ComponentChildren {
  return tokens.map((token) => toBlock(token as MarkedToken));
}

function toBlock(token: MarkedToken): ComponentChildren {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      return <Heading heading={token} />;
    case "paragraph":
      return <p>{toSpans(token.tokens)}</p>;
    case "text":
      return toSpans(token.tokens ?? [token]);
    case "code":
      return <pre tabIndex={0}><code>{token.text}</code></pre>;
    case "blockquote":
      return <blockquote>{toBlocks(token.tokens)}</blockquote>;
    case "list":
      return <List list={token} />;
    case "table":
      return <Table table={token} />;
    case "hr":
      return <hr />;
    case "html":
      return <p class="raw">{token.raw.trimEnd()}</p>;
    default:
      return toSpan(token);
  }
}

/** Renders a heading of level 3 or deeper, because the page itself uses levels 1 and 2. */
function Heading({ heading: { depth, tokens } }: { heading: Tokens.Heading }): VNode {
  const Tag = `h${Math.min(depth + 2, 6)}` as "h3";
  return <Tag>{toSpans(tokens)}</Tag>;
}

function List({ list }: { list: Tokens.List }): VNode {
  const items = list.items.map((item, index) => (
    <li key={index} class={item.task ? "task" : undefined}>
      {item.task && <span>{item.checked ? "☑ " : "☐ "}</span>}
      {toBlocks(item.tokens)}
    </li>
  ));
  if (!list.ordered) return <ul>{items}</ul>;
  return <ol start={list.start === "" ? 1 : list.start}>{items}</ol>;
}

function Table({ table }: { table: Tokens.Table }): VNode {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, column) => (
              <th key={column} scope="col">{toSpans(cell.tokens)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => <td key={column}>{toSpans(cell.tokens)}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function toSpans(tokens: readonly Token[]): ComponentChildren {
  return tokens.map((token) => toSpan(token as MarkedToken));
}

function toSpan(token: MarkedToken): ComponentChildren {
  switch (token.type) {
    case "strong":
      return <strong>{toSpans(token.tokens)}</strong>;
    case "em":
      return <em>{toSpans(token.tokens)}</em>;
    case "del":
      return <del>{toSpans(token.tokens)}</del>;
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "checkbox":
      // List() renders the checkbox of a task.
      return null;
    case "link":
      return <Link link={token} />;
    case "image":
      return `${nameImage(token.text)} (${token.href})`;
    case "escape":
      return token.text;
    case "text":
      return token.tokens === undefined ? decodeEntities(token.text) : toSpans(token.tokens);
    default:
      return token.raw;
  }
}

/** Renders a link with a web or mail address. Any other address is shown as text. */
function Link({ link }: { link: Tokens.Link }): VNode {
  const label = toSpans(link.tokens);
  if (!/^(https?:|mailto:)/i.test(link.href)) return <span>{label} ({link.href})</span>;
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer nofollow" title={link.href}>
      {label}
    </a>
  );
}
