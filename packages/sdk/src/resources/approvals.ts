import type { Approval, ApprovalListQuery } from '../generated/index.ts';
import type { Client, RequestOptions } from '../http/client.ts';
import { type Listing, listing } from '../http/listing.ts';

/**
 * Whether the response to a refund, a capture or a new payment link is an approval. A restricted key receives
 * one if the amount exceeds its `approval_above`: the request then waits for a person to decide. Full keys
 * never receive one, so the return type includes `Approval` only if you name it:
 * `const answer: Refund | Approval = await till.refunds.create(payment)`.
 */
export const isApproval = (answer: { readonly object: string }): answer is Approval =>
  answer.object === 'approval';

/**
 * Requests of restricted keys that wait, or waited, for a person to decide. The decision is made in the
 * dashboard or at the command line, never through the API.
 */
export class Approvals {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Retrieves an approval.
   * @param id the `apr_` id
   * @throws TillError `not_found`
   */
  retrieve(id: string, options?: RequestOptions): Promise<Approval> {
    return this.#client.call('retrieveApproval', { path: { id } }, options);
  }

  /**
   * Lists approvals, newest first.
   * @throws TillError `invalid_params` for an invalid filter
   */
  list(query: ApprovalListQuery = {}, options?: RequestOptions): Listing<Approval> {
    return listing(
      (page) => this.#client.call('listApprovals', { query: { ...query, page } }, options),
      query.page,
    );
  }
}
