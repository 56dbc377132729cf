import { expect, it } from 'vitest';
import { asLines, asTable } from './output.ts';

it('text of merchants moves nothing on the terminal: control characters, line ends and marks of direction are escapes', () => {
  const name = 'shop\u001B]0;owned\u0007\u001B[2K\rhidden\nnext \u202Eesrever';
  expect(asTable({ name })).toBe(
    'name  shop\\u001b]0;owned\\u0007\\u001b[2K\\u000dhidden\\u000anext \\u202eesrever',
  );
  expect(asTable([{ name: 'Café €' }])).toBe('name\nCafé €');
});

it('a text of several lines is printed in its lines, each without what a terminal obeys', () => {
  expect(asLines('Dear owner,\n\n\u001B[2Ka dispute\r\nwaits\rhidden')).toBe(
    'Dear owner,\n\n\\u001b[2Ka dispute\nwaits\\u000dhidden',
  );
});
