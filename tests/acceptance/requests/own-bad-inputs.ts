/**
 * Our own invalid and unusual inputs, by field: the rejected and the accepted values, as JSON text exactly as it is
 * sent. They cover what the shared file does not: number notations, look-alike characters, unusual addresses, header
 * values.
 */
export interface FieldInputs {
  /** The place of the value: a field of a payment, its card, its first line item, or a customer. */
  readonly at: 'payment' | 'card' | 'item' | 'customer';
  readonly field: string;
  readonly refused: readonly string[];
  readonly taken?: readonly string[];
}

const text = (value: string) => JSON.stringify(value);
const long = (length: number) => text('x'.repeat(length));

export const fieldInputs: readonly FieldInputs[] = [
  {
    at: 'payment',
    field: 'amount',
    refused: [
      'false',
      '1e400',
      '-1e400',
      '1e-1',
      '0.9999999999',
      '1000000000000.0',
      '"1,000"',
      '"0x10"',
      '[[1]]',
      '-1000',
    ],
    taken: ['1e3', '10E+2', '1000.000', '999999999999', '1'],
  },
  {
    at: 'payment',
    field: 'currency',
    refused: [
      text('ＥＵＲ'),
      text('EUR\n'),
      text('EU\u200bR'),
      text('ΕUR'),
      text('EURUSD'),
      text('XTS'),
      text('HRK'),
      '{"code":"EUR"}',
      'false',
    ],
    taken: [text('CHF'), text('CLF'), text('UYW'), text('ISK')],
  },
  {
    at: 'card',
    field: 'number',
    refused: [
      text('٤١١١١١١١١١١١١١١١'),
      text('４１１１１１１１１１１１１１１１'),
      text('4111.1111.1111.1111'),
      text('4111111111111111;'),
      text('4111_1111_1111_1111'),
      text('%34111111111111111'),
      text(' '.repeat(16)),
      text('-'.repeat(16)),
      '4.111111111111111e15',
      '["4111111111111111"]',
      'false',
    ],
    taken: [text('4111-1111-1111-1111'), text('4111 1111 1111 1111')],
  },
  {
    at: 'card',
    field: 'exp_month',
    refused: ['1e2', '12.5', '-1', '"12"', 'false', '[3]', '13e0'],
    taken: ['12', '3.0', '1'],
  },
  {
    at: 'card',
    field: 'exp_year',
    refused: ['99', '1999', '-2032', '20320', '"2032"', '2032.1', '0', '1e9'],
    taken: ['2099', '2.032e3'],
  },
  {
    at: 'card',
    field: 'cvc',
    refused: [text('１２３'), text('12 '), text('1 2'), text('٧٣٧'), text('+73'), text('7.3'), '[7,3,7]'],
    taken: [text('000')],
  },
  {
    at: 'card',
    field: 'holder_name',
    refused: [long(256), text('\u0000'), '"\\ud83d"', '["J. Smith"]', 'false'],
    taken: [long(255), text("D'Arcy-Łukasz ⛄"), text('ß')],
  },
  {
    at: 'card',
    field: 'type',
    refused: [text('card '), text('CARD'), text('wallet'), text('processor_a'), '["card"]', 'false'],
  },
  {
    at: 'payment',
    field: 'success_url',
    refused: [
      text(' https://shop.example/ok'),
      text('https://shop.example/o k'),
      text('https://user:pw@shop.example/'),
      text('https:///ok'),
      text('https:shop.example'),
      text('https:\\\\shop.example'),
      text('https://shop.example:99999/'),
      text('https://[::1'),
      text('ftp://shop.example/'),
      text('wss://shop.example/'),
      text('https://shop.example/\u0000'),
      text('https://shop.example/\t'),
      'true',
    ],
    taken: [
      text('HTTPS://SHOP.example/ok'),
      text('https://shop.example:8443/ok?a=b&c=%20'),
      text('https://bücher.example/é'),
    ],
  },
  {
    at: 'payment',
    field: 'reference',
    refused: ['0', '[]', '"\\udfff"', text('x\u0000')],
    taken: [text(''), text('‮abc'), text('null'), text('🇩🇪'.repeat(40))],
  },
  {
    at: 'payment',
    field: 'customer',
    refused: [
      '0',
      'false',
      '[{}]',
      '{"email":["a@x.test"]}',
      '{"name":"x"}',
      '{"email":"a@x.test","name":{}}',
    ],
  },
  {
    at: 'payment',
    field: 'line_items',
    refused: ['{"0":{"name":"a","unit_amount":1000}}', '[[]]', '[1]', '"[]"', 'true', '[{}]'],
    taken: ['[]'],
  },
  { at: 'item', field: 'unit_amount', refused: ['1e13', '-0.1', '"4990"', 'true', '{}'] },
  { at: 'item', field: 'quantity', refused: ['0.5', '-1', '1e10', '"1"', 'true'], taken: ['1', '1.0'] },
  {
    at: 'item',
    field: 'category',
    refused: [text('physical_goods'), text('PHYSICAL_GOODS '), text(''), '1'],
    taken: [text('DONATION')],
  },
  {
    at: 'payment',
    field: 'tax_amount',
    refused: ['-1', '0.5', '"0"', '1e13', '[0]', 'false'],
    taken: ['0', '5e1'],
  },
  { at: 'payment', field: 'save_payment_method', refused: ['0', '"false"', '[]'], taken: ['false'] },
  {
    at: 'payment',
    field: 'stc',
    refused: ['{"a":{"b":1}}', '{"a":[1]}', '{"A":1}', '{"a b":1}', '[]', '"x"'],
  },
  {
    at: 'customer',
    field: 'email',
    refused: [
      text('a@x.test\r\nBcc: b@x.test'),
      text('a@x .test'),
      text('a@@x.test'),
      text('a@.test'),
      text('a@x.'),
      text('a@x.test,b@x.test'.replace(',', '@')),
      text('@'),
      text('\u0000@x.test'),
      text(`${'a'.repeat(250)}@x.test`),
      '["a@x.test"]',
      'false',
    ],
  },
  {
    at: 'customer',
    field: 'name',
    refused: [long(256), '0', '[]', '"\\ud800x"', 'false'],
    taken: [text(''), text('<script>alert(1)</script>'), text("Robert'); DROP TABLE customers;--")],
  },
  {
    at: 'customer',
    field: 'phone',
    refused: [long(256), '491', '{}', 'true'],
    taken: [text('☎'), text('+1 (555) 0100')],
  },
  {
    at: 'customer',
    field: 'locale',
    refused: [text('en_US'), text('e'), text('en-'), text('en-US-x'), text(' en'), text('en\n'), '[]'],
    taken: [text('pt-BR'), text('EN-us')],
  },
  {
    at: 'customer',
    field: 'date_of_birth',
    refused: [
      text('1990-00-10'),
      text('1990-1-1'),
      text('19900101'),
      text('1990-02-29'),
      text('+001990-01-01'),
      text('1990-01-01 '),
      text('9999-12-31'),
      '0',
    ],
    taken: [text('1900-01-01')],
  },
  {
    at: 'customer',
    field: 'billing_address',
    refused: [
      '{"country":"UK"}',
      '{"country":"EU"}',
      '{"country":"de"}',
      '{"country":"D"}',
      '{"country":" DE"}',
      '{"line1":[]}',
      '[]',
      '"x"',
      '0',
    ],
    taken: ['{"country":"GB","planet":"Earth"}', '{}'],
  },
  {
    at: 'customer',
    field: 'metadata',
    refused: [
      '{"a":true}',
      '{"a":["b"]}',
      '{"a":0}',
      '[]',
      '0',
      '"{}"',
      `{"${'k'.repeat(41)}":""}`,
      `{"a":${long(501)}}`,
    ],
    taken: ['{}', '{"":"empty key"}', '{"a":""}', `{"${'😀'.repeat(40)}":"x"}`],
  },
];
