import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { migratedDatabase, queryDatabase } from '../../support/fresh-database.ts';
import { Merchant, till } from '../../support/merchant.ts';
import { commandJson, type RunningServer, startServer, temporaryFolder } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { inputOf, onwards, shown, submit, textOf, visit } from '../checkout/browser.ts';
import { goodCard } from '../checkout/kit.ts';

const day = 24 * 3600;
const cleanUp = new CleanUp();
let server: RunningServer;
let database: string;
let received: readonly ReceivedMail[];

beforeAll(async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  const mail = await startMailServer();
  cleanUp.add(mail.stop);
  received = mail.received;
  database = await migratedDatabase(cleanUp);
  server = await startServer({
    DATABASE_URL: database,
    TILL_DATA_DIR: folder.path,
    SMTP_URL: mail.url,
    MAIL_FROM: 'Till payments <till@pay.example>',
  });
  cleanUp.add(() => server.stop());
});
afterAll(cleanUp.run);

interface ReceivedMail {
  readonly recipients: readonly string[];
  readonly subject: string | undefined;
  readonly text: string;
}

/** Starts a real mail server that stores the mails it receives. */
async function startMailServer() {
  const mails: ReceivedMail[] = [];
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const [, subject] = /^Subject: (.*)$/m.exec(text.replaceAll(/\r\n[ \t]+/g, ' ')) ?? [];
        const recipients = session.envelope.rcptTo.map(({ address }) => address);
        mails.push({ recipients, subject: subject?.trim(), text });
        callback();
      });
    },
  });
  await new Promise<void>((resolve) => {
    smtp.listen(0, '127.0.0.1', resolve);
  });
  const address = smtp.server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const stop = () =>
    new Promise<void>((resolve) => {
      smtp.close(() => resolve());
    });
  return { url: `smtp://127.0.0.1:${port}`, received: mails, stop };
}

/** Opens an account with members on this file's own server. */
async function openShop(...people: readonly (readonly [email: string, role: string])[]): Promise<Merchant> {
  const shop = await Merchant.openAt(server);
  for (const [email, role] of people) {
    const parameters = ['--account', shop.id, '--email', email, '--password', 'long enough', '--role', role];
    await commandJson(server.environment, ['users', 'create', ...parameters]);
  }
  return shop;
}

async function dispute(shop: Merchant): Promise<string> {
  const { body } = await shop.pay();
  return (await shop.post(`/api/v1/test_helpers/payments/${body.id}/dispute`, {})).body.id;
}

const advance = (shop: Merchant, seconds: number) =>
  shop.post('/api/v1/test_helpers/clock/advance', { seconds });

const subjectsTo = (address: string) =>
  received.filter(({ recipients }) => recipients.includes(address)).map(({ subject }) => subject);

const getsMails = (address: string, count: number) =>
  until(`${address} has ${count} mails`, () => {
    const subjects = subjectsTo(address);
    return subjects.length >= count ? subjects : undefined;
  });

describe('mail about disputes', () => {
  it('goes to owners and admins, each by itself: opened, 72 hours, 24 hours, outcome', async () => {
    const shop = await openShop(
      ['owner@shop-one.example', 'owner'],
      ['admin@shop-one.example', 'admin'],
      ['support@shop-one.example', 'support'],
    );
    await dispute(shop);
    await getsMails('owner@shop-one.example', 1);
    await advance(shop, 7 * day + 3600);
    await getsMails('owner@shop-one.example', 2);
    await advance(shop, 2 * day);
    await getsMails('owner@shop-one.example', 3);
    await advance(shop, day);
    const subjects = await getsMails('owner@shop-one.example', 4);
    expect(subjects).toEqual([
      expect.stringMatching(/^\[Test\] A payment of 49\.90 EUR is disputed: answer by/),
      '[Test] Less than 72 hours to answer a dispute of 49.90 EUR',
      '[Test] Less than 24 hours to answer a dispute of 49.90 EUR',
      '[Test] Dispute of 49.90 EUR: accepted',
    ]);
    expect(await getsMails('admin@shop-one.example', 4)).toEqual(subjects);
    expect(subjectsTo('support@shop-one.example')).toEqual([]);
    expect(received.every(({ recipients }) => recipients.length === 1)).toBe(true);
  });

  it('names nothing but the account, the dispute and the payment', async () => {
    const shop = await openShop(['owner@shop-two.example', 'owner']);
    const id = await dispute(shop);
    await getsMails('owner@shop-two.example', 1);
    const mail = received.find(({ recipients }) => recipients.includes('owner@shop-two.example'));
    expect(mail?.text).toContain(id);
    expect(mail?.text).not.toContain('Jane Smith');
    expect(mail?.text).not.toContain('4111');
  });

  it('is listed as sent', async () => {
    const shop = await openShop(['owner@shop-three.example', 'owner']);
    await dispute(shop);
    await getsMails('owner@shop-three.example', 1);
    const listed = await until('the mail is marked as sent', async () => {
      const { data } = await commandJson<{ data: { state: string }[] }>(server.environment, [
        'mails',
        'list',
        '--account',
        shop.id,
      ]);
      return data[0]?.state === 'sent' ? data : undefined;
    });
    expect(listed).toMatchObject([{ to: 'owner@shop-three.example', tries: 1, error: null }]);
  });
});

