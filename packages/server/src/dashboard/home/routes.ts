import {
  type ChecklistStep,
  checklistSteps,
  dashboardApi,
  type Home,
  mayCall,
} from '@till/contract/dashboard';
import { readBranding } from '../../accounts/branding.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database, Queryable } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';
import type { DashboardApi, Staff } from '../api.ts';
import { Calendar } from '../figures/calendar.ts';
import { catchUp, isCounted } from '../figures/count.ts';
import { readAttention } from './attention.ts';
import { readCharts } from './charts.ts';
import { hideChecklist, isChecklistHidden, showChecklist, stepsDone } from './checklist-store.ts';
import { readKeyFigures } from './key-figures.ts';

const seesEndpoints = ({ role, livemode }: Staff) =>
  mayCall(dashboardApi.listWebhookEndpoints, role, livemode);

export interface HomeDependencies {
  readonly db: Database;
  readonly clock: Pick<Clock, 'now' | 'delay'>;
  /** The database for the page. */
  readonly reads: Database;
  /** The database in which the sums are brought up to date. */
  readonly primary: Database;
}

async function readChecklist(db: Queryable, staff: Staff): Promise<Home['checklist']> {
  if (await isChecklistHidden(db, staff)) return { hidden: true, steps: [] };
  const [done, look] = await Promise.all([stepsDone(db, staff), readBranding(db, staff.accountId)]);
  // Saving the branding completes the step, even if it keeps the account's name and the default colour.
  const branding = look.savedAt !== null;
  const all: Readonly<Record<ChecklistStep, boolean>> = { ...done, branding, go_live: staff.livemode };
  // An account that went live without a sandbox-only step is no longer asked to do it.
  const asked = checklistSteps.filter((id) => !staff.livemode || all[id] || !id.startsWith('test_'));
  return { hidden: false, steps: asked.map((id) => ({ id, done: all[id] })) };
}

/** The operations of an account's home page. */
export function homeDashboardRoutes(api: DashboardApi, deps: HomeDependencies): void {
  const { db, reads, clock } = deps;
  api.mount(dashboardApi.retrieveHome, async ({ staff, context }) => {
    const [checklist, attention] = await Promise.all([
      readChecklist(reads, staff),
      readAttention(reads, staff, { now: context.now, seesEndpoints: seesEndpoints(staff) }),
    ]);
    return { status: 200, body: { checklist, attention } };
  });
  api.mount(dashboardApi.changeChecklist, async ({ staff, body, audit }) => {
    await db.transaction(async (tx) => {
      if (body.hidden) await hideChecklist(tx, staff, clock.now());
      else await showChecklist(tx, staff);
      await audit({ objectId: null, after: { hidden: body.hidden } }, tx);
    });
    return { status: 200, body: { done: true } };
  });
  figureRoutes(api, deps);
}

/** Selects the database for the sums: the one for reads if the sums are complete there, else the primary after a catch-up. */
async function upToDate({ reads, primary, clock }: HomeDependencies, tenant: Tenant) {
  if (reads !== primary && (await isCounted(reads, tenant))) return { db: reads, complete: true };
  return { db: primary, complete: await catchUp({ db: primary, clock }, tenant) };
}

function figureRoutes(api: DashboardApi, deps: HomeDependencies): void {
  const calendarOf = (zone: string | undefined) => new Calendar(zone ?? 'UTC');
  api.mount(dashboardApi.retrieveKeyFigures, async ({ context, query }) => {
    const calendar = calendarOf(query.time_zone);
    const { db, complete } = await upToDate(deps, context);
    return {
      status: 200,
      body: { complete, data: await readKeyFigures(db, context, context.now, calendar) },
    };
  });
  api.mount(dashboardApi.retrieveCharts, async ({ staff, context, query }) => {
    const calendar = calendarOf(query.time_zone);
    const { db, complete } = await upToDate(deps, context);
    const options = {
      days: Number(query.range ?? '30'),
      currency: query.currency ?? null,
      now: context.now,
      realNow: deps.clock.now(),
      seesEndpoints: seesEndpoints(staff),
    };
    return { status: 200, body: { complete, ...(await readCharts(db, context, options, calendar)) } };
  });
}
