import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Merchant } from '../support/merchant.ts';
import {
  cardPayment,
  fillCard,
  goodCard,
  openShop,
  origin,
  statusOf,
  type Waiting,
} from './checkout-world.ts';
import { type OpenPage, startBrowser, type TestBrowser, type View } from './harness.ts';

let browser: TestBrowser;
let shop: Merchant;
let payment: Waiting;

beforeAll(async () => {
  [browser, shop] = await Promise.all([startBrowser(), Merchant.open('processor_b')]);
});
afterAll(() => browser.close());
beforeEach(async () => {
  payment = await cardPayment(shop);
});

const names = ['number', 'expiry', 'cvc', 'name'];

async function withForm(work: (opened: OpenPage) => Promise<void>, view: View = {}): Promise<void> {
  const opened = await browser.open(origin(), payment.path, view);
  try {
    await work(opened);
  } finally {
    await opened.close();
  }
}

const focused = ({ page }: OpenPage) => page.evaluate<string>('document.activeElement.id');
const typedIn = ({ page }: OpenPage, name: string) => page.inputValue(`#${name}`);
const caretOf = ({ page }: OpenPage, name: string) =>
  page.evaluate<number>(`document.getElementById('${name}').selectionStart`);
const setCaret = ({ page }: OpenPage, name: string, at: number) =>
  page.evaluate(`document.getElementById('${name}').setSelectionRange(${at}, ${at})`);
const problemOf = ({ page }: OpenPage, name: string) => page.locator(`#${name}-problem`).innerText();

describe.each([
  ['with JavaScript', { javaScript: true }],
  ['without JavaScript', { javaScript: false }],
])('an empty form that is sent, %s', (_name, view) => {
  it('shows a focused summary with links to the fields, and a message at each field', () =>
    withForm(async (opened) => {
      const { page } = opened;
      await page.click('#pay');
      await page.locator('#summary-list li').nth(3).waitFor();
      expect(await page.title()).toBe('Error: Pay Test shop');
      // Without JavaScript the focus comes from `autofocus`, which a browser applies a moment after the page has
      // loaded.
      await opened.until("document.activeElement?.id === 'summary'");
      const links = page.locator('#summary-list a');
      expect(await links.count()).toBe(4);
      for (const [index, name] of names.entries()) {
        const input = page.locator(`#${name}`);
        expect(await input.getAttribute('aria-invalid')).toBe('true');
        for (const id of ((await input.getAttribute('aria-describedby')) ?? '').split(' ')) {
          expect(await page.locator(`#${id}`).innerText()).toMatch(/\S/);
        }
        await links.nth(index).click();
        expect(await focused(opened)).toBe(name);
      }
      expect(opened.faults()).toEqual({ errors: [], policy: [], foreign: [] });
      expect(await statusOf(payment)).toBe('requires_action');
    }, view));
});

describe('the card number', () => {
  it.each([
    ['4111111111111111', '4111 1111 1111 1111', 'Visa'],
    ['370000000000002', '3700 000000 00002', 'American Express'],
    ['36006666333344', '3600 666633 3344', 'Diners Club'],
    ['6304000000000000123', '6304 0000 0000 0000 123', 'Maestro'],
    ['9999', '9999', ''],
  ])('%s is shown as %s while it is typed, and its brand as %j', (typed, shown, brand) =>
    withForm(async (opened) => {
      await opened.page.locator('#number').pressSequentially(typed);
      expect(await typedIn(opened, 'number')).toBe(shown);
      expect(await caretOf(opened, 'number')).toBe(shown.length);
      expect(await opened.page.locator('#brand').innerText()).toBe(brand);
    }),
  );

  it('keeps the caret where the buyer types, deletes and pastes in the middle', () =>
    withForm(async (opened) => {
      const { page } = opened;
      await page.fill('#number', '4111 1111 1111');
      await setCaret(opened, 'number', 2);
      await page.keyboard.type('29');
      expect([await typedIn(opened, 'number'), await caretOf(opened, 'number')]).toEqual([
        '4129 1111 1111 11',
        4,
      ]);
      await page.keyboard.press('Backspace');
      expect([await typedIn(opened, 'number'), await caretOf(opened, 'number')]).toEqual([
        '4121 1111 1111 1',
        3,
      ]);
      await setCaret(opened, 'number', 5);
      await page.keyboard.press('Backspace');
      expect([await typedIn(opened, 'number'), await caretOf(opened, 'number')]).toEqual([
        '4121 1111 1111',
        3,
      ]);
      await setCaret(opened, 'number', 4);
      await page.keyboard.press('Delete');
      expect([await typedIn(opened, 'number'), await caretOf(opened, 'number')]).toEqual([
        '4121 1111 111',
        4,
      ]);
      await setCaret(opened, 'number', 7);
      await page.keyboard.insertText('5-5 5');
      expect([await typedIn(opened, 'number'), await caretOf(opened, 'number')]).toEqual([
        '4121 1155 5111 11',
        11,
      ]);
    }));

  it('takes the digits of Arabic keyboards', () =>
    withForm(
      async (opened) => {
        await opened.page.fill('#number', '٤١١١١١١١١١١١١١١١');
        expect(await typedIn(opened, 'number')).toBe('4111 1111 1111 1111');
      },
      { locale: 'ar' },
    ));
});

