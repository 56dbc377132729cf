import type { Queryable } from '../store/database.ts';
import type { LinkDependencies } from './payment-links.ts';
import { LinkStore } from './store.ts';

/** Creates the dependencies of the operations on payment links. @param publicAddress address at which buyers reach this server */
export const createLinks = ({
  db,
  publicAddress,
  ...deps
}: Omit<LinkDependencies, 'store' | 'url'> & {
  readonly db: Queryable;
  readonly publicAddress: () => string;
}): LinkDependencies => ({
  ...deps,
  url: (token) => `${publicAddress()}/pay/${token}`,
  store: new LinkStore(db),
});
