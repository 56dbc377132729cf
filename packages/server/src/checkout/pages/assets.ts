import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { builtFolder } from '../../lib/web/built-folder.ts';
import { hostedFields } from './hosted-fields.ts';
import { themeRules } from './theme.ts';

/** One entry of the inventory that the build of `packages/checkout` writes. */
export interface InventoryEntry {
  readonly file: string;
  readonly path: string;
  readonly bytes: number;
  readonly integrity: string;
  readonly purpose: string;
}

/** Every script and style sheet that the page may load (PCI DSS 4.0.1, 6.4.3). */
export interface Inventory {
  readonly version: string;
  readonly scripts: readonly InventoryEntry[];
  readonly styles: readonly InventoryEntry[];
  readonly third_party: readonly ThirdPartyScript[];
}

/** A third-party script that some pages load. */
export interface ThirdPartyScript {
  readonly src: string;
  readonly where: string;
  readonly purpose: string;
  readonly authorised_because: string;
}

/** The path of a file, and the integrity that its content must have. */
export interface Linked {
  readonly path: string;
  readonly integrity: string;
}

export interface ServedAsset {
  readonly contentType: string;
  readonly encoding: 'br' | 'gzip' | 'identity';
  readonly body: Buffer;
}

const thirdParty: readonly ThirdPartyScript[] = hostedFields.map(({ script }) => ({
  src: script,
  where: 'Live payments by card fields on connections whose card_fields is "processor"; nowhere else.',
  purpose: 'The processor’s own card fields, in its frames, so that no card number comes to this server.',
  authorised_because:
    'The processor changes it without notice, so that no integrity can be given; the policy lets it in on that page only.',
}));

const built = new URL('../../../../checkout/dist/page/', import.meta.url);
/** The build in use. Files that belong together are read from one build. */
const builtPage = () => builtFolder(built);
const maxThemes = 200;

export const integrityOf = (content: Buffer | string): string =>
  `sha384-${createHash('sha384').update(content).digest('base64')}`;

/** @param folder of one build @throws Error if the page's script and styles have not been built */
export function readInventory(folder = builtPage()): Inventory {
  try {
    const text = readFileSync(new URL('scripts.json', folder), 'utf8');
    return { ...(JSON.parse(text) as Omit<Inventory, 'third_party'>), third_party: thirdParty };
  } catch (cause) {
    throw new Error('The checkout page has no script and styles yet: run "npm run build".', { cause });
  }
}

export const readBuilt = (file: string, folder = builtPage()): Buffer => readFileSync(new URL(file, folder));

const first = (entries: readonly InventoryEntry[]): InventoryEntry => {
  const [entry] = entries;
  if (entry === undefined) {
    throw new Error('The inventory of the checkout page is empty: run "npm run build".');
  }
  return entry;
};

/**
 * Brotli quality of style sheets. Anybody may request any colour, and a higher quality takes sixty times as long to save
 * 136 bytes.
 */
const styleQuality = 7;

/** A file in every encoding that browsers accept. Each is created once. */
class Asset {
  readonly #contentType: string;
  readonly #content: Buffer;
  readonly #quality: number;
  readonly #compressed: Partial<Record<'br' | 'gzip', Buffer>> = {};
  readonly integrity: string;

  /** @param quality of Brotli, up to 11 */
  constructor(contentType: string, content: Buffer, quality: number = constants.BROTLI_MAX_QUALITY) {
    this.#contentType = contentType;
    this.#content = content;
    this.#quality = quality;
    this.integrity = integrityOf(content);
  }

  /** @param accepted the `Accept-Encoding` header */
  serve(accepted: string): ServedAsset {
    const encoding = (['br', 'gzip'] as const).find((name) =>
      new RegExp(`\\b${name}\\b(?!;q=0(?:,|$))`).test(accepted),
    );
    const body = encoding === undefined ? this.#content : this.#compress(encoding);
    return { contentType: this.#contentType, encoding: encoding ?? 'identity', body };
  }

  /** Compresses on the first request, since many servers never show a page. */
  #compress(encoding: 'br' | 'gzip'): Buffer {
    const params = { [constants.BROTLI_PARAM_QUALITY]: this.#quality };
    this.#compressed[encoding] ??=
      encoding === 'br'
        ? brotliCompressSync(this.#content, { params })
        : gzipSync(this.#content, { level: 9 });
    return this.#compressed[encoding];
  }
}

/** The script and style sheets of the page, in memory, under names that change with their content. */
export class CheckoutAssets {
  readonly script: Linked;
  readonly inventoryText: string;
  readonly #script: Asset;
  readonly #baseStyle: Buffer;
  readonly #stylePath: string;
  readonly #themes = new Map<string, Asset>();

  /** Reads the output of the build. @throws Error if there is none */
  constructor() {
    const folder = builtPage();
    const inventory = readInventory(folder);
    const script = first(inventory.scripts);
    const style = first(inventory.styles);
    this.inventoryText = `${JSON.stringify(inventory, null, 2)}\n`;
    this.#script = new Asset('text/javascript; charset=utf-8', readBuilt(script.file, folder));
    this.script = { path: script.path, integrity: this.#script.integrity };
    this.#baseStyle = readBuilt(style.file, folder);
    this.#stylePath = style.path;
  }

  /** The style sheet in a shop's colour. @param colour six hexadecimal digits */
  style(colour: string): Linked {
    return {
      path: this.#stylePath.replace(/\.css$/, `-${colour}.css`),
      integrity: this.#theme(colour).integrity,
    };
  }

  #theme(colour: string): Asset {
    const known = this.#themes.get(colour);
    if (known !== undefined) return known;
    const content = Buffer.concat([this.#baseStyle, Buffer.from(themeRules(colour))]);
    const asset = new Asset('text/css; charset=utf-8', content, styleQuality);
    if (this.#themes.size >= maxThemes) this.#themes.clear();
    this.#themes.set(colour, asset);
    return asset;
  }

  /** The file at a path below `/checkout/assets/`; undefined if there is none. */
  find(path: string, accepted: string): ServedAsset | undefined {
    if (path === this.script.path) return this.#script.serve(accepted);
    const [, base, colour] = /^(.+)-([0-9a-f]{6})\.css$/.exec(path) ?? [];
    if (colour === undefined || `${base}.css` !== this.#stylePath) return undefined;
    return this.#theme(colour).serve(accepted);
  }
}
