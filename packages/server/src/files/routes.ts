import { merchantApi } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { MerchantApi } from '../http/api/merchant-api.ts';
import type { Claim } from '../idempotency/claims.ts';
import { createFile, type FileParts, presentFile, retrieveFile } from './files.ts';

/** To be mounted only where the disputes API is turned on. */
export function fileRoutes(api: MerchantApi<AccountContext, Claim>, parts: FileParts): void {
  api.mount(merchantApi.createFile, async ({ caller, upload }) => ({
    status: 201,
    body: presentFile(await createFile(parts, caller, await upload())),
  }));
  api.mount(merchantApi.retrieveFile, async ({ caller, params }) => ({
    status: 200,
    body: presentFile(await retrieveFile(parts, caller, params.id ?? '')),
  }));
}
