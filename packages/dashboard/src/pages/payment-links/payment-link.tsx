import { ExternalLink, Mail, Pencil, Power } from 'lucide-react';
import { useState } from 'react';
import { useCall, useChange } from '../../api/calls.ts';
import { ApiError } from '../../api/client.ts';
import { useRefusal } from '../../api/session.ts';
import { Button } from '../../components/buttons/button.tsx';
import { ErrorState } from '../../components/feedback/error-state.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { toast, toastError } from '../../components/feedback/toasts.tsx';
import { Card } from '../../components/layout/card.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { CopyButton, CopyId } from '../../components/values/copy-button.tsx';
import { SideFacts } from '../../components/values/key-value.tsx';
import { Money } from '../../components/values/money.tsx';
import { StatusWithHint } from '../../components/values/status.tsx';
import { Time } from '../../components/values/time.tsx';
import { countOf } from '../../lib/wording/plural.ts';
import { useParam, usePaths } from '../../navigation/navigation.tsx';
import { PaymentsCard } from '../payments/payments-card.tsx';
import { EditLink } from './edit-link.tsx';
import { type LinkItem, Price, paidTimes } from './link-words.tsx';
import { MailLink } from './mail-link.tsx';
import { QrCode } from './qr-code.tsx';

/** One payment link: its URL, the payments made with it, and its actions. */
export function PaymentLinkPage() {
  const paths = usePaths();
  const id = useParam('id');
  const { data, error, refetch } = useCall('retrievePaymentLink', { params: { id } });
  if (data !== undefined) return <Loaded item={data} />;
  const unknown = error instanceof ApiError && error.status === 404;
  return (
    <>
      <PageHeader title="Payment link" crumbs={[{ label: 'Payment links', to: paths.paymentLinks }]} />
      <Card>
        {error === null ? (
          <SkeletonLines of="the payment link" lines={6} />
        ) : (
          <ErrorState
            error={error}
            {...(unknown
              ? { title: 'There is no such payment link here' }
              : { onRetry: () => void refetch() })}
          />
        )}
      </Card>
    </>
  );
}

function Loaded({ item }: { readonly item: LinkItem }) {
  const paths = usePaths();
  const { link } = item;
  return (
    <>
      <PageHeader
        title={link.title}
        crumbs={[{ label: 'Payment links', to: paths.paymentLinks }]}
        description={<StatusWithHint kind="link" status={link.status} />}
        actions={<Actions item={item} />}
      />
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(19rem,22rem)]">
        <div className="flex min-w-0 flex-col gap-4">
          <Address item={item} />
          <PaymentsCard
            of={{ payment_link: item.link.id }}
            label="Payments with this link"
            empty="Nobody has paid yet"
          />
        </div>
        <Facts item={item} />
      </div>
    </>
  );
}

function Actions({ item: { link } }: { readonly item: LinkItem }) {
  const refusal = useRefusal();
  const [open, setOpen] = useState<'edit' | 'mail' | null>(null);
  const change = useChange('updatePaymentLink', ['retrievePaymentLink', 'listPaymentLinks']);
  const off = link.status === 'inactive';
  const turn = () =>
    change.mutate(
      { params: { id: link.id }, body: { status: off ? 'active' : 'inactive' } },
      {
        onSuccess: () => toast(off ? 'The link is on again' : 'The link is off: nobody can pay with it'),
        onError: toastError,
      },
    );
  // The response to a dialog's request may arrive while the other dialog is open, which it must not close.
  const close = (one: 'edit' | 'mail') => () => setOpen((now) => (now === one ? null : now));
  const unavailable = refusal('updatePaymentLink');
  return (
    <>
      <Button icon={Mail} unavailable={refusal('mailPaymentLink')} onClick={() => setOpen('mail')}>
        Send by mail
      </Button>
      <Button icon={Pencil} unavailable={unavailable} onClick={() => setOpen('edit')}>
        Edit
      </Button>
      <Button icon={Power} unavailable={unavailable} busy={change.isPending} onClick={turn}>
        {off ? 'Switch on' : 'Switch off'}
      </Button>
      <EditLink open={open === 'edit'} link={link} onClose={close('edit')} />
      <MailLink open={open === 'mail'} id={link.id} onClose={close('mail')} />
    </>
  );
}

function Address({ item: { link } }: { readonly item: LinkItem }) {
  return (
    <Card title="Address">
      <div className="flex flex-col gap-4">
        <p className="flex flex-wrap items-center gap-2">
          <code className="min-w-0 font-mono text-sm break-all">{link.url}</code>
          <CopyButton text={link.url} what="address" label="Copy" />
          <a
            href={link.url}
            target="_blank"
            rel="noreferrer"
            className="inline-flex items-center gap-1.5 text-accent underline"
          >
            <ExternalLink className="size-4" aria-hidden="true" />
            Open
          </a>
        </p>
        <QrCode url={link.url} name={link.id} />
      </div>
    </Card>
  );
}

function Facts({ item }: { readonly item: LinkItem }) {
  const { link, paid_amount: paid, open_count: open } = item;
  return (
    <Card title="Details">
      <SideFacts
        pairs={[
          { key: 'Came in', value: <Money amount={paid} currency={link.currency} code /> },
          { key: 'Paid', value: paidTimes(link) },
          { key: 'Under way', value: open === 0 ? undefined : countOf(open, 'attempt') },
          { key: 'Price', value: <Price link={link} /> },
          { key: 'Description', value: link.description ?? undefined },
          { key: 'Ends', value: link.expires_at === null ? 'Never' : <Time at={link.expires_at} /> },
          { key: 'Asks for', value: link.reference_label ?? 'Nothing' },
          { key: 'Keeps the card or wallet', value: link.save_payment_method ? 'Yes' : 'No' },
          { key: 'After paying', value: link.success_url ?? 'Our page, with a receipt' },
          { key: 'After a failure', value: link.failure_url ?? 'Our page' },
          ...Object.entries(link.metadata).map(([key, value]) => ({ key, value })),
          { key: 'Created', value: <Time at={link.created} /> },
          { key: 'Id', value: <CopyId id={link.id} what="payment link id" /> },
        ]}
      />
    </Card>
  );
}
