import { expect, it } from 'vitest';
import { createDevelopersKit } from './test-kit.ts';

it('an endpoint is shown, changed, rolled, paused and resumed though its deliveries cannot be counted in time', async () => {
  const kit = await createDevelopersKit();
  try {
    const account = await kit.openAccount();
    const { call } = await kit.signIn(account, 'developer');
    const endpoints = `/accounts/${account}/webhook_endpoints`;
    const added = { url: 'https://shop.example/hooks', additional_events: false };
    const { endpoint } = (await call('POST', endpoints, { body: added })).body;
    const path = `${endpoints}/${endpoint.id}`;
    kit.cancelReads(/delivery_attempts/);
    expect((await call('GET', path)).body).toEqual({ ...endpoint, health: null });
    expect((await call('GET', endpoints)).body.data).toEqual([{ ...endpoint, health: null }]);
    kit.cancelReads(/./);
    const answers = [
      await call('PATCH', path, { body: { additional_events: true } }),
      await call('POST', `${path}/roll`),
      await call('POST', `${path}/pause`),
      await call('POST', `${path}/resume`),
    ];
    kit.cancelReads(null);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers[2]?.body).toMatchObject({ status: 'paused' });
    expect((await call('GET', path)).body).toMatchObject({ additional_events: true, status: 'active' });
    expect(await kit.audit(account)).toHaveLength(5);
  } finally {
    await kit.drop();
  }
});
