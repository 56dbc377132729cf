import { type FormEvent, useEffect, useState } from 'react';
import { type Answer, useCall, useChange } from '../../../api/calls.ts';
import { useRefusal } from '../../../api/session.ts';
import { fieldError } from '../../../components/feedback/error-state.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { useDraft } from '../../../components/forms/use-draft.tsx';
import { after } from '../../../lib/browser/clock.ts';

export type Branding = Answer<'retrieveBranding'>;

const valuesOf = ({ display_name: name, colour, default_locale: language }: Branding) => ({
  name: name ?? '',
  colour: colour ?? '',
  language: language ?? '',
});

/** Normalises a colour: `#0b57d0`, '' for the page's default, undefined for invalid input. */
export function colourOf(text: string): string | undefined {
  const typed = text.trim().toLowerCase();
  if (typed === '') return '';
  const [, digits] = /^#?([0-9a-f]{6})$/.exec(typed) ?? [];
  return digits === undefined ? undefined : `#${digits}`;
}

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/** The unsaved form, with the colours that the server would derive from it. */
export function useBrandingDraft(branding: Branding) {
  const refusal = useRefusal()('updateBranding');
  const save = useChange('updateBranding', ['retrieveBranding', 'retrieveHome']);
  const draft = useDraft(valuesOf(branding));
  const values = draft.typed;
  const [tried, setTried] = useState(false);
  const colour = colourOf(values.colour);
  const colours = useColours(colour, branding);
  const saved = valuesOf(branding);
  const changed =
    values.name.trim() !== saved.name || colour !== saved.colour || values.language !== saved.language;
  // Saving without a change is allowed once: it confirms the defaults and completes the first step.
  const unchanged = !changed && branding.saved ? 'Nothing has been changed.' : undefined;
  const fault = colour === undefined ? 'Enter six hexadecimal digits, like #0b57d0.' : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (save.isPending || colour === undefined || (refusal ?? unchanged) !== undefined) return;
    // Only changed fields are sent, so that changes that others made meanwhile are kept. The first save confirms all
    // fields.
    const isSent = (now: string, before: string) => !branding.saved || now !== before;
    const body = {
      ...(isSent(values.name.trim(), saved.name) && { display_name: orNull(values.name) }),
      ...(isSent(colour, saved.colour) && { colour: orNull(colour) }),
      ...(isSent(values.language, saved.language) && { default_locale: orNull(values.language) }),
    };
    save.mutate(
      { body },
      {
        onSuccess(now) {
          draft.set(valuesOf(now));
          setTried(false);
          toast('Branding saved');
        },
      },
    );
  };
  return {
    values,
    set: draft.set,
    take: draft.take,
    changedMeanwhile: draft.changedMeanwhile,
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

const debounceMs = 150;

/** The colours of the page for the last valid input, queried once typing pauses. */
function useColours(colour: string | undefined, { colours }: Branding): Branding['colours'] {
  const [valid, setValid] = useState(colour ?? '');
  if (colour !== undefined && colour !== valid) setValid(colour);
  const wanted = useDebounced(valid, debounceMs);
  const answer = useCall('retrievePageColours', { query: { colour: wanted } }, { keep: true });
  return answer.data ?? colours;
}

/** Debounces a value: returns the last value that stayed unchanged for `ms` milliseconds. */
function useDebounced<T>(value: T, ms: number): T {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => after(ms, () => setDebounced(value)), [value, ms]);
  return debounced;
}
