import type { Database } from '../store/database.ts';
import type { CustomerDependencies } from './customers.ts';
import { CustomerStore } from './store.ts';

/** What the operations on customers need. */
export const createCustomers = ({
  db,
  ...deps
}: Omit<CustomerDependencies, 'store'> & { readonly db: Database }): CustomerDependencies => ({
  ...deps,
  store: new CustomerStore(db),
});
