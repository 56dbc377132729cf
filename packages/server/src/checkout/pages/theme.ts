/** Colours as six hexadecimal digits of sRGB. */
export interface Palette {
  readonly accent: string;
  readonly onAccent: string;
  /** For links, the focus ring and the like on the page's own background. */
  readonly strong: string;
}

/** The contrast that text needs (WCAG 2.2, 1.4.3). */
const enough = 4.5;
/**
 * From this contrast on, white text reads well enough that a brand expects it. The colour is then darkened as far as necessary.
 */
const takesWhite = 3;

export const defaultColour = '0b57d0';
const lightGround = 'ffffff';
const darkGround = '1c1f27';
const steps = 64;

type Channels = readonly [number, number, number];

const channels = (colour: string): Channels => [
  Number.parseInt(colour.slice(0, 2), 16),
  Number.parseInt(colour.slice(2, 4), 16),
  Number.parseInt(colour.slice(4, 6), 16),
];

const hex = (values: Channels): string =>
  values.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('');

/** Relative luminance, 0 to 1 (WCAG 2.2). */
function luminance(colour: string): number {
  const [red, green, blue] = channels(colour).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Channels;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast of two colours, 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** The colour, moved towards another one only as far as it must be to stand out from the background. */
function towards(colour: string, target: string, ground: string): string {
  const [from, to] = [channels(colour), channels(target)];
  for (let step = 0; step < steps; step += 1) {
    const mixed = hex(
      from.map((value, at) => value + ((to[at] ?? 0) - value) * (step / steps)) as unknown as Channels,
    );
    if (contrast(mixed, ground) >= enough) return mixed;
  }
  return target;
}

const white = 'ffffff';
const black = '000000';

function onLight(colour: string): Palette {
  const strong = towards(colour, black, lightGround);
  if (contrast(colour, white) < takesWhite) return { accent: colour, onAccent: black, strong };
  return { accent: towards(colour, black, white), onAccent: white, strong };
}

/** On the dark background the button itself has to stand out as well. */
function onDark(colour: string): Palette {
  const strong = towards(colour, white, darkGround);
  return { accent: strong, onAccent: black, strong };
}

/** The colours that are derived from one colour of a shop, so that everything stays readable in light and dark mode. */
export const palettes = (colour: string): { readonly light: Palette; readonly dark: Palette } => ({
  light: onLight(colour),
  dark: onDark(colour),
});

const variables = ({ accent, onAccent, strong }: Palette): string =>
  `:root{--accent:#${accent};--on-accent:#${onAccent};--strong:#${strong}}`;

/** The rules that follow the page's own style sheet. */
export function themeRules(colour: string): string {
  const { light, dark } = palettes(colour);
  return `${variables(light)}@media (prefers-color-scheme:dark){${variables(dark)}}`;
}
