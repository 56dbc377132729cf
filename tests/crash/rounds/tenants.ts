import { randomUUID } from 'node:crypto';
import { cardPayment } from '../../support/card-payment.ts';
import type { CleanUp } from '../../support/clean-up.ts';
import { apiPost, Client, type Service } from '../client.ts';
import { openFleet } from '../fleets.ts';
import { flowNamed } from '../flows/flows.ts';
import type { CycleResult } from './cycles.ts';

const payments = '/api/v1/payments';
/** The timeout for the first tenant's processor, which is longer than the second tenant's requests take. */
const hangMs = 30_000;
const hanging = 400;
const light = 30;

/**
 * One tenant pays at a processor that does not respond any more, with as many concurrent requests as possible. Another tenant of
 * the other processor pays sequentially, and each of its requests has to succeed.
 */
export async function oneTenantHangs(cleanUp: CleanUp): Promise<CycleResult> {
  const fleet = await openFleet(cleanUp, 1, hangMs);
  const { upstream } = fleet.place;
  upstream.fault = ({ processor }) => (processor === 'processor_b' ? 'silence lost' : undefined);
  const busy = fleet.shopOf('processor_b');
  const asked = Array.from({ length: hanging }, () =>
    fleet.send(apiPost(busy, payments, randomUUID(), cardPayment())),
  );
  const refused: string[] = [];
  const watched: Service = watching(fleet, (what) => refused.push(what));
  const flow = flowNamed('refund on processor_a');
  const clients: Client[] = [];
  for (let count = 0; count < light; count += 1) {
    const client = new Client(watched, fleet.shopOf('processor_a'), `light-${count}`);
    clients.push(client);
    await flow.run(client, () => {});
  }
  upstream.fault = () => undefined;
  await Promise.all(asked);
  await fleet.settle();
  return {
    flows: hanging + light,
    struck: hanging,
    findings: await fleet.examine(clients),
    problems: refused.map((what) => `the second tenant was not served: ${what}`),
  };
}

/** Wraps the service to observe it. @param onRefused called for each request that was not served */
const watching = (service: Service, onRefused: (what: string) => void): Service => ({
  send: async (request) => {
    const reply = await service.send(request);
    if (reply === undefined || reply.status >= 500 || reply.status === 429) {
      onRefused(`${request.method} ${request.path}: ${reply?.status ?? 'no answer'}`);
    }
    return reply;
  },
  visit: (url) => service.visit(url),
  approve: (url) => service.approve(url),
  dispute: (shop, paymentId) => service.dispute(shop, paymentId),
  connect: (shop, merchant) => service.connect(shop, merchant),
  afterSilence: (tries) => service.afterSilence(tries),
  later: (tries) => service.later(tries),
  pass: (ms) => service.pass(ms),
  skip: (ms) => service.skip(ms),
});
