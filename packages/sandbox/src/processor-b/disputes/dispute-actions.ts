import type { DisputePosition } from '../../directives/dispute-directives.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import type { WireResponse } from '../../lib/wire.ts';
import { type Call, respondFresh, type Tools } from '../call/call.ts';
import { continueWith, type Dispute, defended, positionAt } from '../model/dispute.ts';
import { internetTime } from '../model/order.ts';
import { allowedActions, type DisputeAction, stages } from '../present/present-dispute.ts';
import { malformed, unknownResource, unprocessable } from '../wire/errors.ts';
import { optionalText, requiredObject } from '../wire/fields.ts';
import type { UploadedFile } from '../wire/form.ts';
import { changeDispute } from './dispute-store.ts';

/**
 * The actions that a merchant takes in a dispute (PayPal Customer Disputes v1). None of them is idempotent by
 * a request id.
 */

type Move = (dispute: Dispute, position: DisputePosition) => Dispute;

/** Performs an action if the dispute's current position allows it, and refuses otherwise. */
async function perform(
  tools: Tools,
  call: Call,
  id: string,
  action: DisputeAction,
  move: Move,
): Promise<WireResponse> {
  const { merchantAccount, now, view } = call;
  const changed = await changeDispute(tools.deps.database, merchantAccount, id, (dispute) => {
    const position = positionAt(dispute, now);
    if (position === undefined) throw unknownResource();
    if (!allowedActions(position).includes(action)) {
      throw unprocessable('ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE');
    }
    return move(dispute, position);
  });
  if (changed === null) throw unknownResource();
  const links = [{ href: `${view.api}/v1/customer/disputes/${id}`, rel: 'self', method: 'GET' }];
  return respondFresh(tools, { status: 200, body: JSON.stringify({ links }) });
}

const maxNotesLength = 2_000;

/** `POST …/accept-claim`: the buyer keeps the money. */
export function acceptClaim(tools: Tools, call: Call, id: string): Promise<WireResponse> {
  const { accept_claim_type } = call.body;
  optionalText(call.body.note, '/note', maxNotesLength);
  if (accept_claim_type !== undefined && accept_claim_type !== 'REFUND') {
    throw malformed('INVALID_PARAMETER_VALUE', '/accept_claim_type');
  }
  return perform(tools, call, id, 'accept-claim', (dispute, { state }) =>
    continueWith(dispute, [{ state, status: 'accepted' }], call.now),
  );
}

function documentsOf(files: readonly UploadedFile[]): JsonObject {
  return files.length === 0 ? {} : { documents: files.map(({ name }) => ({ name })) };
}

function readEvidence(source: unknown, field: string): JsonObject {
  const { evidence_type, notes, evidence_info } = requiredObject(source, field);
  if (typeof evidence_type !== 'string' || !/^[0-9A-Z_]{1,255}$/.test(evidence_type)) {
    throw malformed('INVALID_PARAMETER_VALUE', `${field}/evidence_type`);
  }
  const text = optionalText(notes, `${field}/notes`, maxNotesLength);
  return {
    evidence_type,
    ...(text === null ? {} : { notes: text }),
    ...(isObject(evidence_info) ? { evidence_info } : {}),
  };
}

/**
 * Reads the evidence of a defence. Files are added to its first item, or to one of type `OTHER` if there is
 * none.
 */
function readEvidences({ body, files, now }: Call): JsonObject[] {
  const { evidences = [] } = body;
  if (!Array.isArray(evidences)) throw malformed('INVALID_PARAMETER_SYNTAX', '/evidences');
  const pieces = evidences.map((piece, index) => readEvidence(piece, `/evidences/${index}`));
  if (pieces.length === 0 && files.length === 0) throw malformed('MISSING_REQUIRED_PARAMETER', '/evidences');
  const submitted = { source: 'SUBMITTED_BY_SELLER', date: internetTime(now) };
  if (files.length === 0) return pieces.map((piece) => ({ ...piece, ...submitted }));
  const [first = { evidence_type: 'OTHER' }, ...rest] = pieces;
  return [{ ...first, ...documentsOf(files) }, ...rest].map((piece) => ({ ...piece, ...submitted }));
}

const atStage = (piece: JsonObject, state: DisputePosition['state']): JsonObject => ({
  ...piece,
  dispute_life_cycle_stage: stages[state],
});

/** `POST …/provide-evidence`: submits the evidence that was asked for. The dispute is then under review. */
export function provideEvidence(tools: Tools, call: Call, id: string): Promise<WireResponse> {
  const evidences = readEvidences(call);
  return perform(tools, call, id, 'provide-evidence', (dispute, { state }) => ({
    ...defended(dispute, call.now),
    evidences: [...dispute.evidences, ...evidences.map((piece) => atStage(piece, state))],
  }));
}

/** `POST …/appeal`: a decision against the merchant is reviewed, and the lost money comes back. */
export function appeal(tools: Tools, call: Call, id: string): Promise<WireResponse> {
  const evidences = readEvidences(call);
  return perform(tools, call, id, 'appeal', (dispute, { state }) => ({
    ...continueWith(
      dispute,
      [
        { state, status: 'challenged' },
        { state, status: 'recovered' },
      ],
      call.now,
    ),
    evidences: [...dispute.evidences, ...evidences.map((piece) => atStage(piece, state))],
  }));
}

/** `POST …/provide-supporting-info`: adds information to a dispute under review, which stays under review. */
export function provideSupportingInfo(tools: Tools, call: Call, id: string): Promise<WireResponse> {
  const notes = optionalText(call.body.notes, '/notes', maxNotesLength);
  if (notes === null && call.files.length === 0) throw malformed('MISSING_REQUIRED_PARAMETER', '/notes');
  const info = {
    ...(notes === null ? {} : { notes }),
    ...documentsOf(call.files),
    source: 'SUBMITTED_BY_SELLER',
    provided_time: internetTime(call.now),
  };
  return perform(tools, call, id, 'provide-supporting-info', (dispute, { state }) => ({
    ...dispute,
    supportingInfo: [...dispute.supportingInfo, atStage(info, state)],
  }));
}

/** `POST …/adjudicate`, in the sandbox only: ends a review at once. */
export function adjudicate(tools: Tools, call: Call, id: string): Promise<WireResponse> {
  const { adjudication_outcome: outcome } = call.body;
  if (outcome !== 'SELLER_FAVOR' && outcome !== 'BUYER_FAVOR') {
    throw malformed('INVALID_PARAMETER_VALUE', '/adjudication_outcome');
  }
  const status = outcome === 'SELLER_FAVOR' ? 'won' : 'lost';
  return perform(tools, call, id, 'adjudicate', (dispute, { state }) =>
    continueWith(dispute, [{ state, status }], call.now),
  );
}

/**
 * `POST …/require-evidence`, in the sandbox only: asks the merchant for evidence again. The simulator does
 * not ask the buyer.
 */
export function requireEvidence(tools: Tools, call: Call, id: string): Promise<WireResponse> {
  if (call.body.action !== 'SELLER_EVIDENCE') throw malformed('INVALID_PARAMETER_VALUE', '/action');
  return perform(tools, call, id, 'require-evidence', (dispute, { state }) =>
    continueWith(dispute, [{ state, status: 'action_required' }], call.now),
  );
}
