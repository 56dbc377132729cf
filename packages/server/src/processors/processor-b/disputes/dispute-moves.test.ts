import { describe, expect, it } from 'vitest';
import type { DefendDisputeRequest } from '../../port/disputes.ts';
import { reply, type Step } from '../../wire/test-transport.ts';
import { TransportError, type WireRequest } from '../../wire/transport.ts';
import { connection, disputeBody, fault, foreignPage, missing, run } from '../test-kit.ts';

const upstreamId = disputeBody().dispute_id;
const path = `/v1/customer/disputes/${upstreamId}`;
const move = { disputeId: 'dp_1', upstreamId, upstreamKey: 'dp_1:accept' };
const accept = (steps: readonly Step[]) => run(steps, (port) => port.acceptDispute(connection, move));
const receipt = {
  name: 'Café receipt "7".pdf',
  contentType: 'application/pdf',
  content: Buffer.from([0x25, 0x50, 0x44, 0x46, 0, 13, 10, 255]),
} as const;
const defence: DefendDisputeRequest = {
  ...move,
  upstreamKey: 'dp_1:defend',
  state: 'chargeback',
  reasonCode: null,
  statement: 'It was delivered.',
  evidence: [
    { type: 'receipt', text: null, file: receipt },
    { type: 'shipping_documentation', text: 'Tracking 1Z', file: null },
  ],
};
const defend = (steps: readonly Step[], changes: Partial<DefendDisputeRequest> = {}) =>
  run(steps, (port) => port.defendDispute(connection, { ...defence, ...changes }));

/** Parses the parts of a form with another implementation. */
async function formOf(request: WireRequest | undefined) {
  const { 'content-type': contentType = '' } = request?.headers ?? {};
  const body = Buffer.from(request?.body ?? '');
  const form = await new Response(body, { headers: { 'content-type': contentType } }).formData();
  const input = form.get('input');
  return { form, input: JSON.parse(typeof input === 'string' ? input : ((await input?.text()) ?? 'null')) };
}
const links = (...rels: string[]) => ({
  links: rels.map((rel) => ({ rel, href: `https://api-m.example${path}/${rel}`, method: 'POST' })),
});
const shown = (changes: object = {}) => reply(200, disputeBody(changes));
const taken = reply(200, { links: [] });

describe('acceptDispute', () => {
  it('accepts the claim with a refund', async () => {
    const { outcome, calls, keys, sent } = await accept([shown(), taken]);
    expect(outcome).toEqual({ kind: 'done' });
    expect(calls).toEqual([`GET ${path}`, `POST ${path}/accept-claim`]);
    expect(keys[1]).toBe('dp_1:accept');
    const { input } = await formOf(sent[1]);
    expect(input).toEqual({ accept_claim_type: 'REFUND', note: expect.any(String) });
  });

  it('succeeds where the claim was accepted before', async () => {
    const resolved = shown({ status: 'RESOLVED', dispute_outcome: { outcome_code: 'ACCEPTED' } });
    const { outcome, sent } = await accept([resolved]);
    expect(outcome).toEqual({ kind: 'done' });
    expect(sent).toHaveLength(1);
  });

  it.each(['RESOLVED_SELLER_FAVOUR', 'RESOLVED_BUYER_FAVOUR'])(
    'refused where the dispute is over: %s',
    async (outcome_code) => {
      const { outcome, sent } = await accept([
        shown({ status: 'RESOLVED', dispute_outcome: { outcome_code } }),
      ]);
      expect(outcome.kind).toBe('refused');
      expect(sent).toHaveLength(1);
    },
  );

  it('accepts only with a plain refund', async () => {
    const allowing = (...accept_claim_types: string[]) =>
      shown({ allowed_response_options: { accept_claim: { accept_claim_types } } });
    expect((await accept([allowing('REFUND_WITH_RETURN')])).outcome.kind).toBe('refused');
    expect((await accept([allowing('REFUND', 'PARTIAL_REFUND'), taken])).outcome.kind).toBe('done');
  });
});

