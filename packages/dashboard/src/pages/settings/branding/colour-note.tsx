import type { Branding } from './use-branding-draft.ts';

type Scheme = 'light' | 'dark';

const moved: Readonly<Record<Scheme, string>> = { light: 'darkened', dark: 'lightened' };

/** How the server adjusted a colour in one scheme, as a sentence; '' if it did not adjust it. */
function correction(scheme: Scheme, colours: Branding['colours']): string {
  const { button, link } = colours[scheme];
  const what = [button !== colours.colour && 'the button', link !== colours.colour && 'links'].filter(
    (part) => part !== false,
  );
  if (what.length === 0) return '';
  const verb = what.length === 1 && what[0] === 'the button' ? 'is' : 'are';
  return `In ${scheme}, ${what.join(' and ')} ${verb} ${moved[scheme]}.`;
}

/**
 * Says which colours the server has adjusted for contrast, and why. As a live region it announces changes.
 * @param colour the typed colour after normalisation; an empty or invalid one has no note
 */
export function ColourNote({
  colour,
  colours,
}: {
  readonly colour: string | undefined;
  readonly colours: Branding['colours'];
}) {
  const corrections = [correction('light', colours), correction('dark', colours)].join(' ').trim();
  return (
    <p role="status" className="text-sm text-text-2 empty:absolute">
      {colour !== colours.colour
        ? null
        : corrections === ''
          ? 'This colour is used as it is: everything can be read.'
          : `Corrected so that everything can be read. ${corrections}`}
    </p>
  );
}
