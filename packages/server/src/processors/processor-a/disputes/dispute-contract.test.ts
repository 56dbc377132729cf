import { describe, expect, it } from 'vitest';
import { jsonObject } from '../../wire/json.ts';
import { bodyOf, reply } from '../../wire/test-transport.ts';
import { upstreamDocument } from '../test-documents.ts';
import { connection, run } from '../test-kit.ts';

const document = upstreamDocument('adyen-disputes-v30');
const dispute = { disputeId: 'dsp_1', upstreamId: 'DZ4DPSHB4WD2WN82', upstreamKey: 'dsp_1:1' };

const schemas: Readonly<Record<string, string>> = {
  '/acceptDispute': 'AcceptDisputeRequest',
  '/retrieveApplicableDefenseReasons': 'DefenseReasonsRequest',
  '/supplyDefenseDocument': 'SupplyDefenseDocumentRequest',
  '/defendDispute': 'DefendDisputeRequest',
};

describe.skipIf(!document.present)(document.title, () => {
  const example = (name: string): unknown => document.read().components.examples[name]?.value;

  /** Accepts a dispute and defends one, with the responses of the document's own examples. */
  async function sentBodies() {
    const reasons = example('post-retrieveApplicableDefenseReasons-retrieve-defense-reasons-200');
    const accepted = await run([reply(200, example('post-acceptDispute-accept-dispute-200'))], (port) =>
      port.acceptDispute(connection, dispute),
    );
    const steps = [
      reasons,
      example('post-supplyDefenseDocument-supply-defense-document-200'),
      example('post-defendDispute-defend-dispute-200'),
    ].map((body) => reply(200, body));
    const content = Buffer.from('%PDF');
    const file = { name: 'a.pdf', contentType: 'application/pdf', content } as const;
    const defended = await run(steps, (port) =>
      port.defendDispute(connection, {
        ...dispute,
        state: 'chargeback',
        reasonCode: null,
        statement: 'They signed for it.',
        evidence: [{ type: 'receipt', text: null, file }],
      }),
    );
    return { outcomes: [accepted.outcome, defended.outcome], sent: [...accepted.sent, ...defended.sent] };
  }

  it('describes the answers as the adapter parses them', async () => {
    const { outcomes, sent } = await sentBodies();
    expect(outcomes).toEqual([{ kind: 'done' }, { kind: 'done' }]);
    const defence = jsonObject(example('post-defendDispute-defend-dispute'));
    expect(bodyOf(sent.at(-1))).toEqual({ ...defence, merchantAccountCode: 'TillTest' });
  });

  it('accepts the adapter’s requests, property by property', async () => {
    const { sent } = await sentBodies();
    const schema = document.validator();
    const { components } = document.read();
    const paths = sent.map(({ url }) => url.slice(connection.disputesUrl.length));
    expect(new Set(paths)).toEqual(new Set(Object.keys(schemas)));
    for (const [index, request] of sent.entries()) {
      const name = schemas[paths[index] ?? ''] ?? '';
      const valid = schema(name);
      valid(bodyOf(request));
      expect(valid.errors).toBeNull();
      const known = Object.keys(components.schemas[name]?.properties ?? {});
      expect(known).toEqual(expect.arrayContaining(Object.keys(bodyOf(request))));
    }
  });
});
