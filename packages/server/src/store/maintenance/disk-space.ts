export interface DiskSpaceDependencies {
  /** Where the database lies; null where it is on a server of its own, whose disk nobody can see from here. */
  readonly folder: string | null;
  /** With less than this left nothing new is taken on; what was begun still has room to end. */
  readonly floorBytes: number;
  readonly freeBytes: (folder: string) => Promise<number>;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
}

/** How long after the database last had no room a server counts as not ready. */
const rememberedMs = 10_000;
const mebibyte = 2 ** 20;

/** Knows how much room the database has, so that payments are refused before one is half written. */
export class DiskSpace {
  readonly #deps: DiskSpaceDependencies;
  #freeBytes = Number.POSITIVE_INFINITY;
  #lastFullMs = Number.NEGATIVE_INFINITY;

  constructor(deps: DiskSpaceDependencies) {
    this.#deps = deps;
  }

  /** Looks how much is left. */
  async check(): Promise<void> {
    const { folder, freeBytes } = this.#deps;
    if (folder !== null) this.#freeBytes = await freeBytes(folder);
  }

  /** The database refused a statement because its disk is full. */
  noteFull(): void {
    this.#lastFullMs = this.#deps.elapsed();
  }

  /** Why nothing new is taken on; null while there is room. */
  get shortage(): string | null {
    const { folder, floorBytes } = this.#deps;
    if (this.#freeBytes >= floorBytes) return null;
    const left = Math.floor(this.#freeBytes / mebibyte);
    return `only ${left} MiB are free in ${folder}: nothing new is taken on below ${Math.round(floorBytes / mebibyte)} MiB`;
  }

  /** What is wrong with the room that the database has; null where nothing is. */
  get fault(): string | null {
    if (this.shortage !== null) return this.shortage;
    const isRecent = this.#deps.elapsed() - this.#lastFullMs < rememberedMs;
    return isRecent ? 'the disk of PostgreSQL is full' : null;
  }
}
