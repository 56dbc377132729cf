import { describe, expect, it } from 'vitest';
import type { AcceptDisputeRequest, DefendDisputeRequest, EvidenceFile } from '../../port/disputes.ts';
import { bodyOf, reply, type Step } from '../../wire/test-transport.ts';
import { TransportError } from '../../wire/transport.ts';
import { connection, fault, inFlight, run } from '../test-kit.ts';

const request: AcceptDisputeRequest = { disputeId: 'dsp_1', upstreamId: 'D1', upstreamKey: 'dsp_1:a:1' };
const service = 'https://ca-test.example/v30';
const dispute = { merchantAccountCode: 'TillTest', disputePspReference: 'D1' };
const success = reply(200, { disputeServiceResult: { success: true } });
const refusal = reply(200, {
  disputeServiceResult: { success: false, errorMessage: 'Card 4111111111111111' },
});

/**
 * Faults that leave a dispute unchanged or in doubt, with the expected result. Only the last request of a sequence can be in
 * doubt.
 */
const faults: readonly (readonly [Step, 'not_executed' | 'unknown', string])[] = [
  [fault(401, '000'), 'not_executed', 'provider_error'],
  [fault(403, '010'), 'not_executed', 'provider_error'],
  [reply(404, '<html>'), 'unknown', 'provider_error'],
  [inFlight, 'unknown', 'provider_unavailable'],
  [reply(500), 'unknown', 'provider_error'],
  [reply(200, 'nonsense'), 'unknown', 'provider_error'],
  [reply(200, { disputeServiceResult: { success: 'true' } }), 'unknown', 'provider_error'],
  [new TransportError('timeout'), 'unknown', 'provider_unavailable'],
  [new TransportError('not_sent'), 'not_executed', 'provider_unavailable'],
];

describe('createProcessorA, accepting a dispute', () => {
  const accept = (steps: readonly Step[]) => run(steps, (port) => port.acceptDispute(connection, request));

  it('sends one request to the dispute service', async () => {
    const { outcome, sent, keys, observed } = await accept([success]);
    expect(outcome).toEqual({ kind: 'done' });
    expect(sent[0]).toMatchObject({ method: 'POST', url: `${service}/acceptDispute` });
    expect(bodyOf(sent[0])).toEqual(dispute);
    expect(keys).toEqual(['dsp_1:a:1']);
    expect(observed).toMatchObject([{ operation: 'accept_dispute', outcome: 'done' }]);
  });

  it.each([refusal, fault(422, '10_01'), fault(400, '702'), fault(404, '000')])(
    '%# reports a refusal without the upstream’s message',
    async (step) => {
      const { outcome } = await accept([step]);
      expect(outcome).toMatchObject({ kind: 'refused', message: expect.stringContaining('processor') });
      expect(JSON.stringify(outcome)).not.toContain('4111111111111111');
    },
  );

  it.each(faults)('%# is unfinished: %s %s', async (step, kind, answer) => {
    expect((await accept([step])).outcome).toMatchObject({ kind, answer });
  });
});

const type = (defenseDocumentTypeCode: string, requirementLevel: string, available = false) => ({
  defenseDocumentTypeCode,
  requirementLevel,
  available,
});
const reason = (defenseReasonCode: string, defenseDocumentTypes: unknown[], satisfied = false) => ({
  defenseReasonCode,
  satisfied,
  defenseDocumentTypes,
});
const goodsNotReturned = reason('GoodsNotReturned', [
  type('TIDorInvoice', 'Optional'),
  type('GoodsNotReturned', 'Required'),
]);
const provided = reason('GoodsOrServicesProvided', [
  type('ProofOfAbilityToProvideServices', 'OneOrMore'),
  type('ProofOfGoodsOrServicesProvided', 'OneOrMore'),
]);
const supplyMaterial = reason('SupplyDefenseMaterial', [
  type('TIDorInvoice', 'Optional'),
  type('DefenseMaterial', 'Required'),
]);
const reasonsOf = (...defenseReasons: unknown[]): Step =>
  reply(200, { defenseReasons, disputeServiceResult: { success: true } });

const pdf: EvidenceFile = {
  name: 'a.pdf',
  contentType: 'application/pdf',
  content: Buffer.from('%PDF'),
};
const jpeg: EvidenceFile = { name: 'b.jpg', contentType: 'image/jpeg', content: Buffer.from('jpeg') };
const evidence = (kind: string, file: EvidenceFile | null = pdf, text: string | null = null) => ({
  type: kind,
  text,
  file,
});

