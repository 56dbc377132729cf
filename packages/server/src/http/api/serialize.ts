import type { Operation } from '@till/contract';
import fastJson from 'fast-json-stringify';
import type { TSchema } from 'typebox';

type Write = (value: object) => string;

/**
 * Serialisers for the contract's schemas, each compiled when it is first used. Fields that a schema does not list never leave
 * the server.
 */
export class Serializers {
  readonly #named: Readonly<Record<string, object>>;
  readonly #writers = new Map<TSchema, Write>();

  constructor(named: readonly TSchema[]) {
    this.#named = Object.fromEntries(
      named.map((schema) => [(schema as unknown as { $id: string }).$id, schema]),
    );
  }

  /** The serialiser of one schema. */
  for(schema: TSchema): Write {
    return (value) => this.#compiled(schema)(value);
  }

  /** Serialises an answer of an operation. */
  write(operation: Pick<Operation, 'id' | 'answers'>, status: number, value: object): string {
    const schema = operation.answers[status];
    if (schema === undefined) throw new Error(`${operation.id} declares no answer ${status}`);
    return this.#compiled(schema)(value);
  }

  #compiled(schema: TSchema): Write {
    const known = this.#writers.get(schema);
    if (known !== undefined) return known;
    const id = (schema as unknown as { $id?: string }).$id;
    const external = { ...this.#named };
    if (id !== undefined) delete external[id];
    const write: Write = fastJson(schema, { schema: external as never });
    this.#writers.set(schema, write);
    return write;
  }
}
