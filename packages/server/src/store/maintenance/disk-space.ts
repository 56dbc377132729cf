export interface DiskSpaceDependencies {
  /** The folder of the database; null if the database is on another server, whose disk this process cannot inspect. */
  readonly folder: string | null;
  /** With less free space than this, new work is refused, so that work in progress still has room to finish. */
  readonly floorBytes: number;
  readonly freeBytes: (folder: string) => Promise<number>;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
}

/** How long a server counts as not ready after the database last ran out of disk space. */
const rememberedMs = 10_000;
const mebibyte = 2 ** 20;

/** Monitors the free disk space of the database, so that payments are refused before one is half written. */
export class DiskSpace {
  readonly #deps: DiskSpaceDependencies;
  #freeBytes = Number.POSITIVE_INFINITY;
  #lastFullMs = Number.NEGATIVE_INFINITY;

  constructor(deps: DiskSpaceDependencies) {
    this.#deps = deps;
  }

  /** Updates the free space. */
  async check(): Promise<void> {
    const { folder, freeBytes } = this.#deps;
    if (folder !== null) this.#freeBytes = await freeBytes(folder);
  }

  /** Call it when the database refuses a statement because its disk is full. */
  noteFull(): void {
    this.#lastFullMs = this.#deps.elapsed();
  }

  /** Why new work is refused, with the folder, for the log; null while there is enough space. */
  get shortage(): string | null {
    return this.#shortageIn(` in ${this.#deps.folder}`);
  }

  /** The problem with the disk space of the database, in a sentence that anyone may read; null if there is none. */
  get fault(): string | null {
    const shortage = this.#shortageIn('');
    if (shortage !== null) return shortage;
    const isRecent = this.#deps.elapsed() - this.#lastFullMs < rememberedMs;
    return isRecent ? 'the disk of PostgreSQL is full' : null;
  }

  #shortageIn(place: string): string | null {
    const { floorBytes } = this.#deps;
    if (this.#freeBytes >= floorBytes) return null;
    const [left, floor] = [this.#freeBytes / mebibyte, floorBytes / mebibyte];
    return `only ${Math.floor(left)} MiB are free${place}: nothing new is taken on below ${Math.round(floor)} MiB`;
  }
}
