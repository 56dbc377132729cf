/** Our own unusual requests that do not concern a field of the body: queries, headers and paths. */

/** Query strings of lists with the invalid parameter, or null if the query is valid. */
export const queryInputs: readonly (readonly [query: string, fault: string | null])[] = [
  ['page=+1', 'page'],
  ['page=1%00', 'page'],
  ['page=%D9%A1', 'page'],
  ['page=true', 'page'],
  ['page=1,2', 'page'],
  ['page=Infinity', 'page'],
  ['page=-0', 'page'],
  ['page=00000000000000000000001', 'page'],
  ['per_page=100.0', 'per_page'],
  ['per_page=1e1', 'per_page'],
  ['per_page=%20', 'per_page'],
  ['per_page=20&per_page=20', 'per_page'],
  ['per_page=100', null],
  ['page[]=5', null],
  ['__proto__=1&constructor=2&toString=3', null],
  ['page=1&%ff=%ff', null],
  ['&&&', null],
  ['=', null],
];

/** Header values that a client may get wrong: the headers that are sent with a valid body, and the error code. */
export const headerInputs: readonly (readonly [
  name: string,
  headers: Readonly<Record<string, string>>,
  code: string,
])[] = [
  ['content type of another kind of JSON', { 'content-type': 'application/jsonp' }, 'missing_field'],
  ['content type text/json', { 'content-type': 'text/json' }, 'missing_field'],
  ['content type with a comma', { 'content-type': 'text/plain, application/json' }, 'missing_field'],
  ['compressed body that is none', { 'content-encoding': 'br' }, 'missing_field'],
  ['authorization with a tab', { authorization: 'Bearer\tsk_test_x' }, 'invalid_api_key'],
  ['authorization Basic without colon', { authorization: 'Basic c2tfdGVzdF94' }, 'invalid_api_key'],
  ['authorization of a header injection', { authorization: 'Bearer x%0d%0aX-A: b' }, 'invalid_api_key'],
  ['authorization empty', { authorization: '' }, 'invalid_api_key'],
  ['idempotency key of 256 letters outside ASCII', { 'idempotency-key': 'é'.repeat(256) }, 'invalid_params'],
];

/** Paths that resemble those of objects but are not. */
export const pathInputs: readonly string[] = [
  'PAY_000000000000000000000000',
  'pay_00000000000000000000000',
  'pay_0000000000000000000000000',
  'pay_00000000000000000000000A',
  'pay_%F0%9F%98%80',
  'pay_000000000000000000000000//',
  '/',
  'pay_000000000000000000000000%0a',
  '*',
  '-1',
  '0',
  'null',
  'undefined',
  '%2e%2e',
  'pay_000000000000000000000000;x=1',
  '..%5c..%5cetc',
  '%2fapi%2fv1%2fcustomers',
  '$%7B7*7%7D',
];