describe('defendDispute', () => {
  it('sends the requested evidence with its files', async () => {
    const { outcome, calls, keys, sent } = await defend([shown(), taken]);
    expect(outcome).toEqual({ kind: 'done' });
    expect(calls).toEqual([`GET ${path}`, `POST ${path}/provide-evidence`]);
    expect(keys[1]).toBe('dp_1:defend');
    const { form, input } = await formOf(sent[1]);
    expect(input).toEqual({
      evidences: [
        { evidence_type: 'OTHER', notes: 'It was delivered.' },
        { evidence_type: 'PROOF_OF_RECEIPT_COPY', documents: [{ name: '1-Cafe-receipt-7-.pdf' }] },
        { evidence_type: 'PROOF_OF_FULFILLMENT', notes: 'Tracking 1Z' },
      ],
    });
    const [file] = form.getAll('evidence-file');
    expect(file).toMatchObject({ name: '1-Cafe-receipt-7-.pdf', type: 'application/pdf' });
    const bytes = file instanceof Blob ? await file.arrayBuffer() : new ArrayBuffer(0);
    expect(Buffer.from(bytes)).toEqual(receipt.content);
  });

  it('is byte for byte the same for the same defence', async () => {
    const [one, other] = await Promise.all([defend([shown(), taken]), defend([shown(), taken])]);
    expect(one.sent[1]).toEqual(other.sent[1]);
  });

  it.each([
    ['receipt', 'PROOF_OF_RECEIPT_COPY'],
    ['proof_of_delivery', 'PROOF_OF_DELIVERY_SIGNATURE'],
    ['shipping_documentation', 'PROOF_OF_FULFILLMENT'],
    ['proof_of_refund', 'PROOF_OF_REFUND'],
    ['refund_policy', 'RETURN_POLICY'],
    ['cancellation_policy', 'RETURN_POLICY'],
    ['recurring_agreement', 'BILLING_AGREEMENT'],
    ['service_documentation', 'PROOF_FOR_SOFTWARE_OR_SERVICE_DELIVERED'],
    ['customer_communication', 'OTHER'],
    ['access_activity_log', 'OTHER'],
  ])('maps %s to %s', async (type, evidence_type) => {
    const changes = { statement: null, evidence: [{ type, text: ' t ', file: null }] };
    const { sent } = await defend([shown(), taken], changes);
    expect((await formOf(sent[1])).input).toEqual({ evidences: [{ evidence_type, notes: 't' }] });
  });

  it('renames files of equal names, and truncates long texts', async () => {
    const file = { ...receipt, name: `${'n'.repeat(300)}.PDF` };
    const evidence = [
      { type: 'receipt', text: 'x'.repeat(2500), file },
      { type: 'receipt', text: null, file },
    ];
    const { sent } = await defend([shown(), taken], { statement: null, evidence });
    const { form, input } = await formOf(sent[1]);
    const named = form.getAll('evidence-file').map((one) => (one instanceof File ? one.name : ''));
    expect(named).toEqual([`1-${'n'.repeat(100)}.pdf`, `2-${'n'.repeat(100)}.pdf`]);
    expect(input.evidences[0].notes).toHaveLength(2000);
  });

  it.each([
    ['UNDER_REVIEW', ['self', 'provide-supporting-info', 'appeal'], 'provide-supporting-info'],
    ['RESOLVED', ['self', 'appeal'], 'appeal'],
    ['UNDER_REVIEW', ['provide_evidence'], 'provide-evidence'],
    ['WAITING_FOR_SELLER_RESPONSE', ['self'], 'provide-evidence'],
  ])('chooses the operation by the dispute’s links: %j', async (status, rels, action) => {
    const { outcome, calls } = await defend([shown({ status, ...links(...rels) }), taken]);
    expect(outcome.kind).toBe('done');
    expect(calls[1]).toBe(`POST ${path}/${action}`);
  });

  it('sends one note where single pieces of evidence are not accepted', async () => {
    const dispute = shown({ status: 'UNDER_REVIEW', ...links('provide-supporting-info') });
    const { sent } = await defend([dispute, taken]);
    const { form, input } = await formOf(sent[1]);
    expect(input).toEqual({ notes: 'It was delivered.\n\nTracking 1Z' });
    expect(form.getAll('supporting document')).toHaveLength(1);
  });

  it('refused where no evidence is accepted now', async () => {
    const { outcome, sent } = await defend([shown({ status: 'UNDER_REVIEW', ...links('self') })]);
    expect(outcome).toEqual({ kind: 'refused', message: expect.any(String) });
    expect(sent).toHaveLength(1);
  });

  it('succeeds where the text is there already, since its answer may have been lost', async () => {
    const defended = (...notes: string[]) => ({
      status: 'UNDER_REVIEW',
      evidences: notes.map((note) => ({ source: 'SUBMITTED_BY_SELLER', notes: note })),
    });
    const said = ['It was delivered.', 'Tracking 1Z'];
    expect((await defend([shown(defended(...said))])).outcome).toEqual({ kind: 'done' });
    expect((await defend([shown(defended('It was delivered.'))])).outcome.kind).toBe('refused');
    const supporting = {
      status: 'UNDER_REVIEW',
      supporting_info: [{ source: 'SUBMITTED_BY_SELLER', notes: said.join('\n\n') }],
    };
    expect((await defend([shown(supporting)])).outcome).toEqual({ kind: 'done' });
    const open = { ...defended(...said), ...links('provide-supporting-info') };
    expect((await defend([shown(open)])).sent).toHaveLength(1);
    const lost = { ...defended(...said), ...links('appeal'), status: 'RESOLVED' };
    expect((await defend([shown(lost), taken])).calls[1]).toBe(`POST ${path}/appeal`);
    const repeated = await defend([shown(lost), taken], { isRepeat: true });
    expect([repeated.outcome.kind, repeated.sent.length]).toEqual(['done', 1]);
    const byBuyer = { ...defended(), evidences: [{ source: 'SUBMITTED_BY_BUYER', notes: said[0] }] };
    const silent = { statement: 'It was delivered.', evidence: [] };
    expect((await defend([shown(byBuyer)], silent)).outcome.kind).toBe('refused');
  });

  it('succeeds where it was decided after a defence whose answer was lost, but not by one of an earlier stage', async () => {
    const decided = (stage: string) => ({
      status: 'RESOLVED',
      dispute_life_cycle_stage: 'CHARGEBACK',
      dispute_outcome: { outcome_code: 'RESOLVED_SELLER_FAVOUR' },
      evidences: ['It was delivered.', 'Tracking 1Z'].map((notes) => ({
        source: 'SUBMITTED_BY_SELLER',
        notes,
        dispute_life_cycle_stage: stage,
      })),
    });
    expect((await defend([shown(decided('CHARGEBACK'))])).outcome).toEqual({ kind: 'done' });
    expect((await defend([shown(decided('INQUIRY'))])).outcome.kind).toBe('refused');
  });

  it('succeeds where another copy was accepted between reading and sending', async () => {
    const evidences = ['It was delivered.', 'Tracking 1Z'].map((notes) => ({
      source: 'SUBMITTED_BY_SELLER',
      notes,
    }));
    const steps = [shown(), fault(422, 'DISPUTE_NOT_OPEN'), shown({ status: 'UNDER_REVIEW', evidences })];
    expect((await defend(steps)).outcome).toEqual({ kind: 'done' });
    const resolved = shown({ status: 'RESOLVED', dispute_outcome: { outcome_code: 'ACCEPTED' } });
    expect((await accept([shown(), fault(422, 'DISPUTE_NOT_OPEN'), resolved])).outcome).toEqual({
      kind: 'done',
    });
  });

  it('refused without text and files', async () => {
    const evidence = [{ type: 'receipt', text: ' ', file: null }];
    const { outcome, sent } = await defend([shown()], { statement: ' ', evidence });
    expect(outcome.kind).toBe('refused');
    expect(sent).toHaveLength(1);
  });
});

