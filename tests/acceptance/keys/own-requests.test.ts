import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { Merchant, type Reply } from '../../support/merchant.ts';

/**
 * Nobody approves their own request, also not one made with an API key of theirs (decisions, "Extensions of the second
 * plan": "never by who asked").
 */
interface Key {
  readonly id: string;
  readonly secret: string;
}
const keyOf = ({ status, body, text }: Reply): Key => {
  expect(status, text).toBe(201);
  return { id: body.key.id, secret: body.secret_key };
};
const restriction = { permissions: ['refunds:write'], approval_above: 1000 };
const path = (shop: Merchant, rest: string) => `/accounts/${shop.id}${rest}`;
const makeKey = async (shop: Merchant, by: Browser): Promise<Key> =>
  keyOf(await by.post(path(shop, '/api_keys'), { name: 'Agent', restriction }));
const roll = async (shop: Merchant, by: Browser, { id }: Key, expires_in = 0): Promise<Key> =>
  keyOf(await by.post(path(shop, `/api_keys/${id}/roll`), { expires_in }));

async function ask(shop: Merchant, { secret }: Key): Promise<string> {
  const { id } = (await shop.pay({ amount: 4990 })).body;
  const asked = await shop.post(
    `/api/v1/payments/${id}/refunds`,
    {},
    { key: secret, idempotencyKey: randomUUID() },
  );
  expect(asked.status, asked.text).toBe(202);
  return asked.body.id;
}
const decide = (shop: Merchant, by: Browser, id: string, how = 'approve') =>
  by.post(path(shop, `/approvals/${id}/${how}`), {});
const answerOf = ({ status, body }: Reply) => [status, body.error?.code ?? body.status];
const refused = [403, 'forbidden'];
const approved = [200, 'approved'];
const itemOf = async (shop: Merchant, by: Browser, approval: string) =>
  (await by.get(path(shop, '/approvals'))).body.data.find(
    (item: { approval: { id: string } }) => item.approval.id === approval,
  );

describe('who made the key that asks', () => {
  it('does not approve it while somebody else could, and may refuse it', async () => {
    const shop = await Merchant.open();
    const owner = await Browser.of(shop, 'owner');
    const admin = await Browser.of(shop, 'admin');
    const key = await makeKey(shop, admin);
    const id = await ask(shop, key);
    const own = await decide(shop, admin, id);
    expect([answerOf(own), own.body.error.message]).toEqual([
      refused,
      'You made the API key that asked for this, or one that it takes the place of: somebody else has to approve it.',
    ]);
    expect(await itemOf(shop, admin, id)).toMatchObject({ own: true, obstacle: own.body.error.message });
    expect(await itemOf(shop, owner, id)).toMatchObject({ own: false, obstacle: null });
    expect(answerOf(await decide(shop, owner, id))).toEqual(approved);
    const other = await ask(shop, key);
    expect(answerOf(await decide(shop, admin, other, 'refuse'))).toEqual([200, 'refused']);
  });

  it('is also who made the key that it takes the place of, and who rolled that', async () => {
    const shop = await Merchant.open();
    const owner = await Browser.of(shop, 'owner');
    const admin = await Browser.of(shop, 'admin');
    const first = await makeKey(shop, owner);
    const second = await roll(shop, admin, first, 3600);
    // The first key still works, and only the person who made it has it.
    const byFirst = await ask(shop, first);
    expect(answerOf(await decide(shop, owner, byFirst))).toEqual(refused);
    expect(answerOf(await decide(shop, admin, byFirst))).toEqual(approved);
    // Two people made a key in the chain; the holder of the secret may not approve.
    const bySecond = await ask(shop, second);
    expect(answerOf(await decide(shop, admin, bySecond))).toEqual(refused);
    const colleague = await Browser.of(shop, 'admin');
    expect(answerOf(await decide(shop, owner, bySecond))).toEqual(refused);
    expect(answerOf(await decide(shop, colleague, bySecond))).toEqual(approved);
  });

  it('approves it where nobody else could, which the page and the audit log say', async () => {
    const shop = await Merchant.open();
    const owner = await Browser.of(shop, 'owner');
    await Browser.of(shop, 'support');
    const id = await ask(shop, await makeKey(shop, owner));
    expect(await itemOf(shop, owner, id)).toMatchObject({ own: true, obstacle: null });
    expect(answerOf(await decide(shop, owner, id))).toEqual(approved);
    const [entry] = (await owner.get(path(shop, '/audit_log?action=approval.approved'))).body.data;
    expect(entry).toMatchObject({ object_id: id, after: { own: true } });
  });
});
