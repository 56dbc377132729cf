import { createHash } from 'node:crypto';
import { invalidParam } from '@till/contract';
import {
  bytes,
  int,
  listOf,
  nullable,
  oneOf,
  parametersOf,
  type RowOf,
  text,
  time,
  valuesOf,
} from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import type { Picture } from './picture.ts';

/** The look of the pages for buyers. */
export interface Branding {
  /** The shop's name that buyers see; null for the account's name. */
  readonly displayName: string | null;
  /** Six hexadecimal digits of sRGB; null for the page's default colour. */
  readonly colour: string | null;
  /** A BCP 47 language tag; null if there is none. */
  readonly defaultLocale: string | null;
  readonly logo: (Pick<Picture, 'contentType' | 'width' | 'height'> & { readonly sha256: string }) | null;
  /** When the branding was last saved, even without a change; null if it never was. */
  readonly savedAt: Date | null;
}

/** The members that are present change; null removes the value. */
export interface BrandingChanges {
  readonly displayName?: string | null;
  /** `#0b57d0` or `0b57d0`. */
  readonly colour?: string | null;
  readonly defaultLocale?: string | null;
  readonly logo?: Picture | null;
}

const logoColumns = {
  logo_type: nullable(oneOf<Picture['contentType']>()),
  logo_width: nullable(int),
  logo_height: nullable(int),
  logo_sha256: nullable(text),
} as const;
const brandingColumns = {
  display_name: nullable(text),
  colour: nullable(text),
  default_locale: nullable(text),
  ...logoColumns,
  updated_at: time,
} as const;
export const insertedColumns = { account_id: text, ...brandingColumns, logo: nullable(bytes) } as const;
type BrandingRow = RowOf<typeof brandingColumns>;

const columns = listOf(brandingColumns);
const plain: Branding = {
  displayName: null,
  colour: null,
  defaultLocale: null,
  logo: null,
  savedAt: null,
};

function toBranding(row: BrandingRow): Branding {
  const { logo_type: contentType, logo_width: width, logo_height: height, logo_sha256: hash } = row;
  return {
    displayName: row.display_name,
    colour: row.colour,
    defaultLocale: row.default_locale,
    logo:
      contentType === null || width === null || height === null || hash === null
        ? null
        : { contentType, width, height, sha256: hash },
    savedAt: row.updated_at,
  };
}

/** Reads an account's branding; all members are null if none was saved. */
export async function readBranding(db: Queryable, accountId: string): Promise<Branding> {
  const [row] = await db.query<BrandingRow>({
    name: 'read_branding',
    text: `select ${columns} from account_branding where account_id = $1`,
    values: [accountId],
    scope: { accountId },
  });
  return row === undefined ? plain : toBranding(row);
}

/** Reads an account's logo by its hash; undefined if the account has another logo or none. */
export async function readLogo(
  db: Queryable,
  accountId: string,
  sha256: string,
): Promise<{ contentType: string; bytes: Buffer } | undefined> {
  const [row] = await db.query<{ logo: Buffer; logo_type: string }>({
    name: 'read_logo',
    text: `select logo, logo_type from account_branding
           where account_id = $1 and logo_sha256 = $2 and logo is not null`,
    values: [accountId, sha256],
    scope: { accountId },
  });
  return row === undefined ? undefined : { contentType: row.logo_type, bytes: row.logo };
}

function readName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || Array.from(trimmed).length > 100 || /\p{Cc}/u.test(trimmed)) {
    throw invalidParam('display_name', 'display_name must have 1 to 100 characters, all of them printable.');
  }
  return trimmed;
}

/**
 * Converts a colour that a person entered to six hexadecimal digits.
 * @throws ApiError `invalid_params` / `colour`
 */
export function readColour(colour: string): string {
  const [, digits] = /^#?([0-9a-f]{6})$/.exec(colour.trim().toLowerCase()) ?? [];
  if (digits === undefined) {
    throw invalidParam('colour', 'colour must be six hexadecimal digits, for example #0b57d0.');
  }
  return digits;
}

function readLocale(locale: string): string {
  const [tag] = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.exec(locale.trim()) ?? [];
  if (tag === undefined) {
    throw invalidParam('default_locale', 'default_locale must be a language tag, for example de or pt-BR.');
  }
  return tag;
}

const change = (column: string, flag: string) =>
  `${column} = case when ${flag} then excluded.${column} else account_branding.${column} end`;

/** $1 to $4 are flags for the values to change. */
const saveSql = `
insert into account_branding (${listOf(insertedColumns)}) values (${parametersOf(insertedColumns, 5)})
on conflict (account_id) do update set updated_at = excluded.updated_at, ${change('display_name', '$1')},
  ${change('colour', '$2')}, ${change('default_locale', '$3')},
  ${['logo', ...Object.keys(logoColumns)].map((column) => change(column, '$4')).join(', ')}
returning ${columns}`;

const readOptional = <In, Out>(options: In | null | undefined, read: (value: In) => Out): Out | null =>
  options === undefined || options === null ? null : read(options);

/**
 * Changes an account's branding.
 * @param changes.logo as returned by `LogoQueue.read`. Read it before a transaction begins, because that may take a second
 * @param now real time
 * @throws ApiError `invalid_params` with `param` `display_name`, `colour` or `default_locale`
 */
export async function saveBranding(
  db: Queryable,
  accountId: string,
  changes: BrandingChanges,
  now: Date,
): Promise<Branding> {
  const logo = changes.logo ?? null;
  const [row] = await db.query<BrandingRow>({
    name: 'save_branding',
    text: saveSql,
    values: [
      changes.displayName !== undefined,
      changes.colour !== undefined,
      changes.defaultLocale !== undefined,
      changes.logo !== undefined,
      ...valuesOf(insertedColumns, {
        account_id: accountId,
        display_name: readOptional(changes.displayName, readName),
        colour: readOptional(changes.colour, readColour),
        default_locale: readOptional(changes.defaultLocale, readLocale),
        logo_type: logo?.contentType ?? null,
        logo_width: logo?.width ?? null,
        logo_height: logo?.height ?? null,
        logo_sha256: logo && createHash('sha256').update(logo.bytes).digest('hex'),
        updated_at: now,
        logo: logo?.bytes ?? null,
      }),
    ],
    scope: { accountId },
  });
  if (row === undefined) throw new Error(`the branding of ${accountId} was not written`);
  return toBranding(row);
}