function defend(steps: readonly Step[], changes: Partial<DefendDisputeRequest> = {}) {
  const whole: DefendDisputeRequest = {
    ...request,
    upstreamKey: 'dsp_1:d:1',
    state: 'chargeback',
    reasonCode: null,
    statement: null,
    evidence: [evidence('proof_of_delivery')],
    ...changes,
  };
  return run(steps, (port) => port.defendDispute(connection, whole));
}

/** Returns the supplied documents and the defence that was sent. */
async function defence(reasons: Step, changes: Partial<DefendDisputeRequest>) {
  const { outcome, sent } = await defend([reasons, success], changes);
  expect(outcome).toEqual({ kind: 'done' });
  const bodies = sent.slice(1).map(bodyOf);
  const supplied = bodies.flatMap(({ defenseDocuments = [] }) => defenseDocuments);
  return {
    supplied: supplied.map((one) => [one.defenseDocumentTypeCode, one.contentType]),
    documents: supplied.map((one) => Buffer.from(one.content, 'base64').toString('latin1')),
    reason: bodies.at(-1)?.defenseReasonCode,
  };
}

describe('createProcessorA, defending a dispute', () => {
  it('requests the reasons, supplies the documents, then defends', async () => {
    const { outcome, sent, keys } = await defend([reasonsOf(supplyMaterial), success]);
    expect(outcome).toEqual({ kind: 'done' });
    expect(sent.map(({ url }) => url)).toEqual([
      `${service}/retrieveApplicableDefenseReasons`,
      `${service}/supplyDefenseDocument`,
      `${service}/defendDispute`,
    ]);
    expect(keys).toEqual([undefined, 'dsp_1:d:1:s', 'dsp_1:d:1']);
    expect(bodyOf(sent[0])).toEqual(dispute);
    expect(bodyOf(sent[1])).toEqual({
      ...dispute,
      defenseDocuments: [
        {
          defenseDocumentTypeCode: 'DefenseMaterial',
          contentType: 'application/pdf',
          content: 'JVBERg==',
        },
      ],
    });
    expect(bodyOf(sent[2])).toEqual({ ...dispute, defenseReasonCode: 'SupplyDefenseMaterial' });
  });

  it('matches each document to a required or optional type', async () => {
    const files = [evidence('receipt', jpeg), evidence('customer_communication')];
    expect(await defence(reasonsOf(supplyMaterial), { evidence: files })).toMatchObject({
      supplied: [
        ['DefenseMaterial', 'application/pdf'],
        ['TIDorInvoice', 'image/jpeg'],
      ],
    });
    expect(await defence(reasonsOf(supplyMaterial), { evidence: [evidence('receipt')] })).toMatchObject({
      supplied: [['DefenseMaterial', 'application/pdf']],
    });
  });

  it.each([
    ['that suits the evidence', 'shipping_documentation', 'GoodsOrServicesProvided'],
    ['that claims nothing where none suits', 'customer_communication', 'SupplyDefenseMaterial'],
  ])('picks the first reason %s', async (_, kind, expected) => {
    const offered = reasonsOf(goodsNotReturned, provided, supplyMaterial);
    expect((await defence(offered, { evidence: [evidence(kind)] })).reason).toBe(expected);
  });

  it('uses the merchant’s reason, and its required documents', async () => {
    const offered = reasonsOf(supplyMaterial, goodsNotReturned);
    const chosen = { reasonCode: 'GoodsNotReturned', evidence: [evidence('other'), evidence('receipt')] };
    expect(await defence(offered, chosen)).toMatchObject({
      reason: 'GoodsNotReturned',
      supplied: [
        ['TIDorInvoice', 'application/pdf'],
        ['GoodsNotReturned', 'application/pdf'],
      ],
    });
  });

  it('supplies a text as a document', async () => {
    const { supplied, documents } = await defence(reasonsOf(supplyMaterial), {
      statement: 'They signed for it.',
      evidence: [evidence('customer_communication', null, 'Thanks, got it')],
    });
    expect(supplied).toEqual([['DefenseMaterial', 'application/pdf']]);
    for (const words of ['They signed for it.', 'Customer communication', 'Thanks, got it']) {
      expect(documents[0]).toContain(words);
    }
  });

  it('supplies a text under its own type where that is offered', async () => {
    const { supplied } = await defence(reasonsOf(provided), {
      evidence: [evidence('proof_of_delivery', null, 'Signed by Ada')],
    });
    expect(supplied).toEqual([['ProofOfGoodsOrServicesProvided', 'application/pdf']]);
  });

  it('defends without documents where enough was supplied or none is required', async () => {
    const satisfied = reason('SupplyDefenseMaterial', [type('DefenseMaterial', 'Required', true)], true);
    const optional = reason('InvalidChargeback', [type('InvalidChargeback', 'Optional')]);
    const available = reason('Else', [type('DefenseMaterial', 'Required', true)]);
    for (const offered of [satisfied, optional, available]) {
      const { supplied, reason: used } = await defence(reasonsOf(supplyMaterial, offered), { evidence: [] });
      expect(supplied).toEqual([]);
      expect(used).toBe(offered.defenseReasonCode);
    }
  });
});

