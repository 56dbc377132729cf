import {
  CircleCheck,
  CircleHelp,
  Hourglass,
  OctagonAlert,
  ShieldAlert,
  ShieldBan,
  Undo2,
  Webhook,
} from 'lucide-react';
import type { Answer } from '../../api/calls.ts';
import { Icon } from '../../components/buttons/icon.tsx';
import { Card } from '../../components/layout/card.tsx';
import { InRealTime } from '../../components/values/account-clock.tsx';
import { Money } from '../../components/values/money.tsx';
import { Countdown, Time } from '../../components/values/time.tsx';
import { alertText } from '../../lib/wording/alert-words.ts';
import { disputeReason } from '../../lib/wording/dispute-words.ts';
import { countText } from '../../lib/wording/plural.ts';
import { Link, usePaths } from '../../navigation/navigation.tsx';
import { withQuery } from '../../navigation/paths.ts';
import { Group, Line, Reference } from './attention-group.tsx';

type Found = Answer<'retrieveHome'>['attention'];

/**
 * Everything that needs attention: disputes, alerts, refunds, holds, endpoints, and payments with an unknown outcome.
 */
export function Attention({ found }: { readonly found: Found }) {
  const { disputes, alerts, holds, guarantees, failed_refunds: failed, endpoints, refunds } = found;
  const { in_doubt: doubt, card_testing: tried } = found;
  const groups = [disputes, alerts, failed, holds, guarantees, endpoints, refunds, doubt];
  const all = groups.reduce((sum, group) => sum + (group?.total ?? 0), tried.payments);
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
              Disputes, failed refunds, expiring holds, failing webhooks and whatever hangs would stand here.
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
        <FailedRefunds {...failed} />
        <Holds {...holds} />
        <Guarantees {...guarantees} />
        {endpoints !== null && <Endpoints {...endpoints} />}
        <Refunds {...refunds} />
        <CardTesting {...tried} />
        <InDoubt {...doubt} />
      </div>
    </Card>
  );
}

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
          <Reference of={reference} />
          <Countdown to={ends} over="Expired" />
        </Line>
      ))}
    </Group>
  );
}

function Guarantees({ total, data }: Found['guarantees']) {
  const paths = usePaths();
  return (
    <Group
      icon={Hourglass}
      title="Holds whose guarantee ends"
      total={total}
      shown={data.length}
      all={withQuery(paths.payments, { status: 'authorized' })}
    >
      {data.map(({ id, amount, currency, reference, authorization_guaranteed_until: ends }) => (
        <Line key={id}>
          <Link to={paths.payment(id)}>
            <Money amount={amount} currency={currency} />
          </Link>
          <Reference of={reference} />
          <Countdown to={ends} over="Guarantee over" />
          <span className="text-text-2">Capture it soon: without a guarantee the bank may decline.</span>
        </Line>
      ))}
    </Group>
  );
}

function FailedRefunds({ total, data }: Found['failed_refunds']) {
  const paths = usePaths();
  return (
    <Group
      icon={Undo2}
      title="Refunds that failed"
      total={total}
      shown={data.length}
      all={withQuery(paths.refunds, { status: 'failed' })}
    >
      {data.map(({ id, payment, amount, currency, reason, created_at: at }) => (
        <Line key={id}>
          <Link to={paths.payment(payment)}>
            <Money amount={amount} currency={currency} />
          </Link>
          <span className="text-text-2">
            {reason} Asked for <Time at={at} show="both" />. The buyer has not got it: refund again, or pay
            another way.
          </span>
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
      {data.map(({ id, name, url, status, paused_reason: reason, failing_since: since }) => (
        <Line key={id}>
          <Link
            to={paths.webhook(id)}
            className="min-w-0 font-medium [overflow-wrap:anywhere] text-accent hover:underline"
          >
            {name ?? url}
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
                <InRealTime />
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

function CardTesting({ slowed, refused, payments }: Found['card_testing']) {
  const paths = usePaths();
  const times = (count: number) => `${countText(count)} ${count === 1 ? 'attempt' : 'attempts'}`;
  return (
    <Group icon={ShieldBan} title="Cards tried on checkout pages" total={payments} shown={payments}>
      <Line>
        <span>
          {times(refused)} refused, {times(slowed)} slowed down
        </span>
        <span className="text-text-2">
          in 24 hours, after too many declines. <Link to={paths.settings('payments')}>Change the limits</Link>
        </span>
      </Line>
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
