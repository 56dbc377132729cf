import { describe, expect, it } from 'vitest';
import { till } from '../support/merchant.ts';
import { until } from '../support/until.ts';
import { openPaymentsShop } from './payments-shop.ts';

/** A processor's contradiction of a settled payment, as the staff see it in the browser. */
const place = openPaymentsShop();

describe('a hold that was voided at the processor', () => {
  it('has an alert on the home page and on the payment, until it is acknowledged', async () => {
    const { shop, ids } = place();
    await till('sandbox', 'void-hold', '--payment', ids.held);
    // Moving the clock makes the processor send its notification, which is applied at once and not by a later job.
    await shop.post('/api/v1/test_helpers/clock/advance', { seconds: 10 });
    await until('the payment is voided', async () => {
      return (await shop.get(`/api/v1/payments/${ids.held}`)).body.status === 'voided';
    });
    const home = await place().open('/');
    await home.page.getByText('The processor says otherwise').waitFor();
    await home.expectAccessible();
    const opened = await place().open(`/payments/${ids.held}`);
    const { page } = opened;
    const notice = page.getByRole('heading', { name: 'The hold was released at the processor' });
    await notice.waitFor();
    await opened.expectAccessible();
    await page.setViewportSize({ width: 320, height: 640 });
    const reported = page.locator('p', { hasText: /^Reported/ });
    const [around, time] = [await reported.boundingBox(), await reported.locator('time').boundingBox()];
    expect(time?.width, 'the time fits the notice on a phone').toBeLessThanOrEqual(around?.width ?? 0);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Mark as dealt with' }).click();
    await notice.waitFor({ state: 'detached' });
    await page.getByText('Dealt with by').waitFor();
    expect(await page.getByText('The hold was released at the processor').count()).toBe(1);
  });
});
