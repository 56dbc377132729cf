import type { Approval, ApprovalListQuery } from '../generated/index.ts';
import type { Client, RequestOptions } from '../http/client.ts';
import { type Listing, listing } from '../http/listing.ts';

/**
 * Whether the answer to a refund, a capture or a new payment link is an approval: with a restricted key whose `approval_above` the amount is
 * above, it waits for a person. Full keys never get one, so TypeScript expects one only where you name it:
 * `const answer: Refund | Approval = await till.refunds.create(payment)`.
 */
export const isApproval = (answer: { readonly object: string }): answer is Approval =>
  answer.object === 'approval';

export class Approvals {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** @throws TillError `not_found` */
  retrieve(id: string, options?: RequestOptions): Promise<Approval> {
    return this.#client.call('retrieveApproval', { path: { id } }, options);
  }

  /** @throws TillError */
  list(query: ApprovalListQuery = {}, options?: RequestOptions): Listing<Approval> {
    return listing(
      (page) => this.#client.call('listApprovals', { query: { ...query, page } }, options),
      query.page,
    );
  }
}
