// PDF files for tests of their text.
import { Buffer } from "node:buffer";

/** A PDF of one page with the text "Packed words" and compressed objects. */
export const PDF: Uint8Array = Buffer.from(
  "JVBERi0xLjUKNCAwIG9iajw8L0ZpbHRlci9GbGF0ZURlY29kZS9MZW5ndGggNDg+PnN0cmVhbQp42nMKUdB3UzA0UghJUzAyACIDhZAUBY2AxOTs1BSF8vyilGJNhZAsBdcQANrtCzQKZW5kc3RyZWFtCmVuZG9iago2IDAgb2JqPDwvVHlwZS9PYmpTdG0vTiA0L0ZpcnN0IDIwL0ZpbHRlci9GbGF0ZURlY29kZS9MZW5ndGggMTYwPj5zdHJlYW0KeNpdjsEKwjAMhl8lb5B21Z7GDhuIMASZ3oaHuoUxGKusrejbm/Swg4Gm5P+/P60GBQUYBQashSNoW0BZ4v37ImxcdIuf8OomCkwp6Kpqd7OK7TyG3oj1wManNYL+Y7htxHrO44XG2dX+0ysejcpHkmtkJsAhQx0Fn7aBAu85sSUX/y2/L7XvFxNv6RllEEVj7QJl+UzLm+I8OOZ/FhZD8gplbmRzdHJlYW0KZW5kb2JqCjcgMCBvYmo8PC9UeXBlL1hSZWYvU2l6ZSA4L1dbMSAyIDFdL1Jvb3QgMSAwIFIvRmlsdGVyL0ZsYXRlRGVjb2RlL0xlbmd0aCAzMz4+c3RyZWFtCnjaY2BgYGBiYANhRiBmYmTgBLGZGRmqGBgZSxkAB0UBIwplbmRzdHJlYW0KZW5kb2JqCnN0YXJ0eHJlZgozNzMKJSVFT0Y=",
  "base64",
);

/**
 * Returns a PDF whose pages have these contents. `entries`: further entries of the last page's dictionary. `forms`:
 * contents of forms; each is available as /X in the form before it, and the first one in the pages. `trailer`: further
 * entries of the trailer.
 */
export function pdfPages(
  contents: readonly string[],
  { entries = "", forms = [], trailer = "" }: {
    entries?: string;
    forms?: readonly string[];
    trailer?: string;
  } = {},
): Uint8Array {
  const pageOf = (at: number) => 4 + at * 2;
  const resources = (form: number) =>
    `/Resources<</Font<</F 3 0 R>>/XObject<</X ${pageOf(contents.length) + form} 0 R>>>>`;
  const stream = (text: string, more: string) =>
    `<<${more}/Length ${text.length}>>stream\n${text}\nendstream`;
  const kids = contents.map((_, at) => `${pageOf(at)} 0 R`).join(" ");
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    `<</Type/Pages/Count ${contents.length}/Kids[${kids}]>>`,
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ...contents.flatMap((text, at) => [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 999 999]/Contents ${pageOf(at) + 1} 0 R${
        resources(0)
      }>>`,
      stream(text, at === contents.length - 1 ? entries : ""),
    ]),
    ...forms.map((text, at) =>
      stream(text, `/Type/XObject/Subtype/Form/BBox[0 0 9 9]${resources(at + 1)}`)
    ),
  ].map((one, at) => `${at + 1} 0 obj${one}\nendobj\n`);
  const text = `%PDF-1.5\n${objects.join("")}trailer<</Root 1 0 R${trailer}>>\n%%EOF`;
  return Buffer.from(text, "latin1");
}
