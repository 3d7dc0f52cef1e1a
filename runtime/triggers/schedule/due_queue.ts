// A priority queue of keys ordered by time: a binary heap with an index of the position of each key.

interface Item {
  key: string;
  at: number;
}

/** A priority queue of unique keys, ordered by time. Each change takes logarithmic time. */
export class DueQueue {
  readonly #heap: Item[] = [];
  readonly #places = new Map<string, number>();

  /** The earliest time, or undefined when the queue is empty. */
  get firstTime(): number | undefined {
    return this.#heap[0]?.at;
  }

  /** Adds a key with a time in milliseconds since the epoch, or changes the time of an existing key. */
  put(key: string, at: number): void {
    const place = this.#places.get(key);
    if (place === undefined) {
      this.#rise({ key, at }, this.#heap.length);
    } else {
      this.#replace({ key, at }, place);
    }
  }

  /** Removes a key. Does nothing if it is absent. */
  remove(key: string): void {
    const place = this.#places.get(key);
    if (place === undefined) return;
    this.#places.delete(key);
    const last = this.#heap.pop();
    if (last !== undefined && last.key !== key) this.#replace(last, place);
  }

  /** Removes and returns the key with the earliest time if that time is not after `now`, otherwise returns undefined. */
  takeUntil(now: number): string | undefined {
    const first = this.#heap[0];
    if (first === undefined || first.at > now) return undefined;
    this.remove(first.key);
    return first.key;
  }

  #replace(item: Item, place: number): void {
    const parent = this.#heap[Math.floor((place - 1) / 2)];
    if (place > 0 && parent !== undefined && parent.at > item.at) this.#rise(item, place);
    else this.#sink(item, place);
  }

  #rise(item: Item, from: number): void {
    let place = from;
    while (place > 0) {
      const above = Math.floor((place - 1) / 2);
      const parent = this.#heap[above];
      if (parent === undefined || parent.at <= item.at) break;
      this.#set(parent, place);
      place = above;
    }
    this.#set(item, place);
  }

  #sink(item: Item, from: number): void {
    let place = from;
    for (;;) {
      const left = 2 * place + 1;
      const [a, b] = [this.#heap[left], this.#heap[left + 1]];
      const child = b !== undefined && a !== undefined && b.at < a.at ? b : a;
      if (child === undefined || child.at >= item.at) break;
      this.#set(child, place);
      place = child === a ? left : left + 1;
    }
    this.#set(item, place);
  }

  #set(item: Item, place: number): void {
    this.#heap[place] = item;
    this.#places.set(item.key, place);
  }
}
