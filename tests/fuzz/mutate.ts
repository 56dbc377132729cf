import type { Random } from '../crash/random.ts';
import { oddText, oddValue, writeJson } from './odd-values.ts';

/** A request ready to be sent. */
export interface RawRequest {
  readonly method: string;
  /** Includes the query, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer | null;
}

type Json = Record<string, unknown> | unknown[];
/** The position of a value: a key of an object, or an index of a list. */
interface Slot {
  readonly holder: Json;
  readonly key: string;
}

function slotsOf(value: unknown, slots: Slot[] = []): Slot[] {
  if (typeof value !== 'object' || value === null) return slots;
  for (const key of Object.keys(value)) {
    slots.push({ holder: value as Json, key });
    slotsOf((value as Record<string, unknown>)[key], slots);
  }
  return slots;
}

const read = ({ holder, key }: Slot): unknown => (holder as Record<string, unknown>)[key];

/** Sets an own property, even one called `__proto__`. */
function write({ holder, key }: Slot, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * Removes a field, or an item of a list. `splice` would call the list's own `constructor`, which may be any
 * value here.
 */
function remove({ holder, key }: Slot): void {
  const place = Number(key);
  if (!Array.isArray(holder) || !Number.isInteger(place)) {
    delete (holder as Record<string, unknown>)[key];
    return;
  }
  holder.copyWithin(place, place + 1);
  holder.length -= 1;
}

const changesOfJson: readonly ((slot: Slot, random: Random, slots: readonly Slot[]) => void)[] = [
  (slot, random) => write(slot, oddValue(random)),
  (slot, random) => write(slot, oddValue(random)),
  (slot, random) => write(slot, oddText(random)),
  (slot) => remove(slot),
  (slot) => write(slot, [read(slot)]),
  (slot) => write(slot, { value: read(slot) }),
  (slot) => write(slot, JSON.stringify(read(slot))),
  (slot, random, slots) => write(slot, structuredClone(read(random.pick(slots)))),
  (slot, random) => write({ ...slot, key: oddText(random) }, oddValue(random)),
  (slot, random) => {
    const value = read(slot);
    if (typeof value === 'number') write(slot, value + random.pick([-1, 0.5, 1, 1e15]));
    else if (typeof value === 'string') write(slot, spoil(value, random));
  },
];

/** Changes a text at one random position. */
function spoil(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  const rest = text.slice(at + (random.chance(0.5) ? 1 : 0));
  return text.slice(0, at) + (random.chance(0.3) ? '' : oddText(random).slice(0, 20)) + rest;
}

function changeJson(body: unknown, random: Random): string {
  const changed = structuredClone(body);
  for (let left = 1 + random.below(4); left > 0; left -= 1) {
    const slots = slotsOf(changed);
    if (slots.length === 0) return writeJson(oddValue(random));
    random.pick(changesOfJson)(random.pick(slots), random, slots);
  }
  return writeJson(random.chance(0.02) ? [changed] : changed);
}

function changeBytes(body: Buffer, random: Random): Buffer {
  const at = random.below(body.length + 1);
  const byte = Buffer.from([random.below(256)]);
  switch (random.below(7)) {
    case 0:
      return body.subarray(0, at);
    case 5:
      return Buffer.from(random.pick(['[', '{"a":', '[{"a":']).repeat(random.pick([100, 10_000, 40_000])));
    case 1:
      return Buffer.concat([body.subarray(0, at), byte, body.subarray(at)]);
    case 2:
      return Buffer.concat([body.subarray(0, at), byte, body.subarray(at + 1)]);
    case 3:
      return Buffer.concat([body, body]);
    case 4:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]);
    default:
      return Buffer.from(oddText(random).repeat(random.pick([1, 1, 1000])));
  }
}

function changeBody(request: RawRequest, body: unknown, random: Random): RawRequest {
  const bytes = request.body ?? Buffer.alloc(0);
  // The request has a form as its body, or no body.
  if (body === undefined) {
    const odd = bytes.length > 0 ? changeBytes(bytes, random) : Buffer.from(writeJson(oddValue(random)));
    return { ...request, body: odd };
  }
  const changed = random.chance(0.85) ? Buffer.from(changeJson(body, random)) : changeBytes(bytes, random);
  return { ...request, body: changed };
}

