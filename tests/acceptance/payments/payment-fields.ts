/** The name of the case, the change that makes a valid payment invalid, and the path that the error names. */
export type Row = readonly [name: string, changes: Record<string, unknown>, param: string];

const show = (value: unknown) => JSON.stringify(value)?.slice(0, 50) ?? 'undefined';

const each = (field: string, values: readonly unknown[]): Row[] =>
  values.map((value) => [`${field} ${show(value)}`, { [field]: value }, field]);

const ofCard = (field: string, values: readonly unknown[]): Row[] =>
  values.map((value) => [
    `payment_method.${field} ${show(value)}`,
    { card: { [field]: value } },
    `payment_method.${field}`,
  ]);

const notText = [5, true, {}, ['x']];
const notFlag = ['true', 1, {}];
const notPart = [-1, 1.5, '100', true, 1_000_000_000_000];

const urls: Row[] = ['success_url', 'failure_url'].flatMap((field) =>
  each(field, [
    '',
    'http://shop.example/ok',
    'shop.example/ok',
    '/ok',
    '//evil.example/x',
    'https://shop.example/ok#done',
    'https://shop.example/#',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://',
    'https://shop.example/ok\r\nSet-Cookie: a=b',
    `https://shop.example/${'a'.repeat(10_000)}`,
    5,
    {},
    undefined,
    null,
  ]),
);

const item = { name: 'Socks', unit_amount: 4990 };

/** A case with one changed line item. The path is relative to `line_items[0]`. */
const ofItem = (name: string, changes: Record<string, unknown>, inside: string): Row => [
  `line item: ${name}`,
  { line_items: [{ ...item, ...changes }] },
  `line_items[0].${inside}`,
];

const lineItems: Row[] = [
  ...each('line_items', ['socks', {}, 5, Array.from({ length: 101 }, () => ({ name: 'a', unit_amount: 1 }))]),
  ['line item: text', { line_items: ['socks'] }, 'line_items[0]'],
  ofItem('without name', { name: undefined }, 'name'),
  ofItem('name null', { name: null }, 'name'),
  ofItem('name a number', { name: 5 }, 'name'),
  ofItem('without unit_amount', { unit_amount: undefined }, 'unit_amount'),
  ofItem('unit_amount negative', { unit_amount: -1 }, 'unit_amount'),
  ofItem('unit_amount a fraction', { unit_amount: 0.5 }, 'unit_amount'),
  ofItem('unit_amount text', { unit_amount: '4990' }, 'unit_amount'),
  ofItem('unit_amount 2^53 - 1', { unit_amount: Number.MAX_SAFE_INTEGER }, 'unit_amount'),
  ofItem('quantity 0', { quantity: 0 }, 'quantity'),
  ofItem('quantity a fraction', { quantity: 1.5 }, 'quantity'),
  ofItem('quantity text', { quantity: '1' }, 'quantity'),
  ofItem('quantity 1e9', { quantity: 1_000_000_000 }, 'quantity'),
  ofItem('tax negative', { tax: -1 }, 'tax'),
  ofItem('sku a number', { sku: 5 }, 'sku'),
  ofItem('description a number', { description: 5 }, 'description'),
  ofItem('url a number', { url: 5 }, 'url'),
  ofItem('image_url a number', { image_url: 5 }, 'image_url'),
  ofItem('category unknown', { category: 'FOOD' }, 'category'),
  ofItem('category in lower case', { category: 'donation' }, 'category'),
  ofItem('commodity_code a number', { commodity_code: 5 }, 'commodity_code'),
  ofItem('unit_of_measure a number', { unit_of_measure: 5 }, 'unit_of_measure'),
  ofItem('upc text', { upc: '012345678905' }, 'upc'),
  ofItem('upc without code', { upc: { type: 'UPC-A' } }, 'upc.code'),
  ofItem('upc of 5 digits', { upc: { code: '12345' } }, 'upc.code'),
  ofItem('upc of 18 digits', { upc: { code: '1'.repeat(18) } }, 'upc.code'),
  ofItem('upc with letters', { upc: { code: '12345A' } }, 'upc.code'),
  ofItem('upc a number', { upc: { code: 123_456 } }, 'upc.code'),
  ofItem('upc type a number', { upc: { type: 5, code: '123456' } }, 'upc.type'),
];

/** Every field of the request table with values that it rejects (spec, "Payment create request fields"). */
export const wrongFields: readonly Row[] = [
  ...each('amount', [0, -1, 1.5, 1e21, '1000', '', true, [1000], {}, 1_000_000_000_000]),
  ...each('currency', [
    'eur',
    'Eur',
    'EURO',
    'EU',
    '',
    '€',
    ' EUR',
    978,
    ['EUR'],
    'XXX',
    'XAU',
    'DEM',
    'ZZZ',
  ]),
  ...each('customer', [12, true, ['cus_x']]),
  ...each('reference', [...notText, 'r'.repeat(81), '😀'.repeat(81), 'a\u0000b']),
  ...each('shopper_statement', [...notText, 'a\u0000b']),
  ...each('capture_method', ['later', 'MANUAL', '', 5]),
  ...each('payment_method', ['card', 5, true, ['card']]),
  ...ofCard('type', ['Card', 'CARD', 'cash', '', 5, {}]),
  ...ofCard('number', [
    '4111abcd11111111',
    '41111111111',
    '4'.repeat(20),
    '4'.repeat(30),
    '',
    4111111111111111,
    {},
  ]),
  ...ofCard('exp_month', [0, 13, -3, 3.5, '3', '03', true]),
  ...ofCard('exp_year', [2020, 32, '2032', 20_32.5, 20_320, true]),
  ...ofCard('cvc', ['12', '12345', 'abc', '', 737, {}]),
  ...ofCard('holder_name', [5, {}, 'a\u0000b']),
  ...each('tax_amount', notPart),
  ...each('shipping_amount', notPart),
  ...each('handling_amount', notPart),
  ...each('discount_amount', notPart),
  ...each('duty_amount', notPart),
  ...each('invoice_id', notText),
  ...each('description', notText),
  ...each('ships_from_postal_code', notText),
  ...each('stc', ['x', 5, ['x']]),
  ['stc with a number that cannot be read exactly', { stc: { sender: 2 ** 53 } }, 'stc.sender'],
  ['stc with an object inside', { stc: { buyer: { age: 1 } } }, 'stc.buyer'],
  ...each('save_payment_method', notFlag),
  ...each('stored_payment_method', [5, true, {}]),
  ...each('use_last_payment_method', notFlag),
  ...each('merchant_initiated', notFlag),
  ...each('recurring_processing_model', ['monthly', '', 5]),
  ...each('renews_payment', [5, true, {}]),
  ...each('shopper_ip', [5, true, {}]),
  ...each('device_fingerprint', notText),
  ...each('browser_info', ['x', 5, ['x']]),
  [
    'browser_info.screen_height text',
    { browser_info: { screen_height: '900' } },
    'browser_info.screen_height',
  ],
  ['browser_info.user_agent a number', { browser_info: { user_agent: 5 } }, 'browser_info.user_agent'],
  ...urls,
  ...each('authentication', ['sometimes', '', true]),
  ...each('provider', ['processor_c', '', 5]),
  ...lineItems,
];
