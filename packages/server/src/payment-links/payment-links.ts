import { isDeepStrictEqual } from 'node:util';
import {
  ApiError,
  type PaymentLinkCreate,
  type PaymentLinkListQuery,
  type PaymentLinkUpdate,
} from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { NewEvent } from '../events/events.ts';
import type { Claim } from '../idempotency/claims.ts';
import type { Clock } from '../lib/clock.ts';
import { newId, type RandomBytes } from '../lib/ids.ts';
import { listAsText, placeOfPage } from '../lib/list.ts';
import type { Tenant } from '../store/tenant.ts';
import type { AuditEntryRow } from '../users/audit/audit.ts';
import { linkToken } from './link-token.ts';
import { type LinkRow, presentLink } from './row.ts';
import { checkNewLink, readEnd } from './rules.ts';
import type { LinkStore } from './store.ts';

export interface LinkDependencies {
  readonly store: LinkStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly randomBytes: RandomBytes;
  /** Address of a link's page. */
  readonly url: (token: string) => string;
  /** Writes a link as the API shows it, by the contract's schema. */
  readonly write: (link: object) => string;
  /** Called with the account whose event was just committed. */
  readonly onEvent: (accountId: string) => void;
}

/** The link's tenant, and the present account time. */
type LinkContext = Pick<AccountContext, keyof Tenant | 'now'>;

/** Address at which buyers open a link. */
export const urlOf = (deps: Pick<LinkDependencies, 'url'>, tenant: Tenant, id: string): string =>
  deps.url(linkToken(tenant, id));

/** A link's JSON text as the API shows it at this moment. */
export const writeLink = (deps: LinkDependencies, context: LinkContext, link: LinkRow): string =>
  deps.write(
    presentLink(link, {
      livemode: context.livemode,
      now: context.now,
      url: urlOf(deps, context, link.id),
    }),
  );

function eventOf(
  deps: LinkDependencies,
  context: LinkContext,
  type: 'payment_link.created' | 'payment_link.updated',
  link: LinkRow,
  text: string,
): NewEvent {
  const id = newId('evt', deps.clock.now(), deps.randomBytes);
  return { id, type, sequence: link.event_count, created: context.now, object: text };
}

function newLinkRow(
  deps: LinkDependencies,
  context: LinkContext,
  request: PaymentLinkCreate,
  id: string = newId('pl', deps.clock.now(), deps.randomBytes),
): LinkRow {
  const { amount_range: range } = request;
  return {
    tenant: context.tenant,
    id,
    title: request.title,
    description: request.description ?? null,
    currency: request.currency,
    amount: request.amount ?? null,
    amount_min: range?.min ?? null,
    amount_max: range?.max ?? null,
    amount_suggested: range?.suggested ?? null,
    max_payments: request.max_payments ?? null,
    expires_at: readEnd(request.expires_at, context.now),
    reference_label: request.reference_label ?? null,
    save_payment_method: request.save_payment_method ?? false,
    success_url: request.success_url ?? null,
    failure_url: request.failure_url ?? null,
    metadata: request.metadata ?? {},
    is_on: true,
    open_count: 0,
    payments_count: 0,
    payments_amount: 0,
    event_count: 1,
    created_at: context.now,
  };
}

export interface NewLinkOptions {
  readonly claim: Claim | null;
  readonly id?: string | undefined;
  /** Returns the audit entry. */
  readonly entry?: ((link: LinkRow) => AuditEntryRow) | undefined;
}

export interface LinkChangeOptions {
  /** Checks a change; throws to refuse it. */
  readonly check?: (before: LinkRow, after: LinkRow) => void;
  /** Returns the audit entry. */
  readonly entry?: (before: LinkRow, after: LinkRow) => AuditEntryRow;
}

/**
 * Creates a payment link. The API, the command line and the dashboard all create links with this function.
 * @param options.id an id that was chosen before, so that the link is created only once; absent: a new id
 * @returns the link and its text, or null if another request claimed the idempotency key
 * @throws ApiError `invalid_params` naming the field
 */
export async function createPaymentLink(
  deps: LinkDependencies,
  context: LinkContext,
  request: PaymentLinkCreate,
  { claim, id, entry }: NewLinkOptions,
): Promise<{ readonly link: LinkRow; readonly text: string } | null> {
  checkNewLink(request, context.now);
  const link = newLinkRow(deps, context, request, id);
  const text = writeLink(deps, context, link);
  const event = eventOf(deps, context, 'payment_link.created', link, text);
  const isNew = await deps.store.insert({ link, event, claim, answer: text, entry: entry?.(link) ?? null });
  if (!isNew) return null;
  deps.onEvent(context.accountId);
  return { link, text };
}

const notFound = () => new ApiError('not_found', 'There is no payment link with this id.');
const isLinkId = (id: string) => /^pl_[a-z0-9]{24}$/.test(id);

/** @throws ApiError `not_found`, also for a link of another merchant or of the other mode */
export async function retrieveLink(deps: LinkDependencies, tenant: Tenant, id: string): Promise<LinkRow> {
  const link = isLinkId(id) ? await deps.store.find(tenant, id) : undefined;
  if (link === undefined) throw notFound();
  return link;
}

/**
 * Changes the named fields of a link; null clears a field. If all fields already have these values, nothing is written and
 * there is no event.
 * @throws ApiError `not_found`, `invalid_params`, and what `check` throws
 */
export async function updatePaymentLink(
  deps: LinkDependencies,
  context: LinkContext,
  id: string,
  request: PaymentLinkUpdate,
  { check, entry }: LinkChangeOptions = {},
): Promise<LinkRow> {
  if (!isLinkId(id)) throw notFound();
  const { title, description, status, max_payments: max, expires_at: end } = request;
  const fields = {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(status === undefined ? {} : { is_on: status === 'active' }),
    ...(max === undefined ? {} : { max_payments: max }),
    ...(end === undefined ? {} : { expires_at: readEnd(end, context.now) }),
  };
  let isChanged = false;
  const link = await deps.store.change(context, id, (before) => {
    const changed: LinkRow = { ...before, ...fields };
    isChanged = Object.keys(fields).some((name) => {
      const key = name as keyof typeof fields;
      return !isDeepStrictEqual(before[key], changed[key]);
    });
    if (!isChanged) return null;
    const after = { ...changed, event_count: before.event_count + 1 };
    check?.(before, after);
    const event = eventOf(deps, context, 'payment_link.updated', after, writeLink(deps, context, after));
    return { after, event, entry: entry?.(before, after) ?? null };
  });
  if (link === undefined) throw notFound();
  if (isChanged) deps.onEvent(context.accountId);
  return link;
}

/** One page of the merchant's links as text, most recent first. */
export async function listLinks(
  deps: LinkDependencies,
  context: LinkContext,
  query: PaymentLinkListQuery,
): Promise<string> {
  const { status, ...page } = query;
  const statuses = status === undefined ? null : [status];
  const { rows, total } = await deps.store.list(context, { ...page, statuses }, context.now);
  return listAsText(
    rows.map((row) => writeLink(deps, context, row)),
    total,
    placeOfPage(query),
  );
}
