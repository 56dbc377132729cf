import { type Attention, attentionLimits } from '@till/contract/dashboard';
import * as disputes from '../../disputes/sql.ts';
import * as alerts from '../../payment-alerts/sql.ts';
import * as payments from '../../payments/sql.ts';
import * as refunds from '../../refunds/reads.ts';
import type { Queryable } from '../../store/database.ts';
import { firstRows } from '../../store/list.ts';
import type { Tenant } from '../../store/tenant.ts';
import * as endpoints from '../../webhooks/lists/endpoints.ts';

type Kind<Name extends Exclude<keyof Attention, 'card_testing'>> = NonNullable<
  Attention[Name]
>['data'][number];
/** An item as the database returns it: its times are `Date`s. */
type Dated<T, Times extends keyof T> = Omit<T, Times> & {
  readonly [Name in Times]: Date | Extract<T[Name], null>;
};

export type DueDispute = Dated<Kind<'disputes'>, 'respond_by'>;
export type OpenAlert = Dated<Kind<'alerts'>, 'created_at'>;
export type EndingHold = Dated<Kind<'holds'>, 'authorization_expires'>;
export type EndingGuarantee = Dated<Kind<'guarantees'>, 'authorization_guaranteed_until'>;
export type FailedRefund = Dated<Kind<'failed_refunds'>, 'created_at'>;
export type FailingEndpoint = Dated<NonNullable<Attention['endpoints']>['data'][number], 'failing_since'>;
export type StuckRefund = Dated<Kind<'refunds'>, 'created_at'>;
export type DoubtfulOperation = Dated<Kind<'in_doubt'>, 'since' | 'next_try_at'>;

const ofTenant = (tenant: Tenant, ...values: readonly unknown[]) => ({
  values: [tenant.tenant, ...values],
  scope: tenant,
});

/** Disputes that wait for an answer, the nearest deadline first. */
export const disputesDue = (db: Queryable, tenant: Tenant) =>
  firstRows<DueDispute>(db, disputes.disputesDue, ofTenant(tenant), attentionLimits);

/** Reports of processors against settled payments that nobody has dealt with yet, newest first. */
export const openAlerts = (db: Queryable, tenant: Tenant) =>
  firstRows<OpenAlert>(db, alerts.openAlerts(payments.joinPayment('a')), ofTenant(tenant), attentionLimits);

/** Holds that end between two times. */
export const holdsEnding = (db: Queryable, tenant: Tenant, from: Date, to: Date) =>
  firstRows<EndingHold>(db, payments.holdsEnding, ofTenant(tenant, from, to), attentionLimits);

/** Holds whose guarantee ends between two times. */
export const guaranteesEnding = (db: Queryable, tenant: Tenant, from: Date, to: Date) =>
  firstRows<EndingGuarantee>(db, payments.guaranteesEnding, ofTenant(tenant, from, to), attentionLimits);

/** Failed refunds that nobody has dealt with yet, newest first. */
export const failedRefunds = (db: Queryable, tenant: Tenant) =>
  firstRows<FailedRefund>(db, refunds.failedRefunds, ofTenant(tenant), attentionLimits);

/** Endpoints that are failing now or are paused. */
export const failingEndpoints = (db: Queryable, accountId: string) =>
  firstRows<FailingEndpoint>(
    db,
    endpoints.failingEndpoints,
    { values: [accountId], scope: { accountId } },
    attentionLimits,
  );

/** Refunds that have been pending since before a time, or that the processor has reported nothing about. */
export const stuckRefunds = (db: Queryable, tenant: Tenant, before: Date) =>
  firstRows<StuckRefund>(db, refunds.stuckRefunds, ofTenant(tenant, before), attentionLimits);

/** Operations that were sent to the processor before a time and have no answer. */
export const operationsInDoubt = (db: Queryable, tenant: Tenant, before: Date) =>
  firstRows<DoubtfulOperation>(db, payments.operationsInDoubt, ofTenant(tenant, before), attentionLimits);
