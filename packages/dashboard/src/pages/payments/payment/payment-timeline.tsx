import {
  Ban,
  Check,
  CircleX,
  Clock,
  CornerDownLeft,
  Hourglass,
  type LucideIcon,
  OctagonAlert,
  Plus,
  ShieldAlert,
  ShieldCheck,
  Undo2,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { useMay } from '../../../api/session.ts';
import { Status } from '../../../components/values/status.tsx';
import { NextTime } from '../../../components/values/time-left.tsx';
import { Timeline } from '../../../components/values/timeline.tsx';
import { language } from '../../../lib/amounts/language.ts';
import { formatMoney } from '../../../lib/amounts/money.ts';
import { alertText } from '../../../lib/wording/alert-words.ts';
import { countedWords } from '../../../lib/wording/card-testing-words.ts';
import { captureDeclined, failureText, inSentence } from '../../../lib/wording/failure-texts.ts';
import { liabilityText } from '../../../lib/wording/liability.ts';
import { countText } from '../../../lib/wording/plural.ts';
import type { Tone } from '../../../lib/wording/status.ts';
import { Link, usePaths } from '../../../navigation/navigation.tsx';
import { withQuery } from '../../../navigation/paths.ts';
import type { Detail } from './detail.ts';

type Step = Detail['timeline'][number];

interface Look {
  readonly title: ReactNode;
  readonly icon: LucideIcon;
  readonly tone?: Tone;
  readonly detail?: string | undefined;
}

const money = ({ amount, currency }: { readonly amount: number; readonly currency: string }) =>
  formatMoney(amount, currency, language());

/** The history of a payment, its refunds and its disputes, with the webhook deliveries of each step. */
export function PaymentTimeline({ detail }: { readonly detail: Detail }) {
  return (
    <Steps payment={detail.payment.id} steps={detail.timeline} lookOf={(step) => lookOf(step, detail)} />
  );
}

/** The steps with their labels, the people or keys that requested them, and their webhook deliveries. */
export function Steps({
  payment,
  steps,
  lookOf: look,
}: {
  /** The id of the payment. */
  readonly payment: string;
  readonly steps: readonly Step[];
  readonly lookOf: (step: Step) => Look;
}) {
  return (
    <Timeline
      entries={steps.map((step, index) => {
        const { detail: words, ...shown } = look(step);
        return {
          ...shown,
          id: `${step.kind} ${step.object} ${index}`,
          at: step.at,
          detail: (
            <>
              {words !== undefined && words !== '' && <p>{words}</p>}
              {step.by !== null && <p>By {step.by}</p>}
              <Deliveries payment={payment} deliveries={step.deliveries} />
            </>
          ),
        };
      })}
    />
  );
}

function lookOf(step: Step, detail: Detail): Look {
  if (step.kind.startsWith('refund.')) return refundLook(step, detail);
  if (step.kind.startsWith('dispute.')) return disputeLook(step);
  if (step.kind.startsWith('alert.')) return alertLook(step, detail);
  if (step.kind.startsWith('card_testing.')) return cardTestingLook(step, detail);
  return paymentLook(step, detail);
}

function paymentLook({ kind }: Step, { payment, processing }: Detail): Look {
  switch (kind) {
    case 'payment.created':
      return {
        title: 'Payment created',
        icon: Plus,
        detail: processing.merchant_initiated ? 'By you, without the buyer' : undefined,
      };
    case 'payment.requires_action':
      return { title: 'Waiting for the buyer', icon: Clock, tone: 'info' };
    case 'buyer.returned':
      return {
        title: 'The buyer’s browser came back',
        icon: CornerDownLeft,
        detail: 'That alone is no proof of payment.',
      };
    case 'authentication.reported': {
      const { word, tone, meaning } = liabilityText(payment.three_d_secure?.liability_shift);
      return { title: `3-D Secure: ${word.toLowerCase()}`, icon: ShieldCheck, tone, detail: meaning };
    }
    case 'payment.authorized':
      return {
        title: `${money(payment)} authorized`,
        icon: Hourglass,
        tone: 'warn',
        detail: 'The amount is held.',
      };
    case 'payment.succeeded':
      return {
        title: payment.capture_method === 'manual' ? `${money(payment)} captured` : `${money(payment)} paid`,
        icon: Check,
        tone: 'good',
      };
    case 'payment.failed': {
      const { title, meaning } = failureText(payment.failure?.code ?? '');
      return { title: `Failed: ${inSentence(title)}`, icon: CircleX, tone: 'bad', detail: meaning };
    }
    case 'capture.declined':
      return {
        title: captureDeclined(payment.failure?.code ?? 'declined'),
        icon: CircleX,
        tone: 'bad',
        detail: 'No money was taken, and the hold is gone.',
      };
    case 'payment.voided':
      return { title: 'Hold released', icon: Ban, detail: 'No money was taken.' };
    default:
      return { title: kind.replaceAll(/[._]/g, ' '), icon: Clock };
  }
}

/** An alert, and whether it was acknowledged. */
function alertLook({ kind }: Step, { alerts }: Detail): Look {
  const name = kind.slice('alert.'.length);
  const by = alerts.find((alert) => alert.kind === name)?.acknowledged_by ?? null;
  return {
    title: alertText(name).title,
    icon: OctagonAlert,
    tone: by === null ? 'bad' : 'neutral',
    detail: by === null ? alertText(name).meaning : `Dealt with by ${by}`,
  };
}

/** Payment attempts that were slowed down or refused because of suspected card testing. */
function cardTestingLook({ kind }: Step, { card_testing: marks }: Detail): Look {
  const own = marks.filter(({ effect }) => kind === `card_testing.${effect}`);
  const times = own.reduce((sum, mark) => sum + mark.times, 0);
  const counts = [...new Set(own.map(({ because }) => countedWords[because]))].join(' and ');
  const attempts = times === 1 ? 'An attempt' : `${countText(times)} attempts`;
  return {
    title: kind === 'card_testing.refused' ? `${attempts} refused` : `${attempts} slowed down`,
    icon: ShieldAlert,
    tone: 'warn',
    detail: `Too many declines ${counts} within an hour. ${kind === 'card_testing.refused' ? 'No card was sent.' : ''}`,
  };
}

/** The look of a refund's step in the history of a payment. */
function refundLook(step: Step, detail: Detail): Look {
  const refund = detail.refunds.find(({ id }) => id === step.object);
  return lookOfRefund(step, refund);
}

/** The label of a refund's step. */
export function lookOfRefund(
  { kind }: Pick<Step, 'kind'>,
  refund: Detail['refunds'][number] | undefined,
): Look {
  const what = refund === undefined ? 'Refund' : `Refund of ${money(refund)}`;
  switch (kind) {
    case 'refund.succeeded':
      return { title: `${what} completed`, icon: Undo2, tone: 'good' };
    case 'refund.failed':
      return { title: `${what} failed`, icon: CircleX, tone: 'bad', detail: refund?.failure?.message };
    default:
      return { title: `${what} requested`, icon: Undo2, tone: 'info', detail: refund?.note ?? undefined };
  }
}

function disputeLook(step: Step): Look {
  const words = { 'dispute.created': 'opened', 'dispute.updated': 'changed', 'dispute.closed': 'closed' }[
    step.kind
  ];
  return {
    title: <DisputeLink id={step.object} words={`Dispute ${words ?? ''}`} />,
    icon: OctagonAlert,
    tone: step.kind === 'dispute.created' ? 'bad' : 'neutral',
  };
}

function DisputeLink({ id, words }: { readonly id: string; readonly words: string }) {
  const paths = usePaths();
  return <Link to={paths.dispute(id)}>{words}</Link>;
}

/**
 * The deliveries of a step's event with their states. Each links to its entry in the list of the payment's deliveries.
 */
function Deliveries({
  payment,
  deliveries,
}: {
  readonly payment: string;
  readonly deliveries: Step['deliveries'];
}) {
  const paths = usePaths();
  const may = useMay();
  if (deliveries.length === 0) return null;
  return (
    <ul className="mt-1.5 flex flex-col gap-1">
      {deliveries.map(({ id, endpoint, name, url, state, attempts, next_attempt_at: next }) => (
        <li key={id} className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <Status kind="delivery" status={state} />
          {may('retrieveWebhookEndpoint') ? (
            <Link
              to={withQuery(paths.webhook(endpoint), { payment, open: id })}
              className="min-w-0 [overflow-wrap:anywhere] hover:underline"
            >
              {name ?? url}
            </Link>
          ) : (
            <span className="min-w-0 [overflow-wrap:anywhere]">{name ?? url}</span>
          )}
          <span className="text-text-3">
            {attempts === 0 ? 'not tried yet' : attempts === 1 ? '1 attempt' : `${attempts} attempts`}
            {next !== null && (
              <>
                , next <NextTime at={next} />
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
