import { ApiError, type PaymentMethodListQuery } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { type CustomerDependencies, retrieveCustomer } from '../customers/customers.ts';
import type { Clock } from '../lib/clock.ts';
import { newId, type RandomBytes } from '../lib/ids.ts';
import { listOfPage, placeOfPage } from '../lib/list.ts';
import type { OperationWaits } from '../lib/waiting/operation-waits.ts';
import type { Lease, OnIncident } from '../operations/operation.ts';
import type { OperationStore } from '../operations/store.ts';
import type { Connect } from '../processors/port/connected.ts';
import type { RecurringModel, SavedInstrument } from '../processors/port/instruments.ts';
import type { Database } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import { methodPlace } from '../vault/places.ts';
import type { Vault } from '../vault/vault.ts';
import { forgetToken, removeTokenAgain } from './forgotten-tokens.ts';
import { presentPaymentMethod } from './present.ts';
import type { PaymentMethodRow } from './row.ts';
import type { NewPaymentMethod, PaymentMethodStore } from './store.ts';

export interface PaymentMethodDependencies {
  readonly db: Database;
  readonly operations: OperationStore;
  /** The requests that wait for another operation to end. */
  readonly waits: OperationWaits;
  /** Returns a lease of this process on an operation, beginning now. */
  readonly lease: () => Lease;
  readonly store: PaymentMethodStore;
  readonly customers: CustomerDependencies;
  readonly vault: Pick<Vault, 'seal' | 'open' | 'name'>;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** Returns the adapter and its connection to the upstream; undefined if the account has none in this mode. */
  readonly connect: Connect;
  readonly onIncident: OnIncident;
}

/** The error for an id that names no saved method. */
export const methodNotFound = () => new ApiError('not_found', 'There is no payment method with this id.');

/** @throws ApiError `not_found`, also for a removed method and for one of another merchant or of the other mode */
export async function retrievePaymentMethod(
  deps: PaymentMethodDependencies,
  context: AccountContext,
  id: string,
): Promise<PaymentMethodRow> {
  const method = isMethodId(id) ? await deps.store.find(context, id) : undefined;
  if (method === undefined || method.removed_at !== null) throw methodNotFound();
  return method;
}

export const isMethodId = (id: string) => /^pm_[a-z0-9]{24}$/.test(id);

/** One page of a customer's saved methods, most recent first. @throws ApiError `not_found` for an unknown customer */
export async function listPaymentMethods(
  deps: PaymentMethodDependencies,
  context: AccountContext,
  customerId: string,
  query: PaymentMethodListQuery,
) {
  const customer = await retrieveCustomer(deps.customers, context, customerId);
  const place = placeOfPage(query);
  const { rows, total } = await deps.store.list(context, customer.id, place.page, place.perPage);
  return listOfPage(
    rows.map((row) => presentPaymentMethod(row, context)),
    total,
    place,
  );
}

/** Decrypts the upstream's token of a method, for the one call that needs it. */
export function openToken(
  deps: Pick<PaymentMethodDependencies, 'vault'>,
  { accountId, livemode }: Pick<Tenant, 'accountId' | 'livemode'>,
  { id, token, key_version: keyVersion }: PaymentMethodRow,
): Promise<string> {
  return deps.vault.open(accountId, methodPlace(accountId, livemode, id), token, keyVersion);
}

/** What is known about an instrument that the upstream keeps from now on. */
export interface MethodToSave {
  readonly customerId: string;
  readonly type: PaymentMethodRow['type'];
  readonly brand: string | null;
  readonly bin: string | null;
  readonly last4: string | null;
  readonly expMonth: number | null;
  readonly expYear: number | null;
  readonly model: RecurringModel;
  readonly saved: SavedInstrument;
  readonly networkTransactionReference: string | null;
  /** The merchant account at the processor that keeps it; null: not known. */
  readonly processorIdentity: string | null;
  /** The payment that saved it, and when that payment began. */
  readonly savedBy: string;
  readonly begunAt: Date;
  /** Account time. */
  readonly at: Date;
}

