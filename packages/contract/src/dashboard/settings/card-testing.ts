import { type Static, Type } from 'typebox';
import { type DashboardOperation, rolesFor } from '../../api/dashboard-operation.ts';
import { Nullable } from '../../primitives/common.ts';

/** What declines on the checkout pages are counted by, with their names in the contract. */
export const cardTestingKinds = ['address', 'card', 'link', 'account'] as const;
export type CardTestingKind = (typeof cardTestingKinds)[number];

/**
 * What holds where an account has set nothing. An account is only slowed down: a refusal would let a bot close the shop. It can
 * close one payment link for an hour, after more declines than one that many pay with comes to.
 */
export const defaultCardTestingLimits = {
  address: { slow_after: 10, refuse_after: 20 },
  card: { slow_after: 5, refuse_after: 10 },
  link: { slow_after: 30, refuse_after: 100 },
  account: { slow_after: 100, refuse_after: null },
} as const;

const Declines = Nullable(Type.Integer({ minimum: 1, maximum: 100_000 }));

/** After how many declines within an hour. Null: never. */
const Limit = Type.Object({
  /** Each further attempt waits before its card is sent: 1 s, 2 s, 4 s and then 8 s. */
  slow_after: Declines,
  /** Further attempts are refused, and their cards not sent. */
  refuse_after: Declines,
});

export const CardTestingLimits = Type.Object({
  /** From one address: of IPv4, or a /64 of IPv6. */
  address: Limit,
  /** Of one card. */
  card: Limit,
  /** With one payment link. */
  link: Limit,
  /** Of the whole account in one mode. */
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
 * How many declined attempts the checkout pages take, the same in the sandbox and live. Requests by API key are not
 * counted: their address is the merchant's own.
 */
export const cardTestingApi = {
  retrieveCardTestingLimits: {
    id: 'retrieveCardTestingLimits',
    method: 'GET',
    path: '/accounts/:account/settings/card_testing',
    roles: rolesFor.viewing,
    answers: { 200: CardTestingLimits },
  },
  /** Changes those that are named. */
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
