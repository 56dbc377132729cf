import type { Database } from '../store/database.ts';
import type { CustomerDependencies } from './customers.ts';
import { CustomerStore } from './store.ts';

/** Creates the dependencies of the operations on customers. */
export const createCustomers = ({
  db,
  ...deps
}: Omit<CustomerDependencies, 'store'> & { readonly db: Database }): CustomerDependencies => ({
  ...deps,
  store: new CustomerStore(db),
});
