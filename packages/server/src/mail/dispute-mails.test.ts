import { describe, expect, it } from 'vitest';
import { type DisputeMail, disputeOpened, disputeOutcome, disputeReminder } from './dispute-mails.ts';

const update: DisputeMail = {
  id: 'dsp_1',
  accountName: 'Shop <b>',
  timeZone: 'UTC',
  livemode: true,
  paymentId: 'pay_1',
  amount: 4990,
  currency: 'EUR',
  state: 'pre_arbitration',
  status: 'action_required',
  reason: 'product_not_received',
  respondBy: new Date('2026-12-01T09:05:00Z'),
  byDeadline: false,
};

describe('a dispute mail', () => {
  it('has amount, reason and deadline', () => {
    const { subject, text } = disputeOpened(update);
    expect(subject).toBe('A payment of 49.90 EUR is disputed: answer by 1 Dec 2026, 09:05 UTC');
    for (const words of [
      'Payment: pay_1',
      'Dispute: dsp_1',
      'Amount: 49.90 EUR',
      'State: pre arbitration',
      'Reason: product not received',
      'Answer by: 1 Dec 2026, 09:05 UTC',
    ]) {
      expect(text).toContain(words);
    }
  });

  it('has the deadline in the account’s time zone, with its name', () => {
    const { subject, text } = disputeOpened({ ...update, timeZone: 'America/New_York' });
    expect(subject).toContain('answer by 1 Dec 2026, 04:05 America/New York');
    expect(text).toContain('Answer by: 1 Dec 2026, 04:05 America/New York');
  });

  it('asks for no answer where none is due', () => {
    const { subject, text } = disputeOpened({ ...update, status: 'new', respondBy: null });
    expect(subject).toBe('A payment of 49.90 EUR is disputed');
    expect(text).toContain('Nothing has to be done now.');
    expect(text).not.toContain('Answer by');
  });

  it('is marked as sandbox', () => {
    expect(disputeReminder({ ...update, livemode: false }, 24).subject).toBe(
      '[Test] Less than 24 hours to answer a dispute of 49.90 EUR',
    );
  });

  it.each(['accepted', 'lost', 'won', 'recovered'])('names the outcome %s', (status) => {
    const { subject, text } = disputeOutcome({ ...update, status });
    expect(subject).toBe(`Dispute of 49.90 EUR: ${status}`);
    expect(text.split('\n')[0]).toMatch(/\.$/);
  });

  it('escapes the merchant’s own words', () => {
    const { html, text } = disputeOpened(update);
    expect(text).toContain('Shop <b>');
    expect(html).toContain('Shop &lt;b&gt;');
    expect(html).not.toContain('<b>');
  });
});
