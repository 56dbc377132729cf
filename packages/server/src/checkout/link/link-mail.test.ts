import { expect, it } from 'vitest';
import type { Branding } from '../../accounts/branding.ts';
import type { AccountContext } from '../../accounts/context.ts';
import type { LinkRow } from '../../payment-links/row.ts';
import { linkMail } from './link-mail.ts';

const link = {
  title: 'Course',
  description: null,
  amount: 4990,
  currency: 'EUR',
  expires_at: new Date('2026-12-31T23:59:59Z'),
} as LinkRow;

const textIn = (defaultLocale: string) =>
  linkMail({
    context: { livemode: true, accountName: 'Test shop' } as AccountContext,
    branding: { displayName: null, defaultLocale } as Branding,
    link,
    url: 'https://pay.example/pay/x',
  }).text;

it.each([
  ['en', 'Pay Test shop', 'Complete by Dec 31, 2026, 23:59 UTC.'],
  ['de', 'Zahlung an Test shop', 'Bitte bis 31. Dez. 2026, 23:59 UTC abschließen.'],
  ['es', 'Pagar a Test shop', 'Límite para completar el pago: 31 dic 2026, 23:59 UTC.'],
  ['fr', 'Payer Test shop', 'Limite pour terminer le paiement : 31 déc. 2026, 23:59 UTC.'],
  ['it', 'Pagamento a Test shop', 'Termine per completare il pagamento: 31 dic 2026, 23:59 UTC.'],
  ['sv', 'Betala till Test shop', 'Slutför senast 31 dec. 2026 23:59 UTC.'],
])('the mail of a link in %s says who is to be paid, and until when as people write it', (tag, who, end) => {
  const text = textIn(tag);
  expect(text.split('\n\n')[0]).toBe(who);
  expect(text).toContain(end);
  expect(text).not.toMatch(/Paid to|Gezahlt an|Pagado a|Pagato a|Betalat till/);
});