/**
 * Prepares the saved method that a commit will name: the one that this customer already has with the same token, or a new one,
 * as `row` to insert (`insertPaymentMethods`). If the insert breaks `oneMethodPerToken`, prepare again. `id` is null if the
 * upstream forgot the token since the payment began and the customer removed a method with it: what the payment saved may be
 * gone there, and its removal is asked for once more. If the upstream forgot the token but the customer removed nothing, the
 * method is saved as one that cannot be charged: the upstream's notification came before the payment's answer.
 */
export async function prepareMethod(
  deps: PaymentMethodDependencies,
  context: Tenant & Pick<AccountContext, 'processor'>,
  options: MethodToSave,
): Promise<{ id: string | null; row: NewPaymentMethod | null }> {
  const { customerId, processorIdentity: identity, begunAt: since } = options;
  const tokenName = await deps.vault.name(context.accountId, options.saved.token);
  const { known, forgottenAt } = await deps.store.findByToken(context, {
    customerId,
    tokenName,
    identity,
    since,
  });
  if (known === undefined) {
    if (forgottenAt !== null && (await removeAgain(deps, context, options, tokenName))) {
      return { id: null, row: null };
    }
    const row = await newMethodRow(deps, context, options, { tokenName, goneAt: forgottenAt });
    return { id: row.id, row };
  }
  // If a card is entered again, the upstream keeps its token, with the new expiry and the new model.
  if (known.saved_by < options.savedBy) await deps.store.renew(known, { ...options, goneAt: forgottenAt });
  return { id: known.id, row: null };
}

const removeAgain = (
  { db, lease, clock }: PaymentMethodDependencies,
  tenant: Tenant,
  { customerId, savedBy, at }: MethodToSave,
  tokenName: Buffer,
): Promise<boolean> => {
  const over = { ...lease(), until: clock.now() };
  return removeTokenAgain(db, tenant, { customerId, tokenName, savedBy, at, lease: over });
};

async function newMethodRow(
  deps: PaymentMethodDependencies,
  { accountId, livemode, processor }: Tenant & Pick<AccountContext, 'processor'>,
  options: MethodToSave,
  { tokenName, goneAt }: { readonly tokenName: Buffer; readonly goneAt: Date | null },
): Promise<NewPaymentMethod> {
  const id = newId('pm', deps.clock.now(), deps.randomBytes);
  const place = methodPlace(accountId, livemode, id);
  const { sealed, keyVersion } = await deps.vault.seal(accountId, place, options.saved.token);
  return {
    id,
    customer_id: options.customerId,
    type: options.type,
    brand: options.brand,
    bin: options.bin,
    last4: options.last4,
    exp_month: options.expMonth,
    exp_year: options.expYear,
    recurring_processing_model: options.model,
    provider: processor,
    token: sealed.toString('hex'),
    key_version: keyVersion,
    token_name: tokenName.toString('hex'),
    upstream_customer: options.saved.upstreamCustomer,
    network_transaction_reference: options.networkTransactionReference,
    processor_identity: options.processorIdentity,
    saved_by: options.savedBy,
    gone_at: goneAt,
    created_at: options.at,
  };
}

/**
 * Records that the upstream no longer has an instrument, or must not charge it again: no customer can be charged with it.
 * @param removed `sender`: identity of the merchant account that reports it; null: not known. `at`: account time
 */
export async function forgetInstrument(
  deps: PaymentMethodDependencies,
  tenant: Tenant,
  removed: { readonly token: string; readonly sender: string | null; readonly at: Date },
): Promise<void> {
  const { token, sender, at } = removed;
  const tokenName = await deps.vault.name(tenant.accountId, token);
  await forgetToken(deps.db, tenant, { tokenName, sender, at });
}
