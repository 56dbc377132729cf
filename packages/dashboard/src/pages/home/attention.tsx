import {
  CircleCheck,
  CircleHelp,
  Hourglass,
  type LucideIcon,
  OctagonAlert,
  ShieldAlert,
  Undo2,
  Webhook,
} from 'lucide-react';
import { type ReactNode, useId } from 'react';
import type { Answer } from '../../api/calls.ts';
import { Icon } from '../../components/buttons/icon.tsx';
import { Card } from '../../components/layout/card.tsx';
import { Money } from '../../components/values/money.tsx';
import { Countdown, Time } from '../../components/values/time.tsx';
import { alertText } from '../../lib/wording/alert-words.ts';
import { disputeReason } from '../../lib/wording/dispute-words.ts';
import { countText } from '../../lib/wording/plural.ts';
import { Link, usePaths } from '../../navigation/navigation.tsx';
import { withQuery } from '../../navigation/paths.ts';

type Found = Answer<'retrieveHome'>['attention'];

/** What needs attention: disputes, alerts, holds, endpoints, refunds, payments in doubt. */
export function Attention({ found }: { readonly found: Found }) {
  const { disputes, alerts, holds, endpoints, refunds, in_doubt: doubt } = found;
  const all =
    disputes.total + alerts.total + holds.total + (endpoints?.total ?? 0) + refunds.total + doubt.total;
  if (all === 0) {
    return (
      <Card>
        <h2 className="sr-only">Needs attention</h2>
        <p className="flex items-center gap-2.5">
          <span className="text-good">
            <Icon of={CircleCheck} className="size-4.5" />
          </span>
          <span>
            <b className="font-medium">Nothing needs you right now.</b>{' '}
            <span className="text-text-2">
              Disputes, expiring holds, failing webhooks and whatever hangs would stand here.
            </span>
          </span>
        </p>
      </Card>
    );
  }
  return (
    <Card title="Needs attention" flush>
      <div className="divide-y divide-line">
        <Disputes {...disputes} />
        <Alerts {...alerts} />
        <Holds {...holds} />
        {endpoints !== null && <Endpoints {...endpoints} />}
        <Refunds {...refunds} />
        <InDoubt {...doubt} />
      </div>
    </Card>
  );
}

function Group({
  icon,
  title,
  total,
  shown,
  all,
  children,
}: {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly total: number;
  readonly shown: number;
  /** The page that lists all of them. */
  readonly all?: string | undefined;
  readonly children: ReactNode;
}) {
  const id = useId();
  if (total === 0) return null;
  const rest = total - shown;
  return (
    <section
      aria-labelledby={id}
      className="grid gap-x-4 gap-y-1.5 px-4 py-3 sm:px-5 md:grid-cols-[15rem_minmax(0,1fr)]"
    >
      <h3 id={id} className="flex items-start gap-2 font-medium">
        <span className="mt-0.5 text-bad">
          <Icon of={icon} className="size-4.5" />
        </span>
        <span>
          {title} <span className="font-normal text-text-3 tabular-nums">{countText(total)}</span>
        </span>
      </h3>
      <div className="min-w-0">
        <ul className="flex flex-col gap-1">{children}</ul>
        {rest > 0 && (
          <p className="mt-1 text-sm text-text-2">
            {all === undefined ? (
              `and ${countText(rest)} more`
            ) : (
              <Link to={all}>and {countText(rest)} more</Link>
            )}
          </p>
        )}
      </div>
    </section>
  );
}

const Line = ({ children }: { readonly children: ReactNode }) => (
  <li className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5">{children}</li>
);

function Disputes({ total, data }: Found['disputes']) {
  const paths = usePaths();
  return (
    <Group
      icon={ShieldAlert}
      title="Disputes to answer"
      total={total}
      shown={data.length}
      all={paths.disputes}
    >
      {data.map(({ id, amount, currency, reason, respond_by: by }) => (
        <Line key={id}>
          <Link to={paths.dispute(id)}>
            <Money amount={amount} currency={currency} />
          </Link>
          <span className="text-text-2">{disputeReason(reason).word}</span>
          {by === null ? <span className="text-text-3">no deadline named</span> : <Countdown to={by} />}
        </Line>
      ))}
    </Group>
  );
}

