// Listens to real folders, and records the paths reported to each listener.
import { join } from "node:path";
import { FolderWatches } from "../../../runtime/folders/folder_watches.ts";
import type { OpenFolderEvents } from "../../../runtime/folders/system_watches.ts";
import { LogLines } from "../../support/log_lines.ts";
import { SteppedClock } from "../../support/test_clock.ts";
import { until } from "../../support/until.ts";

export class Listening implements AsyncDisposable {
  readonly clock = new SteppedClock();
  readonly log = new LogLines();
  readonly watches: FolderWatches;
  readonly heard = new Map<string, Set<string>>();
  /** The number of times that a listener was asked to scan. */
  scans = 0;
  #count = 0;

  private constructor(readonly root: string, open?: OpenFolderEvents) {
    const probeFolder = join(root, "probe");
    const { clock, log } = this;
    this.watches = new FolderWatches({ clock, log, probeFolder, ...(open && { open }) });
  }

  /** Creates a temporary folder that contains the given folders. */
  static async create(
    { folders, open }: { folders: readonly string[]; open?: OpenFolderEvents },
  ): Promise<Listening> {
    const listening = new Listening(await Deno.realPath(await Deno.makeTempDir()), open);
    for (const name of folders) await Deno.mkdir(listening.path(name), { recursive: true });
    return listening;
  }

  path(name: string): string {
    return join(this.root, name);
  }

  /** Starts a listener. The returned function ends it. With `scans`, the listener reads its folder when asked to. */
  async listen(
    name: string,
    options: { folder?: string; recursive?: boolean; scans?: boolean } = {},
  ): Promise<() => void> {
    const { folder = this.path(name), recursive = true, scans = false } = options;
    const heard = new Set<string>();
    this.heard.set(name, heard);
    const scan = (path: string) => {
      for (const file of scans ? filesIn(path) : []) heard.add(file);
    };
    return await this.watches.watch({ folder, recursive }, {
      changed: (paths) => {
        for (const path of paths) {
          heard.add(path);
          scan(path);
        }
      },
      uncertain: () => {
        this.scans++;
        scan(folder);
        return Promise.resolve();
      },
    });
  }

  /** Creates a file in a folder, and waits until the named listeners have received an event for it. */
  async expect(folder: string, ...names: string[]): Promise<void> {
    const path = this.path(`${folder}/file-${++this.#count}`);
    Deno.writeTextFileSync(path, "");
    for (const name of names) {
      await until(async () => {
        await this.clock.advance(100);
        return this.heard.get(name)?.has(path) === true;
      }, `${name} hears of ${path}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.watches[Symbol.asyncDispose]();
    await Deno.remove(this.root, { recursive: true });
  }
}

/** Yields the paths of the files below a folder. Does not follow links. */
function* filesIn(folder: string): Generator<string> {
  for (const { name, isDirectory, isFile } of isFolder(folder) ? Deno.readDirSync(folder) : []) {
    if (isFile) yield join(folder, name);
    if (isDirectory) yield* filesIn(join(folder, name));
  }
}

function isFolder(path: string): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch {
    return false; // The file does not exist any more.
  }
}
