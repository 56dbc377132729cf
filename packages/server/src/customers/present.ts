import type { Customer } from '@till/contract';
import { unixSeconds } from '../lib/clock.ts';
import type { Tenant } from '../store/tenant.ts';
import type { CustomerRow } from './store.ts';

/** A customer as the API shows it (spec, "Customer"). */
export function presentCustomer(row: CustomerRow, { livemode }: Pick<Tenant, 'livemode'>): Customer {
  return {
    id: row.id,
    object: 'customer',
    email: row.email,
    name: row.name,
    phone: row.phone,
    locale: row.locale,
    external_id: row.external_id,
    billing_address: row.billing_address,
    delivery_address: row.delivery_address,
    date_of_birth: row.date_of_birth,
    metadata: row.metadata,
    livemode,
    created: unixSeconds(row.created_at),
  };
}
