import { walletType } from '@till/contract/processors';
import { useState } from 'react';
import type { Answer } from '../../api/calls.ts';
import { useRefusal } from '../../api/session.ts';
import { Button } from '../../components/buttons/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { Card } from '../../components/layout/card.tsx';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { useDialogChange } from '../../components/overlays/requests/dialog-change.ts';
import { DataTable, FlushTable } from '../../components/tables/data-table.tsx';
import type { Column } from '../../components/tables/table-props.ts';
import { Badge } from '../../components/values/badge.tsx';
import { None } from '../../components/values/key-value.tsx';
import { brandName, PaidWith } from '../../components/values/paid-with.tsx';
import { Time } from '../../components/values/time.tsx';
import { expiryText, modelName } from '../payments/payment/buyer-cards.tsx';

type Detail = Answer<'retrieveCustomer'>;
type Method = Detail['payment_methods'][number];

/** The name of a saved method, for use inside a sentence. */
const nameOf = ({ type, brand, last4 }: Method) =>
  type === walletType || last4 === null
    ? 'the wallet'
    : `the ${brand === null ? 'card' : `${brandName(brand)} card`} ending in ${last4}`;

const columns: readonly Column<Method>[] = [
  { id: 'method', title: 'Method', main: true, cell: (method) => <PaidWith {...method} /> },
  {
    id: 'expires',
    title: 'Expires',
    card: 'titled',
    isEmpty: (method) => expiryText(method.exp_month, method.exp_year) === undefined,
    cell: (method) => expiryText(method.exp_month, method.exp_year) ?? <None />,
  },
  {
    id: 'model',
    title: 'Saved for',
    card: 'line',
    className: 'min-w-28',
    cell: ({ recurring_processing_model: model, created }) => (
      <>
        {modelName(model)}
        <Time at={created} show="day" className="block text-sm text-text-3" />
      </>
    ),
  },
  {
    id: 'status',
    title: 'Status',
    card: 'status',
    cell: ({ status }) => (
      <Badge tone={status === 'active' ? 'good' : 'warn'}>
        {status === 'active' ? 'Can be charged' : 'Expired or revoked'}
      </Badge>
    ),
  },
];

/** The customer's saved cards and wallets, each with a button to remove it. */
export function SavedMethods({ detail }: { readonly detail: Detail }) {
  const [chosen, setChosen] = useState<Method>();
  const refused = useRefusal()('removePaymentMethod');
  const remove: Column<Method> = {
    id: 'remove',
    title: 'Remove',
    quiet: true,
    card: 'aside',
    align: 'end',
    cell: (method) => (
      <Button
        size="sm"
        unavailable={refused}
        aria-label={`Remove ${nameOf(method)}`}
        onClick={() => setChosen(method)}
      >
        Remove
      </Button>
    ),
  };
  return (
    <Card title="Saved methods" flush>
      <FlushTable>
        <DataTable
          label="Saved methods of this customer"
          columns={[...columns, remove]}
          rows={detail.payment_methods}
          rowKey={({ id }) => id}
          empty={<EmptyState title="Nothing is saved" className="py-6" />}
        />
      </FlushTable>
      <RemoveDialog customer={detail.customer.id} method={chosen} onClose={() => setChosen(undefined)} />
    </Card>
  );
}

function RemoveDialog({
  customer,
  method,
  onClose,
}: {
  readonly customer: string;
  readonly method: Method | undefined;
  readonly onClose: () => void;
}) {
  const open = method !== undefined;
  const name = method === undefined ? '' : nameOf(method);
  const close = () => {
    change.reset();
    onClose();
  };
  const change = useDialogChange('removePaymentMethod', ['retrieveCustomer', 'listCustomers'], {
    open,
    onClose: close,
  });
  const confirm = () => {
    if (method === undefined) return;
    change.send({ params: { customer, id: method.id } }, (_, closeThis) => {
      closeThis();
      toast(`${name.charAt(0).toUpperCase()}${name.slice(1)} was removed`);
    });
  };
  return (
    <ConfirmDialog
      open={open}
      onClose={close}
      title="Remove saved method"
      action="Remove method"
      onConfirm={confirm}
      busy={change.busy}
      error={change.error}
    >
      <p>
        From now on nobody can charge {name} again, and the processor is told to forget it. Subscriptions that
        renew with it will fail. The customer can save it again with their next payment.
      </p>
    </ConfirmDialog>
  );
}
