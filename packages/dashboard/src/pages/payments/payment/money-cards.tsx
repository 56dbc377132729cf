import { Card } from '../../../components/layout/card.tsx';
import { Money } from '../../../components/values/money.tsx';
import { Time } from '../../../components/values/time.tsx';
import { TimeLeft } from '../../../components/values/time-left.tsx';
import { millisecondsOf } from '../../../lib/amounts/time.ts';
import { cx } from '../../../lib/class-names.ts';
import type { Detail } from './detail.ts';

const dayMs = 86_400_000;

/** The amounts of a payment, and why actions on them are not available. */
export function MoneyCard({ detail: { payment, money, actions } }: { readonly detail: Detail }) {
  const { amount, currency, status } = payment;
  const rows: readonly (readonly [name: string, amount: number, strong?: boolean])[] = [
    ['Amount', amount],
    ...(status === 'authorized' ? [['Held', amount] as const] : []),
    ['Captured', money.captured],
    ['Refunded', money.refunded],
    ...(money.refund_pending > 0 ? [['Refunds under way', money.refund_pending] as const] : []),
    ...(money.disputed > 0 ? [['Kept by disputes', money.disputed] as const] : []),
    ['Left to refund', money.remaining, true],
  ];
  return (
    <Card title="Money">
      <dl className="flex flex-col gap-1.5">
        {rows.map(([name, value, strong = false]) => (
          <div
            key={name}
            className={cx(
              'flex flex-wrap justify-between gap-x-4',
              strong && 'mt-1 border-t border-line pt-2 font-semibold',
            )}
          >
            <dt className={strong ? '' : 'text-text-2'}>{name}</dt>
            <dd className="ml-auto min-w-0">
              <Money amount={value} currency={currency} />
            </dd>
          </div>
        ))}
      </dl>
      <DisabledReasons
        actions={actions}
        names={payment.capture_method === 'manual' ? holdActions : ['refund']}
      />
    </Card>
  );
}

const actionNames = { capture: 'Capture', void: 'Void', refund: 'Refund' } as const;

const holdActions = ['capture', 'void', 'refund'] as const;

/** The reasons why buttons are disabled, as text, because not everybody can see tooltips. */
function DisabledReasons({
  actions,
  names,
}: {
  readonly actions: Detail['actions'];
  readonly names: readonly (keyof typeof actionNames)[];
}) {
  const refused = names.flatMap((name) => {
    const { reason } = actions[name];
    return reason === null ? [] : [{ name, reason }];
  });
  if (refused.length === 0) return null;
  return (
    <ul className="mt-3 flex flex-col gap-1 border-t border-line pt-3 text-sm text-text-2">
      {refused.map(({ name, reason }) => (
        <li key={name}>
          <span className="font-medium">{actionNames[name]}:</span> {reason}
        </li>
      ))}
    </ul>
  );
}

/** How long a hold is guaranteed, and when it ends. Renders nothing without a hold. */
export function HoldCard({ detail: { payment, now } }: { readonly detail: Detail }) {
  const { authorization_guaranteed_until: guaranteed, authorization_expires: end, status } = payment;
  if (end === undefined && guaranteed === undefined) return null;
  const held = status === 'authorized';
  return (
    <Card title="Hold">
      {held && end !== undefined && (
        <HoldBar created={payment.created} guaranteed={guaranteed} end={end} now={now} />
      )}
      <dl className="flex flex-col gap-3">
        <div>
          <dt className="text-text-2">{held ? 'Guaranteed until' : 'Was guaranteed until'}</dt>
          <dd>
            {guaranteed === undefined ? (
              'Not known. That does not mean that there is no guarantee.'
            ) : held ? (
              <TimeLeft
                to={guaranteed}
                urgentMs={dayMs}
                over="The guarantee is over: a capture may be declined"
              />
            ) : (
              <Time at={guaranteed} show="named" />
            )}
          </dd>
        </div>
        {end !== undefined && (
          <div>
            <dt className="text-text-2">{held ? 'Can be captured until' : 'Could be captured until'}</dt>
            <dd>
              {held ? (
                <TimeLeft to={end} urgentMs={3 * dayMs} over="The hold is over: it can only be voided" />
              ) : (
                <Time at={end} show="named" />
              )}
            </dd>
          </div>
        )}
      </dl>
    </Card>
  );
}

/**
 * The hold as a timeline on which its guaranteed period is marked. It is decorative, because the text beside it says
 * the same.
 */
function HoldBar({
  created,
  guaranteed,
  end,
  now,
}: {
  readonly created: number;
  readonly guaranteed: string | undefined;
  readonly end: string;
  readonly now: string;
}) {
  const from = millisecondsOf(created);
  const length = millisecondsOf(end) - from;
  const share = (moment: string) =>
    `${Math.min(100, Math.max(0, (100 * (millisecondsOf(moment) - from)) / length))}%`;
  return (
    <div aria-hidden="true" className="relative mt-1 mb-4 h-2 rounded-full bg-line">
      {guaranteed !== undefined && (
        <div
          className="absolute inset-y-0 left-0 rounded-full bg-good"
          style={{ width: share(guaranteed) }}
        />
      )}
      <div className="absolute -inset-y-1 w-0.5 rounded-full bg-text" style={{ left: share(now) }} />
    </div>
  );
}
