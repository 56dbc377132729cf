import { CardTesting } from '../card-testing/card-testing.ts';
import { describeError, type Logger } from '../lib/log/log.ts';
import type { MailDependencies } from '../mail/queue-mail.ts';
import type { LinkDependencies } from '../payment-links/payment-links.ts';
import type { PaymentDependencies } from '../payments/dependencies.ts';
import type { Database } from '../store/database.ts';
import type { Vault } from '../vault/vault.ts';
import type { CheckoutPageDependencies } from './dependencies.ts';
import { CheckoutAssets } from './pages/assets.ts';
import { CheckoutStore } from './visit/store.ts';
import { UnpaidAttempts } from './visit/unpaid-attempts.ts';

/** Assembles the dependencies of the hosted page and its files. @throws Error if the files have not been built */
export const createCheckout = ({
  db,
  log,
  vault,
  payments,
  links,
  mail,
  liveSimulation,
}: {
  readonly db: Database;
  readonly log: Logger;
  readonly vault: Vault;
  readonly payments: PaymentDependencies;
  readonly links: LinkDependencies;
  readonly mail: MailDependencies;
  readonly liveSimulation: boolean;
}): CheckoutPageDependencies => ({
  payments,
  links,
  mail,
  tokens: new CheckoutStore(db),
  cardTesting: new CardTesting({
    db,
    vault,
    clock: payments.clock,
    onFailure: (error, account) =>
      log.error('the end of an attempt to pay was not counted', { account, ...describeError(error) }),
  }),
  unpaidAttempts: new UnpaidAttempts(db, vault, links.store),
  assets: new CheckoutAssets(),
  liveSimulation,
  onReport: (directive, blocked) =>
    log.warn('a browser refused something on a checkout page', { code: directive, address: blocked }),
});
