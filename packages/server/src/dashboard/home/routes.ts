import {
  type ChecklistStep,
  checklistSteps,
  dashboardApi,
  type Home,
  mayCall,
} from '@till/contract/dashboard';
import { readBranding } from '../../accounts/branding.ts';
import type { AccountContext } from '../../accounts/context.ts';
import type { Database, Queryable } from '../../store/database.ts';
import type { DashboardApi, Staff } from '../api.ts';
import { Calendar } from '../figures/calendar.ts';
import { catchUp, type FigureDependencies } from '../figures/count.ts';
import { readAttention } from './attention.ts';
import { readCharts } from './charts.ts';
import {
  type ChecklistOwner,
  hideChecklist,
  isChecklistHidden,
  showChecklist,
  stepsDone,
} from './checklist-store.ts';
import { readKeyFigures } from './key-figures.ts';

const seesEndpoints = ({ role, livemode }: Staff) =>
  mayCall(dashboardApi.listWebhookEndpoints, role, livemode);

export interface HomeDependencies extends FigureDependencies {
  /** What the page is read with; its sums are brought up to date with it too. */
  readonly reads: Database;
}

async function readChecklist(
  db: Queryable,
  owner: ChecklistOwner,
  livemode: boolean,
): Promise<Home['checklist']> {
  if (await isChecklistHidden(db, owner)) return { hidden: true, steps: [] };
  const [done, look] = await Promise.all([stepsDone(db, owner), readBranding(db, owner.accountId)]);
  // Whoever saved it has decided, also where they keep the account's name and the page's own colour.
  const branding = look.savedAt !== null;
  const all: Readonly<Record<ChecklistStep, boolean>> = { ...done, branding, go_live: livemode };
  // What only the sandbox can do is no longer asked of whoever went live without it.
  const asked = checklistSteps.filter((id) => !livemode || all[id] || !id.startsWith('test_'));
  return { hidden: false, steps: asked.map((id) => ({ id, done: all[id] })) };
}

/** The home page of an account. */
export function homeDashboardRoutes(api: DashboardApi, { db, reads, clock }: HomeDependencies): void {
  api.mount(dashboardApi.retrieveHome, async ({ staff, context }) => {
    const [checklist, attention] = await Promise.all([
      readChecklist(reads, staff, staff.livemode),
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
  figureRoutes(api, { db: reads, clock });
}

function figureRoutes(api: DashboardApi, deps: FigureDependencies): void {
  const { db, clock } = deps;
  const calendarOf = (zone: string | undefined) => new Calendar(zone ?? 'UTC');
  const tenantOf = ({ accountId, livemode }: AccountContext) => ({ accountId, livemode });
  api.mount(dashboardApi.retrieveKeyFigures, async ({ context, query }) => {
    const calendar = calendarOf(query.time_zone);
    const tenant = tenantOf(context);
    const complete = await catchUp(deps, tenant);
    return {
      status: 200,
      body: { complete, data: await readKeyFigures(db, tenant, context.now, calendar) },
    };
  });
  api.mount(dashboardApi.retrieveCharts, async ({ staff, context, query }) => {
    const calendar = calendarOf(query.time_zone);
    const tenant = tenantOf(context);
    const complete = await catchUp(deps, tenant);
    const options = {
      days: Number(query.range ?? '30'),
      currency: query.currency ?? null,
      now: context.now,
      realNow: clock.now(),
      seesEndpoints: seesEndpoints(staff),
    };
    return { status: 200, body: { complete, ...(await readCharts(db, tenant, options, calendar)) } };
  });
}
