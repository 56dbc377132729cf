import type { Field, Fields, Message } from './messages.ts';

/** Wire types (Protocol Buffers, "Encoding"). */
const wire = { varint: 0, eight: 1, delimited: 2, four: 5 } as const;

function varint(number: bigint): Buffer {
  const bytes: number[] = [];
  for (let rest = BigInt.asUintN(64, number); ; rest >>= 7n) {
    if (rest < 0x80n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
}

function eightBytes(write: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(8);
  write(bytes);
  return bytes;
}

/** Encodes one value. @returns its wire type and bytes */
function encodeValue(type: Field[1], value: unknown): readonly [wireType: number, bytes: Buffer] {
  switch (type) {
    case 'string':
      return [wire.delimited, Buffer.from(value as string)];
    case 'hex':
      return [wire.delimited, Buffer.from(value as string, 'hex')];
    case 'bool':
      return [wire.varint, varint(value === true ? 1n : 0n)];
    case 'enum':
    case 'int64':
      return [wire.varint, varint(BigInt(value as string | number))];
    case 'fixed32': {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32LE(value as number);
      return [wire.four, bytes];
    }
    case 'fixed64':
      return [wire.eight, eightBytes((bytes) => void bytes.writeBigUInt64LE(BigInt(value as string)))];
    case 'double':
      return [wire.eight, eightBytes((bytes) => void bytes.writeDoubleLE(value as number))];
    default:
      return [wire.delimited, encode(type, value as Message)];
  }
}

const isPacked = (type: Field[1]) => type === 'fixed64' || type === 'double';

function encodeField([number, type, isList]: Field, value: unknown): Buffer[] {
  const tag = (wireType: number) => varint(BigInt((number << 3) | wireType));
  const delimited = (bytes: Buffer) => [tag(wire.delimited), varint(BigInt(bytes.length)), bytes];
  const values = isList === undefined ? [value] : (value as readonly unknown[]);
  if (isList !== undefined && isPacked(type)) {
    return delimited(Buffer.concat(values.map((one) => encodeValue(type, one)[1])));
  }
  return values.flatMap((one) => {
    const [wireType, bytes] = encodeValue(type, one);
    return wireType === wire.delimited ? delimited(bytes) : [tag(wireType), bytes];
  });
}

/** Encodes a message with Protocol Buffers. @param fields the known fields; others are left out */
export function encode(fields: Fields, message: Message): Buffer {
  const parts = Object.entries(fields).flatMap(([name, field]) =>
    message[name] === undefined ? [] : encodeField(field, message[name]),
  );
  return Buffer.concat(parts);
}