describe('a receipt', () => {
  it('is mailed to the address that the buyer types, three times at most', async () => {
    const shop = await Merchant.openAt(server, 'processor_b');
    const { body } = await shop.pay({
      payment_method: { type: 'card_fields' },
      success_url: null,
      failure_url: null,
      reference: 'order-7',
      line_items: [{ name: 'Mug', unit_amount: 2495, quantity: 2 }],
    });
    const paid = await submit(await visit(`${body.next_action.checkout_url}?lang=de`), goodCard);
    expect(inputOf(paid, 'email')).toMatchObject({
      autocomplete: 'email',
      'aria-describedby': 'email-hint email-problem',
    });
    expect(paid.text).toContain('<label for="email">E-Mail-Adresse</label>');
    const wrong = await submit(paid, { email: 'jane@buyer.example, eve@evil.example' });
    expect(wrong.status).toBe(422);
    expect(inputOf(wrong, 'email')['aria-invalid']).toBe('true');
    expect(textOf(wrong, 'email-problem')).toBe('Geben Sie eine E-Mail-Adresse ein, wie name@example.com');
    for (let time = 0; time < 3; time += 1) {
      const sent = await visit(onwards(await submit(paid, { email: 'jane@buyer.example' })) ?? '');
      expect(shown(sent)).toContain('Der Beleg ist unterwegs zu Ihnen.');
    }
    expect(shown(await submit(paid, { email: 'jane@buyer.example' }))).toContain(
      'nicht mehr per E-Mail gesendet werden',
    );
    await getsMails('jane@buyer.example', 3);
    const mail = received.filter(({ recipients }) => recipients.includes('jane@buyer.example'));
    expect(mail).toHaveLength(3);
    expect(mail[0]?.subject).toBe('[Test] Zahlungsbeleg: Test shop');
    expect(mail[0]?.text).toContain('Visa mit den Endziffern 1111');
    expect(mail[0]?.text).toContain('order-7');
    expect(mail[0]?.text).toContain('lang=3D"de"');
    expect(subjectsTo('eve@evil.example')).toEqual([]);
  });

  it('goes to one address 20 times on a UTC day at most, of however many payments', async () => {
    const shop = await Merchant.openAt(server, 'processor_b');
    const { body } = await shop.pay({ payment_method: { type: 'card_fields' }, success_url: null });
    const paid = await submit(await visit(`${body.next_action.checkout_url}?lang=de`), goodCard);
    const email = `${shop.id}@buyer.example`;
    await submit(paid, { email });
    await queryDatabase(database, 'update buyer_mails set count = 20 where account_id = $1 and count = 1', [
      shop.id,
    ]);
    expect(shown(await submit(paid, { email }))).toContain('nicht mehr per E-Mail gesendet werden');
    await submit(paid, { email: `other-${email}` });
    await getsMails(`other-${email}`, 1);
    expect(subjectsTo(email)).toHaveLength(1);
  });
});

describe('without a mail server', () => {
  it('mail stays in the outbox as kept', async () => {
    const shop = await Merchant.open();
    const email = `${shop.id}@shop.example`;
    await till('users', 'create', '--account', shop.id, '--email', email, '--password', 'long enough');
    await dispute(shop);
    const { data } = await till<{ data: object[] }>('mails', 'list', '--account', shop.id);
    expect(data).toMatchObject([{ to: email, state: 'kept', tries: 0, sent_at: null }]);
  });
});
