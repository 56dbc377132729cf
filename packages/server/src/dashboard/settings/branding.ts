import { ApiError, invalidParam } from '@till/contract';
import { type Branding, dashboardApi, type PageColours, type UsedColours } from '@till/contract/dashboard';
import { lockAccount } from '../../accounts/accounts.ts';
import {
  type BrandingChanges,
  readBranding,
  readColour,
  readLogo,
  type Branding as SavedBranding,
  saveBranding,
} from '../../accounts/branding.ts';
import { LogoQueue } from '../../accounts/logo-queue.ts';
import { languages } from '../../checkout/pages/texts/languages.ts';
import { defaultColour, type Palette, palettes } from '../../checkout/pages/theme.ts';
import type { DashboardApi } from '../api.ts';
import type { DashboardAnswer } from '../call.ts';
import type { ChangingCall, SettingsDependencies } from './dependencies.ts';

const presentPalette = ({ accent, onAccent, strong }: Palette): UsedColours => ({
  button: `#${accent}`,
  button_text: `#${onAccent}`,
  link: `#${strong}`,
});

/** @param colour six hexadecimal digits */
function presentColours(colour: string): PageColours {
  const { light, dark } = palettes(colour);
  return { colour: `#${colour}`, light: presentPalette(light), dark: presentPalette(dark) };
}

/** The values without the logo's bytes, which no log needs. */
const valuesOf = ({ displayName, colour, defaultLocale, logo }: SavedBranding) => ({
  display_name: displayName,
  colour: colour === null ? null : `#${colour}`,
  default_locale: defaultLocale,
  logo: logo && {
    id: logo.sha256,
    content_type: logo.contentType,
    width: logo.width,
    height: logo.height,
  },
});

const presentBranding = (saved: SavedBranding): Branding => ({
  ...valuesOf(saved),
  colours: presentColours(saved.colour ?? defaultColour),
  saved: saved.savedAt !== null,
  languages: languages.map(({ tag, name }) => ({ tag, name })),
});

type Values = ReturnType<typeof valuesOf>;

/** Changes the branding and writes the audit entry with the previous values, in one commit. */
async function change(
  { db, clock }: SettingsDependencies,
  { staff: { accountId }, audit }: ChangingCall,
  changes: BrandingChanges,
  fields: readonly (keyof Values)[],
): Promise<Branding> {
  const named = (values: Values) => Object.fromEntries(fields.map((field) => [field, values[field]]));
  return db.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const before = await readBranding(tx, accountId);
    const after = await saveBranding(tx, accountId, changes, clock.now());
    await audit({ objectId: accountId, before: named(valuesOf(before)), after: named(valuesOf(after)) }, tx);
    return presentBranding(after);
  });
}

/** @throws ApiError `invalid_params` / `default_locale` if the pages are not written in this language */
function requireLanguage(tag: string | null | undefined): void {
  if (tag == null || languages.some((language) => language.tag === tag)) return;
  const known = languages.map((language) => language.tag).join(', ');
  throw invalidParam('default_locale', `default_locale must be one of ${known}.`);
}

/** The operations on the appearance of the pages for buyers. */
export function brandingRoutes(api: DashboardApi, deps: SettingsDependencies): void {
  api.mount(dashboardApi.retrieveBranding, async ({ staff }) => ({
    status: 200,
    body: presentBranding(await readBranding(deps.db, staff.accountId)),
  }));
  api.mount(dashboardApi.updateBranding, async (call) => {
    const { display_name: displayName, colour, default_locale: defaultLocale } = call.body;
    requireLanguage(defaultLocale);
    const changes = {
      ...(displayName === undefined ? {} : { displayName }),
      ...(colour === undefined ? {} : { colour }),
      ...(defaultLocale === undefined ? {} : { defaultLocale }),
    };
    const fields = (['display_name', 'colour', 'default_locale'] as const).filter(
      (field) => call.body[field] !== undefined,
    );
    return { status: 200, body: await change(deps, call, changes, fields) };
  });
  api.mount(dashboardApi.retrievePageColours, async ({ query }) => ({
    status: 200,
    body: presentColours(query.colour === undefined ? defaultColour : readColour(query.colour)),
  }));
  logoRoutes(api, deps);
}

function logoRoutes(api: DashboardApi, deps: SettingsDependencies): void {
  const logos = new LogoQueue();
  api.mount(dashboardApi.uploadLogo, async (call) => {
    const { content } = await call.upload();
    const logo = await logos.read(call.context, content);
    return { status: 201, body: await change(deps, call, { logo }, ['logo']) };
  });
  api.mount(dashboardApi.removeLogo, async (call) => ({
    status: 200,
    body: await change(deps, call, { logo: null }, ['logo']),
  }));
  api.mount(dashboardApi.downloadLogo, async ({ staff, params }): Promise<DashboardAnswer> => {
    const logo = await readLogo(deps.db, staff.accountId, params.id ?? '');
    if (logo === undefined) throw new ApiError('not_found', 'There is no such logo.');
    const { contentType, bytes } = logo;
    const name = contentType === 'image/png' ? 'logo.png' : 'logo.jpg';
    return { file: { name, contentType, content: bytes } };
  });
}
