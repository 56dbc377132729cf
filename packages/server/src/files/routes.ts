import { merchantApi } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { MerchantApi } from '../http/api/merchant-api.ts';
import type { Claim } from '../idempotency/claims.ts';
import { createFile, type FileDependencies, presentFile, retrieveFile } from './files.ts';

/** Mount these routes only if the disputes API is turned on. */
export function fileRoutes(api: MerchantApi<AccountContext, Claim>, deps: FileDependencies): void {
  api.mount(merchantApi.createFile, async ({ caller, upload }) => ({
    status: 201,
    body: presentFile(await createFile(deps, caller, await upload()), caller),
  }));
  api.mount(merchantApi.retrieveFile, async ({ caller, params }) => ({
    status: 200,
    body: presentFile(await retrieveFile(deps, caller, params.id ?? ''), caller),
  }));
}
