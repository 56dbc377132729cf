import { ApiError, type ClientToken, type ClientTokenCreate, walletProvider } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { findCustomer } from '../customers/customers.ts';
import { isoSeconds, unixSeconds } from '../lib/clock.ts';
import type { Connected } from '../processors/port/connected.ts';
import { unansweredError } from '../processors/port/explain.ts';
import type { ProcessorPort } from '../processors/port/port.ts';
import type { PaymentMethodDependencies } from './payment-methods.ts';

/**
 * Creates a short-lived token for the wallet's browser SDK (decisions, "Shapes").
 * @throws ApiError `no_provider_connection` if no processor with wallets is connected, `customer_not_found`, `provider_error`,
 *   `provider_unavailable`
 */
export async function createClientToken(
  deps: PaymentMethodDependencies,
  context: AccountContext,
  { customer, domains = [] }: ClientTokenCreate,
): Promise<ClientToken> {
  const { mint, connection, identity } = requireWallets(deps, context);
  if (customer !== undefined) {
    const known = await findCustomer(deps.customers, context, customer);
    if (known === undefined) {
      throw new ApiError('customer_not_found', 'There is no customer with this id.', { param: 'customer' });
    }
    await deps.customers.store.takeFromLinks(known);
  }
  const outcome = await mint(connection, {
    upstreamCustomer:
      customer === undefined ? null : await deps.store.upstreamCustomerOf(context, customer, identity),
    domains: [...new Set(domains.map(hostOf))],
  });
  if (outcome.kind !== 'minted') throw unansweredError(outcome, 'There is no token: try again.');
  return {
    object: 'client_token',
    client_token: outcome.token,
    client_id: outcome.clientId,
    provider: walletProvider,
    customer: customer ?? null,
    created: unixSeconds(context.now),
    expires_at: isoSeconds(new Date(context.now.getTime() + outcome.lifetimeSeconds * 1000)),
  };
}

/** Returns the token call of the account's processor, with its connection. @throws ApiError `no_provider_connection` */
function requireWallets(
  deps: PaymentMethodDependencies,
  context: AccountContext,
): Pick<Connected, 'connection' | 'identity'> & { mint: NonNullable<ProcessorPort['clientToken']> } {
  const connected = context.connection.connected ? deps.connect(context) : undefined;
  const mint = connected?.port.clientToken?.bind(connected.port);
  if (connected === undefined || mint === undefined) {
    throw new ApiError(
      'no_provider_connection',
      `This account has no active connection to ${walletProvider}.`,
    );
  }
  return { mint, connection: connected.connection, identity: connected.identity };
}

/** The host name of an origin or host, since the processor binds tokens to host names. */
const hostOf = (site: string) =>
  site
    .replace(/^https:\/\//, '')
    .replace(/:\d+$/, '')
    .toLowerCase();