function Alerts({ total, data }: Found['alerts']) {
  const paths = usePaths();
  return (
    <Group icon={OctagonAlert} title="The processor says otherwise" total={total} shown={data.length}>
      {data.map(({ payment, kind, amount, currency, created_at: at }) => (
        <Line key={`${payment} ${kind}`}>
          <Link to={paths.payment(payment)}>
            <Money amount={amount} currency={currency} />
          </Link>
          <span className="text-text-2">
            {alertText(kind).title}, <Time at={at} show="both" />
          </span>
        </Line>
      ))}
    </Group>
  );
}

function Holds({ total, data }: Found['holds']) {
  const paths = usePaths();
  return (
    <Group
      icon={Hourglass}
      title="Holds that expire soon"
      total={total}
      shown={data.length}
      all={withQuery(paths.payments, { status: 'authorized' })}
    >
      {data.map(({ id, amount, currency, reference, authorization_expires: ends }) => (
        <Line key={id}>
          <Link to={paths.payment(id)}>
            <Money amount={amount} currency={currency} />
          </Link>
          {reference !== null && <span className="min-w-0 truncate text-text-2">{reference}</span>}
          <Countdown to={ends} over="Expired" />
        </Line>
      ))}
    </Group>
  );
}

function Endpoints({ total, data }: NonNullable<Found['endpoints']>) {
  const paths = usePaths();
  return (
    <Group
      icon={Webhook}
      title="Webhook endpoints in trouble"
      total={total}
      shown={data.length}
      all={paths.webhooks}
    >
      {data.map(({ id, url, status, paused_reason: reason, failing_since: since }) => (
        <Line key={id}>
          <Link
            to={paths.webhook(id)}
            className="min-w-0 font-medium [overflow-wrap:anywhere] text-accent hover:underline"
          >
            {url}
          </Link>
          <span className="text-text-2">
            {status === 'paused'
              ? reason === 'merchant'
                ? 'paused by your team: events wait'
                : 'paused after five days of failures: events wait'
              : 'failing'}
            {since !== null && (
              <>
                {' since '}
                <Time at={since} />
              </>
            )}
          </span>
        </Line>
      ))}
    </Group>
  );
}

function Refunds({ total, data }: Found['refunds']) {
  const paths = usePaths();
  return (
    <Group
      icon={Undo2}
      title="Refunds that do not settle"
      total={total}
      shown={data.length}
      all={withQuery(paths.refunds, { status: 'pending' })}
    >
      {data.map(({ id, payment, amount, currency, unanswered, created_at: at }) => (
        <Line key={id}>
          <Link to={paths.payment(payment)}>
            <Money amount={amount} currency={currency} />
          </Link>
          <span className="text-text-2">
            {unanswered ? 'no answer from the processor yet, asked again by itself' : 'still pending'}, since{' '}
            <Time at={at} show="both" />
          </span>
        </Line>
      ))}
    </Group>
  );
}

const kinds: Readonly<Record<Found['in_doubt']['data'][number]['kind'], string>> = {
  charge: 'charge',
  confirm: 'confirmation',
  capture: 'capture',
  void: 'void',
  expire: 'check before it expires',
  cancel: 'cancellation',
};

function InDoubt({ total, data }: Found['in_doubt']) {
  const paths = usePaths();
  return (
    <Group icon={CircleHelp} title="Payments in doubt" total={total} shown={data.length}>
      {data.map(({ payment, amount, currency, kind, shown, since }) => (
        <Line key={payment}>
          {shown ? (
            <Link to={paths.payment(payment)}>
              <Money amount={amount} currency={currency} />
            </Link>
          ) : (
            <span className="font-medium">
              <Money amount={amount} currency={currency} />
            </span>
          )}
          <span className="text-text-2">
            the processor has not answered the {kinds[kind]} since <Time at={since} show="both" />. It is
            asked again by itself; do not charge the buyer a second time.
          </span>
          {!shown && (
            <code className="font-mono text-sm [overflow-wrap:anywhere] text-text-3">{payment}</code>
          )}
        </Line>
      ))}
    </Group>
  );
}
