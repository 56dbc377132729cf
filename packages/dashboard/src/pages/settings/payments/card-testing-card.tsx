import { type FormEvent, useState } from 'react';
import { type Answer, useCall, useChange } from '../../../api/calls.ts';
import { useRefusal } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ErrorNote, ErrorState, fieldError } from '../../../components/feedback/error-state.tsx';
import { SkeletonLines } from '../../../components/feedback/skeleton.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { TextInput } from '../../../components/forms/inputs.tsx';
import { ConcurrentChanges, useDraft } from '../../../components/forms/use-draft.tsx';
import { Card } from '../../../components/layout/card.tsx';

type Limits = Answer<'retrieveCardTestingLimits'>;
const kinds = ['address', 'card', 'link', 'account'] as const;
type Kind = (typeof kinds)[number];
const parts = ['slow_after', 'refuse_after'] as const;
type Part = (typeof parts)[number];

const titles: Readonly<Record<Kind, string>> = {
  address: 'From one address',
  card: 'Of one card',
  link: 'With one payment link',
  account: 'Of the whole workspace',
};
const labels: Readonly<Record<Part, string>> = {
  slow_after: 'Slow down after',
  refuse_after: 'Refuse after',
};

/** Sets how many declines the checkout pages accept within an hour. */
export function CardTestingCard() {
  const answer = useCall('retrieveCardTestingLimits');
  return (
    <Card
      title="Card testing"
      description="Bots try stolen cards on checkout pages. After so many declines within an hour each further attempt waits up to 8 seconds, then it is refused and no card is sent. The same in the sandbox and live."
    >
      {answer.data !== undefined ? (
        <LimitsForm limits={answer.data} />
      ) : answer.error === null ? (
        <SkeletonLines of="the limits of card testing" lines={4} />
      ) : (
        <ErrorState error={answer.error} onRetry={() => void answer.refetch()} />
      )}
      <p className="mt-3 max-w-prose text-sm text-text-2">
        A limit of one payment link or of the whole workspace also meets honest buyers while a bot is at work:
        slow it down rather than refuse. Requests by API key are not counted.
      </p>
    </Card>
  );
}

/** The values as typed. */
type Typed = Readonly<Record<`${Kind}.${Part}`, string>>;

const typedOf = (limits: Limits) =>
  Object.fromEntries(
    kinds.flatMap((kind) => parts.map((part) => [`${kind}.${part}`, String(limits[kind][part] ?? '')])),
  ) as Typed;

const labelOf = (name: keyof Typed): string => {
  const [kind, part] = name.split('.') as [Kind, Part];
  return `${titles[kind]}: ${labels[part].toLowerCase()}`;
};

const isCount = (text: string) => /^([1-9]\d{0,4}|100000)?$/.test(text.trim());
const countOf = (text: string) => (text.trim() === '' ? null : Number(text.trim()));

function faultOf(typed: Typed, kind: Kind, part: Part): string | undefined {
  if (!isCount(typed[`${kind}.${part}`])) return 'Enter a number from 1 to 100000, or nothing for never.';
  const slow = countOf(typed[`${kind}.slow_after`]);
  const refuse = countOf(typed[`${kind}.refuse_after`]);
  if (part === 'slow_after' || slow === null || refuse === null || slow <= refuse) return undefined;
  return 'Enter no less than what slows down.';
}

function LimitsForm({ limits }: { readonly limits: Limits }) {
  const refusal = useRefusal()('updateCardTestingLimits');
  const save = useChange('updateCardTestingLimits', ['retrieveCardTestingLimits']);
  const present = typedOf(limits);
  const draft = useDraft(present);
  const { typed } = draft;
  const [tried, setTried] = useState(false);
  const changeOf = (kind: Kind) =>
    Object.fromEntries(
      parts
        .filter((part) => present[`${kind}.${part}`] !== typed[`${kind}.${part}`].trim())
        .map((part) => [part, countOf(typed[`${kind}.${part}`])]),
    );
  // Only changed values are sent, so that changes that others made meanwhile are kept.
  const changed = kinds
    .map((kind) => [kind, changeOf(kind)] as const)
    .filter(([, change]) => Object.keys(change).length > 0);
  const unchanged = changed.length === 0 ? 'Nothing has been changed.' : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    const isWrong = kinds.some((kind) => parts.some((part) => faultOf(typed, kind, part) !== undefined));
    if (isWrong || save.isPending || (refusal ?? unchanged) !== undefined) return;
    const body = Object.fromEntries(changed);
    const onSuccess = () => {
      setTried(false);
      toast('Limits of card testing changed');
    };
    save.mutate({ body }, { onSuccess });
  };
  return (
    <form onSubmit={submit} noValidate className="flex max-w-2xl flex-col gap-4">
      {kinds.map((kind) => (
        <fieldset key={kind} className="grid min-w-0 gap-x-4 gap-y-2 sm:grid-cols-2">
          <legend className="mb-1.5 font-medium">{titles[kind]}</legend>
          {parts.map((part) => (
            <Field
              key={part}
              label={labels[part]}
              hint="Declines within an hour; empty: never"
              error={
                (tried ? faultOf(typed, kind, part) : undefined) ?? fieldError(save.error, `${kind}.${part}`)
              }
            >
              <TextInput
                inputMode="numeric"
                autoComplete="off"
                value={typed[`${kind}.${part}`]}
                onChange={({ target }) => draft.set({ [`${kind}.${part}`]: target.value })}
              />
            </Field>
          ))}
        </fieldset>
      ))}
      <ConcurrentChanges draft={draft} labelOf={(name) => labelOf(name as keyof Typed)} />
      <ErrorNote error={save.error} />
      <div>
        <Button type="submit" variant="primary" busy={save.isPending} unavailable={refusal ?? unchanged}>
          Save limits
        </Button>
      </div>
    </form>
  );
}
