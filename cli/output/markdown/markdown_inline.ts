// The inside of a Markdown paragraph as marked spans: weights, code, links.
import type { MarkedToken, Token, Tokens } from "marked";
import { decodeEntities, nameImage } from "../../../present/markdown_words.ts";
import { sanitise } from "../sanitise.ts";
import type { Mark, Style } from "../style.ts";
import type { Span } from "../wrap.ts";

/** Spans of inline tokens. Where there are no colours, signs stay that would be lost with them. */
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
      // Shown as the marker of its item.
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

/** The label, and the address where the label is something else, so that it cannot deceive. */
function toLink(token: Tokens.Link, style: Style, marks: readonly Mark[]): Span[] {
  const label = toSpans(token.tokens, style, withMark(marks, "underline"));
  const text = label.map((span) => span.text).join("");
  const isSame = text === token.href || `mailto:${text}` === token.href;
  return isSame ? label : [...label, leaf(` (${token.href})`, [...marks, "dim"])];
}

/**
 * A text that is in one piece; a line break in it is a space. Sanitised here, although the source was: the parser turns
 * entities such as `&#27;` into the characters that they stand for.
 */
function leaf(text: string, marks: readonly Mark[] = []): Span {
  return { text: sanitise(text).replaceAll("\n", " "), marks };
}

function withMark(marks: readonly Mark[], mark: Mark): readonly Mark[] {
  return marks.includes(mark) ? marks : [...marks, mark];
}
