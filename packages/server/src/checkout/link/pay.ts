import { ApiError, type PaymentCreate, walletType } from '@till/contract';
import { findCustomer } from '../../customers/customers.ts';
import { sha256 } from '../../lib/keys.ts';
import { isMailbox } from '../../mail/address.ts';
import type { LinkRow } from '../../payment-links/row.ts';
import { oneAttemptPerForm } from '../../payment-links/sql.ts';
import type { ClientInfo } from '../../payments/kept-request.ts';
import { createPayment } from '../../payments/operations/create-payment.ts';
import { giveUpPayment } from '../../payments/operations/expire.ts';
import { checkActivation } from '../../payments/request/rules.ts';
import type { Card } from '../../processors/port/port.ts';
import { capabilitiesOf } from '../../processors/registry.ts';
import { brokenConstraint } from '../../store/database.ts';
import type { CheckoutPageDependencies } from '../dependencies.ts';
import { isDeclined } from '../visit/counted.ts';
import type { Details } from './details.ts';
import { attemptedPayment, findAbandoned, type LinkVisit } from './visit.ts';

/** How the buyer pays: with a card that was typed here, or with the method that the next page shows. */
export type Means = { readonly card: Card } | 'card_fields' | 'wallet';

/** The payment methods that the link's account offers. `typed` is a card on the link's own page. */
export function waysToPay({ context }: LinkVisit): readonly ('typed' | 'card_fields' | 'wallet')[] {
  const { browserMethods } = capabilitiesOf(context.processor);
  return browserMethods.includes('card_fields') ? browserMethods : ['typed', ...browserMethods];
}

/** The outcome of a form that was sent. */
export type AttemptOutcome =
  | 'begun'
  /** The same form was sent before. */
  | 'begun_before'
  /** The link takes no further payment at this moment. */
  | 'no_place'
  /** The merchant cannot take this payment. */
  | 'not_possible'
  /** Too many cards were declined recently, of this buyer or of all. Nothing was sent. */
  | 'declined_too_often'
  /** Too many payments were recently begun from the buyer's network and not paid. Nothing was sent. */
  | 'begun_too_often'
  /** Too many others are paying. Nothing was sent. */
  | 'not_reached';

const methodOf = (means: Means): PaymentCreate['payment_method'] => {
  if (means === 'wallet') return { type: walletType };
  if (means === 'card_fields') return { type: 'card_fields' };
  const { number, expMonth, expYear, cvc, holderName } = means.card;
  return { type: 'card', number, exp_month: expMonth, exp_year: expYear, cvc, holder_name: holderName };
};

/**
 * The customer for whom a payment method is saved: a new one with the address, or the one of an earlier payment by link. Nobody
 * proves that an address is theirs, so nothing is saved with a customer that the merchant created: otherwise the person who
 * typed the address would be charged for that customer's renewals, and the buyer's wallet would show what is on file.
 */
async function customerFor(
  { payments }: CheckoutPageDependencies,
  { context }: LinkVisit,
  email: string | null,
): Promise<PaymentCreate['customer']> {
  if (email === null || !isMailbox(email)) return undefined;
  const { rows } = await payments.customers.store.list(context, { email, page: 1, per_page: 1 });
  const [known] = rows;
  if (known === undefined) return { email };
  return known.of_links ? known.id : undefined;
}

interface SentForm {
  /** Its id. */
  readonly form: string;
  readonly details: Details;
  readonly means: Means;
  readonly client: ClientInfo;
}

/**
 * Begins the payment of a form, once. A card that is typed here counts against the card testing limits like one on the
 * checkout page. A card that is typed there is counted there, and the payment itself is counted by the buyer's network.
 */
