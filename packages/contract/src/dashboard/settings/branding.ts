import { type Static, Type } from 'typebox';
import { type DashboardOperation, rolesFor } from '../../api/dashboard-operation.ts';
import { Nullable, Text } from '../../primitives/common.ts';

const maxUploaded = 2 * 1024 * 1024;

/** `#0b57d0`. */
const Colour = Type.String({ pattern: '^#[0-9a-f]{6}$' });

/** What one colour becomes on a page of one brightness, so that everything can be read. */
const UsedColours = Type.Object({
  button: Colour,
  /** Of the text on the button. */
  button_text: Colour,
  link: Colour,
});
export type UsedColours = Static<typeof UsedColours>;

export const PageColours = Type.Object({
  /** As it was asked for; the page's own where none was. */
  colour: Colour,
  light: UsedColours,
  dark: UsedColours,
});
export type PageColours = Static<typeof PageColours>;

/** How the pages for buyers look. */
export const Branding = Type.Object({
  /** The shop's name as buyers read it; null: the account's. */
  display_name: Nullable(Type.String()),
  /** Null: the page's own. */
  colour: Nullable(Colour),
  colours: PageColours,
  /** For buyers in none of whose languages the page is written; null: English. */
  default_locale: Nullable(Type.String()),
  logo: Nullable(
    Type.Object({
      /** For `downloadLogo`; another one for every picture. */
      id: Type.String(),
      content_type: Type.Enum(['image/png', 'image/jpeg']),
      width: Type.Integer(),
      height: Type.Integer(),
    }),
  ),
  /** Whether somebody has decided about any of it. */
  saved: Type.Boolean(),
  /** In which the page is written. */
  languages: Type.Array(Type.Object({ tag: Type.String(), name: Type.String() })),
});
export type Branding = Static<typeof Branding>;

const branding = '/accounts/:account/settings/branding';

/** The look of the pages for buyers, the same in the sandbox and live. What is saved shows at once. */
export const brandingApi = {
  retrieveBranding: {
    id: 'retrieveBranding',
    method: 'GET',
    path: branding,
    roles: rolesFor.viewing,
    answers: { 200: Branding },
  },
  /** Changes what is named; null takes the value away. */
  updateBranding: {
    id: 'updateBranding',
    method: 'PATCH',
    path: branding,
    roles: rolesFor.managing,
    body: Type.Object({
      display_name: Type.Optional(Nullable(Text(1000))),
      colour: Type.Optional(Nullable(Text(100))),
      default_locale: Type.Optional(Nullable(Text(100))),
    }),
    keepsNull: true,
    answers: { 200: Branding },
    audit: 'branding.changed',
  },
  /** What a colour would become on the page, or what the page's own is. Saves nothing. */
  retrievePageColours: {
    id: 'retrievePageColours',
    method: 'GET',
    path: `${branding}/colours`,
    roles: rolesFor.viewing,
    query: Type.Object({ colour: Type.Optional(Text(100)) }),
    answers: { 200: PageColours },
  },
  /** A PNG or JPEG file. It is written anew, as nothing but its picture. */
  uploadLogo: {
    id: 'uploadLogo',
    method: 'POST',
    movesMoney: false,
    path: `${branding}/logo`,
    roles: rolesFor.managing,
    upload: { field: 'logo', maxBytes: maxUploaded },
    answers: { 201: Branding },
    audit: 'branding.changed',
  },
  removeLogo: {
    id: 'removeLogo',
    method: 'DELETE',
    path: `${branding}/logo`,
    roles: rolesFor.managing,
    answers: { 200: Branding },
    audit: 'branding.changed',
  },
  downloadLogo: {
    id: 'downloadLogo',
    method: 'GET',
    path: `${branding}/logo/:id`,
    roles: rolesFor.viewing,
    answers: {},
  },
} as const satisfies Record<string, DashboardOperation>;
