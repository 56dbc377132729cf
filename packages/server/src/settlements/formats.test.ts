import { describe, expect, it } from 'vitest';
import { csvRecords } from '../lib/text/csv-records.ts';
import { processors } from '../processors/registry.ts';

async function* piecesOf(text: string) {
  yield new TextEncoder().encode(text);
}

async function read(processor: 'processor_a' | 'processor_b', text: string) {
  const lines = [];
  const format = processors[processor].settlementReport;
  if (format === undefined) throw new Error(`${processor} has no report`);
  for await (const line of format.read(csvRecords(piecesOf(text)))) lines.push(line);
  return lines;
}

const faultOf = (processor: 'processor_a' | 'processor_b', text: string) =>
  read(processor, text).then(
    () => 'none',
    (error: Error) => error.message,
  );

describe('a Settlement details report of Adyen', () => {
  const titles =
    'Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type,Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),Payment Method Variant,Modification Merchant Reference,Batch Number';
  const settled =
    'Co,Shop,PSP1,pay_1,visa,2026-11-20 12:00:00,CET,Settled,MOD1,USD,,20.00,0.9,EUR,,17.60,,0.30,0.06,0.04,visa,,7';
  const fee = 'Co,Shop,,,,2026-11-20 12:00:00,CET,Fee,Transaction Fees,,,,,EUR,0.60,,,,,,,,7';
  const paid = 'Co,Shop,,,,2026-11-21 02:00:00,CET,MerchantPayout,TX1,,,,,EUR,17.00,,,,,,,,7';
  const report = (...lines: string[]) => [titles, ...lines].join('\n');

  it('gives gross and fee in the currency of the payout, and what the buyer paid in their own', async () => {
    const [payment, other, out] = await read('processor_a', report(settled, fee, paid));
    expect(payment).toMatchObject({
      line: 2,
      merchantAccount: 'Shop',
      reference: '7',
      currency: 'EUR',
      type: 'payment',
      at: new Date('2026-11-20T11:00:00Z'),
      gross: 1800,
      fee: 40,
      upstreamReference: 'MOD1',
      upstreamPayment: 'PSP1',
      payment: 'pay_1',
      original: { amount: 2000, currency: 'USD' },
    });
    expect(other).toMatchObject({ type: 'fee', gross: 0, fee: 60 });
    expect(out).toMatchObject({ type: 'paid_out' });
  });

  it('knows currencies by their decimals, however many are written', async () => {
    const yen = settled
      .replaceAll('USD', 'JPY')
      .replace('20.00', '20.00')
      .replace('EUR,,17.60,,0.30,0.06,0.04', 'JPY,,17.00,,2,1,0');
    const [payment] = await read('processor_a', report(yen, paid.replace('EUR,17.00', 'JPY,17')));
    expect(payment).toMatchObject({ currency: 'JPY', gross: 20, fee: 3, original: { amount: 20 } });
  });

  it.each([
    ['', 'line 1: the file is empty'],
    ['a,b', 'line 1, column Merchant Account: the column is missing'],
    [
      report(settled.replace('17.60', '"17,60"')),
      'line 2, column Net Credit (NC): expected an amount of EUR like 12.50, found "17,60"',
    ],
    [report(settled.replace('17.60', '17.601')), 'line 2, column Net Credit (NC): expected'],
    [report(settled.replace('17.60', '1e3')), 'line 2, column Net Credit (NC): expected'],
    [
      report(settled.replace('EUR', 'XXX')),
      'line 2, column Net Currency: expected a currency like EUR, found "XXX"',
    ],
    [report(settled.replace('2026-11-20', '2026-13-20')), 'line 2, column Creation Date: expected a time'],
    [report(settled.replace('2026-11-20', '2026-02-30')), 'line 2, column Creation Date: expected a time'],
    [report(settled.replace('2026-11-20', '0000-01-01')), 'line 2, column Creation Date: expected a time'],
    [report(settled.replace('PSP1', 'PSP\0')), 'it holds a character of no text (NUL)'],
    [
      report(settled.replace(/7$/, '7'.repeat(256))),
      'line 2, column Batch Number: it has more than 255 characters',
    ],
    [report('Co,Shop'), 'line 2: it has 2 fields, the line of titles 23'],
    [
      report(settled, fee),
      'line 3: the lines of batch 7 (EUR) up to here add up to 17.00 EUR and not to nothing',
    ],
    [`${titles},Type`, 'line 1, column Type: the column stands there twice'],
  ])('is refused where it says %j', async (text, message) => {
    expect(await faultOf('processor_a', text)).toContain(message);
  });
});

