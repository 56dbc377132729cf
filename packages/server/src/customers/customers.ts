import { ApiError, type CustomerCreate, type CustomerListQuery, type CustomerUpdate } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { Claim } from '../idempotency/claims.ts';
import type { Clock } from '../lib/clock.ts';
import { newId, type RandomBytes } from '../lib/ids.ts';
import { listOfPage, placeOfPage } from '../lib/list.ts';
import { brokenConstraint } from '../store/database.ts';
import { presentCustomer } from './present.ts';
import { checkCustomer } from './rules.ts';
import { type CustomerRow, type CustomerStore, changeableFields, newCustomerRow } from './store.ts';

export interface CustomerDependencies {
  readonly store: CustomerStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly randomBytes: RandomBytes;
  /** Writes a customer as the API shows it, by the contract's schema. */
  readonly write: (customer: object) => string;
}

/**
 * Converts a violated unique key of customers into the contract's refusal, with the id of the merchant's customer who has the
 * value. Undefined for any other error.
 * @param path prefix of the field names: empty, or `customer.` for a customer created with a payment
 */
export async function takenError(
  { store }: Pick<CustomerDependencies, 'store'>,
  error: unknown,
  customer: CustomerRow,
  path = '',
): Promise<ApiError | undefined> {
  switch (brokenConstraint(error)) {
    case 'customers_email_taken':
      return new ApiError('customer_email_taken', 'A customer with this e-mail address exists.', {
        param: `${path}email`,
        customer: await store.idByEmail(customer),
      });
    case 'customers_external_id_taken':
      return new ApiError('customer_external_id_taken', 'A customer with this external_id exists.', {
        param: `${path}external_id`,
        customer: await store.idByExternalId(customer),
      });
    default:
      return undefined;
  }
}

/**
 * Creates a customer. @returns the text of the answer, or null if another request claimed the idempotency key
 * @throws ApiError `customer_email_taken`, `customer_external_id_taken`, `invalid_params` (spec, "Customers")
 */
export async function createCustomer(
  deps: CustomerDependencies,
  context: AccountContext,
  fields: CustomerCreate,
  claim: Claim | null,
): Promise<string | null> {
  checkCustomer(fields, context.now);
  const id = newId('cus', deps.clock.now(), deps.randomBytes);
  const customer = newCustomerRow(context, id, fields, context.now);
  const answer = deps.write(presentCustomer(customer, context));
  try {
    return (await deps.store.insert({ customer, claim, answer })) ? answer : null;
  } catch (error) {
    throw (await takenError(deps, error, customer)) ?? error;
  }
}

const isCustomerId = (id: string) => /^cus_[a-z0-9]{24}$/.test(id);

/** @throws ApiError `not_found`, also for a customer of another merchant or of the other mode */
export async function retrieveCustomer(
  deps: CustomerDependencies,
  context: AccountContext,
  id: string,
): Promise<CustomerRow> {
  const customer = await findCustomer(deps, context, id);
  if (customer === undefined) throw unknownCustomer();
  return customer;
}

const unknownCustomer = () => new ApiError('not_found', 'There is no customer with this id.');

/** The merchant's customer of this mode, if there is one. */
export async function findCustomer(
  deps: CustomerDependencies,
  context: AccountContext,
  id: string,
): Promise<CustomerRow | undefined> {
  return isCustomerId(id) ? deps.store.find(context, id) : undefined;
}

/**
 * Changes the named fields of a customer; null clears a field.
 * @throws ApiError `not_found` and the errors of create
 */
export async function updateCustomer(
  deps: CustomerDependencies,
  context: AccountContext,
  id: string,
  fields: CustomerUpdate,
): Promise<CustomerRow> {
  const known = await retrieveCustomer(deps, context, id);
  checkCustomer(fields, context.now);
  const wanted: CustomerRow = { ...known, ...fields, email: fields.email?.trim() ?? known.email };
  const named = changeableFields.filter((name) => fields[name] !== undefined);
  let changed: CustomerRow | undefined;
  try {
    changed = await deps.store.update(wanted, named);
  } catch (error) {
    throw (await takenError(deps, error, wanted)) ?? error;
  }
  if (changed === undefined) throw unknownCustomer();
  return changed;
}

/** One page of the merchant's customers, most recent first. */
export async function listCustomers(
  deps: CustomerDependencies,
  context: AccountContext,
  query: CustomerListQuery,
) {
  const { rows, total } = await deps.store.list(context, query);
  return listOfPage(
    rows.map((row) => presentCustomer(row, context)),
    total,
    placeOfPage(query),
  );
}