export async function attempt(
  deps: CheckoutPageDependencies,
  visit: LinkVisit,
  sent: SentForm,
): Promise<AttemptOutcome> {
  const { context, link } = visit;
  const address = sent.client.ip ?? '';
  if (typeof sent.means === 'string') {
    const begun = await deps.unpaidAttempts.attempt(context, link.id, address, (network, onBegun) =>
      begin(deps, visit, sent, { network, onBegun }),
    );
    return begun === 'too_often' ? 'begun_too_often' : begun;
  }
  const payer = { address, cardNumber: sent.means.card.number, linkId: link.id };
  const outcome = await deps.cardTesting.attempt(context, { paymentId: null, ...payer }, async (verdict) => {
    const attempted = await begin(deps, visit, sent, { network: null });
    if (attempted !== 'begun') return { attempted, declined: false };
    const id = await deps.links.store.attemptOf(context, link.id, sha256(sent.form));
    const payment = id === null ? null : await attemptedPayment(deps, context, id);
    if (payment === null) return { attempted, declined: false };
    await deps.cardTesting.mark(context, payment.id, verdict);
    return { attempted, declined: isDeclined(payment) };
  });
  if (outcome === 'refused') return 'declined_too_often';
  return outcome === 'full' ? 'not_reached' : outcome.attempted;
}

/**
 * Whether a customer has been discarded since they were found, together with the payment that created them. If so, the
 * caller looks again.
 */
const isGone = async (
  { payments }: CheckoutPageDependencies,
  { context }: LinkVisit,
  customer: PaymentCreate['customer'],
): Promise<boolean> =>
  typeof customer === 'string' && (await findCustomer(payments.customers, context, customer)) === undefined;

/** The payment that a form requests. */
const requestOf = (
  link: LinkRow,
  { details: { amount, reference }, means }: SentForm,
  customer: PaymentCreate['customer'],
): PaymentCreate => ({
  amount,
  currency: link.currency,
  description: link.title,
  ...(reference === null ? {} : { reference }),
  ...(customer === undefined ? {} : { customer }),
  payment_method: methodOf(means) ?? { type: 'card' },
  save_payment_method: customer !== undefined,
  ...(link.success_url === null ? {} : { success_url: link.success_url }),
  ...(link.failure_url === null ? {} : { failure_url: link.failure_url }),
});

/** Whether a concurrent request has created a customer with the address since the look-up, or discarded the one that had it. */
const isOvertaken = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'customer_email_taken' || error.code === 'customer_not_found');

async function begin(
  deps: CheckoutPageDependencies,
  visit: LinkVisit,
  sent: SentForm,
  { network, onBegun }: { readonly network: Buffer | null; readonly onBegun?: () => void },
): Promise<AttemptOutcome> {
  const { link, context, browser, abandoned } = visit;
  const create = async (looks = 2): ReturnType<typeof createPayment> => {
    const customer = await customerFor(deps, visit, sent.details.email);
    try {
      const made = await createPayment(deps.payments, context, {
        request: requestOf(link, sent, customer),
        client: sent.client,
        claim: null,
        resumes: null,
        link: { id: link.id, visit: sha256(sent.form), browser: browser.hash, network },
        ...(onBegun === undefined ? {} : { onBegun }),
      });
      const mayBeOvertaken = looks > 1 && 'keyTaken' in made;
      return mayBeOvertaken && (await isGone(deps, visit, customer)) ? create(looks - 1) : made;
    } catch (error) {
      if (looks === 1 || !isOvertaken(error)) throw error;
      return create(looks - 1);
    }
  };
  try {
    checkActivation(context);
    if (!('keyTaken' in (await create()))) return 'begun';
    if (abandoned === null) return 'no_place';
    // Only once it is known that this payment could begin. The buyer of the abandoned one may have come back meanwhile.
    if ((await findAbandoned(deps, context, [abandoned])) === null) return 'no_place';
    await giveUpPayment(deps.payments, context, abandoned);
    return 'keyTaken' in (await create()) ? 'no_place' : 'begun';
  } catch (error) {
    if (brokenConstraint(error) === oneAttemptPerForm) return 'begun_before';
    if (!(error instanceof ApiError)) throw error;
    // The page of the attempt shows what it did, if anything.
    return error.status >= 500 ? 'begun' : 'not_possible';
  }
}
