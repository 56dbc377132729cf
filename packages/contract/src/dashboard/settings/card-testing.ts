import { type Static, Type } from 'typebox';
import { type DashboardOperation, rolesFor } from '../../api/dashboard-operation.ts';
import { Nullable } from '../../primitives/common.ts';

/** The counters of declines on the checkout pages, by their names in the contract. */
export const cardTestingKinds = ['address', 'card', 'link', 'account'] as const;
export type CardTestingKind = (typeof cardTestingKinds)[number];

/**
 * The limits of an account that has set none. The counter of the whole account only slows attempts down,
 * since refusing them would let a bot close the shop. A bot can still close a single payment link for an hour,
 * with more declines than a popular link usually has.
 */
export const defaultCardTestingLimits = {
  address: { slow_after: 10, refuse_after: 20 },
  card: { slow_after: 5, refuse_after: 10 },
  link: { slow_after: 30, refuse_after: 100 },
  account: { slow_after: 100, refuse_after: null },
} as const;

const Declines = Nullable(Type.Integer({ minimum: 1, maximum: 100_000 }));

/** The number of declines within an hour after which something happens. Null: never. */
const Limit = Type.Object({
  /** Each further attempt waits before its card is sent to the processor: 1 s, 2 s, 4 s and then 8 s. */
  slow_after: Declines,
  /** Further attempts are refused, and their cards are not sent to the processor. */
  refuse_after: Declines,
});

export const CardTestingLimits = Type.Object({
  /** Declines from one IPv4 address, or from one /64 network of IPv6. */
  address: Limit,
  /** Declines of one card. */
  card: Limit,
  /** Declines with one payment link. */
  link: Limit,
  /** Declines of the whole account in one mode. */
  account: Limit,
});
export type CardTestingLimits = Static<typeof CardTestingLimits>;

const LimitChange = Type.Optional(Type.Partial(Limit));
const CardTestingChange = Type.Object({
  address: LimitChange,
  card: LimitChange,
  link: LimitChange,
  account: LimitChange,
});
export type CardTestingChange = Static<typeof CardTestingChange>;

/**
 * Limits of declined attempts on the checkout pages, the same in the sandbox and live. Requests by API key
 * are not counted, since they come from the merchant's own address.
 */
export const cardTestingApi = {
  retrieveCardTestingLimits: {
    id: 'retrieveCardTestingLimits',
    method: 'GET',
    path: '/accounts/:account/settings/card_testing',
    roles: rolesFor.viewing,
    answers: { 200: CardTestingLimits },
  },
  /** Updates the given limits. */
  updateCardTestingLimits: {
    id: 'updateCardTestingLimits',
    method: 'PATCH',
    path: '/accounts/:account/settings/card_testing',
    roles: rolesFor.managing,
    confirmation: true,
    body: CardTestingChange,
    keepsNull: true,
    answers: { 200: CardTestingLimits },
    audit: 'card_testing_limits.changed',
  },
} as const satisfies Record<string, DashboardOperation>;