describe('createProcessorA, a defence that cannot be sent', () => {
  it.each<[string, Step, Partial<DefendDisputeRequest>, string, string]>([
    ['no evidence', reasonsOf(supplyMaterial), { evidence: [] }, 'SupplyDefenseMaterial', 'evidence'],
    ['evidence that suits no claim', reasonsOf(goodsNotReturned), {}, 'GoodsNotReturned', 'evidence'],
    [
      'a reason that is not offered',
      reasonsOf(supplyMaterial),
      { reasonCode: 'Else' },
      'Supply',
      'reason_code',
    ],
    [
      'more files than places',
      reasonsOf(supplyMaterial),
      {
        reasonCode: 'SupplyDefenseMaterial',
        evidence: [evidence('other'), evidence('other'), evidence('other')],
      },
      'TIDorInvoice (optional), DefenseMaterial (required)',
      'evidence',
    ],
  ])('refused for %s, by its field', async (_, offered, changes, words, param) => {
    const { outcome, sent } = await defend([offered, success], changes);
    expect(outcome).toMatchObject({ kind: 'refused', message: expect.stringContaining(words), param });
    expect(outcome).toMatchObject({ message: expect.stringMatching(new RegExp(`^${param} `)) });
    expect(sent).toHaveLength(1);
  });

  it('is left to the upstream where no reason is offered: an earlier defence may have been accepted', async () => {
    const again = await defend([reasonsOf(), success]);
    expect(again.outcome).toEqual({ kind: 'done' });
    expect(again.keys).toEqual([undefined, 'dsp_1:d:1']);
    expect(bodyOf(again.sent[1])).toEqual({ ...dispute, defenseReasonCode: 'SupplyDefenseMaterial' });
    const closed = await defend([reasonsOf(), refusal], { reasonCode: 'GoodsNotReturned' });
    expect(closed.outcome).toMatchObject({ kind: 'refused' });
    expect(bodyOf(closed.sent[1]).defenseReasonCode).toBe('GoodsNotReturned');
  });

  it('in doubt where a repeat is refused and no reason is offered: an earlier copy may have been accepted', async () => {
    for (const steps of [
      [reasonsOf(), refusal, reasonsOf()],
      [refusal],
      [reasonsOf(supplyMaterial), refusal, reasonsOf()],
      [reasonsOf(supplyMaterial), success, refusal, refusal],
    ]) {
      const { outcome } = await defend(steps, { isRepeat: true });
      expect(['unknown', 'not_executed'], JSON.stringify(outcome)).toContain(outcome.kind);
    }
  });

  it('refused for a repeat where a defence is still offered', async () => {
    const offered = reasonsOf(supplyMaterial);
    for (const before of [[offered], [offered, success]]) {
      const { outcome } = await defend([...before, refusal, offered], { isRepeat: true });
      expect(outcome).toMatchObject({ kind: 'refused' });
    }
  });

  it('quotes only names from the upstream', async () => {
    const { outcome } = await defend([reasonsOf(reason('4111-1111 <b>', []), goodsNotReturned)]);
    expect(JSON.stringify(outcome)).not.toContain('4111');
  });

  it('asks for another file type than PNG before anything is sent', async () => {
    const png: EvidenceFile = { ...jpeg, contentType: 'image/png' };
    const { outcome, sent } = await defend([success], { evidence: [evidence('receipt', png)] });
    expect(outcome).toMatchObject({ message: expect.stringContaining('PDF and JPEG'), param: 'evidence' });
    expect(sent).toEqual([]);
  });

  const offered = reasonsOf(supplyMaterial);
  const sequences: readonly (readonly [string, readonly Step[]])[] = [
    ['the reasons', []],
    ['the evidence', [offered]],
    ['the defence', [offered, success]],
  ];

  it.each(sequences)('stops where the upstream refuses %s', async (_, before) => {
    const { outcome, sent } = await defend([...before, refusal]);
    expect(outcome).toMatchObject({ kind: 'refused' });
    expect(sent).toHaveLength(before.length + 1);
  });

  it.each(faults)(
    '%# failure of a preparation: as before the defence, else %s',
    async (step, kind, answer) => {
      for (const [, before] of sequences) {
        const { outcome, sent } = await defend([...before, step]);
        expect(sent).toHaveLength(before.length + 1);
        expect(outcome).toMatchObject({ answer, kind: before.length === 2 ? kind : 'not_executed' });
      }
    },
  );
});
