import { type Static, Type } from 'typebox';
import { type DashboardOperation, rolesFor } from '../../api/dashboard-operation.ts';
import { Nullable, Text } from '../../primitives/common.ts';

const maxUploaded = 2 * 1024 * 1024;

/** A colour such as `#0b57d0`. */
const Colour = Type.String({ pattern: '^#[0-9a-f]{6}$' });

/** The colours derived from the chosen one, in light or dark mode, so that all text is readable. */
const UsedColours = Type.Object({
  button: Colour,
  /** Colour of the button's text. */
  button_text: Colour,
  link: Colour,
});
export type UsedColours = Static<typeof UsedColours>;

export const PageColours = Type.Object({
  /** The chosen colour, or the page's default if none was chosen. */
  colour: Colour,
  light: UsedColours,
  dark: UsedColours,
});
export type PageColours = Static<typeof PageColours>;

/** The appearance of the pages for buyers. */
export const Branding = Type.Object({
  /** The shop's name for buyers. Null to use the account's name. */
  display_name: Nullable(Type.String()),
  /** Null to use the page's default. */
  colour: Nullable(Colour),
  colours: PageColours,
  /** Language for buyers if the page supports none of their languages. Null for English. */
  default_locale: Nullable(Type.String()),
  logo: Nullable(
    Type.Object({
      /** Id for `downloadLogo`. Every picture has a different one. */
      id: Type.String(),
      content_type: Type.Enum(['image/png', 'image/jpeg']),
      width: Type.Integer(),
      height: Type.Integer(),
    }),
  ),
  /** Whether any of these settings was ever saved. */
  saved: Type.Boolean(),
  /** The languages of the page. */
  languages: Type.Array(Type.Object({ tag: Type.String(), name: Type.String() })),
});
export type Branding = Static<typeof Branding>;

const branding = '/accounts/:account/settings/branding';

/** The appearance of the pages for buyers, the same in the sandbox and live. Changes apply at once. */
export const brandingApi = {
  retrieveBranding: {
    id: 'retrieveBranding',
    method: 'GET',
    path: branding,
    roles: rolesFor.viewing,
    answers: { 200: Branding },
  },
  /** Updates the given fields. Null resets a field. */
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
  /**
   * Returns the colours that a page would derive from the given colour, or its default ones. Saves nothing.
   */
  retrievePageColours: {
    id: 'retrievePageColours',
    method: 'GET',
    path: `${branding}/colours`,
    roles: rolesFor.viewing,
    query: Type.Object({ colour: Type.Optional(Text(100)) }),
    answers: { 200: PageColours },
  },
  /** Uploads a PNG or JPEG file. It is rewritten, so that it contains nothing but the picture. */
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
