import { merchantApi } from '@till/contract';
import type { MerchantApi } from '../http/api/merchant-api.ts';
import type { CallerIdentity } from '../http/api/merchant-guards.ts';
import type { Database } from '../store/database.ts';
import { listEvents, retrieveEvent } from './events.ts';

export function eventRoutes<Caller extends CallerIdentity, Claim>(
  api: MerchantApi<Caller, Claim>,
  db: Database,
): void {
  api.mount(merchantApi.retrieveEvent, async ({ caller, params }) => ({
    status: 200,
    text: await retrieveEvent(db, caller, params.id ?? ''),
  }));
  api.mount(merchantApi.listEvents, async ({ caller, query }) => ({
    status: 200,
    text: await listEvents(db, caller, query),
  }));
}
