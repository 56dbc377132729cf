import { useState } from 'react';
import { useMay, useProcessor } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { CopyId } from '../../../components/values/copy-button.tsx';
import { JsonView } from '../../../components/values/json-view.tsx';
import { KeyValue } from '../../../components/values/key-value.tsx';
import { Link, usePaths } from '../../../navigation/navigation.tsx';
import { withQuery } from '../../../navigation/paths.ts';
import type { Detail } from './detail.ts';
import { ReturnNote } from './payment-notices.tsx';

const kinds: Readonly<Record<string, string>> = {
  psp: 'PSP reference',
  replaced: 'PSP reference of the refused attempt',
  order: 'Order id',
  authorization: 'Authorization id',
  capture: 'Capture id',
};

/** The payment's ids at the processor, and the buyer's return addresses. */
export function ProcessingCard({ detail: { processing } }: { readonly detail: Detail }) {
  const name = useProcessor()?.name ?? processing.processor;
  const { upstream, network_transaction_reference: network } = processing;
  const id = (value: string, what: string) => <CopyId id={value} what={what} />;
  return (
    <Card title="Processing">
      <KeyValue
        pairs={[
          { key: 'Processor', value: name },
          ...Object.entries(upstream).map(([kind, value]) => ({
            key: kinds[kind] ?? kind,
            value: id(value, kinds[kind] ?? kind),
          })),
          ...(network === null
            ? []
            : [{ key: 'Network reference', value: id(network, 'network reference') }]),
          ...(processing.success_url === null ? [] : [{ key: 'success_url', value: processing.success_url }]),
          ...(processing.failure_url === null ? [] : [{ key: 'failure_url', value: processing.failure_url }]),
        ]}
      />
      {processing.success_url !== null && <ReturnNote />}
    </Card>
  );
}

/** Links to the payment's events and request logs. */
export function LinksCard({ detail: { payment } }: { readonly detail: Detail }) {
  const paths = usePaths();
  const may = useMay();
  return (
    <Card title="For developers">
      <ul className="flex flex-col gap-1.5">
        {may('listRequestLogs') && (
          <li>
            <Link to={withQuery(paths.logs, { payment: payment.id })}>API requests about this payment</Link>
          </li>
        )}
        <li>
          <Link to={withQuery(paths.events, { search: payment.id })}>Events of this payment</Link>
        </li>
      </ul>
    </Card>
  );
}

/** The payment as the API returns it, loaded on demand. */
export function RawCard({ detail: { payment } }: { readonly detail: Detail }) {
  const [open, setOpen] = useState(false);
  return (
    <Card
      title="As the API shows it"
      actions={
        <Button size="sm" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Hide JSON' : 'Show JSON'}
        </Button>
      }
    >
      {open ? (
        <JsonView label="Payment as JSON" value={payment} />
      ) : (
        <p className="text-text-2">The same object that retrieving the payment by the API answers.</p>
      )}
    </Card>
  );
}
