import { type FormEvent, useEffect, useState } from 'react';
import { type Answer, useCall, useChange } from '../../../api/calls.ts';
import { useRefusal } from '../../../api/session.ts';
import { fieldError } from '../../../components/feedback/error-state.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { after } from '../../../lib/browser/clock.ts';

export type Branding = Answer<'retrieveBranding'>;

const valuesOf = ({ display_name: name, colour, default_locale: language }: Branding) => ({
  name: name ?? '',
  colour: colour ?? '',
  language: language ?? '',
});
type BrandingValues = ReturnType<typeof valuesOf>;

/** A colour as it is sent: `#0b57d0`, '' for the page's own, undefined for what is none. */
export function colourOf(text: string): string | undefined {
  const wish = text.trim().toLowerCase();
  if (wish === '') return '';
  const [, digits] = /^#?([0-9a-f]{6})$/.exec(wish) ?? [];
  return digits === undefined ? undefined : `#${digits}`;
}

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/** What is typed and not saved yet, with the colours that the server would make of it. */
export function useBrandingDraft(branding: Branding) {
  const refusal = useRefusal()('updateBranding');
  const save = useChange('updateBranding', ['retrieveBranding', 'retrieveHome']);
  const [values, setValues] = useState(valuesOf(branding));
  const [tried, setTried] = useState(false);
  const colour = colourOf(values.colour);
  const colours = useColours(colour, branding);
  const saved = valuesOf(branding);
  const changed =
    values.name.trim() !== saved.name || colour !== saved.colour || values.language !== saved.language;
  // Whoever keeps everything as it is may say so once: it is a decision too.
  const unchanged = !changed && branding.saved ? 'Nothing has been changed.' : undefined;
  const fault = colour === undefined ? 'Enter six hexadecimal digits, like #0b57d0.' : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (save.isPending || colour === undefined || (refusal ?? unchanged) !== undefined) return;
    const body = {
      display_name: orNull(values.name),
      colour: orNull(colour),
      default_locale: orNull(values.language),
    };
    save.mutate(
      { body },
      {
        onSuccess(now) {
          setValues(valuesOf(now));
          setTried(false);
          toast('Branding saved');
        },
      },
    );
  };
  return {
    values,
    set: (change: Partial<BrandingValues>) => setValues({ ...values, ...change }),
    colours,
    submit,
    busy: save.isPending,
    error: save.error,
    refusal,
    unchanged,
    colourError: (tried ? fault : undefined) ?? fieldError(save.error, 'colour'),
  };
}

export type BrandingDraft = ReturnType<typeof useBrandingDraft>;

const settleMs = 150;

/** The colours of the page for the last colour that was one, asked of the server once the choice stands still. */
function useColours(colour: string | undefined, { colours }: Branding): Branding['colours'] {
  const [valid, setValid] = useState(colour ?? '');
  if (colour !== undefined && colour !== valid) setValid(colour);
  const wanted = useSettled(valid, settleMs);
  const answer = useCall('retrievePageColours', { query: { colour: wanted } }, { keep: true });
  return answer.data ?? colours;
}

/** A value that changes often, as it was when it had not changed for `ms` milliseconds. */
function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => after(ms, () => setSettled(value)), [value, ms]);
  return settled;
}
