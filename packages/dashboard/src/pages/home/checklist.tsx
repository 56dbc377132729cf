import { ArrowRight, CircleCheck, CircleDashed, EyeOff } from 'lucide-react';
import { type Answer, useChange } from '../../api/calls.ts';
import { Button } from '../../components/buttons/button.tsx';
import { Icon } from '../../components/buttons/icon.tsx';
import { ErrorNote } from '../../components/feedback/error-state.tsx';
import { Progress } from '../../components/feedback/progress.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { Card } from '../../components/layout/card.tsx';
import { Link, usePaths } from '../../navigation/navigation.tsx';
import type { AccountPaths } from '../../navigation/paths.ts';

type Step = Answer<'retrieveHome'>['checklist']['steps'][number];

interface StepText {
  readonly title: string;
  readonly words: string;
  readonly link: string;
  readonly to: (paths: AccountPaths) => string;
}

const texts: Readonly<Record<Step['id'], StepText>> = {
  test_payment: {
    title: 'Make a test payment',
    words: 'Charge a test card from the sandbox tools, or with your first request to the API.',
    link: 'Open sandbox tools',
    to: ({ sandbox }) => sandbox,
  },
  test_decline: {
    title: 'See a decline',
    words: 'A declined payment is an answer like any other: its status is failed, and it says why.',
    link: 'Try a card that is declined',
    to: ({ sandbox }) => sandbox,
  },
  webhook: {
    title: 'Receive a webhook',
    words:
      'Add an endpoint and answer an event with a 2xx status: that is how you learn of payments for certain.',
    link: 'Open webhooks',
    to: ({ webhooks }) => webhooks,
  },
  test_refund: {
    title: 'Refund a payment',
    words: 'Give a part or all of a test payment back, from its page or by the API.',
    link: 'Choose a payment',
    to: ({ payments }) => payments,
  },
  branding: {
    title: 'Choose how buyers see you',
    words: 'Name, logo and colour of the payment page.',
    link: 'Open branding',
    to: ({ settings }) => settings('branding'),
  },
  two_factor: {
    title: 'Protect your sign-in',
    words: 'With an authenticator app a stolen password alone opens nothing.',
    link: 'Set up two-factor sign-in',
    to: ({ settings }) => settings('security'),
  },
  go_live: {
    title: 'Go live',
    words:
      'Once your integration works, switch the workspace to live. One page says what is missing, and where to do it.',
    link: 'See what is missing',
    to: ({ settings }) => settings('go-live'),
  },
};

/** Hides the first steps from the person or shows them again. */
function useHiding() {
  const change = useChange('changeChecklist', ['retrieveHome']);
  const set = (hidden: boolean) =>
    change.mutate(
      { body: { hidden } },
      {
        onSuccess: () =>
          toast(
            hidden ? 'First steps hidden. You find them again at the end of the page.' : 'First steps shown',
          ),
      },
    );
  return { set, busy: change.isPending, error: change.error };
}

/**
 * The steps before going live, ticked off according to what has happened in the account. Renders nothing once all are
 * done.
 */
export function Checklist({ steps }: { readonly steps: readonly Step[] }) {
  const hiding = useHiding();
  const done = steps.filter((step) => step.done).length;
  const next = steps.find((step) => !step.done)?.id;
  if (next === undefined) return null;
  return (
    <Card
      title="First steps"
      actions={
        <Button variant="quiet" size="sm" icon={EyeOff} busy={hiding.busy} onClick={() => hiding.set(true)}>
          Hide
          <span className="sr-only"> first steps</span>
        </Button>
      }
    >
      <Progress
        label="Until you go live"
        value={done}
        max={steps.length}
        text={`${done} of ${steps.length} done`}
      />
      <ol className="mt-3 divide-y divide-line">
        {steps.map((step) => (
          <StepLine key={step.id} step={step} isNext={step.id === next} />
        ))}
      </ol>
      <ErrorNote error={hiding.error} className="mt-3" />
    </Card>
  );
}

function StepLine({ step: { id, done }, isNext }: { readonly step: Step; readonly isNext: boolean }) {
  const paths = usePaths();
  const { title, words, link, to } = texts[id];
  return (
    <li className="flex gap-3 py-2.5 last:pb-0">
      <span className={done ? 'mt-0.5 text-good' : 'mt-0.5 text-text-3'}>
        <Icon of={done ? CircleCheck : CircleDashed} className="size-4.5" />
      </span>
      <div className="flex min-w-0 flex-1 flex-wrap items-baseline justify-between gap-x-4">
        <div className="min-w-0">
          <p className={done ? 'text-text-2' : 'font-medium'}>
            {title}
            <span className="sr-only">{done ? ' (done)' : ' (to do)'}</span>
          </p>
          {isNext && <p className="max-w-prose text-text-2">{words}</p>}
        </div>
        {!done && (
          <Link
            to={to(paths)}
            className="inline-flex min-h-6 items-center gap-1 text-sm font-medium text-accent hover:underline"
          >
            {link}
            <Icon of={ArrowRight} className="size-3.5" />
          </Link>
        )}
      </div>
    </li>
  );
}

/** The button that shows the hidden first steps again. */
export function ShowChecklist() {
  const hiding = useHiding();
  return (
    <div className="text-sm text-text-2">
      The first steps are hidden.{' '}
      <Button variant="quiet" size="sm" busy={hiding.busy} onClick={() => hiding.set(false)}>
        Show first steps
      </Button>
      <ErrorNote error={hiding.error} className="mt-2" />
    </div>
  );
}
