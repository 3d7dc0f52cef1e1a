// Wraps standard output for a prompt that redraws itself. Counts the rows between the prompt's first row and the cursor.

/** A line break, or a move of the cursor by rows (CUU and CUD of ECMA-48). */
// deno-lint-ignore no-control-regex -- control characters move the cursor
const ROW_CHANGE = /\n|\x1b\[(\d*)([AB])/g;

/** A wrapper of a stream that counts the rows between the first written row and the cursor. */
export class CountedOutput<Stream extends { write(text: string): unknown }> {
  /** The stream to write to: writes are counted and passed on. */
  readonly stream: Stream;
  #rows = 0;

  constructor(target: Stream) {
    this.stream = new Proxy(target, {
      get: (_, name) => {
        if (name === "write") {
          return (text: string) => {
            this.#count(text);
            return target.write(text);
          };
        }
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  /** The number of rows between the first written row and the cursor. */
  get rows(): number {
    return this.#rows;
  }

  #count(text: string): void {
    for (const [change, count, direction] of text.matchAll(ROW_CHANGE)) {
      if (change === "\n") this.#rows++;
      else this.#rows += Number(count || 1) * (direction === "A" ? -1 : 1);
    }
  }
}
