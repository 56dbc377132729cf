import { type Answer, useCall } from '../../api/calls.ts';
import { ApiError } from '../../api/client.ts';
import { ErrorState } from '../../components/feedback/error-state.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { Card } from '../../components/layout/card.tsx';
import { PageHeader } from '../../components/layout/page-header.tsx';
import { DataTable, FlushTable } from '../../components/tables/data-table.tsx';
import { CopyId } from '../../components/values/copy-button.tsx';
import { SideFacts } from '../../components/values/key-value.tsx';
import { PostalAddress } from '../../components/values/postal-address.tsx';
import { Time } from '../../components/values/time.tsx';
import { useParam, usePaths } from '../../navigation/navigation.tsx';
import { disputeColumns } from '../payments/payment/refunds-card.tsx';
import { PaymentsCard } from '../payments/payments-card.tsx';
import { SavedMethods } from './saved-methods.tsx';

type Detail = Answer<'retrieveCustomer'>;
type Customer = Detail['customer'];

/** The number of payments shown here. The list of payments has all of them. */

/** One customer: details, payments, saved methods and disputes. */
export function CustomerPage() {
  const paths = usePaths();
  const id = useParam('id');
  const { data, error, refetch } = useCall('retrieveCustomer', { params: { id } });
  if (data !== undefined) return <Loaded detail={data} />;
  const unknown = error instanceof ApiError && error.status === 404;
  return (
    <>
      <PageHeader title="Customer" crumbs={[{ label: 'Customers', to: paths.customers }]} />
      <Card>
        {error === null ? (
          <SkeletonLines of="the customer" lines={6} />
        ) : (
          <ErrorState
            error={error}
            {...(unknown ? { title: 'There is no such customer here' } : { onRetry: () => void refetch() })}
          />
        )}
      </Card>
    </>
  );
}

function Loaded({ detail }: { readonly detail: Detail }) {
  const paths = usePaths();
  const { customer } = detail;
  return (
    <>
      <PageHeader
        title={customer.name ?? customer.email}
        crumbs={[{ label: 'Customers', to: paths.customers }]}
        description={<CopyId id={customer.id} what="customer id" />}
      />
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(19rem,22rem)]">
        <div className="flex min-w-0 flex-col gap-4">
          <PaymentsCard
            of={{ customer: customer.id }}
            label="Payments of this customer"
            empty="No payments yet"
          />
          <SavedMethods detail={detail} />
          <Disputes disputes={detail.disputes} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Profile customer={customer} />
          <Metadata metadata={customer.metadata} />
        </div>
      </div>
    </>
  );
}

function Disputes({ disputes }: { readonly disputes: Detail['disputes'] }) {
  const paths = usePaths();
  if (disputes.length === 0) return null;
  return (
    <Card title="Disputes" flush>
      <FlushTable>
        <DataTable
          label="Disputes of this customer"
          columns={disputeColumns}
          rows={disputes}
          rowKey={({ id }) => id}
          rowTo={({ id }) => paths.dispute(id)}
          empty={null}
        />
      </FlushTable>
    </Card>
  );
}

function Profile({ customer }: { readonly customer: Customer }) {
  return (
    <Card title="Profile">
      <SideFacts
        pairs={[
          { key: 'E-mail', value: customer.email },
          { key: 'Name', value: customer.name ?? undefined },
          { key: 'Phone', value: customer.phone ?? undefined },
          { key: 'Language', value: customer.locale ?? undefined },
          { key: 'Your id', value: customer.external_id ?? undefined },
          { key: 'Date of birth', value: customer.date_of_birth ?? undefined },
          { key: 'Billing address', value: <PostalAddress address={customer.billing_address} /> },
          { key: 'Delivery address', value: <PostalAddress address={customer.delivery_address} /> },
          { key: 'Created', value: <Time at={customer.created} /> },
        ]}
      />
    </Card>
  );
}

function Metadata({ metadata }: { readonly metadata: Customer['metadata'] }) {
  const pairs = Object.entries(metadata);
  return (
    <Card title="Metadata">
      {pairs.length === 0 ? (
        <p className="text-text-2">Nothing is stored with this customer.</p>
      ) : (
        <SideFacts pairs={pairs.map(([key, value]) => ({ key, value }))} />
      )}
    </Card>
  );
}
