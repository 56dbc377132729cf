import type { FormEvent } from 'react';
import { useChange } from '../../../api/calls.ts';
import { useRefusal } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ErrorNote } from '../../../components/feedback/error-state.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { type RadioChoice, RadioGroup } from '../../../components/forms/choices.tsx';
import { ConcurrentChanges, useDraft } from '../../../components/forms/use-draft.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { Badge } from '../../../components/values/badge.tsx';
import type { Settings } from '../settings-words.ts';

type CardFields = NonNullable<Settings['connection']['card_fields']>;
type Choice = CardFields['chosen'];
type Whose = 'first_party' | 'processor';

const names: Readonly<Record<Whose, string>> = {
  first_party: "this server's own fields",
  processor: "the processor's fields",
};

/** What the choice `default` currently means. */
const presentDefault = (whose: Whose | null): string =>
  whose === null
    ? "The live connection is not set up. With the real processor it will be the processor's fields, with a simulator this server's own."
    : whose === 'processor'
      ? "Now: the processor's fields, because the real processor stands behind the live connection."
      : "Now: this server's own fields, because a simulator stands in for the processor and has none.";

const choicesOf = ({ default: whose }: CardFields): readonly (RadioChoice & { readonly value: Choice })[] => [
  { value: 'default', label: 'Default', hint: presentDefault(whose) },
  {
    value: 'first_party',
    label: "This server's own fields",
    hint: 'Buyers type the card number into a page of this server, which passes it on and keeps nothing. The page works without JavaScript.',
  },
  {
    value: 'processor',
    label: "The processor's fields",
    hint: 'Buyers type the card number into frames of the processor. Needs JavaScript, and the page loads a script of the processor.',
  },
];

const consequences: Readonly<Record<Whose, { readonly badge: string; readonly text: string }>> = {
  first_party: {
    badge: 'SAQ D',
    text: 'Card numbers pass through this server. Its operator is in scope of PCI DSS with everything that can reach it, and answers the full questionnaire. Talk to your acquirer before you take live cards this way.',
  },
  processor: {
    badge: 'SAQ A',
    text: 'Card numbers go to the processor alone. What is left of PCI DSS is the short questionnaire, and to watch which scripts the page loads.',
  },
};

/** Chooses whether Till's or the processor's fields take live cards on the checkout page. */
export function CardFieldsCard({
  fields,
  simulated,
}: {
  readonly fields: CardFields;
  /** Whether a simulator stands in for the live processor. */
  readonly simulated: boolean;
}) {
  const refusal = useRefusal()('updateConnection');
  const save = useChange('updateConnection', ['retrieveSettings']);
  const draft = useDraft<{ readonly choice: Choice }>({ choice: fields.chosen });
  const { choice } = draft.typed;
  const unchanged = choice === fields.chosen ? 'Nothing has been changed.' : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (save.isPending || (refusal ?? unchanged) !== undefined) return;
    save.mutate({ body: { card_fields: choice } }, { onSuccess: () => toast('Card fields changed') });
  };
  return (
    <Card
      title="Card fields of the checkout page"
      description="Whose fields take the card number of live payments. In the sandbox they are always those of this server."
    >
      <form onSubmit={submit} className="flex max-w-2xl flex-col gap-4">
        <RadioGroup
          legend="Live cards are typed into"
          name="card-fields"
          cards
          choices={choicesOf(fields)}
          value={choice}
          onChange={(next) => draft.set({ choice: next as Choice })}
        />
        <Consequence whose={choice === 'default' ? fields.default : choice} />
        {choice === 'processor' && simulated && (
          <p className="text-sm text-warn">
            A simulator stands in for the live processor now. It has no such fields: live pages would not take
            cards.
          </p>
        )}
        <ConcurrentChanges
          draft={draft}
          labelOf={() => choicesOf(fields).find(({ value }) => value === fields.chosen)?.label ?? ''}
        />
        <ErrorNote error={save.error} />
        <div>
          <Button type="submit" variant="primary" busy={save.isPending} unavailable={refusal ?? unchanged}>
            Save card fields
          </Button>
        </div>
      </form>
    </Card>
  );
}

/** What the selected choice means for PCI DSS. As a live region it announces changes. */
function Consequence({ whose }: { readonly whose: Whose | null }) {
  const shown = whose === null ? (['processor', 'first_party'] as const) : ([whose] as const);
  return (
    <div role="status" className="rounded-md bg-sunken px-3 py-2.5 text-sm">
      <h3 className="font-medium">What this means for PCI DSS</h3>
      {shown.map((one) => (
        <p key={one} className="mt-1 text-text-2">
          <Badge tone={one === 'processor' ? 'good' : 'warn'}>{consequences[one].badge}</Badge>{' '}
          {whose === null && <b className="font-medium">With {names[one]}: </b>}
          {consequences[one].text}
        </p>
      ))}
    </div>
  );
}
