// Separates the new text of a mail from the mails that it quotes and from its signature.

/** Matches a line with which mail programs introduce a quoted mail: a date or name, and a verb in some languages. */
const INTRODUCTION =
  /^(on|am|le|el|il|op|den|em|dnia)\b.{3,300}\b(wrote|schrieb|a écrit|escribió|ha scritto|schreef|skrev|escreveu|napisał\(a\))\b.{0,20}:$/i;
/** Matches the line above a forwarded or quoted mail in full. */
const DIVIDER =
  /^(-{2,}\s*(original message|ursprüngliche nachricht|message d'origine|mensaje original|messaggio originale|oorspronkelijk bericht)\s*-{2,}|_{20,})$/i;
/** Matches the first of the lines that repeat the headers of a quoted mail. */
const HEADERS = /^\**(from|von|de|da|van)\s?:\**\s.*(\n\**[\p{L} -]{2,20}\s?:\**\s.*){2,}/iu;
const SIGNATURE = /^-- ?$/;

/** Separates a text. `quoted` begins with the first quoted mail or the signature that only such text follows. */
export function splitQuoted(written: string): { text: string; quoted: string } {
  const lines = written.trim().split("\n");
  const at = findQuoted(lines);
  return {
    text: lines.slice(0, at).join("\n").trim(),
    quoted: lines.slice(at).join("\n").trim(),
  };
}

function findQuoted(lines: readonly string[]): number {
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim();
    if (SIGNATURE.test(raw) || DIVIDER.test(line)) return index;
    const isIntroduction = INTRODUCTION.test(line) ||
      // Long introductions are broken into two lines.
      INTRODUCTION.test(`${line} ${lines[index + 1]?.trim() ?? ""}`);
    if (isIntroduction && isQuotedFrom(lines, index + 1)) return index;
    if (HEADERS.test(lines.slice(index, index + 6).map((one) => one.trim()).join("\n"))) {
      return index;
    }
    if (line.startsWith(">") && isAllQuoted(lines, index)) return index;
  }
  return lines.length;
}

/** Returns true if a quoted line follows within three lines. */
function isQuotedFrom(lines: readonly string[], index: number): boolean {
  return lines.slice(index, index + 4).some((line) => line.trim().startsWith(">"));
}

/** Returns true if only quoted and empty lines follow, or the signature. */
function isAllQuoted(lines: readonly string[], index: number): boolean {
  for (const line of lines.slice(index)) {
    if (SIGNATURE.test(line)) return true;
    if (line.trim() !== "" && !line.trim().startsWith(">")) return false;
  }
  return true;
}
