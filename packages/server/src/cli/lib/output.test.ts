import { expect, it } from 'vitest';
import { asTable } from './output.ts';

it('text of merchants moves nothing on the terminal: control characters, line ends and marks of direction are escapes', () => {
  const name = 'shop\u001B]0;owned\u0007\u001B[2K\rhidden\nnext \u202Eesrever';
  expect(asTable({ name })).toBe(
    'name  shop\\u001b]0;owned\\u0007\\u001b[2K\\u000dhidden\\u000anext \\u202eesrever',
  );
  expect(asTable([{ name: 'Café €' }])).toBe('name\nCafé €');
});
