import { disputeStepMs } from '../../directives/dispute-directives.ts';
import type { SandboxDependencies } from '../../lib/dependencies.ts';
import type { JsonObject } from '../../lib/json.ts';
import { jsonResponse, type WireResponse } from '../../lib/wire.ts';
import { invalid, ServiceRefusal } from '../authorisation/errors.ts';
import { applicableReasons, objectionTo, readDocuments } from './defence.ts';
import {
  currentStep,
  type Dispute,
  defenceOf,
  redirected,
  type Step,
  spaced,
  waitsForMerchant,
} from './dispute.ts';
import { findDispute, replaceDispute } from './dispute-store.ts';

/** An authenticated request of the dispute service. */
export interface DisputeCall {
  readonly body: JsonObject;
  readonly merchantAccount: string;
  readonly upstreamId: string;
}

/**
 * Reads the merchant account and the dispute of a request body (Adyen Disputes API v30).
 * @throws ServiceRefusal if either is missing
 */
export function readDisputeCall(body: JsonObject): DisputeCall {
  const { merchantAccountCode, disputePspReference } = body;
  if (typeof merchantAccountCode !== 'string' || merchantAccountCode === '') {
    throw new ServiceRefusal(403, '901', 'Invalid Merchant Account', 'security');
  }
  if (typeof disputePspReference !== 'string' || disputePspReference === '') {
    throw invalid('14_018', 'Field disputePspReference is not valid.');
  }
  return { body, merchantAccount: merchantAccountCode, upstreamId: disputePspReference };
}

/**
 * Applies a request to a dispute. Returns the changed dispute, the same one if nothing changes, or an error
 * message.
 */
type Change = (dispute: Dispute, step: Step, body: JsonObject, now: Date) => Dispute | string;

const unknownDispute = 'The dispute is not found';
const notOpen = 'The dispute does not wait for an answer';

function serviceResult(problem: string | undefined, rest: object = {}): WireResponse {
  const disputeServiceResult =
    problem === undefined ? { success: true } : { success: false, errorMessage: problem };
  return jsonResponse(200, JSON.stringify({ ...rest, disputeServiceResult }));
}

const accept: Change = (dispute, step, _body, now) => {
  // A retry after a lost response.
  if (step.status === 'accepted') return dispute;
  if (!waitsForMerchant(step)) return notOpen;
  const accepted = { state: step.state, status: 'accepted' } as const;
  return { ...dispute, steps: redirected(dispute.steps, now, [{ position: accepted, at: now }]) };
};

/**
 * The positions after a defence: at the first position those of the directive, later on those of the
 * merchant's success.
 */
function pathOf(dispute: Dispute, step: Step): Dispute['afterDefence'] {
  return step === dispute.steps[0] ? dispute.afterDefence : defenceOf(step.state);
}

const defend: Change = (dispute, step, body, now) => {
  if (step.status === 'challenged') return dispute;
  if (!waitsForMerchant(step)) return notOpen;
  const objection = objectionTo(body.defenseReasonCode, dispute.documents);
  if (objection !== undefined) return objection;
  const challenged = { state: step.state, status: 'challenged' } as const;
  const path = spaced([challenged, ...pathOf(dispute, step)], now, disputeStepMs);
  return { ...dispute, steps: redirected(dispute.steps, now, path) };
};

const supply: Change = (dispute, step, body) => {
  if (!waitsForMerchant(step)) return notOpen;
  const documents = readDocuments(body.defenseDocuments);
  if (typeof documents === 'string') return documents;
  const replaced = new Set(documents.map(({ typeCode }) => typeCode));
  const kept = dispute.documents.filter(({ typeCode }) => !replaced.has(typeCode));
  return { ...dispute, documents: [...kept, ...documents] };
};

const withdraw: Change = (dispute, step, body) => {
  if (!waitsForMerchant(step)) return notOpen;
  const documents = dispute.documents.filter(({ typeCode }) => typeCode !== body.defenseDocumentType);
  if (documents.length === dispute.documents.length) return 'The defense document is not found';
  return { ...dispute, documents };
};

/** The operations of Adyen's dispute service (Adyen Disputes API v30), by the last segment of their paths. */
export function createDisputeService(
  deps: Pick<SandboxDependencies, 'database' | 'now'>,
): Readonly<Record<string, (call: DisputeCall) => Promise<WireResponse>>> {
  const read = async ({ merchantAccount, upstreamId }: DisputeCall) => {
    const found = await findDispute(deps.database, merchantAccount, upstreamId);
    const now = await deps.now(merchantAccount);
    const step = found === null ? undefined : currentStep(found.dispute, now);
    return found === null || step === undefined ? null : { found, step, now };
  };
  const changeBy = (change: Change) => async (call: DisputeCall) => {
    for (;;) {
      const present = await read(call);
      if (present === null) return serviceResult(unknownDispute);
      const { found, step, now } = present;
      const after = change(found.dispute, step, call.body, now);
      if (typeof after === 'string') return serviceResult(after);
      if (after === found.dispute) return serviceResult(undefined);
      if (await replaceDispute(deps.database, found, after)) return serviceResult(undefined);
    }
  };
  return {
    async retrieveApplicableDefenseReasons(call) {
      const present = await read(call);
      if (present === null) return serviceResult(unknownDispute);
      const { found, step } = present;
      const defenseReasons = waitsForMerchant(step) ? applicableReasons(found.dispute.documents) : [];
      return serviceResult(undefined, { defenseReasons });
    },
    supplyDefenseDocument: changeBy(supply),
    deleteDisputeDefenseDocument: changeBy(withdraw),
    defendDispute: changeBy(defend),
    acceptDispute: changeBy(accept),
  };
}
