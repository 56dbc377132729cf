import type { FormEvent } from 'react';
import { useChange } from '../../../api/calls.ts';
import { useRefusal } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ErrorNote } from '../../../components/feedback/error-state.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { type RadioChoice, RadioGroup } from '../../../components/forms/choices.tsx';
import { ConcurrentChanges, useDraft } from '../../../components/forms/use-draft.tsx';
import { Card } from '../../../components/layout/card.tsx';
import type { Settings } from '../settings-words.ts';

type Setting = Settings['connection']['three_d_secure'];

const Code = ({ children }: { readonly children: string }) => <code className="font-mono">{children}</code>;

const choices: readonly (RadioChoice & { readonly value: Setting })[] = [
  {
    value: 'off',
    label: 'Off',
    hint: (
      <>
        No authentication, unless a request asks for it with <Code>authentication</Code>. Fraud is at your
        cost, and banks that demand authentication decline.
      </>
    ),
  },
  {
    value: 'enabled',
    label: 'Enabled',
    hint: (
      <>
        Card payments are authenticated; the bank decides whether it asks the buyer. Where the card has no 3-D
        Secure, the payment goes on without liability shift. A request leaves it out with{' '}
        <Code>authentication: "never"</Code>.
      </>
    ),
  },
  {
    value: 'always',
    label: 'Always',
    hint: (
      <>
        Every card payment asks for a challenge, whatever the request says. Where the card has no 3-D Secure,
        the payment fails with <Code>3ds_not_available</Code>. More steps for buyers, least fraud.
      </>
    ),
  },
];

/** Chooses when card payments are authenticated. */
export function ThreeDSecureCard({ settings }: { readonly settings: Settings }) {
  const refusal = useRefusal()('updateConnection');
  const save = useChange('updateConnection', ['retrieveSettings', 'retrieveSandbox']);
  const present = settings.connection.three_d_secure;
  const draft = useDraft<{ readonly setting: Setting }>({ setting: present });
  const { setting } = draft.typed;
  const unchanged = setting === present ? 'Nothing has been changed.' : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (save.isPending || (refusal ?? unchanged) !== undefined) return;
    save.mutate(
      { body: { three_d_secure: setting } },
      { onSuccess: () => toast('3-D Secure setting changed') },
    );
  };
  return (
    <Card
      title="3-D Secure"
      description="The buyer's bank checks who pays. It moves the cost of fraud to the bank, and law demands it for many cards."
    >
      <form onSubmit={submit} className="flex max-w-2xl flex-col gap-4">
        <RadioGroup
          legend="For card payments while the buyer is there"
          name="three-d-secure"
          cards
          choices={choices}
          value={setting}
          onChange={(next) => draft.set({ setting: next as Setting })}
        />
        {setting !== 'off' && (
          <p className="text-sm text-text-2">
            Requests need <code className="font-mono">success_url</code> and{' '}
            <code className="font-mono">failure_url</code> then; without them they are refused. Charges of
            saved cards with <code className="font-mono">merchant_initiated: true</code> are never
            authenticated.
          </p>
        )}
        <ConcurrentChanges
          draft={draft}
          labelOf={() => choices.find(({ value }) => value === present)?.label ?? present}
        />
        <ErrorNote error={save.error} />
        <div>
          <Button type="submit" variant="primary" busy={save.isPending} unavailable={refusal ?? unchanged}>
            Save 3-D Secure
          </Button>
        </div>
      </form>
    </Card>
  );
}
