// Converts inline tokens of Markdown, such as emphasis and links, to styled spans.
import type { MarkedToken, Token, Tokens } from "marked";
import { decodeEntities, nameImage } from "../../../present/markdown_words.ts";
import { sanitize } from "../sanitize.ts";
import type { Mark, Style } from "../style.ts";
import type { Span } from "../wrap.ts";

/**
 * Converts inline tokens to spans with the styles `marks`. Without colors, the signs of code and strikethrough are kept.
 */
export function toSpans(
  tokens: readonly Token[] | undefined,
  style: Style,
  marks: readonly Mark[] = [],
): Span[] {
  return (tokens ?? []).flatMap((token) => toSpan(token as MarkedToken, style, marks));
}

function toSpan(token: MarkedToken, style: Style, marks: readonly Mark[]): Span[] {
  switch (token.type) {
    case "strong":
      return toSpans(token.tokens, style, withMark(marks, "bold"));
    case "em":
      return toSpans(token.tokens, style, withMark(marks, "italic"));
    case "del":
      return style.isColored
        ? toSpans(token.tokens, style, [...marks, "strike"])
        : [leaf("~~"), ...toSpans(token.tokens, style), leaf("~~")];
    case "codespan":
      return [leaf(style.isColored ? token.text : `\`${token.text}\``, [...marks, "cyan"])];
    case "br":
      return [{ text: "\n" }];
    case "checkbox":
      // The marker of the list item already shows the checkbox.
      return [];
    case "link":
      return toLink(token, style, marks);
    case "image":
      return [
        leaf(nameImage(token.text), marks),
        leaf(` (${token.href})`, [...marks, "dim"]),
      ];
    case "escape":
      return [leaf(token.text, marks)];
    case "html":
      return [leaf(token.text, [...marks, "dim"])];
    case "text":
      return token.tokens === undefined
        ? [leaf(decodeEntities(token.text), marks)]
        : toSpans(token.tokens, style, marks);
    default:
      return [leaf(token.raw, marks)];
  }
}

/**
 * Converts a link to its label. If the address differs from the label, the address follows, so that the label cannot hide
 * it.
 */
function toLink(token: Tokens.Link, style: Style, marks: readonly Mark[]): Span[] {
  const label = toSpans(token.tokens, style, withMark(marks, "underline"));
  const text = label.map((span) => span.text).join("");
  const isSame = text === token.href || `mailto:${text}` === token.href;
  return isSame ? label : [...label, leaf(` (${token.href})`, [...marks, "dim"])];
}

/**
 * Returns a span with line breaks replaced by spaces. Sanitizes the text again, because the parser decodes entities such as
 * `&#27;` to control characters.
 */
function leaf(text: string, marks: readonly Mark[] = []): Span {
  return { text: sanitize(text).replaceAll("\n", " "), marks };
}

function withMark(marks: readonly Mark[], mark: Mark): readonly Mark[] {
  return marks.includes(mark) ? marks : [...marks, mark];
}