/** Like `encodeURIComponent`, but accepts any text, including lone surrogates. */
const encoded = (text: string) => encodeURIComponent(text.toWellFormed());

function changePath(request: RawRequest, random: Random): RawRequest {
  const [path = '', query] = request.path.split('?');
  const segments = path.split('/');
  const at = 3 + random.below(Math.max(1, segments.length - 3));
  switch (random.below(5)) {
    case 0:
      segments[at] = encoded(oddText(random)).slice(0, 4000);
      break;
    case 1:
      segments[at] = spoil(segments[at] ?? '', random).replaceAll(/[^\x21-\x7e]|[?#]/g, '%');
      break;
    case 2:
      segments.splice(at, 0, random.pick(['', '.', '..', '%2e%2e', '%2f', '%00', '%zz', ';a=b']));
      break;
    case 3:
      segments[at] = (segments[at] ?? '').toUpperCase();
      break;
    default:
      segments.push(random.pick(['', 'confirm', '%ff', 'x'.repeat(300)]));
  }
  return { ...request, path: segments.join('/') + (query === undefined ? '' : `?${query}`) };
}

const filters =
  'page per_page status customer reference type created_gte created_lt email external_id payment state';

function changeQuery(request: RawRequest, random: Random): RawRequest {
  const names = [...filters.split(' '), 'page[]', 'page[a]', '__proto__', ''];
  const pairs = Array.from({ length: 1 + random.below(3) }, () => {
    const value = random.chance(0.4)
      ? random.pick([
          '0',
          '-1',
          '1',
          '101',
          '1.5',
          '99999999999999999999',
          '1e3',
          ' 1',
          '%',
          '%zz',
          '%00',
          'NaN',
        ])
      : encoded(oddText(random)).slice(0, 4000);
    return `${random.pick(names)}=${value}`;
  });
  return { ...request, path: `${request.path}${request.path.includes('?') ? '&' : '?'}${pairs.join('&')}` };
}

/** Replaces the characters that a header cannot contain. */
const headerText = (text: string) => text.replaceAll(/[^\x20-\x7e\x80-\xff]/g, '?').slice(0, 4000);

function changeHeaders(request: RawRequest, random: Random): RawRequest {
  const odd = headerText(oddText(random));
  const key = request.headers.authorization;
  const name = random.pick([
    'idempotency-key',
    'idempotency-key',
    'content-type',
    'authorization',
    'accept',
    'user-agent',
    'x-forwarded-for',
    'content-encoding',
    'if-none-match',
    'range',
    'expect-ct',
    'last-event-id',
  ]);
  switch (random.below(4)) {
    case 0: {
      const { [name]: _gone, ...others } = request.headers;
      return { ...request, headers: others };
    }
    case 1:
      return {
        ...request,
        headers: { ...request.headers, [name]: [name === 'authorization' ? String(key) : odd, odd] },
      };
    case 2:
      return {
        ...request,
        headers: {
          ...request.headers,
          'content-type': random.pick([
            'text/plain',
            'application/json; charset=utf-7',
            'multipart/form-data',
            odd,
          ]),
        },
      };
    default:
      return { ...request, headers: { ...request.headers, [name]: odd } };
  }
}

/**
 * Introduces one or several random faults into a request.
 * @param body the value from which the request's body was serialized; undefined if there is none
 */
export function mutate(request: RawRequest, body: unknown, random: Random): RawRequest {
  const hasBody = body !== undefined || request.body !== null;
  let changed = request;
  let isChanged = false;
  const maybe = (probability: number, change: () => RawRequest) => {
    if (!random.chance(probability)) return;
    changed = change();
    isChanged = true;
  };
  maybe(hasBody ? 0.85 : 0.15, () => changeBody(changed, body, random));
  maybe(hasBody ? 0.05 : 0.4, () => changePath(changed, random));
  maybe(request.method === 'GET' ? 0.5 : 0.05, () => changeQuery(changed, random));
  maybe(0.1, () => changeHeaders(changed, random));
  if (!isChanged) changed = changeHeaders(request, random);
  // No HTTP client can send other characters in the request line.
  return { ...changed, path: changed.path.replaceAll(/[^\x21-\x7e]/g, '%20') };
}