describe.each([
  ['acceptDispute', accept],
  ['defendDispute', defend],
] as const)('%s, other outcomes', (_, attempt) => {
  it.each([fault(400, 'INVALID_EVIDENCE'), fault(422, 'DISPUTE_NOT_OPEN'), missing])(
    '%# refused with a message of ours',
    async (step) => {
      const { outcome, calls } = await attempt([shown(), step, shown()]);
      expect(outcome).toEqual({ kind: 'refused', message: expect.stringMatching(/^The processor/) });
      expect(calls.at(-1)).toBe(`GET ${path}`);
    },
  );

  it('in doubt where it is refused and the dispute cannot be read again', async () => {
    const { outcome } = await attempt([shown(), fault(422, 'DISPUTE_NOT_OPEN'), reply(503)]);
    expect(outcome).toMatchObject({ kind: 'unknown', answer: 'provider_unavailable' });
  });

  it.each([
    [fault(403, 'PERMISSION_DENIED'), 'not_executed', 'provider_error'],
    [foreignPage, 'unknown', 'provider_error'],
    [reply(429), 'not_executed', 'provider_unavailable'],
    [reply(409), 'unknown', 'provider_unavailable'],
    [fault(422, 'PREVIOUS_REQUEST_IN_PROGRESS'), 'unknown', 'provider_unavailable'],
    [reply(500), 'unknown', 'provider_error'],
    [reply(503), 'unknown', 'provider_unavailable'],
    [new TransportError('timeout'), 'unknown', 'provider_unavailable'],
    [new TransportError('not_sent'), 'not_executed', 'provider_unavailable'],
  ])('%# not a definite answer', async (step, kind, answer) => {
    expect((await attempt([shown(), step])).outcome).toMatchObject({ kind, answer });
  });

  it('in doubt where it is refused after an earlier copy', async () => {
    const inProgress = fault(422, 'PREVIOUS_REQUEST_IN_PROGRESS');
    const { outcome } = await attempt([shown(), inProgress, fault(422, 'DISPUTE_NOT_OPEN')]);
    expect(outcome).toMatchObject({ kind: 'unknown', answer: 'provider_unavailable' });
  });

  it.each([reply(404), reply(503), new TransportError('timeout'), reply(200, 'nonsense')])(
    '%# sends nothing for a dispute that cannot be read',
    async (step) => {
      const { outcome, sent } = await attempt([step]);
      expect(outcome.kind).toBe('not_executed');
      expect(sent.every(({ method }) => method === 'GET')).toBe(true);
    },
  );
});