describe('the expiry date', () => {
  it.each([
    ['3/30', '03/30'],
    ['0330', '03/30'],
    ['03/2030', '03/2030'],
    ['12/30', '12/30'],
    ['1/30', '01/30'],
    ['530', '05/30'],
  ])('%s becomes %s', (typed, shown) =>
    withForm(async (opened) => {
      await opened.page.locator('#expiry').pressSequentially(typed);
      expect(await typedIn(opened, 'expiry')).toBe(shown);
    }),
  );

  it('can be deleted character by character', () =>
    withForm(async (opened) => {
      await opened.page.locator('#expiry').pressSequentially('0330');
      for (const left of ['03/3', '03', '0', '']) {
        await opened.page.keyboard.press('Backspace');
        expect(await typedIn(opened, 'expiry')).toBe(left);
      }
    }));
});

describe('the message of a mistake', () => {
  it('appears on blur and disappears when the value is corrected', () =>
    withForm(async (opened) => {
      const { page } = opened;
      await page.locator('#number').pressSequentially('4111');
      expect(await problemOf(opened, 'number')).toBe('');
      await page.keyboard.press('Tab');
      expect(await problemOf(opened, 'number')).toBe('Card number is too short');
      expect(await page.locator('#number').getAttribute('aria-invalid')).toBe('true');
      await page.locator('#number').press('End');
      await page.keyboard.type('111111111111');
      expect(await problemOf(opened, 'number')).toBe('');
      expect(await page.locator('#number').getAttribute('aria-invalid')).toBeNull();
    }));

  it('does not appear on an untouched field', () =>
    withForm(async (opened) => {
      await opened.page.focus('#number');
      for (const name of names) {
        expect(await focused(opened)).toBe(name);
        await opened.page.keyboard.press('Tab');
      }
      for (const name of names) expect(await problemOf(opened, name)).toBe('');
    }));

  it.each([
    ['number', '4111 1111 1111 1112', 'Check the card number'],
    ['expiry', '03/20', 'This card has expired'],
    ['expiry', '13/2', 'Enter an expiry date, like 03/30'],
    ['cvc', '12', 'Enter the 3 digits on the back'],
    ['name', '4111111111111111', 'Enter the name as it appears on the card'],
    ['name', '737', 'Enter the name as it appears on the card'],
  ])('in %s (%s) reads: %s', (name, typed, text) =>
    withForm(async (opened) => {
      await opened.page.fill(`#${name}`, typed);
      await opened.page.locator(`#${name}`).blur();
      expect(await problemOf(opened, name)).toBe(text);
    }),
  );

  it('in the security code follows the card: American Express has four digits on the front', () =>
    withForm(async (opened) => {
      await fillCard(opened, { ...goodCard, number: '370000000000002' });
      await opened.page.locator('#cvc').blur();
      expect(await opened.page.locator('#cvc-hint').innerText()).toBe('4 digits on the front');
      expect(await problemOf(opened, 'cvc')).toBe('Enter the 4 digits on the front');
      await opened.page.fill('#number', goodCard.number);
      expect(await problemOf(opened, 'cvc')).toBe('');
    }));
});

describe('the keyboard alone', () => {
  it('pays, and the focus moves only where the buyer moves it', () =>
    withForm(async (opened) => {
      const { page } = opened;
      await openShop(opened);
      await page.focus('#number');
      for (const name of names) {
        expect(await focused(opened)).toBe(name);
        await page.keyboard.type(goodCard[name as keyof typeof goodCard]);
        expect(await focused(opened)).toBe(name);
        await page.keyboard.press('Tab');
      }
      expect(await focused(opened)).toBe('pay');
      await page.keyboard.press('Enter');
      await page.waitForURL('https://shop.example/**');
      expect(new URL(page.url()).searchParams.get('payment_id')).toBe(payment.id);
      expect(await statusOf(payment)).toBe('succeeded');
    }));
});

describe('browsers that fill in cards', () => {
  it('find the tokens that they know, and plain text fields', () =>
    withForm(async ({ page }) => {
      const tokens = { number: 'cc-number', expiry: 'cc-exp', cvc: 'cc-csc', name: 'cc-name' };
      for (const [name, token] of Object.entries(tokens)) {
        const input = page.locator(`#${name}`);
        expect(await input.getAttribute('autocomplete')).toBe(token);
        expect(await input.getAttribute('type')).toBe('text');
        expect(await input.getAttribute('placeholder')).toBeNull();
        expect(await page.locator(`label[for="${name}"]`).isVisible()).toBe(true);
      }
    }));
});
