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

/** A link with what came in by it. */
export const PaymentLinkItem = Type.Object({
  link: Ref(PaymentLink),
  /** Sum of the payments that succeeded, in minor units; refunds are not taken off. */
  paid_amount: Type.Integer(),
  /** Attempts that have not ended. */
  open_count: Type.Integer(),
});
export type PaymentLinkItem = Static<typeof PaymentLinkItem>;

const linkFilters = { status: Type.Optional(AnyOf(paymentLinkStatuses)) };

export const PaymentLinksExportQuery = Type.Object(linkFilters);
export type PaymentLinksExportQuery = Static<typeof PaymentLinksExportQuery>;

/** Addresses at which buyers pay. Roles that refund make, change and mail them. */
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
  /** A CSV file of exactly what the list shows with these filters, all pages of it. */
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
  /** Sends the address by mail, in the language of the shop's pages; so many of an account and to one address on a day. */
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
