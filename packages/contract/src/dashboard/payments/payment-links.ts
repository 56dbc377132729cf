import { type Static, Type } from 'typebox';
import { type DashboardOperation, Done, PageOf, rolesFor } from '../../api/dashboard-operation.ts';
import { Approval } from '../../objects/approval.ts';
import {
  PaymentLink,
  PaymentLinkCreate,
  PaymentLinkUpdate,
  paymentLinkStatuses,
} from '../../objects/payment-link.ts';
import { limits, Ref } from '../../primitives/common.ts';
import { AnyOf, listLimits } from './payments.ts';

/** A payment link with what buyers paid through it. */
export const PaymentLinkItem = Type.Object({
  link: Ref(PaymentLink),
  /** Sum of the succeeded payments in minor units. Refunds are not subtracted. */
  paid_amount: Type.Integer(),
  /** Number of attempts that have not ended. */
  open_count: Type.Integer(),
});
export type PaymentLinkItem = Static<typeof PaymentLinkItem>;

const linkFilters = { status: Type.Optional(AnyOf(paymentLinkStatuses)) };

export const PaymentLinksExportQuery = Type.Object(linkFilters);
export type PaymentLinksExportQuery = Static<typeof PaymentLinksExportQuery>;

/** Payment links. The roles that may refund can create, change and email them. */
export const paymentLinksApi = {
  listPaymentLinks: {
    id: 'listPaymentLinks',
    method: 'GET',
    path: '/accounts/:account/payment_links',
    roles: rolesFor.viewing,
    query: Type.Object({
      ...linkFilters,
      page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 })),
      per_page: Type.Optional(
        Type.Integer({ minimum: 1, maximum: limits.pageSizeMax, default: listLimits.perPage }),
      ),
    }),
    answers: { 200: PageOf(PaymentLinkItem) },
  },
  /** A CSV file of exactly the links that the list shows with these filters, across all pages. */
  exportPaymentLinks: {
    id: 'exportPaymentLinks',
    method: 'GET',
    path: '/accounts/:account/payment_links/export',
    roles: rolesFor.viewing,
    query: PaymentLinksExportQuery,
    answers: {},
    audit: 'payment_links.exported',
  },
  retrievePaymentLink: {
    id: 'retrievePaymentLink',
    method: 'GET',
    path: '/accounts/:account/payment_links/:id',
    roles: rolesFor.viewing,
    answers: { 200: PaymentLinkItem },
  },
  createPaymentLink: {
    id: 'createPaymentLink',
    method: 'POST',
    movesMoney: false,
    path: '/accounts/:account/payment_links',
    roles: rolesFor.money,
    sandboxRoles: ['developer'],
    idempotency: 'required',
    body: Ref(PaymentLinkCreate),
    answers: { 201: Ref(PaymentLink), 202: Ref(Approval) },
    audit: 'payment_link.created',
  },
  updatePaymentLink: {
    id: 'updatePaymentLink',
    method: 'PATCH',
    path: '/accounts/:account/payment_links/:id',
    roles: rolesFor.money,
    sandboxRoles: ['developer'],
    body: Ref(PaymentLinkUpdate),
    keepsNull: true,
    answers: { 200: PaymentLinkItem },
    audit: 'payment_link.updated',
  },
  /**
   * Sends the link's address by email, in the language of the shop's pages. The number of these emails per
   * day is limited per account and per recipient.
   */
  mailPaymentLink: {
    id: 'mailPaymentLink',
    method: 'POST',
    movesMoney: false,
    path: '/accounts/:account/payment_links/:id/mail',
    roles: rolesFor.money,
    sandboxRoles: ['developer'],
    idempotency: 'required',
    body: Type.Object({ to: Type.String({ maxLength: limits.emailLength }) }),
    answers: { 201: Done },
    audit: 'payment_link.mailed',
  },
} as const satisfies Record<string, DashboardOperation>;