describe('a Settlement report of PayPal', () => {
  const titles =
    '"CH","Transaction ID","Invoice ID","PayPal Reference ID","PayPal Reference ID Type","Transaction Event Code","Transaction Initiation Date","Transaction Completion Date","Transaction Debit or Credit","Gross Transaction Amount","Gross Transaction Currency","Fee Debit or Credit","Fee Amount","Fee Currency","Custom Field"';
  const head = ['"RH",2026/11/21 02:44:19 -0700,"A","SHOP",009,', '"FH",01'];
  const open = '"SH",2026/11/20 00:00:00 -0700,2026/11/20 23:59:59 -0700,"SHOP",""';
  const body = (code: string, side: string, amount: string, fee = '"DR",55,"EUR"') =>
    `"SB","TX${code}","","CAP1","TXN","${code}",2026/11/20 05:00:00 -0700,2026/11/20 05:00:00 -0700,"${side}",${amount},"EUR",${fee},"re_1"`;
  const none = '"",,""';
  const report = (...bodies: string[]) =>
    [...head, open, titles, ...bodies, `"SC",${bodies.length}`, '"FF",1'].join('\r\n');

  it('gives unsigned amounts their sign', async () => {
    const text = report(
      body('T0006', 'CR', '1000'),
      body('T1107', 'DR', '300', '"CR",5,"EUR"'),
      body('T1201', 'DR', '200', none),
      body('T1202', 'CR', '200', none),
      body('T1106', 'DR', '50', none),
      body('T0106', 'DR', '20', none),
      body('T0200', 'CR', '7', none),
      body('T0400', 'DR', '582', none),
    );
    const lines = await read('processor_b', text);
    expect(lines.map(({ type, gross, fee }) => [type, gross, fee])).toEqual([
      ['payment', 1000, 55],
      ['refund', -300, -5],
      ['chargeback', -200, 0],
      ['chargeback_reversed', 200, 0],
      ['chargeback', -50, 0],
      ['fee', 0, 20],
      ['adjustment', 7, 0],
      ['paid_out', -582, 0],
    ]);
    expect(lines[0]).toMatchObject({
      at: new Date('2026-11-20T12:00:00Z'),
      merchantAccount: 'SHOP',
      upstreamPayment: 'TXT0006',
    });
    expect(lines[1]).toMatchObject({ upstreamPayment: 'CAP1', refund: 're_1', payment: null });
  });

  it('names the day in its own time', async () => {
    const evening = body('T0400', 'DR', '5', none).replaceAll('20 05:00:00', '20 21:00:00');
    expect(await read('processor_b', report(evening))).toMatchObject([
      { at: new Date('2026-11-21T04:00:00Z'), day: '2026-11-20' },
    ]);
  });

  it.each([
    ['T1107', 'DR', ['refund', -70, 0]],
    ['T1108', 'CR', ['fee', 0, -70]],
    ['T1109', 'CR', ['fee', 0, -70]],
    ['T1115', 'DR', ['adjustment', -70, 0]],
    ['T1116', 'DR', ['adjustment', -70, 0]],
  ] as const)('counts %s as what it is, and all of it', async (code, side, [type, gross, fee]) => {
    const lines = await read('processor_b', report(body(code, side, '70', none)));
    expect(lines).toMatchObject([{ type, gross, fee }]);
  });

  it('counts currencies that PayPal writes without decimals in theirs', async () => {
    const [forint] = await read('processor_b', report(body('T0006', 'CR', '500').replaceAll('EUR', 'HUF')));
    expect(forint).toMatchObject({ currency: 'HUF', gross: 50_000, fee: 5500 });
  });

  it.each([
    ['', 'this is no Settlement report'],
    ['a,b', 'line 1: expected SB or another kind of record first: this is no Settlement report'],
    [
      report(body('T0006', 'CR', '10.00')),
      'line 5, column Gross Transaction Amount: expected a whole number without a sign, found "10.00"',
    ],
    [
      report(body('T0006', 'XX', '10')),
      'line 5, column Transaction Debit or Credit: expected CR or DR, found "XX"',
    ],
    [
      report(body('T0006', 'CR', '10').replaceAll('2026/11/20', '2026/02/30')),
      'line 5, column Transaction Completion Date: expected a time',
    ],
    [
      report(body('T0006', 'CR', '10')).replace(
        '23:59:59 -0700,"SHOP"',
        `23:59:59 -0700,"${'S'.repeat(256)}"`,
      ),
      'line 3: what it names has more than 255 characters',
    ],
    [report(body('T0006', 'CR', '10', '"DR",1,"USD"')), 'line 5, column Fee Currency: expected EUR'],
    [
      report(body('T0006', 'CR', '10')).replace('"SC",1', '"SC",2'),
      'line 6: the section has 1 lines and says 2',
    ],
    [
      [...head, open, titles, body('T0006', 'CR', '10')].join('\n'),
      'the number of lines (SC) is missing: the report is not whole',
    ],
    [[...head, body('T0006', 'CR', '10')].join('\n'), 'line 3: no section header (SH)'],
    // The file is cut off between the sections of two currencies.
    [report(body('T0006', 'CR', '10')).replace('"FF",1', ''), 'the last line (FF) is missing'],
    // The first section's end is missing.
    [
      [...head, open, titles, body('T0006', 'CR', '10'), open, titles, '"SC",0', '"FF",1'].join('\n'),
      'line 6: the number of lines (SC) is missing: the report is not whole',
    ],
    [
      report(body('T0006', 'CR', '10')).replace('"FF",1', body('T0006', 'CR', '20')),
      'line 7: no section header (SH)',
    ],
  ])('is refused where it says %j', async (text, message) => {
    expect(await faultOf('processor_b', text)).toContain(message);
  });
});
