// Changes source text at a place that is given by a symbol and by tokens in the symbol's code. Moved or reformatted code
// needs no new description of its place.
import ts from "typescript";

/** A change of the code of one symbol. */
export type Change =
  /** Removes the outermost statement, list item or operand that begins with these tokens. */
  | { drop: string }
  /** Replaces these tokens with other tokens. */
  | { replace: string; by: string };

interface Token {
  text: string;
  start: number;
  end: number;
}

/** Thrown if a change matches no place, or several places. */
export class PlaceUnclear extends Error {}

/**
 * Returns the source text of a file after the change of the symbol's code; undefined if the file has no such symbol, or the
 * symbol no such tokens.
 *
 * A symbol is the name of a top-level declaration (`parseAgent`), or of a class with a member (`Budget.#left`). Throws
 * PlaceUnclear if the symbol contains the tokens several times.
 */
export function changeSymbol(
  source: string,
  symbol: string,
  change: Change,
): string | undefined {
  const file = parse(source);
  const code = findSymbol(file, symbol);
  if (code === undefined) return undefined;
  const tokens = tokensOf(code, file);
  const wanted = scan("drop" in change ? change.drop : change.replace)
    .map(({ text }) => text);
  const places = tokens.flatMap((_, at) =>
    wanted.every((text, index) => tokens[at + index]?.text === text) ? [at] : []
  );
  const [at, ...others] = places;
  if (at === undefined) return undefined;
  if (others.length > 0) {
    throw new PlaceUnclear(`${symbol} holds ${wanted.join(" ")} ${places.length} times`);
  }
  const first = tokens[at]!;
  const last = tokens[at + wanted.length - 1]!;
  if ("replace" in change) return splice(source, first.start, last.end, change.by);
  const dropped = droppableAt(code, first.start, file);
  if (dropped === undefined) throw new PlaceUnclear(`${symbol}: nothing to drop at ${change.drop}`);
  return splice(source, ...rangeOf(dropped, file), "");
}

function splice(source: string, start: number, end: number, text: string): string {
  return source.slice(0, start) + text + source.slice(end);
}

const parsed = new Map<string, ts.SourceFile>();

function parse(source: string): ts.SourceFile {
  const known = parsed.get(source);
  if (known !== undefined) return known;
  const kind = /<\/|\/>/.test(source) ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile("file.tsx", source, ts.ScriptTarget.Latest, true, kind);
  parsed.set(source, file);
  return file;
}

/** Returns the tokens of a node. The tokens that a change gives are split by the same rules. */
function tokensOf(node: ts.Node, file: ts.SourceFile): Token[] {
  const start = node.getStart(file);
  return scan(file.text.slice(start, node.end))
    .map((token) => ({ text: token.text, start: token.start + start, end: token.end + start }));
}

/**
 * Matches one token: a word, a number, a whole string, a sign, a comment, or white space. Comments and white space are
 * removed afterwards.
 */
const TOKEN =
  /\/\/[^\n]*|\/\*[^]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|#?[\w$]+|`|\s+|[^]/g;

function scan(text: string): Token[] {
  return [...text.matchAll(TOKEN)]
    .map((match) => ({ text: match[0], start: match.index, end: match.index + match[0].length }))
    .filter((token) => !/^\s|^\/\/|^\/\*/.test(token.text));
}

function findSymbol(file: ts.SourceFile, symbol: string): ts.Node | undefined {
  // Only the first dot separates the class and its member, because a member's name may contain a dot:
  // `[Symbol.asyncDispose]`.
  const [name = "", member] = symbol.split(/\.(.*)/s);
  for (const statement of file.statements) {
    if (ts.isVariableStatement(statement)) {
      const found = statement.declarationList.declarations
        .find((one) => one.name.getText(file) === name);
      if (found !== undefined) return statement;
    }
    const declared = statement as ts.Statement & { name?: ts.Node };
    if (declared.name?.getText(file) !== name || ts.isInterfaceDeclaration(statement)) continue;
    if (ts.isFunctionDeclaration(statement) && statement.body === undefined) continue;
    if (member === undefined) return statement;
    if (!ts.isClassDeclaration(statement)) continue;
    return statement.members.find((one) =>
      (ts.isConstructorDeclaration(one) ? "constructor" : one.name?.getText(file)) === member
    );
  }
  return undefined;
}

/** Returns true if the syntax is valid without the node. */
function isDroppable(node: ts.Node): boolean {
  const { parent } = node;
  return ts.isStatement(node) && !ts.isBlock(node) || isListItem(node) ||
    ts.isBinaryExpression(parent) && isLogical(parent);
}

function isListItem({ parent, ...node }: ts.Node): boolean {
  if (ts.isArrayLiteralExpression(parent) || ts.isObjectLiteralExpression(parent)) return true;
  return (ts.isCallExpression(parent) || ts.isNewExpression(parent)) &&
    (parent.arguments ?? []).some((one) => one.pos === node.pos);
}

function isLogical({ operatorToken }: ts.BinaryExpression): boolean {
  return [
    ts.SyntaxKind.AmpersandAmpersandToken,
    ts.SyntaxKind.BarBarToken,
    ts.SyntaxKind.QuestionQuestionToken,
  ].includes(operatorToken.kind);
}

function droppableAt(code: ts.Node, start: number, file: ts.SourceFile): ts.Node | undefined {
  let found: ts.Node | undefined;
  const visit = (node: ts.Node): void => {
    if (found !== undefined || start < node.pos || start >= node.end) return;
    if (node !== code && node.getStart(file) === start && isDroppable(node)) found = node;
    else ts.forEachChild(node, visit);
  };
  visit(code);
  return found;
}

/** Returns the range of a node, including the comma or operator after the node. */
function rangeOf(node: ts.Node, file: ts.SourceFile): [number, number] {
  const { parent } = node;
  const start = node.getStart(file);
  if (ts.isBinaryExpression(parent) && isLogical(parent) && !ts.isStatement(node)) {
    return parent.left === node
      ? [start, parent.right.getStart(file)]
      : [parent.operatorToken.getStart(file), node.end];
  }
  const comma = /^\s*,/.exec(file.text.slice(node.end));
  return [start, node.end + (!ts.isStatement(node) && comma ? comma[0].length : 0)];
}
