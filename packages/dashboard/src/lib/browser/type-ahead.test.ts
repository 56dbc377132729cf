import { expect, it } from 'vitest';
import { createTypeAhead } from './type-ahead.ts';

const press = (key: string, timeStamp = 0, ctrlKey = false) => ({
  key,
  ctrlKey,
  metaKey: false,
  altKey: false,
  timeStamp,
});

function type(keys: readonly string[]) {
  const ahead = createTypeAhead();
  ahead.begin();
  return { ahead, kept: keys.map((key) => ahead.press(press(key))) };
}

it('keeps what is typed until the field has the focus', () => {
  const { ahead, kept } = type(['r', 'o', 'x', 'Backspace', 'l', 'l', ' ', 'k']);
  expect(kept).toEqual(Array.from({ length: 8 }, () => 'kept'));
  expect(ahead.take()).toBe('roll k');
  expect(ahead.press(press('e'))).toBeUndefined();
  expect(ahead.take()).toBe('');
});

it('leaves other keys and shortcuts alone', () => {
  const { ahead, kept } = type(['Tab', 'ArrowDown', 'a']);
  expect(kept).toEqual([undefined, undefined, 'kept']);
  expect(ahead.press(press('k', 0, true))).toBeUndefined();
  expect(ahead.take()).toBe('a');
});

it('ends with Escape, and where the dialog does not come', () => {
  const { ahead, kept } = type(['a', 'Escape', 'b']);
  expect(kept).toEqual(['kept', 'cancelled', undefined]);
  ahead.begin();
  expect(ahead.press(press('a', 1_000))).toBe('kept');
  expect(ahead.press(press('b', 11_001))).toBeUndefined();
  expect(ahead.take()).toBe('');
});
