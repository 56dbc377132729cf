import { pay, type Runs, saving } from './flow.ts';

/** Flows of a merchant's program and its staff, on every processor. */
export const peopleFlows: Runs = {
  async 'customer with a key'(client, begin) {
    begin();
    const { id } = await client.post('create', '/api/v1/customers', {
      email: `${client.run.toLowerCase()}@shop.example`,
    });
    await pay(client, 'pay', { customer: id });
  },
  async 'removal of a saved card'(client, begin) {
    const { payment_method_id: method } = await saving(client);
    begin();
    if (method !== null) await client.ask('DELETE', `/api/v1/payment_methods/${method}`);
  },
  async 'refund in the dashboard'(client, begin) {
    const { id, status } = await pay(client, 'pay');
    begin();
    if (status !== 'succeeded') return;
    await client.asStaff('part', `/payments/${id}/refunds`, { amount: 1000 });
    await client.asStaff('rest', `/payments/${id}/refunds`, { amount: 3990 });
  },
};

/** Flows of a merchant's staff with holds. */
export const holdPeopleFlows: Runs = {
  async 'capture in the dashboard'(client, begin) {
    const { id, status } = await pay(client, 'pay', { capture_method: 'manual' });
    begin();
    if (status === 'authorized') await client.asStaff('capture', `/payments/${id}/capture`, { amount: 4990 });
  },
  async 'void in the dashboard'(client, begin) {
    const { id, status } = await pay(client, 'pay', { capture_method: 'manual' });
    begin();
    if (status === 'authorized') await client.asStaff('void', `/payments/${id}/void`, { amount: 4990 });
  },
};
