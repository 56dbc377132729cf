import { findVirtualBuyer } from '../../buyer/virtual-buyer.ts';
import { findSaveDirective, type SaveBehaviour } from '../../directives/save-directives.ts';
import { type JsonObject, objectIn } from '../../lib/json.ts';
import { malformed, unprocessable } from '../wire/errors.ts';
import { optionalText, requiredObject } from '../wire/fields.ts';
import { payPalCustomerId, sandboxBuyer, vaultToken } from './identities.ts';
import type { InstrumentFacts, NewInstrument, SavedWallet } from './instruments.ts';
import type { Order, Saving, Vaulted } from './order.ts';

type Kind = 'card' | 'paypal';

interface Owner {
  readonly merchantAccount: string;
  readonly orderId: string;
}

function readCustomer(attributes: JsonObject, at: string, { merchantAccount, orderId }: Owner) {
  const customer = objectIn(attributes, 'customer');
  const id = optionalText(customer.id, `${at}/customer/id`, 22);
  const own = optionalText(customer.merchant_customer_id, `${at}/customer/merchant_customer_id`, 64);
  if (id !== null && !/^[\w-]+$/.test(id)) throw malformed('INVALID_PARAMETER_SYNTAX', `${at}/customer/id`);
  const customerId = id ?? payPalCustomerId(merchantAccount, own ?? orderId);
  return { customerId, shopper: own ?? customerId };
}

function checkUsageType(vault: JsonObject, at: string): void {
  const { usage_type } = vault;
  if (usage_type === undefined) throw malformed('MISSING_REQUIRED_PARAMETER', `${at}/usage_type`);
  if (usage_type !== 'MERCHANT' && usage_type !== 'PLATFORM') {
    throw malformed('INVALID_PARAMETER_VALUE', `${at}/usage_type`);
  }
}

/**
 * Reads the vault instruction of a payment source (PayPal Orders v2, vault_instruction_base). Returns null if
 * it has none.
 */
export function readSaving(source: JsonObject, kind: Kind, owner: Owner): Saving | null {
  const attributes = objectIn(source, 'attributes');
  if (attributes.vault === undefined || attributes.vault === null) return null;
  const at = `/payment_source/${kind}/attributes`;
  const vault = requiredObject(attributes.vault, `${at}/vault`);
  if (vault.store_in_vault === undefined) {
    throw unprocessable('VAULT_INSTRUCTION_REQUIRED', `${at}/vault/store_in_vault`);
  }
  if (vault.store_in_vault !== 'ON_SUCCESS') {
    throw malformed('INVALID_PARAMETER_VALUE', `${at}/vault/store_in_vault`);
  }
  if (kind === 'paypal') checkUsageType(vault, `${at}/vault`);
  return {
    ...readCustomer(attributes, at, owner),
    perCustomer: vault.permit_multiple_payment_tokens === true,
  };
}

/** Returns what a directive does to saving and to later charges. */
export function saveBehaviour(directive: string | null): SaveBehaviour | undefined {
  return directive === null ? undefined : findSaveDirective(directive, 'processor_b')?.does;
}

/**
 * Refuses an order that is to save its payment source if the directive says that the account may not save
 * any.
 */
export function refuseSaving({ saving, directive }: Pick<Order, 'saving' | 'directive'>): void {
  if (saving !== null && saveBehaviour(directive) === 'refuses_saving') {
    throw unprocessable('NOT_ENABLED_TO_VAULT_PAYMENT_SOURCE');
  }
}

/** Whether the order has captured or holds money. */
function isPaid({ capture, authorization }: Order): boolean {
  return capture?.status === 'COMPLETED' || authorization?.status === 'CREATED';
}

type Kept = Pick<Vaulted, 'token' | 'customerId'>;

function keptWallet({ merchantAccount }: Order, saving: Saving, wallets: readonly SavedWallet[]): Kept {
  const known = wallets.find(
    ({ removed, customerId }) => !removed && (!saving.perCustomer || customerId === saving.customerId),
  );
  if (known !== undefined) return known;
  // After a removal the wallet gets a new token. Two concurrent orders derive the same token.
  const removed = wallets.filter((wallet) => wallet.removed).length;
  const whose = saving.perCustomer ? saving.customerId : 'all';
  const token = vaultToken(merchantAccount, `wallet ${sandboxBuyer.account_id} ${whose} ${removed}`);
  return { token, customerId: saving.customerId };
}

function keptCard({ merchantAccount, id }: Order, { customerId }: Saving): Kept {
  return { token: vaultToken(merchantAccount, `order ${id}`), customerId };
}

/** Adds the vault's result to an order that has just been paid, if its payment source is to be saved. */
export function keepInVault(order: Order, wallets: readonly SavedWallet[]): Order {
  const { saving, directive } = order;
  const does = saveBehaviour(directive);
  if (saving === null || does === 'saves_nothing' || !isPaid(order)) return order;
  const kept = order.card === null ? keptWallet(order, saving, wallets) : keptCard(order, saving);
  const { token, customerId } = kept;
  return { ...order, vaulted: { token, customerId, announced: does !== 'saves_late' } };
}

/** Returns the directive if it also affects later charges, and null otherwise. */
function lasting(directive: string | null): string | null {
  const does = saveBehaviour(directive);
  const lasts = does === 'declines_merchant' || does === 'revoked';
  return lasts || findVirtualBuyer(directive ?? '') !== undefined ? directive : null;
}

function factsOf(order: Order): InstrumentFacts {
  const { card } = order;
  const directive = lasting(order.directive);
  if (card === null) return { processor: 'processor_b', wallet: sandboxBuyer.account_id, directive };
  return {
    processor: 'processor_b',
    // The security code applied to this one payment only.
    card: { ...card, stoppedBy: null, challenge: null, cvvCode: 'X' },
    directive,
  };
}

/** Returns the instrument that the vault stores for an order, or null if there is none. */
export function instrumentOf(order: Order): NewInstrument | null {
  const { vaulted, saving } = order;
  if (vaulted === null || saving === null) return null;
  return {
    token: vaulted.token,
    shopper: saving.shopper,
    customerId: vaulted.customerId,
    facts: factsOf(order),
  };
}

/** Returns the vault id that pays a request, or null if there is none (PayPal Orders v2, vault_id). */
export function readVaultId(body: JsonObject): { readonly kind: Kind; readonly token: string } | null {
  for (const kind of ['card', 'paypal'] as const) {
    const source = objectIn(objectIn(body, 'payment_source'), kind);
    const token = optionalText(source.vault_id, `/payment_source/${kind}/vault_id`, 255);
    if (token !== null) return { kind, token };
  }
  return null;
}
