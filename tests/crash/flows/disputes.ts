import { dayMs, type Flow, pay, type Runs } from './flow.ts';

const disputes = '/api/v1/disputes';

/** Flows with a disputed payment, on every processor. */
export const disputeFlows: Runs = {
  async 'dispute opened'(client, begin) {
    const payment = await pay(client, 'pay');
    begin();
    if (payment.status === 'succeeded') await client.dispute(payment);
  },
  async 'dispute accepted'(client, begin) {
    const payment = await pay(client, 'pay');
    if (payment.status !== 'succeeded') return;
    const { id } = await client.dispute(payment);
    begin();
    await client.post('accept', `${disputes}/${id}/accept`);
  },
  async 'dispute defended'(client, begin) {
    const payment = await pay(client, 'pay');
    if (payment.status !== 'succeeded') return;
    const { id } = await client.dispute(payment);
    begin();
    const evidence = [{ type: 'receipt', text: 'The buyer signed for it.' }];
    await client.post('defend', `${disputes}/${id}/defend`, { evidence });
  },
};

/** A dispute that gets no response until its deadline has passed. */
export const missedDispute = async (client: Parameters<Flow['run']>[0], begin: () => void): Promise<void> => {
  const payment = await pay(client, 'pay');
  if (payment.status !== 'succeeded') return;
  await client.dispute(payment);
  begin();
  await client.pass(30 * dayMs);
};
